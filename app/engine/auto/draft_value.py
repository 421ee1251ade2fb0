"""What a draft is worth: the renewal rule on chances and costs, as pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from app.engine.auto.cost import CostModel
from app.engine.drafters.interface import Draft


def best_length(
    chances: Sequence[float], costs: CostModel, price: float, full_accept_extra_s: float = 0.0
) -> tuple[int, float]:
    """(length of the draft that gains most over a plain step, its gain in tokens); guesses themselves are paid.

    ``full_accept_extra_s`` is what the next draft costs more where every guess of this one stands.
    """
    best, best_gain, reach, won = 0, 0.0, 1.0, 0.0
    plain = costs.verify_s(1)
    for length, chance in enumerate(chances, start=1):
        reach *= chance
        won += reach
        gain = won - price * (costs.verify_s(1 + length) - plain + reach * full_accept_extra_s)
        if gain > best_gain:
            best, best_gain = length, gain
    return best, best_gain


def expected_guesses(chances: Sequence[float]) -> float:
    """Expected number of guesses that stand."""
    reach, won = 1.0, 0.0
    for chance in chances:
        reach *= chance
        won += reach
    return won


def shorten(draft: Draft, length: int) -> None:
    """Keep the first ``length`` guesses of a draft."""
    del draft.tokens[length:]
    del draft.confidences[length:]
    del draft.distributions[length:]


