"""What the window wants of the engine, step by step, with a worker that says what the test has it say."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app import protocol
from app.errors import Code
from app.gui.controllers.engine import EngineController, EngineState
from app.protocol import Chunk, Done, Failed, Generate, Load, LoadDraft, SaveState, Stop
from app.records import Piece
from tests.gui.controllers.fake_worker import DRAFT, TARGET, FakeWorker, ask, make_engine, make_ready, wanted

OTHER = "/models/other.gguf"


@pytest.fixture
def worker(qapp: QApplication) -> FakeWorker:
    return FakeWorker()


@pytest.fixture
def engine(worker: FakeWorker) -> EngineController:
    return make_engine(worker)


def chunk() -> Chunk:
    return Chunk(request_id=0, pieces=[Piece(text="Hi")])


def test_target_then_draft_then_ready(worker: FakeWorker, engine: EngineController) -> None:
    states = []
    engine.state_changed.connect(lambda: states.append(engine.state.name))
    engine.select(wanted(draft=DRAFT))
    assert worker.last(Load).path == TARGET
    assert worker.count(LoadDraft) == 0
    worker.say_loaded()
    assert worker.last(LoadDraft).path == DRAFT
    worker.say_loaded()
    assert states == ["LOADING_TARGET", "LOADING_DRAFT", "READY"]
    assert (engine.target and engine.target.path, engine.draft and engine.draft.path) == (TARGET, DRAFT)
    assert engine.engine_sentence == "llama.cpp, the only one."


def test_progress_and_notices_of_a_load_are_told(worker: FakeWorker, engine: EngineController) -> None:
    told: list[object] = []
    engine.load_progressed.connect(told.append)
    engine.load_noticed.connect(lambda sentence, skippable: told.append((sentence, skippable)))
    engine.select(wanted())
    worker.say(worker.last(Load), protocol.LoadProgress(request_id=0, fraction=0.5))
    worker.say(worker.last(Load), protocol.Notice(request_id=0, message="Measuring.", skippable=True))
    assert told == [0.5, ("Measuring.", True)]
    assert (engine.load_notice, engine.load_is_skippable) == ("Measuring.", True)
    engine.skip()
    assert worker.last(protocol.Skip).target_id == worker.last(Load).request_id
    worker.say_loaded()
    assert engine.load_notice == ""


def test_the_same_pair_is_not_loaded_again(worker: FakeWorker, engine: EngineController) -> None:
    make_ready(worker, engine, DRAFT)
    sent = len(worker.sent)
    engine.select(wanted(draft=DRAFT))
    assert len(worker.sent) == sent
    assert engine.state is EngineState.READY


def test_other_settings_load_again_and_no_draft_unloads_it(worker: FakeWorker, engine: EngineController) -> None:
    make_ready(worker, engine, DRAFT)
    engine.select(wanted())
    assert worker.count(protocol.UnloadDraft) == 1
    assert engine.draft is None
    engine.select(wanted(ctx_tokens=99))
    assert worker.last(Load).settings.ctx_tokens == 99
    assert engine.target is None


def test_a_question_waits_for_the_model_and_hears_of_its_answer(worker: FakeWorker, engine: EngineController) -> None:
    engine.select(wanted())
    heard = ask(engine)
    assert worker.count(Generate) == 0
    worker.say_loaded()
    assert engine.state is EngineState.ANSWERING
    worker.say(worker.last(Generate), chunk())
    worker.say_done()
    assert [type(event) for event in heard] == [Chunk, Done]
    assert engine.state is EngineState.READY


def test_without_a_model_a_question_fails_in_words(worker: FakeWorker, engine: EngineController) -> None:
    event, = ask(engine)
    assert isinstance(event, Failed)
    assert event.code == Code.NO_MODEL_LOADED
    assert worker.sent == []


def test_what_is_stopped_is_what_runs(worker: FakeWorker, engine: EngineController) -> None:
    engine.stop()
    assert worker.sent == []
    make_ready(worker, engine)
    ask(engine)
    engine.set_method("off")
    assert worker.last(protocol.SetSpeculation).method == "off"
    engine.stop()
    assert worker.last(Stop).target_id == worker.last(Generate).request_id
    worker.say_done(reason="aborted")
    count = len(worker.sent)
    engine.set_method("auto")
    assert len(worker.sent) == count, "nothing is answered any more"


def test_an_abandoned_answer_says_no_more(worker: FakeWorker, engine: EngineController) -> None:
    make_ready(worker, engine)
    heard = ask(engine)
    engine.abandon()
    worker.say(worker.last(Generate), chunk())
    worker.say_done(reason="aborted")
    assert heard == []
    assert engine.state is EngineState.READY
    assert len(ask(engine)) == 0
    assert engine.state is EngineState.ANSWERING


def test_stopping_before_the_model_is_loaded_ends_the_question(worker: FakeWorker, engine: EngineController) -> None:
    failures: list[Failed] = []
    engine.load_failed.connect(failures.append)
    engine.select(wanted())
    heard = ask(engine)
    engine.stop()
    assert [event.code for event in heard if isinstance(event, Failed)] == [Code.ABORTED]
    worker.say_failed(worker.last(Load), Code.ABORTED)
    assert engine.state is EngineState.DOWN
    assert failures == [], "who stopped it knows"


def test_another_target_while_one_loads_takes_its_place(worker: FakeWorker, engine: EngineController) -> None:
    engine.select(wanted())
    engine.select(wanted(OTHER))
    assert worker.last(Stop).target_id == worker.last(Load).request_id
    worker.say_failed(worker.last(Load), Code.ABORTED)
    assert worker.last(Load).path == OTHER
    assert engine.is_loading


def test_a_target_that_cannot_be_loaded_is_said_and_fails_what_waits(worker: FakeWorker, engine: EngineController
                                                                     ) -> None:
    failures: list[Failed] = []
    engine.load_failed.connect(failures.append)
    engine.select(wanted())
    heard = ask(engine)
    worker.say_failed(worker.last(Load))
    assert [event.message for event in failures] == ["It broke."]
    assert [event.message for event in heard if isinstance(event, Failed)] == ["It broke."]
    assert (engine.state, engine.target) == (EngineState.DOWN, None)


def test_a_draft_that_cannot_be_loaded_leaves_the_target(worker: FakeWorker, engine: EngineController) -> None:
    failures: list[Failed] = []
    engine.draft_failed.connect(failures.append)
    engine.select(wanted(draft=DRAFT))
    worker.say_loaded()
    worker.say_failed(worker.last(LoadDraft))
    assert len(failures) == 1
    assert (engine.state, engine.draft) == (EngineState.READY, None)
    assert engine.wanted is not None
    assert engine.wanted.draft_path == ""


def test_a_draft_that_takes_the_worker_with_it_brings_the_target_back(worker: FakeWorker, engine: EngineController
                                                                      ) -> None:
    engine.select(wanted(draft=DRAFT))
    worker.say_loaded()
    worker.is_running = False
    worker.say_failed(worker.last(LoadDraft))
    worker.die()
    assert [command.path for command in worker.sent if isinstance(command, Load)] == [TARGET, TARGET]
    worker.is_running = True
    worker.say_loaded()
    assert engine.state is EngineState.READY


def test_an_engine_that_cannot_change_ends_and_comes_back(worker: FakeWorker, engine: EngineController) -> None:
    engine.select(wanted())
    worker.say_failed(worker.last(Load), Code.ENGINE_BUSY)
    assert worker.ends == 1
    worker.die()
    assert worker.count(Load) == 2


def test_a_death_at_rest_is_said_and_loads_again_when_asked(worker: FakeWorker, engine: EngineController) -> None:
    told: list[bool] = []
    engine.stopped_idle.connect(lambda: told.append(True))
    make_ready(worker, engine)
    worker.die()
    assert (told, engine.state, engine.target) == ([True], EngineState.DOWN, None)
    engine.start_again()
    assert worker.count(Load) == 2


def test_a_death_in_an_answer_is_its_failure(worker: FakeWorker, engine: EngineController) -> None:
    make_ready(worker, engine)
    heard = ask(engine)
    worker.is_running = False
    worker.say_failed(worker.last(Generate))
    assert [type(event) for event in heard] == [Failed]
    assert engine.state is EngineState.DOWN


def test_rest_unloads_and_what_is_asked_waits_for_waking(worker: FakeWorker, engine: EngineController) -> None:
    make_ready(worker, engine)
    engine.rest()
    assert worker.count(protocol.Unload) == 1
    assert engine.state is EngineState.DOWN
    ask(engine)
    assert worker.count(Load) == 1
    engine.wake()
    worker.say_loaded()
    assert worker.count(Generate) == 1


def test_measuring_the_engines_loads_the_target_once_more(worker: FakeWorker, engine: EngineController) -> None:
    make_ready(worker, engine)
    engine.measure_engines()
    assert worker.last(Load).measure_engines
    worker.say_loaded()
    engine.select(wanted(ctx_tokens=50))
    assert not worker.last(Load).measure_engines


def test_what_was_computed_of_a_chat_is_kept_at_the_end(worker: FakeWorker, engine: EngineController) -> None:
    engine.states.set_limit(10**9)
    make_ready(worker, engine)
    ask(engine, chat="c1")
    worker.say_done()
    engine.close()
    assert worker.last(SaveState).name == "c1"
    assert worker.closed_ms > 0
    other = make_engine(again := FakeWorker())
    make_ready(again, other)
    other.close()
    assert again.closed_ms == 0
