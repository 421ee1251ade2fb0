"""Get more: the catalog that comes with the program, and the model hub once a person searches it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton, QWidget

from app.errors import Code, SlipstreamError
from app.gui.controllers.downloads import DownloadsController
from app.gui.controllers.hub import HubController, RemoteModel
from app.gui.controllers.models import ModelsController, RemoteJudgement
from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.models.details import FileChoice, ModelDetails
from app.gui.models.lists import ModelList, ModelRow
from app.gui.words import figures, model_words
from app.gui.words.messages import words_of
from app.models.approximate import approximate_facts
from app.models.catalog import CatalogFile, CatalogModel, DraftOffer
from app.records import LoadSettings

if TYPE_CHECKING:
    from app.models.hub import HubListing, HubRepository

_CATALOG, _HUB = "catalog:", "hub:"
_BUSY = ("waiting", "checking", "running", "retrying")


class MoreView(QWidget):
    connection_requested = Signal()
    link_requested = Signal(str)

    def __init__(self, models: ModelsController, hub: HubController, downloads: DownloadsController, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models, self._hub, self._downloads = models, hub, downloads
        self._load = LoadSettings()
        self._target_path = ""
        self._found: list[HubRepository] | None = None
        self._shown = self._current = ""
        self._files: dict[str, FileChoice] = {}
        self._offer: DraftOffer | None = None
        self.search = QLineEdit(self)
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(self.tr("Filter the catalog; Enter searches the model hub"))
        self.search.setAccessibleName(self.tr("Search for models"))
        self.ask = QPushButton(self.tr("Search the hub"), self)
        self.connection = QToolButton(self)
        self.connection.setIconSize(QSize(20, 20))
        self.connection.setToolTip(self.tr("How the hub is reached: mirror, access token, offline"))
        self.connection.setAccessibleName(self.tr("Model hub settings"))
        self.status = layout.label(self, role="secondary", wraps=True, plain=True)
        self.listing = ModelList(colours, self)
        self.listing.setAccessibleName(self.tr("Models that can be had"))
        self.details = ModelDetails(colours, self)
        self._lay_out()
        self._connect()
        self.set_colours(colours)
        self._show_list()

    def _lay_out(self) -> None:
        top = layout.row(None, (self.search, 1), self.ask, self.connection, spacing=8)
        body = layout.row(None, (self.listing, 2), (self.details, 3), spacing=16)
        layout.column(self, top, self.status, (body, 1), margins=(0, 0, 0, 0), spacing=8)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._take_words)
        self.search.returnPressed.connect(self.search_hub)
        self.ask.clicked.connect(self.search_hub)
        self.connection.clicked.connect(self.connection_requested)
        self.listing.chosen.connect(self._choose)
        self.details.file_chosen.connect(self._choose_file)
        self.details.check_pressed.connect(self._check)
        self.details.get_pressed.connect(self._get)
        self.details.page_pressed.connect(self.link_requested)
        self._models.entries_changed.connect(self._refresh)
        self._hub.searched.connect(self._take_found)
        self._hub.listed.connect(self._take_listing)
        self._hub.header_read.connect(self._take_header)
        self._hub.failed.connect(self._take_failure)
        self._hub.settings_changed.connect(self._show_list)
        self._downloads.changed.connect(self._show_files)

    def set_colours(self, colours: Colours) -> None:
        self.connection.setIcon(icon("globe", colours))
        self.listing.set_colours(colours)
        self.details.set_colours(colours)

    def choose(self, target_path: str) -> None:
        """Judge by this target, and memory as a model that is new here is loaded."""
        self._target_path, self._load = target_path, self._models.loads("")[0]
        self._show_list()
        self._show_memory()

    def search_hub(self, words: str = "") -> None:
        """Look on the hub for what is written, or for ``words``."""
        if words:
            self.search.setText(words)
        self._say(self.tr("Asking {host}…").format(host=self._hub.host))
        self._hub.search(self.search.text())

    # --- the list

    def _take_words(self) -> None:
        self._found = None
        self._hub.forget("search")
        self._show_list()

    def _show_list(self) -> None:
        if self._found is not None:
            self._show_found(self._found)
            return
        catalog = self._models.catalog
        words = self.search.text().lower().split()
        shown = [model for model in (catalog.models if catalog else [])
                 if all(word in f"{model.name} {model.family} {model.licence}".lower() for word in words)]
        self.listing.show_rows([self._catalog_row(model) for model in shown], self._shown)
        if self._hub.settings.offline:
            words_ = self.tr("{count} models in the catalog. Offline: nothing is asked of the network.")
        elif shown:
            words_ = self.tr("{count} models in the catalog that comes with the program. The network is asked only "
                             "when you search, check or download.")
        else:
            words_ = self.tr("The catalog has no such model. Press Enter to search the model hub.")
        self._say(words_.format(count=len(shown)))

    def _catalog_row(self, model: CatalogModel) -> ModelRow:
        file = model.files[0]
        parts = [model_words.parameters(model.parameters_b),
                 figures.size(file.bytes) if file.bytes else "", model.licence]
        badge = ""
        if self._is_here(model):
            badge = self.tr("here")
        elif not self._models.judge_facts(approximate_facts(model, file), self._load).fits:
            badge = self.tr("too large here")
        elif model.gated:
            badge = self.tr("gated")
        return ModelRow(_CATALOG + model.id, model.name, " · ".join(part for part in parts if part), badge,
                        speaks_against=badge != self.tr("here"), title_first=True)

    def _take_found(self, words: str, found: list[HubRepository]) -> None:
        if words == self.search.text():
            self._found = found
            self._show_list()

    def _show_found(self, found: list[HubRepository]) -> None:
        rows = []
        for repository in found:
            parts = [self.tr("{count} downloads").format(count=_short_count(repository.downloads)),
                     self.tr("{count} likes").format(count=_short_count(repository.likes)), repository.updated]
            badge = self.tr("gated") if repository.gated else ""
            rows.append(ModelRow(_HUB + repository.repo, repository.repo,
                                 " · ".join(part for part in parts if part), badge, speaks_against=True,
                                 title_first=True))
        self.listing.show_rows(rows, self._shown)
        words = (self.tr("{count} repositories on {host}, the most downloaded first. Clear the field to see the "
                         "catalog.") if found else
                 self.tr("{host} has no GGUF repository for these words. Try fewer, or the model’s plain name."))
        self._say(words.format(count=len(found), host=self._hub.host))

    def _refresh(self) -> None:
        self._show_list()
        self._show_files()

    # --- one model

    def _choose(self, key: str) -> None:
        self._shown, self._files, self._current, self._offer = key, {}, "", None
        self._hub.forget("header")
        self._hub.forget("list")
        if key.startswith(_HUB):
            repo = key.removeprefix(_HUB)
            self.details.clear(repo, self.tr("Asking {host} for its files…").format(host=self._hub.host))
            self._hub.list_files(repo)
            return
        catalog = self._models.catalog
        model = catalog.model(key.removeprefix(_CATALOG)) if catalog is not None else None
        if model is None or catalog is None:
            return
        offers = self._models.offer_drafts(model, approximate_facts(model, model.files[0]))
        self._offer = offers[0] if offers and not any(self._is_here(offer.model) for offer in offers) else None
        self.details.show_catalog(model, f"{self._hub.endpoint}/{model.files[0].repo}", self._offer,
                                  catalog.heads_of(model.id))
        several = len({file.repo for file in model.files}) > 1
        self._files = {
            f"{file.repo}/{file.file}": FileChoice(
                f"{file.repo}/{file.file}", file.quantisation, file.bytes, file, approximate_facts(model, file),
                note=file.repo if several else "",
            ) for file in model.files
        }
        self._current = self._best_file()
        self._show_files()
        self._show_memory()

    def _take_listing(self, listing: HubListing) -> None:
        if self._shown != _HUB + listing.repo:
            return
        self.details.show_listing(listing, f"{self._hub.endpoint}/{listing.repo}")
        for file in listing.files:
            note = self.tr("incomplete on the hub") if file.missing_parts else ""
            if file.sidecar:
                note = self.tr("goes with another model, is none itself")
            elif len(file.part_files) > 1:
                note = self.tr("in {count} parts").format(count=len(file.part_files))
            self._files[file.file] = FileChoice(file.file, file.quantisation or figures.short_name(file.file),
                                                file.bytes, file, note=note or figures.short_name(file.file))
        if not self._files:
            self.details.clear(listing.repo, self.tr("It holds no GGUF file."))
            return
        self._current = self._best_file()
        self._show_files()
        self._check()

    def _best_file(self) -> str:
        """The first of the catalog; of a repository the one at four bits that people take."""
        usable = [key for key, file in self._files.items()
                  if isinstance(file.wanted, CatalogFile) or not (file.wanted.sidecar or file.wanted.missing_parts)]
        wanted = [key for key in usable if self._files[key].title == "Q4_K_M"]
        return next(iter([*wanted, *usable, *self._files]), "")

    def _show_files(self) -> None:
        if not self._files:
            return
        here = {entry.file_bytes for entry in self._models.entries}
        rows = []
        for file in self._files.values():
            state = self._state_of(file)
            if not state and file.size_bytes and file.size_bytes in here:
                state = self.tr("here")
            rows.append(FileChoice(file.key, file.title, file.size_bytes, file.wanted, file.facts, state, file.note))
        self.details.show_files(rows, self._current)
        chosen = next((row for row in rows if row.key == self._current), None)
        state = chosen.state if chosen is not None else ""
        label = self.tr("Download") if not state else self.tr("Download again") if state == self.tr("here") else state
        self.details.set_get(label, not state or state == self.tr("here"))

    def _state_of(self, file: FileChoice) -> str:
        if isinstance(file.wanted, CatalogFile) and self._downloads.is_looking_up(file.wanted):
            return self.tr("asking the hub")
        state = self._downloads.find(file.wanted.repo, file.wanted.file)
        if state is None:
            return ""
        if state.status in _BUSY:
            return self.tr("downloading")
        return {"paused": self.tr("paused"), "done": self.tr("here")}.get(state.status, "")

    def _choose_file(self, key: str) -> None:
        if key == self._current:
            return
        self._current = key
        self._hub.forget("header")
        self.details.show_nothing_checked()
        self._show_files()
        self._show_memory()
        if self._shown.startswith(_HUB):
            self._check()

    def _check(self) -> None:
        """Read the header of the chosen file where it lies."""
        file = self._files.get(self._current)
        if file is None:
            return
        self.details.show_checking()
        if isinstance(file.wanted, CatalogFile):
            self._hub.read_catalog_header(file.wanted)
        else:
            self._hub.read_header(file.wanted)

    def _take_header(self, remote: RemoteModel) -> None:
        file = self._files.get(self._current)
        if file is None or file.wanted.repo != remote.file.repo:
            return
        self._files[file.key] = FileChoice(file.key, file.title, remote.file.bytes, file.wanted, remote.facts,
                                           note=file.note)
        self._show_files()
        self._show_memory()
        key, facts = file.key, remote.facts

        def judged(judgement: RemoteJudgement) -> None:
            if key == self._current:
                self.details.show_verdict(judgement, facts, self._target_name())

        self._models.judge_remote(facts, remote.vocabulary, self._target_path, self._load, judged)

    def _show_memory(self) -> None:
        file = self._files.get(self._current)
        facts = file.facts if file is not None else None
        self.details.show_memory(self._models.judge_facts(facts, self._load) if facts is not None else None)

    def _get(self) -> None:
        file = self._files.get(self._current)
        if file is None:
            return
        if isinstance(file.wanted, CatalogFile):
            self._downloads.get(file.wanted)
        else:
            self._downloads.start(file.wanted)
        if self._offer is not None and self.details.with_draft.isVisible() and self.details.with_draft.isChecked():
            self._downloads.get(self._offer.file)
        self._show_files()

    # --- what goes wrong

    def _take_failure(self, what: str, error: SlipstreamError) -> None:
        words = words_of(error)
        if what == "search":
            self._say(words, "error")
        elif what == "list":
            self.details.clear(self._shown.removeprefix(_HUB))
            self.details.show_problem(words)
        else:
            self.details.show_problem(words)
        if error.code == Code.GATED:
            where = self.tr("The button beside the search takes the token.")
            self.details.show_problem(f"{words} {where}")

    def _target_name(self) -> str:
        facts = self._models.facts(self._target_path)
        return facts.name if facts is not None else ""

    def _is_here(self, model: CatalogModel) -> bool:
        here = {entry.file_bytes for entry in self._models.entries}
        return any(file.bytes in here for file in model.files if file.bytes)

    def _say(self, words: str, role: str = "secondary") -> None:
        self.status.setText(words)
        self.status.setProperty("role", role)
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)


def _short_count(count: int) -> str:
    """``1_234_567`` → "1.2M"."""
    for unit, size in (("M", 1_000_000), ("k", 1000)):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 10 * size else f"{count / size:.0f}{unit}"
    return str(count)
