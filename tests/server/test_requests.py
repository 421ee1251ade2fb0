"""What becomes of the fields of a request that are settings."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from app.records import Sampling
from app.server.refusal import RefusedError
from app.server.requests import read_chat
from app.settings.table import Setting, setting, settings_of


def sampling_of(**fields: Any) -> Sampling:
    body = {"messages": [{"role": "user", "content": "Hi"}], **fields}
    return read_chat(msgspec.json.encode(body), 4096).generate.sampling


@pytest.mark.parametrize("row", settings_of("sampling"), ids=lambda row: row.key)
def test_every_setting_of_sampling_has_its_fields_and_range(row: Setting) -> None:
    inside = row.high if row.kind == "decimal" else int(row.high)
    for name in row.api:
        assert getattr(sampling_of(**{name: inside}), row.key) == inside
        for outside in (row.high + 1, row.low - 1):
            if outside < 0 and row.api_below is not None:
                continue
            with pytest.raises(RefusedError, match=name) as raised:
                sampling_of(**{name: outside})
            assert (raised.value.status, raised.value.param) == (400, name)
    if row.kind != "seed":
        assert getattr(sampling_of(), row.key) == row.default


def test_negative_numbers_that_other_servers_take() -> None:
    found = sampling_of(temperature=-1, top_k=-1, seed=-1)
    assert (found.temperature, found.top_k) == (0.0, 0)
    assert found.seed is not None
    assert found.seed >= 0


def test_penalties_of_openai() -> None:
    found = sampling_of(presence_penalty=0.5, frequency_penalty=-1.5)
    assert (found.presence_penalty, found.frequency_penalty) == (0.5, -1.5)


def test_rules_without_a_setting_are_refused() -> None:
    with pytest.raises(RefusedError, match="logit_bias"):
        sampling_of(logit_bias={"5": 1.0})


def test_the_largest_number_stands_for_no_limit() -> None:
    body = msgspec.json.encode({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2**40})
    assert read_chat(body, 4096).generate.max_tokens == setting("max_tokens").high
