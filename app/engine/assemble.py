"""Puts controller and drafters together for a method, and keeps what they learn from one answer to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

from app.engine.auto.calibration import calibrate
from app.engine.auto.controller import AutoController
from app.engine.auto.cost import CostModel
from app.engine.auto.learned import Learned, SecondsLearned
from app.engine.backend import AbortFlag, Model
from app.engine.controller import ChainController, Controller, FixedController, OffController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.interface import Drafter, Kept
from app.engine.drafters.lookup import LookupDrafter
from app.engine.sampling import Sampler
from app.errors import Code, SlipstreamError
from app.machine.rest import Rest
from app.methods import FREE_METHODS, Method, parse_method


@dataclass
class ControllerFactory:
    """The models that are loaded and what was learned about them.

    ``draft_title`` names the draft to a person. What is measured while the machine has no ``rest``, or was ended by
    ``skip``, serves as long as nothing better is known, and is never kept.
    """

    target: Model
    draft: Model | None = None
    draft_title: str = ""
    learned: Learned = field(default_factory=Learned)
    rest: Rest = field(default_factory=Rest)
    skip: AbortFlag = field(default_factory=AbortFlag)
    _costs: CostModel | None = None
    _is_provisional: bool = False
    _before: SecondsLearned = field(default_factory=SecondsLearned)
    _kept: Kept | None = None

    def controller(
        self, method: Method, sampler: Sampler, on_measuring: Callable[[], None],
        on_measured: Callable[[], None] = lambda: None,
    ) -> Controller:
        """Put together what drafts for one answer. ``on_measuring`` and ``on_measured`` are called before and after a
        measurement that takes seconds.

        Raises ``SlipstreamError``: ``METHOD_INVALID`` when the method needs a draft and none is loaded, ``FILE`` when a
        file that it names cannot be used.
        """
        if method.name != "off" and not self.target.can_roll_back():
            return OffController("Off: this kind of model cannot take back a wrong guess.")
        if method.name == "draft":
            controller = FixedController(
                self._draft_drafter(method, sampler),
                method.integer("max"), method.integer("min"), method.number("p_min"),
            )
            first = method.word("first")
            return controller if first == "none" else ChainController(self._free(parse_method(first)), controller)
        if method.name in FREE_METHODS:
            return self._free(method)
        if method.name == "auto":
            costs = self._known_costs(on_measuring, on_measured)
            if not costs.knows_verify:
                return OffController("Off: the context has no room left to measure in.")
            drafter = DraftModelDrafter(self.draft, self.target.facts.vocab_size) if self.draft else None
            free = method.word("free")
            copier = LookupDrafter() if free == "lookup" else self._make_free(parse_method(free))[0]
            return AutoController(self.learned, costs, drafter, self.draft_title, copier)
        return OffController()

    def begin_answer(self) -> None:
        """What is learned from now on is of one answer."""
        self._before = self.learned.seconds()

    @property
    def is_provisional(self) -> bool:
        """Whether costs are to be measured again at the first quiet moment."""
        return self._is_provisional

    def measure_again(self) -> bool:
        """Measure costs that are provisional anew, leaving both caches as they were; whether that can be kept.

        Raises ``DecodeAbortedError``.
        """
        mark = self.rest.mark()
        measured = calibrate(self.target, self.draft)
        if not CostModel(measured).knows_verify or not self.rest.was_calm_since(mark):
            return False
        self.learned.costs = measured
        self._costs = CostModel(measured)
        self._is_provisional = False
        return True

    def snapshot(self, calm: bool = True) -> Learned | None:
        """What should survive a restart; None if nothing was learned. Statistics go into the files that were named.

        ``calm``: nobody else worked during the answer. Otherwise only what is counted is kept; costs, and what is
        reckoned in seconds, are what they were before the answer.
        """
        if self._kept is not None:
            self._kept.save()
        if self._costs is None:
            return None
        if calm and not self._is_provisional:
            self.learned.costs = self._costs.snapshot()
            return self.learned
        self.learned.go_back(self._before)
        if not self._is_provisional:
            self._costs = CostModel(self.learned.costs)
        return self.learned

    def _free(self, method: Method) -> Controller:
        """One of ``FREE_METHODS`` alone."""
        drafter, most_tokens = self._make_free(method)
        return FixedController(drafter, most_tokens, method.integer("min") if "min" in method.options else 0)

    def _make_free(self, method: Method) -> tuple[Drafter, int]:
        """The drafter of one of ``FREE_METHODS`` and its longest draft, made by the method's own module."""
        if self._kept is None:
            self._kept = Kept(self.target.facts.vocab_size)
        module = import_module(f"app.engine.drafters.{FREE_METHODS[method.name].module}")
        made: tuple[Drafter, int] = module.make(method, self._kept)
        return made

    def _known_costs(self, on_measuring: Callable[[], None], on_measured: Callable[[], None]) -> CostModel:
        if self._costs is None:
            known = CostModel(self.learned.costs)
            if not known.knows_verify or (self.draft is not None and not known.knows_draft):
                on_measuring()
                mark = self.rest.mark()
                measured = calibrate(self.target, self.draft, self.skip)
                known = CostModel(measured)
                self._is_provisional = bool(self.skip) or not self.rest.was_calm_since(mark)
                if not self._is_provisional:
                    self.learned.costs = measured
                on_measured()
            if not known.knows_verify:  # the context has no room to measure in; the next answer may have
                return known
            self._costs = known
        return self._costs

    def _draft_drafter(self, method: Method, sampler: Sampler) -> DraftModelDrafter:
        if self.draft is None:
            raise no_draft()
        exact = method.word("sampling") == "exact" and not sampler.is_greedy
        return DraftModelDrafter(self.draft, self.target.facts.vocab_size, sampler.without_grammar() if exact else None)


def no_draft() -> SlipstreamError:
    return SlipstreamError(
        Code.METHOD_INVALID, "This method needs a draft model, and none is loaded.",
        "Choose a draft, or another method.",
    )
