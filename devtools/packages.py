"""The locked packages, installed by uv with progress in one line: what it downloads is known to it alone."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from devtools.console import complain, duration_words, megabytes_words, moving

BEGUN = re.compile(r"^\s*Downloading (\S+) \(([\d.]+)([KMG])iB\)")
ARRIVED = re.compile(r"^\s*Downloaded (\S+)")
ROUTINE = re.compile(
    r"^\s*(?:(?:Downloading|Downloaded|Building|Built|Prepared|Installed|Uninstalled|Audited|Resolved)\b|[-+~] )"
)
"""Lines that say nothing of a failure."""
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Downloads:
    """What uv has announced and what has arrived, by the lines it prints. It names files of over 1 MiB alone."""

    def __init__(self) -> None:
        self._sizes: dict[str, float] = {}
        self._arrived: set[str] = set()
        self._started = time.monotonic()
        self._told = self._started

    def read(self, line: str) -> None:
        if begun := BEGUN.match(line):
            self._sizes[begun[1]] = float(begun[2]) * UNITS[begun[3]]
        elif (arrived := ARRIVED.match(line)) and arrived[1] in self._sizes:
            self._arrived.add(arrived[1])
            self._told = time.monotonic()

    def words(self) -> str:
        """``57 of 148 MB, about 0:20 left``; "" while nothing is being downloaded."""
        # The reader adds names meanwhile.
        sizes, arrived = dict(self._sizes), set(self._arrived)
        total, done = sum(sizes.values()), sum(sizes[name] for name in arrived)
        if done >= total:
            return ""
        amount = f"{done / 1e6:,.0f} of {megabytes_words(total)}"
        if not done:
            return amount
        rate = done / max(self._told - self._started, 0.1)
        left_s = (total - done) / rate - (time.monotonic() - self._told)
        return f"{amount}, about {duration_words(left_s)} left" if left_s > 0 else amount


def install(text: str, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> int:
    """Run uv's ``command`` in ``folder`` under the words ``text``. Returns its exit status; what it says of a failure
    stands in the terminal then."""
    downloads = Downloads()
    said: list[str] = []
    with (
        moving(text, downloads.words),
        subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, encoding="utf-8", errors="replace") as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                downloads.read(line)
                if not ROUTINE.match(line):
                    said.append(line.rstrip())
        except KeyboardInterrupt:
            process.terminate()
            raise
    if process.returncode != 0:
        complain("\n".join(said))
    return process.returncode
