"""What models there are, what may draft for what, and what fits. Reads files on the background thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app import paths
from app.errors import SlipstreamError
from app.gui.background import Background
from app.gui.memory_check import MemoryJudgement, judge
from app.models.catalog import Catalog, DraftOffer, load_catalog
from app.models.facts import ModelFile
from app.models.header_cache import HeaderCache
from app.models.host import free_memory
from app.models.library import Library, LibraryEntry, draft_candidates, recommend_pair
from app.models.memory import CacheSettings, estimate_model
from app.models.pairing import Suggestion, suggest_drafts
from app.models.sources import known_sources
from app.protocol import Device
from app.terms import LoadSettings


@dataclass(frozen=True)
class Suggestions:
    """Drafts for ``target_path``: those on disk, each with its verdict, and those that the catalog names."""

    target_path: str
    on_disk: list[Suggestion] = field(default_factory=list)
    offers: list[DraftOffer] = field(default_factory=list)
    trouble: str = ""


@dataclass(frozen=True)
class FirstChoice:
    """What the first start loads; both paths "" when no model is there."""

    target_path: str = ""
    draft_path: str = ""


class ModelsController(QObject):
    entries_changed = Signal()
    suggestions_ready = Signal(object)

    def __init__(self, background: Background, folders: list[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._cache = HeaderCache(paths.cache_dir() / "headers.msgpack")
        self._folders = {Path(folder).name or folder: Path(folder) for folder in folders}
        self._extra: dict[Path, LibraryEntry] = {}
        self.entries: list[LibraryEntry] = []
        self.scanned = False
        self.catalog: Catalog | None = None
        self.devices: list[Device] = []
        self.held_bytes = 0
        """What the worker holds now and gives back when another model is loaded."""

    def rescan(self) -> None:
        """Read the folders afresh; ``entries_changed`` follows."""
        library = Library(known_sources(self._folders), self._cache)

        def work() -> tuple[list[LibraryEntry], Catalog | None]:
            try:
                catalog = self.catalog or load_catalog()
            except SlipstreamError:
                catalog = None
            return library.scan(), catalog

        self._background.run(work, self._take_entries)

    def add_file(self, path: str, on_added: Callable[[LibraryEntry], None]) -> None:
        """Take a file from anywhere into the list."""
        library = Library([], self._cache)

        def added(entry: LibraryEntry) -> None:
            self._extra[entry.path] = entry
            self._merge(self.entries)
            on_added(entry)

        self._background.run(lambda: library.read_entry(Path(path)), added)

    def suggest(self, target_path: str, settings: LoadSettings) -> None:
        """Judge every model as a draft for ``target_path``; ``suggestions_ready`` follows."""
        target = self.find(target_path)
        if target is None or target.facts is None:
            self.suggestions_ready.emit(Suggestions(target_path))
            return
        entries, cache, facts = list(self.entries), self._cache, target.facts
        shape = CacheSettings(ctx_tokens=settings.ctx_tokens)
        beside = free_memory().free_bytes + self.held_bytes - estimate_model(facts, shape).total_bytes

        def work() -> Suggestions:
            needed = {str(e.path): estimate_model(e.facts, shape).total_bytes for e in entries if e.facts and e.offered}
            vocabulary = cache.vocabulary(target.path)
            found = suggest_drafts(facts, vocabulary, draft_candidates(entries, cache, needed), beside)
            return Suggestions(target_path, found, self._offers(facts, entries))

        def failed(error: SlipstreamError) -> None:
            self.suggestions_ready.emit(Suggestions(target_path, trouble=error.message))

        self._background.run(work, self.suggestions_ready.emit, failed)

    def find(self, path: str) -> LibraryEntry | None:
        return next((entry for entry in self.entries if str(entry.path) == path), None)

    def facts(self, path: str) -> ModelFile | None:
        entry = self.find(path)
        return entry.facts if entry else None

    def first_choice(self) -> FirstChoice:
        """The recommended pair if it is here, else the starter, else the smallest model that can chat."""
        if self.catalog is not None:
            pair = recommend_pair(self.entries, self.catalog)
            if pair is not None:
                return FirstChoice(str(pair[0].path), str(pair[1].path))
        usable = [entry for entry in self.entries if entry.offered and entry.facts and entry.facts.kind == "chat"]
        if self.catalog is not None:
            starter = self.catalog.starter.id
            for entry in usable:
                known = self.catalog.recognise(entry.facts) if entry.facts else None
                if known is not None and known.id == starter:
                    return FirstChoice(str(entry.path))
        smallest = min(usable, key=lambda entry: entry.file_bytes, default=None)
        return FirstChoice(str(smallest.path)) if smallest else FirstChoice()

    def judge_memory(self, target_path: str, draft_path: str, settings: LoadSettings) -> MemoryJudgement | None:
        """None when a file's facts are not known."""
        target, draft = self.facts(target_path), self.facts(draft_path)
        if target is None or (draft_path and draft is None):
            return None
        return judge(target, draft, settings, free_memory().free_bytes + self.held_bytes, self.devices)

    def _offers(self, facts: ModelFile, entries: list[LibraryEntry]) -> list[DraftOffer]:
        catalog = self.catalog
        known = catalog.recognise(facts) if catalog else None
        if catalog is None or known is None:
            return []
        here = {entry.file_bytes for entry in entries}
        return [offer for offer in catalog.offer_drafts(known.id) if offer.file.bytes not in here]

    def _take_entries(self, result: tuple[list[LibraryEntry], Catalog | None]) -> None:
        entries, self.catalog = result
        self.scanned = True
        self._merge(entries)

    def _merge(self, entries: list[LibraryEntry]) -> None:
        merged = {entry.path: entry for entry in entries} | self._extra
        self.entries = sorted(merged.values(), key=lambda entry: (entry.name.lower(), str(entry.path)))
        self.entries_changed.emit()
