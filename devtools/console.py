"""What ``dev.py`` says: plain lines, and progress that fits a terminal as well as a log file."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

PATIENCE_S = 2.0
"""What takes longer shows that it is going on."""
TICK_S = 0.5
LOG_EVERY_S = 60.0
"""Between two lines about the same step where no line can be rewritten."""


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


class Line:
    """A line that can be written again where the stream is a terminal; ``is_live`` says whether it is."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdout
        self.is_live = self._stream.isatty()
        self._width = 0

    def rewrite(self, text: str) -> None:
        # A line that wraps could not be written over.
        shown = text[: max(20, shutil.get_terminal_size().columns - 1)]
        self._stream.write("\r" + shown.ljust(self._width))
        self._stream.flush()
        self._width = len(shown)

    def write(self, text: str) -> None:
        """A line of its own."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def end(self) -> None:
        """Leave the line standing and go to the next one."""
        if self.is_live and self._width:
            self.write("")
        self._width = 0


@contextmanager
def moving(text: str, detail: Callable[[], str] = lambda: "", at_once: bool = True, stream: TextIO | None = None
           ) -> Iterator[None]:
    """Say what is being done and, when it takes longer, for how long already and what ``detail`` knows.

    On a terminal the line is written again and again; elsewhere a line a minute follows it. Without ``at_once``
    nothing is said of what is over soon.
    """
    line = Line(stream)
    if at_once:
        (line.rewrite if line.is_live else line.write)(text)
    started = time.monotonic()
    over = threading.Event()
    ticker = threading.Thread(target=_tick, args=(line, text, detail, started, over), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        over.set()
        ticker.join()
        gone = time.monotonic() - started
        if gone >= PATIENCE_S:
            (line.rewrite if line.is_live else line.write)(f"{text} {duration_words(gone)}")
        line.end()


def _tick(line: Line, text: str, detail: Callable[[], str], started: float, over: threading.Event) -> None:
    told = started
    while not over.wait(TICK_S):
        now = time.monotonic()
        words = f"{text} {', '.join(filter(None, [duration_words(now - started), detail()]))}"
        if line.is_live and now - started >= PATIENCE_S:
            line.rewrite(words)
        elif not line.is_live and now - told >= LOG_EVERY_S:
            told = now
            line.write(words)


class Progress:
    """A line that is rewritten on a terminal, and a new line at every quarter elsewhere.

    ``total`` and what ``update`` is given are in the same unit: bytes (``unit="MB"``) or pieces (any other unit).
    ``watch`` is told with every update the share that is done (0 to 1) and the seconds left, None while unknown.
    """

    def __init__(self, label: str, total: int, unit: str = "MB", stream: TextIO | None = None,
                 watch: Callable[[float, float | None], None] = lambda share, left_s: None) -> None:
        self._label = label
        self._total = total
        self._unit = unit
        self._line = Line(stream)
        self._watch = watch
        self._started = time.monotonic()
        self._began_at: int | None = None
        self._shown_at = 0.0
        self._quarter = -1

    def update(self, done: int) -> None:
        """Show that ``done`` of the total is there."""
        now = time.monotonic()
        if self._began_at is None:
            self._began_at = done
        self._watch(done / self._total if self._total else 0.0, self._left_s(done, now))
        if self._line.is_live:
            if now - self._shown_at >= 0.1 or done >= self._total:
                self._shown_at = now
                self._line.rewrite(self._words(done, now))
            return
        quarter = done * 4 // self._total if self._total else 0
        if quarter > self._quarter:
            self._quarter = quarter
            self._line.write(self._words(done, now))

    def after(self, before: int) -> Callable[[int], None]:
        """``update`` for a piece that comes after ``before`` of the total."""
        return lambda done: self.update(before + done)

    def end(self) -> None:
        """Leave the line standing and go to the next one."""
        self._line.end()

    def _left_s(self, done: int, now: float) -> float | None:
        gone = now - self._started
        fresh = done - (self._began_at or 0)
        return (self._total - done) * gone / fresh if gone > 2 and fresh > 0 else None

    def _words(self, done: int, now: float) -> str:
        share = done / self._total if self._total else 0.0
        gone = now - self._started
        fresh = done - (self._began_at or 0)
        if self._unit == "MB":
            amount = f"{done / 1e6:,.0f} of {self._total / 1e6:,.0f} MB"
            speed = f", {fresh / gone / 1e6:.0f} MB/s" if gone > 0.5 and fresh > 0 else ""
        else:
            amount = f"{done} of {self._total} {self._unit}"
            speed = ""
        if done >= self._total:
            return f"  {self._label}: {amount} in {duration_words(gone)}"
        left_s = self._left_s(done, now)
        remaining = "" if left_s is None else f", about {duration_words(left_s)} left"
        return f"  {self._label}: {amount} ({share:.0%}{speed}{remaining})"
