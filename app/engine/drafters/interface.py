"""What a drafter is: something that guesses the tokens that come next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.engine.sampling import Distribution


@dataclass
class Draft:
    """Guessed tokens. ``confidences[i]`` is what the drafter itself thinks of token i (0 to 1), given those before it.

    ``distributions[i]`` is the exact distribution token i was drawn from; empty when guesses were not sampled.
    """

    drafter: str = ""
    tokens: list[int] = field(default_factory=list)
    confidences: list[float] = field(default_factory=list)
    distributions: list[Distribution] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tokens)


class Policy(Protocol):
    """Decides, guess by guess, how long one draft gets."""

    def take(self, confidence: float) -> bool:
        """Whether a guess of this confidence belongs to the draft. After a no the draft has ended."""
        ...

    def go_on(self) -> bool:
        """Whether to pay for another guess (asked before each, the first included)."""
        ...


class Drafter(Protocol):
    name: str

    def begin(self, prompt: Sequence[int]) -> None:
        """A new answer starts after ``prompt``. What is cheap to prepare is prepared here."""
        ...

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        """Guess what follows ``context``, which extends the one given before.

        Raises ``DecodeAbortedError`` when the abort flag ended a pass of the draft model.
        """
        ...
