"""A model of a server elsewhere as the window's target: chosen in the picker, answered in the chat."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.client.remote_paths import remote_path
from app.client.remote_worker import KEY_VARIABLE
from app.gui.controllers.engine import EngineState
from app.gui.models.picker import ModelPicker
from app.gui.models.remote_dialog import RemoteDialog
from app.gui.program import Program
from app.server.access import Access
from tests.gui.settings.test_server import MemoryKeys
from tests.server.serving import Serving, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving("--chunks", "6", access=Access(port=0, keys=("secret",))) as server:
        yield server


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret")


def test_the_dialog_lists_models(server: Serving, qtbot: QtBot) -> None:
    keys = MemoryKeys()
    dialog = RemoteDialog([remote_path("slipstream", "http://old:1", "x")], keys)
    qtbot.addWidget(dialog)
    assert dialog.address.itemText(0) == "http://old:1"
    dialog.kind.setCurrentIndex(dialog.kind.findData("slipstream"))
    dialog.address.setCurrentText(f"{server.url}/v1")
    dialog.list_models()
    qtbot.waitUntil(lambda: "refused the key" in dialog.state.text(), timeout=20_000)
    assert not dialog.use.isEnabled()
    dialog.key.setText("secret")
    dialog.look.click()
    qtbot.waitUntil(lambda: dialog.models.count() == 1, timeout=20_000)
    dialog.use.click()
    assert dialog.path == remote_path("slipstream", server.url, "scripted")
    assert keys.kept == {server.url: "secret"}


@pytest.mark.parametrize(("address", "words"), [("", "is not the address"), ("127.0.0.1:9", "cannot be reached")])
def test_what_cannot_be_asked_is_said(qtbot: QtBot, address: str, words: str) -> None:
    dialog = RemoteDialog(keys=MemoryKeys())
    qtbot.addWidget(dialog)
    dialog.address.setCurrentText(address)
    dialog.list_models()
    qtbot.waitUntil(lambda: words in dialog.state.text(), timeout=20_000)
    assert dialog.look.isEnabled()


def test_a_missing_keyring_is_said_before_the_model_is_used(server: Serving, qtbot: QtBot) -> None:
    dialog = RemoteDialog(keys=MemoryKeys(works=False))
    qtbot.addWidget(dialog)
    dialog.address.setCurrentText(server.url)
    dialog.key.setText("secret")
    dialog.list_models()
    qtbot.waitUntil(lambda: dialog.models.count() == 1, timeout=20_000)
    dialog.use.click()
    assert dialog.path == ""
    assert "keyring" in dialog.state.text()
    dialog.use.click()
    assert dialog.path


def test_a_chat_is_answered_elsewhere_and_then_here_again(make_program: Callable[..., Program], server: Serving,
                                                          qtbot: QtBot) -> None:
    program = make_program("--text", "from here")
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=20_000)
    here = program.pairs.target_path
    local_pid = program.worker.pid
    picker = ModelPicker(program.models, program.keeper.settings.load, program.theme.colours, program.window)
    qtbot.addWidget(picker)
    picker._take_remote(remote_path("slipstream", server.url, "scripted"))
    program.pairs.use(picker.target_path, picker.draft_path)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY and program.engine.target is not None,
                    timeout=20_000)
    assert program.worker.pid != local_pid
    program.chat.send("Hello")
    qtbot.waitUntil(lambda: program.chat.conversation.path()[-1].content.startswith("word0 word1"), timeout=20_000)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=20_000)
    program.pairs.use(here, "")
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY and program.engine.target is not None
                    and program.engine.target.path == here, timeout=20_000)
    program.chat.send("And now?")
    qtbot.waitUntil(lambda: program.chat.conversation.path()[-1].content == "from here", timeout=20_000)
