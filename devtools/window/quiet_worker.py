"""A worker without a process, for pictures and measurements: it says what it is told to say."""

from __future__ import annotations

from pathlib import Path

from app import protocol
from app.gui.controllers.worker_process import OnEvent, WorkerProcess
from app.protocol import AnyCommand, AnyEvent
from app.records import MemoryFigures, ModelFacts

_ENGINE_SENTENCE = (
    "ik_llama.cpp, measured here with this model: 21 tokens/s plain where llama.cpp has 17, and four tokens checked in "
    "72 ms where it takes 129 ms."
)

class QuietWorker(WorkerProcess):
    def __init__(self) -> None:
        super().__init__(["none"])
        self.commands: list[AnyCommand] = []
        self._said: list[AnyEvent] = []

    @property
    def is_running(self) -> bool:
        return True

    @property
    def last_id(self) -> int:
        return len(self.commands)

    def send(self, command: AnyCommand, on_event: OnEvent | None = None) -> int:
        self.commands.append(command)
        self._listen(self.last_id, on_event)
        return len(self.commands)

    def say(self, event: AnyEvent) -> None:
        """Have ``event`` told and drawn at once."""
        self._take([event])

    def stream(self, event: AnyEvent) -> None:
        """Have ``event`` told as a real worker's is: with all that comes until the window takes it."""
        self._said.append(event)
        self._pacer.ask()

    def _read(self) -> None:
        self._pacer.begin()
        said, self._said = self._said, []
        self._take(said)

    def finish_load(self, name: str = "") -> None:
        """Answer the load command that came last."""
        command = self.commands[-1]
        if isinstance(command, protocol.Load | protocol.LoadDraft):
            self.say(protocol.Loaded(
                request_id=self.last_id, load_s=1.0, memory=MemoryFigures(), engine_sentence=_ENGINE_SENTENCE,
                facts=ModelFacts(
                    path=command.path, name=name or Path(command.path).stem, architecture="scripted", description="",
                    parameters=1, size_bytes=1, ctx_tokens=4096, ctx_train_tokens=4096, vocab_size=1000,
                    has_chat_template=True,
                ),
            ))

    def close(self, patience_ms: int = 0) -> None:
        self.commands.clear()
