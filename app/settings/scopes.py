"""What is set for one model or one chat apart from what holds for all. A value None follows the wider scope.

Narrower scopes win: the chat, then the model, then the model file's own defaults, then what is set for every model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from app.errors import SlipstreamError
from app.methods import METHODS, parse_method
from app.records import (
    CacheType,
    EngineChoice,
    FlashAttention,
    LoadSettings,
    OnFull,
    Record,
    Sampling,
    SamplingChoice,
)
from app.settings.table import settings_of

SpeculationMode = Literal["off", "auto", "fixed"]
Thinking = Literal["model", "on", "off"]
"""``model`` leaves it to the chat template."""
RANDOM_SEED = -1
"""Says "a fresh seed each time" where None means "as the wider scope has it"."""

PLAIN_ANSWER_FIELDS = tuple(row.key for row in settings_of("answers"))
"""Of ``AnswerChoice``: those that stand in ``Answering`` as they are."""
_SAMPLING_FIELDS = tuple(row.key for row in settings_of("sampling"))
FIXED_METHODS = tuple(name for name in METHODS if name not in ("off", "auto"))


DRAFT_FIELDS = {"max": "max_draft", "min": "min_draft", "p_min": "p_min"}
"""Parameters of the draft model that ``Speculation`` has by a name of their own."""


class Speculation(Record, frozen=True, kw_only=True):
    """The speculative-decoding switch: off, auto, or fixed with a method and its parameters.

    ``max_draft``, ``min_draft`` and ``p_min`` are those of the draft model; ``options`` are whatever else a method
    takes, by the names in ``app.methods``.
    """

    mode: SpeculationMode = "auto"
    drafter: str = "draft"
    max_draft: int = 3
    min_draft: int = 0
    p_min: float = 0.0
    options: dict[str, int | float | str] = msgspec.field(default_factory=dict)

    def method(self) -> str:
        """The method text that ``Generate`` and ``SetSpeculation`` take."""
        if self.mode != "fixed":
            return self.mode
        values: dict[str, int | float | str] = {}
        if self.drafter == "draft":
            values = {key: getattr(self, name) for key, name in DRAFT_FIELDS.items()}
        values |= self.options
        given = ",".join(f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
                         for key, value in values.items())
        return self.drafter + (f":{given}" if given else "")

    @property
    def needs_draft(self) -> bool:
        """Whether an answer with this setting fails without a draft model."""
        return self.mode == "fixed" and METHODS[self.drafter].needs_draft

    @property
    def trouble(self) -> str:
        """Why the engine would refuse it; "" if it would not."""
        if self.drafter not in FIXED_METHODS:
            return f"There is no speculation method called “{self.drafter}”."
        try:
            parse_method(msgspec.structs.replace(self, mode="fixed").method())
        except SlipstreamError as error:
            return f"{error.message} {error.hint}"
        return ""


def speculation_from(method: str) -> Speculation:
    """The switch that gives ``method``. Raises ``SlipstreamError`` (``METHOD_INVALID``)."""
    parsed = parse_method(method)
    if parsed.name in ("off", "auto"):
        return msgspec.convert({"mode": parsed.name}, Speculation)
    kind = METHODS[parsed.name]
    options = {key: value for key, value in parsed.options.items() if value != kind.options[key].default}
    if parsed.name != "draft":
        return Speculation(mode="fixed", drafter=parsed.name, options=options)
    own = {key: value for key, value in options.items() if key not in ("max", "min", "p_min")}
    return Speculation(mode="fixed", drafter="draft", max_draft=parsed.integer("max"), min_draft=parsed.integer("min"),
                       p_min=parsed.number("p_min"), options=own)


class AnswerChoice(SamplingChoice, frozen=True, kw_only=True):
    """How answers are to be made, as far as this scope says."""

    system_prompt: str | None = None
    max_tokens: int | None = None
    thinking: Thinking | None = None
    on_full: OnFull | None = None
    speculation: Speculation | None = None


class LoadChoice(Record, frozen=True, kw_only=True):
    """How a model is to be loaded, as far as this scope says."""

    ctx_tokens: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    cache_type_k: CacheType | None = None
    cache_type_v: CacheType | None = None
    flash_attn: FlashAttention | None = None
    engine: EngineChoice | None = None


class Answering(Record, frozen=True, kw_only=True):
    """How answers are made, every value known."""

    system_prompt: str = ""
    sampling: Sampling = Sampling()
    max_tokens: int = 2048
    thinking: Thinking = "model"
    on_full: OnFull = "trim"

    @property
    def wants_thinking(self) -> bool | None:
        """What the chat template is told; None: nothing."""
        return None if self.thinking == "model" else self.thinking == "on"


class Preset(Record, frozen=True, kw_only=True):
    """A named set of values for answers."""

    name: str
    choice: AnswerChoice


def apply_answers(base: Answering, choices: Iterable[AnswerChoice]) -> Answering:
    """``base`` under ``choices``, the widest scope first."""
    for choice in choices:
        given = given_values(choice)
        sampling = {key: value for key, value in given.items() if key in _SAMPLING_FIELDS}
        if sampling.get("seed") == RANDOM_SEED:
            sampling["seed"] = None
        rest = {key: value for key, value in given.items() if key in PLAIN_ANSWER_FIELDS}
        base = msgspec.structs.replace(base, sampling=msgspec.structs.replace(base.sampling, **sampling), **rest)
    return base


def apply_load(base: LoadSettings, choice: LoadChoice) -> LoadSettings:
    return msgspec.structs.replace(base, **given_values(choice))


def given_values(choice: AnswerChoice | LoadChoice) -> dict[str, Any]:
    """What ``choice`` says, by field."""
    return {key: value for key, value in msgspec.structs.asdict(choice).items() if value is not None}


def choice_of(answering: Answering) -> AnswerChoice:
    """A choice that says everything that ``answering`` says."""
    sampling = msgspec.structs.asdict(answering.sampling)
    known = {field.name for field in msgspec.structs.fields(AnswerChoice)}
    values: dict[str, Any] = {key: value for key, value in sampling.items() if key in known}
    if values.get("seed") is None:
        values["seed"] = RANDOM_SEED
    return AnswerChoice(**values, system_prompt=answering.system_prompt, max_tokens=answering.max_tokens,
                        thinking=answering.thinking, on_full=answering.on_full)


def file_defaults(values: Mapping[str, float]) -> AnswerChoice:
    """The sampling that a model file asks for, as ``ModelFile.sampling`` holds it; values out of range are left out."""
    kept: dict[str, Any] = {}
    for row in settings_of("sampling"):
        value = values.get(row.key)
        if value is not None and row.file_key and row.holds(value):
            kept[row.key] = float(value) if row.kind == "decimal" else int(value)
    return AnswerChoice(**kept)


SHIPPED_PRESETS = (
    Preset(name="Balanced", choice=AnswerChoice(temperature=0.8, top_k=40, top_p=0.95, min_p=0.05)),
    Preset(name="Precise", choice=AnswerChoice(temperature=0.2, top_k=20, top_p=0.9, min_p=0.1)),
    Preset(name="Creative", choice=AnswerChoice(temperature=1.1, top_k=0, top_p=1.0, min_p=0.05)),
    Preset(name="Code", choice=AnswerChoice(
        temperature=0.2, top_k=20, top_p=0.9, min_p=0.1,
        system_prompt="You write correct, readable code. Answer with code first and explain briefly.",
    )),
    Preset(name="Repeatable", choice=AnswerChoice(temperature=0.0, seed=1)),
)
"""What ships with the program."""
