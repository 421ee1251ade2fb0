"""Writes a report to a file that a person names; the ending of the name says as what."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QPixmap

from app.compare.report import Report, as_csv, as_json, as_markdown
from app.errors import Code, SlipstreamError

FILTERS = {
    "md": "Markdown (*.md)", "csv": "CSV (*.csv)", "json": "JSON (*.json)", "png": "PNG (*.png)",
}
_WRITERS = {"md": as_markdown, "csv": as_csv, "json": as_json}


def write_report(report: Report, picture: QPixmap, path: Path, form: str) -> None:
    """``form`` is a key of ``FILTERS``. Raises ``SlipstreamError`` (``FILE``)."""
    if form == "png":
        if not picture.save(str(path), "PNG"):
            raise SlipstreamError(Code.FILE, f"The picture “{path}” could not be written.", "Choose another folder.")
        return
    try:
        path.write_text(_WRITERS[form](report).rstrip("\n") + "\n", encoding="utf-8")
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, f"The file “{path}” could not be written: {error.strerror or error}.", "Choose another folder."
        ) from error
