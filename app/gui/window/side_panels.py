"""The two panels beside the chat: shown as the person wants, folded away where the window is too narrow."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QObject

from app.gui.chat.page import ChatPage
from app.settings.settings import WindowSettings

PANEL_FROM = 980
LIST_FROM = 1180
"""Windows narrower than these show the speed panel and the conversations only when they are asked for."""


class SidePanels(QObject):
    def __init__(self, page: ChatPage, wanted: WindowSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self.wanted = wanted
        self._width = 0
        page.header.panel_toggled.connect(self._toggle_panel)
        page.header.list_toggled.connect(self._toggle_list)

    def fit(self, width: int) -> None:
        """The window is ``width`` pixels wide now."""
        before, self._width = self._width, width
        if (before < PANEL_FROM) != (width < PANEL_FROM) or not before:
            self._show_panel(self.wanted.speed_panel_open and width >= PANEL_FROM)
        if (before < LIST_FROM) != (width < LIST_FROM) or not before:
            self._show_list(self.wanted.conversations_open and width >= LIST_FROM)

    def _toggle_panel(self, on: bool) -> None:
        if self._width >= PANEL_FROM:
            self.wanted = msgspec.structs.replace(self.wanted, speed_panel_open=on)
        elif on:
            self._show_list(False)
        self._show_panel(on)

    def _toggle_list(self, on: bool) -> None:
        if self._width >= LIST_FROM:
            self.wanted = msgspec.structs.replace(self.wanted, conversations_open=on)
        elif on and self._width < PANEL_FROM:
            self._show_panel(False)
        self._show_list(on)

    def _show_panel(self, on: bool) -> None:
        self._page.panel.setVisible(on)
        button = self._page.header.panel
        button.blockSignals(True)
        button.setChecked(on)
        button.blockSignals(False)

    def _show_list(self, on: bool) -> None:
        self._page.listing.setVisible(on)
        # The list has a button of its own for a new chat.
        self._page.header.new_chat.setVisible(not on)
        button = self._page.header.listing
        button.blockSignals(True)
        button.setChecked(on)
        button.blockSignals(False)
