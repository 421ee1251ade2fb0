from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.errors import SlipstreamError
from app.gui.controllers.compare_choice import (
    PromptChoice,
    SideChoice,
    load_choice,
    make_sides,
    make_sweep_sides,
    make_title,
    pick_prompts,
    prompt_file,
    read_own_prompts,
    shipped_kinds,
    speculation_of,
    stopping_rule,
)
from app.gui.controllers.compare_names import ModelLabel
from app.records import LoadSettings, Message, Sampling
from app.settings.scopes import AnswerChoice, LoadChoice
from app.settings.settings import Settings, Speculation
from app.settings.table import setting

OFF, AUTO = Speculation(mode="off"), Speculation(mode="auto")
NGRAM = Speculation(mode="fixed", drafter="ngram-simple")
FIXED = Speculation(mode="fixed", max_draft=6, p_min=0.5)
NAMES = {
    "/t": ModelLabel("Qwen2.5-Coder 1.5B", "BF16"), "/d": ModelLabel("Qwen2.5-Coder 0.5B", "Q4_0"),
    "/u": ModelLabel("Qwen2.5-Coder 7B", "Q4_K_M"), "/q": ModelLabel("Qwen2.5-Coder 1.5B", "Q4_K_M"),
    "/e": ModelLabel("Qwen2.5-Coder 0.5B", "Q8_0"),
}
name_of = NAMES.__getitem__


def sides(*choices: SideChoice) -> list[tuple[str, str, str, str | None]]:
    made = make_sides(list(choices), Settings(), Sampling(), 96, name_of)
    return [(side.name, side.method, side.setup.target, side.setup.draft) for side in made]


def test_sides_that_need_the_same_models_share_a_setup() -> None:
    assert sides(SideChoice("/t", "", OFF), SideChoice("/t", "/d", FIXED)) == [
        ("Speculation off", "off", "/t", "/d"),
        ("Fixed K=6, p ≥ 0.5, drafted by 0.5B", "draft:max=6,p_min=0.5", "/t", "/d"),
    ]


def test_a_draft_that_no_side_asks_is_not_loaded() -> None:
    assert [draft for *_, draft in sides(SideChoice("/t", "/d", OFF), SideChoice("/t", "/d", NGRAM))] == [None, None]


def test_other_targets_are_named_and_loaded_apart() -> None:
    assert sides(SideChoice("/t", "/d", AUTO), SideChoice("/u", "/d", AUTO)) == [
        ("Qwen2.5-Coder 1.5B: Auto, drafted by 0.5B", "auto", "/t", "/d"),
        ("Qwen2.5-Coder 7B: Auto, drafted by 0.5B", "auto", "/u", "/d"),
    ]


def test_a_side_against_itself_has_two_names() -> None:
    names = [name for name, *_ in sides(SideChoice("/t", "", OFF), SideChoice("/t", "", OFF))]
    assert names == ["Speculation off", "Speculation off (2)"]


def names(*choices: SideChoice) -> list[str]:
    return [name for name, *_ in sides(*choices)]


def test_form_against_form_is_told_by_the_form() -> None:
    assert names(SideChoice("/t", "", OFF), SideChoice("/q", "", OFF)) == [
        "BF16: Speculation off", "Q4_K_M: Speculation off"]
    assert names(SideChoice("/t", "", OFF), SideChoice("/q", "", OFF), SideChoice("/u", "", OFF))[1:] == [
        "Qwen2.5-Coder 1.5B Q4_K_M: Speculation off", "Qwen2.5-Coder 7B Q4_K_M: Speculation off"]


def test_draft_against_draft_and_length_against_length() -> None:
    assert names(SideChoice("/t", "/d", AUTO), SideChoice("/t", "/e", AUTO)) == [
        "Auto, drafted by 0.5B Q4_0", "Auto, drafted by 0.5B Q8_0"]
    longer = Speculation(mode="fixed", max_draft=8)
    assert names(SideChoice("/t", "/d", FIXED), SideChoice("/t", "/d", longer)) == [
        "Fixed K=6, p ≥ 0.5, drafted by 0.5B", "Fixed K=8, drafted by 0.5B"]


def test_what_sides_set_for_themselves_is_in_their_names_and_their_loads() -> None:
    choices = [
        SideChoice("/t", "", OFF),
        SideChoice("/t", "", OFF, load=LoadChoice(cache_type_k="q8_0"), answers=AnswerChoice(max_tokens=32)),
        SideChoice("/t", "", OFF, answers=AnswerChoice(temperature=0.5)),
    ]
    made = make_sides(choices, Settings(), Sampling(temperature=0.0), 96, name_of)
    assert [side.name for side in made] == [
        "Speculation off · K cache f16 · temperature 0 · 96 tokens",
        "Speculation off · K cache q8_0 · temperature 0 · 32 tokens",
        "Speculation off · K cache f16 · temperature 0.5 · 96 tokens",
    ]
    assert [side.setup.load.cache_type_k for side in made] == ["f16", "q8_0", "f16"]
    assert made[0].setup == made[2].setup != made[1].setup


def test_a_draft_is_not_lent_to_a_side_that_is_loaded_otherwise() -> None:
    choices = [SideChoice("/t", "", OFF, load=LoadChoice(ctx_tokens=512)), SideChoice("/t", "/d", AUTO)]
    made = make_sides(choices, Settings(), Sampling(), 96, name_of)
    assert [side.setup.draft for side in made] == [None, "/d"]


