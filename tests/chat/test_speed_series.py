from __future__ import annotations

import pytest

from app.chat.speed_series import MOST_POINTS, PlainRate, SpeedSeries
from app.gui.speed.plot import axis_span, axis_top
from app.protocol import Chunk


def step(emitted: int, decode_s: float, tokens: int = 1, step_s: float = 0.1, drafted: int = 0, accepted: int = 0
         ) -> Chunk:
    return Chunk(request_id=1, pieces=[], emitted_tokens=emitted, decode_s=decode_s, step_tokens=tokens, step_s=step_s,
                 num_draft_tokens=drafted, num_accepted_draft_tokens=accepted)


def test_a_steady_rate_is_shown_as_it_is() -> None:
    series = SpeedSeries()
    for number in range(1, 101):
        series.add(step(number, number * 0.1))
    assert series.rates == pytest.approx([10.0] * len(series.rates))


def test_a_change_shows_within_the_window() -> None:
    series = SpeedSeries()
    at, emitted = 0.0, 0
    for _ in range(30):
        at, emitted = at + 0.1, emitted + 1
        series.add(step(emitted, at))
    for _ in range(20):
        at, emitted = at + 0.1, emitted + 4
        series.add(step(emitted, at, tokens=4, drafted=6, accepted=3))
    assert series.rates[29] == pytest.approx(10.0)
    assert series.rates[-1] == pytest.approx(40.0)
    assert series.acceptances[10] is None
    assert series.acceptances[-1] == pytest.approx(0.5)


def test_long_answers_are_thinned_out() -> None:
    series = SpeedSeries()
    for number in range(1, 3 * MOST_POINTS):
        series.add(step(number, number * 0.06))
    assert len(series.times_s) <= MOST_POINTS
    assert series.times_s == sorted(series.times_s)


def test_the_plain_rate_is_the_median_of_plain_steps() -> None:
    rate = PlainRate(7.0)
    rate.add(step(1, 0.5, step_s=0.5))
    assert rate.tokens_per_second == 7.0
    for seconds in (0.1, 0.1, 0.1, 0.1, 2.0):
        rate.add(step(5, 1.0, step_s=seconds))
    rate.add(step(9, 1.0, tokens=4, step_s=0.2, drafted=4, accepted=3))
    assert rate.tokens_per_second == pytest.approx(10.0)


def test_a_busy_computer_is_not_taken_for_a_slow_draft() -> None:
    rate = PlainRate(100.0)
    rate.begin()
    for number in range(40):
        # nine of ten steps as ever, and every tenth waits for other programs
        rate.add(step(number + 2, 1.0, step_s=0.4 if number % 10 == 0 else 0.01))
    assert rate.tokens_per_second == pytest.approx(100.0)
    assert rate.speed_up(20.4) == pytest.approx(1.0, abs=0.01)


def test_of_two_measures_the_more_modest_holds() -> None:
    rate = PlainRate()
    rate.begin()
    assert rate.speed_up(15.0) == 0.0
    for number in range(20):
        rate.add(step(number + 2, 1.0, step_s=2.1 if number == 7 else 0.1))
    assert rate.speed_up(15.0) == pytest.approx(1.5)
    rate.begin()
    for number in range(15):
        rate.add(step(number + 2, 1.0, step_s=0.2))
    assert rate.speed_up(15.0) == pytest.approx(1.5), "too few of its own steps to say anything"


@pytest.mark.parametrize(("seconds", "span"), [(0, 10), (10, 10), (10.1, 20), (39, 40), (100, 160)])
def test_the_time_axis_grows_in_doubles(seconds: float, span: float) -> None:
    assert axis_span(seconds) == span


@pytest.mark.parametrize(("highest", "top"), [(0, 10), (4, 5), (8, 10), (17, 20), (31, 50), (95, 200), (0.3, 0.5)])
def test_the_rate_axis_ends_at_a_round_number(highest: float, top: float) -> None:
    assert axis_top(highest) == pytest.approx(top)
