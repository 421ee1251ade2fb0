"""The server's lines to the window's worker, and what that says back to the server."""

from __future__ import annotations

import json

import pytest
from PySide6.QtWidgets import QApplication

from app import protocol
from app.errors import Code
from app.gui.controllers.engine import EngineController
from app.gui.controllers.server_relay import ServerRelay
from app.protocol import Generate, Load, Stop
from app.records import LoadSettings
from tests.gui.controllers.fake_worker import TARGET, FakeWorker, as_worker, make_engine, make_ready, wanted


@pytest.fixture
def worker(qapp: QApplication) -> FakeWorker:
    return FakeWorker()


@pytest.fixture
def engine(worker: FakeWorker) -> EngineController:
    return make_engine(worker)


class Server:
    """What the server hears, by kind and id."""

    def __init__(self, worker: FakeWorker, engine: EngineController) -> None:
        self.heard: list[dict[str, object]] = []
        self.relay = ServerRelay(as_worker(worker), engine, self.take, lambda: "off")

    def take(self, line: bytes) -> None:
        self.heard.append(json.loads(line))

    def kinds(self) -> list[tuple[object, object]]:
        return [(each["type"], each["request_id"]) for each in self.heard]

    def send(self, command: protocol.AnyCommand) -> None:
        self.relay.feed(protocol.encode(command))


@pytest.fixture
def server(worker: FakeWorker, engine: EngineController) -> Server:
    return Server(worker, engine)


def load(number: int) -> Load:
    return Load(request_id=number, path="", settings=LoadSettings())


def test_it_greets_as_a_worker_does(server: Server) -> None:
    server.relay.greet()
    assert server.kinds() == [("ready", 0)]
    assert server.heard[0]["protocol_version"] == protocol.PROTOCOL_VERSION


def test_what_is_loaded_is_told_once_it_is_known(worker: FakeWorker, engine: EngineController, server: Server) -> None:
    engine.select(wanted())
    server.send(load(5))
    assert server.heard == []
    worker.say_loaded()
    told, = server.heard
    assert (told["type"], told["request_id"], told["method"]) == ("loaded", 5, "off")
    facts = told["facts"]
    assert isinstance(facts, dict)
    assert facts["path"] == TARGET


def test_without_a_model_it_is_told_so(worker: FakeWorker, server: Server) -> None:
    server.send(load(1))
    server.send(Generate(request_id=2, prompt="x"))
    assert [each["code"] for each in server.heard] == [Code.NO_MODEL_LOADED, Code.NO_MODEL_LOADED]
    assert worker.sent == []


def test_answers_carry_the_servers_ids(worker: FakeWorker, engine: EngineController, server: Server) -> None:
    make_ready(worker, engine)
    server.send(Generate(request_id=70, prompt="x", method="auto"))
    worker.say(worker.last(Generate), protocol.Chunk(request_id=0, pieces=[]))
    worker.say_done()
    assert server.kinds() == [("chunk", 70), ("done", 70)]


def test_the_windows_own_answers_are_not_the_servers(worker: FakeWorker, engine: EngineController, server: Server
                                                     ) -> None:
    make_ready(worker, engine)
    worker.send(Generate(request_id=0, prompt="the window's"))
    worker.say_done()
    assert server.heard == []


def test_a_method_without_its_draft_becomes_auto(worker: FakeWorker, engine: EngineController, server: Server) -> None:
    make_ready(worker, engine)
    server.send(Generate(request_id=1, prompt="x", method="draft:max=3"))
    assert worker.last(Generate).method == "auto"


def test_stop_ends_the_answer_it_names(worker: FakeWorker, engine: EngineController, server: Server) -> None:
    make_ready(worker, engine)
    server.send(Generate(request_id=70, prompt="x"))
    server.send(Stop(request_id=71, target_id=70))
    assert worker.last(Stop).target_id == worker.last(Generate).request_id
    assert ("stopping", 71) in server.kinds()
    server.send(Stop(request_id=72, target_id=99))
    assert worker.count(Stop) == 1


def test_when_the_server_is_gone_its_answers_end_and_nothing_is_written(worker: FakeWorker, engine: EngineController,
                                                                       server: Server) -> None:
    make_ready(worker, engine)
    server.send(Generate(request_id=70, prompt="x"))
    server.relay.close()
    assert worker.count(Stop) == 1
    worker.say_done()
    assert server.heard == []


def test_halves_of_lines_and_nonsense_do_no_harm(worker: FakeWorker, engine: EngineController, server: Server) -> None:
    make_ready(worker, engine)
    line = protocol.encode(load(3))
    server.relay.feed(b"no command\n\xff\xfe\n" + line[:10])
    assert server.heard == []
    server.relay.feed(line[10:])
    assert server.kinds() == [("loaded", 3)]
    server.send(protocol.Devices(request_id=4))
    assert server.heard[-1]["code"] == Code.PROTOCOL
