"""Conversations from files: our own JSON, ChatGPT's ``conversations.json``, LM Studio's ``*.conversation.json``.

The files come from elsewhere, so nothing in them is trusted: sizes, depths and ids are checked, ids are made anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from app.chat.attachment import MOST_ATTACHMENTS, MOST_CHARACTERS, Attachment, safe_name
from app.chat.conversation import ROOT, AnswerFacts, Conversation, Node, make_title, new_id
from app.chat.export import FORMAT, VERSION, Export
from app.errors import Code, SlipstreamError
from app.records import Role
from app.safe_text import one_line
from app.sentences import Sentence, say

MOST_BYTES = 512 * 1024 * 1024
MOST_MESSAGES = 200_000
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


def read_file(path: Path) -> list[Conversation]:
    """Every conversation in the file.

    Raises:
        SlipstreamError: ``FILE`` when it cannot be read or holds no conversation in a form that is known.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _unknown(path, "it is larger than 512 MB")
        data = path.read_bytes()
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, say("The file {name} could not be read ({reason}).", name=path.name, reason=error.strerror),
            say("Check the file."),
        ) from error
    try:
        content = msgspec.json.decode(data)
        found = _recognise(content, data, path)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unknown(path, "it is no JSON, or damaged") from error
    if not found:
        raise _unknown(path, "it holds no conversation")
    return found


def _recognise(content: Any, data: bytes, path: Path) -> list[Conversation]:
    if isinstance(content, dict) and content.get("format") == FORMAT:
        export = msgspec.json.decode(data, type=Export, dec_hook=_as_plain)
        if export.version > VERSION:
            raise _unknown(path, "a newer version of this program wrote it")
        return [
            _rebuild(each.title, [(n.id, n.parent_id, n.role, n.content, n.facts, n.created_s, n.attachments)
                                  for n in each.nodes],
                     each.leaf_id)
            for each in export.conversations
        ]
    if isinstance(content, dict) and isinstance(content.get("mapping"), dict):
        return [_from_chatgpt(content)]
    if isinstance(content, list):
        chats = [each for each in content if isinstance(each, dict) and isinstance(each.get("mapping"), dict)]
        return [_from_chatgpt(each) for each in chats]
    if isinstance(content, dict) and isinstance(content.get("messages"), list):
        return [_from_lm_studio(content)]
    return []


_Raw = tuple[str, str, Role, str, AnswerFacts | None, float, list[Attachment]]


def _rebuild(title: str, raw: list[_Raw], leaf_id: str) -> Conversation:
    """A conversation with new ids; messages whose parent is missing hang where the file's order puts them."""
    ids: dict[str, str] = {}
    nodes: list[Node] = []
    for old, parent, role, text, facts, created, attachments in raw[:MOST_MESSAGES]:
        if old in ids:
            continue
        above = ids.get(parent, ROOT if not parent or not nodes else nodes[-1].id)
        ids[old] = new_id()
        nodes.append(Node(id=ids[old], parent_id=above, role=role, content=text, created_s=created, facts=facts,
                          attachments=_checked(attachments)))
    first = next((node.content for node in nodes if node.role == "user"), "")
    return Conversation("", one_line(title) or make_title(first), nodes, ids.get(leaf_id, ""))


def _checked(attachments: list[Attachment]) -> list[Attachment]:
    return [Attachment(name=safe_name(each.name), text=each.text[:MOST_CHARACTERS], tokens=max(0, each.tokens))
            for each in attachments[:MOST_ATTACHMENTS]]


def _from_chatgpt(chat: dict[str, Any]) -> Conversation:
    """A tree ``mapping`` of messages; those without text (tools, hidden ones) are stepped over."""
    mapping: dict[str, Any] = chat["mapping"]
    raw: list[_Raw] = []
    shown_as: dict[str, str] = {}
    waiting = [key for key, entry in mapping.items()
               if isinstance(entry, dict) and str(entry.get("parent")) not in mapping]
    while waiting and len(shown_as) < MOST_MESSAGES:
        key = waiting.pop()
        entry = mapping.get(key)
        if key in shown_as or not isinstance(entry, dict):
            continue
        above = shown_as.get(str(entry.get("parent")), "")
        role, text, created = _chatgpt_message(entry.get("message"))
        shown_as[key] = key if text else above
        if text:
            raw.append((key, above, role, text, AnswerFacts(reason="eos") if role == "assistant" else None, created,
                        []))
        children = entry.get("children")
        waiting += [str(child) for child in reversed(children)] if isinstance(children, list) else []
    leaf = shown_as.get(str(chat.get("current_node")), "")
    return _rebuild(str(chat.get("title") or ""), raw, leaf)


def _chatgpt_message(message: Any) -> tuple[Role, str, float]:
    if not isinstance(message, dict):
        return "user", "", 0.0
    author = message.get("author")
    role = _ROLES.get(str(author.get("role")) if isinstance(author, dict) else "")
    content = message.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    if role is None or role == "system" or not isinstance(parts, list):
        return "user", "", 0.0
    text = "\n\n".join(part for part in parts if isinstance(part, str) and part.strip())
    created = message.get("create_time")
    return role, text, float(created) if isinstance(created, int | float) else 0.0


def _from_lm_studio(chat: dict[str, Any]) -> Conversation:
    """A list of messages, each with versions of which one is selected; all versions become siblings."""
    conversation = Conversation(title=one_line(str(chat.get("name") or "")))
    for message in chat["messages"][:MOST_MESSAGES]:
        versions = message.get("versions") if isinstance(message, dict) else None
        if not isinstance(versions, list):
            continue
        parent = conversation.leaf_id
        made: list[str] = []
        for version in versions:
            role = _ROLES.get(str(version.get("role")) if isinstance(version, dict) else "")
            text = _lm_studio_text(version) if role is not None else ""
            if role is not None and text:
                facts = AnswerFacts(reason="eos") if role == "assistant" else None
                made.append(conversation.add(role, text, parent, facts).id)
        selected = message.get("currentlySelected")
        if made:
            chosen = selected if isinstance(selected, int) and 0 <= selected < len(made) else len(made) - 1
            conversation.select(made[chosen])
    if not conversation.title:
        first = next((node.content for node in conversation.path() if node.role == "user"), "")
        conversation.title = make_title(first)
    return conversation


def _lm_studio_text(version: dict[str, Any]) -> str:
    steps = version.get("steps")
    blocks = [step.get("content") for step in steps if isinstance(step, dict)] if isinstance(steps, list) else [
        version.get("content")]
    texts = [
        part["text"] for block in blocks if isinstance(block, list) for part in block
        if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    ]
    return "".join(texts)


def _as_plain(kind: type, value: Any) -> Sentence:
    """Of strangers' sentences only the text is taken."""
    return Sentence(value if isinstance(value, str) else "")


def _unknown(path: Path, why: str) -> SlipstreamError:
    return SlipstreamError(
        Code.FILE, say("No conversation could be taken from {name}: {reason}.", name=path.name, reason=why),
        say("Choose a JSON file exported by Slipstream, ChatGPT or LM Studio."),
    )
