"""What ``auto`` keeps from answer to answer, and on disk, for one pair of models on one machine."""

from __future__ import annotations

import msgspec

from app.engine.auto.acceptance import Counts
from app.engine.auto.cost import CostSnapshot


class FreeRecord(msgspec.Struct, kw_only=True):
    """What is known of one drafter that needs no model."""

    counts: list[Counts] = []
    """How often its guesses stood, by its own confidence."""


class SecondsLearned(msgspec.Struct, frozen=True, kw_only=True):
    """The part of what is learned that is reckoned in seconds, which other programs bend. See ``Learned``."""

    bias: float = 0.0
    draft_worth: float | None = None
    spent_s: float = 0.0
    saved_s: float = 0.0
    probed_s: float = 0.0


class Learned(msgspec.Struct, kw_only=True):
    """Changed in place by the controllers of successive answers."""

    costs: CostSnapshot = CostSnapshot()
    draft: list[Counts] = []
    free: dict[str, FreeRecord] = {}
    """By the drafter's name."""
    foreseen: list[Counts] = []
    """How often first guesses of the draft model stood, by how sure the target had been of late."""
    bias: float = 0.0
    """Mean tokens by which attempts of the draft model won more than was foreseen."""
    draft_worth: float | None = None
    """Mean tokens won by an attempt of the draft model over what its time would have yielded; None if never tried."""
    spent_s: float = 0.0
    saved_s: float = 0.0
    probed_s: float = 0.0
    """Seconds of decoding so far, what drafting saved of them (negative: lost), and what probes might lose."""

    def seconds(self) -> SecondsLearned:
        """What ``go_back`` comes back to."""
        return SecondsLearned(
            bias=self.bias, draft_worth=self.draft_worth, spent_s=self.spent_s, saved_s=self.saved_s,
            probed_s=self.probed_s,
        )

    def go_back(self, to: SecondsLearned) -> None:
        """Forget what was learned in seconds since ``to``. How often guesses stood depends on no load and stays."""
        self.bias, self.draft_worth = to.bias, to.draft_worth
        self.spent_s, self.saved_s, self.probed_s = to.spent_s, to.saved_s, to.probed_s
