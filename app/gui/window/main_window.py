"""The one window: a frame around the rail and the pages, its place on the screen, its beginning and its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec
from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QWidget

from app.gui.chat.page import ChatPage
from app.gui.controllers.archive import Archive
from app.gui.controllers.chat import ChatController
from app.gui.controllers.compare import CompareController
from app.gui.controllers.engine import EngineController
from app.gui.controllers.exactness_meter import ExactnessMeter
from app.gui.controllers.memory_devices import MemoryDevices
from app.gui.controllers.model_sources import ModelSources
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.server import ServerController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look.theme import Colours, ThemeController
from app.gui.models.welcome import Welcome
from app.gui.settings.presenter import SettingsPresenter
from app.gui.window.model_choice import ModelChoice
from app.gui.window.pages import Pages
from app.gui.window.rail import Rail
from app.gui.window.shortcuts import ShortcutsDialog, add_shortcuts, window_shortcuts, writing_shortcuts
from app.gui.window.side_panels import SidePanels
from app.settings.draft import Scope

if TYPE_CHECKING:
    from app.gui.compare.page import ComparePage
    from app.gui.models.page import ModelsPage

_FRAME_PX = 40
"""What a window manager may put around a window, which is not known before it has."""
_PAINT_MS = 50
"""From being shown to being on the screen."""


@dataclass(frozen=True)
class WindowPlace:
    """Where a window was and what it showed. ``settings_scope`` "" when the settings were not open."""

    geometry: QRect
    state: Qt.WindowState
    visible: bool
    page: int
    settings_scope: Scope | Literal[""]


class MainWindow(QMainWindow):
    closing = Signal()
    painted = Signal()
    """The window is on the screen for the first time."""

    def __init__(self, engine: EngineController, models: ModelsController, chat: ChatController,
                 pairs: PairController, keeper: SettingsKeeper, theme: ThemeController, archive: Archive,
                 market: ModelSources, server: ServerController, devices: MemoryDevices, exactness: ExactnessMeter
                 ) -> None:
        super().__init__()
        self._models, self._chat, self._keeper, self._archive = models, chat, keeper, archive
        # What is asked for then waits behind the picture; a window that begins minimised is never painted.
        self._paint = QTimer(self)
        self._paint.setSingleShot(True)
        self._paint.setInterval(_PAINT_MS)
        self._paint.timeout.connect(self.painted)
        self._shown = False
        self.setWindowTitle("Slipstream")
        self.setMinimumSize(QSize(640, 480))
        self.rail = Rail(theme.colours, self)
        self.page = ChatPage(engine, models, chat, pairs, keeper, archive, exactness, theme, self)
        self.folds = SidePanels(self.page, keeper.settings.window, self)
        self.compare = CompareController(engine, models, chat, pairs, keeper, self)
        self.pages = Pages(self.page, self.compare, models, market, pairs, keeper, theme, self)
        self.welcome = Welcome(models, market, theme.colours, self)
        self.page.welcome.show_below(self.welcome)
        self._choice = ModelChoice(self.page, self.pages, self.welcome, models, pairs, keeper, theme, self)
        self.settings = SettingsPresenter(keeper, pairs, chat, models, engine, server, devices, theme, self)
        whole = QWidget(self)
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self.pages, 1)
        self.setCentralWidget(whole)
        self.rail.page_chosen.connect(self.show_page)
        self.rail.settings_requested.connect(self.open_settings)
        self.pages.shown.connect(self.rail.show_page)
        self.page.panel.settings_requested.connect(self.settings.open_for_chat)
        self.page.problem_banner.comparison_wanted.connect(self.pages.show_compare)
        self.compare.running_changed.connect(self.page.problem_banner.show_comparing)
        theme.changed.connect(self._set_colours)
        self._shortcuts = window_shortcuts(self)
        add_shortcuts(self, self._shortcuts)
        size = keeper.settings.window
        self.resize(size.width, min(size.height, self.screen().availableGeometry().height() - _FRAME_PX))
        self.page.composer.edit.setFocus()

    @property
    def compare_page(self) -> ComparePage:
        return self.pages.compare

    @property
    def models_page(self) -> ModelsPage:
        return self.pages.models

    def show_page(self, index: int) -> None:
        self.pages.show_page(index)

    def new_chat(self) -> None:
        self.page.new_chat()

    def open_picker(self) -> None:
        self._choice.open_picker()

    def open_shortcuts(self) -> None:
        dialog = ShortcutsDialog([*writing_shortcuts(), *self._shortcuts], self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def open_settings(self) -> None:
        self.settings.open()

    def come_forward(self) -> None:
        """Another start of the program asks for this window."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def restore_chat(self) -> None:
        """Open the conversation in which something was left unsent."""
        if self._keeper.settings.window.conversation:
            self.page.chats.open(self._keeper.settings.window.conversation)

    def keep_all(self) -> None:
        """Keep the window's shape, what is written, and what there is of an answer."""
        self.compare.close()
        self.page.close_helpers()
        self.page.chats.keep_unsent()
        self._chat.close()
        conversation = self._chat.conversation
        window = msgspec.structs.replace(
            self.folds.wanted, width=self.width(), height=self.height(),
            conversation=conversation.id if conversation.unsent or conversation.unsent_files else "",
        )
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, window=window))

    def leave(self) -> WindowPlace:
        """Put everything aside for a window that takes this one's place; it is not to be shown again."""
        settings = self.settings.dialog
        place = WindowPlace(self.geometry(), self.windowState(), self.isVisible(), self.pages.currentIndex(),
                            settings.scope if settings is not None else "")
        self.page.chats.keep_unsent()
        self.compare.close()
        self.page.close_helpers()
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, window=self.folds.wanted))
        self.hide()
        return place

    def take_place(self, place: WindowPlace) -> None:
        """Show what the window before showed, where it was."""
        self.setGeometry(place.geometry)
        self._models.entries_changed.emit()
        self._archive.refresh()
        self.page.catch_up()
        self.show_page(place.page)
        if place.visible:
            self.setWindowState(place.state)
            self.show()
        if place.settings_scope:
            self.settings.open(place.settings_scope).show_group("appearance")

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        super().closeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shown:
            self._shown = True
            self._paint.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.folds.fit(event.size().width())

    def _set_colours(self, colours: Colours) -> None:
        self.rail.set_colours(colours)
        self.welcome.set_colours(colours)
