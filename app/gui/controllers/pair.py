"""Which pair is in use: the first start's choice, what is remembered for each target, whether it fits in memory."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from app.compare.pair_gains import gains_of, with_answer
from app.compare.report import Report
from app.gui.controllers.chat import ChatController
from app.gui.controllers.engine import EngineController, Wanted
from app.gui.controllers.models import ModelsController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.words import figures
from app.models.pairing import Measured
from app.models.remedies import Remedy
from app.records import LoadSettings
from app.settings.scopes import file_defaults
from app.settings.settings import MeasuredGain, Speculation

_LEAST_RATE_CHANGE = 0.02
_LEAST_ANSWER_TOKENS = 48
"""Shorter answers say little of what a draft gains."""


class PairController(QObject):
    memory_tight = Signal(object)
    """The ``MemoryJudgement`` of a pair that does not fit; its draft was left out."""
    memory_settled = Signal()
    """The pair in use fits, or the person wants it all the same."""
    draft_missing = Signal(str)
    """Path of the draft that belongs to the target in use and is no longer there."""
    nothing_found = Signal()
    """There is no model on this computer."""
    pair_changed = Signal()

    def __init__(self, engine: EngineController, models: ModelsController, chat: ChatController,
                 keeper: SettingsKeeper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self._models, self._chat, self._keeper = engine, models, chat, keeper
        self.target_path = ""
        self.draft_path = ""
        self._held_back = ""
        self._started = False
        self._chose_first = False
        """There was no model at the start, and the person has not chosen one since."""
        models.measured = self._measured
        models.loads = self._loads
        models.entries_changed.connect(self._start)
        chat.answering_changed.connect(self._remember_rate)
        engine.draft_failed.connect(self._forget_draft)

    def use(self, target_path: str, draft_path: str, anyway: bool = False) -> None:
        """Load this pair and remember it; a draft that does not fit is held back unless ``anyway``."""
        if not target_path:
            return
        if anyway:
            self._chose_first = False
        settings = self._keeper.settings
        changed_target = target_path != self.target_path
        self.target_path, self.draft_path, self._held_back = target_path, draft_path, ""
        remembered = settings.for_target(target_path)
        if anyway or not self._hold_back():
            remembered = msgspec.structs.replace(remembered, draft_path=draft_path)
            self.memory_settled.emit()
        settings = msgspec.structs.replace(settings, target_path=target_path)
        self._keeper.replace(settings.with_target(target_path, remembered))
        if changed_target:
            self._chat.use_target(remembered.speculation, remembered.plain_tokens_per_second)
        self.follow_settings()
        self._engine.select(self._wanted())
        self.pair_changed.emit()

    def use_ngram(self) -> None:
        """Speed answers up without a draft model: nothing more is loaded."""
        speculation = Speculation(mode="fixed", drafter="ngram-simple")
        self._chat.set_speculation(speculation)
        self.remember_speculation(speculation)
        self._held_back = ""
        self.memory_settled.emit()

    def use_remedy(self, target_path: str, draft_path: str, remedy: Remedy) -> None:
        """Use the pair, or the target with another method, in a way that fits into memory; the way is remembered for
        this target."""
        if remedy.kind == "ngram":
            self.use(target_path, "", anyway=True)
            self.use_ngram()
            return
        remembered = self._keeper.settings.for_target(target_path)
        load = remembered.load
        if remedy.kind == "drafts":
            speculation = msgspec.structs.replace(
                remembered.speculation, mode="fixed", drafter="draft", max_draft=remedy.max_draft
            )
            remembered = msgspec.structs.replace(remembered, speculation=speculation)
            self._chat.set_speculation(speculation)
        elif remedy.kind == "context":
            load = msgspec.structs.replace(load, ctx_tokens=remedy.ctx_tokens)
        elif remedy.kind == "cache":
            load = msgspec.structs.replace(load, cache_type_k="q8_0", cache_type_v="q8_0", flash_attn="on")
        elif remedy.kind == "layers":
            load = msgspec.structs.replace(load, gpu_layers=remedy.gpu_layers)
        self._keeper.replace_target(target_path, msgspec.structs.replace(remembered, load=load))
        self.use(target_path, remedy.draft_path or draft_path, anyway=True)

    def use_held_back_with(self, remedy: Remedy) -> None:
        """The same for the draft that was held back for want of memory."""
        if self._held_back:
            self.use_remedy(self.target_path, self._held_back, remedy)

    @property
    def held_back(self) -> str:
        """The draft that was held back for want of memory, "" if none was."""
        return self._held_back

    def use_held_back(self) -> None:
        """Load the draft that was held back for want of memory."""
        if self._held_back:
            self.use(self.target_path, self._held_back, anyway=True)

    def remember_speculation(self, speculation: Speculation) -> None:
        """New chats with this target start with ``speculation``."""
        remembered = self._keeper.settings.for_target(self.target_path)
        self._keeper.replace_target(self.target_path, msgspec.structs.replace(remembered, speculation=speculation))
        self.follow_settings()

    def follow_settings(self) -> None:
        """Tell the chat what is set for the target in use, by its file and by the person."""
        remembered = self._keeper.settings.for_target(self.target_path)
        facts = self._models.facts(self.target_path)
        self._chat.model_choices = (file_defaults(facts.sampling if facts is not None else {}), remembered.answers)
        self._chat.set_default_speculation(remembered.speculation)

    def _wanted(self) -> Wanted:
        settings = self._keeper.settings
        return Wanted(self.target_path, self.draft_path, settings.load_for(self.target_path),
                      settings.draft_load_for(self.target_path))

    def _loads(self, path: str) -> tuple[LoadSettings, LoadSettings]:
        settings = self._keeper.settings
        return settings.load_for(path), settings.draft_load_for(path)

    def apply_load_settings(self) -> None:
        """Load again if the settings of loading are no longer those in use."""
        wanted, now = self._engine.wanted, self._wanted()
        if wanted is not None and (wanted.settings, wanted.for_draft) != (now.settings, now.for_draft):
            self.use(self.target_path, self._held_back or self.draft_path)

    def _hold_back(self) -> bool:
        settings = self._keeper.settings
        judgement = self._models.judge_memory(self.target_path, self.draft_path, settings.load_for(self.target_path),
                                              settings.draft_load_for(self.target_path))
        if judgement is None or judgement.fits or not self.draft_path:
            return False
        self._held_back, self.draft_path = self.draft_path, ""
        self.memory_tight.emit(judgement)
        return True

    def _start(self) -> None:
        """After the first look at the folders: what was used last, else the first start's choice."""
        if self._started:
            return
        self._started = True
        if self.target_path:
            # Chosen before the look was over: nothing takes its place, and no answer is stopped for it.
            return
        settings = self._keeper.settings
        if settings.target_path and Path(settings.target_path).is_file():
            remembered = settings.for_target(settings.target_path)
            missing = bool(remembered.draft_path) and not Path(remembered.draft_path).is_file()
            self.use(settings.target_path, "" if missing else remembered.draft_path)
            if missing:
                # It may be on a disk that is not mounted today.
                self._keeper.replace_target(settings.target_path, remembered)
                self.draft_missing.emit(remembered.draft_path)
            return
        choice = self._models.first_choice()
        if choice.target_path:
            self.use(choice.target_path, choice.draft_path)
        else:
            self._chose_first = True
            self.nothing_found.emit()

    def use_first(self) -> None:
        """Load what came after there was nothing: the first model of a computer, and its draft when that is here."""
        if not self._started or (self.target_path and not self._chose_first):
            return
        choice = self._models.first_choice()
        if choice.target_path and (choice.target_path, choice.draft_path) != (self.target_path, self.draft_path):
            self._chose_first = True
            self.use(choice.target_path, choice.draft_path)

    def _forget_draft(self) -> None:
        self.draft_path = ""
        self.pair_changed.emit()

    def _measured(self, target_path: str) -> dict[str, Measured]:
        """What drafts gained with a target in chats on this computer."""
        gains = self._keeper.settings.for_target(target_path).gains
        words = self.tr("On this computer, answers with it were {gain} as fast as without ({count} answers).")
        one = self.tr("On this computer, the one answer with it was {gain} as fast as without.")
        return {
            path: Measured(gain.factor, (one if gain.answers == 1 else words).format(
                gain=figures.gain(gain.factor), count=gain.answers))
            for path, gain in gains.items()
        }

    def _remember_gain(self) -> None:
        """Learn from the answer that is finished what the draft gains."""
        answer = self._chat.last_answer
        draft = self._engine.draft
        if answer is None or draft is None or not self.draft_path or answer.emitted_tokens < _LEAST_ANSWER_TOKENS:
            return
        if answer.speed_up <= 0 or not answer.method.startswith(("draft", "auto")):
            return
        remembered = self._keeper.settings.for_target(self.target_path)
        gain = with_answer(remembered.gains.get(self.draft_path), answer.speed_up)
        self._remember_gains(self.target_path, {self.draft_path: gain})

    def take_report(self, report: Report) -> None:
        """A comparison says what a draft gains more surely than answers in a chat."""
        for target_path, gains in gains_of(report).items():
            self._remember_gains(target_path, gains)

    def _remember_gains(self, target_path: str, gains: dict[str, MeasuredGain]) -> None:
        remembered = self._keeper.settings.for_target(target_path)
        self._keeper.replace_target(target_path, msgspec.structs.replace(
            remembered, gains={**remembered.gains, **gains}))

    def _remember_rate(self, answering: bool) -> None:
        if not answering:
            self._remember_gain()
        rate = self._chat.plain_rate.tokens_per_second
        if answering or rate <= 0 or not self.target_path:
            return
        remembered = self._keeper.settings.for_target(self.target_path)
        if abs(rate - remembered.plain_tokens_per_second) > _LEAST_RATE_CHANGE * rate:
            self._keeper.replace_target(
                self.target_path, msgspec.structs.replace(remembered, plain_tokens_per_second=round(rate, 2))
            )
