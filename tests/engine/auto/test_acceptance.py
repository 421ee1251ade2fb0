"""Calibration of confidences."""

from __future__ import annotations

import random

import pytest

from app.engine.auto.acceptance import EDGES, LONG_RUN_LIMIT, AcceptanceModel, Counts


def test_at_first_a_confidence_is_taken_at_its_word() -> None:
    model = AcceptanceModel([])
    assert [model.probability(c) for c in (0.0, 0.3, 0.99, 1.0)] == pytest.approx([0.0, 0.3, 0.99, 1.0])


def test_what_was_seen_counts_more_and_more() -> None:
    model = AcceptanceModel([])
    before = model.probability(0.93)
    for _ in range(300):
        model.observe(0.93, False)
        now = model.probability(0.93)
        assert now <= before
        before = now
    assert before < 0.05
    assert model.probability(0.5) == pytest.approx(0.5), "other confidences are other matters"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_converges_to_the_share_that_stands(share: float) -> None:
    model, chance = AcceptanceModel([]), random.Random(3)
    for _ in range(2000):
        model.observe(0.7, chance.random() < share)
    assert model.probability(0.7) == pytest.approx(share, abs=0.06)


def test_adapts_within_an_answer() -> None:
    model = AcceptanceModel([])
    for _ in range(2000):
        model.observe(0.7, True)
    for _ in range(2 * int(LONG_RUN_LIMIT)):
        model.observe(0.7, False)
    assert model.probability(0.7) < 0.2


def test_the_long_run_is_kept_and_the_answer_is_not() -> None:
    long_run: list[Counts] = []
    model = AcceptanceModel(long_run)
    assert len(long_run) == len(EDGES) + 1
    for _ in range(100):
        model.observe(0.7, False)
    within = model.probability(0.7)
    model.begin()
    assert within < model.probability(0.7) < 0.2
    assert AcceptanceModel(long_run).probability(0.7) == pytest.approx(model.probability(0.7))


@pytest.mark.parametrize("confidence", [0.0, 0.1, 0.995, 1.0, *EDGES])
def test_every_confidence_has_a_bin(confidence: float) -> None:
    model = AcceptanceModel([])
    for _ in range(50):
        model.observe(confidence, True)
    assert 0.5 < model.probability(confidence) <= 1.0


def test_a_guess_not_made_yet_is_expected_as_those_before() -> None:
    model = AcceptanceModel([])
    for previous in (None, 0.2, 0.97):
        assert 0.3 < model.expected_next(previous) < 1.0
        for _ in range(200):
            model.observe_next(previous, 0.1)
        assert model.expected_next(previous) == pytest.approx(0.1, abs=0.08)


def test_counts_fade() -> None:
    counts = Counts()
    for _ in range(1000):
        counts.add(True, 100)
    assert counts.judged == pytest.approx(100)
    assert counts.stood == pytest.approx(100)
    for _ in range(100):
        counts.add(False, 100)
    assert counts.stood / counts.judged < 0.4
