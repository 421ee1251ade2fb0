"""What a drafter is: something that guesses the tokens that come next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

from app.engine.backend import Logits
from app.engine.sampling import Distribution

_Thing = TypeVar("_Thing")


class Keeps:
    """Something kept that belongs on the disk."""

    def save(self) -> None:
        raise NotImplementedError


class Kept:
    """What drafters keep from one answer to the next, for one target: one thing of a kind."""

    def __init__(self, vocab_size: int) -> None:
        self.vocab_size = vocab_size
        self._things: dict[type, object] = {}

    def of(self, kind: type[_Thing]) -> _Thing:
        """The one of ``kind``, made when it is first asked for."""
        if kind not in self._things:
            self._things[kind] = kind()
        return cast(_Thing, self._things[kind])

    def save(self) -> None:
        for thing in self._things.values():
            if isinstance(thing, Keeps):
                thing.save()


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
