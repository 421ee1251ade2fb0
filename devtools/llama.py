"""llama-cpp-python: built once from its source package, kept as a wheel for the next environment.

llama.cpp compiles for the processor it is built on, so a kept wheel is found only under the same version, Python,
build arguments and processor features; on another processor it could end in an illegal instruction.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app import sentences
from app.errors import Code, SlipstreamError
from app.machine.processor import processor_features
from app.paths import cache_dir
from devtools.building import BuildReport
from devtools.console import duration_words, moving, say
from devtools.download import Download, fetch
from devtools.follow import follow, read_step

GPU_ARGUMENTS = {
    "none": "",
    "cuda": "-DGGML_CUDA=on",
    "vulkan": "-DGGML_VULKAN=on",
    "metal": "-DGGML_METAL=on",
    "rocm": "-DGGML_HIP=on",
}
# The library for pictures and sound is a quarter of the build and nothing here calls it.
OWN_ARGUMENTS = "-DLLAVA_BUILD=OFF"
BUILD_VARIABLES = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CUDACXX", "CUDAARCHS")
PORTABLE = "portable"
"""In the place of a processor's features: for a build whose processor part comes in variants."""
AMX_HEADER = Path("packaging") / "amx_tiles.h"
"""Mends GCC's AMX intrinsics; forced in front of every C++ file."""
AMX_RECIPE = "amx-tiles-1"
"""Raised with that header, so that wheels which were built without it, and die on such processors, are left alone."""
INDEX_PREFIX = "index:"
BAD_MARKER = "proven-bad.txt"
"""Beside a wheel that is never to be installed again on this processor; holds why."""
COMPILER_ERROR = re.compile(r"\berror\b.*:|\bFAILED:", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """The locked source package."""

    version: str
    url: str
    sha256: str
    size: int

    @classmethod
    def from_lock(cls, entry: Mapping[str, object]) -> Source:
        sdist = entry["sdist"]
        assert isinstance(sdist, dict)
        return cls(str(entry["version"]), sdist["url"], str(sdist["hash"]).removeprefix("sha256:"), int(sdist["size"]))


@dataclass(frozen=True)
class Tools:
    """What a build and an installation run with."""

    root: Path
    python: Path
    uv: Path
    environment: dict[str, str]


def cmake_arguments(gpu: str | None, given: str, remembered: str) -> str:
    """The arguments for CMake: what was asked for now, or else what this environment was last built with."""
    asked = " ".join(part for part in (GPU_ARGUMENTS[gpu or "none"], given) if part)
    if gpu is None and not given:
        asked = remembered
    if "LLAVA_BUILD" not in asked:
        asked = f"{OWN_ARGUMENTS} {asked}".strip()
    return asked


def wheel_key(arguments: str, features: str | None = None) -> str:
    """The name of the folder that keeps the wheel for these arguments, this Python and this processor."""
    features = processor_features() if features is None else features
    parts = [arguments, features]
    parts += [AMX_RECIPE] if features == PORTABLE or "amx_tile" in features.split() else []
    parts += [f"{name}={os.environ.get(name, '')}" for name in BUILD_VARIABLES]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return f"cp{sys.version_info.major}{sys.version_info.minor}-{sysconfig.get_platform()}-{digest}"


def index_key(index: str) -> str:
    return INDEX_PREFIX + index


def is_index_key(key: str) -> bool:
    return key.startswith(INDEX_PREFIX)


def wheels_dir(version: str, key: str) -> Path:
    return cache_dir() / "wheels" / f"llama_cpp_python-{version}-{key}"


def kept_wheel(version: str, key: str) -> Path | None:
    """The wheel of an earlier build, if it is there and whole and was not proven bad."""
    wheels = sorted(wheels_dir(version, key).glob("*.whl"))
    return wheels[0] if wheels and not is_proven_bad(version, key) and _is_whole(wheels[0]) else None


def _is_whole(wheel: Path) -> bool:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.testzip() is None
    except (OSError, zipfile.BadZipFile, EOFError, zlib.error):
        return False


def is_proven_bad(version: str, key: str) -> bool:
    """Whether the wheel was tried on this processor and another way did better."""
    return (wheels_dir(version, key) / BAD_MARKER).exists()


def mark_bad(version: str, key: str, reason: str) -> None:
    folder = wheels_dir(version, key)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / BAD_MARKER).write_text(reason + "\n", encoding="utf-8")


