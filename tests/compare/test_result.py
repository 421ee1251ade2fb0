from __future__ import annotations

import msgspec
import pytest

from app.compare.plan import Prompt, SideTurn
from app.compare.result import (
    ALL,
    describe_divergence,
    find_divergences,
    first_difference,
    log_ratio,
    pair_trials,
    summarise,
)
from app.compare.trial import Trial, make_trial
from app.records import Candidate, Message, TokenScore
from tests.fakes import make_done


def trial(
    prompt: str, method: str, speed: float, run: int = 0, tokens: list[int] | None = None, drafted: int = 0,
    accepted: int = 0, kind: str = "code",
) -> Trial:
    turn = SideTurn(Prompt(id=prompt, kind=kind, messages=[Message(role="user", content="x")]), 0, run, 1)
    done = make_done(tokens if tokens is not None else list(range(10)), speed, method, drafted, accepted)
    return make_trial(f"{prompt}{method}{run}", method, method, turn, done, 0.0, 1.0)


TRIALS = [
    trial("p1", "off", 10), trial("p1", "draft", 20, drafted=10, accepted=5),
    trial("p2", "off", 10), trial("p2", "draft", 5, drafted=30, accepted=5, tokens=[0, 1, 9, *range(3, 10)]),
    trial("p3", "off", 10, kind="edit"), trial("p3", "draft", 40, drafted=10, accepted=9, kind="edit"),
]


def test_speedups_are_geometric_means_over_prompts() -> None:
    result = summarise(TRIALS, ["off", "draft"], 2)
    code = result.per_kind[0].sides[1]
    assert (result.per_kind[0].name, result.per_kind[0].prompts) == ("code", 2)
    assert code.speedup is not None
    assert code.speedup.factor == pytest.approx(1.0)
    overall = result.overall.sides[1]
    assert result.overall.name == ALL
    assert overall.speedup is not None
    assert overall.speedup.factor == pytest.approx((2 * 0.5 * 4) ** (1 / 3))
    assert (overall.worst_prompt, overall.worst_speedup) == ("p2", pytest.approx(0.5))


def test_acceptance_is_accepted_over_verified_of_all_runs_together() -> None:
    draft = summarise(TRIALS, ["off", "draft"], 2).overall.sides[1]
    assert draft.draft_acceptance_rate == pytest.approx(19 / 50)
    assert (draft.num_draft_tokens, draft.num_accepted_draft_tokens) == (50, 19)
    assert summarise(TRIALS, ["off", "draft"], 2).overall.sides[0].draft_acceptance_rate is None


def test_other_share_and_same_texts() -> None:
    result = summarise(TRIALS, ["off", "draft"], 2)
    assert result.overall.sides[1].other_share == pytest.approx(0.02)
    assert result.overall.sides[1].same_texts == pytest.approx(2 / 3)
    assert result.overall.sides[0].same_texts is None


def test_histograms_add_up_and_positions_are_weighted_by_drafts() -> None:
    a, b = trial("p", "draft", 10), trial("p", "draft", 10, run=1)
    figures = [([1, 2, 1], [0.75, 0.5]), ([0, 12], [1.0])]
    trials = [
        msgspec.structs.replace(
            t, speculation=msgspec.structs.replace(
                t.speculation, acceptance_histogram=histogram, per_position_acceptance=positions
            )
        )
        for t, (histogram, positions) in zip((a, b), figures, strict=True)
    ]
    draft = summarise(trials, ["off", "draft"], 2).overall.sides[1]
    assert draft.acceptance_histogram == [1, 14, 1]
    assert draft.per_position_acceptance == pytest.approx([(0.75 * 4 + 1.0 * 12) / 16, 0.5])


def test_phases_are_sums() -> None:
    phases = summarise(TRIALS, ["off", "draft"], 2).overall.sides[0].phases
    assert (phases.tokens, phases.decode_s) == (30, pytest.approx(3.0))
    assert phases.verify_s == pytest.approx(2.94)


def test_the_baseline_has_no_speedup_over_itself() -> None:
    assert summarise(TRIALS, ["off", "draft"], 2).overall.sides[0].speedup is None


