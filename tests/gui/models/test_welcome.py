"""A computer without a model: what is offered, and that it ends in a chat."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.errors import Code, SlipstreamError
from app.gui.controllers.engine import EngineState
from app.models.catalog import CatalogFile
from tests.gui.conftest import MakeProgram
from tests.models.gguf_writer import build

WAIT_MS = 15_000


def small_model(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(build({
        "general.architecture": "llama", "general.name": name, "llama.block_count": 1, "llama.context_length": 512,
        "tokenizer.chat_template": "{{ messages }}", "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": ["a", "b"],
    }, [("token_embd.weight", (32, 2), "F32")]))


def test_a_first_download_ends_in_a_chat(make_program: MakeProgram, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch,
                                         tmp_path: Path) -> None:
    program = make_program(load=False)
    welcome = program.window.welcome
    asked: list[CatalogFile] = []
    monkeypatch.setattr(program.market.downloads, "get", asked.append)
    assert not welcome.isVisible()
    program.models.rescan()
    qtbot.waitUntil(welcome.isVisible, timeout=WAIT_MS)
    texts = " ".join(card.button.accessibleName() for card in welcome.cards)
    assert "Qwen2.5-Coder 1.5B, drafted by 0.5B" in texts
    qtbot.mouseClick(welcome.cards[0].button, Qt.MouseButton.LeftButton)
    assert [file.repo.split("/")[-1] for file in asked] == [
        "Qwen2.5-Coder-1.5B-Instruct-GGUF", "Qwen2.5-Coder-0.5B-Instruct-GGUF"]
    assert not welcome.cards[0].button.isEnabled()
    small_model(tmp_path / "models" / "m.gguf", "Small")
    program.models.rescan()
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert program.pairs.target_path.endswith("m.gguf")
    assert not welcome.isVisible()
    program.chat.send("Hello")
    qtbot.waitUntil(lambda: bool(program.chat.turns) and not program.chat.is_answering, timeout=WAIT_MS)


def test_size_and_licence_are_said(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    program.models.rescan()
    welcome = program.window.welcome
    qtbot.waitUntil(welcome.isVisible, timeout=WAIT_MS)
    words = [card.details for card in welcome.cards]
    assert words == ["1.6 GB to download · licence Apache 2.0", "105 MB to download · licence Apache 2.0"]


def test_a_refused_download_says_why_and_can_be_tried_again(make_program: MakeProgram, qtbot: QtBot) -> None:
    program = make_program(load=False)
    program.models.rescan()
    welcome = program.window.welcome
    qtbot.waitUntil(welcome.isVisible, timeout=WAIT_MS)
    welcome.cards[1].button.setEnabled(False)
    program.market.downloads.refused.emit(SlipstreamError(Code.NETWORK, "The hub cannot be reached.", "Check it."))
    assert welcome.banner.text.text() == "The hub cannot be reached. Check it."
    assert welcome.cards[1].button.isEnabled()


def test_what_a_person_chose_stays(make_program: MakeProgram, qtbot: QtBot, tmp_path: Path) -> None:
    program = make_program(load=False)
    program.models.rescan()
    qtbot.waitUntil(program.window.welcome.isVisible, timeout=WAIT_MS)
    program.pairs.use("/somewhere/own.gguf", "", anyway=True)
    small_model(tmp_path / "models" / "m.gguf", "Small")
    program.models.rescan()
    qtbot.waitUntil(lambda: len(program.models.entries) == 1, timeout=WAIT_MS)
    assert program.pairs.target_path == "/somewhere/own.gguf"
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
