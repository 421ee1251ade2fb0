"""What a verify pass costs by its length, measured while running on a machine whose speed wanders.

Two things are kept apart: the *shape* of the curve (how much more a pass over n tokens costs than one over a single
token), which belongs to model, quantisation and processor and is learned slowly, and one momentary *speed* factor that
every pass updates. Both are medians, so a stray slow pass moves neither. While other programs work only the speed is
followed: fewer threads and shared caches bend the shape.
"""

from __future__ import annotations

from collections import deque
from statistics import median

import msgspec

CALIBRATED_LENGTHS = (1, 2, 3, 4, 5, 6, 8, 9, 12, 16)
SHAPE_WINDOW = 15
SPEED_WINDOW = 9
CALIBRATION_WEIGHT = 5
"""As how many observed passes one calibrated value counts."""

PRESUMED_WEIGHT = 3
"""The same for what is presumed before the first pass: an interpolated value, and an unchanged speed."""


class CostSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What survives a restart: seconds of a verify pass by its number of tokens, of a draft pass over one token, and
    what a second token adds to that."""

    verify_s: dict[int, float] = {}
    draft_s: float = 0.0
    draft_second_s: float = 0.0


class CostModel:
    """Predicts seconds at the machine's present speed."""

    def __init__(self, snapshot: CostSnapshot) -> None:
        self._shape = {
            n: deque([seconds] * CALIBRATION_WEIGHT, maxlen=SHAPE_WINDOW) for n, seconds in snapshot.verify_s.items()
        }
        self._curve: dict[int, float] = dict(snapshot.verify_s)
        self._speed_samples: deque[float] = deque([1.0] * PRESUMED_WEIGHT, maxlen=SPEED_WINDOW)
        self._speed = 1.0
        self._draft: deque[float] = deque(maxlen=SHAPE_WINDOW)
        if snapshot.draft_s > 0:
            self._draft.extend([snapshot.draft_s] * CALIBRATION_WEIGHT)
        self._second: deque[float] = deque(maxlen=SHAPE_WINDOW)
        if snapshot.draft_second_s > 0:
            self._second.extend([snapshot.draft_second_s] * CALIBRATION_WEIGHT)
        self._catch_up: deque[float] = deque(maxlen=SHAPE_WINDOW)

    @property
    def knows_verify(self) -> bool:
        return 1 in self._curve

    @property
    def knows_draft(self) -> bool:
        return bool(self._draft)

    def verify_s(self, tokens: int) -> float:
        """Seconds of a verify pass over ``tokens`` tokens, interpolated between measured lengths."""
        return self._speed * self._relative(tokens)

    def draft_s(self, passes: int = 1, caught_up: int = 0) -> float:
        """Seconds of ``passes`` passes of the draft model, of which the first decodes ``caught_up`` tokens."""
        step = self._draft_step()
        further = max(0, caught_up - 2)
        per_token = median(self._catch_up) if self._catch_up else step / 3
        second = self._second_token() if caught_up > 1 else 0.0
        return self._speed * (passes * step + second + further * per_token)

    def full_accept_extra_s(self) -> float:
        """Seconds that a draft of which every guess stood adds to the next one: its last guess is not decoded yet."""
        return self._speed * self._second_token()

    def observe_verify(self, tokens: int, seconds: float, calm: bool = True) -> None:
        """``calm``: no other program was at work meanwhile."""
        before = self._speed
        if not calm:
            self._observe_speed(tokens, seconds)
            return
        window = self._shape.get(tokens)
        if window is None:
            presumed = [self._relative(tokens)] * PRESUMED_WEIGHT if self._curve else []
            window = self._shape[tokens] = deque(presumed, maxlen=SHAPE_WINDOW)
        window.append(seconds / before)
        self._curve[tokens] = median(window)
        self._observe_speed(tokens, seconds)

    def _observe_speed(self, tokens: int, seconds: float) -> None:
        self._speed_samples.append(seconds / self._relative(tokens))
        self._speed = median(self._speed_samples)

    def observe_draft(self, passes: int, caught_up: int, seconds: float, calm: bool = True) -> None:
        if passes <= 0 or not calm:
            return
        if caught_up <= 1 or not self._draft:
            self._draft.append(seconds / passes / self._speed)
            return
        rest = seconds / self._speed - passes * self._draft_step()
        if caught_up == 2:
            self._second.append(max(0.0, rest))
        elif caught_up > 8:
            self._catch_up.append(max(0.0, rest - self._second_token()) / (caught_up - 2))

    def snapshot(self) -> CostSnapshot:
        return CostSnapshot(
            verify_s={n: round(self._speed * value, 6) for n, value in sorted(self._curve.items())},
            draft_s=round(self.draft_s(), 6),
            draft_second_s=round(self.full_accept_extra_s(), 6),
        )

    def _draft_step(self) -> float:
        return median(self._draft) if self._draft else 0.0

    def _second_token(self) -> float:
        return median(self._second) if self._second else self._draft_step() / 3

    def _relative(self, tokens: int) -> float:
        known = self._curve
        if tokens in known:
            return known[tokens]
        lower = max((n for n in known if n < tokens), default=None)
        upper = min((n for n in known if n > tokens), default=None)
        if lower is not None and upper is not None:
            share = (tokens - lower) / (upper - lower)
            return known[lower] + share * (known[upper] - known[lower])
        if lower is not None:
            first = min(known)
            slope = (known[lower] - known[first]) / (lower - first) if lower > first else known[lower] / 3
            return known[lower] + max(0.0, slope) * (tokens - lower)
        return known[upper] if upper is not None else 1.0
