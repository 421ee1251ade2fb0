"""What the worker process itself holds in memory."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys

import psutil

from app.records import MemoryFigures

if sys.platform != "win32":
    import resource


def measure_memory() -> MemoryFigures:
    info = psutil.Process().memory_info()
    if sys.platform == "win32":
        peak = int(info.peak_wset)
    else:
        # kilobytes on Linux, bytes on macOS
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return MemoryFigures(worker_rss_bytes=info.rss, worker_peak_rss_bytes=peak)


def give_back_memory() -> None:
    """Return to the system what loading has used and freed; glibc keeps it otherwise (malloc_trim(3))."""
    gc.collect()
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
