"""Texts from strangers: names with escapes and tricks of order, imports, hub answers, Markdown, and lines of bytes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import protocol
from app.chat.answer import DraftedSpans
from app.chat.importing import read_file
from app.client.session import ClientSession
from app.errors import SlipstreamError
from app.gui.transcript.links import ask_to_open
from app.models.download import Downloads
from app.models.hub import Hub, HubFile
from app.safe_text import neutralise, one_line
from tests.models import gguf_writer as writer
from tests.models.hub_imitation import _Server
from tests.scripted_worker import ROOT

pytestmark = pytest.mark.timeout(900)
SECONDS = float(os.environ.get("SLIPSTREAM_FUZZ_S", "120"))
SEED = int(os.environ.get("SLIPSTREAM_FUZZ_SEED", str(int(time.time()))))
QUICK_S = 2.0
TRICKS = {
    "title": "\x1b]0;owned\x07model", "colour": "\x1b[31mred", "clear": "a\x1b[2Jb", "csi": "a\x9b31mb",
    "override": "safe\u202egufg.exe", "isolate": "a\u2066b\u2069c", "break": "a\u2028b", "tag": "a\U000e0041b",
    "return": "good\rbad", "backspace": "bad\x08\x08\x08good",
}


@pytest.mark.parametrize("name", TRICKS)
def test_nothing_in_a_name_acts(name: str) -> None:
    for shown in (one_line(TRICKS[name]), neutralise(TRICKS[name])):
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066\u2069\u2028\U000e0041" for c in shown)


def test_scripts_and_emoji_stay_as_they_are() -> None:
    for text in ("Tiếng Việt", "日本語", "می‌خواهم", "👩‍👩‍👧 🏳️‍🌈", "שלום", "a\u200eb"):
        assert one_line(text) == neutralise(text) == text
    assert neutralise("two\nlines\tand a tab") == "two\nlines\tand a tab"
    assert one_line("two\nlines\tand a tab") == "two lines and a tab"
    assert one_line("x" * 500) == "x" * 199 + "…"


@pytest.mark.parametrize("name", ["title", "override", "clear"])
def test_the_command_line_shows_hostile_file_names_harmlessly(tmp_path: Path, name: str) -> None:
    trick = TRICKS[name]
    path = writer.write_model(tmp_path / f"{trick}.gguf", f"name {trick}")
    for argument in (path, tmp_path / f"{trick}-missing.gguf"):
        ran = subprocess.run([sys.executable, "-m", "app", "inspect", str(argument)], cwd=ROOT, capture_output=True,
                             env={**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"),
                                  "XDG_STATE_HOME": str(tmp_path / "state")}, check=False)
        for output in (ran.stdout, ran.stderr):
            text = output.decode("utf-8")
            assert neutralise(text) == text
        assert b"Traceback" not in ran.stderr


ABSURD = [b"null", b"-1", b"1e999", b"[]", b"{}", b'"\\u0000"', b"[" * 400, b"9" * 300, b'"\\ud800"', b"NaN", b"true"]


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Somewhat broken JSON: bytes changed, cut, doubled, or values exchanged for absurd ones."""
    if chance.random() < 0.5:
        absurd = chance.choice(ABSURD)
        places = [i for i, byte in enumerate(data) if byte in b":,"]
        at = chance.choice(places) if places else 0
        end = next((i for i in range(at + 1, len(data)) if data[i] in b",]}"), len(data))
        return data[: at + 1] + absurd + data[end:]
    changed = bytearray(data)
    for _ in range(chance.choice([1, 2, 8])):
        at = chance.randrange(len(changed) or 1)
        kind = chance.randrange(4)
        if kind == 0 and changed:
            changed[at] = chance.randrange(256)
        elif kind == 1:
            del changed[at : at + chance.randrange(1, 40)]
        elif kind == 2:
            changed[at:at] = changed[at : at + chance.randrange(1, 200)]
        else:
            del changed[at:]
    return bytes(changed)


