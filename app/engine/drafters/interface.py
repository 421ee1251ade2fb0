"""What a drafter is: something that guesses the tokens that come next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.engine.backend import Logits
from app.engine.sampling import Distribution


@dataclass
class Draft:
    """Guessed tokens. ``confidences[i]`` is what the drafter itself thinks of token i (0 to 1), given those before it.

    ``distributions[i]`` is the exact distribution token i was drawn from; empty when guesses were not sampled.
    ``passes`` counts the passes of a draft model that were paid for it, ``caught_up`` the tokens that its first pass
    had to decode. ``on_rows`` is given the logits of the pass that verified the draft, float32 (len(draft) + 1,
    vocab_size), valid during the call: after the context and after each guess, also after those that fell. ``pause``
    tells a person why the drafter can guess nothing for the time being.
    """

    drafter: str = ""
    tokens: list[int] = field(default_factory=list)
    confidences: list[float] = field(default_factory=list)
    distributions: list[Distribution] = field(default_factory=list)
    passes: int = 0
    caught_up: int = 0
    on_rows: Callable[[Logits], None] | None = None
    pause: str = ""

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
        """A new answer starts after ``prompt``: do now, as part of prefill, what would make the first draft slow.

        Raises ``DecodeAbortedError`` like ``propose``.
        """
        ...

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        """Guess what follows ``context``, which extends the one given before.

        Raises ``DecodeAbortedError`` when the abort flag ended a pass of the draft model.
        """
        ...


class TakeAll:
    """The policy that wants ``limit`` guesses, whatever the drafter thinks of them."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def go_on(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def take(self, confidence: float) -> bool:
        return True
