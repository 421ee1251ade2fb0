"""The AppImage: one file that runs on any Linux, made of a small program of ours and a squashfs of the frozen folder.

What tools for AppImages download is built here instead, from Debian's static libraries of squashfuse and FUSE.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from app.errors import Code, SlipstreamError
from devtools.debian import version_of

LIBRARIES = ("squashfuse_ll", "squashfuse", "fuse3", "zstd", "z", "lzma", "lz4", "lzo2", "pthread", "dl")
MAGIC = b"AI\x02"
"""At byte 8 of the file: an AppImage of type 2."""
MAGIC_OFFSET = 8


def make_appimage(root: Path, frozen: Path, out: Path) -> Path:
    """Pack the folder ``frozen`` into an AppImage in ``out`` and return its path. Raises ``SlipstreamError``."""
    out.mkdir(exist_ok=True)
    target = out / f"Slipstream-{version_of(root)}-{platform.machine()}.AppImage"
    with tempfile.TemporaryDirectory(dir=out) as temporary:
        folder = Path(temporary)
        runtime = build_runtime(root, folder / "runtime")
        _fill(root, frozen, folder / "tree")
        files = folder / "files.squashfs"
        _call("mksquashfs", str(folder / "tree"), str(files), "-comp", "zstd", "-root-owned", "-quiet", "-no-progress")
        image = folder / target.name
        with image.open("wb") as file:
            content = bytearray(runtime.read_bytes())
            content[MAGIC_OFFSET : MAGIC_OFFSET + len(MAGIC)] = MAGIC
            file.write(content)
            with files.open("rb") as source:
                shutil.copyfileobj(source, file)
        image.chmod(0o755)
        image.replace(target)
    return target


def build_runtime(root: Path, place: Path) -> Path:
    """Compile what the AppImage begins with, linked statically. Raises ``SlipstreamError``."""
    source = root / "packaging" / "linux" / "appimage_runtime.c"
    # FUSE's modules are loaded at run time; there are none here, and the linker's warning of it is no news.
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-s", "-Wl,--no-warnings")
    _call("cc", *flags, "-o", str(place), str(source), *(f"-l{name}" for name in LIBRARIES))
    return place


def _fill(root: Path, frozen: Path, tree: Path) -> None:
    linux = root / "packaging" / "linux"
    shutil.copytree(frozen, tree / "usr/lib/slipstream", symlinks=True)
    (tree / "AppRun").symlink_to("usr/lib/slipstream/slipstream")
    shutil.copyfile(linux / "slipstream.desktop", tree / "slipstream.desktop")
    shutil.copyfile(root / "resources/icons/slipstream.svg", tree / "slipstream.svg")
    (tree / ".DirIcon").symlink_to("slipstream.svg")
    described = tree / "usr/share/metainfo" / "io.github.slipstream.Slipstream.metainfo.xml"
    described.parent.mkdir(parents=True)
    shutil.copyfile(linux / described.name, described)


def _call(*command: str) -> None:
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SlipstreamError(
            Code.FILE, f"{command[0]} is not there.", "docs/releasing.md names what an AppImage needs."
        ) from None
    if answer.returncode != 0:
        lines = (answer.stderr or answer.stdout).strip().splitlines()
        reason = next((line for line in lines if "error" in line), lines[-1] if lines else "no reason given")
        raise SlipstreamError(
            Code.INTERNAL, f"{command[0]} failed: {reason}", "The program itself is in dist."
        )
