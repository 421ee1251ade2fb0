"""How far a build beside the window is: one small file that the set-up writes and the window reads.

Standard library only: ``dev.py`` uses it too.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, get_args

from app.files import write_whole
from app.sentences import as_record, sentence_of

VARIABLE = "SLIPSTREAM_BUILDING"
"""The environment variable that names the file to a window that runs beside a build."""
FILE_NAME = "building.json"
RESTART_STATUS = 79
"""Exit status of a window that asks whoever started it to start it again."""
Stage = Literal[
    "starting", "fetching source", "building", "trying it on this processor", "installing", "done", "failed"
]
STAGES: tuple[Stage, ...] = get_args(Stage)
_MOST_BYTES = 64 * 1024
_LARGEST_PID = 2**31 - 1


@dataclass(frozen=True)
class Building:
    """``fraction`` (0 to 1) is of the whole, ``left_s`` the seconds left or None where nobody knows them, ``pid`` the
    process that builds, ``written_at`` Unix seconds; ``reason`` and ``hint`` say what went wrong, ``log`` where the
    whole story is."""

    stage: Stage
    fraction: float = 0.0
    left_s: float | None = None
    pid: int = 0
    written_at: float = field(default_factory=time.time)
    reason: str = ""
    hint: str = ""
    log: str = ""

    @property
    def is_over(self) -> bool:
        return self.stage in ("done", "failed")


def write(file: Path, building: Building) -> None:
    """Replace ``file`` as a whole, so that nobody reads half of it. Raises ``OSError``."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(_fields(building), indent=1).encode(), lasting=False)


def _fields(building: Building) -> dict[str, object]:
    return asdict(building) | {"reason": as_record(building.reason), "hint": as_record(building.hint)}


def read(file: Path) -> Building | None:
    """What the file says; None where there is none, or none that makes sense."""
    try:
        with file.open("rb") as opened:
            found = json.loads(opened.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("stage") not in STAGES:
        return None
    fraction, left_s, pid = _number(found, "fraction"), _number(found, "left_s"), found.get("pid")
    if fraction is None or not isinstance(pid, int) or not 0 <= pid <= _LARGEST_PID:
        return None
    return Building(
        stage=found["stage"], fraction=min(1.0, max(0.0, fraction)),
        left_s=None if left_s is None else max(0.0, left_s), pid=pid,
        written_at=_number(found, "written_at") or 0.0,
        reason=_sentence(found, "reason"), hint=_sentence(found, "hint"), log=_text(found, "log"),
    )


def is_alive(pid: int) -> bool:
    """Whether a process of this number runs."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """``os.kill`` would end the process there."""
    if sys.platform != "win32":
        return False
    import ctypes

    query_limited_information, still_active = 0x1000, 259
    kernel = ctypes.windll.kernel32
    handle = kernel.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return False
    status = ctypes.c_ulong()
    known = kernel.GetExitCodeProcess(handle, ctypes.byref(status))
    kernel.CloseHandle(handle)
    return bool(known) and status.value == still_active


def _number(found: Mapping[str, object], name: str) -> float | None:
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def _sentence(found: Mapping[str, object], name: str) -> str:
    try:
        return sentence_of(found.get(name))
    except ValueError:
        return ""


def _text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""
