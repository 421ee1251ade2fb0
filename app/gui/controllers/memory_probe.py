"""Asks the engine, in a process of its own, what it would reserve: a sharper figure than the header alone allows.

Only where it matters, that is where memory is tight or a graphics card takes part: it costs a second of a processor.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from app import protocol
from app.client.process import ProcessClient
from app.errors import SlipstreamError
from app.gui.controllers.models import ModelsController, ModelUse
from app.gui.controllers.network import Network
from app.models.memory_check import MemoryJudgement, Reserved
from app.records import LoadSettings

_TIGHT = 0.6
"""Share of what is free from which on an estimate deserves a second look."""


class MemoryProbe(QObject):
    """A process of its own, since a file that the engine trips over ends the process that reads it."""

    def __init__(self, models: ModelsController, network: Network, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models, self._network = models, network
        self.enabled = True
        self.command: Sequence[str] | None = None
        """What starts a worker; the program's own by default."""
        self._asked: set[ModelUse] = set()
        models.judged.connect(self._consider)

    def _consider(self, judgement: MemoryJudgement, uses: Sequence[ModelUse]) -> None:
        matters = judgement.needed_bytes > _TIGHT * judgement.free_bytes or len(judgement.places) > 1
        if not self.enabled or not matters:
            return
        for use in uses:
            if use not in self._asked:
                self._asked.add(use)
                self._ask(*use)

    def _ask(self, path: str, settings: LoadSettings, as_draft: bool) -> None:
        command = self.command

        def work() -> protocol.Estimated:
            with ProcessClient(command) as client:
                return client.estimate(path, settings, as_draft)

        def done(estimated: protocol.Estimated) -> None:
            buffers = (*estimated.compute_bytes.items(), *estimated.output_bytes.items())
            # What is pinned for a card ("CUDA_Host") lies in main memory all the same.
            cards = sum(size for device, size in buffers if not device.startswith("CPU") and "_Host" not in device)
            self._models.take_reserved(path, settings, as_draft, Reserved(estimated.cache_bytes, cards))

        # Where the engine cannot say, the estimate from the header stands.
        self._network.run(work, done, _leave)


def _leave(error: SlipstreamError) -> None:
    return
