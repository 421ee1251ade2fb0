"""The window's server: its switch, its relay to the window's engine, and what it says."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import msgspec
import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from app.client.keys import KeyStore
from app.errors import Code, SlipstreamError
from app.gui.controllers.engine import EngineState
from app.gui.controllers.server import ServerController
from app.gui.program import Program
from app.gui.settings.server import ServerSettings
from app.settings.settings import ServerChoice, Speculation


class MemoryKeys(KeyStore):
    def __init__(self, works: bool = True) -> None:
        self.kept: dict[str, str] = {}
        self.works = works

    def read(self, name: str) -> str:
        return self.kept.get(name, "")

    def write(self, name: str, key: str) -> None:
        if not self.works:
            raise SlipstreamError(Code.FILE, "This system has no keyring.", "Install one.")
        self.kept[name] = key


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Caller(QThread):
    """Asks the server while the window's loop runs, which relays."""

    def __init__(self, url: str, body: dict[str, object] | None = None, key: str = "") -> None:
        super().__init__()
        self._request = urllib.request.Request(url, json.dumps(body).encode() if body is not None else None)
        if key:
            self._request.add_header("Authorization", f"Bearer {key}")
        self.status = 0
        self.answer: dict[str, object] = {}

    def run(self) -> None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self._request, timeout=30) as response:
                self.status, self.answer = response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                self.status, self.answer = error.code, json.loads(error.read())


@pytest.fixture
def call(qtbot: QtBot) -> Callable[..., Caller]:
    def ask(url: str, body: dict[str, object] | None = None, key: str = "") -> Caller:
        caller = Caller(url, body, key)
        with qtbot.waitSignal(caller.finished, timeout=40_000):
            caller.start()
        caller.wait()
        return caller

    return ask


@pytest.fixture
def serving(make_program: Callable[..., Program], qtbot: QtBot) -> Iterator[Callable[..., Program]]:
    def make(*script: str, load: bool = True) -> Program:
        program = make_program(*script, load=load)
        program.server.close()
        program.server = ServerController(program.server.process, program.keeper, MemoryKeys(), program)
        if load:
            qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=20_000)
        return program

    return make


def switch_on(program: Program, qtbot: QtBot, **more: object) -> str:
    choice = ServerChoice(on=True, port=free_port(), **more)  # type: ignore[arg-type]
    program.server.choose(choice)
    qtbot.waitUntil(lambda: bool(program.server.process.address), timeout=30_000)
    return program.server.process.address.replace("0.0.0.0", "127.0.0.1")


CHAT: dict[str, object] = {"messages": [{"role": "user", "content": "Hello"}], "seed": 1}


def test_the_windows_model_answers_other_programs(serving: Callable[..., Program], qtbot: QtBot,
                                                  call: Callable[..., Caller]) -> None:
    program = serving("--chunks", "4")
    worker = program.worker.pid
    address = switch_on(program, qtbot)
    answer = call(f"{address}/chat/completions", CHAT)
    assert answer.status == 200, answer.answer
    text = answer.answer["choices"][0]["message"]["content"]  # type: ignore[index]
    assert text.startswith("word0 word1 ")
    models = call(f"{address}/models").answer["data"]
    assert models[0]["id"] == program.engine.target.path.rpartition("/")[2].removesuffix(".gguf")  # type: ignore
    assert program.worker.pid == worker, "one engine for both"
    assert program.engine.state is EngineState.READY
    assert any("POST /v1/chat/completions 200" in line for line in program.server.process.lines)
    program.server.choose(ServerChoice(on=False))
    assert not program.server.process.is_running
    assert program.worker.pid == worker, "the window's engine stays"


