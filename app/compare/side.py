"""One side of a comparison: a full configuration, from model files to sampling. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.terms import LoadSettings, Record, Sampling

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


def sides_of_methods(setup: ModelSetup, methods: Sequence[str], sampling: Sampling, max_tokens: int) -> list[Side]:
    """The same models and settings with each of ``methods``, named by them."""
    return [
        Side(name=name, setup=setup, method=method, sampling=sampling, max_tokens=max_tokens)
        for name, method in zip(name_apart(methods), methods, strict=True)
    ]
