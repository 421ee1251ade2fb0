"""What the window wants of the engine, and how it gets there: load, answer, stop, start again after a death."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import msgspec
from PySide6.QtCore import QObject, Signal

from app import protocol
from app.errors import Code
from app.gui.controllers.chat_states import ChatStates
from app.gui.controllers.worker_process import Listener, OnEvent, WorkerProcess
from app.protocol import Failed, Generate, Load, LoadDraft, Loaded, LoadProgress, Notice
from app.records import LoadSettings, ModelFacts

_SAVING_CLOSE_MS = 6000
"""How long the end of the program waits for the state of a chat to be written."""


class EngineState(Enum):
    EMPTY = auto()
    """Nothing is loaded and nothing wanted."""
    LOADING_TARGET = auto()
    LOADING_DRAFT = auto()
    READY = auto()
    ANSWERING = auto()
    DOWN = auto()
    """A model is wanted but not loaded: loading failed, was stopped, or the worker died."""


@dataclass(frozen=True)
class Wanted:
    """The pair to have loaded; ``draft_path`` "" for none, ``draft_settings`` None for those of the target."""

    target_path: str
    draft_path: str
    settings: LoadSettings
    draft_settings: LoadSettings | None = None

    @property
    def for_draft(self) -> LoadSettings:
        return self.draft_settings or self.settings


@dataclass(frozen=True)
class _Question:
    """What is to be answered, the conversation whose state is kept, and who hears of it."""

    request: Generate
    chat: str
    listener: Listener


class EngineController(QObject):
    """Keeps one pair loaded and one answer running. Commands never wait: what follows comes by signals."""

    state_changed = Signal()
    load_progressed = Signal(float)
    load_noticed = Signal(str, bool)
    """What takes time while a model is loaded, in a sentence, "" when that is over; and whether ``skip`` ends it."""
    load_failed = Signal(object)
    """The target's ``Failed``; nothing can be answered."""
    draft_failed = Signal(object)
    """The draft's ``Failed``; the target keeps working."""
    burst_over = Signal()
    """What came together has been told: time to draw it."""
    stopped_idle = Signal()
    """The worker died while it had nothing to do."""

    def __init__(self, worker: WorkerProcess, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._wanted: Wanted | None = None
        self._state = EngineState.EMPTY
        self._running = 0
        self._queued: _Question | None = None
        self._answering: _Question | None = None
        """None also when the answer was abandoned."""
        self._reload = False
        self._stopped_loading = False
        self._resume_after_death = False
        self._resting = False
        self._loading_path = ""
        self.target: ModelFacts | None = None
        self.draft: ModelFacts | None = None
        self.engine_sentence = ""
        """Which engine runs the target, and why."""
        self.load_notice = ""
        """What it said last while a model is loaded."""
        self.load_is_skippable = False
        self._measure_engines = False
        self._loaded_settings: LoadSettings | None = None
        self._loaded_draft_settings: LoadSettings | None = None
        self.states = ChatStates(worker.send, self)
        worker.burst_over.connect(self.burst_over)
        worker.died.connect(self._notice_death)

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def wanted(self) -> Wanted | None:
        return self._wanted

    @property
    def is_loading(self) -> bool:
        return self._state in (EngineState.LOADING_TARGET, EngineState.LOADING_DRAFT)

    @property
    def is_busy(self) -> bool:
        return self.is_loading or self._state is EngineState.ANSWERING

    @property
    def worker_pid(self) -> int:
        return self._worker.pid

    def select(self, wanted: Wanted) -> None:
        """Have ``wanted`` loaded; what is running is stopped first, what is loaded and fits is kept."""
        self._wanted = wanted
        if self.is_busy:
            self._reload = True
            self._send_stop()
        else:
            self._load_missing()

    def generate(self, request: Generate, on_event: OnEvent, chat: str = "") -> None:
        """Answer ``request``, after loading what is missing. ``on_event`` hears all that is said of it, its ending
        last; ``chat`` names the conversation whose state is kept."""
        if self._wanted is None:
            on_event(_failure(
                Code.NO_MODEL_LOADED, self.tr("No model is loaded."), self.tr("Choose a model first.")
            ))
            return
        self._queued = _Question(request, chat, Listener(on_event))
        if not self.is_busy:
            self._load_missing()

    def measure_engines(self) -> None:
        """Load the target again, after measuring anew which engine is the faster one for it."""
        self._measure_engines = True
        self._loaded_settings = None
        if self.is_busy:
            self._reload = True
            self._send_stop()
        else:
            self._load_missing()

    def stop(self) -> None:
        """Stop the answer or the loading that is running."""
        if self._queued is not None and self._state is not EngineState.ANSWERING:
            self._drop_queued(self.tr("Stopped before the model was loaded."), Code.ABORTED)
        if self.is_busy:
            self._stopped_loading = self.is_loading
            self._send_stop()

    def skip(self) -> None:
        """End the measuring that the answer or the loading began with; it goes on with what is known."""
        if self.is_busy:
            self._worker.send(protocol.Skip(request_id=0, target_id=self._running))

    def abandon(self) -> None:
        """Stop the answer that is running or waits, and say no more of it."""
        self._queued = None
        if self._state is EngineState.ANSWERING:
            self._answering = None
            self._send_stop()

    def set_method(self, method: str) -> None:
        """Change how the running answer drafts, from its next step on."""
        if self._state is EngineState.ANSWERING:
            self._worker.send(protocol.SetSpeculation(request_id=0, method=method))

    def start_again(self) -> None:
        """Load again what was loaded before the worker died."""
        if self._wanted is not None and not self.is_busy:
            self._load_missing()

    def rest(self) -> None:
        """Unload everything and load nothing until ``wake``; what is asked meanwhile waits."""
        self._resting = True
        if self.is_busy:
            self._reload = True
            self._send_stop()
        else:
            self._load_missing()

    def wake(self) -> None:
        """Load again what was wanted, and answer what waits."""
        self._resting = False
        if not self.is_busy:
            self._load_missing()

    def close(self) -> None:
        """End the worker; what it has computed of the chat is kept first, unless it is in the middle of something."""
        saving = self.states.is_unsaved and not self.is_busy and self._worker.is_running
        if saving:
            self.states.save()
        self._worker.close(_SAVING_CLOSE_MS if saving else 0)

    def _send_stop(self) -> None:
        self._worker.send(protocol.Stop(request_id=0, target_id=self._running))

    def _load_missing(self) -> None:
        """The next step towards ``wanted``, then the queued answer."""
        wanted = self._wanted
        if wanted is None:
            self._set_state(EngineState.EMPTY)
            return
        if self._resting:
            if self.target is not None:
                self.states.save()
                self._worker.send(protocol.Unload(request_id=0))
            self._forget_loaded()
            self._set_state(EngineState.DOWN)
            return
        have_target = self.target is not None and self.target.path == wanted.target_path
        if not have_target or self._loaded_settings != wanted.settings:
            if self.target is not None:
                self.states.save()
            self.states.drop()
            self.target = self.draft = None
            self.engine_sentence = ""
            self._loaded_settings = wanted.settings
            self._loading_path = wanted.target_path
            self._running = self._worker.send(Load(
                request_id=0, path=wanted.target_path, settings=wanted.settings, measure_engines=self._measure_engines
            ), self._hear_of_load)
            self._measure_engines = False
            self._set_state(EngineState.LOADING_TARGET)
        elif wanted.draft_path and not self._has_draft(wanted):
            self.draft = None
            self._loaded_draft_settings = wanted.for_draft
            self._loading_path = wanted.draft_path
            self._running = self._worker.send(
                LoadDraft(request_id=0, path=wanted.draft_path, settings=wanted.for_draft), self._hear_of_load
            )
            self._set_state(EngineState.LOADING_DRAFT)
        elif not wanted.draft_path and self.draft is not None:
            self.draft = None
            self._worker.send(protocol.UnloadDraft(request_id=0))
            self._load_missing()
        else:
            self._start_queued()

    def _has_draft(self, wanted: Wanted) -> bool:
        loaded = self.draft is not None and self.draft.path == wanted.draft_path
        return loaded and self._loaded_draft_settings == wanted.for_draft

    def _start_queued(self) -> None:
        if self._queued is None:
            self._set_state(EngineState.READY)
            return
        question, self._queued = self._queued, None
        self._answering = question
        self.states.enter(question.chat)
        self._running = self._worker.send(question.request, self._hear_of_answer)
        self._set_state(EngineState.ANSWERING)

    def _hear_of_load(self, event: protocol.AnyEvent) -> None:
        if isinstance(event, LoadProgress):
            self.load_progressed.emit(event.fraction)
        elif isinstance(event, Notice):
            self.load_notice, self.load_is_skippable = event.message, event.skippable
            self.load_noticed.emit(event.message, event.skippable)
        elif isinstance(event, Loaded):
            self._take_loaded(event)
        elif isinstance(event, Failed):
            self._take_load_failure(event)

    def _hear_of_answer(self, event: protocol.AnyEvent) -> None:
        question = self._answering
        if not protocol.is_ending(event):
            if question is not None:
                question.listener.heard.emit(event)
            return
        self._answering = None
        dead = isinstance(event, Failed) and not self._worker.is_running
        if dead:
            self._forget_loaded()
        else:
            self.states.note_answer()
        self._set_state(EngineState.DOWN if dead else EngineState.READY)
        if question is not None:
            question.listener.heard.emit(event)
        if (self._reload or self._queued is not None) and not dead and not self.is_busy:
            self._reload = False
            self._load_missing()

    def _take_loaded(self, event: Loaded) -> None:
        # Paths are compared with what was asked for, however the worker spells it.
        facts = msgspec.structs.replace(event.facts, path=self._loading_path)
        if self._state is EngineState.LOADING_TARGET:
            self.target = facts
            self.engine_sentence = event.engine_sentence
        else:
            self.draft = facts
        self._reload = self._stopped_loading = False
        self._load_missing()

    def _take_load_failure(self, event: Failed) -> None:
        stopped, self._stopped_loading = self._stopped_loading, False
        if self._reload and event.code == Code.ABORTED:
            self._reload = False
            self._load_missing()
            return
        self._reload = False
        if event.code == Code.ENGINE_BUSY and not stopped:
            # this process cannot change its engine: another one loads the target when it is gone
            self._forget_loaded()
            self._resume_after_death = True
            self._set_state(EngineState.DOWN)
            self._worker.end()
            return
        if self._state is EngineState.LOADING_DRAFT:
            self._give_up_draft(event, stopped)
            return
        self._forget_loaded()
        self._set_state(EngineState.DOWN)
        if self._queued is not None:
            self._drop_queued(event.message, event.code, event.hint)
        if not stopped:
            self.load_failed.emit(event)

    def _give_up_draft(self, event: Failed, stopped: bool) -> None:
        """Go on without the draft, and say so unless the person asked for it."""
        if self._wanted is not None and self._wanted.draft_path == self._loading_path:
            self._wanted = Wanted(self._wanted.target_path, "", self._wanted.settings)
        if not stopped:
            self.draft_failed.emit(event)
        if self._worker.is_running:
            self._load_missing()
        else:
            # The draft took the worker with it: the target comes back in a new one.
            self._forget_loaded()
            self._resume_after_death = True
            self._set_state(EngineState.DOWN)

    def _drop_queued(self, message: str, code: str, hint: str = "") -> None:
        question, self._queued = self._queued, None
        if question is not None:
            question.listener.heard.emit(_failure(code, message, hint))

    def _notice_death(self) -> None:
        """A death while nothing ran; one in a command has arrived as its ``Failed`` already."""
        if not self.is_busy:
            was_ready = self._state is EngineState.READY
            self._forget_loaded()
            resume, self._resume_after_death = self._resume_after_death, False
            if resume:
                self._load_missing()
            elif self._wanted is not None:
                self._set_state(EngineState.DOWN)
                if was_ready:
                    self.stopped_idle.emit()

    def _forget_loaded(self) -> None:
        self.target = self.draft = None
        self.engine_sentence = ""
        self._loaded_settings = self._loaded_draft_settings = None
        self._reload = False
        self.states.drop()

    def _set_state(self, state: EngineState) -> None:
        self._state = state
        self.load_notice, self.load_is_skippable = "", False
        self.state_changed.emit()


def _failure(code: str, message: str, hint: str = "") -> Failed:
    return Failed(request_id=0, code=str(code), message=message, hint=hint)
