from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.gui.conftest import TARGET, MakeProgram
from tests.models import gguf_writer as writer


def test_what_is_chosen_before_the_folders_were_looked_at_stays(
    make_program: MakeProgram, qtbot: QtBot, tmp_path: Path
) -> None:
    """The first look ends while an answer is written: it neither stops the answer nor takes another model."""
    writer.write_model(tmp_path / "models" / "other.gguf", "Another model")
    program = make_program("--chunks", "400", "--delay-s", "0.01")
    program.chat.send("Begin early.")
    qtbot.waitUntil(lambda: bool(program.chat.turns[-1].answer.text), timeout=15_000)
    with qtbot.waitSignal(program.models.entries_changed, timeout=30_000):
        program.models.rescan()
    qtbot.wait(300)
    assert program.pairs.target_path == TARGET
    assert program.chat.is_answering
    assert program.chat.turns[-1].answer.reason != "aborted"
    program.chat.stop()
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=15_000)
