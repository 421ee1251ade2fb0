"""``dev.py package``: a folder that runs without Python, and on Linux a ``.deb`` and an AppImage of it.

llama.cpp is built once more for it, without the habits of this machine's processor: its processor part comes in a dozen
variants, and the fitting one is chosen when the program starts.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from app.errors import Code, SlipstreamError
from devtools import appimage, debian, llama
from devtools.console import say
from devtools.environment import Layout, child_environment, locked_package, run_step

PORTABLE_ARGUMENTS = f"{llama.OWN_ARGUMENTS} -DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON"
MEGABYTE = 1e6


@dataclass(frozen=True)
class Wanted:
    """What goes into the package: a wheel of llama-cpp-python that was built elsewhere, ik, a starter model.

    ``deb`` and ``appimage`` are made of the folder besides.
    """

    wheel: Path | None = None
    with_ik: bool = True
    model: Path | None = None
    deb: bool = sys.platform == "linux"
    appimage: bool = False
    gpu: str = "none"
    """A kind of ``llama.GPU_ARGUMENTS``."""


def make_package(layout: Layout, wanted: Wanted) -> Path:
    """Build the folder ``dist/slipstream`` and what installs it; returns the folder. Raises ``SlipstreamError``."""
    _install_packager(layout, wanted.with_ik)
    engine = _unpack_engine(layout, wanted.wheel or _portable_wheel(layout, wanted.gpu))
    folder = _freeze(layout, engine, wanted.with_ik)
    saved = link_copies(folder)
    if wanted.model is not None:
        (folder / "models").mkdir(exist_ok=True)
        shutil.copy2(wanted.model, folder / "models" / wanted.model.name)
    say(f"{folder}: {folder_bytes(folder) / MEGABYTE:.0f} MB ({saved / MEGABYTE:.0f} MB of copies became links).")
    if wanted.deb:
        package = debian.make_deb(layout.root, folder, layout.root / "dist")
        say(f"{package}: {package.stat().st_size / MEGABYTE:.0f} MB.")
    if wanted.appimage:
        image = appimage.make_appimage(layout.root, folder, layout.root / "dist")
        say(f"{image}: {image.stat().st_size / MEGABYTE:.0f} MB.")
    return folder


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below ``folder``; links count nothing."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def link_copies(folder: Path) -> int:
    """Make links of shared libraries that lie beside an equal file, as they were before a wheel made copies of them.

    Returns the bytes that were saved. Windows keeps its copies: links need a privilege there.
    """
    if os.name == "nt":
        return 0
    saved = 0
    first: dict[tuple[Path, str], Path] = {}
    for path in sorted(folder.rglob("*.so*"), key=lambda path: (path.parent, len(path.name))):
        if path.is_symlink() or not path.is_file():
            continue
        key = path.parent, hashlib.sha256(path.read_bytes()).hexdigest()
        if key in first:
            saved += path.stat().st_size
            path.unlink()
            path.symlink_to(first[key].name)
        else:
            first[key] = path
    return saved


def gather_variants(engine: Path) -> int:
    """Move the processor's variants to the libraries they belong to; returns how many there were.

    llama.cpp installs them into ``bin``, and the wheel leaves them there.
    """
    libraries = engine / "llama_cpp" / "lib"
    found = sorted((engine / "bin").glob("*ggml-cpu-*"))
    for path in found:
        shutil.move(path, libraries / path.name)
    return len(found)


def _install_packager(layout: Layout, with_ik: bool) -> None:
    command = [str(layout.program("uv")), "sync", "--frozen", "--quiet", "--inexact", "--python", str(layout.python)]
    command += ["--no-install-package", "llama-cpp-python", "--group", "package"]
    command += ["--extra", "ik"] if with_ik else []
    run_step(command, layout, "What packages the program could not be installed.")


def portable_arguments(gpu: str) -> str:
    """For CMake: any processor of this kind, and cards of the kind ``gpu`` besides."""
    return f"{PORTABLE_ARGUMENTS} {llama.GPU_ARGUMENTS[gpu]}".strip()


def _portable_wheel(layout: Layout, gpu: str) -> Path:
    arguments = portable_arguments(gpu)
    source = llama.Source.from_lock(locked_package(layout.root, "llama-cpp-python"))
    key = llama.wheel_key(arguments, llama.PORTABLE)
    tools = llama.Tools(layout.root, layout.python, layout.program("uv"), child_environment(layout))
    return llama.kept_wheel(source.version, key) or llama.build(tools, source, key, arguments)


def _unpack_engine(layout: Layout, wheel: Path) -> Path:
    """A folder with the packaged llama_cpp, to be found before the one that is built for this machine."""
    engine = layout.root / "build" / "package" / "engine"
    shutil.rmtree(engine, ignore_errors=True)
    command = [str(layout.program("uv")), "pip", "install", "--quiet", "--no-deps", "--python", str(layout.python)]
    run_step([*command, "--target", str(engine), str(wheel)], layout, "The engine could not be unpacked.")
    gather_variants(engine)
    return engine


def _freeze(layout: Layout, engine: Path, with_ik: bool) -> Path:
    command = [str(layout.program("pyinstaller")), "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(layout.root / "dist"), "--workpath", str(layout.root / "build" / "package" / "work")]
    command += [str(layout.root / "packaging" / "slipstream.spec")]
    environment = {
        **child_environment(layout), "PYTHONPATH": str(engine), "SLIPSTREAM_WITH_IK": "1" if with_ik else "0",
    }
    say("Freezing the program …")
    if subprocess.run(command, cwd=layout.root, env=environment, check=False).returncode != 0:
        raise SlipstreamError(Code.INTERNAL, "The program could not be packaged.", "The lines above say why.")
    return layout.root / "dist" / "slipstream"
