"""Lets other programs that use huggingface-hub find what was downloaded, without a second copy on the disk.

Layout: ``models--<publisher>--<model>/blobs/<sha256>``, ``snapshots/<commit>/<file>`` → blob, ``refs/main`` = commit
(huggingface-hub, "Understand caching").
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

_COMMIT = re.compile(r"^[0-9a-f]{40}$")
_SHA256 = re.compile(r"^[0-9a-f]{64}$")


def register_file(cache_dir: Path, repo: str, commit: str, file: str, sha256: str, final: Path) -> bool:
    """Show ``final`` to the hub cache; False when that is not possible here (other disk without links, no rights,
    unknown hash), which is no failure: the download itself stands."""
    if not _COMMIT.match(commit) or not _SHA256.match(sha256):
        return False
    root = cache_dir / f"models--{repo.replace('/', '--')}"
    blob = root / "blobs" / sha256
    pointer = root / "snapshots" / commit / file
    try:
        blob.parent.mkdir(parents=True, exist_ok=True)
        if not blob.exists():
            with contextlib.suppress(FileNotFoundError):
                blob.unlink()
            _link(final, blob)
        pointer.parent.mkdir(parents=True, exist_ok=True)
        if not pointer.exists():
            with contextlib.suppress(FileNotFoundError):
                pointer.unlink()
            _point(pointer, blob)
        reference = root / "refs" / "main"
        if not reference.exists():
            reference.parent.mkdir(parents=True, exist_ok=True)
            reference.write_text(commit, encoding="ascii")
    except (OSError, NotImplementedError):
        return False
    return True


def forget_file(cache_dir: Path, final: Path) -> None:
    """Remove the cache's links to ``final``, so that deleting it frees the disk. Links to other files stay."""
    try:
        status = final.stat()
    except OSError:
        return
    for repository in cache_dir.glob("models--*"):
        for place in [*repository.glob("snapshots/*/**/*.gguf"), *repository.glob("blobs/*")]:
            with contextlib.suppress(OSError):
                if os.path.samestat(place.stat(), status) and place != final:
                    place.unlink()


def _link(source: Path, target: Path) -> None:
    """A hard link outlives either name; over disks a symbolic link must do."""
    try:
        os.link(source, target)
    except OSError:
        target.symlink_to(source.resolve())


def _point(pointer: Path, blob: Path) -> None:
    """The hub's own relative link; where links need rights that a person lacks (Windows), a hard link."""
    try:
        pointer.symlink_to(os.path.relpath(blob, pointer.parent))
    except OSError:
        os.link(blob, pointer)
