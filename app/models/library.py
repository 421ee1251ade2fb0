"""The models that are on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import Code, SlipstreamError
from app.models.catalog import Catalog, CatalogModel
from app.models.facts import ModelFile, is_unquantised, join_parts
from app.models.header_cache import HeaderCache
from app.models.pairing import (
    DraftCandidate,
    Measured,
    PairVerdict,
    Suggestion,
    check_facts,
    check_target,
    suggest_drafts,
)
from app.models.sources import FoundFile, find_files, known_sources
from app.models.sources import Source as Source
from app.sentences import say

_PART_NAME = re.compile(r"^(?P<prefix>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$", re.IGNORECASE)


@dataclass(frozen=True)
class LibraryEntry:
    """One model on disk; a split one is one entry.

    ``path`` is what the engine opens (the first part). ``trouble`` says why it cannot be used at all; ``note`` why it
    is not offered as a chat model although it is sound. ``facts`` is None when it could not be read. ``label`` is the
    name that the owning program gives the model, "" if none.
    """

    path: Path
    source: str
    facts: ModelFile | None = None
    part_paths: tuple[Path, ...] = ()
    missing_parts: tuple[str, ...] = ()
    trouble: str = ""
    note: str = ""
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or (self.facts.name if self.facts else self.path.name)

    @property
    def offered(self) -> bool:
        """Whether it may be chosen as a target or a draft model."""
        return self.facts is not None and not self.trouble and not self.note

    @property
    def file_bytes(self) -> int:
        return self.facts.file_bytes if self.facts else 0


class ModelLibrary:
    """Finds models in the program's own folder and in others. Nothing is written but the cache of headers."""

    def __init__(self, sources: Sequence[Source] | None = None, cache: HeaderCache | None = None) -> None:
        self.sources = known_sources() if sources is None else list(sources)
        self._cache = cache or HeaderCache(None)

    def scan(self) -> list[LibraryEntry]:
        """Everything that is there now, by name; the folders are read afresh every time."""
        entries: list[LibraryEntry] = []
        seen: set[tuple[int, int]] = set()
        for source in self.sources:
            files = [file for file in find_files(source) if _is_new(file.path, seen)]
            entries += self._gather(source.name, files)
        self._cache.save()
        return sorted(entries, key=lambda entry: (entry.name.lower(), str(entry.path)))

    def read_entry(self, path: Path) -> LibraryEntry:
        """The entry of one file, with its sister parts; ``trouble`` says what is wrong with it."""
        match = _PART_NAME.match(path.name)
        if match is None:
            return self._read_single("", path)
        siblings = [path.with_name(_part_name(match, number)) for number in range(1, int(match["count"]) + 1)]
        return self._join("", [sibling for sibling in siblings if sibling.is_file()] or [path])

    def _gather(self, source: str, files: Iterable[FoundFile]) -> list[LibraryEntry]:
        groups: dict[tuple[Path, str, str], list[Path]] = {}
        entries: list[LibraryEntry] = []
        for file in files:
            match = _PART_NAME.match(file.path.name)
            if match is None:
                entries.append(self._read_single(source, file.path, file.label))
            else:
                groups.setdefault((file.path.parent, match["prefix"], match["count"]), []).append(file.path)
        entries += [self._join(source, sorted(group)) for group in groups.values()]
        return entries

    def _read_single(self, source: str, file: Path, label: str = "") -> LibraryEntry:
        facts, trouble = self._cache.read(file)
        if facts is None:
            return LibraryEntry(file, source, trouble=trouble, label=label)
        if facts.split_count > 1:
            trouble = say(
                "It is part {number} of {count}, but its name does not end in “{ending}”, so the others are not found.",
                number=facts.split_index + 1, count=facts.split_count,
                ending=f"-{facts.split_index + 1:05}-of-{facts.split_count:05}.gguf",
            )
        return LibraryEntry(file, source, facts, (file,), (), trouble, check_target(facts), label)

    def _join(self, source: str, files: list[Path]) -> LibraryEntry:
        match = _PART_NAME.match(files[0].name)
        if match is None:
            return self._read_single(source, files[0])
        count = int(match["count"])
        names = [_part_name(match, number) for number in range(1, count + 1)] if count <= 9999 else []
        present = {file.name for file in files}
        missing = tuple(name for name in names if name not in present)
        first = files[0].with_name(names[0]) if names else files[0]
        parts: list[ModelFile] = []
        trouble = _describe_missing(missing, count)
        for file in files:
            facts, fault = self._cache.read(file)
            if facts is not None:
                parts.append(facts)
            trouble = trouble or fault
        if not trouble and [part.split_index for part in parts] != list(range(count)):
            trouble = say("Its parts do not belong together: their names and their contents disagree.")
        if not parts:
            return LibraryEntry(first, source, None, tuple(files), missing, trouble)
        joined = join_parts(parts)
        note = "" if trouble else check_target(joined)
        return LibraryEntry(first, source, joined, tuple(files), missing, trouble, note)


def draft_candidates(entries: Iterable[LibraryEntry], cache: HeaderCache, needed: dict[str, int] | None = None
                     ) -> list[DraftCandidate]:
    """What ``pairing.suggest_drafts`` judges; files that could not be read at all are left out.

    Args:
        needed: bytes that a draft at this path adds to the memory.
    """
    candidates: list[DraftCandidate] = []
    for entry in entries:
        if entry.facts is None:
            continue
        trouble = entry.trouble
        vocabulary = None
        if entry.offered:
            try:
                vocabulary = cache.vocabulary(entry.path)
            except SlipstreamError as error:
                trouble = error.message
        candidates.append(DraftCandidate(entry.facts, vocabulary, (needed or {}).get(str(entry.path), 0), trouble))
    return candidates


