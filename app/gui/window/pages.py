"""The pages of the window, one at a time. Those behind the chat are made when they are first wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.gui.chat.page import ChatPage
from app.gui.controllers.compare import CompareController
from app.gui.controllers.model_sources import ModelSources
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look.theme import Colours, ThemeController

if TYPE_CHECKING:
    from app.gui.compare.page import ComparePage
    from app.gui.models.page import ModelsPage

CHAT, COMPARE, MODELS = range(3)


class Pages(QStackedWidget):
    shown = Signal(int)
    models_made = Signal(object)
    """The ``ModelsPage``, when it is first wanted."""

    def __init__(self, chat: ChatPage, compare: CompareController, models: ModelsController, market: ModelSources,
                 pairs: PairController, keeper: SettingsKeeper, theme: ThemeController, parent: QWidget) -> None:
        super().__init__(parent)
        self._chat, self._comparing, self._models, self._market = chat, compare, models, market
        self._pairs, self._keeper, self._theme = pairs, keeper, theme
        self._compare_page: ComparePage | None = None
        self._models_page: ModelsPage | None = None
        self._compare_place, self._models_place = QWidget(self), QWidget(self)
        for each in (chat, self._compare_place, self._models_place):
            self.addWidget(each)
        chat.wanted.connect(self.show_chat)
        theme.changed.connect(self._set_colours)

    @property
    def compare(self) -> ComparePage:
        """What draws its charts takes longer to load than the rest of the window."""
        if self._compare_page is None:
            from app.gui.compare.page import ComparePage

            self._compare_page = ComparePage(self._comparing, self._models, self._keeper, self._theme.colours, self)
            _fill(self._compare_place, self._compare_page)
        return self._compare_page

    @property
    def models(self) -> ModelsPage:
        if self._models_page is None:
            from app.gui.models.page import ModelsPage

            page = ModelsPage(self._models, self._market, self._keeper.settings.load, self._theme.colours, self)
            self._models_page = page
            self.models_made.emit(page)
            _fill(self._models_place, page)
        return self._models_page

    def show_page(self, index: int) -> None:
        if index == COMPARE:
            _ = self.compare
        self.setCurrentIndex(index)
        self.shown.emit(index)
        if index == MODELS:
            self.models.choose(self._pairs.target_path, self._pairs.draft_path,
                               self._keeper.settings.load_for(self._pairs.target_path))
        elif index == CHAT:
            self._chat.composer.edit.setFocus()

    def show_chat(self) -> None:
        self.show_page(CHAT)

    def show_compare(self) -> None:
        self.show_page(COMPARE)

    def show_models(self) -> None:
        self.show_page(MODELS)

    def _set_colours(self, colours: Colours) -> None:
        for page in (self._compare_page, self._models_page):
            if page is not None:
                page.set_colours(colours)


def _fill(place: QWidget, page: QWidget) -> None:
    column = QVBoxLayout(place)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(page)
    # The layout would show it only in the next turn of the event loop.
    page.show()
