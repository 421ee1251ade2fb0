"""What this machine has: free memory, and which weight types the engine repacks for its processor."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import psutil

_V1_NO_LIMIT = 2**60

_REPACKED_AVX2 = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})
_REPACKED_AVX512 = _REPACKED_AVX2 | {"Q2_K"}
_REPACKED_AMX = frozenset({"Q4_0", "Q4_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "IQ4_XS"})
_REPACKED_NEON = frozenset({"Q4_0", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "MXFP4", "Q8_0"})


@dataclass(frozen=True)
class HostMemory:
    """``free_bytes`` can be taken without swapping; ``limited``: a control group allows less than there is."""

    free_bytes: int
    total_bytes: int
    limited: bool = False


def free_memory(root: Path = Path("/")) -> HostMemory:
    """Memory that a new process could take: the system's free and reclaimable memory, or what the control group of
    this process (container, service) leaves of its limit, whichever is less. ``root`` is for tests."""
    system = psutil.virtual_memory()
    free, total, limited = int(system.available), int(system.total), False
    if sys.platform.startswith("linux"):
        for limit, used in _read_limits(root):
            if limit < total:
                total, limited = limit, True
            free = min(free, max(limit - used, 0))
    return HostMemory(free, total, limited)


@dataclass(frozen=True)
class HeldMemory:
    """``resident_bytes`` of a process, and by how much its end adds to ``HostMemory.free_bytes``."""

    resident_bytes: int
    returned_bytes: int


def held_memory(pid: int, limited: bool = False) -> HeldMemory:
    """What the process holds; zeros when there is none. Pages of mapped files count as free already on Linux, except
    where a control group's limit is what counts (``limited``)."""
    try:
        info = psutil.Process(pid).memory_info()
    except psutil.Error:
        return HeldMemory(0, 0)
    resident = int(info.rss)
    mapped = int(info.shared) if sys.platform.startswith("linux") and not limited else 0
    return HeldMemory(resident, max(resident - mapped, 0))


def has_one_memory() -> bool:
    """Whether graphics has no memory of its own, although ggml calls it a card: so it is with Apple's processors."""
    return sys.platform == "darwin" and platform.machine() == "arm64"


def total_memory() -> int:
    """Bytes of main memory in this machine."""
    return int(psutil.virtual_memory().total)


def _read_limits(root: Path) -> list[tuple[int, int]]:
    """(limit, used without reclaimable file cache) of the control groups above this process, versions 2 and 1."""
    found: list[tuple[int, int]] = []
    for folder in _group_folders(root):
        limit = _read_number(folder / "memory.max") or _read_number(folder / "memory.limit_in_bytes")
        used = _read_number(folder / "memory.current") or _read_number(folder / "memory.usage_in_bytes")
        if limit and used is not None and limit < _V1_NO_LIMIT:
            found.append((limit, max(used - _read_reclaimable(folder / "memory.stat"), 0)))
    return found


def _group_folders(root: Path) -> list[Path]:
    text = _read_text(root / "proc/self/cgroup")
    folders: list[Path] = []
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        mount = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        place = mount / path.strip().lstrip("/")
        while place != mount and mount in place.parents:
            folders.append(place)
            place = place.parent
        folders.append(mount)
    return folders


def _read_reclaimable(path: Path) -> int:
    values = dict(line.split(" ", 1) for line in _read_text(path).splitlines() if " " in line)
    for key in ("inactive_file", "total_inactive_file"):
        if values.get(key, "").strip().isdigit():
            return int(values[key])
    return 0


def _read_number(path: Path) -> int | None:
    text = _read_text(path).strip()
    return int(text) if text.isdigit() else None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


@lru_cache(maxsize=1)
def repacked_types() -> frozenset[str]:
    """Weight types of which llama.cpp makes a second, rearranged copy when it computes on this processor.

    Source: ``ggml_repack_get_optimal_repack_type`` in ggml-cpu/repack.cpp, ``qtype_has_amx_kernels`` in ggml-cpu/amx.
    """
    machine = platform.machine().lower()
    if machine in {"arm64", "aarch64"}:
        return _REPACKED_NEON
    if machine not in {"x86_64", "amd64"}:
        return frozenset()
    if not sys.platform.startswith("linux"):
        return _REPACKED_AVX2
    flags = _read_cpu_flags()
    if {"amx_int8", "avx512_vnni"} <= flags:
        return _REPACKED_AMX | _REPACKED_AVX512
    if "avx512f" in flags:
        return _REPACKED_AVX512
    return _REPACKED_AVX2 if "avx2" in flags else frozenset()


def _read_cpu_flags() -> set[str]:
    for line in _read_text(Path("/proc/cpuinfo")).splitlines():
        if line.startswith("flags"):
            return set(line.partition(":")[2].split())
    return set()
