"""Did something else slow an answer down? Two signs: other programs' share of the processors, and a repeated answer
that took far longer than before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import psutil

from app.compare.trial import Trial

MOST_OTHER_LOAD = 0.10
"""Share of all processors that others may take during an answer."""

SLOW_FACTOR = 1.5
"""The same tokens of the same side taking this much longer are no noise: pairs differ by a few percent."""

MOST_ATTEMPTS = 2


class LoadMeter:
    """Measures what others do between ``start`` and ``stop``; ``own_pids`` are the engine's processes."""

    def __init__(self, own_pids: Callable[[], Iterable[int]]) -> None:
        self._own_pids = own_pids
        self._started = (0.0, 0.0, 0.0)

    def start(self) -> None:
        self._started = self._read()

    def stop(self) -> float:
        """The share, 0 to 1, of all processors' time that went to processes that are not ours."""
        total, busy, own = (now - before for now, before in zip(self._read(), self._started, strict=True))
        return min(1.0, max(0.0, (busy - own) / total)) if total > 0 else 0.0

    def _read(self) -> tuple[float, float, float]:
        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        total = sum(times[: 8 if len(times) > 8 else len(times)])  # guest time is in user time already
        own = 0.0
        for pid in [None, *self._own_pids()]:
            try:
                used = psutil.Process(pid).cpu_times()
            except psutil.Error:
                continue
            own += used.user + used.system
        return total, total - idle, own


def is_disturbed(trial: Trial) -> bool:
    return trial.other_load > MOST_OTHER_LOAD


def find_slow_outliers(trials: Sequence[Trial]) -> list[Trial]:
    """Answers that took ``SLOW_FACTOR`` times as long as the fastest one of the same side with the same tokens, and may
    still be repeated."""
    fastest: dict[tuple[str, str, tuple[int, ...]], float] = {}
    for trial in trials:
        mark = _mark(trial)
        fastest[mark] = max(fastest.get(mark, 0.0), trial.tokens_per_second)
    return [
        trial for trial in trials
        if trial.attempt < MOST_ATTEMPTS and 0 < trial.tokens_per_second * SLOW_FACTOR < fastest[_mark(trial)]
    ]


def _mark(trial: Trial) -> tuple[str, str, tuple[int, ...]]:
    return trial.prompt_id, trial.side, tuple(trial.token_ids)


def better_of(first: Trial, second: Trial) -> Trial:
    """Of two attempts, the less disturbed; where neither was, the later, whose speed was not looked at."""
    if is_disturbed(first) or is_disturbed(second):
        return min(first, second, key=lambda trial: trial.other_load)
    return second
