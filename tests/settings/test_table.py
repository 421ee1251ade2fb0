"""The table of settings against the records that hold the values, and against what else says them."""

from __future__ import annotations

from typing import Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from app.errors import Code, SlipstreamError
from app.models.memory import CACHE_TYPE_BYTES
from app.records import LoadSettings, Sampling, SamplingChoice
from app.settings.scopes import AnswerChoice, LoadChoice
from app.settings.settings import Settings
from app.settings.table import TABLE, Part, Setting, setting, settings_of

HOLDERS: dict[Part, object] = {
    "sampling": Sampling(), "answers": Settings(), "load": Settings().load, "program": Settings(),
}


def fields_of(kind: type[msgspec.Struct]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(kind)}


def test_records_and_table_have_the_same_fields() -> None:
    sampling = {row.key for row in settings_of("sampling")}
    assert sampling == fields_of(Sampling) == fields_of(SamplingChoice)
    assert {row.key for row in settings_of("load")} == fields_of(LoadSettings) == fields_of(LoadChoice)
    answers = {row.key for row in settings_of("answers")}
    assert fields_of(AnswerChoice) == sampling | answers | {"speculation"}
    assert len({row.key for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.key)
def test_defaults_and_choices_are_those_of_the_records(row: Setting) -> None:
    holder = HOLDERS[row.part]
    assert getattr(holder, row.key) == row.default
    assert row.holds(row.default)
    hint = get_type_hints(type(holder))[row.key]
    if row.kind == "choice":
        assert get_origin(hint) is Literal
        assert set(row.values) == set(get_args(hint))
        assert row.default in row.values
    else:
        assert hint == {"whole": int, "decimal": float, "seed": int | None, "text": str}[row.kind]


def test_the_protocols_defaults_are_the_tables() -> None:
    """But for the engine: a worker that is told nothing takes llama.cpp."""
    assert msgspec.structs.replace(LoadSettings(), engine="auto") == Settings().load


def test_cache_types_are_those_that_are_reckoned_with() -> None:
    assert set(setting("cache_type_k").values) == set(setting("cache_type_v").values) == set(CACHE_TYPE_BYTES)


def test_a_value_outside_is_refused_in_words() -> None:
    with pytest.raises(SlipstreamError, match="“temperature” is 7") as raised:
        setting("temperature").check(7.0)
    assert raised.value.code is Code.SETTINGS_INVALID
    assert raised.value.hint == "Give a number from 0 to 5."
    with pytest.raises(SlipstreamError, match="GPU layers"):
        setting("gpu_layers").check(-2)
    assert not setting("top_p").holds(float("nan"))
    setting("seed").check(None)


def test_the_command_line_and_requests_name_no_field_twice() -> None:
    flags = [row.flag for row in TABLE if row.flag]
    fields = [name for row in TABLE for name in row.api]
    assert len(set(flags)) == len(flags)
    assert len(set(fields)) == len(fields)
