from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.chat.attachment import MOST_TEXT_BYTES, Attachment, is_pdf, read_text, safe_name, with_attachments
from app.chat.conversation import Conversation
from app.errors import Code, SlipstreamError


def test_the_model_reads_the_files_name_and_text_before_the_question() -> None:
    chat = Conversation()
    chat.add("user", "What does it do?", attachments=[Attachment(name="a.py", text="x = 1\n")])
    assert chat.messages()[0].content == "File: a.py\n```\nx = 1\n```\n\nWhat does it do?"


def test_a_file_alone_is_a_message() -> None:
    chat = Conversation()
    chat.add("user", "", attachments=[Attachment(name="a", text="b")])
    assert chat.messages()[0].content == "File: a\n```\nb\n```"


def test_a_files_own_fences_do_not_end_it() -> None:
    text = with_attachments("q", [Attachment(name="a.md", text="```py\nx\n```\n````\n")])
    assert text.startswith("File: a.md\n`````\n")
    assert text.endswith("\n`````\n\nq")


@pytest.mark.parametrize(("data", "text"), [
    (b"plain\r\ntext", "plain\ntext"), ("điện".encode(), "điện"), (b"\xef\xbb\xbfmark", "mark"),
    ("điện".encode("utf-16"), "điện"), (b"caf\xe9", "café"), (b"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
])
def test_text_files(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    assert not is_pdf(path)
    assert read_text(path) == Attachment(name="file.txt", text=text)


@pytest.mark.parametrize(("data", "words"), [
    (b"\x7fELF\x00\x01\x02", "not a text file"), (bytes(range(256)) * 9, "not a text file"), (b"", "empty"),
    (b" \n", "empty"), (b"a" * (MOST_TEXT_BYTES + 1), "larger than 4 MB"),
])
def test_what_is_no_text_is_refused_in_words(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(data)
    with pytest.raises(SlipstreamError, match=words) as raised:
        read_text(path)
    assert raised.value.code is Code.FILE
    assert "file.bin was not attached" in raised.value.message
    assert raised.value.hint


def test_folders_pipes_and_missing_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, words in ((tmp_path, "folder"), (tmp_path / "pipe", "no ordinary file"), (tmp_path / "none", "read")):
        with pytest.raises(SlipstreamError, match=words):
            is_pdf(path)


def test_a_pdf_is_known_by_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"%PDF-1.7\n")
    assert is_pdf(tmp_path / "a.txt")


def test_names_are_one_line() -> None:
    assert safe_name("a\nb\u202e.py") == "ab.py"
    assert safe_name("\n") == "file"