def exports() -> list[bytes]:
    chatgpt = [{"title": "T\u202e", "current_node": "b", "mapping": {
        "r": {"parent": None, "children": ["a"], "message": None},
        "a": {"parent": "r", "children": ["b"], "message": {
            "author": {"role": "user"}, "content": {"parts": ["Hi"]}, "create_time": 1.0}},
        "b": {"parent": "a", "children": ["a"], "message": {
            "author": {"role": "assistant"}, "content": {"parts": ["Hello"]}, "create_time": 2.0}}}}]
    lm_studio = {"name": "L", "messages": [
        {"versions": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], "currentlySelected": 0},
        {"versions": [{"role": "assistant", "steps": [{"content": [{"type": "text", "text": "Yo"}]}]}],
         "currentlySelected": 99}]}
    ours = {"format": "slipstream-conversations", "version": 1, "conversations": [
        {"id": "x", "title": "T", "leaf_id": "n", "nodes": [
            {"id": "n", "parent_id": "", "role": "user", "content": "Hi", "created_s": 1.0}]}]}
    return [json.dumps(each).encode() for each in (chatgpt, lm_studio, ours)]


def fuzz_imports(path: Path, seconds: float) -> int:
    chance = random.Random(SEED)
    made = exports()
    for data in made:
        path.write_bytes(data)
        assert read_file(path)
    rounds = 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline or rounds < 200:
        rounds += 1
        path.write_bytes(mutate(chance.choice(made), chance))
        try:
            chats = read_file(path)
        except SlipstreamError as error:
            failure = error
            assert failure.hint
            continue
        for chat in chats:
            assert neutralise(chat.title) == chat.title
            assert all(node.id not in ("a", "b", "n") for node in chat.nodes), "ids are made anew"
            chat.path()
    return rounds


def fuzz_protocol(seconds: float) -> int:
    chance = random.Random(SEED)
    events: list[protocol.Event] = [
        protocol.Ready(request_id=0, protocol_version=protocol.PROTOCOL_VERSION, program_version="1", engine="e",
                       pid=1),
        protocol.LoadProgress(request_id=1, fraction=0.5), protocol.Failed(request_id=1, code="file", message="m"),
        protocol.Chunk(request_id=1, pieces=[]), protocol.Tokens(request_id=1, token_ids=[1, 2]),
    ]
    lines = [protocol.encode(event) for event in events]
    rounds = 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline or rounds < 200:
        rounds += 1
        session = ClientSession(max_line_bytes=4096)
        session.worker_started(0.0)
        session.feed(lines[0], 0.0)
        session.start_command(protocol.Tokenize(request_id=0, text="x"), 0.0)
        data = b"".join(mutate(chance.choice(lines), chance) for _ in range(20))
        at = 0
        while at < len(data):
            step = chance.randrange(1, 200)
            session.feed(data[at : at + step], 0.0)
            at += step
        endings = session.tick(1e6)
        assert session.outstanding == [], endings
    return rounds


def test_imports_for_seconds(tmp_path: Path) -> None:
    assert fuzz_imports(tmp_path / "import.json", QUICK_S) >= 200


def test_the_protocol_for_seconds() -> None:
    assert fuzz_protocol(QUICK_S) >= 200


@pytest.mark.long
@pytest.mark.parametrize("what", ["imports", "protocol"])
def test_for_minutes(tmp_path: Path, what: str) -> None:
    rounds = fuzz_imports(tmp_path / "import.json", SECONDS) if what == "imports" else fuzz_protocol(SECONDS)
    sys.stderr.write(f"{what}: {rounds} rounds, seed {SEED}\n")
    assert rounds >= 200


def test_a_deep_and_a_wide_import(tmp_path: Path) -> None:
    path = tmp_path / "import.json"
    nested = b'{"messages":' + b"[" * 5000 + b"]" * 5000 + b"}"
    for data in (b"[" * 1_000_000, b'{"a":' * 300_000, nested, b"", b"\xff\xfe"):
        path.write_bytes(data)
        with pytest.raises(SlipstreamError):
            read_file(path)
    chain = {str(i): {"parent": str(i - 1), "children": [str(i + 1)], "message": {
        "author": {"role": "user"}, "content": {"parts": ["x"]}, "create_time": 1}} for i in range(20_000)}
    path.write_text(json.dumps({"mapping": chain, "title": "deep"}), encoding="utf-8")
    chat, = read_file(path)
    assert len(chat.nodes) == 20_000
    chat.path()


