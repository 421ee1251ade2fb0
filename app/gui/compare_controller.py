"""Starts and stops comparisons, keeps their results, and gives the machine to them alone meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from app import paths
from app.compare.history import ComparisonHistory, KeptSummary
from app.compare.report import Report
from app.compare.run import need_blocks
from app.compare.side import ModelSetup, Side
from app.compare.verdict import find_winner
from app.errors import Code, SlipstreamError
from app.gui.background import Background
from app.gui.chat_controller import ChatController
from app.gui.compare_choice import Comparison, SideChoice, speculation_of
from app.gui.compare_run import CompareRun
from app.gui.engine_controller import EngineController
from app.gui.models_controller import ModelsController
from app.gui.pair_controller import PairController
from app.gui.speed_series import SpeedSeries
from app.models.host import free_memory
from app.terms import Message


@dataclass(frozen=True)
class Outcome:
    """A report to be shown. ``series`` is the course of each side's last answer, empty for a kept one; ``stopped``
    when it was ended early; ``trouble`` says why it could not be kept, "" when it was."""

    report: Report
    title: str
    kept_id: str = ""
    series: dict[str, SpeedSeries] = field(default_factory=dict)
    stopped: bool = False
    trouble: str = ""


class CompareController(QObject):
    running_changed = Signal(bool)
    loading = Signal(object)
    """The ``ModelSetup`` that is being loaded."""
    stepped = Signal(object)
    """A ``Step``."""
    finished = Signal(object)
    """An ``Outcome``."""
    failed = Signal(object)
    """A ``SlipstreamError``."""
    kept_changed = Signal(object)
    """All ``KeptSummary``, the newest first."""
    applied = Signal(object)
    """The ``Side`` that is in use now."""

    def __init__(self, engine: EngineController, models: ModelsController, chat: ChatController,
                 pairs: PairController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self._models, self._chat, self._pairs = engine, models, chat, pairs
        self.command: Sequence[str] | None = None
        """What starts a worker; the program's own by default."""
        self._history = ComparisonHistory(paths.data_dir() / "comparisons")
        self._background = Background(self)
        self._run: CompareRun | None = None

    @property
    def is_running(self) -> bool:
        return self._run is not None

    def current_side(self) -> SideChoice:
        """What the chat uses now."""
        return SideChoice(self._pairs.target_path, self._pairs.draft_path, self._chat.speculation)

    def last_question(self) -> tuple[Message, ...]:
        """The messages up to the last question of the shown chat; empty without one."""
        chat = self._chat
        if not chat.turns:
            return ()
        prompt = chat.settings.system_prompt.strip()
        system = [Message(role="system", content=prompt)] if prompt else []
        return (*system, *chat.conversation.messages(chat.turns[-1].question_id))

    def fits_side_by_side(self, setups: list[ModelSetup]) -> bool:
        """Whether all setups may stay loaded at once; no where a model's needs are not known."""
        if len(set(setups)) < 2:
            return False
        needs = []
        for setup in dict.fromkeys(setups):
            judgement = self._models.judge_memory(setup.target, setup.draft or "", setup.load)
            if judgement is None:
                return False
            needs.append(judgement.needed_bytes)
        return not need_blocks(setups, needs, free_memory().free_bytes + self._models.held_bytes)

    def start(self, comparison: Comparison) -> None:
        """Refused, by ``failed``, while an answer is being written."""
        if self._run is not None:
            return
        if self._chat.is_answering:
            self.failed.emit(SlipstreamError(
                Code.BUSY, self.tr("An answer is being written, and the two would slow each other down."),
                self.tr("Start when it is finished, or stop it."),
            ))
            return
        run = CompareRun(comparison, self.stepped.emit, self.loading.emit, self.command)
        self._run = run
        self._engine.rest()
        self.running_changed.emit(True)
        self._background.run(lambda: self._measure(run), self._take_outcome, self._take_failure)

    def stop(self) -> None:
        """End after what is finished, which is kept."""
        if self._run is not None:
            self._run.stop()

    def apply(self, side: Side) -> None:
        """Use ``side`` in the chat, and for new chats with its target."""
        speculation = speculation_of(side.method)
        setup = side.setup
        in_use = (self._pairs.target_path, self._pairs.draft_path)
        needed = (setup.target, setup.draft or (in_use[1] if setup.target == in_use[0] else ""))
        if needed != in_use:
            self._pairs.use(*needed, anyway=True)
        self._chat.set_speculation(speculation)
        self._pairs.remember_speculation(speculation)
        self.applied.emit(side)

    def list_kept(self) -> None:
        """``kept_changed`` follows."""
        self._background.run(self._history.list, self.kept_changed.emit, self.failed.emit)

    def show_kept(self, summary: KeptSummary) -> None:
        """``finished`` follows."""
        def load() -> Outcome:
            return Outcome(self._history.load(summary.id), summary.title, summary.id)

        self._background.run(load, self.finished.emit, self.failed.emit)

    def delete_kept(self, id_: str) -> None:
        def delete() -> list[KeptSummary]:
            self._history.delete(id_)
            return self._history.list()

        self._background.run(delete, self.kept_changed.emit, self.failed.emit)

    def close(self) -> None:
        """End what runs; no process and no thread is left."""
        if self._run is not None:
            self._run.kill()
        self._background.close()

    def _measure(self, run: CompareRun) -> Outcome:
        report = run.measure()
        title = run.comparison.title
        try:
            kept_id, trouble = self._history.save(report, title, time.time()).id, ""
        except SlipstreamError as error:
            kept_id, trouble = "", f"{error.message} {error.hint}"
        return Outcome(report, title, kept_id, run.series, run.stopped, trouble)

    def _take_outcome(self, outcome: Outcome) -> None:
        self._end()
        self.finished.emit(outcome)
        self.list_kept()

    def _take_failure(self, error: SlipstreamError) -> None:
        stopped = self._run is not None and self._run.stopped
        self._end()
        if stopped:
            words = self.tr("Stopped before the first answer was finished, so there is no result.")
            error = SlipstreamError(Code.ABORTED, words)
        self.failed.emit(error)

    def _end(self) -> None:
        self._run = None
        self.running_changed.emit(False)
        self._engine.wake()


def winner(report: Report) -> Side:
    """The side to use: the fastest of those that are faster for sure, else the baseline."""
    name = find_winner(report.result)
    return next(side for side in report.sides if side.name == name)
