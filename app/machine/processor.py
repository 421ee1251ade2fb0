"""What this processor can do, as a text that differs between processors for which a native library differs."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def processor_features(cpuinfo: Path = CPUINFO) -> str:
    """A text that differs between processors for which a native build differs."""
    try:
        # no further than the first processor's: with hundreds of them the whole file takes the system a while
        with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    return " ".join(sorted(value.split()))
    except OSError:
        pass  # there is no such file on this system
    if sys.platform == "darwin":
        answer = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False
        )
        return answer.stdout.strip()
    return os.environ.get("PROCESSOR_IDENTIFIER", "") or platform.processor()

