"""Target and draft side by side, with the reason for every candidate and the memory that the pair needs."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.gui.controllers.models import ModelsController, Suggestions
from app.gui.look import layout
from app.gui.look.theme import Colours
from app.gui.models.lists import ModelList, ModelRow
from app.gui.models.memory_stack import MemoryStack
from app.gui.models.memory_ways import MemoryWays
from app.gui.models.offer import ModelOffer
from app.gui.words import figures, model_words
from app.gui.words.messages import localise
from app.models.catalog import DraftOffer
from app.models.library import LibraryEntry
from app.models.pairing import Suggestion
from app.records import LoadSettings

_MOST_OFFERS = 2


class PairChooser(QWidget):
    """``target_path`` and ``draft_path`` are what is chosen now ("" for none)."""

    changed = Signal()
    get_requested = Signal(object)
    """A ``CatalogFile`` that is to be downloaded as a draft for the chosen target."""
    search_requested = Signal(str)
    """Words to look for on the hub: there is no draft for the chosen target here."""
    remedy_chosen = Signal(object)
    """A ``Remedy`` for the chosen pair, which does not fit into memory."""

    def __init__(self, models: ModelsController, load: LoadSettings, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._load = self._draft_load = load
        self.target_path = ""
        self.draft_path = ""
        self._awaited = ""
        self._suggestions: Suggestions | None = None
        self.targets = ModelList(colours, self)
        self.targets.setAccessibleName(self.tr("Target models"))
        self.drafts = ModelList(colours, self)
        self.drafts.setAccessibleName(self.tr("Draft models"))
        self.empty = layout.label(self, role="secondary", wraps=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.empty.hide()
        self.trouble = layout.label(self, role="warning", wraps=True, plain=True)
        self.trouble.hide()
        self.offers: list[ModelOffer] = []
        self._offer_box = QWidget(self)
        self._offer_column = layout.column(self._offer_box, margins=(0, 0, 0, 0), spacing=4)
        self.memory = layout.label(self, wraps=True, plain=True)
        self.stack = MemoryStack(colours, self)
        self.ways = MemoryWays(self)
        self.ways.chosen.connect(self.remedy_chosen)
        row = layout.row(
            None, (self._card(self.tr("Target"), self.tr("The model that answers."), [self.targets, self.empty]), 1),
            (self._card(self.tr("Draft"), self.tr("A small model that guesses ahead, so that answers come "
                                                  "faster. It never changes them."),
                        [self.drafts, self.trouble, self._offer_box]), 1),
            spacing=16)
        layout.column(self, (row, 1), self.stack, self.memory, self.ways, margins=(0, 0, 0, 0), spacing=8)
        self.targets.chosen.connect(self._choose_target)
        self.drafts.chosen.connect(self._choose_draft)
        models.entries_changed.connect(self._take_entries)
        models.suggestions_ready.connect(self._take_suggestions)
        models.room_changed.connect(self._show_memory)

    def set_colours(self, colours: Colours) -> None:
        self.targets.set_colours(colours)
        self.drafts.set_colours(colours)
        self.stack.set_colours(colours)

    def choose(self, target_path: str, draft_path: str, load: LoadSettings | None = None) -> None:
        """Start from this pair; ``load`` is how the target is loaded, None as it is set."""
        self._load, self._draft_load = self._models.loads(target_path)
        self._load = load or self._load
        self.target_path, self.draft_path = target_path, draft_path
        if self._models.scanned and self._models.find(target_path) is None and Path(target_path).is_file():
            # In use, and in none of the folders that are searched.
            self._models.add_file(target_path, lambda _entry: None)
        if self._suggestions is not None and self._suggestions.target_path != target_path:
            self._suggestions = None
        self._show_targets()
        self._suggest()
        self._show_drafts()

    def await_draft(self, path: str) -> None:
        """Choose the draft at ``path`` as soon as it is here, unless another one is chosen until then. A ``*`` in its
        name stands for anything, as in the catalog."""
        self._awaited = path

    def show_offers_again(self) -> None:
        """A download that was asked for did not begin: it can be asked for anew."""
        self._show_offers(self._suggestions)

    def _card(self, title: str, words: str, widgets: list[QWidget]) -> QFrame:
        card = QFrame(self)
        card.setObjectName("card")
        heading = layout.label(card, title, role="strong")
        line = layout.label(card, words, role="secondary", wraps=True)
        line.setMinimumHeight(32)
        line.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = layout.column(card, heading, line, margins=(12, 12, 12, 12), spacing=4)
        for widget in widgets:
            column.addWidget(widget, 1 if isinstance(widget, ModelList) else 0)
        return card

    def _choose_target(self, path: str) -> None:
        if path == self.target_path:
            return
        self.target_path, self.draft_path = path, ""
        self._load, self._draft_load = self._models.loads(path)
        self._suggestions = None
        self._show_drafts()
        self._suggest()
        self.changed.emit()

    def _choose_draft(self, path: str) -> None:
        self.draft_path = path
        self._show_memory()
        self.changed.emit()

    def _take_entries(self) -> None:
        self._show_targets()
        self._suggest()

    def _suggest(self) -> None:
        if self.target_path:
            self._models.suggest(self.target_path, self._load, self._draft_load)

    def _show_targets(self) -> None:
        rows = [self._target_row(entry) for entry in self._models.entries]
        self.targets.show_rows(sorted(rows, key=lambda row: not row.enabled), self.target_path)
        none = self._models.scanned and not any(row.enabled for row in rows)
        self.empty.setVisible(none)
        self.targets.setVisible(bool(rows) or not none)
        self.empty.setText(self.tr(
            "No model that can chat was found on this computer. Get one from the catalog, or add a folder that holds "
            "GGUF files."
        ))
        self._show_memory()

    def _target_row(self, entry: LibraryEntry) -> ModelRow:
        detail = model_words.entry_detail(entry, self._models.catalog)
        return ModelRow(str(entry.path), model_words.entry_title(entry), detail, enabled=entry.offered)

    def _take_suggestions(self, suggestions: Suggestions) -> None:
        if suggestions.target_path != self.target_path:
            return
        self._suggestions = suggestions
        here = {each.facts.path for each in suggestions.on_disk if each.verdict.compatible}
        arrived = next((path for path in sorted(here) if self._awaited and _is_named(path, self._awaited)), "")
        if arrived:
            self._awaited = ""
            if not self.draft_path:
                self.draft_path = arrived
                self.changed.emit()
        self._show_drafts()

    def _show_drafts(self) -> None:
        suggestions = self._suggestions
        badge = self.tr("unreadable")
        rows = [ModelRow("", self.tr("No draft"), self.tr("Answers come without a draft model."))]
        if suggestions is not None:
            rows += [self._draft_row(suggestion) for suggestion in suggestions.on_disk]
            rows += [ModelRow(str(entry.path), model_words.entry_title(entry), entry.trouble, badge, False)
                     for entry in self._models.entries if entry.facts is None and entry.trouble]
        self.drafts.show_rows(rows, self.draft_path)
        self.trouble.setText(localise(suggestions.trouble) if suggestions is not None else "")
        self.trouble.setVisible(bool(self.trouble.text()))
        self._show_offers(suggestions)
        self._show_memory()

    def _draft_row(self, suggestion: Suggestion) -> ModelRow:
        facts, verdict = suggestion.facts, suggestion.verdict
        entry = self._models.find(facts.path)
        title = model_words.entry_title(entry) if entry is not None else figures.short_name(facts.path)
        size = " · ".join(part for part in (figures.size(facts.file_bytes), facts.quantisation) if part)
        reasons = [verdict.reason, *suggestion.notes] if verdict.compatible else [verdict.reason]
        badge = self.tr("recommended") if suggestion.recommended else ""
        slower = 0 < suggestion.gain < 1
        if suggestion.gain > 0:
            badge = self.tr("{gain} here").format(gain=figures.gain(suggestion.gain))
        if not verdict.compatible:
            badge = self.tr("does not fit")
        return ModelRow(facts.path, title, f"{size}\n{localise(' '.join(reasons))}", badge, verdict.compatible, slower)

    def _show_offers(self, suggestions: Suggestions | None) -> None:
        for offer in self.offers:
            self._offer_column.removeWidget(offer)
            offer.deleteLater()
        self.offers = []
        if suggestions is not None and self.target_path:
            for each in suggestions.offers[:_MOST_OFFERS]:
                self._add_offer(self._offer_words(each), self.tr("Download"), partial(self._request, each))
            if not suggestions.offers and not any(each.verdict.compatible for each in suggestions.on_disk):
                words = self.tr("No draft for this target is on this computer, and the catalog names none.")
                self._add_offer(words, self.tr("Search the hub"), self._search)
        self._offer_box.setVisible(bool(self.offers))

    def _add_offer(self, words: str, button: str, act: Callable[[], None]) -> None:
        offer = ModelOffer(words, button, self._offer_box)
        offer.pressed.connect(act)
        self._offer_column.addWidget(offer)
        self.offers.append(offer)

    def _offer_words(self, offer: DraftOffer) -> str:
        size = figures.size(offer.file.bytes) if offer.file.bytes else self.tr("size told by the hub")
        words = self.tr("Fits and is not here: {name} ({size}, licence {licence}).")
        text = words.format(name=offer.model.name, size=size, licence=offer.model.licence)
        return " ".join(part for part in (text, localise(offer.note), localise(offer.caution)) if part)

    def _request(self, offer: DraftOffer) -> None:
        for each in self.offers:
            if offer.model.name in each.text.text():
                each.set_busy(self.tr("Downloading"))
        self.get_requested.emit(offer.file)

    def _search(self) -> None:
        facts = self._models.facts(self.target_path)
        if facts is not None:
            self.search_requested.emit(facts.basename or facts.name)

    def _show_memory(self) -> None:
        judgement = None
        pair = (self.target_path, self.draft_path, self._load, self._draft_load)
        if self.target_path:
            judgement = self._models.judge_memory(*pair)
        self.stack.show_judgement(judgement)
        fits = judgement is None or judgement.fits
        self.ways.show_remedies([] if fits else self._models.remedies(*pair))
        if judgement is None:
            self.memory.setText("")
            return
        place = self.tr("graphics memory") if judgement.on_gpu else self.tr("memory")
        words = (self.tr("Needs about {needed} of {place}; {free} are free.") if judgement.fits else
                 self.tr("Needs about {needed} of {place}, but only {free} are free. You can try it anyway."))
        refusal = self._models.explain_load(*pair)
        self.memory.setText(refusal or words.format(needed=figures.size(judgement.needed_bytes), place=place,
                                                    free=figures.size(judgement.free_bytes)))
        self.memory.setVisible(bool(refusal) or not judgement.fits)
        self.memory.setProperty("role", "secondary" if judgement.fits and not refusal else "warning")
        self.memory.style().unpolish(self.memory)
        self.memory.style().polish(self.memory)


def _is_named(path: str, pattern: str) -> bool:
    one, other = Path(path), Path(pattern)
    return one.parent == other.parent and fnmatchcase(one.name, other.name)
