"""No English word is left in the window once it speaks Vietnamese."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QGroupBox, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.gui.models.picker import ModelPicker
from app.gui.program import Program
from devtools import translations
from tests.gui.conftest import MakeProgram

ROOT = Path(__file__).resolve().parents[3]
WAIT_MS = 15_000
ALIKE = re.compile(
    r"\b(Slipstream|llama\.cpp|ik_llama\.cpp|OpenAI|Markdown|Flash attention|flash attention|rpc-server|"
    r"Chat|big-chat-\w+|Top-k|Top-p|Min-p|N-gram|token|tokens?/s|English|Enter|Shift|Ctrl|Return|Esc|CUDA|Vulkan|ROCm|Metal)\b")
"""Names, and words that Vietnamese programs use as they are."""
ENGLISH = re.compile(
    r"\b(the|of|and|or|with|for|this|that|is|are|not|to|in|on|off|it|your|you|no|what|from|"
    r"chats?|settings?|models?|drafts?|targets?|drafting|speed|send|stop|search|new|add|save|start|copy|open|close|"
    r"memory|context|answers?|prompts?|compare|more|auto|fixed|method|default|system|language|theme)\b", re.IGNORECASE)


def words_of(widget: QWidget) -> list[str]:
    """All that a person reads or hears of one widget."""
    found = [widget.toolTip(), widget.accessibleName()]
    if isinstance(widget, QLabel | QAbstractButton):
        found.append(widget.text())
    elif isinstance(widget, QLineEdit):
        found.append(widget.placeholderText())
    elif isinstance(widget, QComboBox):
        found += [widget.itemText(index) for index in range(widget.count())]
    elif isinstance(widget, QGroupBox):
        found.append(widget.title())
    return [text for text in found if text]


def texts_of(parent: QWidget) -> Iterator[str]:
    for widget in [parent, *parent.findChildren(QWidget)]:
        if widget.isVisible():
            yield from words_of(widget)


def english_of(parent: QWidget, sources: set[str]) -> list[str]:
    """Texts that are English ones of ours, or hold a word of that language."""
    return sorted({
        text for text in texts_of(parent)
        if text in sources or ENGLISH.search(ALIKE.sub("", re.sub(r"<[^>]*>|“[^”]*”|/\S+|\S+\.gguf", "", text)))
    })


@pytest.fixture(scope="module")
def sources() -> set[str]:
    """English texts that are not Vietnamese as well."""
    messages = list(Xml.parse(translations.source_file(ROOT, "vi")).getroot().iter("message"))
    return ({message.findtext("source", "") for message in messages}
            - {message.findtext("translation", "") for message in messages})


@pytest.fixture
def program(make_program: MakeProgram, qtbot: QtBot) -> Program:
    program = make_program("--chunks", "8")
    program.chat.send("Xin chào")
    qtbot.waitUntil(lambda: not program.chat.is_answering, timeout=WAIT_MS)
    first = program.window
    program.translations.choose("vi")
    qtbot.waitUntil(lambda: program.window is not first and program.window.isVisible(), timeout=WAIT_MS)
    return program


def test_no_english_is_left(program: Program, qtbot: QtBot, sources: set[str]) -> None:
    window = program.window
    left = {}
    for page, name in enumerate(("chat", "compare", "models")):
        window.show_page(page)
        qtbot.wait(100)
        assert len(list(texts_of(window))) > 20
        left[name] = english_of(window, sources)
    dialog = window.settings.open()
    qtbot.wait(100)
    left["settings"] = english_of(dialog, sources)
    dialog.close()
    window.open_picker()
    picker = window.findChild(ModelPicker)
    assert picker is not None
    left["picker"] = english_of(picker, sources)
    picker.close()
    assert {name: texts for name, texts in left.items() if texts} == {}


def test_english_would_be_found(make_program: MakeProgram, sources: set[str]) -> None:
    program = make_program(load=False)
    assert len(english_of(program.window, sources)) > 20
