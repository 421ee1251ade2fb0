"""Pictures of the chat: formulas, attached files, find, folders, the list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtWidgets import QWidget

from app.chat.attachment import Attachment
from app.gui.window.shortcuts import ShortcutsDialog
from devtools.window import screenshot_script as script

if TYPE_CHECKING:
    from devtools.window.screenshots import Stage

_FILE = Attachment(name="measurements.csv", text="x,y\n1,2.1\n2,3.9\n3,6.2\n", tokens=26)
_NEXT = Attachment(name="report of the third series, final version.pdf", text="Results", tokens=1_204)
_QUESTION = "Fit a line through these points. How is the slope computed?"
_ANSWER = r"""The line $y = a + bx$ that fits best has the least sum of squares
$\sum_i (y_i - a - b x_i)^2$. Its slope is

$$
b = \frac{\sum_{i=1}^{n} (x_i - \bar{x})(y_i - \bar{y})}{\sum_{i=1}^{n} (x_i - \bar{x})^2}
$$

With $\bar{x} = 2$ and $\bar{y} \approx 4.07$ that is \(b = \frac{4.1}{2} = 2.05\), and the matrix form says the same:

\[ \begin{pmatrix} a \\ b \end{pmatrix} = (X^\top X)^{-1} X^\top y \]
"""
_FORMULAS = 7
_WAIT_ROUNDS = 120


def take_chat(stage: Stage, theme: str, save: Callable[[QWidget, str], None], settle: Callable[[int], None]) -> None:
    """``stage`` shows the scripted chat already."""
    window = stage.window
    page = window.page
    stage.program.chat.send(_QUESTION, attachments=[_FILE])
    for event in script.answer_events(_ANSWER, stage.worker.last_id, seed=9):
        if event.__class__.__name__ == "Done":
            event = msgspec.structs.replace(event, reason="length")
        stage.worker.say(event)
    page.composer.set_attachments([_NEXT])
    listing = [msgspec.structs.replace(each, folder="Recipes") if "recipe" in each.title else each
               for each in script.CONVERSATIONS]
    page.listing.show_summaries(listing, "")
    view = page.transcript.answers[-1].body
    for _ in range(_WAIT_ROUNDS):
        settle(250)
        if view.toPlainText().count("\ufffc") >= _FORMULAS:
            break
    save(window, f"chat-formulas-{theme}")
    page.begin_find()
    page.find_bar.edit.setText("sum")
    save(window, f"chat-find-{theme}")
    page.find_bar.leave()
    page.composer.set_attachments([])
    window.open_shortcuts()
    for dialog in window.findChildren(ShortcutsDialog):
        save(dialog, f"shortcuts-{theme}")
        dialog.close()
