"""Drafting by the longest repeated end of the text, in this chat and, if allowed, in earlier answers.

SuffixDecoding (Oliaro et al., 2411.04975) on suffix automata as in SAM-Decoding (Hu et al., 2411.10666): of the
tokens that followed the repeat the commonest is taken, of equals the latest. A draft is at most ``factor`` times as
long as the repeat, and ends where the product of the shares of its tokens falls below ``p_min``.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.engine.drafters.interface import Draft, Drafter, Kept, Policy
from app.engine.drafters.lookup import sureness
from app.engine.drafters.suffix_automaton import SuffixAutomaton
from app.methods import Method

BREAK = -1
"""Stands between two answers in the history. No token is negative, so no repeat runs across."""

HISTORY_TOKENS = 32_768
"""Beyond this many the oldest answers are forgotten (about 16 MB)."""


class SuffixHistory:
    """Earlier answers of a session. An answer is added when the next one begins."""

    def __init__(self, most_tokens: int = HISTORY_TOKENS) -> None:
        self.automaton = SuffixAutomaton()
        self._most_tokens = most_tokens
        self._unfinished: list[int] = []

    def begin(self) -> None:
        for token in self._unfinished:
            self.automaton.append(token)
        if self._unfinished:
            self.automaton.append(BREAK)
        self._unfinished = []
        if len(self.automaton.tokens) > self._most_tokens:
            # a quarter is kept: rebuilding takes time, and so comes seldom
            kept = self.automaton.tokens[-(self._most_tokens // 4) :]
            self.automaton = SuffixAutomaton()
            for token in kept:
                self.automaton.append(token)

    def note(self, answer: Sequence[int]) -> None:
        """Tokens that were added to the answer that is being made."""
        self._unfinished.extend(answer)


class SuffixDrafter:
    def __init__(self, factor: float, p_min: float, history: SuffixHistory | None = None) -> None:
        self.name = "suffix"
        self._factor = factor
        self._p_min = p_min
        self._history = history
        self._chat = SuffixAutomaton()
        self._in_history = 0, 0
        self._noted = 0

    def begin(self, prompt: Sequence[int]) -> None:
        self._chat = SuffixAutomaton()
        self._in_history = 0, 0
        if self._history is not None:
            self._history.begin()
        self._read(prompt)
        self._noted = len(prompt)

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        self._read(context)
        if self._history is not None:
            self._history.note(context[self._noted :])
            self._noted = max(self._noted, len(context))
        found = [(self._chat, *self._chat.repeated)]
        if self._history is not None:
            found.append((self._history.automaton, *self._in_history))
        automaton, state, length = max(found, key=lambda each: each[2])  # of equals this chat
        return self._follow(automaton, state, length, policy)

    def _read(self, context: Sequence[int]) -> None:
        for token in context[len(self._chat.tokens) :]:
            self._chat.append(token)
            if self._history is not None:
                self._in_history = self._history.automaton.step(*self._in_history, token)

    def _follow(self, automaton: SuffixAutomaton, state: int, length: int, policy: Policy) -> Draft:
        """Guess along the commonest way from ``state``, whose last ``length`` tokens are those of the text."""
        draft, product = Draft(self.name), 1.0
        while len(draft) < int(self._factor * length) and policy.go_on():
            following = automaton.nexts[state]
            counts, ends = automaton.counts, automaton.ends
            ways = [(counts[way], ends[way], token, way) for token, way in following.items() if token != BREAK]
            if not ways:
                break
            count, _end, token, state = max(ways)
            share = count / sum(way[0] for way in ways)
            product *= share
            confidence = sureness(length + len(draft), share)
            if product < self._p_min or not policy.take(confidence):
                break
            draft.tokens.append(token)
            draft.confidences.append(confidence)
        return draft


def make(method: Method, kept: Kept) -> tuple[Drafter, int]:
    """The drafter of ``method``, and the most tokens of its drafts."""
    history = kept.of(SuffixHistory) if method.word("history") == "on" else None
    return SuffixDrafter(method.number("factor"), method.number("p_min"), history), method.integer("max")
