"""A model that can be had: its files, what they cost, what they fit with, and the buttons that check and get one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QSizePolicy, QWidget

from app.gui.controllers.models import RemoteJudgement
from app.gui.look import layout
from app.gui.look.theme import Colours
from app.gui.models.lists import ModelList, ModelRow
from app.gui.models.memory_stack import MemoryStack
from app.gui.words import figures, model_words
from app.gui.words.messages import localise
from app.models.catalog import CatalogFile, CatalogHead, CatalogModel, DraftOffer
from app.models.facts import ModelFile
from app.models.memory_check import MemoryJudgement

if TYPE_CHECKING:
    from app.models.hub import HubFile, HubListing


@dataclass(frozen=True)
class FileChoice:
    """One file of the shown model. ``wanted`` is the catalog's entry or the hub's own; ``facts`` are from the catalog
    until the header was read, None while nothing is known. ``state`` is a word on it: here, downloading, …"""

    key: str
    title: str
    size_bytes: int
    wanted: CatalogFile | HubFile
    facts: ModelFile | None = None
    state: str = ""
    note: str = ""


class ModelDetails(QFrame):
    file_chosen = Signal(str)
    check_pressed = Signal()
    get_pressed = Signal()
    page_pressed = Signal(str)
    """The address of the model's page."""

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._address = ""
        self.title = self._label("heading")
        self.line = self._label("secondary")
        self.page = layout.button(self, self.tr("Its page and terms"), lambda: self.page_pressed.emit(self._address),
                                  kind="plain", tip=self.tr("Opens the model’s page on the hub in your browser"))
        self.caution = self._label("warning")
        self.heads = self._label("secondary")
        self.files = ModelList(colours, self)
        self.files.setAccessibleName(self.tr("Files of this model"))
        self.files.setMinimumHeight(96)
        self.files.chosen.connect(self.file_chosen)
        self.stack = MemoryStack(colours, self)
        self.verdict = self._label("secondary")
        self.with_draft = QCheckBox(self)
        # A long name takes no room from the list of models.
        self.with_draft.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.with_draft.hide()
        self.check = layout.button(
            self, self.tr("Check before downloading"), self.check_pressed,
            tip=self.tr("Reads the file’s header on the hub, a few megabytes: whether it is a chat "
                        "model, what it costs in memory, and what fits with it"))
        self.get = layout.button(self, self.tr("Download"), self.get_pressed, kind="primary")
        head = layout.row(None, (self.line, 1), (self.page, 0, Qt.AlignmentFlag.AlignTop), spacing=8)
        foot = layout.row(None, 1, self.check, self.get, spacing=8)
        layout.column(self, self.title, head, self.caution, self.heads, (self.files, 1), self.stack, self.verdict,
                      self.with_draft, foot, margins=(16, 12, 16, 12), spacing=8)
        self.clear()

    def set_colours(self, colours: Colours) -> None:
        self.files.set_colours(colours)
        self.stack.set_colours(colours)

    def clear(self, title: str = "", line: str = "") -> None:
        """Show nothing but a title and a line, such as what is being asked."""
        self._show_text(self.title, title)
        self._show_text(self.line, line)
        self._show_text(self.caution, "")
        self._show_text(self.heads, "")
        self._show_text(self.verdict, "")
        self.page.hide()
        self.files.show_rows([], None)
        self.files.setVisible(False)
        self.stack.show_judgement(None)
        self.with_draft.hide()
        self.check.hide()
        self.get.hide()

    def show_catalog(self, model: CatalogModel, address: str, offer: DraftOffer | None,
                     heads: list[CatalogHead]) -> None:
        """A model of the catalog. ``offer`` is its best draft, if that is not here; ``heads`` are drafters of learned
        methods that were made for it."""
        self.clear(model.name, " · ".join(part for part in (
            model.family, self.tr("{count} parameters").format(count=model_words.parameters(model.parameters_b)),
            model_words.context(model.ctx_tokens), self.tr("licence {licence}").format(licence=model.licence),
            self.tr("gated: its publisher asks for your agreement") if model.gated else "",
        ) if part))
        self._show_text(self.caution, localise(model.caution))
        if heads:
            words = self.tr("Drafting heads were made for it, but need methods that this program does not have yet: "
                            "{heads}.")
            names = ", ".join(f"{head.name} ({head.method})" for head in heads)
            self._show_text(self.heads, words.format(heads=names))
        self._show_page(address)
        if offer is not None:
            size = figures.size(offer.file.bytes) if offer.file.bytes else self.tr("size told by the hub")
            words = self.tr("with its draft {name} ({size})").format(name=offer.model.name, size=size)
            self.with_draft.setText(words)
            self.with_draft.setToolTip(words)
            against = " ".join(localise(part) for part in (offer.note, offer.caution) if part)
            self.with_draft.setChecked(not against)
            self.with_draft.show()
            if against:
                words = self.tr("Its draft {name}: {caution}").format(name=offer.model.name, caution=against)
                self._show_text(self.caution, "\n".join(part for part in (self.caution.text(), words) if part))

    def show_listing(self, listing: HubListing, address: str) -> None:
        """A repository on the hub."""
        parts = [self.tr("licence {licence}").format(licence=listing.licence) if listing.licence else
                 self.tr("no licence named"),
                 self.tr("gated: its publisher asks for your agreement") if listing.gated else ""]
        self.clear(listing.repo, " · ".join(part for part in parts if part))
        self._show_page(address)

    def show_files(self, files: list[FileChoice], current: str) -> None:
        rows = []
        for file in files:
            size = figures.size(file.size_bytes) if file.size_bytes else self.tr("size told by the hub")
            detail = " · ".join(part for part in (size, file.note) if part)
            rows.append(ModelRow(file.key, file.title, detail, file.state))
        self.files.setVisible(True)
        self.files.show_rows(rows, current)
        self.check.setVisible(bool(files))
        self.get.setVisible(bool(files))

    def show_memory(self, judgement: MemoryJudgement | None) -> None:
        self.stack.show_judgement(judgement)

    def show_checking(self) -> None:
        self.check.setEnabled(False)
        self._say(self.tr("Reading its header on the hub…"))

    def show_verdict(self, judgement: RemoteJudgement, facts: ModelFile, target_name: str) -> None:
        """What the header told: what it is, and what fits with it here."""
        self.check.setEnabled(True)
        if judgement.note:
            self._say(judgement.note, "warning")
            return
        lines = [self._describe(facts)]
        if judgement.as_draft is not None and target_name:
            words = (self.tr("It may draft for {target}: {reason}") if judgement.as_draft.compatible else
                     self.tr("It may not draft for {target}: {reason}"))
            lines.append(words.format(target=target_name, reason=localise(judgement.as_draft.reason)))
        if judgement.drafts:
            best = judgement.drafts[0]
            words = self.tr("Drafts for it that are here: {names}. {notes}")
            names = ", ".join(each.facts.name for each in judgement.drafts)
            lines.append(words.format(names=names, notes=localise(" ".join(best.notes))).strip())
        self._say("\n".join(line for line in lines if line))

    def show_problem(self, words: str) -> None:
        self.check.setEnabled(True)
        self._say(words, "error")

    def show_nothing_checked(self) -> None:
        """Another file was chosen."""
        self.check.setEnabled(True)
        self._say("")

    def set_get(self, label: str, enabled: bool) -> None:
        self.get.setText(label)
        self.get.setEnabled(enabled)

    def _describe(self, facts: ModelFile) -> str:
        parts = [facts.architecture, self.tr("{count} parameters").format(
            count=model_words.parameters(facts.parameters / 1e9)), facts.quantisation,
            model_words.context(facts.ctx_train_tokens),
            self.tr("{count} tokens in its vocabulary").format(count=f"{facts.vocab_size:,}")]
        return f"{' · '.join(part for part in parts if part)}. {model_words.caution(facts)}".strip()

    def _say(self, words: str, role: str = "secondary") -> None:
        self.verdict.setProperty("role", role)
        self.verdict.style().unpolish(self.verdict)
        self.verdict.style().polish(self.verdict)
        self._show_text(self.verdict, words)

    def _show_page(self, address: str) -> None:
        self._address = address
        self.page.setVisible(bool(address))

    def _label(self, role: str) -> QLabel:
        label = layout.label(self, role=role, wraps=True, plain=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _show_text(self, label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))
