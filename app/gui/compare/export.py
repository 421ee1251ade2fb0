"""Writes a report or a picture to a file that a person names; the ending of the name says as what."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QPoint, QRect, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QSizePolicy, QWidget

from app.compare.report import Report, as_csv, as_json, as_markdown
from app.errors import Code, SlipstreamError

FILTERS = {
    "md": "Markdown (*.md)", "csv": "CSV (*.csv)", "json": "JSON (*.json)", "png": "PNG (*.png)", "svg": "SVG (*.svg)",
}
_WRITERS = {"md": as_markdown, "csv": as_csv, "json": as_json}
_translate = QCoreApplication.translate


def write_report(report: Report, picture: QWidget, path: Path, form: str) -> None:
    """``form`` is a key of ``FILTERS``; ``picture`` is drawn for those that are pictures. Raises ``SlipstreamError``
    (``FILE``)."""
    if form in ("png", "svg"):
        write_picture(picture, path, form)
        return
    try:
        path.write_text(_WRITERS[form](report).rstrip("\n") + "\n", encoding="utf-8")
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, _translate("Compare", "The file “{path}” could not be written: {reason}.").format(
                path=path, reason=error.strerror or error),
            _translate("Compare", "Choose another folder."),
        ) from error


def write_picture(widget: QWidget, path: Path, form: str) -> None:
    """``widget`` as it looks now; ``form`` is ``png`` or ``svg``. Raises ``SlipstreamError`` (``FILE``)."""
    if form == "png":
        if not widget.grab().save(str(path), "PNG"):
            raise _picture_failed(path)
        return
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(), widget.size()))
    generator.setTitle("Slipstream")
    # In the units of the view box, as the widget counts.
    generator.setResolution(widget.logicalDpiX())
    painter = QPainter()
    if not painter.begin(generator):
        raise _picture_failed(path)
    _draw(widget, painter)
    painter.end()


def _picture_failed(path: Path) -> SlipstreamError:
    return SlipstreamError(
        Code.FILE, _translate("Compare", "The picture “{path}” could not be written.").format(path=path),
        _translate("Compare", "Choose another folder."),
    )


def _draw(widget: QWidget, painter: QPainter) -> None:
    """A widget draws its plots as pixels, so they are left out first and then drawn by themselves, as lines."""
    views = [view for view in widget.findChildren(QGraphicsView) if view.isVisibleTo(widget)]
    kept = [view.sizePolicy() for view in views]
    for view, policy in zip(views, kept, strict=True):
        staying = QSizePolicy(policy)
        staying.setRetainSizeWhenHidden(True)
        view.setSizePolicy(staying)
        view.hide()
    widget.render(painter, QPoint())
    for view, policy in zip(views, kept, strict=True):
        place = QRectF(QRect(view.mapTo(widget, QPoint()), view.size()))
        view.render(painter, place, view.viewport().rect())
        view.show()
        view.setSizePolicy(policy)
