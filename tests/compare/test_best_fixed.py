"""Auto against fixed settings: choosing and scoring on different repeats."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.compare.auto_vs_fixed import describe_noise, describe_standing, standing_rows
from app.compare.best_fixed import AgainstFixed, Standing, find_noise, judge_auto
from app.compare.interval import Estimate
from app.compare.side import ModelSetup, Side, sides_of_methods
from app.compare.trial import Trial
from tests.compare.test_result import trial
from tests.fakes import GREEDY

METHODS = ["off", "off", "auto", "draft:max=3", "ngram-simple"]


def make_sides(methods: list[str]) -> list[Side]:
    return sides_of_methods(ModelSetup(target="t.gguf"), methods, GREEDY, 8)


def make_trials(
    speeds: dict[str, float], rounds: int, kinds: tuple[str, ...] = ("code", "chat"), sd: float = 0.0, seed: int = 1,
    by_run: dict[tuple[str, int], float] | None = None,
) -> list[Trial]:
    """Two prompts of each kind; ``by_run`` multiplies the speed of (side, round)."""
    rng = np.random.default_rng(seed)
    return [
        trial(f"{kind}-{number}", side, speed * math.exp(rng.normal(0, sd)) * (by_run or {}).get((side, run), 1.0), run,
              kind=kind)
        for run in range(rounds) for kind in kinds for number in range(2) for side, speed in speeds.items()
    ]


def judged(trials: list[Trial], methods: list[str] = METHODS) -> AgainstFixed:
    against = judge_auto(trials, make_sides(methods))
    assert against is not None
    return against


def standing(against: AgainstFixed, name: str) -> Standing:
    return next(each for each in against.standings if each.name == name)


def factor(estimate: Estimate | None) -> float:
    assert estimate is not None
    return estimate.factor


SPEEDS = {"off": 10.0, "off (2)": 10.0, "auto": 18.0, "draft:max=3": 20.0, "ngram-simple": 12.0}


def test_known_speeds_give_the_known_standing() -> None:
    against = judged(make_trials(SPEEDS, 3))
    assert against.auto == "auto"
    for name in ("code", "chat", "all", "code-0"):
        found = standing(against, name)
        assert found.best_fixed == "draft:max=3"
        assert factor(found.against_best) == pytest.approx(0.9)
        assert factor(found.against_baseline) == pytest.approx(1.8)
    assert set(against.fixed) == {"off", "draft:max=3", "ngram-simple"}
    assert factor(against.fixed["ngram-simple"]) == pytest.approx(1.5)
    assert against.count_below("kind", 0.97, of_best=True) == 2
    assert against.count_below("kind", 0.97, of_best=False) == 0
    assert against.count_below("prompt", 0.95, of_best=True) == 4


def test_the_choice_is_made_on_odd_repeats_and_scored_on_even_ones() -> None:
    lucky = {("ngram-simple", 0): 3.0, ("ngram-simple", 2): 3.0}
    found = standing(judged(make_trials(SPEEDS, 4, by_run=lucky)), "all")
    assert found.best_fixed == "ngram-simple"
    assert factor(found.against_best) == pytest.approx(18 / 12)
    assert found.against_best is not None
    assert found.against_best.pairs == 4 * 2


def test_one_repeat_scores_nothing_and_says_so() -> None:
    against = judged(make_trials(SPEEDS, 1))
    assert standing(against, "all").against_best is None
    assert standing(against, "all").best_fixed == ""
    assert factor(standing(against, "all").against_baseline) == pytest.approx(1.8)
    assert "takes two repeats" in describe_standing(against)[-1]


def test_a_kind_with_its_own_best_is_scored_against_that() -> None:
    trials = [t for t in make_trials(SPEEDS, 2) if t.kind == "code"]
    trials += [t for t in make_trials({**SPEEDS, "draft:max=3": 5.0}, 2) if t.kind == "chat"]
    against = judged(trials)
    assert standing(against, "code").best_fixed == "draft:max=3"
    assert standing(against, "chat").best_fixed == "ngram-simple"
    assert factor(standing(against, "chat").against_best) == pytest.approx(1.5)


def test_plain_decoding_is_a_fixed_setting_too() -> None:
    slow = {"off": 10.0, "auto": 9.9, "draft:max=3": 6.0}
    against = judged(make_trials(slow, 2), ["off", "auto", "draft:max=3"])
    assert standing(against, "all").best_fixed == "off"
    assert factor(standing(against, "all").against_best) == pytest.approx(0.99)


@pytest.mark.parametrize("methods", [["off", "draft:max=3", "ngram-simple"], ["off", "auto"], ["off", "off", "auto"]])
def test_nothing_is_judged_without_auto_and_two_fixed_settings(methods: list[str]) -> None:
    assert judge_auto(make_trials(SPEEDS, 2), make_sides(methods)) is None


def test_choosing_the_luckiest_of_equals_is_no_disadvantage() -> None:
    """All settings are equally fast: the score is 1 on average, and the interval covers it in 95%."""
    speeds = dict.fromkeys(SPEEDS, 10.0)
    estimates = [
        standing(judged(make_trials(speeds, 3, sd=0.05, seed=seed)), "all").against_best for seed in range(400)
    ]
    logs = [math.log(factor(estimate)) for estimate in estimates]
    assert abs(np.mean(logs)) < 4 * np.std(logs) / math.sqrt(len(logs))
    covered = [e is not None and (e.low or 9) <= 1 <= (e.high or 0) for e in estimates]
    assert 0.92 <= np.mean(covered) <= 0.98


def test_noise_is_what_a_setting_differs_from_itself_by() -> None:
    rows = find_noise(make_trials(SPEEDS, 40, sd=0.03), make_sides(METHODS))
    assert [(row.side, row.again) for row in rows] == [("off", "off (2)")]
    assert rows[0].spread == pytest.approx(0.03 * math.sqrt(2), rel=0.15)
    assert factor(rows[0].estimate) == pytest.approx(1.0, abs=0.02)
    assert describe_noise(rows)[0].startswith("Noise: “off” against itself 1.0")
    assert find_noise(make_trials(SPEEDS, 2), make_sides(["off", "auto"])) == []


def test_rows_and_sentences_say_it_all() -> None:
    against = judged(make_trials(SPEEDS, 2))
    assert [row[0] for row in standing_rows(against, "kind")] == ["kind", "code", "chat", "all"]
    assert [row[0] for row in standing_rows(against, "prompt")][1:] == ["code-0", "code-1", "chat-0", "chat-1"]
    words = " ".join(describe_standing(against))
    assert "0.90× (0.90–0.90) “draft:max=3”" in words
    assert "Kinds whose whole interval is below 0.97: 0 of 2 against “off”, 2 of 2 against the best fixed" in words
    assert "Prompts whose whole interval is below 0.95: 0 of 4 against “off”, 4 of 4 against the best fixed" in words
