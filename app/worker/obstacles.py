"""What keeps the engine from working here, found and named before native code ends the process over it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.errors import OBSTACLE_MARK
from app.sentences import as_record, say

PROBE_VARIABLE = "SLIPSTREAM_WORKER_PROBE"
"""Set in a child that only tries whether the engine's library can be started."""
_PROBE_S = 60.0
_ENGINES = {"app.engine.backends.llama": "llama_cpp", "app.engine.backends.ik": "ik_llama_cpp"}
_WINDOWS_ILLEGAL = 0xC000001D
_WINDOWS_AVX2 = 40
_MISSING = re.compile(r"([\w.+-]+\.(?:so[.\d]*|dll|dylib))\W+(?:cannot open|image not found|not found)")
_PACKAGES = {
    "libgomp.so.1": "libgomp1", "libstdc++.so.6": "libstdc++6", "libvulkan.so.1": "libvulkan1",
    "libcudart.so.12": "nvidia-cuda-toolkit", "libopenblas.so.0": "libopenblas0",
}


class Obstacle(NamedTuple):
    message: str
    hint: str

    def line(self) -> str:
        """As it is told to the client on stderr."""
        words = msgspec.json.encode([self.message, self.hint], enc_hook=as_record).decode()
        return f"{OBSTACLE_MARK}{words}\n"


def find_obstacle(cpuinfo: Path = Path("/proc/cpuinfo"), refused: frozenset[str] = frozenset()) -> Obstacle | None:
    """Why the engine cannot be started in this process, or None; afterwards a library is imported.

    Only where the processor is old is the library tried in a child first, since that takes a moment. Packages that are
    ``refused`` are known not to run here, and are left alone.
    """
    probing = bool(os.environ.get(PROBE_VARIABLE))
    if not probing and lacks_avx2(cpuinfo) and _dies_of_an_instruction():
        return Obstacle(
            say("This computer's processor has no AVX2 instructions, which this build of the engine needs."),
            say(
                "Install a build for older processors, or run Slipstream from its source, which fits the engine to "
                "the processor."
            ),
        )
    there = [module for module, package in _ENGINES.items() if importlib.util.find_spec(package) is not None]
    there = [module for module in there if _ENGINES[module] not in refused] or there
    if sys.platform == "win32" and len(there) > 1:
        return None  # this process can hold only one of the two, and which is not settled yet
    failures = []
    for module in there or _ENGINES:
        try:
            importlib.import_module(module)
        except (ImportError, OSError, RuntimeError) as error:
            failures.append(str(error))
        else:
            return None
    return describe_import_failure(failures[0])


def lacks_avx2(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this is an x86 processor that is known to have no AVX2."""
    if sys.platform == "win32":
        import ctypes

        return not ctypes.windll.kernel32.IsProcessorFeaturePresent(_WINDOWS_AVX2)
    try:
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), None)
    return flags is not None and "avx2" not in flags


def describe_import_failure(reason: str) -> Obstacle:
    """In words, with the name of the library that is missing if the loader gave it."""
    missing = _MISSING.search(reason)
    if missing is None:
        words = " ".join(reason.split())[:200] or "it gives no reason"
        return Obstacle(
            say("The engine's library cannot be loaded: {reason}.", reason=words), say("Install the program again.")
        )
    name = missing.group(1)
    package = _PACKAGES.get(name)
    return Obstacle(
        say("The system library {name} is missing, which the engine needs.", name=name),
        say("Install it (on Debian and Ubuntu: {command}).", command=f"apt-get install {package}") if package
        else say("Install it."),
    )


def _dies_of_an_instruction() -> bool:
    """Start this same worker to try the library; whether the processor refuses it."""
    command = [sys.executable, *sys.orig_argv[1:]]
    try:
        ran = subprocess.run(
            command, env={**os.environ, PROBE_VARIABLE: "1"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=_PROBE_S, check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode in (-getattr(signal, "SIGILL", 4), _WINDOWS_ILLEGAL)
