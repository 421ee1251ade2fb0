"""The catalog of models and of pairs that draft well: ``models_catalog/catalog.toml``, checked when it is read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import msgspec

from app import paths
from app.errors import Code, SlipstreamError
from app.models.facts import ModelFile
from app.records import Record
from app.sentences import say

CATALOG_VERSION = 1
_IDLE_WORDS = frozenset({"instruct", "it", "chat", "meta", "google", "microsoft", "mistralai", "gguf", "awq"})
_VARIANT_WORDS = frozenset({"coder", "math", "vl", "base", "thinking", "reasoning", "distill", "draft", "omni"})

Identifier = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
Repository = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][\w.-]*/[\w.-]+$")]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{64})?$")]
Bytes = Annotated[int, msgspec.Meta(ge=0)]
Line = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
DraftMethod = Literal["draft-eagle3", "draft-mtp", "draft-dflash", "draft-dspark"]


class CatalogFile(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One download. ``file`` is a path inside ``repo``; a ``*`` in it is looked up on the hub. ``bytes`` 0 and
    ``sha256`` "" are unknown until the hub says. For a split model ``file`` is the first part and ``bytes`` the sum."""

    quantisation: Line
    repo: Repository
    file: Line
    bytes: Bytes = 0
    sha256: Sha256 = ""
    parts: Annotated[int, msgspec.Meta(ge=1, le=999)] = 1


