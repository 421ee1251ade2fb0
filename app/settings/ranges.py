"""Whether values are within the ranges of the table of settings, wherever in a record they stand.

A value is known by its field's name, so what holds for every model, a model, a chat, a preset and a
draft is found alike.
"""

from __future__ import annotations

from typing import Any

import msgspec

from app.errors import Code, SlipstreamError
from app.methods import METHODS
from app.settings.scopes import DRAFT_FIELDS, RANDOM_SEED, AnswerChoice, Speculation
from app.settings.table import TABLE, Setting, outside, plain

_NUMBERS = {row.key: row for row in TABLE if row.is_number}


def check(record: Any) -> None:
    """Raises ``SlipstreamError`` (``SETTINGS_INVALID``) when a value in ``record`` is outside its range."""
    if isinstance(record, Speculation):
        _check_speculation(record)
    elif isinstance(record, msgspec.Struct):
        for name, value in msgspec.structs.asdict(record).items():
            if name in _NUMBERS and not _holds(_NUMBERS[name], value):
                _NUMBERS[name].check(value)
            check(value)
    elif isinstance(record, list | dict):
        for value in record.values() if isinstance(record, dict) else record:
            check(value)


def bring_in(record: Any, changes: list[str]) -> Any:
    """``record`` with the nearest value for each that is outside its range; what was changed comes to ``changes``."""
    if isinstance(record, Speculation):
        return _bring_in_speculation(record, changes) or Speculation()
    if isinstance(record, msgspec.Struct):
        values = msgspec.structs.asdict(record)
        made = {name: _bring_in_field(name, value, changes) for name, value in values.items()}
        if isinstance(record, AnswerChoice) and record.speculation is not None:
            made["speculation"] = _bring_in_speculation(record.speculation, [])
        return record if all(made[name] is value for name, value in values.items()) else type(record)(**made)
    if isinstance(record, dict):
        return {key: bring_in(value, changes) for key, value in record.items()}
    return [bring_in(value, changes) for value in record] if isinstance(record, list) else record


def _bring_in_field(name: str, value: Any, changes: list[str]) -> Any:
    row = _NUMBERS.get(name)
    if row is None or _holds(row, value):
        return bring_in(value, changes)
    nearest = row.nearest(value)
    changes.append(f"{row.name} {plain(nearest)}")
    return nearest


def _holds(row: Setting, value: Any) -> bool:
    return row.holds(value) or (row.kind == "seed" and value == RANDOM_SEED)


def _check_speculation(switch: Speculation) -> None:
    for key, name in DRAFT_FIELDS.items():
        option, value = METHODS["draft"].options[key], getattr(switch, name)
        if not option.low <= value <= option.high:
            raise outside(_SPECULATION_NAMES[name], value, option.low, option.high)
    if switch.trouble:
        raise SlipstreamError(Code.SETTINGS_INVALID, f"The speculation setting cannot be used: {switch.trouble}",
                              "Choose a method and its numbers again.")


def _bring_in_speculation(switch: Speculation, changes: list[str]) -> Speculation | None:
    """None where the method cannot be used at all."""
    values = {}
    for key, name in DRAFT_FIELDS.items():
        option, value = METHODS["draft"].options[key], getattr(switch, name)
        values[name] = type(value)(min(max(value, option.low), option.high))
        if values[name] != value:
            changes.append(f"{_SPECULATION_NAMES[name]} {values[name]:g}")
    switch = msgspec.structs.replace(switch, **values)
    if not switch.trouble:
        return switch
    changes.append("speculative decoding")
    return None


_SPECULATION_NAMES = {"max_draft": "max draft tokens", "min_draft": "min draft tokens", "p_min": "draft probability"}
