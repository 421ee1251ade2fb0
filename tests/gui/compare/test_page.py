"""The Compare page as a person uses it, with scripted workers as real processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.client.remote_paths import remote_path
from app.client.remote_worker import KEY_VARIABLE
from app.compare.report import Report
from app.gui.compare.page import ComparePage
from app.gui.controllers.engine import EngineState
from app.gui.program import Program
from app.server.access import Access
from app.settings.settings import Speculation
from tests.gui.conftest import MakeProgram
from tests.scripted_worker import scripted_worker_command
from tests.server.serving import serving

WAIT_MS = 60_000
MakeComparing = Callable[..., tuple[Program, ComparePage]]


@pytest.fixture
def make_comparing(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                   ) -> MakeComparing:
    """A program with a pair that is on disk, the Compare page in front, and workers that follow a script."""
    # The machine that runs the tests has other things to do; that is not what is tested here.
    monkeypatch.setattr("app.compare.run.LoadMeter.stop", lambda self: 0.0)

    def make(*script: str, chat_script: tuple[str, ...] = ()) -> tuple[Program, ComparePage]:
        program = make_program(*chat_script, load=False)
        target, draft = tmp_path / "big-chat-7b.gguf", tmp_path / "big-chat-1b.gguf"
        target.write_bytes(b"target")
        draft.write_bytes(b"draft")
        program.window.compare.command = scripted_worker_command(*script)
        program.pairs.use(str(target), str(draft))
        qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
        program.window.show_page(1)
        return program, program.window.compare_page

    return make


def click(qtbot: QtBot, button: QWidget) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def start(qtbot: QtBot, page: ComparePage, prompt: str = "Sort these.") -> None:
    qtbot.keyClicks(page.setup.prompts_card.prompt, prompt)
    click(qtbot, page.setup.start)


def wait_for_verdict(qtbot: QtBot, page: ComparePage) -> None:
    qtbot.waitUntil(page.verdict.isVisible, timeout=WAIT_MS)


def test_the_known_verdict_appears(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "8")
    assert not page.setup.start.isEnabled()
    assert "no prompt yet" in page.setup.trouble.text()
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert page.verdict.headline.text() == "B is 2.00 times as fast as A (2.00 to 2.00)"
    assert "40.0 against 20.0 tokens/s; 50% of drafted tokens accepted; same text" in page.verdict.sentence.text()
    assert [labels[1].text() for labels in page.verdict.rows[1:3]] == [
        "Speculation off", "Auto, drafted by 1b\u00a0·\u00a0faster"]
    assert not any(label.isVisibleTo(page) for labels in page.verdict.rows[3:] for label in labels)
    assert [labels[2].text() for labels in page.verdict.rows[1:3]] == ["20.0", "40.0"]
    assert page.answers.texts[0].toPlainText().startswith("word0 word1")
    assert page.answers.texts[0].toPlainText() == page.answers.texts[1].toPlainText()
    assert page.answers.partings.text() == "Both wrote the same text."
    slow, fast = page.charts.speed.lines
    assert slow[0]
    assert fast[0]
    assert max(fast[1]) > max(slow[1])
    assert [sum(ms for _, ms in side) for side in page.charts.phases.rows] == pytest.approx([56.25, 31.25], rel=0.05)
    qtbot.waitUntil(lambda: page.kept.list.count() == 1, timeout=WAIT_MS)
    assert "Sort these." in page.kept.list.item(0).text()


def test_the_chat_rests_meanwhile_and_comes_back(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--chunks", "10", "--delay-s", "0.05")
    start(qtbot, page)
    assert program.window.compare.is_running
    assert program.engine.state is EngineState.DOWN
    assert program.engine.target is None
    assert "comparison is running" in program.window.page.problem_banner.text.text()
    click(qtbot, page.progress.stop)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert not program.window.page.problem_banner.isVisibleTo(program.window.page)


def test_a_message_sent_meanwhile_is_answered_afterwards(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--chunks", "10", "--delay-s", "0.05")
    start(qtbot, page)
    program.chat.send("Hello")
    assert program.engine.state is EngineState.DOWN
    click(qtbot, page.progress.stop)
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)
    answer = program.chat.last_answer
    assert answer is not None
    assert answer.text.startswith("word0 word1")


def test_it_does_not_start_while_an_answer_is_written(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing(chat_script=("--chunks", "400", "--delay-s", "0.02"))
    program.chat.send("Hello")
    start(qtbot, page)
    assert not program.window.compare.is_running
    assert "An answer is being written" in page.banner.text.text()
    assert program.chat.is_answering
    program.chat.stop()
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)


def test_stop_keeps_what_is_finished(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "6", "--delay-s", "0.05")
    start(qtbot, page)
    qtbot.waitUntil(lambda: page.progress.bar.value() >= 3, timeout=WAIT_MS)
    assert "of 12 answers" in page.progress.state.text()
    assert "left" in page.progress.state.text()
    click(qtbot, page.progress.stop)
    wait_for_verdict(qtbot, page)
    assert "Stopped early" in page.verdict.basis.text()
    assert "2.00 times as fast as A" in page.verdict.headline.text()
    qtbot.waitUntil(lambda: page.kept.list.count() == 1, timeout=WAIT_MS)


def test_stopped_before_the_first_answer(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--load-s", "30")
    start(qtbot, page)
    qtbot.waitUntil(lambda: "Loading" in page.progress.state.text(), timeout=WAIT_MS)
    qtbot.wait(300)
    click(qtbot, page.progress.stop)
    qtbot.waitUntil(page.setup.isVisible, timeout=WAIT_MS)
    assert "Stopped before the first answer" in page.banner.text.text()
    assert page.kept.list.count() == 0


def test_the_winner_is_applied(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    assert program.chat.speculation.mode == "auto"
    controls = page.setup.sides[1].controls
    controls.choose("draft")
    controls.form.fields["max"].setValue(7)
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert page.verdict.apply.text() == "Use B: Fixed K=7, drafted by 1b"
    click(qtbot, page.verdict.apply)
    fixed = Speculation(mode="fixed", drafter="draft", max_draft=7)
    assert program.chat.speculation == fixed
    assert program.keeper.settings.for_target(program.pairs.target_path).speculation == fixed
    assert "In use now" in page.verdict.applied.text()


def test_a_slower_side_loses(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--slow", "40", "--fast", "20", "--chunks", "4")
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert page.verdict.headline.text() == "B is slower: 0.50 times as fast as A (0.50 to 0.50)"
    assert page.verdict.apply.text() == "Use A: Speculation off"
    click(qtbot, page.verdict.apply)
    assert program.chat.speculation.mode == "off"
    assert program.pairs.draft_path


def test_texts_that_part_are_shown(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--chunks", "4", "--part-at", "3")
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert "token 3" in page.answers.partings.text()
    assert "gap 0.100" in page.answers.partings.text()


def test_results_are_exported(make_comparing: MakeComparing, qtbot: QtBot, tmp_path: Path) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    for form, button in page.export_buttons.items():
        page.ask_path = lambda name, kinds: str(tmp_path / Path(name).stem)
        click(qtbot, button)
        assert (tmp_path / f"comparison.{form}").stat().st_size > 100
        assert "Written to" in page.banner.text.text()
    report = json.loads((tmp_path / "comparison.json").read_text())
    assert report["verdicts"][0]["kind"] == "faster"
    assert len((tmp_path / "comparison.csv").read_text().splitlines()) == 1 + len(report["trials"])
    assert "2.00×" in (tmp_path / "comparison.md").read_text()
    page.ask_path = lambda name, kinds: str(tmp_path / "nowhere" / "x.md")
    click(qtbot, page.export_buttons["md"])
    assert "could not be written" in page.banner.text.text()


def test_kept_results_are_shown_again_and_deleted(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    qtbot.waitUntil(lambda: page.kept.list.count() == 1, timeout=WAIT_MS)
    click(qtbot, page.again)
    assert page.setup.isVisible()
    assert not page.verdict.isVisible()
    qtbot.mouseClick(page.kept.list.viewport(), Qt.MouseButton.LeftButton, pos=page.kept.centre_of(0))
    wait_for_verdict(qtbot, page)
    assert page.verdict.headline.text() == "B is 2.00 times as fast as A (2.00 to 2.00)"
    assert page.charts.speed.title.text().startswith("Speed of every answer")
    click(qtbot, page.kept.delete)
    qtbot.waitUntil(page.setup.isVisible, timeout=WAIT_MS)
    assert page.kept.list.count() == 0
    assert "“Sort these.” was deleted." in page.banner.text.text()
    click(qtbot, page.banner.button)
    qtbot.waitUntil(lambda: page.kept.list.count() == 1, timeout=WAIT_MS)
    assert not page.banner.isVisible()


def test_four_sides_are_compared_and_the_fastest_named(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    click(qtbot, page.setup.add)
    click(qtbot, page.setup.add)
    assert not page.setup.add.isVisible()
    assert [side.isVisible() for side in page.setup.all_sides] == [True] * 4
    for card, method in zip(page.setup.sides[1:], ("ngram-simple", "draft", "off"), strict=True):
        card.controls.choose(method)
    page.setup.prompts_card.rounds.setCurrentIndex(1)
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert page.verdict.headline.text() == "B is fastest: 2.00 times as fast as A (2.00 to 2.00)"
    assert "Against C, the next, it is 1.00 times as fast (1.00 to 1.00): the two cannot be told apart." \
        in page.verdict.sentence.text()
    assert "hold together" in page.verdict.basis.text()
    names = [labels[1].text() for labels in page.verdict.rows[1:]]
    assert names == ["Speculation off", "N-gram lookup\u00a0·\u00a0fastest", "Fixed K=3, drafted by 1b",
                     "Speculation off (2)"]
    assert [each and round(each.factor, 2) for each in page.verdict.bar.estimates] == [2.0, 2.0, 1.0]
    assert len(page.charts.speed.lines) == 4
    assert [box.isVisibleTo(page) for box in page.answers.texts] == [True] * 4
    assert page.answers.partings.text() == "All wrote the same text."
    assert page.verdict.apply.text() == "Use B: N-gram lookup"


def test_a_side_can_be_taken_away_again(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing()
    click(qtbot, page.setup.add)
    page.setup.sides[2].controls.choose("suffix")
    assert page.setup.sides[0].remove.isVisible()
    click(qtbot, page.setup.sides[1].remove)
    assert [choice.speculation.method() for choice in page.setup.choices] == ["off", "suffix"]
    assert not page.setup.sides[0].remove.isVisible()
    assert not page.setup.all_sides[2].isVisible()


def test_a_side_sets_caches_and_length_for_itself_and_the_winner_keeps_them(
    make_comparing: MakeComparing, qtbot: QtBot
) -> None:
    program, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    card = page.setup.sides[1]
    assert not card.more.isVisible()
    click(qtbot, card.more_button)
    assert card.more.isVisible()
    cache = card.more.fields["cache_type_k"]
    assert isinstance(cache, QComboBox)
    cache.setCurrentIndex(cache.findData("q8_0"))
    cache.activated.emit(cache.currentIndex())
    assert "(1 set)" in card.more_button.text()
    assert "loaded in turns" in page.setup.trouble.text() or "stay loaded" in page.setup.trouble.text() \
        or "no prompt" in page.setup.trouble.text()
    page.setup.prompts_card.rounds.setCurrentIndex(1)
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert page.verdict.rows[2][1].text().startswith("Auto, drafted by 1b · K cache q8_0")
    click(qtbot, page.verdict.apply)
    assert program.keeper.settings.load_for(program.pairs.target_path).cache_type_k == "q8_0"
    assert program.engine.wanted is not None
    assert program.engine.wanted.settings.cache_type_k == "q8_0"


def test_prompts_of_an_own_file(make_comparing: MakeComparing, qtbot: QtBot, tmp_path: Path) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "2")
    form = page.setup.prompts_card
    click(qtbot, form.source.button("file"))
    assert "No file is chosen" in page.setup.trouble.text()
    path = tmp_path / "mine.txt"
    form.ask_file = lambda: str(path)
    path.write_bytes(b"\xff\xfe")
    click(qtbot, form.file_button)
    assert "could not be read" in form.file_words.text()
    assert not page.setup.start.isEnabled()
    path.write_text("One\n\nTwo", encoding="utf-8")
    click(qtbot, form.file_button)
    assert form.file_words.text() == "mine.txt: 2 prompts"
    form.per_kind.setValue(2)
    form.rounds.setCurrentIndex(1)
    click(qtbot, page.setup.start)
    wait_for_verdict(qtbot, page)
    assert "8 answers to 2 prompts" in page.verdict.basis.text()
    assert page.title.text() == "2 prompts of mine.txt"
    assert page.make_comparison().plan.prompt_file is not None


def test_a_sweep_marks_the_best_and_can_be_applied(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "2")
    click(qtbot, page.setup.mode.button("sweep"))
    assert [card.isVisible() for card in page.setup.all_sides] == [True, False, False, False]
    assert not page.setup.sides[0].controls.isVisible()
    qtbot.keyClicks(page.setup.prompts_card.prompt, "Sort these.")
    assert "settings on one prompt" in page.setup.trouble.text()
    click(qtbot, page.setup.start)
    wait_for_verdict(qtbot, page)
    assert page.verdict.headline.text().startswith("Best: ")
    assert "2.00 times as fast as without (2.00 to 2.00)" in page.verdict.headline.text()
    charts = page.charts
    assert [point.draft_length for point in charts.sweep_lengths.points] == list(range(17))
    assert charts.sweep_lengths.isVisible()
    assert not charts.phases.isVisible()
    assert "Suffix automaton" in charts.sweep_methods.names
    click(qtbot, page.verdict.apply)
    assert program.chat.speculation.mode in ("auto", "fixed")
    assert "In use now" in page.verdict.applied.text()


def test_an_earlier_result_is_set_beside(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    page.setup.prompts_card.rounds.setCurrentIndex(1)
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    qtbot.waitUntil(lambda: page.kept.list.count() == 1, timeout=WAIT_MS)
    assert not page.earlier.isEnabled()
    click(qtbot, page.again)
    click(qtbot, page.setup.start)
    wait_for_verdict(qtbot, page)
    qtbot.waitUntil(lambda: page.kept.list.count() == 2, timeout=WAIT_MS)
    choice = page.earlier.choice
    assert choice.count() == 2
    choice.setCurrentIndex(1)
    choice.activated.emit(1)
    qtbot.waitUntil(lambda: len(page.earlier.cells) == 3, timeout=WAIT_MS)
    row = [label.text() for label in page.earlier.cells[2]]
    assert row == ["Auto, drafted by 1b", "40.0", "40.0", "1.00×", "2.00× (2.00–2.00)", "2.00× (2.00–2.00)"]
    assert "not measured in turns" in page.earlier.words.text()


def test_a_picture_is_saved_as_vectors(make_comparing: MakeComparing, qtbot: QtBot, tmp_path: Path) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    page.setup.prompts_card.rounds.setCurrentIndex(1)
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    page.ask_path = lambda name, kinds: str(tmp_path / name)
    page.charts.speed.save_requested.emit("svg")
    page.charts.phases.save_requested.emit("png")
    svg = (tmp_path / "speed-within-the-last-answer--tokens-s.svg").read_text()
    assert "Speed within the last answer" in svg
    assert svg.count("<path") + svg.count("<polyline") > 5
    assert "<image" not in svg
    assert (tmp_path / "time-per-token--ms.png").stat().st_size > 500


def test_memory_plain_decoding_and_hashes_are_there(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    reports: list[Report] = []
    program.window.compare.hashed.connect(lambda kept_id, report: reports.append(report))
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    mark = page.charts.phases.mark
    assert mark is not None
    assert mark[0] == pytest.approx(50.0)
    assert len(page.charts.memory.rows) == 2
    assert "120 MB" in page.charts.memory.toolTip()
    qtbot.waitUntil(lambda: bool(reports), timeout=WAIT_MS)
    assert [len(file.sha256) for file in reports[0].files] == [64, 64]


def test_shipped_prompts_by_kind(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "2")
    click(qtbot, page.setup.prompts_card.source.button("shipped"))
    assert len(page.setup.prompts_card.kinds) == 8
    for box in page.setup.prompts_card.kinds:
        box.setChecked(False)
    assert not page.setup.start.isEnabled()
    page.setup.prompts_card.kinds[0].click()
    page.setup.prompts_card.kinds[1].click()
    page.setup.prompts_card.rounds.setCurrentIndex(1)
    click(qtbot, page.setup.start)
    wait_for_verdict(qtbot, page)
    assert "8 answers to 2 prompts, in 2 rounds" in page.verdict.basis.text()
    assert page.answers.prompts.count() == 2


def test_the_chats_last_question(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--chunks", "2", chat_script=("--chunks", "2"))
    click(qtbot, page.setup.prompts_card.source.button("chat"))
    assert not page.setup.start.isEnabled()
    program.chat.send("How deep is it?")
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)
    program.window.show_page(0)
    program.window.show_page(1)
    assert page.setup.prompts_card.question.text() == "How deep is it?"
    messages = page.make_comparison().plan.prompts[0].messages
    assert [message.role for message in messages] == ["user"]


def test_a_model_that_cannot_be_loaded_is_said_in_words(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--fail-load", "model_load_failed")
    start(qtbot, page)
    qtbot.waitUntil(page.banner.isVisible, timeout=WAIT_MS)
    assert "Scripted failure: model_load_failed." in page.banner.text.text()
    assert page.setup.isVisible()
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)


def test_a_result_that_cannot_be_kept_is_shown_all_the_same(make_comparing: MakeComparing, qtbot: QtBot,
                                                            tmp_path: Path) -> None:
    _, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "4")
    folder = tmp_path / "data" / "slipstream" / "comparisons"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert page.verdict.headline.text() == "B is 2.00 times as fast as A (2.00 to 2.00)"
    assert "could not be used" in page.banner.text.text()


def test_closing_the_window_ends_the_workers(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--chunks", "400", "--delay-s", "0.05")
    start(qtbot, page)
    qtbot.waitUntil(lambda: "answers" in page.progress.state.text(), timeout=WAIT_MS)
    assert psutil.Process().children()
    program.window.close()
    assert psutil.Process().children() == []


def test_nothing_is_cut_off_in_a_small_window(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--chunks", "4")
    program.window.resize(800, 600)
    qtbot.waitUntil(lambda: page.width() <= 740, timeout=WAIT_MS)
    body = page.area.widget()
    assert body is not None
    qtbot.waitUntil(lambda: body.width() <= page.area.viewport().width(), timeout=WAIT_MS)
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    qtbot.waitUntil(lambda: body.width() <= page.area.viewport().width(), timeout=WAIT_MS)


def test_the_form_follows_the_chat_until_it_is_changed(make_comparing: MakeComparing, qtbot: QtBot) -> None:
    program, page = make_comparing("--chunks", "4")
    assert [side.speculation.mode for side in page.setup.choices] == ["off", "auto"]
    program.window.show_page(0)
    program.chat.set_speculation(Speculation(mode="fixed", max_draft=5))
    program.window.show_page(1)
    assert page.setup.choices[1].speculation.max_draft == 5
    page.setup.sides[1].controls.choose("auto")
    program.window.show_page(0)
    program.window.show_page(1)
    assert page.setup.choices[1].speculation.mode == "auto"


def test_long_names_make_no_page_wider(make_comparing: MakeComparing, qtbot: QtBot, tmp_path: Path) -> None:
    program, page = make_comparing("--chunks", "2")
    path = tmp_path / ("Some_very_long_organisation_and_model_name_" * 3 + "v2.1-Q4_K_M.gguf")
    path.write_bytes(b"another")
    program.window.resize(800, 600)
    card = page.setup.sides[1]
    value = card.value
    card.show_value(replace(value, target_path=str(path)), [])
    page.setup.prompts_card.rounds.setCurrentIndex(1)
    start(qtbot, page)
    wait_for_verdict(qtbot, page)
    assert "organisation" in page.verdict.rows[2][1].text()
    body = page.area.widget()
    assert body is not None
    qtbot.waitUntil(lambda: body.width() <= page.area.viewport().width(), timeout=5_000)


def test_here_and_there_are_compared_and_there_with_and_without(
    make_comparing: MakeComparing, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server's model is a target like one here; it is told with each request whether to speculate."""
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    with serving("--chunks", "8", "--slow", "10", "--fast", "30", access=Access(port=0, keys=("secret",))) as server:
        program, page = make_comparing("--slow", "20", "--fast", "40", "--chunks", "8")
        there = remote_path("slipstream", server.url, "scripted")
        program.keeper.replace_target(there, program.keeper.settings.for_target(there))
        page.refresh()
        click(qtbot, page.setup.add)
        for card, method in zip(page.setup.sides[1:], ("off", "auto"), strict=True):
            card.target.setCurrentIndex(card.target.findData(there))
            card.target.activated.emit(card.target.currentIndex())
            card.controls.choose(method)
            assert not card.draft.isEnabled()
            assert card.value.draft_path == ""
        start(qtbot, page)
        wait_for_verdict(qtbot, page)
    assert [labels[2].text() for labels in page.verdict.rows[1:4]] == ["20.0", "10.0", "30.0"]
    names = [labels[1].text() for labels in page.verdict.rows[1:4]]
    assert all(f"scripted (127.0.0.1:{server.port})" in name for name in names[1:]), names
