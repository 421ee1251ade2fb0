"""The program's log: a small rotating file that only its owner can read. It never holds prompts or answers."""

from __future__ import annotations

import logging
import logging.handlers
import os
import traceback
from collections import deque
from pathlib import Path
from types import TracebackType

_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_FILE_BYTES = 1_000_000
_FILES = 2
_MOST_FRAMES = 40
_MOST_CAUSES = 5
_NAMING = (AttributeError, ImportError, NameError, TypeError, RuntimeError, ArithmeticError)
"""Errors whose words are names of our own, not values."""
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _PrivateFile(logging.handlers.RotatingFileHandler):
    def _open(self):  # type: ignore[no-untyped-def]
        # Made with these rights, not given them afterwards.
        os.close(os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        os.chmod(self.baseFilename, 0o600)
        return super()._open()


class _Formatter(logging.Formatter):
    def formatException(self, ei: _ExcInfo) -> str:
        return describe_error(ei[1]) if ei[1] is not None else ""


def describe_error(error: BaseException) -> str:
    """Where ``error`` came from: kinds, files and lines. Words that may quote a person or a model are left out."""
    lines: list[str] = []
    current: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if current is None:
            break
        kind = type(current)
        reason = (current.strerror or "") if isinstance(current, OSError) else ""
        if isinstance(current, _NAMING):
            reason = " ".join(str(current).split())[:200]
        lines.append(f"{kind.__module__}.{kind.__qualname__}" + (f" ({reason})" if reason else ""))
        for frame in traceback.extract_tb(current.__traceback__)[-_MOST_FRAMES:]:
            lines.append(f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}')
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\n".join(lines)


def start_logging(folder: Path, name: str, level: int = logging.INFO) -> Path | None:
    """Send what the program logs to ``folder/name.log`` and nothing to the terminal.

    Returns the file, or None where it cannot be written: a program without a log is still a program.
    """
    logger = logging.getLogger("slipstream")
    stop_logging()
    logger.setLevel(level)
    logger.propagate = False
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler: logging.Handler = _PrivateFile(
            folder / f"{name}.log", maxBytes=_FILE_BYTES, backupCount=_FILES, encoding="utf-8", delay=False
        )
    except OSError:
        logger.addHandler(logging.NullHandler())
        return None
    handler.setFormatter(_Formatter(_FORMAT))
    # A disk that fills up must not print tracebacks on a person's terminal.
    handler.handleError = _ignore  # type: ignore[method-assign]
    logger.addHandler(handler)
    return folder / f"{name}.log"


def stop_logging() -> None:
    """Close what ``start_logging`` opened."""
    logger = logging.getLogger("slipstream")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate = True


def last_lines(folder: Path, name: str, count: int) -> list[str]:
    """The last ``count`` lines of ``folder/name.log``, [] where there is none."""
    try:
        with (folder / f"{name}.log").open(encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in deque(file, count)]
    except OSError:
        return []


def _ignore(record: logging.LogRecord) -> None:
    """In the place of ``Handler.handleError``."""
