"""The first start on a computer without a model: what to get, how large it is, under which licence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.errors import SlipstreamError
from app.gui.controllers.model_sources import ModelSources
from app.gui.controllers.models import ModelsController
from app.gui.look import layout
from app.gui.look.banner import Banner
from app.gui.look.theme import Colours
from app.gui.models.download_list import DownloadList
from app.gui.words import figures
from app.gui.words.names import pair_title
from app.models.catalog import Catalog, CatalogModel

if TYPE_CHECKING:
    from app.models.download import DownloadState

_WIDTH = 560


class OfferCard(QFrame):
    """One or two models that are got together."""

    pressed = Signal()

    def __init__(self, title: str, words: str, details: str, button: str, primary: bool,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.details = details
        self.setObjectName("card")
        heading = layout.label(self, title, role="strong")
        labels = [heading, QLabel(words, self), QLabel(details, self)]
        for label in labels:
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        for label in labels[1:]:
            label.setProperty("role", "secondary")
        self.button = layout.button(self, button, self.pressed, kind="primary" if primary else "")
        self.button.setAccessibleName(f"{button}: {title}")
        text = layout.column(None, spacing=4)
        for label in labels:
            text.addWidget(label)
        layout.row(self, (text, 1), (self.button, 0, Qt.AlignmentFlag.AlignVCenter), margins=(16, 12, 16, 12),
                   spacing=16)


class Welcome(QWidget):
    """Hidden while there is a model. What it gets is used by whoever chooses the first pair, once it is there."""

    more_requested = Signal()
    file_requested = Signal()
    use_requested = Signal(str, str)
    """Target path and draft path."""
    found = Signal()
    """The first model is here."""

    def __init__(self, models: ModelsController, market: ModelSources, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models, self._downloads = models, market.downloads
        self.setMaximumWidth(_WIDTH)
        self.cards: list[OfferCard] = []
        self._offers = layout.column(None, spacing=8)
        self.banner = Banner(colours, self)
        self.progress = DownloadList(colours, self)
        self.progress.pause_pressed.connect(self._downloads.pause)
        self.progress.resume_pressed.connect(self._downloads.resume)
        self.progress.cancel_pressed.connect(self._downloads.cancel)
        self.progress.use_pressed.connect(lambda path: self.use_requested.emit(path, ""))
        more = layout.button(self, self.tr("Look for others…"), self.more_requested)
        file = layout.button(self, self.tr("I have a model file…"), self.file_requested)
        foot = layout.row(None, 1, more, file, 1)
        layout.column(self, self._offers, self.banner, self.progress, foot, margins=(0, 8, 0, 0), spacing=12)
        models.entries_changed.connect(self.refresh)
        self._downloads.changed.connect(self._show_progress)
        self._downloads.refused.connect(self._show_refusal)
        self.refresh()

    def set_colours(self, colours: Colours) -> None:
        self.banner.set_colours(colours)
        self.progress.set_colours(colours)

    def refresh(self) -> None:
        """Offer what there is to get, or nothing where a model is here."""
        empty = self._models.scanned and not any(entry.offered for entry in self._models.entries)
        if empty and not self.cards and self._models.catalog is not None:
            self._fill(self._models.catalog)
        self.setVisible(empty)
        if self._models.scanned and not empty:
            self.found.emit()

    def _fill(self, catalog: Catalog) -> None:
        target, draft = catalog.first_pair
        starter = catalog.starter
        self._add([target, draft], pair_title(target.name, draft.name),
                  self.tr("Recommended: the small model drafts for the large one, so answers come sooner."), True)
        self._add([starter], starter.name, self.tr("To look around: very small, quick to get, and it knows little."),
                  False)

    def _add(self, models: list[CatalogModel], title: str, words: str, primary: bool) -> None:
        total = sum(model.files[0].bytes for model in models)
        size = self.tr("{size} to download").format(size=figures.size(total)) if total else ""
        licences = " + ".join(dict.fromkeys(_licence(model) for model in models))
        details = " · ".join(part for part in (size, self.tr("licence {name}").format(name=licences)) if part)
        card = OfferCard(title, words, details, self.tr("Download"), primary, self)
        card.pressed.connect(lambda: self._get(models, card))
        self._offers.addWidget(card)
        self.cards.append(card)

    def _get(self, models: list[CatalogModel], card: OfferCard) -> None:
        card.button.setEnabled(False)
        self.banner.hide()
        for model in models:
            self._downloads.get(model.files[0])

    def _show_progress(self, states: list[DownloadState]) -> None:
        self.progress.show_states(states)
        if not states:
            self._offer_again()

    def _show_refusal(self, error: SlipstreamError) -> None:
        self._offer_again()
        self.banner.say("error", f"{error.message} {error.hint}".strip())

    def _offer_again(self) -> None:
        for card in self.cards:
            card.button.setEnabled(True)


def _licence(model: CatalogModel) -> str:
    return {"apache-2.0": "Apache 2.0", "mit": "MIT"}.get(model.licence, model.licence)
