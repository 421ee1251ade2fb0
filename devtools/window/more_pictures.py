"""Pictures of what one meets less often: thinking, versions, failures, long names, dialogs, every group of settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app import protocol
from app.client.worker_exit import WorkerExit, describe_exit
from app.gui.failures.crash_record import CrashRecord
from app.gui.failures.error_reporter import ErrorReporter
from app.gui.models.remote_dialog import RemoteDialog
from devtools.window import screenshot_script as script

if TYPE_CHECKING:
    from devtools.window.screenshots import Stage

_QUESTION = "Is 221 a prime number?"
_ANSWERS = (
    "<think>\nThe square root of 221 is a little less than 15, so 2, 3, 5, 7, 11 and 13 are enough.\n13 × 17 = 221."
    "\n</think>\n\nIt looks like one, but 221 = 13 × 17.\n",
    "<think>\nTry the primes up to 14: 2, 3, 5, 7 and 11 leave a rest, 13 does not: 13 × 17 = 221.\n</think>\n\n"
    "No. Of the primes up to its square root, 14.9, 13 divides it:\n\n$$221 = 13 \\cdot 17$$\n",
)
_FOLLOW_UP = "And 223? Show how you would check it in one line of Python, and say why that is enough."
_PARTIAL = "223 is prime. A line that checks it:\n\n```python\nall(223 % n for n in range(2, 15))\n```\n\nThat is"
_WHOLE = (900, 2500)
_KILLED = 9


def take_troubles(stage: Stage, theme: str, save: Callable[[QWidget, str], None], settle: Callable[[int], None]
                  ) -> None:
    """In a small window, with a model of a long name: thinking and versions of an answer, and one that failed."""
    program, page = stage.program, stage.window.page
    program.pairs.use(script.OTHERS[1].path, script.DRAFT.path, anyway=True)
    stage.worker.finish_load(script.OTHERS[1].name)
    stage.worker.finish_load(script.DRAFT.name)
    program.chat.new_chat()
    program.chat.send(_QUESTION)
    _answer(stage, _ANSWERS[0])
    program.chat.answer_again(program.chat.turns[-1])
    _answer(stage, _ANSWERS[1])
    page.transcript.answers[-1].thinking.button.click()
    settle(1500)
    save(stage.window, f"chat-versions-small-{theme}")
    program.chat.send(_FOLLOW_UP)
    request_id = stage.worker.last_id
    for event in script.answer_events(_PARTIAL, request_id, seed=4, finished=False):
        stage.worker.say(event)
    code, message, hint = describe_exit(WorkerExit(signal_number=_KILLED), was_ready=True)
    stage.worker.say(protocol.Failed(request_id=request_id, code=code, message=message, hint=hint))
    save(stage.window, f"chat-failed-small-{theme}")


def take_dialogs(stage: Stage, theme: str, save: Callable[[QWidget, str], None], folder: Path) -> None:
    """The dialog of failures, the one for servers elsewhere, and all groups of the settings below each other."""
    desk = ErrorReporter(CrashRecord(folder), stage.program.devices, stage.program.keeper, folder,
                       lambda: stage.program.theme.colours, stage.window)
    desk.report_failure(describe_exit(WorkerExit(signal_number=_KILLED), was_ready=True)[1])
    if desk.dialog is not None:
        save(desk.dialog, f"failure-{theme}")
        desk.dialog.close()
    remote = RemoteDialog(parent=stage.window)
    remote.show()
    save(remote, f"remote-{theme}")
    remote.close()
    dialog = stage.open_settings()
    dialog.resize(*_WHOLE)
    save(dialog, f"settings-all-{theme}")
    dialog.close()


def _answer(stage: Stage, text: str) -> None:
    for event in script.answer_events(text, stage.worker.last_id, seed=11):
        stage.worker.say(event)