def suggest_for(target: LibraryEntry, entries: Iterable[LibraryEntry], cache: HeaderCache, *,
                needed: Mapping[str, int] | None = None, free_bytes: int | None = None, catalog: Catalog | None = None,
                measured: Mapping[str, Measured] | None = None) -> list[Suggestion]:
    """``pairing.suggest_drafts`` over a library, reading no more vocabularies than it must: those of another kind or
    size are refused by their facts, and pairs that were compared before are known.

    Args:
        needed: bytes that a draft at this path adds to the memory.
        free_bytes: memory left beside the target.
        catalog: to favour pairs that it names.
        measured: what drafts (by path) gained on this machine.
    """
    if target.facts is None:
        return []
    listed = [entry for entry in entries if entry.facts is not None and entry.path != target.path]
    candidates = [
        DraftCandidate(
            entry.facts, None, (needed or {}).get(str(entry.path), 0), entry.trouble,
            _judge_entry(target.path, target.facts, entry.path, entry.facts, cache) if entry.offered else None,
        )
        for entry in listed if entry.facts is not None
    ]
    cautions = name_cautions(target.facts, listed, catalog) if catalog else {}
    suggestions = suggest_drafts(target.facts, None, candidates, free_bytes, cautions, measured)
    cache.save()
    return suggestions


def _judge_entry(target_path: Path, target: ModelFile, path: Path, facts: ModelFile, cache: HeaderCache) -> PairVerdict:
    return check_facts(target, facts) or cache.verdict(target_path, path)


def name_cautions(target: ModelFile, entries: Iterable[LibraryEntry], catalog: Catalog) -> dict[str, str]:
    """The caution, "" if none, of every draft path that the catalog pairs with the target, which need not be here."""
    known = catalog.recognise(target)
    if known is None:
        return {}
    return {
        str(path): pair.caution for path, model in recognise_models(entries, catalog).items()
        if (pair := catalog.find_pair(known.id, model.id)) is not None
    }


def recognise_models(entries: Iterable[LibraryEntry], catalog: Catalog) -> dict[Path, CatalogModel]:
    """The catalog's model in every offered file that is worth recommending: files with 16-bit weights are not, for
    they answer more slowly than quantised ones and hardly better."""
    found: dict[Path, CatalogModel] = {}
    for entry in entries:
        if entry.offered and entry.facts is not None and not is_unquantised(entry.facts):
            model = catalog.recognise(entry.facts)
            if model is not None:
                found[entry.path] = model
    return found


def recommend_pair(entries: Sequence[LibraryEntry], catalog: Catalog) -> tuple[LibraryEntry, LibraryEntry] | None:
    """A target and a draft on disk that the catalog knows as a pair without caution, the first start's own pair before
    all others, exact downloads before other makings of the same model."""
    known = recognise_models(entries, catalog)
    by_path = {entry.path: entry for entry in entries}
    first = (catalog.data.first_target, catalog.data.first_draft)
    best: tuple[tuple[bool, bool, bool, float], LibraryEntry, LibraryEntry] | None = None
    for target_path, target_model in known.items():
        for draft_path, draft_model in known.items():
            pair = catalog.find_pair(target_model.id, draft_model.id)
            if pair is None or pair.caution:
                continue
            target, draft = by_path[target_path], by_path[draft_path]
            rank = ((pair.target, pair.draft) == first, _is_exact(target, target_model), _is_exact(draft, draft_model),
                    -target_model.parameters_b)
            if best is None or rank > best[0]:
                best = (rank, target, draft)
    return (best[1], best[2]) if best else None


def require_file(path: Path) -> None:
    """Raises ``SlipstreamError`` ``MODEL_NOT_FOUND`` when there is no file at ``path``."""
    if not path.is_file():
        raise SlipstreamError(
            Code.MODEL_NOT_FOUND, say("There is no file “{name}”.", name=path),
            say("Check the path, or choose another model."),
        )


def _is_exact(entry: LibraryEntry, model: CatalogModel) -> bool:
    return any(file.bytes == entry.file_bytes for file in model.files)


def _is_new(file: Path, seen: set[tuple[int, int]]) -> bool:
    """Whether this content was not met under another name: links, hard ones too, are one file."""
    try:
        status = file.stat()
    except OSError:
        return False
    key = (status.st_dev, status.st_ino)
    if key in seen:
        return False
    seen.add(key)
    return True


def _part_name(match: re.Match[str], number: int) -> str:
    return f"{match['prefix']}-{number:05}-of-{match['count']}.gguf"


def _describe_missing(missing: tuple[str, ...], count: int) -> str:
    if not missing:
        return ""
    names = ", ".join(f"“{name}”" for name in missing[:3])
    if len(missing) == 1:
        return say("One of its {count} parts is missing: {name}.", count=count, name=names)
    if len(missing) <= 3:
        return say("{missing} of its {count} parts are missing: {names}.",
                   missing=len(missing), count=count, names=names)
    return say("{missing} of its {count} parts are missing: {names} and others.",
               missing=len(missing), count=count, names=names)
