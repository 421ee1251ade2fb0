from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.attachment import Attachment
from app.chat.conversation import AnswerFacts, Conversation
from app.chat.export import to_json, to_markdown, write_file
from app.chat.importing import read_file
from app.errors import Code, SlipstreamError


def example() -> Conversation:
    chat = Conversation(title="Trees")
    question = chat.add("user", "Why? 🎄")
    chat.add("assistant", "First", facts=AnswerFacts(reason="eos", target="Qwen", drafted=[0, 3]))
    chat.add("assistant", "Second", question.id, AnswerFacts(reason="aborted"))
    chat.add("user", "And?")
    return chat


def test_our_own_json_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    chat, other = example(), Conversation(title="Other")
    other.add("user", "x")
    write_file(path, to_json([chat, other]))
    again = read_file(path)
    assert [c.title for c in again] == ["Trees", "Other"]
    assert [(n.role, n.content, n.facts) for n in again[0].nodes] == [(n.role, n.content, n.facts) for n in chat.nodes]
    assert [n.content for n in again[0].path()] == ["Why? 🎄", "Second", "And?"]
    assert len(again[0].siblings(again[0].path()[1].id)) == 2
    assert again[0].id != chat.id


def test_attachments_come_back_checked(tmp_path: Path) -> None:
    chat = Conversation(title="t")
    chat.add("user", "q", attachments=[Attachment(name="a\n\u202e.py", text="x = 1", tokens=4)] * 30)
    write_file(tmp_path / "a.json", to_json([chat]))
    (again,) = read_file(tmp_path / "a.json")
    assert again.nodes[0].attachments == [Attachment(name="a.py", text="x = 1", tokens=4)] * 20
    assert "File: a" in to_markdown(chat)


def test_a_message_with_a_file_alone_survives(tmp_path: Path) -> None:
    chat = Conversation(title="t")
    chat.add("user", "", attachments=[Attachment(name="a", text="b")])
    write_file(tmp_path / "a.json", to_json([chat]))
    assert read_file(tmp_path / "a.json")[0].messages() == chat.messages()


def test_the_documented_example_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "conversations-format.md").read_text(encoding="utf-8")
    (tmp_path / "a.json").write_text(page.split("```json\n")[1].split("```")[0], encoding="utf-8")
    (chat,) = read_file(tmp_path / "a.json")
    assert [node.content for node in chat.path()] == ["Why?", "Because."]
    assert chat.path()[0].attachments[0].name == "a.py"
    assert chat.path()[1].facts == AnswerFacts(reason="eos", tokens=2)


def test_markdown_shows_the_branch() -> None:
    text = to_markdown(example())
    assert text.startswith("# Trees\n\n## You\n\nWhy? 🎄\n\n## Answer\n\nSecond")
    assert "First" not in text


def test_chatgpt(tmp_path: Path) -> None:
    def entry(key: str, parent: str | None, children: list[str], role: str, *parts: object) -> dict[str, object]:
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": list(parts)},
                   "create_time": 1700000000.5}
        return {"id": key, "parent": parent, "children": children, "message": message if role else None}

    mapping = {
        "root": entry("root", None, ["sys"], ""),
        "sys": entry("sys", "root", ["q"], "system", "hidden"),
        "q": entry("q", "sys", ["a1", "a2"], "user", "Question", {"image": "x"}),
        "a1": entry("a1", "q", [], "assistant", "Answer one"),
        "a2": entry("a2", "q", ["tool"], "assistant", "Answer two"),
        "tool": entry("tool", "a2", ["a3"], "tool", "noise"),
        "a3": entry("a3", "tool", [], "assistant", "More"),
    }
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"title": "From there", "mapping": mapping, "current_node": "a1"}, {"no": "chat"}]))
    (chat,) = read_file(path)
    assert chat.title == "From there"
    assert [n.content for n in chat.path()] == ["Question", "Answer one"]
    assert {n.content for n in chat.nodes} == {"Question", "Answer one", "Answer two", "More"}
    assert chat.path()[0].created_s == 1700000000.5


def test_lm_studio(tmp_path: Path) -> None:
    def text(words: str) -> list[dict[str, str]]:
        return [{"type": "text", "text": words}]

    messages = [
        {"versions": [{"type": "singleStep", "role": "user", "content": text("Question")}], "currentlySelected": 0},
        {"versions": [
            {"type": "multiStep", "role": "assistant", "steps": [{"type": "contentBlock", "content": text("One ")},
                                                                 {"type": "contentBlock", "content": text("two")}]},
            {"type": "multiStep", "role": "assistant", "steps": [{"type": "contentBlock", "content": text("Other")}]},
        ], "currentlySelected": 0},
    ]
    path = tmp_path / "1.conversation.json"
    path.write_text(json.dumps({"name": "", "messages": messages}))
    (chat,) = read_file(path)
    assert chat.title == "Question"
    assert [n.content for n in chat.path()] == ["Question", "One two"]
    assert len(chat) == 3


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "[1, 2]", '{"format": "slipstream-conversations"}',
                                     '{"format": "slipstream-conversations", "version": 99, "conversations": []}',
                                     '{"messages": []}'])
def test_what_is_no_conversation_is_said(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    if content == '{"messages": []}':
        assert [len(c) for c in read_file(path)] == [0]
        return
    with pytest.raises(SlipstreamError) as raised:
        read_file(path)
    assert raised.value.code is Code.FILE


def test_loops_in_a_file_end(tmp_path: Path) -> None:
    mapping = {"a": {"parent": None, "children": ["b"], "message": None},
               "b": {"parent": "a", "children": ["a", "b"], "message": None}}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"mapping": mapping}]))
    assert [len(c) for c in read_file(path)] == [0]


_json = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["mapping", "messages", "versions", "role", "content", "parts", "steps", "parent", "children",
                         "message", "author", "title", "format", "text", "type"]), inner, max_size=5),
    max_leaves=25,
)


@given(content=_json)
def test_any_json_gives_conversations_or_a_sentence(content: object, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "x.json"
    path.write_text(json.dumps(content))
    with contextlib.suppress(SlipstreamError):
        for chat in read_file(path):
            assert len(chat.path()) <= len(chat)
