"""Starts and stops comparisons, keeps their results, and gives the machine to them alone meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from PySide6.QtCore import QObject, Signal

from app import paths
from app.chat.speed_series import SpeedSeries
from app.compare.history import ComparisonHistory, KeptSummary
from app.compare.measure import describe_files
from app.compare.report import Report
from app.compare.report_diff import Beside, set_beside
from app.compare.run import need_blocks
from app.compare.side import ModelSetup, Side
from app.compare.verdict import find_winner
from app.errors import Code, SlipstreamError
from app.gui.controllers.background import Background
from app.gui.controllers.chat import ChatController
from app.gui.controllers.compare_choice import Comparison, SideChoice, load_choice, speculation_of
from app.gui.controllers.compare_run import CompareRun
from app.gui.controllers.engine import EngineController
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.models.host import free_memory
from app.models.memory_check import MemoryPart
from app.records import REMOTE, Message


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
    deleted = Signal(str)
    """The title of a result that is gone; ``undo_delete`` brings it back."""
    hashed = Signal(str, object)
    """Id of a kept result, and its ``Report`` with the hashes of its files."""
    set_beside = Signal(object)
    """The ``Beside`` that was asked for."""

    def __init__(self, engine: EngineController, models: ModelsController, chat: ChatController,
                 pairs: PairController, keeper: SettingsKeeper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self._models, self._chat, self._pairs, self._keeper = engine, models, chat, pairs, keeper
        self.command: Sequence[str] | None = None
        """What starts a worker; the program's own by default."""
        self._history = ComparisonHistory(paths.data_dir() / "comparisons")
        self._background, self._hashing = Background(self), Background(self)
        self._closing = threading.Event()
        self._run: CompareRun | None = None
        self._deleted: tuple[str, bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._run is not None

    def current_side(self) -> SideChoice:
        """What the chat uses now."""
        return SideChoice(self._pairs.target_path, self._pairs.draft_path, self._chat.speculation)

    def remotes(self) -> list[str]:
        """The models of servers elsewhere that have been used, which can be sides as well."""
        return [path for path in self._keeper.settings.targets if path.startswith(REMOTE)]

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
            if setup.target.startswith(REMOTE):
                continue  # it takes nothing here
            judgement = self._models.judge_memory(setup.target, setup.draft or "", setup.load, setup.draft_load)
            if judgement is None:
                return False
            needs.append(judgement.needed_bytes)
        return not need_blocks(setups, needs, free_memory().free_bytes + self._models.held_bytes)

    def memory_parts(self, report: Report) -> list[tuple[MemoryPart, ...]]:
        """What the memory of each side is taken by if it is loaded alone, without a draft that it does not ask; empty
        for sides whose files are not known."""
        parts = []
        for side in report.sides:
            setup = side.setup
            asks = side.method.partition(":")[0] in ("auto", "draft")
            judgement = self._models.judge_memory(setup.target, setup.draft or "" if asks else "", setup.load,
                                                  setup.draft_load)
            parts.append(tuple(part for place in judgement.places for part in place.parts) if judgement else ())
        return parts

    def plain_rate(self, report: Report) -> float:
        """Tokens/s without speculation that are remembered for the first side's target; 0 where none are."""
        return self._keeper.settings.for_target(report.sides[0].setup.target).plain_tokens_per_second

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
        """Use ``side`` in the chat, and for new chats with its target: its models, how they are loaded, its method."""
        speculation = speculation_of(side.method)
        setup = side.setup
        settings = self._keeper.settings
        remembered = settings.for_target(setup.target)
        changed = remembered
        if setup.load != settings.load_for(setup.target):
            changed = msgspec.structs.replace(changed, load=load_choice(setup.load, settings.load))
        if setup.draft_load not in (None, settings.draft_load_for(setup.target)):
            own = load_choice(setup.draft_load or setup.load, setup.load)
            changed = msgspec.structs.replace(changed, draft_load=own)
        self._keeper.replace_target(setup.target, changed)
        in_use = (self._pairs.target_path, self._pairs.draft_path)
        needed = (setup.target, setup.draft or (in_use[1] if setup.target == in_use[0] else ""))
        if needed != in_use or changed != remembered:
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

    def ask_beside(self, report: Report, summary: KeptSummary) -> None:
        """``set_beside`` follows."""
        def load() -> Beside:
            return set_beside(report, self._history.load(summary.id))

        self._background.run(load, self.set_beside.emit, self.failed.emit)

    def delete_kept(self, summary: KeptSummary) -> None:
        """``kept_changed`` and ``deleted`` follow."""
        def delete() -> tuple[bytes, list[KeptSummary]]:
            return self._history.delete(summary.id), self._history.list()

        def done(result: tuple[bytes, list[KeptSummary]]) -> None:
            data, kept = result
            self._deleted = (summary.id, data) if data else None
            self.kept_changed.emit(kept)
            self.deleted.emit(summary.title)

        self._background.run(delete, done, self.failed.emit)

    def undo_delete(self) -> None:
        """Bring the result back that was deleted last; ``kept_changed`` follows."""
        deleted, self._deleted = self._deleted, None
        if deleted is None:
            return

        def restore() -> list[KeptSummary]:
            self._history.restore(*deleted)
            return self._history.list()

        self._background.run(restore, self.kept_changed.emit, self.failed.emit)

    def close(self) -> None:
        """End what runs; no process and no thread is left."""
        if self._run is not None:
            self._run.kill()
        self._closing.set()
        self._background.close()
        self._hashing.close()

    def _measure(self, run: CompareRun) -> Outcome:
        report = run.measure()
        title = run.comparison.title
        try:
            kept_id, trouble = self._history.save(report, title, time.time()).id, ""
        except SlipstreamError as error:
            kept_id, trouble = "", error.words
        return Outcome(report, title, kept_id, run.series, run.stopped, trouble)

    def _take_outcome(self, outcome: Outcome) -> None:
        self._end()
        self.finished.emit(outcome)
        self.list_kept()
        if outcome.kept_id:
            self._hash(outcome.kept_id, outcome.report)

    def _hash(self, kept_id: str, report: Report) -> None:
        """Hash the files now that the verdict is there, which would wait for it otherwise; ``hashed`` follows."""
        def work() -> Report:
            files = describe_files(report.sides, hashes=True, is_stopped=self._closing.is_set)
            return msgspec.structs.replace(report, files=files)

        def done(whole: Report) -> None:
            def keep() -> None:
                self._history.update(kept_id, whole)

            self._background.run(keep, lambda _: self.hashed.emit(kept_id, whole))

        self._hashing.run(work, done)

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
