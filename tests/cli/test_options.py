"""The options that are made from the table of settings."""

from __future__ import annotations

import argparse

import pytest

from app.cli.options import (
    add_model_options,
    add_sampling_options,
    draft_settings,
    load_settings,
    read_sampling,
)
from app.records import LoadSettings, Sampling
from app.settings.table import Setting, plain, settings_of

LOADED = ["--model", "m"]


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_model_options(parser)
    add_sampling_options(parser, temperature=0.8)
    return parser.parse_args([*LOADED, *arguments])


def test_defaults() -> None:
    args = parse()
    assert load_settings(args) == draft_settings(args) == LoadSettings(engine="auto")
    assert read_sampling(parse("--seed", "3")) == Sampling(seed=3)
    assert read_sampling(args).seed is not None


@pytest.mark.parametrize("row", [*settings_of("sampling"), *settings_of("load")], ids=lambda row: row.key)
def test_the_range_is_the_tables(row: Setting, capsys: pytest.CaptureFixture[str]) -> None:
    if row.kind == "choice":
        good, bad = list(row.values), ["nonsense"]
    else:
        good = [row.flag_word or plain(row.low), plain(row.high)]
        bad = [plain(row.high + 1), plain(row.low - 1), "x"]
    for text in good:
        read = getattr(parse(row.flag, text), row.key)
        assert read == row.low if text == row.flag_word else str(read) in (text, f"{text}.0")
    for text in bad:
        with pytest.raises(SystemExit):
            parse(row.flag, text)
    assert row.flag in capsys.readouterr().err


def test_a_draft_has_its_own_and_follows_in_threads() -> None:
    args = parse("--ctx", "2048", "--threads", "3", "--gpu-layers", "9", "--cache-type-k", "q8_0",
                 "--draft-gpu-layers", "2")
    draft = draft_settings(args)
    assert (draft.ctx_tokens, draft.threads, draft.gpu_layers, draft.cache_type_k) == (2048, 3, 2, "f16")
    assert draft_settings(parse("--threads", "3", "--draft-threads", "1")).threads == 1
    assert draft_settings(parse("--draft-gpu-layers", "auto")).gpu_layers == -1


def test_penalties_of_openai() -> None:
    found = read_sampling(parse("--presence-penalty", "0.5", "--frequency-penalty", "-1.5"))
    assert (found.presence_penalty, found.frequency_penalty) == (0.5, -1.5)
