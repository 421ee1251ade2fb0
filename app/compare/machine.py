"""What a measurement was made on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psutil

from app import __version__
from app.records import Record


class MachineFacts(Record, frozen=True, kw_only=True):
    processor: str
    physical_cores: int
    logical_cores: int
    usable_cores: int
    memory_bytes: int
    system: str
    python: str
    program: str
    engine: str


def describe_machine(engine: str) -> MachineFacts:
    """``engine`` is what the worker says of itself."""
    logical = os.cpu_count() or 1
    return MachineFacts(
        processor=_processor(), physical_cores=psutil.cpu_count(logical=False) or logical, logical_cores=logical,
        usable_cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else logical,
        memory_bytes=psutil.virtual_memory().total, system=platform.platform(), python=platform.python_version(),
        program=__version__, engine=engine,
    )


def _processor() -> str:
    """Python knows the processor's name on no Linux."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
