"""What models there are, what may draft for what, and what fits. Reads files on the background thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app import paths
from app.errors import SlipstreamError
from app.gui.controllers.background import Background
from app.gui.controllers.models_watch import FolderWatch
from app.models.catalog import Catalog, CatalogModel, DraftOffer, load_catalog
from app.models.facts import ModelFile
from app.models.header_cache import HeaderCache
from app.models.host import HostMemory, free_memory
from app.models.library import (
    LibraryEntry,
    ModelLibrary,
    draft_candidates,
    name_cautions,
    recommend_pair,
    suggest_for,
)
from app.models.memory import CacheSettings, estimate_model, explain_cache_types
from app.models.memory_check import (
    MemoryJudgement,
    Reserved,
    Room,
    cache_settings,
    cards_of,
    held_on_cards,
    judge,
    plan_places,
)
from app.models.offers import rank_offers
from app.models.pairing import Measured, PairVerdict, Suggestion, check_facts, check_pair, check_target, suggest_drafts
from app.models.remedies import Remedy, suggest_remedies
from app.models.sources import known_sources, list_folders
from app.models.vocabulary import Vocabulary
from app.protocol import Device
from app.records import LoadSettings

_LIKELY_DRAFTS = 4

ModelUse = tuple[str, LoadSettings, bool]
"""Path of a model, how it is loaded, and whether as a draft."""


@dataclass(frozen=True)
class Suggestions:
    """Drafts for ``target_path``: those on disk, each with its verdict, and those that the catalog names."""

    target_path: str
    on_disk: list[Suggestion] = field(default_factory=list)
    offers: list[DraftOffer] = field(default_factory=list)
    trouble: str = ""


@dataclass(frozen=True)
class RemoteJudgement:
    """A file that is not here yet: why it is no chat model ("" if it is one), whether it may draft for the target in
    question (None: not asked), and what on this computer may draft for it."""

    note: str
    as_draft: PairVerdict | None = None
    drafts: list[Suggestion] = field(default_factory=list)


@dataclass(frozen=True)
class FirstChoice:
    """What the first start loads; both paths "" when no model is there."""

    target_path: str = ""
    draft_path: str = ""


class ModelsController(QObject):
    entries_changed = Signal()
    suggestions_ready = Signal(object)
    room_changed = Signal()
    """There is another amount of memory, another graphics card, or a better estimate, than was known."""
    judged = Signal(object, object)
    """A ``MemoryJudgement`` that was asked for, and the ``ModelUse`` of each model that it was for."""

    def __init__(self, background: Background, folders: list[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._cache = HeaderCache(paths.cache_dir() / "headers.msgpack")
        self._folders = folders
        self._extra: dict[Path, LibraryEntry] = {}
        self._watch = FolderWatch(self)
        self._watch.changed.connect(self.rescan)
        self._scanning = self._scan_again = False
        self.entries: list[LibraryEntry] = []
        self.scanned = False
        self.catalog: Catalog | None = None
        self.devices: list[Device] = []
        self.measure: Callable[[], HostMemory] = free_memory
        self.held_bytes = 0
        """What the worker holds now and gives back when another model is loaded."""
        self.held_paths: tuple[str, ...] = ()
        """What is loaded now."""
        self.held_settings = LoadSettings()
        self._reserved: dict[ModelUse, Reserved] = {}
        self.measured: Callable[[str], Mapping[str, Measured]] = lambda target_path: {}
        """What drafts gained with a target on this computer, by path."""
        self.loads: Callable[[str], tuple[LoadSettings, LoadSettings]] = lambda path: (LoadSettings(), LoadSettings())
        """How the target at a path, and a draft for it, are loaded; "" is a target without settings of its own."""

    @property
    def folders(self) -> list[str]:
        """Folders that the person added."""
        return list(self._folders)

    def set_folders(self, folders: list[str]) -> None:
        if folders != self._folders:
            self._folders = list(folders)
            self.rescan()

    def rescan(self) -> None:
        """Read the folders afresh; ``entries_changed`` follows if anything is other than before."""
        if self._scanning:
            self._scan_again = True
            return
        self._scanning = True
        library = ModelLibrary(known_sources(_name_folders(self._folders)), self._cache)

        def work() -> tuple[list[LibraryEntry], Catalog | None, list[Path]]:
            try:
                catalog = self.catalog or load_catalog()
            except SlipstreamError:
                catalog = None
            found = library.scan()
            return found, catalog, [folder for source in library.sources for folder in list_folders(source)]

        self._background.run(work, self._take_entries, lambda error: self._end_scan())

    def add_file(self, path: str, on_added: Callable[[LibraryEntry], None]) -> None:
        """Take a file from anywhere into the list."""
        library = ModelLibrary([], self._cache)

        def added(entry: LibraryEntry) -> None:
            self._extra[entry.path] = entry
            self._merge(self.entries)
            on_added(entry)

        self._background.run(lambda: library.read_entry(Path(path)), added)

    def suggest(self, target_path: str, settings: LoadSettings, draft_settings: LoadSettings) -> None:
        """Judge every model as a draft for ``target_path``; ``suggestions_ready`` follows."""
        target = self.find(target_path)
        if target is None or target.facts is None:
            self.suggestions_ready.emit(Suggestions(target_path))
            return
        entries, cache, facts, catalog = list(self.entries), self._cache, target.facts, self.catalog
        shape = cache_settings(draft_settings, as_draft=True)
        beside = self._free_beside(facts, settings)
        measured = dict(self.measured(target_path))

        def work() -> Suggestions:
            needed = {str(e.path): estimate_model(e.facts, shape).total_bytes for e in entries if e.facts and e.offered}
            found = suggest_for(target, entries, cache, needed=needed, free_bytes=beside, catalog=catalog,
                                measured=measured)
            return Suggestions(target_path, found, self._offers(facts, entries, shape, beside))

        def failed(error: SlipstreamError) -> None:
            self.suggestions_ready.emit(Suggestions(target_path, trouble=error.message))

        self._background.run(work, self.suggestions_ready.emit, failed)

    def judge_remote(self, facts: ModelFile, vocabulary: Vocabulary | None, target_path: str, settings: LoadSettings,
                     on_judged: Callable[[RemoteJudgement], None]) -> None:
        """Judge a file that is not here yet, from its header."""
        entries, cache, target = list(self.entries), self._cache, self.find(target_path)
        beside, catalog = self._free_beside(facts, settings), self.catalog

        def work() -> RemoteJudgement:
            note = check_target(facts)
            if note:
                return RemoteJudgement(note)
            as_draft = None
            if target is not None and target.facts is not None and facts.parameters < target.facts.parameters:
                as_draft = check_facts(target.facts, facts)
                if as_draft is None and vocabulary is not None:
                    as_draft = check_pair(cache.vocabulary(target.path), vocabulary)
            likely = [entry for entry in entries if entry.offered and entry.facts is not None
                      and 0 < entry.facts.parameters < facts.parameters and check_facts(facts, entry.facts) is None]
            likely.sort(key=lambda entry: entry.file_bytes)
            candidates = draft_candidates(likely[:_LIKELY_DRAFTS], cache)
            cautions = name_cautions(facts, likely, catalog) if catalog is not None else {}
            found = suggest_drafts(facts, vocabulary, candidates, beside, cautions) if vocabulary is not None else []
            return RemoteJudgement("", as_draft, [each for each in found if each.verdict.compatible])

        self._background.run(work, on_judged, lambda error: on_judged(RemoteJudgement(error.message)))

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

    def room(self) -> Room:
        """Memory now: of the computer, within the limit of a container, and of graphics cards as far as known."""
        memory = self.measure()
        room = Room(memory.free_bytes, memory.total_bytes, self.held_bytes, cards_of(self.devices))
        if not room.cards:
            return room
        loaded = [facts for path in self.held_paths if (facts := self.facts(path)) is not None]
        held = held_on_cards(loaded, self.held_settings, room)
        return Room(room.free_bytes, room.total_bytes, room.held_bytes, room.cards, held)

    def take_devices(self, devices: list[Device]) -> None:
        self.devices = devices
        self.room_changed.emit()

    def take_reserved(self, path: str, settings: LoadSettings, as_draft: bool, reserved: Reserved) -> None:
        """What the engine said it would reserve sharpens every judgement from now on."""
        self._reserved[(path, settings, as_draft)] = reserved
        self.room_changed.emit()

    def judge_memory(self, target_path: str, draft_path: str, settings: LoadSettings,
                     draft_settings: LoadSettings | None = None) -> MemoryJudgement | None:
        """None when a file's facts are not known."""
        target, draft = self.facts(target_path), self.facts(draft_path)
        if target is None or (draft_path and draft is None):
            return None
        uses: list[ModelUse] = [(target_path, settings, False), (draft_path, draft_settings or settings, True)]
        reserved = [self._reserved.get(use) for use in uses]
        judgement = judge(target, draft, settings, self.room(), draft_settings, reserved)
        self.judged.emit(judgement, [use for use in uses if use[0]])
        return judgement

    def judge_facts(self, facts: ModelFile, settings: LoadSettings) -> MemoryJudgement:
        """The same for a model that need not be here."""
        return judge(facts, None, settings, self.room())

    def explain_load(self, target_path: str, draft_path: str, settings: LoadSettings, draft_settings: LoadSettings
                     ) -> str:
        """Why the engine would refuse these settings for one of the two, with the setting that mends it; "" if not."""
        reasons = (explain_cache_types(facts, cache_settings(load))
                   for path, load in ((target_path, settings), (draft_path, draft_settings))
                   if (facts := self.facts(path)) is not None)
        return next((reason for reason in reasons if reason), "")

    def remedies(self, target_path: str, draft_path: str, settings: LoadSettings, draft_settings: LoadSettings
                 ) -> list[Remedy]:
        """Ways out for a pair that does not fit, in the order in which a person loses least."""
        target, draft = self.facts(target_path), self.facts(draft_path)
        if target is None or draft is None:
            return []
        room, on_card = self.room(), bool(self.room().cards) and settings.gpu_layers != 0
        smaller = [entry.facts for entry in self.entries if entry.offered and entry.facts is not None
                   and entry.facts.weights_bytes < draft.weights_bytes
                   and (check_facts(target, entry.facts) or self._cache.known_verdict(Path(target_path), entry.path)
                        or PairVerdict(False, "")).compatible]
        return suggest_remedies(
            target, draft, cache_settings(settings, on_card), room.free_bytes + room.held_bytes, smaller,
            draft_settings=cache_settings(draft_settings, on_card, as_draft=True),
            free_device_bytes=room.free_card_bytes if on_card else 0,
            layers=(settings.gpu_layers, draft_settings.gpu_layers),
        )

    def close(self) -> None:
        self._watch.close()

    def _free_beside(self, facts: ModelFile, settings: LoadSettings) -> int:
        """Memory that a draft could take beside this target, where it would lie."""
        places = plan_places(facts, None, settings, self.room())
        used = places[1:] or places[:1]
        return max(sum(place.free_bytes - place.needed_bytes for place in used), 0)

    def offer_drafts(self, model: CatalogModel, facts: ModelFile) -> list[DraftOffer]:
        """What the catalog names as drafts for one of its models, which need not be here, the best first."""
        load, draft_load = self.loads("")
        offers = self.catalog.offer_drafts(model.id) if self.catalog is not None else []
        return rank_offers(offers, facts, cache_settings(draft_load, as_draft=True), self._free_beside(facts, load))

    def _offers(self, facts: ModelFile, entries: list[LibraryEntry], shape: CacheSettings, free_bytes: int
                ) -> list[DraftOffer]:
        catalog = self.catalog
        known = catalog.recognise(facts) if catalog else None
        if catalog is None or known is None:
            return []
        here = {entry.file_bytes for entry in entries}
        missing = [offer for offer in catalog.offer_drafts(known.id)
                   if not any(file.bytes in here for file in offer.model.files if file.bytes)]
        return rank_offers(missing, facts, shape, free_bytes)

    def _take_entries(self, result: tuple[list[LibraryEntry], Catalog | None, list[Path]]) -> None:
        entries, self.catalog, folders = result
        # A file that is still being copied looks cut short until its last byte is there.
        self._watch.watch(folders, [entry.path for entry in entries if entry.trouble])
        first, self.scanned = not self.scanned, True
        self._extra = {path: entry for path, entry in self._extra.items() if path.exists()}
        if first or {entry.path: entry for entry in entries} | self._extra != {e.path: e for e in self.entries}:
            self._merge(entries)
        self._end_scan()

    def _end_scan(self) -> None:
        self._scanning = False
        if self._scan_again:
            self._scan_again = False
            self.rescan()

    def _merge(self, entries: list[LibraryEntry]) -> None:
        merged = {entry.path: entry for entry in entries} | self._extra
        self.entries = sorted(merged.values(), key=lambda entry: (entry.name.lower(), str(entry.path)))
        self.entries_changed.emit()


def _name_folders(folders: list[str]) -> dict[str, Path]:
    """Each added folder under its own name, with the one above it where two are called alike."""
    named: dict[str, Path] = {}
    for folder in folders:
        path = Path(folder)
        name = path.name or folder
        named[name if name not in named else f"{path.parent.name}/{name}"] = path
    return named
