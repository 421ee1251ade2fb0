"""The conversations at the left, without a chat and without a file."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.chat.store import Summary
from app.gui.chat.conversation_list import ConversationList
from app.gui.look.theme import read_colours

BREAD = Summary(id="b", title="Bread", updated_s=3.0)
SOUP = Summary(id="s", title="Soup", updated_s=2.0, folder="Kitchen")
PINNED = Summary(id="p", title="Pinned", updated_s=1.0, pinned=True, folder="Kitchen")


@pytest.fixture
def listing(qtbot: QtBot) -> ConversationList:
    made = ConversationList(read_colours("light"))
    qtbot.addWidget(made)
    made.resize(260, 600)
    made.show()
    return made


def texts(listing: ConversationList) -> list[str]:
    """What a screen reader is told of each row."""
    items = [listing.list.item(row) for row in range(listing.list.count())]
    return [str(item.data(Qt.ItemDataRole.AccessibleTextRole)) for item in items]


def click(listing: ConversationList, qtbot: QtBot, row: int) -> None:
    place = listing.list.visualItemRect(listing.list.item(row)).center()
    qtbot.mouseClick(listing.list.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_without_folders_the_rows_are_as_they_came(listing: ConversationList) -> None:
    untitled = Summary(id="n", title="", updated_s=1.0)
    listing.show_summaries([BREAD, untitled], "")
    assert texts(listing) == ["Bread", "New chat"]
    assert listing.empty.isHidden()


def test_pinned_ones_then_folders_then_the_others(listing: ConversationList, qtbot: QtBot) -> None:
    listing.show_summaries([PINNED, BREAD, SOUP], "")
    assert texts(listing) == ["Pinned", "Folder Kitchen (1), open", "Soup", "Other conversations", "Bread"]
    click(listing, qtbot, 1)
    assert texts(listing) == ["Pinned", "Folder Kitchen (1), folded", "Other conversations", "Bread"]
    click(listing, qtbot, 1)
    assert [each.id for each in listing.summaries()] == ["p", "s", "b"]


def test_a_search_shows_no_folders_and_says_when_nothing_is_found(listing: ConversationList) -> None:
    listing.search.setText("so")
    listing.show_summaries([SOUP], "so")
    assert texts(listing) == ["Soup"]
    listing.show_summaries([], "so")
    assert "Nothing found" in listing.empty.text()
    listing.search.clear()
    listing.show_summaries([], "")
    assert "will be listed here" in listing.empty.text()
    assert not listing.empty.isHidden()


def test_a_list_that_was_overtaken_is_not_shown(listing: ConversationList) -> None:
    listing.show_summaries([BREAD], "")
    listing.search.setText("new words")
    listing.show_summaries([SOUP], "old words")
    assert texts(listing) == ["Bread"]


def test_what_is_typed_is_searched_after_a_pause(listing: ConversationList, qtbot: QtBot) -> None:
    asked: list[str] = []
    listing.search_changed.connect(asked.append)
    qtbot.keyClicks(listing.search, " soup ")
    qtbot.waitUntil(lambda: bool(asked))
    assert asked[-1] == "soup"


def test_a_click_opens_and_the_current_one_is_marked(listing: ConversationList, qtbot: QtBot) -> None:
    opened: list[str] = []
    listing.open_requested.connect(opened.append)
    listing.show_summaries([BREAD, Summary(id="c", title="Cake", updated_s=1.0)], "")
    click(listing, qtbot, 1)
    assert opened == ["c"]
    listing.show_current("c")
    assert listing.list.currentRow() == 1
    listing.show_summaries([BREAD, Summary(id="c", title="Cake", updated_s=1.0)], "")
    assert listing.list.currentRow() == 1, "also after the list was made anew"
    listing.show_current("none of them")
    assert listing.list.currentRow() == -1
    assert opened == ["c"], "marking opens nothing"


def test_delete_asks_and_can_be_undone(listing: ConversationList, qtbot: QtBot) -> None:
    deleted: list[str] = []
    restored: list[str] = []
    listing.deleted.connect(deleted.append)
    listing.restored.connect(restored.append)
    listing.show_summaries([BREAD], "")
    listing.list.setCurrentRow(0)
    qtbot.keyClick(listing.list, Qt.Key.Key_Delete)
    box = listing.findChild(QMessageBox)
    assert deleted == []
    delete, = [each for each in box.buttons() if box.buttonRole(each) is QMessageBox.ButtonRole.DestructiveRole]
    qtbot.mouseClick(delete, Qt.MouseButton.LeftButton)
    assert deleted == ["b"]
    qtbot.mouseClick(listing.undo, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(listing.undo, Qt.MouseButton.LeftButton)
    assert restored == ["b"]
    assert not listing.undo.isVisible()


def test_the_menu_pins_moves_and_copies(listing: ConversationList) -> None:
    told: list[tuple[object, ...]] = []
    listing.pinned.connect(lambda *what: told.append(("pin", *what)))
    listing.moved.connect(lambda *what: told.append(("move", *what)))
    listing.copy_requested.connect(lambda *what: told.append(("copy", *what)))
    listing.show_summaries([BREAD, SOUP], "")
    row = texts(listing).index("Bread")
    listing.list.customContextMenuRequested.emit(listing.list.visualItemRect(listing.list.item(row)).center())
    menus = listing.findChildren(QMenu)
    actions = {action.text(): action for menu in menus for action in menu.actions()}
    for name in ("Pin to the top", "Kitchen", "Copy as Markdown"):
        actions[name].trigger()
    assert told == [("pin", "b", True), ("move", "b", "Kitchen"), ("copy", "b")]
    for menu in menus:
        menu.close()
