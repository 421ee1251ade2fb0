"""The program's log: a small rotating file that only its owner can read. It never holds prompts or answers."""

from __future__ import annotations

import logging
import logging.handlers
import os
from pathlib import Path

_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_FILE_BYTES = 1_000_000
_FILES = 2


class _PrivateFile(logging.handlers.RotatingFileHandler):
    def _open(self):  # type: ignore[no-untyped-def]
        stream = super()._open()
        os.chmod(self.baseFilename, 0o600)
        return stream


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
    handler.setFormatter(logging.Formatter(_FORMAT))
    logger.addHandler(handler)
    return folder / f"{name}.log"


def stop_logging() -> None:
    """Close what ``start_logging`` opened."""
    logger = logging.getLogger("slipstream")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate = True
