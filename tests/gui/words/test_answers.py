from __future__ import annotations

import pytest

from app.chat.answer import Answer, AnswerState
from app.gui.words.answers import answer_explanation, why_no_gain
from app.gui.words.figures import answer_line


def answer(**more: object) -> Answer:
    values: dict[str, object] = {
        "state": AnswerState.DONE, "emitted_tokens": 100, "final_rate": 30.0, "time_to_first_token_s": 0.4,
        "num_draft_tokens": 80, "num_accepted_draft_tokens": 60, "mean_acceptance_length": 2.9, "method": "auto",
        "speed_up": 1.8, "reason": "eos", **more,
    }
    return Answer(**values)  # type: ignore[arg-type]


def test_the_line_names_every_figure() -> None:
    assert answer_line(answer()) == (
        "100 tokens · 30.0 tokens/s · first after 400 ms · 75% accepted · 2.9 per step · 1.8× speed-up")


def test_the_tooltip_explains_what_the_line_shows() -> None:
    words = answer_explanation(answer())
    for begin in ("Tokens/s:", "First after:", "Accepted: 60 of 80", "Per step:", "Speed-up:"):
        assert begin in words
    plain = answer_explanation(answer(num_draft_tokens=0, method="off", speed_up=0.0))
    assert "Accepted" not in plain
    assert answer_explanation(Answer()) == ""


@pytest.mark.parametrize(("more", "reason"), [
    ({}, ""),
    ({"num_draft_tokens": 0, "method": "off"}, "speculation was off"),
    ({"num_draft_tokens": 0, "notices": ["Auto says why."]}, "Auto says why."),
    ({"num_draft_tokens": 0}, "not have been faster"),
    ({"num_draft_tokens": 0, "method": "ngram-simple"}, "nothing in this text"),
    ({"speed_up": 1.01, "num_accepted_draft_tokens": 8}, "only 10% of the guesses"),
    ({"speed_up": 0.8}, "costs about as much"),
    ({"speed_up": 0.0}, ""),
    ({"speed_up": 0.8, "state": AnswerState.WRITING}, ""),
])
def test_why_it_did_not_help(more: dict[str, object], reason: str) -> None:
    said = why_no_gain(answer(**more))
    assert (reason in said) if reason else said == ""
