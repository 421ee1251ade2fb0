"""How many cores this process may use, counted as work that waits for its slowest thread needs it.

Sources: Linux ``/sys/devices/system/cpu/cpu*/topology``, ``/sys/devices/cpu_core/cpus`` (Intel processors with
performance and efficiency cores), ``cpu*/cpu_capacity`` (Arm), ``cpu.max`` and ``cpu.cfs_quota_us`` of control groups;
macOS ``hw.perflevel0.physicalcpu``; Windows ``GetLogicalProcessorInformationEx``.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

STRONG = 0.6
"""An Arm core of at least this share of the strongest one's capacity counts as a performance core."""
_CORE_RELATION = 0


@dataclass(frozen=True)
class Cores:
    """``all``: physical cores that this process may run on; ``strong``: those of them that are performance cores;
    ``limit``: how many cores' time a control group allows, 0 where none does."""

    all: int
    strong: int
    limit: float = 0.0

    @property
    def threads(self) -> int:
        """Threads with which a pass is fastest while nobody else works: one for each strong core, within the limit.

        A limit is met by pauses, so half a core more is worth a thread of its own.
        """
        allowed = int(self.limit + 0.5) if self.limit else self.strong
        return max(1, min(self.strong, allowed))


def count_cores(root: Path = Path("/")) -> Cores:
    """``root`` is where Linux' ``sys`` and ``proc`` lie."""
    if sys.platform == "linux":
        return count_linux(root, os.sched_getaffinity(0))
    physical = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    strong = _strong_on_windows() if sys.platform == "win32" else _strong_on_mac()
    return Cores(physical, min(strong or physical, physical))


def count_linux(root: Path, allowed: Iterable[int]) -> Cores:
    """``allowed``: the logical processors that this process may run on."""
    allowed = sorted(allowed)
    cores = {cpu: _siblings(root, cpu) for cpu in allowed}
    everything = set(cores.values())
    strong = {cores[cpu] for cpu in _strong_on_linux(root, allowed)}
    return Cores(len(everything), len(strong) or len(everything), cgroup_limit(root))


def _siblings(root: Path, cpu: int) -> frozenset[int]:
    """The logical processors that share a physical core with ``cpu``."""
    folder = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
    text = _read(folder / "core_cpus_list") or _read(folder / "thread_siblings_list")
    return frozenset(parse_cpu_list(text)) or frozenset({cpu})


def _strong_on_linux(root: Path, allowed: list[int]) -> list[int]:
    performance = set(parse_cpu_list(_read(root / "sys/devices/cpu_core/cpus")))
    if performance:
        return [cpu for cpu in allowed if cpu in performance]
    capacities = {cpu: _number(root / f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity") for cpu in allowed}
    best = max(capacities.values(), default=0.0)
    return [cpu for cpu in allowed if capacities[cpu] >= STRONG * best]


def parse_cpu_list(text: str) -> list[int]:
    """``0-3,8`` → [0, 1, 2, 3, 8]; what is no list gives nothing."""
    found: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal() and int(last or first) < 65_536:
            found += range(int(first), int(last or first) + 1)
    return found


def cgroup_limit(root: Path = Path("/")) -> float:
    """Cores' time that the process's control group, or one above it, allows; 0 for no limit."""
    limits = []
    for line in _read(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            limits += _limits(root / "sys/fs/cgroup", path, _limit_v2)
        elif "cpu" in controllers.split(","):
            limits += _limits(root / "sys/fs/cgroup/cpu", path, _limit_v1)
    return min(limits, default=0.0)


def _limits(mount: Path, path: str, read: Callable[[Path], float]) -> list[float]:
    """The limits from the group at ``path`` up to the top, and those that a container sees at the mount itself."""
    parts = [part for part in path.split("/") if part not in ("", "..")]
    folders = [mount.joinpath(*parts[:length]) for length in range(len(parts) + 1)]
    return [limit for folder in folders if (limit := read(folder)) > 0]


def _limit_v2(folder: Path) -> float:
    quota, _, period = _read(folder / "cpu.max").strip().partition(" ")
    return int(quota) / int(period) if quota.isdecimal() and period.isdecimal() and int(period) else 0.0


def _limit_v1(folder: Path) -> float:
    quota, period = _number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us")
    return quota / period if quota > 0 and period > 0 else 0.0


def _number(path: Path) -> float:
    try:
        return float(_read(path))
    except ValueError:
        return 0.0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _strong_on_mac() -> int:
    """Performance cores of an Apple processor; 0 where the system does not tell."""
    try:
        answer = subprocess.run(
            ["sysctl", "-n", "hw.perflevel0.physicalcpu"], capture_output=True, text=True, check=False
        )
    except OSError:
        return 0
    return int(answer.stdout) if answer.stdout.strip().isdecimal() else 0


def _strong_on_windows() -> int:
    if sys.platform != "win32":
        return 0
    ask = ctypes.windll.kernel32.GetLogicalProcessorInformationEx
    size = ctypes.c_ulong(0)
    ask(_CORE_RELATION, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    return count_strong_records(buffer.raw) if ask(_CORE_RELATION, buffer, ctypes.byref(size)) else 0


def count_strong_records(records: bytes) -> int:
    """Cores of the highest efficiency class among Windows' ``SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX`` records."""
    classes: list[int] = []
    place = 0
    while place + 10 <= len(records):
        relation, size, _flags, efficiency = struct.unpack_from("<IIBB", records, place)
        if size < 10:
            break
        if relation == _CORE_RELATION:
            classes.append(efficiency)
        place += size
    return classes.count(max(classes)) if classes else 0
