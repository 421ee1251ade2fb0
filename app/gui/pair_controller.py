"""Which pair is in use: the first start's choice, what is remembered for each target, whether it fits in memory."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from app.gui.chat_controller import ChatController
from app.gui.engine_controller import EngineController, Wanted
from app.gui.models_controller import ModelsController
from app.gui.settings_keeper import SettingsKeeper
from app.settings import Speculation

_LEAST_RATE_CHANGE = 0.02


class PairController(QObject):
    memory_tight = Signal(object)
    """The ``MemoryJudgement`` of a pair that does not fit; its draft was left out."""
    memory_settled = Signal()
    """The pair in use fits, or the person wants it all the same."""
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
        models.entries_changed.connect(self._start)
        chat.answering_changed.connect(self._remember_rate)
        engine.draft_failed.connect(self._forget_draft)

    def use(self, target_path: str, draft_path: str, anyway: bool = False) -> None:
        """Load this pair and remember it; a draft that does not fit is held back unless ``anyway``."""
        if not target_path:
            return
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
        self._engine.select(Wanted(self.target_path, self.draft_path, settings.load))
        self.pair_changed.emit()

    def use_ngram(self) -> None:
        """Speed answers up without a draft model: nothing more is loaded."""
        speculation = Speculation(mode="fixed", drafter="ngram-simple")
        self._chat.set_speculation(speculation)
        self.remember_speculation(speculation)
        self._held_back = ""
        self.memory_settled.emit()

    def use_held_back(self) -> None:
        """Load the draft that was held back for want of memory."""
        if self._held_back:
            self.use(self.target_path, self._held_back, anyway=True)

    def remember_speculation(self, speculation: Speculation) -> None:
        """New chats with this target start with ``speculation``."""
        remembered = self._keeper.settings.for_target(self.target_path)
        self._keeper.replace_target(self.target_path, msgspec.structs.replace(remembered, speculation=speculation))

    def apply_load_settings(self) -> None:
        """Load again if the settings of loading are no longer those in use."""
        wanted = self._engine.wanted
        if wanted is not None and wanted.settings != self._keeper.settings.load:
            self.use(self.target_path, self._held_back or self.draft_path)

    def _hold_back(self) -> bool:
        settings = self._keeper.settings
        judgement = self._models.judge_memory(self.target_path, self.draft_path, settings.load)
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
        settings = self._keeper.settings
        if settings.target_path and Path(settings.target_path).is_file():
            draft = settings.for_target(settings.target_path).draft_path
            self.use(settings.target_path, draft if draft and Path(draft).is_file() else "")
            return
        choice = self._models.first_choice()
        if choice.target_path:
            self.use(choice.target_path, choice.draft_path)
        else:
            self.nothing_found.emit()

    def _forget_draft(self) -> None:
        self.draft_path = ""
        self.pair_changed.emit()

    def _remember_rate(self, answering: bool) -> None:
        rate = self._chat.plain_rate.tokens_per_second
        if answering or rate <= 0 or not self.target_path:
            return
        remembered = self._keeper.settings.for_target(self.target_path)
        if abs(rate - remembered.plain_tokens_per_second) > _LEAST_RATE_CHANGE * rate:
            self._keeper.replace_target(
                self.target_path, msgspec.structs.replace(remembered, plain_tokens_per_second=round(rate, 2))
            )
