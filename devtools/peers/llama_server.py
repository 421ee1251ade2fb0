"""llama-server of the very llama.cpp that the locked llama-cpp-python vendors: same version, same kernels.

Where the installed package has its libraries, the server is made of its own sources and those very libraries (a few
minutes); where it has not, all of llama.cpp is built with the same arguments for CMake. Kept under
``~/.cache/slipstream/peers``; only for measuring and for tests, the program never starts it.
``python -m devtools.peers.llama_server [--jobs N]`` builds it and prints where it is.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from app.errors import Code, SlipstreamError
from app.paths import cache_dir
from devtools import llama
from devtools.console import complain, duration_words, say
from devtools.download import Download, fetch
from devtools.environment import Layout, locked_package, read_stamp
from devtools.follow import follow
from devtools.lock import only_one

ROOT = Path(__file__).resolve().parents[2]
LINKED = Path(__file__).with_name("llama_server_build")
"""The CMake project that makes the server out of the package's libraries."""
WHOLE_ARGUMENTS = (
    "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_SERVER=ON", "-DLLAMA_BUILD_TOOLS=ON", "-DLLAMA_BUILD_COMMON=ON",
    "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_APP=OFF", "-DLLAMA_BUILD_UI=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF", "-DLLAMA_CURL=OFF", "-DLLAMA_OPENSSL=OFF",
)  # fmt: skip
"""What a server for measurements goes without: a page of its own, HTTPS, everything that is not the server."""


def binary(jobs: int = 0) -> Path:
    """The server, built when it is missing. ``jobs`` compilers at a time, 0 for every core.

    Raises ``SlipstreamError``: ``FILE`` where CMake is missing, ``NETWORK``, ``INTERNAL`` when the build fails.
    """
    source = llama.Source.from_lock(locked_package(ROOT, "llama-cpp-python"))
    arguments, libraries = _wheel_arguments(), _wheel_libraries()
    key = hashlib.sha256(f"{llama.wheel_key(arguments)}\0{libraries or ''}".encode()).hexdigest()[:16]
    folder = cache_dir() / "peers" / f"llama-server-{source.version}-{key}"
    program = folder / ("llama-server.exe" if sys.platform == "win32" else "llama-server")
    if program.exists():
        return program
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            raise SlipstreamError(
                Code.FILE, f"The program {tool} is missing, which builds llama-server.", f"Install {tool} and retry."
            )
    folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder / "build.lock", "building llama-server"):
        if not program.exists():
            _build(source, arguments, libraries, program, jobs or os.cpu_count() or 1)
    return program


def _wheel_arguments() -> str:
    """What the environment's own llama.cpp was built with."""
    stamp = read_stamp(Layout(ROOT))
    return stamp.cmake_arguments if stamp else llama.cmake_arguments(None, os.environ.get("CMAKE_ARGS", ""), "")


def _wheel_libraries() -> Path | None:
    """The folder where the environment's llama-cpp-python keeps the libraries that a server is linked with."""
    for folder in sorted(Layout(ROOT).venv.glob("lib/python*/site-packages/lib")):
        if all(any(folder.glob(f"lib{name}.*")) for name in ("llama", "llama-common", "mtmd", "ggml", "ggml-base")):
            return folder
    return None


def _build(source: llama.Source, arguments: str, libraries: Path | None, program: Path, jobs: int) -> None:
    sdist = program.parent / source.url.rsplit("/", 1)[-1]
    fetch(Download("llama-cpp-python's source", source.url, sdist, source.size, source.sha256))
    how = "linked with its libraries" if libraries else arguments
    say(f"Building llama-server of llama-cpp-python {source.version} ({how}). This happens once.")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=program.parent) as temporary:
        with tarfile.open(sdist) as archive:
            archive.extractall(temporary, filter="data")
        vendored = next(Path(temporary).glob("*/vendor/llama.cpp"))
        made = Path(temporary) / "build"
        configure = ["cmake", "-G", "Ninja", "-B", str(made), "-DCMAKE_BUILD_TYPE=Release"]
        if libraries is not None:
            configure += ["-S", str(LINKED), f"-DLLAMA_SOURCE={vendored}", f"-DLLAMA_LIBRARIES={libraries}"]
        else:
            configure += ["-S", str(vendored), *WHOLE_ARGUMENTS]
            configure += [part for part in arguments.split() if "LLAVA_BUILD" not in part]
        compile_ = ["cmake", "--build", str(made), "--target", "llama-server", "--parallel", str(jobs)]
        _follow([configure, compile_], program.parent / "build.log")
        built = made / program.name if libraries else made / "bin" / program.name
        shutil.copy2(built, program.with_suffix(".new"))
        program.with_suffix(".new").replace(program)
    sdist.unlink(missing_ok=True)
    say(f"Built in {duration_words(time.monotonic() - started)}; it is kept in {program.parent}.")


def _follow(commands: Sequence[list[str]], log: Path) -> None:
    for command in commands:
        if follow(command, None, log, "building") != 0:
            reason = llama.build_reason(log.read_text(encoding="utf-8").splitlines())
            raise SlipstreamError(
                Code.INTERNAL, f"llama-server could not be built: {reason}", f"The whole story is in {log}."
            )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m devtools.peers.llama_server", description=__doc__)
    parser.add_argument("--jobs", type=int, default=0, help="compilers at a time; 0 takes every core")
    try:
        say(str(binary(parser.parse_args().jobs)))
    except SlipstreamError as error:
        complain(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
