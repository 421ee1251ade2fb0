from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.gui.controllers.engine import EngineController
from app.gui.controllers.token_counter import TokenCounter
from app.protocol import Generate, Tokenize, Tokens
from tests.gui.controllers.fake_worker import FakeWorker, as_worker, ask, make_engine, make_ready, wanted

OTHER = "/models/other.gguf"


@pytest.fixture
def worker(qapp: QApplication) -> FakeWorker:
    return FakeWorker()


@pytest.fixture
def engine(worker: FakeWorker) -> EngineController:
    return make_engine(worker)


@pytest.fixture
def counter(worker: FakeWorker, engine: EngineController) -> TokenCounter:
    return TokenCounter(as_worker(worker), engine)


def count(worker: FakeWorker, tokens: int) -> str:
    """Answer the question that was asked last; returns its text."""
    asked = worker.last(Tokenize)
    worker.say(asked, Tokens(request_id=0, token_ids=[], count=tokens))
    return asked.text


def test_the_last_text_first_and_one_at_a_time(worker: FakeWorker, engine: EngineController, counter: TokenCounter
                                               ) -> None:
    told: list[bool] = []
    make_ready(worker, engine)
    counter.counted.connect(lambda: told.append(True))
    counter.want(["old", "new"])
    assert worker.count(Tokenize) == 1
    assert count(worker, 2) == "new"
    assert (counter.known("new"), counter.known("old"), told) == (2, None, [])
    assert count(worker, 5) == "old"
    assert (counter.known("old"), told) == (5, [True])
    counter.want(["old", "new"])
    assert worker.count(Tokenize) == 2, "both are known"


def test_nothing_is_nothing(counter: TokenCounter) -> None:
    assert counter.known("") == 0


def test_it_waits_while_the_engine_works(worker: FakeWorker, engine: EngineController, counter: TokenCounter) -> None:
    counter.want(["a"])
    assert worker.sent == []
    make_ready(worker, engine)
    assert count(worker, 1) == "a"
    ask(engine)
    counter.want(["b"])
    assert worker.count(Tokenize) == 1
    assert worker.count(Generate) == 1
    worker.say_done()
    assert count(worker, 1) == "b"


def test_what_waited_before_is_dropped(worker: FakeWorker, engine: EngineController, counter: TokenCounter) -> None:
    make_ready(worker, engine)
    counter.want(["a", "b"])
    counter.want(["c"])
    count(worker, 1)
    assert count(worker, 1) == "c"
    assert counter.known("a") is None


def test_another_model_counts_anew(worker: FakeWorker, engine: EngineController, counter: TokenCounter) -> None:
    make_ready(worker, engine)
    counter.want(["a"])
    engine.select(wanted(OTHER))
    late = worker.last(Tokenize)
    worker.say_loaded()
    worker.say(late, Tokens(request_id=0, token_ids=[], count=9))
    assert counter.known("a") is None, "the answer was of the model before"


def test_a_text_that_cannot_be_counted_holds_up_no_other(worker: FakeWorker, engine: EngineController,
                                                         counter: TokenCounter) -> None:
    make_ready(worker, engine)
    counter.want(["a", "b"])
    worker.say_failed(worker.last(Tokenize))
    assert counter.known("b") is None
    assert count(worker, 3) == "a"
