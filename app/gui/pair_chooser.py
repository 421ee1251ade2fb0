"""Target and draft side by side, with the reason for every candidate and the memory that the pair needs."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.gui import figures
from app.gui.model_list import ModelList, ModelRow
from app.gui.models_controller import ModelsController, Suggestions
from app.gui.theme import Colours
from app.models.facts import is_unquantised
from app.models.library import LibraryEntry
from app.models.pairing import Suggestion
from app.terms import LoadSettings


class PairChooser(QWidget):
    """``target_path`` and ``draft_path`` are what is chosen now ("" for none)."""

    changed = Signal()

    def __init__(self, models: ModelsController, load: LoadSettings, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._load = load
        self.target_path = ""
        self.draft_path = ""
        self._suggestions: Suggestions | None = None
        self.targets = ModelList(colours, self)
        self.targets.setAccessibleName(self.tr("Target models"))
        self.drafts = ModelList(colours, self)
        self.drafts.setAccessibleName(self.tr("Draft models"))
        self.empty = QLabel(self)
        self.empty.setWordWrap(True)
        self.empty.setProperty("role", "secondary")
        self.empty.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.empty.hide()
        self.offers = QLabel(self)
        self.offers.setWordWrap(True)
        self.offers.setProperty("role", "secondary")
        self.offers.setTextFormat(Qt.TextFormat.PlainText)
        self.offers.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.memory = QLabel(self)
        self.memory.setWordWrap(True)
        self.memory.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self._card(self.tr("Target"), self.tr("The model that answers."),
                                 [self.targets, self.empty]), 1)
        row.addWidget(self._card(self.tr("Draft"), self.tr("A small model that guesses ahead, so that answers come "
                                                            "faster. It never changes them."),
                                 [self.drafts, self.offers]), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(row, 1)
        column.addWidget(self.memory)
        self.targets.chosen.connect(self._choose_target)
        self.drafts.chosen.connect(self._choose_draft)
        models.entries_changed.connect(self._show_targets)
        models.suggestions_ready.connect(self._take_suggestions)

    def set_colours(self, colours: Colours) -> None:
        self.targets.set_colours(colours)
        self.drafts.set_colours(colours)

    def choose(self, target_path: str, draft_path: str, load: LoadSettings) -> None:
        """Start from this pair."""
        self._load = load
        self.target_path, self.draft_path = target_path, draft_path
        self._show_targets()
        if target_path:
            self._models.suggest(target_path, load)
        self._show_drafts()

    def _card(self, title: str, words: str, widgets: list[QWidget]) -> QFrame:
        card = QFrame(self)
        card.setObjectName("card")
        column = QVBoxLayout(card)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(4)
        heading = QLabel(title, card)
        heading.setProperty("role", "strong")
        line = QLabel(words, card)
        line.setProperty("role", "secondary")
        line.setWordWrap(True)
        line.setMinimumHeight(32)
        line.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(heading)
        column.addWidget(line)
        for widget in widgets:
            column.addWidget(widget, 1 if isinstance(widget, ModelList) else 0)
        return card

    def _choose_target(self, path: str) -> None:
        if path == self.target_path:
            return
        self.target_path, self.draft_path = path, ""
        self._suggestions = None
        self._show_drafts()
        self._models.suggest(path, self._load)
        self.changed.emit()

    def _choose_draft(self, path: str) -> None:
        self.draft_path = path
        self._show_memory()
        self.changed.emit()

    def _show_targets(self) -> None:
        rows = [self._target_row(entry) for entry in self._models.entries]
        self.targets.show_rows(sorted(rows, key=lambda row: not row.enabled), self.target_path)
        none = self._models.scanned and not any(row.enabled for row in rows)
        self.empty.setVisible(none)
        self.empty.setText(self.tr(
            "No model that can chat was found on this computer. Get the starter models with "
            "“python3 dev.py models”, or browse for a GGUF file that you have."
        ))
        self._show_memory()

    def _target_row(self, entry: LibraryEntry) -> ModelRow:
        facts = entry.facts
        parts = [figures.size(entry.file_bytes)] if entry.file_bytes else []
        if facts is not None and facts.quantisation:
            parts.append(facts.quantisation)
        reason = entry.trouble or entry.note
        if facts is not None and facts.kind == "base" and not reason:
            parts.append(self.tr("continues text, not made to chat"))
        if facts is not None and is_unquantised(facts):
            parts.append(self.tr("not quantised, so slower than its quantised forms"))
        detail = "\n".join(part for part in (" · ".join(parts), reason) if part)
        return ModelRow(str(entry.path), figures.short_name(entry.path.name), detail, enabled=entry.offered)

    def _take_suggestions(self, suggestions: Suggestions) -> None:
        if suggestions.target_path == self.target_path:
            self._suggestions = suggestions
            self._show_drafts()

    def _show_drafts(self) -> None:
        suggestions = self._suggestions
        rows = [ModelRow("", self.tr("No draft"), self.tr("Answers come without a draft model."))]
        if suggestions is not None:
            rows += [self._draft_row(suggestion) for suggestion in suggestions.on_disk]
        self.drafts.show_rows(rows, self.draft_path)
        self.offers.setText(self._offer_text(suggestions))
        self.offers.setVisible(bool(self.offers.text()))
        self._show_memory()

    def _draft_row(self, suggestion: Suggestion) -> ModelRow:
        facts, verdict = suggestion.facts, suggestion.verdict
        size = " · ".join(part for part in (figures.size(facts.file_bytes), facts.quantisation) if part)
        reasons = [verdict.reason, *suggestion.notes] if verdict.compatible else [verdict.reason]
        badge = self.tr("recommended") if suggestion.recommended else ""
        if not verdict.compatible:
            badge = self.tr("does not fit")
        return ModelRow(facts.path, figures.short_name(facts.path), f"{size}\n{' '.join(reasons)}", badge,
                        verdict.compatible)

    def _offer_text(self, suggestions: Suggestions | None) -> str:
        if suggestions is None:
            return ""
        if suggestions.trouble:
            return suggestions.trouble
        lines = []
        for offer in suggestions.offers[:3]:
            words = self.tr("Not on this computer: {name} ({size}, licence {licence}) from {repo}.")
            lines.append(words.format(name=offer.model.name, size=figures.size(offer.file.bytes),
                                      licence=offer.model.licence, repo=offer.file.repo))
        return "\n".join(lines)

    def _show_memory(self) -> None:
        judgement = None
        if self.target_path:
            judgement = self._models.judge_memory(self.target_path, self.draft_path, self._load)
        if judgement is None:
            self.memory.setText("")
            return
        place = self.tr("graphics memory") if judgement.on_gpu else self.tr("memory")
        words = (self.tr("Needs about {needed} of {place}; {free} are free.") if judgement.fits else
                 self.tr("Needs about {needed} of {place}, but only {free} are free. You can try it anyway."))
        self.memory.setText(words.format(needed=figures.size(judgement.needed_bytes), place=place,
                                         free=figures.size(judgement.free_bytes)))
        self.memory.setProperty("role", "secondary" if judgement.fits else "warning")
        self.memory.style().unpolish(self.memory)
        self.memory.style().polish(self.memory)
