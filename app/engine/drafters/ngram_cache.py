"""Drafting from statistics over phrases of 1 to 4 tokens: the commonest follower of the longest phrase that is clear.

Yang et al., "Inference with Reference" (2304.04487), in the form of llama.cpp's ``ngram-cache`` (pull requests 5479 and
6828 of ggml-org/llama.cpp), with its thresholds: statistics of this chat are believed sooner than those of earlier
texts. Its third, static source is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.engine.drafters.interface import Draft, Drafter, Kept, Policy
from app.engine.drafters.ngram_statistics import LONGEST, SHORTEST, EarlierAnswers, NgramStatistics
from app.methods import Method

Thresholds = dict[int, tuple[int, int]]
"""Per length of the phrase: least number of times it must have been followed, least share in percent of the best."""

THIS_CHAT: Thresholds = {1: (2, 66), 2: (2, 50), 3: (1, 50), 4: (1, 50)}
EARLIER: Thresholds = {1: (4, 75), 2: (3, 66), 3: (2, 66), 4: (2, 66)}


class NgramCacheDrafter:
    """``earlier`` is asked where this chat's own statistics are silent, and learns from the answer as it grows."""

    def __init__(self, earlier: NgramStatistics | None = None) -> None:
        self.name = "ngram-cache"
        self._chat = NgramStatistics()
        self._earlier = earlier
        self._counted = 0

    def begin(self, prompt: Sequence[int]) -> None:
        self._chat.clear()
        self._chat.add(prompt, 0)
        self._counted = len(prompt)

    def propose(self, context: Sequence[int], policy: Policy) -> Draft:
        draft = Draft(self.name)
        self._chat.add(context, self._counted)
        if self._earlier is not None:
            self._earlier.add(context, self._counted)
        self._counted = max(self._counted, len(context))
        recent = list(context[-LONGEST:])
        while policy.go_on():
            guess = self._guess(recent)
            if guess is None or not policy.take(guess[1]):
                break
            draft.tokens.append(guess[0])
            draft.confidences.append(guess[1])
            recent = [*recent, guess[0]][-LONGEST:]
        return draft

    def _guess(self, recent: Sequence[int]) -> tuple[int, float] | None:
        guess = _clear_follower(self._chat, THIS_CHAT, recent)
        if guess is None and self._earlier is not None:
            guess = _clear_follower(self._earlier, EARLIER, recent)
        return guess


def _clear_follower(
    statistics: NgramStatistics, thresholds: Thresholds, recent: Sequence[int]
) -> tuple[int, float] | None:
    """(token, its share smoothed for few counts) after the longest phrase whose statistics are clear enough."""
    for length in range(min(LONGEST, len(recent)), SHORTEST - 1, -1):
        followers = statistics.get(tuple(recent[-length:]))
        if followers is None:
            continue
        least_total, least_percent = thresholds[length]
        if followers.total >= least_total and 100 * followers.count >= least_percent * followers.total:
            return followers.token, followers.count / (followers.total + 1)
    return None


def make(method: Method, kept: Kept) -> tuple[Drafter, int]:
    """The drafter of ``method``, and the most tokens of its drafts.

    Raises ``SlipstreamError`` (``FILE``) for a file that cannot be used.
    """
    file = method.word("file")
    earlier = kept.of(EarlierAnswers).open(file, kept.vocab_size) if file else None
    return NgramCacheDrafter(earlier), method.integer("max")
