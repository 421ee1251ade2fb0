"""Counts tokens with the loaded model's own tokenizer, one text at a time, while the engine has nothing else to do."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QObject, Signal

from app import protocol
from app.gui.controllers.engine import EngineController, EngineState
from app.gui.controllers.worker_process import WorkerProcess
from app.protocol import Tokenize, Tokens

_MOST_KEPT = 4_000
_MOST_WAITING = 1_000


class TokenCounter(QObject):
    counted = Signal()
    """All that was asked for is known, or another model was loaded and nothing is."""

    def __init__(self, worker: WorkerProcess, engine: EngineController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._engine = worker, engine
        self._target = ""
        self._known: OrderedDict[int, int] = OrderedDict()
        self._waiting: list[str] = []
        self._asked: tuple[int, str] | None = None
        """The hash of the text that is being counted, and the target that was asked."""
        engine.state_changed.connect(self._ask_next)

    def known(self, text: str) -> int | None:
        """The number of tokens of ``text``; None while it has not been counted with this target."""
        return 0 if not text else self._known.get(hash(text))

    def want(self, texts: list[str]) -> None:
        """Count these next, the last first; what waited before is dropped."""
        self._waiting = [text for text in texts[-_MOST_WAITING:] if self.known(text) is None]
        self._ask_next()

    def _ask_next(self) -> None:
        target = self._engine.target
        if self._engine.state is not EngineState.READY or target is None:
            return
        if target.path != self._target:
            self._target = target.path
            self._known.clear()
            self.counted.emit()
        if self._asked is not None or not self._waiting:
            return
        text = self._waiting.pop()
        self._asked = (hash(text), self._target)
        self._worker.send(Tokenize(request_id=0, text=text, count_only=True), self._take)

    def _take(self, event: protocol.AnyEvent) -> None:
        if self._asked is None:
            return
        key, target = self._asked
        self._asked = None
        if isinstance(event, Tokens) and target == self._target:
            self._known[key] = event.count
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        if not self._waiting:
            self.counted.emit()
        self._ask_next()