def test_per_prompt_intervals_come_from_that_prompts_pairs() -> None:
    trials = [trial("p", m, s, run) for run, (a, b) in enumerate([(10, 20), (10, 21), (10, 19)])
              for m, s in (("off", a), ("draft", b))]
    speedup = summarise(trials, ["off", "draft"], 2).per_prompt[0].sides[1].speedup
    assert speedup is not None
    assert speedup.low is not None
    assert speedup.low < 2.0 < (speedup.high or 0)
    assert speedup.pairs == 3


def test_medians_shrug_at_an_outlier() -> None:
    trials = [trial("p", "off", speed, run) for run, speed in enumerate([10, 10.1, 9.9, 2, 10])]
    assert summarise(trials, ["off"], 2).overall.sides[0].tokens_per_second == 10


def test_runs_without_a_partner_are_not_paired() -> None:
    trials = [trial("p", "off", 10, 0), trial("p", "draft", 20, 0), trial("p", "draft", 900, 1)]
    assert {k: len(v) for k, v in pair_trials(trials, "off", "draft").items()} == {"p": 1}
    speedup = summarise(trials, ["off", "draft"], 2).overall.sides[1].speedup
    assert speedup is not None
    assert speedup.factor == pytest.approx(2.0)


def test_an_answer_without_speed_is_left_out() -> None:
    nothing = trial("p", "draft", 1.0, tokens=[])
    nothing = msgspec.structs.replace(nothing, timings=msgspec.structs.replace(nothing.timings, tokens_per_second=0.0))
    assert log_ratio(trial("p", "off", 10), nothing) is None
    assert summarise([trial("p", "off", 10), nothing], ["off", "draft"], 2).overall.sides[1].speedup is None


@pytest.mark.parametrize(
    ("a", "b", "position"),
    [([], [], None), ([1, 2], [1, 2], None), ([1, 2], [1, 3], 1), ([1, 2], [1], 1), ([], [1], 0), ([4], [5, 6], 0)],
)
def test_first_difference(a: list[int], b: list[int], position: int | None) -> None:
    assert first_difference(a, b) == position
    assert first_difference(b, a) == position


def test_partings_are_found_once() -> None:
    tokens = [0, 1, 9]
    trials = [trial("p", "off", 10, run) for run in range(3)]
    trials += [trial("p", "draft", 10, run, tokens=tokens) for run in range(3)]
    found = find_divergences(trials, ["off", "draft"])
    assert [(b.side, o.side, position) for b, o, position in found] == [("off", "draft", 2)]


def score(token_id: int, logit: float, gap: float) -> TokenScore:
    return TokenScore(position=2, token_id=token_id, logit=logit, gap=gap,
                      best=[Candidate(token_id=token_id, text=f"<{token_id}>", logit=logit)])


def test_a_parting_holds_both_candidates_their_gap_and_the_draw() -> None:
    off, other = trial("p", "off", 10), trial("p", "draft", 10, tokens=[0, 1, 9])
    other = msgspec.structs.replace(other, draws=[0.1, 0.2, 0.75])
    parting = describe_divergence(off, other, 2, score(2, 11.0, 0.5), score(9, 10.75, 0.75))
    assert (parting.baseline_token_id, parting.token_id) == (2, 9)
    assert parting.gap == pytest.approx(0.25)
    assert parting.best_logit == pytest.approx(11.5)
    assert parting.draw == 0.75
    assert parting.candidate == Candidate(token_id=9, text="<9>", logit=10.75)


def test_a_candidate_that_is_among_nobodys_best_is_named_by_its_number() -> None:
    far = TokenScore(position=2, token_id=9, logit=-7.0, gap=18.0, best=[Candidate(token_id=2, text="<2>", logit=11.0)])
    parting = describe_divergence(trial("p", "off", 10), trial("p", "draft", 10, tokens=[0, 1, 9]), 2, None, far)
    assert parting.candidate == Candidate(token_id=9, text="[9]", logit=-7.0)


def test_a_parting_where_one_had_ended() -> None:
    parting = describe_divergence(trial("p", "off", 10, tokens=[0]), trial("p", "draft", 10, tokens=[0, 1]), 1, None,
                               score(1, 5.0, 0.0))
    assert (parting.baseline_token_id, parting.token_id, parting.gap) == (None, 1, None)
