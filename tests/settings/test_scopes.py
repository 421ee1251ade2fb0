from __future__ import annotations

import pytest

from app.methods import METHODS, Option, parse_method
from app.records import LoadSettings, Sampling
from app.settings.ranges import check
from app.settings.scopes import (
    FIXED_METHODS,
    RANDOM_SEED,
    SHIPPED_PRESETS,
    AnswerChoice,
    Answering,
    LoadChoice,
    Speculation,
    apply_answers,
    choice_of,
    file_defaults,
    speculation_from,
)
from app.settings.settings import Settings, TargetSettings


def test_narrower_scopes_win() -> None:
    base = Answering(system_prompt="All.", sampling=Sampling(temperature=0.8, seed=3), max_tokens=100)
    file = file_defaults({"temperature": 0.6, "top_k": 20.0})
    model = AnswerChoice(temperature=0.5, system_prompt="Model.", thinking="off")
    chat = AnswerChoice(temperature=0.4, seed=RANDOM_SEED)
    found = apply_answers(base, (file, model, chat))
    assert (found.sampling.temperature, found.sampling.top_k, found.sampling.seed) == (0.4, 20, None)
    assert (found.system_prompt, found.max_tokens, found.wants_thinking) == ("Model.", 100, False)
    assert apply_answers(base, (AnswerChoice(), AnswerChoice())) == base
    assert apply_answers(Answering(), (choice_of(found),)) == found


def test_what_a_file_asks_for_is_checked() -> None:
    assert file_defaults({"temperature": 99.0, "top_p": -1.0, "min_p": 0.1}) == AnswerChoice(min_p=0.1)


def test_loading_of_target_and_draft() -> None:
    settings = Settings(
        load=LoadSettings(ctx_tokens=4096, gpu_layers=10), draft_load=LoadChoice(gpu_layers=99),
        targets={"t": TargetSettings(load=LoadChoice(ctx_tokens=8192),
                                     draft_load=LoadChoice(cache_type_k="q8_0", ctx_tokens=512))},
    )
    assert settings.load_for("other") == settings.load
    assert settings.load_for("t").ctx_tokens == 8192
    draft = settings.draft_load_for("t")
    assert (draft.ctx_tokens, draft.gpu_layers, draft.cache_type_k) == (8192, 99, "q8_0")


@pytest.mark.parametrize("name", FIXED_METHODS)
def test_every_method_survives_the_switch(name: str) -> None:
    assert speculation_from(name).method().partition(":")[0] == name
    assert not speculation_from(name).trouble
    for key, option in METHODS[name].options.items():
        text = f"{name}:{key}={_another(option)}"
        assert parse_method(speculation_from(text).method()) == parse_method(text)


def _another(option: Option) -> str:
    if option.choices:
        return option.choices[-1]
    if isinstance(option.default, str):
        return "/some/file"
    return f"{option.high:g}"


def test_trouble_is_said() -> None:
    assert "nonsense" in Speculation(drafter="nonsense").trouble
    assert "n" in Speculation(drafter="ngram-simple", options={"n": 99}).trouble
    assert Speculation(drafter="auto").trouble


def test_shipped_presets_are_valid() -> None:
    assert len({preset.name for preset in SHIPPED_PRESETS}) == len(SHIPPED_PRESETS) >= 4
    for preset in SHIPPED_PRESETS:
        check(preset.choice)
