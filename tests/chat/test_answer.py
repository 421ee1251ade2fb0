from __future__ import annotations

import pytest

from app.chat.answer import Answer, AnswerState, DraftedSpans
from app.chat.conversation import AnswerFacts, Node
from app.gui.words import figures
from app.gui.words.answers import other_programs
from app.gui.words.names import pair_title, shortened
from app.protocol import Chunk, Done, Failed, Notice, OtherPrograms, PrefillProgress
from app.records import MemoryFigures, Piece, SpeculationFigures, Timings


def chunk(*pieces: tuple[str, bool], emitted: int, decode_s: float, drafted: int = 0, accepted: int = 0) -> Chunk:
    return Chunk(request_id=1, pieces=[Piece(text=t, drafted=d) for t, d in pieces], emitted_tokens=emitted,
                 decode_s=decode_s, num_draft_tokens=drafted, num_accepted_draft_tokens=accepted)


def done(**changes: object) -> Done:
    values: dict[str, object] = {
        "request_id": 1, "reason": "eos", "text": "one two", "token_ids": [1, 2], "prompt_tokens": 3,
        "timings": Timings(decode_s=0.1, tokens_per_second=20.0, time_to_first_token_s=0.3),
        "speculation": SpeculationFigures(num_draft_tokens=4, num_accepted_draft_tokens=3), "memory": MemoryFigures(),
    }
    return Done(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(("used", "said"), [(0.49, False), (0.5, True), (1.3, True)])
def test_other_programs_are_named_from_half_a_core_on(used: float, said: bool) -> None:
    answer = Answer()
    answer.take(OtherPrograms(request_id=1, other_cores=used, cores=2, threads=1))
    assert bool(other_programs(answer)) == said
    answer.state = AnswerState.DONE
    assert ("other programs" in figures.answer_line(answer)) == said


def test_what_can_be_skipped_is_over_with_whatever_follows() -> None:
    for following in (Notice(request_id=1, message=""), PrefillProgress(request_id=1, done_tokens=0, total_tokens=1)):
        answer = Answer()
        answer.take(Notice(request_id=1, message="Measuring.", skippable=True))
        assert answer.skippable
        assert answer.waiting_for == "Measuring."
        answer.take(following)
        assert not answer.skippable
        assert not answer.notices, "it says nothing of the finished answer"


def test_an_answer_grows_to_its_end() -> None:
    answer = Answer()
    assert figures.answer_line(answer) == "Waiting for the engine…"
    answer.take(PrefillProgress(request_id=1, done_tokens=512, total_tokens=3000))
    assert figures.answer_line(answer) == "Reading the prompt: 512 of 3,000 tokens"
    answer.take(chunk(("one ", True), ("two", False), emitted=2, decode_s=0.1, drafted=4, accepted=1))
    answer.take(Notice(request_id=1, message="Drafting helps."))
    assert answer.text == "one two"
    assert answer.drafted.within(0, 100) == [(0, 4)]
    answer.take(done())
    assert answer.state is AnswerState.DONE
    assert figures.answer_line(answer) == "2 tokens · 20.0 tokens/s · first after 300 ms · 75% accepted"
    assert answer.notices == ["Drafting helps."]


def test_the_last_bytes_come_with_the_end() -> None:
    answer = Answer()
    answer.take(chunk(("one ", False), emitted=1, decode_s=0.1))
    answer.take(done(text="one ✓"))
    assert answer.text == "one ✓"


@pytest.mark.parametrize(("reason", "words"), [("length", "cut at the length limit"), ("context", "context full"),
                                               ("aborted", "stopped")])
def test_the_reason_is_said(reason: str, words: str) -> None:
    answer = Answer()
    answer.take(done(reason=reason))
    assert figures.answer_line(answer).endswith(words)


def test_what_is_kept_comes_back() -> None:
    answer = Answer()
    answer.take(chunk(("one ", True), ("two", False), emitted=2, decode_s=0.1, drafted=4, accepted=1))
    answer.take(Notice(request_id=1, message="Drafting helps."))
    answer.take(done())
    node = Node(id="n", parent_id="", role="assistant", content=answer.text, facts=answer.facts("T", "D"))
    again = Answer.from_node(node)
    assert figures.answer_line(again) == figures.answer_line(answer)
    assert again.drafted == answer.drafted
    assert again.notices == answer.notices


def test_an_answer_that_never_ended_says_so() -> None:
    node = Node(id="n", parent_id="", role="assistant", content="par", facts=AnswerFacts(tokens=2, drafted=[1, 99, -4]))
    again = Answer.from_node(node)
    assert again.drafted == DraftedSpans()
    assert "cut off" in figures.answer_line(again)


def test_a_failure_comes_back_as_one() -> None:
    answer = Answer()
    answer.take(chunk(("part", False), emitted=1, decode_s=0.1))
    answer.take(Failed(request_id=1, code="worker_died", message="The engine crashed.", hint="Go on."))
    node = Node(id="n", parent_id="", role="assistant", content="part", facts=answer.facts())
    again = Answer.from_node(node)
    assert again.state is AnswerState.FAILED
    assert again.failed is not None
    assert (again.failed.message, again.failed.hint) == ("The engine crashed.", "Go on.")


def test_spans_join_and_are_cut() -> None:
    spans = DraftedSpans()
    for start, end in ((0, 3), (3, 5), (8, 9), (9, 9), (20, 30)):
        spans.add(start, end)
    assert spans.within(0, 100) == [(0, 5), (8, 9), (20, 30)]
    assert spans.within(4, 25) == [(4, 5), (8, 9), (20, 25)]
    assert spans.within(5, 8) == []


@pytest.mark.parametrize(("target", "draft", "title"), [
    ("Qwen2.5-Coder 1.5B", "Qwen2.5-Coder 0.5B", "Qwen2.5-Coder 1.5B, drafted by 0.5B"),
    ("Qwen2.5 Coder 1.5B Instruct GGUF", "Qwen2.5 Coder 0.5B Instruct AWQ", "Qwen2.5 Coder 1.5B, drafted by 0.5B"),
    ("Llama 3.1 8B", "Llama 3.2 1B", "Llama 3.1 8B, drafted by 3.2-1B"),
    ("/models/a b.gguf", "", "a b"),
    ("Same", "Same", "Same, drafted by Same"),
])
def test_pairs_are_named_shortly(target: str, draft: str, title: str) -> None:
    assert pair_title(target, draft) == title
    assert pair_title(target, draft, 2.08) == f"{title} · 2.1×"


def test_shortening_leaves_strangers_alone() -> None:
    assert shortened("SmolLM2 135M", "Qwen 7B") == "SmolLM2 135M"


@pytest.mark.parametrize(("value", "text"), [(0.0004, "0 ms"), (0.4204, "420 ms"), (1.25, "1.2 s"), (12.6, "13 s"),
                                             (130, "2 min")])
def test_durations(value: float, text: str) -> None:
    assert figures.duration(value) == text


def test_rates_are_rounded_to_what_is_known() -> None:
    assert figures.rate(31.04) == "31.0 tokens/s"
    assert figures.rate(131.4) == "131 tokens/s"
    assert figures.rate(0) == "—"
