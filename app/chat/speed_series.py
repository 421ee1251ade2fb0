"""Speed and acceptance over the time of one answer, as points for a plot."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import log

from app.protocol import Chunk

WINDOW_S = 1.0
ACCEPTANCE_WINDOW_S = 2.0
SPACING_S = 0.05
"""Points closer than this are left out: the plot is drawn at 20 Hz."""
MOST_POINTS = 4096


@dataclass(frozen=True)
class _Step:
    at_s: float
    tokens: int
    drafted: int
    accepted: int


class SpeedSeries:
    """``times_s``, ``rates`` (tokens per second over the last second of decoding) and ``acceptances`` (share of
    drafted tokens accepted in the last two seconds, None where nothing was drafted), one value per point."""

    def __init__(self) -> None:
        self.times_s: list[float] = []
        self.rates: list[float] = []
        self.acceptances: list[float | None] = []
        self.highest = 0.0
        """The largest of all rates that there were."""
        self._drafted = self._accepted = 0
        self._steps: deque[_Step] = deque()
        self._last_emitted = 0

    def add(self, chunk: Chunk) -> bool:
        """Take a step; whether a point was added."""
        now = chunk.decode_s
        tokens = max(0, chunk.emitted_tokens - self._last_emitted)
        self._last_emitted = chunk.emitted_tokens
        self._steps.append(_Step(now, tokens, chunk.num_draft_tokens, chunk.num_accepted_draft_tokens))
        self._drafted += chunk.num_draft_tokens
        self._accepted += chunk.num_accepted_draft_tokens
        while self._steps and self._steps[0].at_s <= now - ACCEPTANCE_WINDOW_S:
            gone = self._steps.popleft()
            self._drafted -= gone.drafted
            self._accepted -= gone.accepted
        if now <= 0 or (self.times_s and now - self.times_s[-1] < SPACING_S):
            return False
        self.times_s.append(now)
        self.rates.append(self._rate(now))
        self.highest = max(self.highest, self.rates[-1])
        self.acceptances.append(self._acceptance())
        if len(self.times_s) > MOST_POINTS:
            self._thin_out()
        return True

    def _rate(self, now: float) -> float:
        begin = max(0.0, now - WINDOW_S)
        tokens, start = 0, 0.0
        for step in reversed(self._steps):
            if step.at_s <= begin:
                # The step that straddles the window's start belongs to it whole, so its beginning is the start.
                start = step.at_s
                break
            tokens += step.tokens
        return tokens / (now - start) if now > start else 0.0

    def _acceptance(self) -> float | None:
        return self._accepted / self._drafted if self._drafted else None

    def _thin_out(self) -> None:
        self.times_s = self.times_s[::2]
        self.rates = self.rates[::2]
        self.acceptances = self.acceptances[::2]


class PlainRate:
    """The target's rate without drafting, from steps of running answers that drafted nothing."""

    LEAST_STEPS = 4
    LEAST_BESIDE = 16
    """From so many plain steps on, those of the answer itself are what it is compared with as well."""

    def __init__(self, known: float = 0.0) -> None:
        self._known = known
        self._steps: deque[float] = deque(maxlen=64)
        self._beside, self._beside_s = 0, 0.0

    def begin(self) -> None:
        """An answer begins."""
        self._beside, self._beside_s = 0, 0.0

    def speed_up(self, tokens_per_second: float) -> float:
        """Of the answer that began last; 0 while unknown.

        Measured by the median of plain steps, and by the mean of those in between its own drafts: what else the
        computer does slows both of these alike. Where the two disagree, the more modest one holds.
        """
        plain = self.tokens_per_second
        if plain <= 0 or tokens_per_second <= 0:
            return 0.0
        found = [tokens_per_second / plain]
        if self._beside >= self.LEAST_BESIDE:
            found.append(tokens_per_second * self._beside_s / self._beside)
        return min(found, key=lambda gain: abs(log(gain)))

    @property
    def tokens_per_second(self) -> float:
        """0 while unknown."""
        if len(self._steps) < self.LEAST_STEPS:
            return self._known
        ordered = sorted(self._steps)
        return 1.0 / ordered[len(ordered) // 2]

    def add(self, chunk: Chunk) -> None:
        if chunk.num_draft_tokens == 0 and chunk.step_tokens == 1 and chunk.step_s > 0 and chunk.emitted_tokens > 1:
            self._steps.append(chunk.step_s)
            self._beside += 1
            self._beside_s += chunk.step_s
