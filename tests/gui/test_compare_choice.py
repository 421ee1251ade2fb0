from __future__ import annotations

import pytest

from app.errors import SlipstreamError
from app.gui.compare_choice import (
    PromptChoice,
    SideChoice,
    make_sides,
    make_title,
    pick_prompts,
    shipped_kinds,
    speculation_of,
    stopping_rule,
)
from app.gui.compare_names import ModelLabel
from app.settings import Settings, Speculation
from app.terms import Message, Sampling

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


def test_both_sides_get_the_same_seed() -> None:
    choices = [SideChoice("/t", "", OFF), SideChoice("/t", "", NGRAM)]
    made = make_sides(choices, Settings(), Sampling(seed=None), 96, name_of)
    assert [side.sampling.seed for side in made] == [1, 1]


@pytest.mark.parametrize("choice", [SideChoice("", "", OFF), SideChoice("/t", "", FIXED)])
def test_what_is_missing_is_said(choice: SideChoice) -> None:
    with pytest.raises(SlipstreamError, match="Side B"):
        sides(SideChoice("/t", "", OFF), choice)


@pytest.mark.parametrize("speculation", [OFF, AUTO, NGRAM, FIXED])
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
