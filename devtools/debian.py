"""The ``.deb``: the frozen folder under /usr/lib, with what a desktop wants to know of a program."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from app.errors import Code, SlipstreamError

NAME = "slipstream"
DEPENDS = (
    "libdrm2", "libegl1", "libgl1", "libwayland-client0", "libwayland-cursor0", "libwayland-egl1", "libxcb1",
    "fontconfig-config", "libx11-data", "xkb-data",
)
"""What is not in the folder: libraries that belong to the graphics driver or the display, and data of those inside."""
RECOMMENDS = ("fonts-dejavu-core | fonts-noto-core", "hicolor-icon-theme", "shared-mime-info")
_LIBC = re.compile(rb"GLIBC_2\.(\d{1,3})\b")
OVERRIDES = """\
# Python, Qt and the engines come inside, as on other systems, so that the program runs on each release of Debian with
# the versions that it was tested with.
slipstream: embedded-library
# Their files are those of the published wheels and of this Python, byte by byte: others built and worded them.
slipstream: custom-library-search-path
slipstream: hardening-no-bindnow
slipstream: hardening-no-fortify-functions
slipstream: hardening-no-pie
slipstream: library-not-linked-against-libc
slipstream: shared-library-lacks-prerequisites
slipstream: spelling-error-in-binary
slipstream: unstripped-binary-or-object
# Each of those packages asks that its licence is handed on with it; they lie together in one folder.
slipstream: extra-license-file
slipstream: package-contains-documentation-outside-usr-share-doc
# Formulas are set by the measures of this very version of the font.
slipstream: duplicate-font-file
"""
NO_ADDRESS = """\
# It is not in anybody's archive, and nobody takes mail for it: DEBEMAIL names who publishes it.
slipstream: bogus-mail-host
slipstream: bogus-mail-host-in-debian-changelog
"""


@dataclass(frozen=True)
class Release:
    """What stands in the changelog and the control file; ``day`` as Debian writes it."""

    version: str
    day: str
    maintainer: str
    has_address: bool

    @classmethod
    def read(cls, root: Path) -> Release:
        """From the program's version, its day in the metainfo file, and DEBFULLNAME and DEBEMAIL of the environment.

        Raises ``SlipstreamError``.
        """
        version = version_of(root)
        metainfo = (root / "packaging/linux/io.github.slipstream.Slipstream.metainfo.xml").read_text(encoding="utf-8")
        found = re.search(rf'<release version="{re.escape(version)}" date="([0-9-]+)"', metainfo)
        if found is None:
            raise SlipstreamError(
                Code.FILE, f"The metainfo file has no release {version}.", "Add one; packages take its date."
            )
        day = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
        address = os.environ.get("DEBEMAIL", "")
        name = os.environ.get("DEBFULLNAME", "The Slipstream contributors")
        maintainer = f"{name} <{address or 'slipstream@localhost.localdomain'}>"
        return cls(version, format_datetime(day), maintainer, bool(address))


def make_deb(root: Path, frozen: Path, out: Path) -> Path:
    """Pack the folder ``frozen`` into a ``.deb`` in ``out`` and return its path. Raises ``SlipstreamError``."""
    if shutil.which("dpkg-deb") is None:
        raise SlipstreamError(Code.FILE, "dpkg-deb is not there.", "Install dpkg, or package without --deb.")
    out.mkdir(exist_ok=True)
    release = Release.read(root)
    architecture = _output("dpkg", "--print-architecture")
    target = out / f"{NAME}_{release.version}_{architecture}.deb"
    with tempfile.TemporaryDirectory(dir=out) as temporary:
        tree = Path(temporary) / "tree"
        _fill(root, frozen, tree, release)
        _write_control(tree, release, architecture)
        for path in (tree, *tree.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or (os.access(path, os.X_OK) and ".so" not in path.name) else 0o644)
        command = ["dpkg-deb", "--build", "--root-owner-group", "-Zxz", "-z6", str(tree), str(target)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        reason = answer.stderr.strip()
        raise SlipstreamError(Code.INTERNAL, f"dpkg-deb failed: {reason}", "The program itself is in dist.")
    return target


def _fill(root: Path, frozen: Path, tree: Path, release: Release) -> None:
    linux = root / "packaging" / "linux"
    shutil.copytree(frozen, tree / "usr/lib/slipstream", symlinks=True)
    program = tree / "usr/bin/slipstream"
    program.parent.mkdir(parents=True)
    program.symlink_to("../lib/slipstream/slipstream")
    for source, place in (
        (linux / "slipstream.desktop", "usr/share/applications"),
        (linux / "io.github.slipstream.Slipstream.metainfo.xml", "usr/share/metainfo"),
        (root / "resources/icons/slipstream.svg", "usr/share/icons/hicolor/scalable/apps"),
    ):
        _copy(source, tree / place / source.name)
    _copy(linux / "slipstream-mime.xml", tree / "usr/share/mime/packages/slipstream.xml")
    overrides = OVERRIDES if release.has_address else OVERRIDES + NO_ADDRESS
    _write(tree / "usr/share/lintian/overrides/slipstream", overrides.encode())
    _write(tree / "usr/share/man/man1/slipstream.1.gz", _zip((linux / "slipstream.1").read_bytes()))
    documents = tree / "usr/share/doc/slipstream"
    changes = (
        f"{NAME} ({release.version}) unstable; urgency=medium\n\n"
        "  * What is new stands in NEWS.md.gz, beside this file.\n\n"
        f" -- {release.maintainer}  {release.day}\n"
    )
    _write(documents / "changelog.gz", _zip(changes.encode()))
    _write(documents / "NEWS.md.gz", _zip((root / "CHANGELOG.md").read_bytes()))
    licence = (root / "LICENSE").read_text(encoding="utf-8")
    _write(documents / "copyright", _copyright(licence).encode())


def _copyright(licence: str) -> str:
    body = "\n".join(f" {line}" if line.strip() else " ." for line in licence.strip().splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: Slipstream\n\n"
        "Files: *\nCopyright: 2026 The Slipstream contributors\nLicense: MIT\n"
        " The folder /usr/lib/slipstream also holds Python, Qt (LGPL-3), llama.cpp and ik_llama.cpp (MIT) and Python\n"
        " packages under licences of their own, which lie beside them.\n .\n"
        f"{body}\n"
    )


def needed_libc(folder: Path) -> str:
    """The newest version of the C library that a program or library in ``folder`` asks for, such as ``2.36``."""
    newest = 0
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if content.startswith(b"\x7fELF"):
            newest = max(newest, *(int(number) for number in _LIBC.findall(content)), 0)
    return f"2.{newest}"


def _write_control(tree: Path, release: Release, architecture: str) -> None:
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file() and not path.is_symlink()) // 1024
    depends = (f"libc6 (>= {needed_libc(tree)})", *DEPENDS)
    lines = [
        f"Package: {NAME}", f"Version: {release.version}", "Section: utils", "Priority: optional",
        f"Architecture: {architecture}", f"Maintainer: {release.maintainer}",
        f"Installed-Size: {size}", f"Depends: {', '.join(depends)}", f"Recommends: {', '.join(RECOMMENDS)}",
        "Description: chat with local GGUF models, faster by speculative decoding",
        " A small draft model, or the text so far, guesses the next words of an answer",
        " and the model checks several of them at once. Slipstream measures while it",
        " runs whether that pays, and shows it.",
        " .",
        " Models of LM Studio, Jan, Ollama and the Hugging Face cache are found, and",
        " nothing leaves the computer.",
    ]
    _write(tree / "DEBIAN/control", ("\n".join(lines) + "\n").encode())
    sums = [f"{_sum(path)}  {path.relative_to(tree).as_posix()}\n" for path in sorted((tree / "usr").rglob("*"))
            if path.is_file() and not path.is_symlink()]
    _write(tree / "DEBIAN/md5sums", "".join(sums).encode())


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _copy(source: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, place)


def _write(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def _zip(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def version_of(root: Path) -> str:
    text = (root / "app" / "__init__.py").read_text(encoding="utf-8")
    return text.split('__version__ = "')[1].split('"')[0]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
