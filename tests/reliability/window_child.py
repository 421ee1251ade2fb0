"""The whole window in a process of its own, to be killed, starved and watched: ``window_child.py STATE.json``.

It is started as ``app.gui.start`` starts it, with data wherever the environment says. Lines of JSON on stdin tell it
what a person would do; what is to be seen is written to STATE.json ten times a second.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QSocketNotifier, QTimer  # noqa: E402

from app import protocol  # noqa: E402
from app.client import session  # noqa: E402
from app.client.process import worker_command  # noqa: E402
from app.gui.failures.error_reporter import ErrorReporter  # noqa: E402
from app.gui.program import Program  # noqa: E402
from app.gui.start import run  # noqa: E402
from tests.reliability.faulty_worker import audit_sockets, faulty_worker_command  # noqa: E402
from tests.scripted_worker import scripted_worker_command  # noqa: E402


def observe(program: Program, desk: ErrorReporter) -> dict[str, object]:
    page = program.window.page
    banner = page.problem_banner
    dialog = desk.dialog
    return {
        "visible": program.window.isVisible(),
        "title": program.window.windowTitle(),
        "state": program.engine.state.name,
        "answering": program.chat.is_answering,
        "turns": len(program.chat.turns),
        "answers": [turn.answer.text for turn in program.chat.turns],
        "problems": [view.problem.text.text() for view in page.transcript.answers if not view.problem.isHidden()],
        "banner": "" if banner.isHidden() else banner.text.text(),
        "button": "" if banner.isHidden() else banner.button.text(),
        "dialog": "" if dialog is None else dialog.message.text(),
        "report": "" if dialog is None else dialog.report.toPlainText(),
        "titles": [page.listing.list.item(i).text() for i in range(page.listing.list.count())]
        if hasattr(page.listing, "list") else [],
        "worker": program.worker.pid,
        "pid": os.getpid(),
    }


def obey(program: Program, order: dict[str, str]) -> None:
    for verb, word in order.items():
        if verb == "load":
            target, _, draft = word.partition("|")
            program.pairs.use(target, draft, anyway=True)
        elif verb == "ask":
            program.window.page.composer.edit.setPlainText(word)
            program.window.page.composer.button.click()
        elif verb == "new":
            program.window.new_chat()
        elif verb == "open":
            program.window.page.chats.open(word)
        elif verb == "stop":
            program.chat.stop()
        elif verb == "write":
            program.window.page.composer.edit.setPlainText(word)
        elif verb == "quit":
            program.window.close()
        elif verb == "mistake":
            QTimer.singleShot(0, lambda: [][1])
        elif verb == "crash":
            import ctypes

            ctypes.string_at(0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("--worker", choices=("real", "scripted", "faulty"), default="real")
    parser.add_argument("--audit", default="")
    parser.add_argument("--audit-worker", default="")
    parser.add_argument("--silence-s", type=float, default=0.0, help="patience with a silent answer")
    options, script = parser.parse_known_args(arguments)
    if options.audit:
        audit_sockets(options.audit)
    if options.audit_worker:
        script += ["--audit", options.audit_worker]
    command = {"real": worker_command, "scripted": lambda: scripted_worker_command(*script),
               "faulty": lambda: faulty_worker_command(*script)}[options.worker]()
    if options.silence_s:
        session._SILENCE_S[protocol.Generate] = options.silence_s
    watchers: list[object] = []
    return run(["window_child"], command, lambda program, desk: watchers.extend(watch(program, desk, options.state)))


def watch(program: Program, desk: ErrorReporter, place: Path) -> tuple[QTimer, QSocketNotifier]:
    """Write what is to be seen, and read what is to be done."""
    beside = place.with_suffix(".new")

    def write() -> None:
        beside.write_text(json.dumps(observe(program, desk)), encoding="utf-8")
        os.replace(beside, place)

    buffer = bytearray()

    def read() -> None:
        data = os.read(0, 65536)
        if not data:
            notifier.setEnabled(False)
            return
        buffer.extend(data)
        while b"\n" in buffer:
            line, _, rest = bytes(buffer).partition(b"\n")
            buffer[:] = rest
            obey(program, json.loads(line))

    notifier = QSocketNotifier(0, QSocketNotifier.Type.Read, program)
    notifier.activated.connect(read)
    timer = QTimer(program)
    timer.setInterval(100)
    timer.timeout.connect(write)
    timer.start()
    return timer, notifier


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
