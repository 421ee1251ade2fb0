"""Ways to a model: the picker, the Models page, the welcome. What was chosen is loaded, and the chat is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.gui.chat.page import ChatPage
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look.theme import ThemeController
from app.gui.models.welcome import Welcome
from app.gui.window.pages import Pages
from app.models.remedies import Remedy
from app.records import REMOTE

if TYPE_CHECKING:
    from app.gui.models.page import ModelsPage


class ModelChoice(QObject):
    def __init__(self, chat: ChatPage, pages: Pages, welcome: Welcome, models: ModelsController, pairs: PairController,
                 keeper: SettingsKeeper, theme: ThemeController, window: QWidget) -> None:
        super().__init__(window)
        self._chat, self._pages, self._window = chat, pages, window
        self._models, self._pairs, self._keeper, self._theme = models, pairs, keeper, theme
        chat.models_wanted.connect(self.open_picker)
        welcome.file_requested.connect(self.open_picker)
        welcome.more_requested.connect(self.get_more)
        welcome.found.connect(pairs.use_first)
        welcome.use_requested.connect(self._use)
        pages.models_made.connect(self._tie)

    def open_picker(self) -> None:
        from app.gui.models.picker import ModelPicker

        dialog = ModelPicker(self._models, self._keeper.settings.load, self._theme.colours, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.known_remotes = [path for path in self._keeper.settings.targets if path.startswith(REMOTE)]
        dialog.choose(self._pairs.target_path, self._pairs.draft_path)
        dialog.accepted.connect(lambda: self._use(dialog.target_path, dialog.draft_path))
        dialog.chooser.get_requested.connect(lambda wanted: self._pages.models.get_draft(wanted))
        dialog.more_requested.connect(self.get_more)
        dialog.remedy_chosen.connect(self._use_remedy)
        dialog.open()

    def get_more(self, words: str = "") -> None:
        """Show what there is to download; look for ``words`` on the hub, if any."""
        self._pages.show_models()
        self._pages.models.show_view("more")
        if words:
            self._pages.models.search_hub(words)

    def _tie(self, page: ModelsPage) -> None:
        page.use_requested.connect(self._use)
        page.remedy_requested.connect(self._use_remedy)

    def _use(self, target_path: str, draft_path: str) -> None:
        self._chat.problem_banner.hide()
        self._pairs.use(target_path, draft_path, anyway=True)
        self._pages.show_chat()

    def _use_remedy(self, target_path: str, draft_path: str, remedy: Remedy) -> None:
        self._chat.problem_banner.hide()
        self._pairs.use_remedy(target_path, draft_path, remedy)
        self._pages.show_chat()
