from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.gui.controllers.engine import EngineController
from app.gui.controllers.exactness_meter import ExactnessMeter
from app.protocol import Exactness, LoadProgress, MeasureExactness, SaveState, Stop
from tests.gui.controllers.fake_worker import FakeWorker, as_worker, ask, make_engine, make_ready, wanted

FOUND = Exactness(request_id=0, noise=[], is_bit_exact=True, sentence="Exact.")


@pytest.fixture
def worker(qapp: QApplication) -> FakeWorker:
    return FakeWorker()


@pytest.fixture
def engine(worker: FakeWorker) -> EngineController:
    return make_engine(worker)


@pytest.fixture
def meter(worker: FakeWorker, engine: EngineController) -> ExactnessMeter:
    return ExactnessMeter(as_worker(worker), engine)


def test_only_a_loaded_model_is_measured_and_once(worker: FakeWorker, engine: EngineController, meter: ExactnessMeter
                                                  ) -> None:
    meter.measure()
    assert worker.sent == []
    make_ready(worker, engine)
    meter.measure()
    meter.measure()
    assert worker.count(MeasureExactness) == 1
    assert meter.is_measuring
    worker.say(worker.last(MeasureExactness), LoadProgress(request_id=0, fraction=0.5))
    assert meter.is_measuring
    worker.say(worker.last(MeasureExactness), FOUND)
    assert not meter.is_measuring
    assert meter.found is not None
    assert meter.can_measure


def test_the_chat_makes_room_and_is_kept(worker: FakeWorker, engine: EngineController, meter: ExactnessMeter) -> None:
    engine.states.set_limit(10**9)
    make_ready(worker, engine)
    ask(engine, chat="c")
    worker.say_done()
    meter.measure()
    assert worker.last(SaveState).name == "c"
    assert not engine.states.is_unsaved


def test_a_question_interrupts_and_the_result_stays(worker: FakeWorker, engine: EngineController, meter: ExactnessMeter
                                                    ) -> None:
    make_ready(worker, engine)
    meter.measure()
    first = worker.last(MeasureExactness)
    worker.say(first, FOUND)
    meter.measure()
    ask(engine)
    assert worker.last(Stop).target_id == worker.last(MeasureExactness).request_id
    worker.say_failed(worker.last(MeasureExactness))
    assert not meter.is_measuring
    assert meter.found is not None, "the model is the same"


def test_another_model_takes_the_result_with_it(worker: FakeWorker, engine: EngineController, meter: ExactnessMeter
                                                ) -> None:
    make_ready(worker, engine)
    meter.measure()
    worker.say(worker.last(MeasureExactness), FOUND)
    engine.select(wanted("/models/other.gguf"))
    assert meter.found is None
    assert not meter.can_measure
