"""Puts controller and drafters together for a method, and keeps what they learn from one answer to the next."""

from __future__ import annotations

from dataclasses import dataclass

from app.engine.backend import Model
from app.engine.controller import Controller, FixedController, OffController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.ngram_simple import NgramSimpleDrafter
from app.engine.sampling import Sampler
from app.errors import Code, SlipstreamError
from app.methods import Method


@dataclass
class Assembly:
    """The models that are loaded and what was learned about them."""

    target: Model | None = None
    draft: Model | None = None

    def controller(self, method: Method, sampler: Sampler) -> Controller:
        """Raises ``SlipstreamError`` (``METHOD_INVALID``) when the method needs a draft and none is loaded."""
        if method.name == "draft":
            return FixedController(
                self._draft_drafter(method, sampler),
                method.integer("max"), method.integer("min"), method.number("p_min"),
            )
        if method.name == "ngram-simple":
            m = method.integer("m")
            return FixedController(NgramSimpleDrafter(method.integer("n"), m), m)
        return OffController()

    def remember(self) -> None:
        """Keep what the last answer taught."""

    def _draft_drafter(self, method: Method, sampler: Sampler) -> DraftModelDrafter:
        if self.draft is None or self.target is None:
            raise SlipstreamError(
                Code.METHOD_INVALID, "This method needs a draft model, and none is loaded.",
                "Choose a draft, or another method.",
            )
        exact = method.word("sampling") == "exact" and not sampler.is_greedy
        return DraftModelDrafter(self.draft, self.target.facts.vocab_size, sampler if exact else None)
