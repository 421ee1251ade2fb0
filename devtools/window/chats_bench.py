"""How soon conversations are there: 1,000 of 50 messages each, in the real window. Run by ``frame_bench``.

Each figure ends with a paint: of the list that holds what was asked for, or of the text of the last answer of the
conversation that was opened. The wall clock counts, the typing pause before a search included.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer, SignalInstance
from PySide6.QtWidgets import QWidget

from app import paths
from app.chat.conversation import AnswerFacts, Conversation
from app.chat.store import Store
from app.gui.program import Program
from app.gui.start import make_application
from app.settings.settings import SettingsFile
from devtools.window.quiet_worker import QuietWorker
from devtools.window.scripted_text import make_text

CONVERSATIONS = 1000
MESSAGES = 50
TRIES = 10
_WORDS = ("lighthouse", "storm", "sourdough", "recursion", "glacier", "parser", "violin", "harbour")
_PATIENCE_MS = 30_000


class _Paint(QObject):
    """Quits ``loop`` with the first paint of ``widget``."""

    def __init__(self, widget: QWidget, loop: QEventLoop) -> None:
        super().__init__(widget)
        self._loop = loop
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # After it, not before.
            QTimer.singleShot(0, self._loop.quit)
        return False


def fill(place: Path, conversations: int = CONVERSATIONS, messages: int = MESSAGES) -> list[str]:
    """Write conversations of ``messages`` messages to the file ``place``; their ids."""
    chance = random.Random(5)
    answers = ["".join(make_text(120, seed)) for seed in range(40)]
    store = Store(place)
    ids = []
    for number in range(conversations):
        chat = Conversation(title=f"Conversation {number} on the {chance.choice(_WORDS)}")
        for turn in range(messages // 2):
            chat.add("user", f"Question {turn}: what of the {chance.choice(_WORDS)} number {chance.randint(0, 9999)}?")
            chat.add("assistant", chance.choice(answers), facts=AnswerFacts(reason="eos", tokens=120))
        store.save_all(chat, time.time() - 3600 * number)
        ids.append(chat.id)
    store.close()
    return ids


def run_chats(conversations: int = CONVERSATIONS) -> int:
    """Measure in this process, whose data folder must be empty, and print the figures in milliseconds."""
    application = make_application(["slipstream"])
    ids = fill(paths.data_dir() / "conversations.db", conversations)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(application, SettingsFile(Path(folder) / "settings.json"), QuietWorker())
        page = program.window.page
        program.window.show()
        page.header.listing.setChecked(True)
        shown = page.listing.list.viewport()
        # As after every start: what a first chat needs is loaded while nobody does anything.
        idle = QEventLoop()
        program.preloader.finished.connect(idle.quit)
        program.preloader.start()
        idle.exec()
        _until(program.archive.open, program.archive.summaries_ready, lambda: shown)
        found = {
            "list_ms": _times(lambda _: program.archive.refresh(), program.archive.summaries_ready, lambda: shown),
            "search_ms": _times(lambda n: page.listing.search.setText(_WORDS[n % len(_WORDS)]),
                                program.archive.summaries_ready, lambda: shown),
            "open_ms": _times(lambda n: page.listing.open_requested.emit(ids[(37 * n + 11) % len(ids)]),
                              program.chat.turns_changed,
                              lambda: page.transcript.answers[-1].body.viewport()),
        }
        program.window.close()
        program.close()
    result: dict[str, object] = {"conversations": conversations, "messages_each": MESSAGES}
    for name, times in found.items():
        result[name] = round(statistics.median(times), 1)
        result[f"{name}_slowest"] = round(max(times), 1)
    sys.stdout.write(json.dumps(result) + "\n")
    return 0


def _times(act: Callable[[int], object], shown: SignalInstance, widget: Callable[[], QWidget]) -> list[float]:
    """Milliseconds from ``act`` to the first paint of ``widget`` after the signal ``shown``, ``TRIES`` times."""
    return [_until(partial(act, number), shown, widget) for number in range(TRIES)]


def _until(act: Callable[[], object], shown: SignalInstance, widget: Callable[[], QWidget]) -> float:
    loop, patience = QEventLoop(), QTimer()
    patience.setSingleShot(True)
    patience.timeout.connect(partial(loop.exit, 1))
    patience.start(_PATIENCE_MS)
    connection = shown.connect(lambda *_: _watch(widget(), loop))
    begun = time.perf_counter()
    act()
    late = loop.exec()
    took = 1000 * (time.perf_counter() - begun)
    shown.disconnect(connection)
    if late:
        raise RuntimeError(f"nothing was painted within {_PATIENCE_MS / 1000:.0f} s")
    rest = QEventLoop()
    QTimer.singleShot(300, rest.quit)
    rest.exec()
    return took


def _watch(widget: QWidget, loop: QEventLoop) -> None:
    _Paint(widget, loop)
    widget.update()
