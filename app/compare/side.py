"""One side of a comparison: a full configuration, from model files to sampling. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import msgspec

from app.records import EngineChoice, LoadSettings, Record, Sampling

LETTERS = "ABCD"
"""What the sides of a comparison are called, in their order."""

MOST_SIDES = 4
"""What a person can still take in at once; a sweep has more."""


class ModelSetup(Record, frozen=True, kw_only=True):
    """What must be loaded for a side. Sides of one setup share one engine."""

    target: str
    load: LoadSettings = LoadSettings()
    draft: str | None = None
    draft_load: LoadSettings | None = None


class Side(Record, frozen=True, kw_only=True):
    """``name`` is shown and must be the only one of its kind in a plan."""

    name: str
    setup: ModelSetup
    method: str
    sampling: Sampling
    max_tokens: int = 128


def name_apart(names: Sequence[str]) -> list[str]:
    """The same names, the second of a kind as “off (2)”."""
    return [
        name if (nth := list(names[:index]).count(name)) == 0 else f"{name} ({nth + 1})"
        for index, name in enumerate(names)
    ]


def split_engine(text: str) -> tuple[EngineChoice | None, str]:
    """An engine and a method: “ik/off” is “off” in ik_llama.cpp; without a stroke it is the setup's own engine."""
    name, stroke, method = text.partition("/")
    engine = next((known for known in get_args(EngineChoice) if stroke and known == name), None)
    return (engine, method) if engine is not None else (None, text)


def with_engine(setup: ModelSetup, engine: EngineChoice | None) -> ModelSetup:
    """``setup`` with target and draft in ``engine``, None for its own."""
    if engine is None:
        return setup
    draft = setup.draft_load and msgspec.structs.replace(setup.draft_load, engine=engine)
    return msgspec.structs.replace(
        setup, load=msgspec.structs.replace(setup.load, engine=engine), draft_load=draft
    )


def sides_of_methods(setup: ModelSetup, methods: Sequence[str], sampling: Sampling, max_tokens: int) -> list[Side]:
    """The same models and settings with each of ``methods``, named by them; one may name its engine (“ik/off”)."""
    sides = []
    for name, text in zip(name_apart(methods), methods, strict=True):
        engine, method = split_engine(text)
        sides.append(Side(name=name, setup=with_engine(setup, engine), method=method, sampling=sampling,
                          max_tokens=max_tokens))
    return sides
