"""A full context: what is dropped, what is said before, and that drafting changes nothing about either."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.backend import AbortFlag, ChatTemplate
from app.engine.context_shift import count_kept, describe_fullness
from app.engine.controller import Controller, FixedController, OffController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.lookahead import LookaheadDrafter
from app.engine.drafters.ngram_simple import NgramSimpleDrafter
from app.engine.drafters.suffix import SuffixDrafter
from app.engine.generate import Generation
from app.engine.prompt import CHATML, encode_chat
from app.engine.sampling import Sampler
from app.records import Message, Sampling
from tests.engine.fakes import VOCAB, GuessingLanguage, Language, ScriptedDrafter, ScriptedModel, finish, start

GREEDY = Sampling(temperature=0.0)
SAMPLED = Sampling(temperature=0.8, seed=5)
CTX = 40


def shifted(controller: Controller, sampling: Sampling, max_tokens: int = 150, **more: object) -> Generation:
    language = Language(end_bias=-30.0, seed=2)
    run = start(ScriptedModel(language, ctx_tokens=CTX), controller, sampling=sampling, max_tokens=max_tokens,
                prompt=range(1, 11), on_full="shift", keep_tokens=6, **more)  # type: ignore[arg-type]
    finish(run)
    return run


def oracle(sampling: Sampling, max_tokens: int) -> list[int]:
    """The text, by the naive loop."""
    language, sampler = Language(end_bias=-30.0, seed=2), Sampler(sampling)
    context, text = list(range(1, 11)), []
    while len(text) < max_tokens:
        if len(context) > CTX:
            del context[6 : 6 + (CTX - 6) // 2]
        text.append(sampler.choose(language.logits(context), context).token)
        context.append(text[-1])
    return text


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
def test_the_answer_goes_on_behind_the_system_prompt(sampling: Sampling) -> None:
    run = shifted(OffController(), sampling)
    assert run.token_ids == oracle(sampling, 150)
    assert run.reason == "length"
    assert run.context[:6] == list(range(1, 7)), "what is kept stays at the start"
    assert run.context[6:] == run.token_ids[-(len(run.context) - 6) :], "behind it stands the latest part"
    assert run.stats.dropped_tokens == len(run.prompt) + 150 - len(run.context) > 100
    assert run.stats.dropped_tokens % ((CTX - 6) // 2) == 0


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
@pytest.mark.parametrize("name", ["ngram-simple", "suffix", "lookahead", "draft", "short draft", "stiff draft"])
def test_drafting_changes_nothing_about_it(name: str, sampling: Sampling) -> None:
    guessing = GuessingLanguage(Language(end_bias=-30.0, seed=2), lambda _: 0.7)
    draft = ScriptedModel(guessing, ctx_tokens=CTX // 2 if name == "short draft" else CTX, max_rows=1,
                          shifts=name != "stiff draft")
    controller = FixedController({
        "ngram-simple": NgramSimpleDrafter(1, 8), "suffix": SuffixDrafter(2.0, 0.0, None),
        "lookahead": LookaheadDrafter(3, 5),
    }.get(name) or DraftModelDrafter(draft, VOCAB), 8)
    run = shifted(controller, sampling, draft=draft)
    assert run.token_ids == oracle(sampling, 150)
    assert run.stats.speculation(name, "").num_accepted_draft_tokens > 0


@given(
    guesses=st.lists(st.lists(st.integers(0, VOCAB - 1), max_size=9), min_size=1, max_size=20),
    right=st.lists(st.integers(0, 9), min_size=1, max_size=20), longest=st.integers(1, 12),
    max_tokens=st.integers(1, 120),
)
@settings(max_examples=100, deadline=None)
def test_whatever_drafts(guesses: list[list[int]], right: list[int], longest: int, max_tokens: int) -> None:
    text = oracle(SAMPLED, max_tokens)
    run: Generation | None = None

    def guess(context: Sequence[int]) -> list[int]:
        done = len(run.token_ids) if run is not None else 0
        return text[done : done + right[done % len(right)]] + guesses[done % len(guesses)]

    controller = FixedController(ScriptedDrafter(guess), longest)
    run = start(ScriptedModel(Language(end_bias=-30.0, seed=2), ctx_tokens=CTX), controller, sampling=SAMPLED,
                max_tokens=max_tokens, prompt=range(1, 11), on_full="shift", keep_tokens=6)
    finish(run)
    assert run.token_ids == text


def test_a_drafts_cache_moves_up_instead_of_being_read_again() -> None:
    guessing = GuessingLanguage(Language(end_bias=-30.0, seed=2), lambda _: 0.7)
    draft = ScriptedModel(guessing, ctx_tokens=CTX, max_rows=1)
    shifted(FixedController(DraftModelDrafter(draft, VOCAB), 4), GREEDY, draft=draft)
    assert max(draft.decoded[1:]) <= 5


@pytest.mark.parametrize(("shifts", "keep"), [(False, 6), (True, CTX // 2 + 1)])
def test_where_nothing_can_be_dropped_the_answer_ends(shifts: bool, keep: int) -> None:
    prompt = [1 + n % 9 for n in range(30)]
    run = start(ScriptedModel(Language(end_bias=-30.0), ctx_tokens=CTX, shifts=shifts), OffController(), prompt=prompt,
                on_full="shift", keep_tokens=keep)
    words = describe_fullness(run)
    assert "in 11 tokens the answer ends." in words
    assert ("cannot drop" in words) == (not shifts)
    finish(run)
    assert (run.reason, len(run.token_ids)) == ("context", 11)


def test_it_is_said_before_it_happens() -> None:
    target = ScriptedModel(Language(end_bias=-30.0), ctx_tokens=1000)
    run = start(target, OffController(), prompt=[1 + n % 9 for n in range(800)], max_tokens=900)
    words = []
    for _ in run.steps():
        words.append(describe_fullness(run))
    first = next(number for number, sentence in enumerate(words, start=1) if sentence)
    assert 1001 - 800 - first == 125
    assert words[first - 1] == "The context of 1,000 tokens is nearly full: in 125 tokens the answer ends."
    assert run.reason == "context"


def test_an_answer_that_fits_is_not_warned_about() -> None:
    target = ScriptedModel(Language(end_bias=-30.0), ctx_tokens=100)
    run = start(target, OffController(), prompt=[1 + n % 9 for n in range(80)], max_tokens=21)
    assert not describe_fullness(run)
    finish(run)
    assert run.reason == "length"


def test_a_shift_is_announced_as_one() -> None:
    target = ScriptedModel(Language(end_bias=-30.0), ctx_tokens=100)
    run = start(target, OffController(), prompt=[1 + n % 9 for n in range(80)], max_tokens=100, on_full="shift",
                keep_tokens=4)
    assert describe_fullness(run).endswith("in 21 tokens the oldest part of the chat behind the system prompt is "
                                           "dropped.")


class Letters(ScriptedModel):
    """Every letter of a text is a token of its own."""

    def tokenize(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]:
        return [ord(letter) for letter in text]


def test_kept_is_what_stands_before_the_first_question() -> None:
    target = Letters(template=ChatTemplate(source=CHATML))
    messages = [Message(role="system", content="Be brief."), Message(role="user", content="Why is the sky blue?"),
                Message(role="assistant", content="Because."), Message(role="user", content="Really?")]
    prompt = encode_chat(target, messages)
    kept = "".join(map(chr, prompt[: count_kept(target, prompt, messages)]))
    assert kept == "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n"
    prompt = encode_chat(target, messages[1:])
    kept = "".join(map(chr, prompt[: count_kept(target, prompt, messages[1:])]))
    assert kept == "<|im_start|>user\n"


def test_a_text_without_messages_keeps_its_first_tokens() -> None:
    target = Letters()
    assert count_kept(target, list(range(100)), []) == 4
    assert count_kept(target, [1, 2], []) == 1


def test_a_template_that_refuses_other_words_is_no_trouble() -> None:
    source = "{% if 'sky' not in messages[0].content %}{{ raise_exception('No.') }}{% endif %}{{ messages[0].content }}"
    target = Letters(template=ChatTemplate(source=source))
    messages = [Message(role="user", content="The sky is blue.")]
    assert count_kept(target, encode_chat(target, messages), messages) == 4


def test_a_stop_text_ends_the_answer_at_the_same_token_however_many_a_pass_brought() -> None:
    language = Language(end_bias=-30.0, seed=2)
    for controller in (OffController(), FixedController(ScriptedDrafter(lambda _: [1, 2, 3]), 3)):
        run = Generation(ScriptedModel(language), None, controller, Sampler(SAMPLED), [1, 2, 3], 30, AbortFlag())
        run.prefill(lambda _: None)
        list(run.steps())
        run.end_after(17)
        assert len(run.token_ids) == len(run.draws) == run.stats.emitted_tokens == 17
        assert run.target.tokens == run.context[:-1] == [*run.prompt, *run.token_ids][:-1]
        run.end_after(20)
        assert len(run.token_ids) == 17