def respond(body: bytes, status: int = 200, kind: str = "application/json") -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return answer


HUB_ANSWERS = {
    "no-json": b"<html>Sign in to the hotel's network</html>", "empty": b"", "null": b"null", "number": b"7",
    "deep": b"[" * 100_000, "list-of-nonsense": b'[1, null, "x", {"id": 7}]',
    "endless-name": b'[{"id": "' + b"a" * 2**20 + b'"}]',
    "escapes": json.dumps([{"id": "evil/\x1b]0;x\x07\u202egguf", "modelId": "e"}]).encode(),
}


@pytest.mark.parametrize("name", HUB_ANSWERS)
def test_hostile_answers_of_a_hub(name: str) -> None:
    server = _Server(respond(HUB_ANSWERS[name]))
    try:
        hub = Hub(server.address, token="", offline=False)
        failures: list[SlipstreamError] = []
        for ask in (lambda: hub.search("chat"), lambda: hub.list_files("some/model")):
            try:
                assert ask() is not None
            except SlipstreamError as error:
                failures.append(error)
        assert all(failure.hint for failure in failures)
    finally:
        server.close()


@pytest.mark.parametrize("name", [
    "../../.bashrc", "/etc/passwd", "a/../../b.gguf", "..\\..\\b.gguf", "C:\\b.gguf", "a\x00b.gguf", "\x1b[2J.gguf", "",
    ".", "con:aux.gguf", "safe\u202egufg.exe.gguf", "a\x9b31m.gguf",
])
def test_names_in_a_repository_that_lead_elsewhere(tmp_path: Path, name: str) -> None:
    downloads = Downloads(tmp_path / "models", Hub("http://127.0.0.1:9", token="", offline=False), reserve_bytes=0)
    file = HubFile(repo="some/model", revision="c" * 40, file=name, bytes=10, quantisation="Q4_0",
                   part_files=[(name, 10, "a" * 64)])
    try:
        with pytest.raises(SlipstreamError):
            downloads.start(file)
    finally:
        downloads.close()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


HOSTILE_MARKDOWN = """
![a](file:///etc/passwd) ![b](http://127.0.0.1:9/x.png) <img src="http://127.0.0.1:9/y.png">
<script>alert(1)</script>

[c](file:///etc/passwd) [d](javascript:alert(1)) [e](model:copy:0) <http://127.0.0.1:9/z>

[f]: http://127.0.0.1:9/ref.png
![f]

<style>@import url("http://127.0.0.1:9/s.css");</style> <iframe src="file:///etc/passwd"></iframe>
"""


def test_markdown_loads_nothing(qapp: QApplication, qtbot: QtBot) -> None:
    from app.gui.look.theme import read_colours
    from app.gui.markdown.view import MarkdownView

    asked: list[str] = []

    class Watching(QTextDocument):
        def loadResource(self, kind: int, url: QUrl) -> object:
            asked.append(url.toString())
            return super().loadResource(kind, url)

    view = MarkdownView(read_colours("light"))
    qtbot.addWidget(view)
    watching = Watching(view)
    view.show_text(HOSTILE_MARKDOWN, DraftedSpans(), 0)
    html = view.document().toHtml()
    watching.setHtml(html)
    watching.size()
    assert "<img" not in html
    assert "<script" not in html
    assert "<iframe" not in html
    assert asked == []


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "smb://host/share",
                                     "data:text/html,x", "vscode://run"])
def test_only_the_web_can_be_opened(qapp: QApplication, qtbot: QtBot, address: str) -> None:
    from PySide6.QtWidgets import QWidget

    parent = QWidget()
    qtbot.addWidget(parent)
    box = ask_to_open(parent, address)
    words = {button.text().replace("&", "") for button in box.buttons()}
    assert "Open in the browser" not in words
    assert "Copy address" in words
    box.close()
