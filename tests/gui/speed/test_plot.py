"""The live plot by its pixels: what is drawn little by little is what is drawn at once."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent
from pytestqt.qtbot import QtBot

from app.chat.speed_series import SpeedSeries
from app.gui.look.theme import read_colours
from app.gui.speed.plot import SpeedPlot
from app.protocol import Chunk

COLOURS = read_colours("light")


def grow(series: SpeedSeries, until_s: float, drafted: bool = True) -> None:
    at = series.times_s[-1] if series.times_s else 0.0
    while at < until_s:
        at += 0.1
        series.add(Chunk(request_id=1, pieces=[], num_draft_tokens=4 if drafted else 0,
                         num_accepted_draft_tokens=2 if drafted else 0, step_tokens=3, step_s=0.1,
                         emitted_tokens=round(at * 30), decode_s=at))


def picture(plot: SpeedPlot) -> QImage:
    return plot.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def count(image: QImage, colour: str, rows: range) -> int:
    wanted = QColor(colour).rgb()
    return sum(image.pixel(x, y) == wanted for x in range(46, image.width() - 18) for y in rows)


def make(qtbot: QtBot) -> SpeedPlot:
    plot = SpeedPlot(COLOURS)
    plot.resize(268, plot.height())
    qtbot.addWidget(plot)
    plot.show()
    return plot


def test_what_grows_looks_like_what_is_whole(qtbot: QtBot) -> None:
    growing, whole = make(qtbot), make(qtbot)
    series = SpeedSeries()
    for until in (1, 2, 4, 8):
        grow(series, until)
        growing.show_series(series, 20.0)
        picture(growing)
    whole.show_series(series, 20.0)
    ours, theirs = picture(growing), picture(whole)
    upper, lower = range(24, 120), range(150, 205)
    assert count(theirs, COLOURS.plot_a, upper) > 100
    assert abs(count(ours, COLOURS.plot_a, upper) - count(theirs, COLOURS.plot_a, upper)) < 20
    assert count(theirs, COLOURS.plot_acceptance, lower) > 100
    another = SpeedSeries()
    grow(another, 1, drafted=False)
    growing.show_series(another, 0.0)
    ours = picture(growing)
    assert 0 < count(ours, COLOURS.plot_a, upper) < 100
    assert count(ours, COLOURS.plot_acceptance, lower) == 0


def test_hover_says_the_values(qtbot: QtBot) -> None:
    plot = make(qtbot)
    series = SpeedSeries()
    grow(series, 5)
    plot.show_series(series, 0.0)
    picture(plot)
    said: list[str] = []
    plot.hovered.connect(said.append)
    for x in (38 + 107, 5):
        move = QMouseEvent(QMouseEvent.Type.MouseMove, QPointF(x, 60), QPointF(x, 60), Qt.MouseButton.NoButton,
                           Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier)
        plot.mouseMoveEvent(move)
    assert said[0].startswith(("at 5.0 s: 30.0 tokens/s", "at 4.9 s", "at 5.1 s"))
    assert said[0].endswith("50% accepted")
    assert said[1] == ""
