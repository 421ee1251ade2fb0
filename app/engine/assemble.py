"""Puts controller and drafters together for a method, and keeps what they learn from one answer to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.engine.auto import AutoController, Learned
from app.engine.backend import Model
from app.engine.calibration import calibrate
from app.engine.controller import Controller, FixedController, OffController
from app.engine.cost import CostModel
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.ngram_simple import NgramSimpleDrafter
from app.engine.sampling import Sampler
from app.errors import Code, SlipstreamError
from app.methods import Method


@dataclass
class Assembly:
    """The models that are loaded and what was learned about them.

    ``draft_title`` names the draft to a person. ``on_measuring`` is called before a measurement that takes seconds.
    """

    target: Model
    draft: Model | None = None
    draft_title: str = ""
    learned: Learned = field(default_factory=Learned)
    _costs: CostModel | None = None

    def controller(self, method: Method, sampler: Sampler, on_measuring: Callable[[], None]) -> Controller:
        """Raises ``SlipstreamError`` (``METHOD_INVALID``) when the method needs a draft and none is loaded."""
        if method.name != "off" and not self.target.can_roll_back():
            return OffController("Off: this kind of model cannot take back a wrong guess.")
        if method.name == "draft":
            return FixedController(
                self._draft_drafter(method, sampler),
                method.integer("max"), method.integer("min"), method.number("p_min"),
            )
        if method.name == "ngram-simple":
            m = method.integer("m")
            return FixedController(NgramSimpleDrafter(method.integer("n"), m), m)
        if method.name == "auto":
            costs = self._known_costs(on_measuring)
            drafter = DraftModelDrafter(self.draft, self.target.facts.vocab_size) if self.draft else None
            return AutoController(self.learned, costs, drafter, self.draft_title)
        return OffController()

    def snapshot(self) -> Learned | None:
        """What should survive a restart; None if nothing was learned."""
        if self._costs is None:
            return None
        self.learned.costs = self._costs.snapshot()
        return self.learned

    def _known_costs(self, on_measuring: Callable[[], None]) -> CostModel:
        if self._costs is None:
            known = CostModel(self.learned.costs)
            if not known.knows_verify or (self.draft is not None and not known.knows_draft):
                on_measuring()
                self.learned.costs = calibrate(self.target, self.draft)
                known = CostModel(self.learned.costs)
            self._costs = known
        return self._costs

    def _draft_drafter(self, method: Method, sampler: Sampler) -> DraftModelDrafter:
        if self.draft is None:
            raise no_draft()
        exact = method.word("sampling") == "exact" and not sampler.is_greedy
        return DraftModelDrafter(self.draft, self.target.facts.vocab_size, sampler if exact else None)


def no_draft() -> SlipstreamError:
    return SlipstreamError(
        Code.METHOD_INVALID, "This method needs a draft model, and none is loaded.",
        "Choose a draft, or another method.",
    )
