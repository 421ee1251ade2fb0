"""Formulas as outlines: asked of the helper process, kept, and drawn within the text of a document."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QBrush,
    QFontMetrics,
    QPainter,
    QPainterPath,
    QPen,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)

from app.gui.controllers.helper_process import HelperProcess
from app.gui.look.theme import TEXT_PX
from app.helper.messages import AnyReply, FormulaSet, SetFormula, Shape

PIXELS = 1.1 * TEXT_PX
OBJECT_TYPE = QTextFormat.ObjectTypes.UserObject.value + 1
NUMBER = QTextFormat.Property.UserProperty.value + 1
SOURCE = QTextFormat.Property.UserProperty.value + 2
_MOST_KEPT = 1_000
_DEADLINE_S = 3.0
_BATCH_MS = 60
_MOST_AT_ONCE = 8
_SINKS_PX = 6.0
"""What may hang below the baseline without needing room of its own: a line's descent and half its leading."""

Key = tuple[str, bool]
"""LaTeX source, and whether it stands on a line of its own."""


@dataclass(frozen=True)
class Formula:
    """Outlines in pixels, from a baseline that begins at (0, 0)."""

    filled: QPainterPath
    stroked: list[tuple[QPainterPath, float]]
    width: float
    ascent: float
    descent: float

    @property
    def sinks(self) -> bool:
        return self.descent <= _SINKS_PX


class Formulas(QObject):
    """Every formula is set once. ``find`` never waits: what is not known yet is announced by ``settled``."""

    settled = Signal(set)
    """``Key``s of formulas that were set or refused, some at a time."""

    def __init__(self, parent: QObject | None = None, helper: HelperProcess | None = None) -> None:
        super().__init__(parent)
        self._helper = helper or HelperProcess(self, newest_first=True)
        self._known: OrderedDict[Key, Formula | None] = OrderedDict()
        self._asked: set[Key] = set()
        self._news: list[Key] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_BATCH_MS)
        self._timer.timeout.connect(self._announce)

    def is_known(self, key: Key) -> bool:
        """Whether it was set or refused; if not, it is asked for."""
        if key in self._known:
            self._known.move_to_end(key)
            return True
        if key not in self._asked:
            self._asked.add(key)
            request = SetFormula(source=key[0], display=key[1], pixels=PIXELS)
            self._helper.ask(request, _DEADLINE_S, lambda reply: self._take(key, reply))
        return False

    def find(self, key: Key) -> Formula | None:
        """None for one that cannot be set, or is not known."""
        return self._known.get(key)

    def close(self) -> None:
        self._timer.stop()
        self._helper.close()

    def _take(self, key: Key, reply: AnyReply) -> None:
        self._asked.discard(key)
        self._known[key] = _make_formula(reply) if isinstance(reply, FormulaSet) else None
        while len(self._known) > _MOST_KEPT:
            self._known.popitem(last=False)
        self._news.append(key)
        if not self._timer.isActive():
            self._timer.start()

    def _announce(self) -> None:
        # Each one changes a document's layout, so a frame gets few of them.
        news, self._news = self._news[:_MOST_AT_ONCE], self._news[_MOST_AT_ONCE:]
        if self._news:
            self._timer.start()
        self.settled.emit(set(news))


class FormulaPainter(QPyTextObject):
    """Draws the formulas of one document; registers itself there."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._placed: dict[int, Formula] = {}
        document.documentLayout().registerHandler(OBJECT_TYPE, self)

    def clear(self) -> None:
        self._placed.clear()

    def make_format(self, formula: Formula, source: str, base: QTextCharFormat) -> QTextCharFormat:
        """The format of the one character that stands for ``formula``; ``source`` is what copying gives."""
        number = len(self._placed)
        self._placed[number] = formula
        made = QTextCharFormat(base)
        made.setObjectType(OBJECT_TYPE)
        made.setProperty(NUMBER, number)
        made.setProperty(SOURCE, source)
        made.setToolTip(source[:300])
        if not formula.sinks:
            made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        return made

    def intrinsicSize(self, document: QTextDocument, position: int, text_format: QTextFormat) -> QSizeF:
        formula = self._placed.get(int(text_format.property(NUMBER) or 0))
        if formula is None:
            return QSizeF(1, 1)
        scale = self._scale(formula, document)
        below = self._below(formula, scale, text_format)
        height = scale * formula.ascent if formula.sinks else 2 * below + self._half_x(text_format)
        return QSizeF(scale * formula.width, height)

    def drawObject(self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, position: int,
                   text_format: QTextFormat) -> None:
        formula = self._placed.get(int(text_format.property(NUMBER) or 0))
        if formula is None:
            return
        scale = self._scale(formula, document)
        baseline = rect.bottom() - (0.0 if formula.sinks else self._below(formula, scale, text_format))
        colour = text_format.foreground().color()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(QPointF(rect.left(), baseline))
        painter.scale(scale, scale)
        painter.fillPath(formula.filled, QBrush(colour))
        for path, width in formula.stroked:
            painter.strokePath(path, QPen(colour, width))
        painter.restore()

    @staticmethod
    def _scale(formula: Formula, document: QTextDocument) -> float:
        """Wide ones are made to fit."""
        room = document.textWidth() - 8
        return room / formula.width if 0 < room < formula.width else 1.0

    @classmethod
    def _below(cls, formula: Formula, scale: float, text_format: QTextFormat) -> float:
        """Height below the baseline of an object that Qt puts about the middle of the letters (``AlignMiddle``)."""
        return max(scale * formula.descent, scale * formula.ascent - cls._half_x(text_format))

    @staticmethod
    def _half_x(text_format: QTextFormat) -> float:
        return QFontMetrics(text_format.toCharFormat().font()).xHeight() / 2


def _make_formula(reply: FormulaSet) -> Formula:
    filled = QPainterPath()
    filled.setFillRule(Qt.FillRule.WindingFill)
    stroked: list[tuple[QPainterPath, float]] = []
    for shape in reply.shapes:
        if shape.stroke:
            path = QPainterPath()
            _draw(path, shape)
            stroked.append((path, shape.stroke))
        else:
            _draw(filled, shape)
    return Formula(filled, stroked, max(1.0, reply.width), max(1.0, reply.ascent), max(0.0, reply.descent))


def _draw(path: QPainterPath, shape: Shape) -> None:
    words = shape.path.split()
    index = 0
    while index < len(words):
        command = words[index]
        count = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}.get(command, 0)
        n = [float(word) for word in words[index + 1 : index + 1 + count]]
        index += 1 + count
        match command:
            case "M":
                path.moveTo(n[0], n[1])
            case "L":
                path.lineTo(n[0], n[1])
            case "Q":
                path.quadTo(n[0], n[1], n[2], n[3])
            case "C":
                path.cubicTo(n[0], n[1], n[2], n[3], n[4], n[5])
            case "Z":
                path.closeSubpath()
