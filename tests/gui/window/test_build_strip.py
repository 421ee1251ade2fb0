"""The strip about a build beside the window: what it says in every state of the file, and that it holds nobody up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import building
from app.building import Building
from app.gui.controllers.build_watch import BuildWatch
from app.gui.look.theme import read_colours
from app.gui.window.build_strip import BuildStrip
from app.sentences import say
from tests.gui.conftest import MakeProgram

ALIVE, GONE = os.getpid(), 2**31 - 1
RUNNING = "Building llama.cpp, the first engine: 43%, about 4 minutes left. Answers come from ik_llama.cpp meanwhile."


class Place:
    """A file that a builder writes, and the strip of a window that reads it; the clock stands still."""

    def __init__(self, folder: Path, qtbot: QtBot) -> None:
        self.file = folder / "building.json"
        self.now = 1_000.0
        self.watch = BuildWatch(self.file, clock=lambda: self.now)
        self.page = QWidget()
        qtbot.addWidget(self.page)
        self.strip = BuildStrip(self.watch, read_colours("light"), self.page)
        self.page.show()

    def tell(self, stage: building.Stage, fraction: float = 0.43, left_s: float | None = None, pid: int = ALIVE,
             reason: str = "", hint: str = "", log: str = "") -> str:
        building.write(self.file, Building(stage, fraction, left_s, pid, self.now, reason, hint, log))
        self.watch.look()
        return self.strip.text.text()


@pytest.fixture
def place(tmp_path: Path, qtbot: QtBot) -> Place:
    return Place(tmp_path, qtbot)


def test_how_far_the_build_is_and_how_long_it_takes(place: Place) -> None:
    assert place.tell("building", left_s=228.0) == RUNNING
    assert place.strip.isVisible()
    assert (place.strip.bar.isVisible(), place.strip.bar.value()) == (True, 43)
    place.now += 120
    place.watch.look()
    assert "about 2 minutes left" in place.strip.text.text(), "also between two words of the builder"
    place.now += 600
    place.watch.look()
    assert "about a minute left" in place.strip.text.text()


@pytest.mark.parametrize(("stage", "words"), [
    ("starting", "begins"), ("fetching source", "Fetching the source"), ("building", "the first engine: 43%. "),
    ("trying it on this processor", "on this processor: 43%"), ("installing", "Installing llama.cpp"),
])
def test_every_stage_has_its_words(place: Place, stage: building.Stage, words: str) -> None:
    assert words in place.tell(stage)
    assert place.strip.text.text().endswith("ik_llama.cpp meanwhile.")


def test_when_it_is_built_a_restart_is_offered(place: Place, qtbot: QtBot) -> None:
    place.watch.start()
    assert place.watch.is_watching
    assert place.tell("done", 1.0) == "llama.cpp is built. Start the program again to use both engines."
    assert not place.watch.is_watching
    assert not place.strip.bar.isVisible()
    place.strip.set_answering(True)
    assert not place.strip.button.isEnabled()
    place.strip.set_answering(False)
    with qtbot.waitSignal(place.strip.restart_requested):
        qtbot.mouseClick(place.strip.button, Qt.MouseButton.LeftButton)


def test_of_a_failed_build_the_reason_and_the_log_are_shown(place: Place) -> None:
    said = place.tell(
        "failed", reason="llama-cpp-python could not be built: /tmp/x/ggml/repack.cpp:7: fatal error: no y.h",
        hint="The whole story is in /logs/build.log; solve it.", log="/logs/build.log",
    )
    assert said == ("llama-cpp-python could not be built: repack.cpp:7: fatal error: no y.h. "
                    "ik_llama.cpp goes on answering; the next start tries to build llama.cpp again.")
    assert place.strip.button.text() == "Show log"
    assert place.strip.button.toolTip() == "/logs/build.log"
    assert not place.watch.is_watching


def test_a_reason_from_a_stranger_does_not_act(place: Place) -> None:
    said = place.tell("failed", reason="\x1b[31mred\x1b[0m <b>x</b>\n" + "y" * 5000)
    assert "\x1b" not in said
    assert len(said) < 500
    assert place.strip.text.textFormat() is Qt.TextFormat.PlainText


def test_a_failure_without_a_reason_is_said_too(place: Place) -> None:
    assert place.tell("failed").startswith("llama.cpp could not be built. ik_llama.cpp goes on")
    assert not place.strip.button.isVisible(), "there is no log to show"


def test_a_builder_that_is_gone_leaves_no_endless_bar(place: Place) -> None:
    place.watch.start()
    assert "was stopped before it was done" in place.tell("building", pid=GONE)
    assert not place.strip.bar.isVisible()
    assert not place.watch.is_watching


def test_the_last_word_of_a_builder_that_is_gone_counts(tmp_path: Path) -> None:
    file = tmp_path / "building.json"
    building.write(file, Building("building", 0.9, pid=7))

    def end_in_between(pid: int) -> bool:
        building.write(file, Building("done", 1.0, pid=7))
        return False

    watch = BuildWatch(file, is_alive=end_in_between)
    watch.look()
    assert watch.phase == "done"


def test_garbage_is_said_after_a_while_and_the_looking_ends(place: Place) -> None:
    place.watch.start()
    place.file.write_bytes(b'{"stage": "building", "fraction": "a lot"')
    for _ in range(8):
        place.watch.look()
    assert not place.strip.isVisible(), "half a file is not worth a word"
    place.watch.look()
    assert "cannot be read any more" in place.strip.text.text()
    assert not place.watch.is_watching


def test_a_file_that_vanishes_and_comes_back(place: Place) -> None:
    place.watch.start()
    place.tell("building", left_s=228.0)
    place.file.unlink()
    place.watch.look()
    assert place.strip.text.text() == RUNNING
    for _ in range(10):
        place.watch.look()
    assert "cannot be read any more" in place.strip.text.text()
    assert not place.strip.bar.isVisible()
    assert place.watch.is_watching, "the builder lives"
    assert place.tell("building", left_s=228.0) == RUNNING
    assert place.strip.bar.isVisible()


def test_a_file_that_vanishes_with_its_builder(tmp_path: Path) -> None:
    alive = [True]
    file = tmp_path / "building.json"
    watch = BuildWatch(file, is_alive=lambda pid: alive[0])
    building.write(file, Building("building", 0.5, pid=7))
    watch.start()
    file.unlink()
    alive[0] = False
    for _ in range(10):
        watch.look()
    assert watch.phase == "stopped"
    assert not watch.is_watching


def test_what_was_closed_stays_closed_until_something_happens(place: Place) -> None:
    place.tell("building", 0.4)
    place.strip.hide()
    place.strip.dismissed.emit()
    place.tell("building", 0.5)
    assert not place.strip.isVisible()
    again = BuildStrip(place.watch, read_colours("dark"), place.page)
    assert not again.isVisibleTo(place.page), "nor in the window of another language"
    place.tell("done", 1.0)
    assert place.strip.isVisible()


def test_screen_readers_are_told_each_phase_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("app.gui.window.build_strip.announce", lambda widget, words: told.append(words))
    for percent in (10, 11, 12):
        place.tell("building", percent / 100)
    assert place.strip.accessibleName() == place.strip.text.text()
    assert place.strip.bar.accessibleName()
    place.tell("done", 1.0)
    assert [words.split(".")[0] for words in told] == ["Building llama", "llama"]


def test_in_vietnamese(vietnamese: None, place: Place) -> None:
    assert "còn khoảng 4 phút" in place.tell("building", left_s=228.0)
    said = place.tell("failed", reason=say(
        "{name} could not be downloaded: {reason}.", name="llama-cpp-python's source", reason="timed out"))
    assert said.startswith("Không tải được llama-cpp-python's source: timed out. ik_llama.cpp vẫn")


def test_a_window_beside_a_build_shows_it_and_keeps_the_focus(
    make_program: MakeProgram, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qapp: QApplication
) -> None:
    file = tmp_path / "building.json"
    building.write(file, Building("building", 0.43, 228.0, ALIVE))
    monkeypatch.setenv(building.VARIABLE, str(file))
    program = make_program()
    assert program.build is not None
    window = program.window
    window.activateWindow()
    window.page.composer.edit.setFocus()
    before = QApplication.focusWidget()
    program.build.start()
    strip = window.page.findChild(BuildStrip)
    assert strip is not None
    qtbot.waitUntil(strip.isVisible)
    assert QApplication.focusWidget() is before
    window.resize(800, 600)
    qapp.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert strip.width() <= window.page.width()
    assert window.minimumSizeHint().width() <= 800
    building.write(file, Building("done", 1.0, pid=ALIVE))
    program.build.look()
    assert not program.wants_restart
    strip.button.click()
    assert program.wants_restart
    assert not program.window.isVisible()
    assert not program.build.is_watching


def test_a_window_without_a_build_looks_for_none(make_program: MakeProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(building.VARIABLE, raising=False)
    program = make_program(load=False)
    assert program.build is None
    assert program.window.page.findChild(BuildStrip) is None


def test_the_strip_follows_the_window_into_another_language(
    make_program: MakeProgram, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "building.json"
    building.write(file, Building("building", 0.43, 228.0, ALIVE))
    monkeypatch.setenv(building.VARIABLE, str(file))
    program = make_program(load=False)
    assert program.build is not None
    program.build.look()
    old = program.window
    program.translations.choose("vi")
    qtbot.waitUntil(lambda: program.window is not old)
    strip = program.window.page.findChild(BuildStrip)
    assert strip is not None
    assert "còn khoảng 4 phút" in strip.text.text()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    program.chat.answering_changed.emit(True)
    building.write(file, Building("done", 1.0, pid=ALIVE))
    program.build.look()
    assert not strip.button.isEnabled(), "an answer is being written"
    program.translations.choose("en")
