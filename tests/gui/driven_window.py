"""The real window for a test that drives it from outside: ``driven_window.py [--ask TEXT] STATE.json SCRIPT…``.

What is to be seen is written to STATE.json ten times a second; nothing is taken in but what keyboard and mouse send.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QPoint, QTimer  # noqa: E402
from PySide6.QtWidgets import QWidget  # noqa: E402

from app.gui.controllers.worker_process import WorkerProcess  # noqa: E402
from app.gui.program import Program  # noqa: E402
from app.gui.start import make_application  # noqa: E402
from app.settings.settings import SettingsFile  # noqa: E402
from tests.scripted_worker import scripted_worker_command  # noqa: E402


def centre(widget: QWidget) -> list[int]:
    point = widget.mapToGlobal(QPoint(widget.width() // 2, widget.height() // 2))
    return [point.x(), point.y()]


def observe(program: Program) -> dict[str, object]:
    page = program.window.page
    return {
        "visible": program.window.isVisible(),
        "state": program.engine.state.name,
        "written": page.composer.edit.toPlainText(),
        "button": page.composer.button.text(),
        "button_at": centre(page.composer.button),
        "edit_at": centre(page.composer.edit),
        "answers": [view.body.toPlainText() for view in page.transcript.answers],
        "lines": [view.figures.text() for view in page.transcript.answers],
        "problems": [view.problem.text.text() for view in page.transcript.answers],
        "points": len(page.panel.plot.series.times_s),
        "worker": program.worker.pid,
    }


def main(arguments: list[str]) -> int:
    question = ""
    if arguments[0] == "--ask":
        question, arguments = arguments[1], arguments[2:]
    state, script = Path(arguments[0]), arguments[1:]
    application = make_application(["driven_window"])
    program = Program(application, SettingsFile(state.with_name("settings.json")),
                      WorkerProcess(scripted_worker_command(*script)))
    beside = state.with_suffix(".new")

    def write() -> None:
        beside.write_text(json.dumps(observe(program)), encoding="utf-8")
        os.replace(beside, state)

    timer = QTimer()
    timer.setInterval(100)
    timer.timeout.connect(write)
    timer.start()
    program.window.show()
    program.archive.open()
    program.pairs.use("/models/target.gguf", "/models/draft.gguf")
    if question:
        QTimer.singleShot(0, lambda: program.chat.send(question))
    status = application.exec()
    program.close()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