class CatalogModel(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model in one or more quantisations, the one to take first. Zeros are unknown. ``head_dim``, ``kv_heads`` and
    ``layers`` describe the key-value cache, ``vocab_size`` the padded vocabulary, ``parameters_b`` is in thousand
    millions. ``caution`` is shown wherever the model is offered as a target."""

    id: Identifier
    name: Line
    family: Line
    licence: Line
    licence_url: str = ""
    gated: bool = False
    parameters_b: Annotated[float, msgspec.Meta(gt=0)]
    active_parameters_b: float = 0.0
    layers: int = 0
    kv_heads: int = 0
    head_dim: int = 0
    ctx_tokens: int = 0
    vocab_size: int = 0
    caution: str = ""
    files: Annotated[list[CatalogFile], msgspec.Meta(min_length=1)]


class CatalogPair(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two ids of models that share a vocabulary. ``caution`` is shown with the pair until it has been measured."""

    target: Identifier
    draft: Identifier
    caution: str = ""


class CatalogHead(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A drafter of a learned method, made for one target; usable only where ``method`` is."""

    target: Identifier
    name: Line
    method: DraftMethod
    file: CatalogFile
    licence: str = ""
    caution: str = ""


class CatalogData(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. ``starter`` is there at the first start; ``first_target`` and ``first_draft`` are the pair that
    the first start recommends."""

    version: int
    starter: Identifier
    first_target: Identifier
    first_draft: Identifier
    model: list[CatalogModel]
    pair: list[CatalogPair]
    draft_head: list[CatalogHead] = msgspec.field(default_factory=list)


@dataclass(frozen=True)
class DraftOffer:
    """A draft that the catalog names for a target, with the file to get. ``note`` says what speaks against it on this
    machine, "" if nothing."""

    model: CatalogModel
    file: CatalogFile
    caution: str
    note: str = ""


class Catalog:
    """Checked catalog with look-ups."""

    def __init__(self, data: CatalogData) -> None:
        self.data = data
        self._models = {model.id: model for model in data.model}

    @property
    def models(self) -> list[CatalogModel]:
        return self.data.model

    @property
    def starter(self) -> CatalogModel:
        return self._models[self.data.starter]

    @property
    def first_pair(self) -> tuple[CatalogModel, CatalogModel]:
        return self._models[self.data.first_target], self._models[self.data.first_draft]

    def model(self, model_id: str) -> CatalogModel:
        """Raises ``KeyError`` for an id that is not in the catalog."""
        return self._models[model_id]

    def pairs_of(self, target_id: str) -> list[CatalogPair]:
        return [pair for pair in self.data.pair if pair.target == target_id]

    def heads_of(self, target_id: str) -> list[CatalogHead]:
        return [head for head in self.data.draft_head if head.target == target_id]

    def find_pair(self, target_id: str, draft_id: str) -> CatalogPair | None:
        return next((p for p in self.data.pair if (p.target, p.draft) == (target_id, draft_id)), None)

    def offer_drafts(self, target_id: str) -> list[DraftOffer]:
        """Drafts to get for a target, the smallest first, each in its first quantisation."""
        offers = [DraftOffer(self._models[pair.draft], self._models[pair.draft].files[0], pair.caution)
                  for pair in self.pairs_of(target_id)]
        return sorted(offers, key=lambda offer: (bool(offer.caution), offer.model.parameters_b))

    def recognise(self, facts: ModelFile) -> CatalogModel | None:
        """The catalog's model that a file on disk holds, judged by its content: the exact bytes of one of its files,
        else the name and size that the file gives itself, with a vocabulary of the right size."""
        for model in self.data.model:
            if any(file.bytes == facts.file_bytes for file in model.files):
                return model
        if facts.kind != "chat":
            return None
        words = _file_words(facts)
        for model in self.data.model:
            close = abs(facts.parameters / 1e9 - model.parameters_b) <= 0.3 * model.parameters_b
            same_vocabulary = not model.vocab_size or abs(facts.vocab_size - model.vocab_size) <= 128
            if close and same_vocabulary and _name_words(model.name) == words:
                return model
        return None


def load_catalog(path: Path | None = None) -> Catalog:
    """Read and check the catalog that comes with the program, or the one at ``path``.

    Raises:
        SlipstreamError: ``CATALOG``; the message names the entry and what is wrong with it.
    """
    place = path or paths.catalog_file()
    try:
        raw = tomllib.loads(place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _failure(place, str(error)) from error
    try:
        data = msgspec.convert(raw, CatalogData)
    except msgspec.ValidationError as error:
        raise _failure(place, _name_entry(str(error), raw)) from error
    problems = list(_find_problems(data))
    if problems:
        raise _failure(place, "; ".join(problems[:5]))
    return Catalog(data)


def catalog_schema() -> dict[str, Any]:
    """JSON schema of the catalog, as it lies beside it for editors."""
    schema = msgspec.json.schema(CatalogData)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Slipstream model catalog", **schema}


def _failure(place: Path, what: str) -> SlipstreamError:
    return SlipstreamError(
        Code.CATALOG, say("The model catalog “{path}” is faulty: {reason}.", path=place.name, reason=what),
        say("Correct the entry, or install the program again."),
    )


def _name_entry(message: str, raw: dict[str, Any]) -> str:
    """Put the entry's own name beside the index in a message of msgspec (``… - at `$.model[3].files[0].bytes```)."""
    found = re.search(r"\$\.(model|pair|draft_head)\[(\d+)\]", message)
    if found is None:
        return message
    entries = raw.get(found[1])
    entry = entries[int(found[2])] if isinstance(entries, list) and int(found[2]) < len(entries) else {}
    if not isinstance(entry, dict):
        return message
    name = entry.get("id") or entry.get("name") or f"{entry.get('target', '?')} / {entry.get('draft', '?')}"
    return f"{found[1]} “{name}”: {message}"


def _find_problems(data: CatalogData) -> Iterator[str]:
    """What types cannot say: unique names, references that lead somewhere, vocabularies that can agree, safe paths."""
    if data.version != CATALOG_VERSION:
        yield f"its version is {data.version} and this program reads version {CATALOG_VERSION}"
    models: dict[str, CatalogModel] = {}
    for model in data.model:
        if model.id in models:
            yield f"model “{model.id}” is there twice"
        models[model.id] = model
        for file in model.files:
            yield from _find_file_problems(f"model “{model.id}”", file)
    for word, model_id in (("starter", data.starter), ("first_target", data.first_target),
                           ("first_draft", data.first_draft)):
        if model_id not in models:
            yield f"{word} names the unknown model “{model_id}”"
    seen: set[tuple[str, str]] = set()
    for pair in data.pair:
        name = f"pair “{pair.target} / {pair.draft}”"
        if (pair.target, pair.draft) in seen:
            yield f"{name} is there twice"
        seen.add((pair.target, pair.draft))
        yield from _find_pair_problems(name, models.get(pair.target), models.get(pair.draft))
    for head in data.draft_head:
        if head.target not in models:
            yield f"draft head “{head.name}” names the unknown model “{head.target}”"
        yield from _find_file_problems(f"draft head “{head.name}”", head.file)


def _find_pair_problems(name: str, target: CatalogModel | None, draft: CatalogModel | None) -> Iterator[str]:
    if target is None or draft is None:
        yield f"{name} names a model that is not in the catalog"
        return
    if draft.parameters_b >= target.parameters_b:
        yield f"{name} has a draft that is not smaller than its target"
    if target.vocab_size and draft.vocab_size and abs(target.vocab_size - draft.vocab_size) > 128:
        yield f"{name} has vocabularies of {target.vocab_size} and {draft.vocab_size} tokens"


def _find_file_problems(owner: str, file: CatalogFile) -> Iterator[str]:
    place = PurePosixPath(file.file)
    if place.is_absolute() or ".." in place.parts or "\\" in file.file or place.suffix != ".gguf":
        yield f"{owner} has the file name “{file.file}”, which is not a GGUF file inside its repository"


def _name_words(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+|\d+(?:\.\d+)?[bmk]?", name.lower())) - _IDLE_WORDS


def _file_words(facts: ModelFile) -> set[str]:
    variant = _name_words(facts.finetune) & _VARIANT_WORDS
    return _name_words(f"{facts.basename} {facts.size_label}") | variant if facts.basename else _name_words(facts.name)
