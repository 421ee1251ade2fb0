"""A suffix automaton that grows token by token (Blumer et al. 1985), O(1) amortised per token.

Every state stands for a set of phrases that end at the same places; ``longest`` is the length of the longest of them,
``link`` the state of its longest suffix that also ends elsewhere. State 0 is the empty phrase.
"""

from __future__ import annotations

COUNTED_SUFFIXES = 64
"""Of the suffixes of the text, states of so many get their counts updated per token, longest first: without a bound a
text of one repeated token would take quadratic time. Counts of short phrases are then too low, in such texts alone."""


class SuffixAutomaton:
    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.links: list[int] = [-1]
        self.longest: list[int] = [0]
        self.nexts: list[dict[int, int]] = [{}]
        self.counts: list[int] = [0]
        """How often the phrases of a state stand in the text."""
        self.ends: list[int] = [0]
        """Where they last end: the index after their last token."""
        self._last = 0

    @property
    def repeated(self) -> tuple[int, int]:
        """(state, length) of the longest end of the text that also stands earlier in it."""
        state = max(0, self.links[self._last])
        return state, self.longest[state]

    def append(self, token: int) -> None:
        self.tokens.append(token)
        links, longest, nexts = self.links, self.longest, self.nexts
        new = self._add_state(longest[self._last] + 1, {}, 0, 0)
        state = self._last
        while state >= 0 and token not in nexts[state]:
            nexts[state][token] = new
            state = links[state]
        if state < 0:
            links[new] = 0
        else:
            following = nexts[state][token]
            links[new] = following if longest[following] == longest[state] + 1 else self._split(state, token)
        self._last = new
        self._count(new)

    def step(self, state: int, length: int, token: int) -> tuple[int, int]:
        """(state, length) of the longest end of a text that stands here, when ``token`` is added to that text."""
        while state > 0 and token not in self.nexts[state]:
            state = self.links[state]
            length = self.longest[state]
        following = self.nexts[state].get(token)
        return (0, 0) if following is None else (following, length + 1)

    def _split(self, state: int, token: int) -> int:
        """Give the shorter phrases of the state behind ``token`` a state of their own; the new token ends there too."""
        old = self.nexts[state][token]
        copy = self._add_state(self.longest[state] + 1, dict(self.nexts[old]), self.counts[old], self.ends[old])
        self.links[copy] = self.links[old]
        self.links[old] = copy
        while state >= 0 and self.nexts[state].get(token) == old:
            self.nexts[state][token] = copy
            state = self.links[state]
        return copy

    def _add_state(self, longest: int, following: dict[int, int], count: int, end: int) -> int:
        self.links.append(0)
        self.longest.append(longest)
        self.nexts.append(following)
        self.counts.append(count)
        self.ends.append(end)
        return len(self.links) - 1

    def _count(self, state: int) -> None:
        end = len(self.tokens)
        for _ in range(COUNTED_SUFFIXES):
            if state <= 0:
                return
            self.counts[state] += 1
            self.ends[state] = end
            state = self.links[state]
