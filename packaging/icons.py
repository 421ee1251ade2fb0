"""The icon as Windows and macOS want it, drawn from the one that is kept as SVG. Used by ``slipstream.spec``."""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
ICNS_TYPES = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09", 1024: b"ic10"}
"""Side in pixels and the name of the element that holds a PNG of it."""


def draw_png(svg: Path, side: int) -> bytes:
    """The drawing as a PNG of ``side`` × ``side`` pixels."""
    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter)
    painter.end()
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(content.data())


def make_ico(svg: Path, place: Path) -> Path:
    """Windows' icon: a table of pictures, each a PNG. Returns ``place``."""
    pictures = [draw_png(svg, side) for side in ICO_SIZES]
    offset = 6 + 16 * len(pictures)
    table = struct.pack("<HHH", 0, 1, len(pictures))
    for side, picture in zip(ICO_SIZES, pictures, strict=True):
        table += struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(table + b"".join(pictures))
    return place


def make_icns(svg: Path, place: Path) -> Path:
    """macOS's icon: named elements, each a PNG. Returns ``place``."""
    elements = b""
    for side, name in ICNS_TYPES.items():
        picture = draw_png(svg, side)
        elements += name + struct.pack(">I", 8 + len(picture)) + picture
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"icns" + struct.pack(">I", 8 + len(elements)) + elements)
    return place
