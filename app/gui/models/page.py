"""The Models page: what is on this computer and what it fits with, what it costs, and how to get more."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QWidget

from app.errors import SlipstreamError
from app.gui.controllers.model_sources import ModelSources
from app.gui.controllers.models import ModelsController
from app.gui.look import layout
from app.gui.look.banner import Banner
from app.gui.look.segments import Segments
from app.gui.look.theme import Colours
from app.gui.models.connection import ConnectionDialog
from app.gui.models.download_list import DownloadList
from app.gui.models.folders import FoldersButton
from app.gui.models.more import MoreView
from app.gui.models.pair_chooser import PairChooser
from app.models.catalog import CatalogFile
from app.records import LoadSettings


class ModelsPage(QWidget):
    use_requested = Signal(str, str)
    """Target path and draft path."""
    remedy_requested = Signal(str, str, object)
    """Target path, draft path, and the ``Remedy`` with which they are to be used."""

    def __init__(self, models: ModelsController, market: ModelSources, load: LoadSettings, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._models, self._market = models, market
        self._used_soon = ""
        title = QLabel(self.tr("Models"), self)
        title.setProperty("role", "title")
        self.tabs = Segments(
            [("here", self.tr("On this computer"), self.tr("What is here, and which model may draft for which")),
             ("more", self.tr("Get more"), self.tr("The catalog and the model hub"))],
            self.tr("Which models"), self,
        )
        for key in ("here", "more"):
            # The chosen one is in bold, which its layout does not ask for.
            button = self.tabs.button(key)
            button.setMinimumWidth(button.sizeHint().width() + 24)
        self.folders = FoldersButton(models, self)
        self.refresh = QPushButton(self.tr("Look again"), self)
        self.refresh.setToolTip(self.tr("Read the model folders afresh; changes are noticed by themselves as well"))
        self.banner = Banner(colours, self)
        self.chooser = PairChooser(models, load, colours, self)
        self.found = layout.label(self, role="secondary", wraps=True)
        self.use = layout.button(self, kind="primary")
        self.more = MoreView(models, market.hub, market.downloads, colours, self)
        self.downloads = DownloadList(colours, self)
        self.views = QStackedWidget(self)
        self.views.addWidget(self._library())
        self.views.addWidget(self.more)
        head = layout.row(None, title, spacing=8)
        head.addSpacing(8)
        head.addWidget(self.tabs)
        head.addStretch(1)
        head.addWidget(self.folders)
        head.addWidget(self.refresh)
        layout.column(self, head, self.banner, (self.views, 1), self.downloads, margins=(24, 16, 24, 16), spacing=12)
        self._connect()
        self.tabs.choose("here")
        self.downloads.show_states(market.downloads.states)
        self._show_state()

    def choose(self, target_path: str, draft_path: str, load: LoadSettings) -> None:
        """Start from this pair; the folders are read afresh."""
        self.chooser.choose(target_path, draft_path, load)
        self.more.choose(target_path)
        self._models.rescan()
        self._show_state()

    def show_view(self, key: str) -> None:
        """``here`` or ``more``."""
        self.tabs.choose(key)
        self.views.setCurrentIndex(0 if key == "here" else 1)

    def set_colours(self, colours: Colours) -> None:
        self.chooser.set_colours(colours)
        self.more.set_colours(colours)
        self.downloads.set_colours(colours)
        self.banner.set_colours(colours)

    def get_draft(self, wanted: CatalogFile) -> None:
        """Download what the catalog names as a draft for the chosen target, and choose it once it is here."""
        self.banner.hide()
        folder = self._market.downloads.folder
        self.chooser.await_draft(str(folder / wanted.repo / wanted.file))
        self._market.downloads.get(wanted)

    def search_hub(self, words: str) -> None:
        """Show what the hub has for ``words``."""
        self.show_view("more")
        self.more.search_hub(words)

    def _library(self) -> QWidget:
        library = QWidget(self)
        foot = layout.row(None, (self.found, 1), self.use, spacing=8)
        layout.column(library, (self.chooser, 1), foot, margins=(0, 0, 0, 0), spacing=12)
        return library

    def _connect(self) -> None:
        downloads = self._market.downloads
        self.tabs.chosen.connect(self.show_view)
        self.refresh.clicked.connect(self._models.rescan)
        self.folders.folders_changed.connect(self._market.set_folders)
        self.use.clicked.connect(self._use)
        self.chooser.changed.connect(self._show_state)
        self.chooser.get_requested.connect(self.get_draft)
        self.chooser.search_requested.connect(self.search_hub)
        self.chooser.remedy_chosen.connect(self._use_remedy)
        self.more.connection_requested.connect(self.open_connection)
        self.more.link_requested.connect(lambda address: QDesktopServices.openUrl(QUrl(address)))
        self._models.entries_changed.connect(self._show_state)
        self._models.suggestions_ready.connect(self._use_awaited)
        downloads.changed.connect(self.downloads.show_states)
        downloads.refused.connect(self._show_refusal)
        self.downloads.pause_pressed.connect(downloads.pause)
        self.downloads.resume_pressed.connect(downloads.resume)
        self.downloads.cancel_pressed.connect(downloads.cancel)
        self.downloads.use_pressed.connect(self._use_download)
        self.downloads.token_pressed.connect(self.open_connection)
        self._market.hub.token_kept.connect(self._say_token)

    def open_connection(self) -> None:
        dialog = ConnectionDialog(self._market.hub, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._market.set_hub)
        dialog.open()

    def _use(self) -> None:
        self.use_requested.emit(self.chooser.target_path, self.chooser.draft_path)

    def _use_remedy(self, remedy: object) -> None:
        self.remedy_requested.emit(self.chooser.target_path, self.chooser.draft_path, remedy)

    def _use_download(self, path: str) -> None:
        """A draft for the chosen target becomes its draft, anything else the target."""
        self.show_view("here")
        rows = {row.path: row.enabled for row in self.chooser.drafts.rows()}
        target = self.chooser.target_path
        if target and path != target and path not in rows:
            # It has just arrived and is being judged.
            self._used_soon = path
            return
        self._used_soon = ""
        if rows.get(path):
            self.use_requested.emit(target, path)
        else:
            self.use_requested.emit(path, "")

    def _use_awaited(self) -> None:
        if self._used_soon:
            self._use_download(self._used_soon)

    def _show_refusal(self, error: SlipstreamError) -> None:
        self.banner.say("error", f"{error.message} {error.hint}".strip())
        self.chooser.show_offers_again()

    def _say_token(self, kept: bool) -> None:
        words = (self.tr("The access token is kept in the system’s keyring.") if kept else
                 self.tr("There is no keyring on this system, so the access token is kept until the program ends."))
        self.banner.say("info", words)

    def _show_state(self) -> None:
        self.use.setEnabled(bool(self.chooser.target_path))
        self.use.setText(self.tr("Use with this draft") if self.chooser.draft_path else self.tr("Use this model"))
        entries = [entry for entry in self._models.entries if entry.offered]
        sources = list(dict.fromkeys(entry.source for entry in entries if entry.source))
        if not self._models.scanned:
            self.found.setText(self.tr("Looking for models…"))
        elif not entries:
            self.found.setText("")
        else:
            words = self.tr("{count} models from {places}") if len(entries) > 1 else self.tr("One model from {places}")
            self.found.setText(words.format(count=len(entries), places=", ".join(sources)))
