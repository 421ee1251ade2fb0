"""How a row is drawn when there is little room."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.gui.look.theme import read_colours
from app.gui.models.lists import ModelList, ModelRow

LIGHT = read_colours("light")
TITLE = "Qwen2.5-Coder 0.5B Instruct"
TITLE_LINE = QRect(0, 8, 240, 16)


def draw(qtbot: QtBot, row: ModelRow, width: int = 260) -> QImage:
    listing = ModelList(LIGHT)
    qtbot.addWidget(listing)
    listing.resize(width, 120)
    listing.show_rows([row], None)
    listing.show()
    qtbot.waitExposed(listing)
    return listing.viewport().grab().toImage()


def test_a_badge_makes_room_for_a_title_that_tells_models_apart(qtbot: QtBot) -> None:
    """“Qwen2.5-Co…Instruct” would be said of the model of 0.5 and of 1.5 thousand million parameters."""
    plain = draw(qtbot, ModelRow("a", TITLE, "494M", title_first=True))
    with_badge = draw(qtbot, ModelRow("a", TITLE, "494M", "too large here", title_first=True))
    assert with_badge.copy(TITLE_LINE) == plain.copy(TITLE_LINE)
    assert with_badge != plain, "the badge is drawn below"
    other = draw(qtbot, ModelRow("a", TITLE.replace("0.5", "1.5"), "494M", "too large here", title_first=True))
    assert other.copy(TITLE_LINE) != with_badge.copy(TITLE_LINE)


def test_a_badge_stands_beside_a_title_that_leaves_room(qtbot: QtBot) -> None:
    below = QRect(0, 28, 260, 92)
    plain = draw(qtbot, ModelRow("a", "Qwen3 8B", "8.2B", title_first=True))
    with_badge = draw(qtbot, ModelRow("a", "Qwen3 8B", "8.2B", "here", title_first=True))
    assert with_badge.copy(below) == plain.copy(below)
    assert with_badge.copy(QRect(0, 0, 260, 28)) != plain.copy(QRect(0, 0, 260, 28))


def test_details_beside_a_badge_are_not_drawn_over(qtbot: QtBot) -> None:
    """They take another line instead."""
    long = "33B · 19.9 GB · a licence with a long name"
    plain = ModelList(LIGHT)
    crowded = ModelList(LIGHT)
    for listing, badge in ((plain, ""), (crowded, "too large here")):
        qtbot.addWidget(listing)
        listing.resize(260, 120)
        listing.show_rows([ModelRow("a", TITLE, long, badge, title_first=True)], None)
        listing.show()
        qtbot.waitExposed(listing)
    assert crowded.sizeHintForRow(0) > plain.sizeHintForRow(0)


def test_the_chosen_row_is_in_sight(qtbot: QtBot) -> None:
    """Also where the list is longer than its place; a person's own scrolling stays when it is filled anew."""
    listing = ModelList(LIGHT)
    qtbot.addWidget(listing)
    listing.resize(260, 120)
    listing.show()
    qtbot.waitExposed(listing)
    rows = [ModelRow(str(number), f"Model {number}", "1 GB") for number in range(20)]
    listing.show_rows(rows, "15")
    assert listing.viewport().rect().intersects(listing.visualItemRect(listing.item(15)))
    listing.verticalScrollBar().setValue(0)
    listing.show_rows([*rows, ModelRow("20", "Model 20", "1 GB")], "15")
    assert listing.verticalScrollBar().value() == 0
    listing.look_at("20")
    assert listing.viewport().rect().intersects(listing.visualItemRect(listing.item(20)))
