"""Speculation under load. It is a means against latency: when requests queue, tokens per second in all are what counts.

While somebody waits, requests that leave the choice to us are served with the method as configured, with a shorter
draft, or without, whichever has lately given the most tokens per second of the engine's whole time (prefill of the
draft, probes and rejected guesses included, which a single answer's figure leaves out). Each way is tried again now and
then, since texts and machines change. The texts are the same either way: only who guesses differs.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from app.methods import Method, parse_method
from app.protocol import Done

WINDOW = 8
"""Answers by which a way is judged."""
TRY_AGAIN_EVERY = 12
"""Every so many answers under load, the way that was tried least lately is."""
MARGIN = 1.03
"""So much better must another way be before it is preferred to the configured one."""


@dataclass
class _Way:
    method: str
    answers: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    last_tried: int = -1

    @property
    def rate(self) -> float:
        """Tokens per second of engine time; 0 while nothing is known."""
        seconds = sum(busy for _, busy in self.answers)
        return sum(tokens for tokens, _ in self.answers) / seconds if seconds > 0 else 0.0


class Governor:
    """Chooses the method of requests that do not choose. ``configured`` is what the server was started with."""

    def __init__(self, configured: str) -> None:
        self.configured = configured
        self._ways = [_Way(method) for method in ways_of(configured)]
        self._count = 0

    def configure(self, method: str) -> None:
        """The server is to speculate by ``method`` from now on. What is known of ways that stay is kept."""
        if method == self.configured:
            return
        known = {way.method: way for way in self._ways}
        self.configured = method
        self._ways = [known.get(each) or _Way(each) for each in ways_of(method)]

    def choose(self, waiting: int) -> str:
        """The method for the next answer, with ``waiting`` requests behind it."""
        if waiting == 0 or len(self._ways) == 1:
            return self.configured
        self._count += 1
        untried = [way for way in self._ways if not way.answers]
        if untried:
            way = untried[0]
        elif self._count % TRY_AGAIN_EVERY == 0:
            way = min(self._ways, key=lambda way: way.last_tried)
        else:
            way = max(self._ways, key=lambda way: way.rate * (MARGIN if way.method == self.configured else 1.0))
        way.last_tried = self._count
        return way.method

    def observe(self, method: str, done: Done, busy_s: float) -> None:
        """``busy_s`` is the engine's whole time for an answer that was asked for with ``method``, from the command to
        its end."""
        if done.reason == "aborted" or not done.token_ids:
            return
        for way in self._ways:
            if way.method == method:
                way.answers.append((len(done.token_ids), busy_s))

    def rates(self) -> dict[str, float]:
        """What is known of each way, in tokens per second of engine time."""
        return {way.method: way.rate for way in self._ways}


def ways_of(configured: str) -> list[str]:
    """The configured method, half its draft where that has a length, and none."""
    method = parse_method(configured)
    ways = [configured]
    key = "max" if "max" in method.options else "m" if "m" in method.options else ""
    if key and method.integer(key) > 1:
        most = method.integer(key) // 2
        half = {**method.options, key: most}
        if "min" in half and method.integer("min") > most:
            half["min"] = method.integer("min") // 2  # else no draft would be long enough to be verified
        ways.append(str(Method(method.name, half)))
    if method.name != "off":
        ways.append("off")
    return ways
