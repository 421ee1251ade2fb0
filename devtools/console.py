"""What ``dev.py`` says: plain lines, and progress that fits a terminal as well as a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO


def say(text: str) -> None:
    """Print one line at once, so that it stands before what a child process prints."""
    print(text, flush=True)


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def duration_words(seconds: float) -> str:
    """``75`` → ``1:15``; minutes and seconds, as a person reads a clock."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def megabytes_words(count_bytes: float) -> str:
    return f"{count_bytes / 1e6:,.0f} MB"


class Progress:
    """A line that is rewritten on a terminal, and a new line at every quarter elsewhere.

    ``total`` and what ``update`` is given are in the same unit: bytes (``unit="MB"``) or pieces (any other unit).
    """

    def __init__(self, label: str, total: int, unit: str = "MB", stream: TextIO | None = None) -> None:
        self._label = label
        self._total = total
        self._unit = unit
        self._stream = stream if stream is not None else sys.stdout
        self._live = self._stream.isatty()
        self._started = time.monotonic()
        self._began_at: int | None = None
        self._shown_at = 0.0
        self._quarter = -1
        self._width = 0

    def update(self, done: int) -> None:
        """Show that ``done`` of the total is there."""
        now = time.monotonic()
        if self._began_at is None:
            self._began_at = done
        if self._live:
            if now - self._shown_at >= 0.1 or done >= self._total:
                self._shown_at = now
                text = self._line(done, now)
                self._stream.write("\r" + text.ljust(self._width))
                self._stream.flush()
                self._width = len(text)
            return
        quarter = done * 4 // self._total if self._total else 0
        if quarter > self._quarter:
            self._quarter = quarter
            self._stream.write(self._line(done, now) + "\n")
            self._stream.flush()

    def after(self, before: int) -> Callable[[int], None]:
        """``update`` for a piece that comes after ``before`` of the total."""
        return lambda done: self.update(before + done)

    def end(self) -> None:
        """Leave the line standing and go to the next one."""
        if self._live and self._width:
            self._stream.write("\n")
            self._stream.flush()

    def _line(self, done: int, now: float) -> str:
        share = done / self._total if self._total else 0.0
        gone = now - self._started
        fresh = done - (self._began_at or 0)
        left = (self._total - done) * gone / fresh if fresh > 0 else 0.0
        if self._unit == "MB":
            amount = f"{done / 1e6:,.0f} of {self._total / 1e6:,.0f} MB"
            speed = f", {fresh / gone / 1e6:.0f} MB/s" if gone > 0.5 and fresh > 0 else ""
        else:
            amount = f"{done} of {self._total} {self._unit}"
            speed = ""
        if done >= self._total:
            return f"  {self._label}: {amount} in {duration_words(gone)}"
        remaining = f", about {duration_words(left)} left" if gone > 2 and fresh > 0 else ""
        return f"  {self._label}: {amount} ({share:.0%}{speed}{remaining})"