def discard_wheel(version: str, key: str) -> None:
    for wheel in wheels_dir(version, key).glob("*.whl"):
        wheel.unlink()


def must_build(version: str, key: str) -> bool:
    return not is_index_key(key) and kept_wheel(version, key) is None


def install(tools: Tools, source: Source, key: str, arguments: str) -> bool:
    """Install the wheel for ``key``, building it first if there is none. Returns whether it was built.

    Raises:
        SlipstreamError: it could not be built or installed.
    """
    built = False
    command = [str(tools.uv), "pip", "install", "--quiet", "--python", str(tools.python), "--no-deps"]
    command += ["--reinstall-package", "llama-cpp-python"]
    if is_index_key(key):
        words = f"Installing llama-cpp-python {source.version} from {key.removeprefix(INDEX_PREFIX)} …"
        command += ["--only-binary", "llama-cpp-python", "--index-url", key.removeprefix(INDEX_PREFIX)]
        command += [f"llama-cpp-python=={source.version}"]
    else:
        wheel = kept_wheel(source.version, key)
        if wheel is None:
            wheel = build(tools, source, key, arguments)
            words = "Installing llama-cpp-python …"
            built = True
        else:
            words = "Installing llama-cpp-python from the wheel that was built before …"
        command += [str(wheel)]
    BuildReport().enter("installing")
    with moving(words):
        status = subprocess.run(command, env=tools.environment, check=False).returncode
    if status != 0:
        raise SlipstreamError(
            Code.FILE, sentences.say("llama-cpp-python could not be installed."), "The lines above say why."
        )
    return built


def build(tools: Tools, source: Source, key: str, arguments: str) -> Path:
    """Build the wheel, showing how far it is, and keep it. Returns its path.

    As many files are compiled at once as ``CMAKE_BUILD_PARALLEL_LEVEL`` says, if it is set.
    """
    report = BuildReport()
    report.enter("fetching source")
    folder = wheels_dir(source.version, key)
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("tmp*"):
        # A build that was killed could not clear away after itself.
        shutil.rmtree(left, ignore_errors=True)
    sdist = cache_dir() / "wheels" / source.url.rsplit("/", 1)[-1]
    wanted = Download("llama-cpp-python's source", source.url, sdist, source.size, source.sha256)
    fetch(wanted, watch=report.update)
    say(f"Building llama-cpp-python {source.version} ({arguments}). This happens once: about "
        f"{15 if 'ALL_VARIANTS' in arguments else 6} minutes on two cores.")
    log = folder / "build.log"
    report.enter("building", log)
    environment = {**tools.environment, "CMAKE_ARGS": arguments, "CXXFLAGS": cxx_flags(tools)}
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        command = [str(tools.uv), "build", "--wheel", "--python", str(tools.python), "--out-dir", temporary]
        command += ["--build-constraints", str(tools.root / "packaging" / "build-constraints.txt"), str(sdist)]
        code = follow(command, environment, log, "building", report.update)
        wheels = sorted(Path(temporary).glob("*.whl"))
        if code != 0 or not wheels:
            reason = build_reason(log.read_text(encoding="utf-8").splitlines())
            raise SlipstreamError(
                Code.INTERNAL,
                sentences.say("llama-cpp-python could not be built: {reason}.", reason=reason.rstrip(".")),
                f"The whole story is in {log}; solve it and start again.",
            )
        wheel = folder / wheels[0].name
        wheels[0].replace(wheel)
    (folder / BAD_MARKER).unlink(missing_ok=True)  # this wheel has not been tried yet
    sdist.unlink(missing_ok=True)
    say(f"Built in {duration_words(time.monotonic() - started)}; the wheel is kept in {folder}.")
    return wheel


def cxx_flags(tools: Tools) -> str:
    """The flags for the C++ compiler that are in the environment already, and on Linux our mending header."""
    given = tools.environment.get("CXXFLAGS", "")
    if sys.platform != "linux":
        return given
    return f"{given} -include {shlex.quote(str(tools.root / AMX_HEADER))}".strip()


def build_reason(lines: Iterable[str]) -> str:
    """The line of a build's output that most likely says why it failed."""
    kept = [line.strip() for line in lines if line.strip()]
    for number, line in enumerate(kept):
        if line.startswith("CMake Error"):
            # CMake says where in the first line and what in the next.
            return " ".join(kept[number : number + 2]) if line.endswith(":") else line
        if COMPILER_ERROR.search(line) and read_step(line) is None:
            return line
    return kept[-1] if kept else "it printed nothing"
