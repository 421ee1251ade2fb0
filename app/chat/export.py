"""Conversations as files: Markdown to read, JSON to keep and to bring back.

One object: ``format`` ("slipstream-conversations"), ``version`` (1) and ``conversations``, each with ``id``,
``title``, ``leaf_id`` (end of the shown branch) and ``nodes`` in the order they were written, as ``Node`` names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.chat.conversation import Conversation, Node
from app.errors import Code, SlipstreamError
from app.records import Record
from app.sentences import as_text, say

FORMAT = "slipstream-conversations"
VERSION = 1


class ExportedConversation(Record, frozen=True, kw_only=True):
    id: str
    title: str
    leaf_id: str
    nodes: list[Node]


class Export(Record, frozen=True, kw_only=True):
    format: str
    version: int
    conversations: list[ExportedConversation]


def to_json(conversations: Sequence[Conversation]) -> bytes:
    """Everything, all branches included."""
    export = Export(
        format=FORMAT, version=VERSION,
        conversations=[
            ExportedConversation(id=each.id, title=each.title, leaf_id=each.leaf_id, nodes=each.nodes)
            for each in conversations
        ],
    )
    return msgspec.json.format(msgspec.json.encode(export, enc_hook=as_text), indent=1)


def to_markdown(conversation: Conversation) -> str:
    """The shown branch, as a page to read."""
    parts = [f"# {conversation.title or 'Conversation'}"]
    for node in conversation.path():
        speaker = {"user": "You", "assistant": "Answer", "system": "System"}[node.role]
        if node.role == "assistant" and node.facts is not None and node.facts.target:
            speaker += f" ({node.facts.target})"
        parts.append(f"## {speaker}\n\n{node.whole.strip()}")
    return "\n\n".join(parts) + "\n"


def write_file(path: Path, data: bytes) -> None:
    """Raises ``SlipstreamError`` (``FILE``)."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, say("The file {name} could not be written ({reason}).", name=path, reason=error.strerror),
            say("Choose another folder."),
        ) from error