def test_answers_follow_the_speculation_switch(serving: Callable[..., Program], qtbot: QtBot,
                                               call: Callable[..., Caller]) -> None:
    program = serving("--chunks", "4")
    address = switch_on(program, qtbot)
    path = program.keeper.settings.target_path
    assert path

    def answered_by(**more: object) -> object:
        answer = call(f"{address}/chat/completions", {**CHAT, **more})
        assert answer.status == 200, answer.answer
        return answer.answer["speculation"]["method"]  # type: ignore[index]

    assert answered_by() == program.keeper.settings.for_target(path).speculation.method()
    for speculation in (Speculation(mode="off"), Speculation(mode="fixed", drafter="ngram-simple"),
                        Speculation(mode="auto")):
        target = msgspec.structs.replace(program.keeper.settings.for_target(path), speculation=speculation)
        program.keeper.replace_target(path, target)
        assert answered_by() == speculation.method()
    assert answered_by(speculation="off") == "off", "a request's own word goes before"


def test_without_a_model_the_server_says_so(serving: Callable[..., Program], qtbot: QtBot,
                                            call: Callable[..., Caller]) -> None:
    program = serving(load=False)
    address = switch_on(program, qtbot)
    answer = call(f"{address}/chat/completions", CHAT)
    assert answer.status == 503
    assert "No model is loaded in the window" in answer.answer["error"]["message"]  # type: ignore[index]


def test_a_crash_is_said_and_the_next_request_is_served(serving: Callable[..., Program], qtbot: QtBot, tmp_path: object,
                                                        call: Callable[..., Caller]) -> None:
    program = serving("--die-after", "1", "--once", f"{tmp_path}/died")
    address = switch_on(program, qtbot)
    assert call(f"{address}/chat/completions", CHAT).status == 503
    assert call(f"{address}/chat/completions", CHAT).status == 200


def test_the_network_needs_a_key(serving: Callable[..., Program], qtbot: QtBot, call: Callable[..., Caller]) -> None:
    program = serving()
    address = switch_on(program, qtbot, open_to_network=True)
    key = program.server.key
    assert len(key) >= 24
    assert call(f"{address}/chat/completions", CHAT).status == 401
    assert call(f"{address}/chat/completions", CHAT, key).status == 200


def test_a_taken_port_is_said(serving: Callable[..., Program], qtbot: QtBot) -> None:
    program = serving()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        program.server.choose(ServerChoice(on=True, port=taken.getsockname()[1]))
        qtbot.waitUntil(lambda: bool(program.server.process.trouble), timeout=30_000)
    widget = ServerSettings(program.server)
    qtbot.addWidget(widget)
    assert "cannot listen" in widget.state.text()
    qtbot.waitUntil(lambda: not program.server.process.is_running, timeout=10_000)


def test_the_switch_and_its_words(serving: Callable[..., Program], qtbot: QtBot) -> None:
    program = serving()
    widget = ServerSettings(program.server)
    qtbot.addWidget(widget)
    assert widget.switch.key == "off"
    assert "Off" in widget.state.text()
    widget.port.setValue(free_port())
    widget.switch.button("on").click()
    qtbot.waitUntil(lambda: widget.address.text().startswith("http://127.0.0.1:"), timeout=30_000)
    assert program.keeper.settings.server.on
    assert "On." in widget.state.text()
    widget.who.button("network").click()
    qtbot.waitUntil(lambda: widget.address.text().startswith("http://0.0.0.0:"), timeout=30_000)
    assert widget.key.text() == program.server.key != ""
    old = widget.key.text()
    widget.new_key.click()
    assert widget.key.text() not in ("", old)
    widget.switch.button("off").click()
    assert widget.address.text() == ""
    assert not program.server.process.is_running


def test_a_missing_keyring_is_said(serving: Callable[..., Program], qtbot: QtBot) -> None:
    program = serving()
    program.server = ServerController(program.server.process, program.keeper, MemoryKeys(works=False), program)
    widget = ServerSettings(program.server)
    qtbot.addWidget(widget)
    program.server.set_key("abc")
    assert program.server.key == "abc"
    assert not widget.key_words.isHidden()
    assert "no keyring" in widget.key_words.text()