def test_a_draft_has_its_targets_context_and_its_own_caches() -> None:
    choice = SideChoice("/t", "/d", AUTO, load=LoadChoice(ctx_tokens=512), draft_load=LoadChoice(cache_type_v="q4_0"))
    setup = make_sides([choice], Settings(), Sampling(), 96, name_of)[0].setup
    assert setup.draft_load is not None
    assert (setup.draft_load.ctx_tokens, setup.draft_load.cache_type_v) == (512, "q4_0")
    assert setup.load.cache_type_v == "f16"


def test_engine_against_engine() -> None:
    first, second = setting("engine").values[-2:]
    choices = [SideChoice("/t", "/d", AUTO, engine=first), SideChoice("/t", "/d", AUTO, engine=second)]
    made = make_sides(choices, Settings(), Sampling(), 96, name_of)
    assert [side.name for side in made] == [
        f"Auto, drafted by 0.5B · {first} engine", f"Auto, drafted by 0.5B · {second} engine"]
    assert [msgspec.to_builtins(side.setup.draft_load)["engine"] for side in made] == [first, second]


def test_a_sweep_has_one_pair_and_many_settings() -> None:
    made = make_sweep_sides(SideChoice("/t", "/d", OFF), Settings(), Sampling(temperature=0.0), 64)
    assert {(side.setup.target, side.setup.draft, side.max_tokens) for side in made} == {("/t", "/d", 64)}
    assert len(made) > 20
    with pytest.raises(SlipstreamError):
        make_sweep_sides(SideChoice(), Settings(), Sampling(), 64)


def test_what_differs_from_the_settings_is_kept_as_a_choice() -> None:
    base = LoadSettings()
    assert load_choice(base, base) == LoadChoice()
    assert load_choice(msgspec.structs.replace(base, threads=3), base) == LoadChoice(threads=3)


def test_own_prompts(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("One\n\nTwo\n\nThree", encoding="utf-8")
    own = read_own_prompts(path)
    choice = PromptChoice("file", own=own, per_kind=2)
    assert [prompt.messages[0].content for prompt in pick_prompts(choice)] == ["One", "Two"]
    assert make_title(pick_prompts(choice), choice) == "2 prompts of mine.txt"
    assert prompt_file(choice) == own.file
    with pytest.raises(SlipstreamError):
        read_own_prompts(tmp_path / "none.txt")
    path.write_bytes(b"\xff\xfe\x00broken")
    with pytest.raises(SlipstreamError, match=r"mine\.txt"):
        read_own_prompts(path)
    with pytest.raises(SlipstreamError):
        pick_prompts(PromptChoice("file"))


def test_both_sides_get_the_same_seed() -> None:
    choices = [SideChoice("/t", "", OFF), SideChoice("/t", "", NGRAM)]
    made = make_sides(choices, Settings(), Sampling(seed=None), 96, name_of)
    assert [side.sampling.seed for side in made] == [1, 1]


@pytest.mark.parametrize("choice", [SideChoice("", "", OFF), SideChoice("/t", "", FIXED)])
def test_what_is_missing_is_said(choice: SideChoice) -> None:
    with pytest.raises(SlipstreamError, match="Side B"):
        sides(SideChoice("/t", "", OFF), choice)


@pytest.mark.parametrize("speculation", [
    OFF, AUTO, NGRAM, FIXED, speculation_of("suffix:max=9,history=on"), speculation_of("draft:max=2,first=suffix")])
def test_a_method_is_the_switch_it_came_from(speculation: Speculation) -> None:
    assert speculation_of(speculation.method()) == speculation


@pytest.mark.parametrize("choice", [PromptChoice(), PromptChoice("chat"), PromptChoice("shipped", text="x")])
def test_without_a_prompt_there_is_nothing_to_run(choice: PromptChoice) -> None:
    with pytest.raises(SlipstreamError):
        pick_prompts(choice)


def test_shipped_prompts_are_picked_by_kind() -> None:
    kinds = shipped_kinds()
    assert len(kinds) == 8
    picked = pick_prompts(PromptChoice("shipped", kinds=("code", "chat"), per_kind=2))
    assert [prompt.kind for prompt in picked] == ["chat", "chat", "code", "code"]
    assert make_title(picked, PromptChoice("shipped")) == "Shipped prompts: chat, code"
    every = pick_prompts(PromptChoice("shipped", kinds=tuple(kinds)))
    assert make_title(every, PromptChoice("shipped")) == "8 shipped prompts of 8 kinds"


def test_the_chats_messages_are_the_prompt() -> None:
    messages = (Message(role="user", content="One"), Message(role="assistant", content="1"),
                Message(role="user", content="Two " * 40))
    prompt = pick_prompts(PromptChoice("chat", messages=messages))[0]
    assert prompt.messages == list(messages)
    title = make_title([prompt], PromptChoice("chat"))
    assert title.startswith("Two Two")
    assert len(title) == 60
    assert title.endswith("…")


def test_how_long_it_measures() -> None:
    assert stopping_rule(1, quick=False).first_rounds == 6
    assert stopping_rule(8, quick=True).most_rounds == 2
