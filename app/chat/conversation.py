"""A conversation as a tree: editing a question or asking for another answer makes a sibling, and nothing is lost."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Sequence

import msgspec

from app.chat.attachment import Attachment, with_attachments
from app.records import Message, Record, Role
from app.sentences import Text
from app.settings.scopes import AnswerChoice

ROOT = ""
"""Parent id of the first messages."""
LONGEST_TITLE = 60


class AnswerFacts(Record, frozen=True, kw_only=True):
    """What is kept of how an answer came about.

    ``reason`` is a ``StopReason``, "failed", or "" while the answer is being written (so that one that was cut off by
    the end of the program can be told). ``drafted`` holds start and end offsets of drafted text, one after the other.
    ``said`` holds with their templates those of ``notice`` and ``failed_…`` that have some, for the window's language.
    """

    reason: str = ""
    target: str = ""
    draft: str = ""
    method: str = ""
    prompt_tokens: int = 0
    tokens: int = 0
    tokens_per_second: float = 0.0
    time_to_first_token_s: float = 0.0
    num_draft_tokens: int = 0
    num_accepted_draft_tokens: int = 0
    mean_acceptance_length: float = 1.0
    speed_up: float = 0.0
    notice: str = ""
    failed_code: str = ""
    failed_message: str = ""
    failed_hint: str = ""
    said: list[Text] = msgspec.field(default_factory=list)
    drafted: list[int] = msgspec.field(default_factory=list)


class Node(Record, frozen=True, kw_only=True):
    """One message. ``parent_id`` is ``ROOT`` for a first message; times are seconds since 1970."""

    id: str
    parent_id: str
    role: Role
    content: str
    created_s: float = 0.0
    facts: AnswerFacts | None = None
    attachments: list[Attachment] = msgspec.field(default_factory=list)

    @property
    def whole(self) -> str:
        """What a model gets to read: the attachments, then the text."""
        return with_attachments(self.content, self.attachments)


class Head(Record, frozen=True, kw_only=True):
    """What a conversation is besides its messages."""

    id: str
    title: str
    leaf_id: str
    unsent: str
    choice: AnswerChoice = AnswerChoice()


class Conversation:
    """The tree, and which of its branches is shown (the one that ends in ``leaf_id``)."""

    def __init__(self, conversation_id: str = "", title: str = "", nodes: Iterable[Node] = (), leaf_id: str = ROOT,
                 unsent: str = "", choice: AnswerChoice | None = None,
                 unsent_files: Iterable[Attachment] = ()) -> None:
        self.id = conversation_id or new_id()
        self.title = title
        self.unsent = unsent
        self.unsent_files = list(unsent_files)
        self.choice = choice or AnswerChoice()
        """What is set for this chat alone."""
        self._nodes: dict[str, Node] = {}
        self._children: dict[str, list[str]] = {ROOT: []}
        for node in nodes:
            self._insert(node)
        self.leaf_id = leaf_id if leaf_id in self._nodes else self._last_below(ROOT)

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def head(self) -> Head:
        return Head(id=self.id, title=self.title, leaf_id=self.leaf_id, unsent=self.unsent, choice=self.choice)

    @property
    def nodes(self) -> list[Node]:
        """All messages of all branches, in the order they were added."""
        return list(self._nodes.values())

    def node(self, node_id: str) -> Node:
        """Raises ``KeyError``."""
        return self._nodes[node_id]

    def path(self) -> list[Node]:
        """The shown branch, first message first."""
        found: list[Node] = []
        at = self.leaf_id
        while at in self._nodes:
            found.append(self._nodes[at])
            at = self._nodes[at].parent_id
        return found[::-1]

    def messages(self, leaf_id: str | None = None) -> list[Message]:
        """What a model is to see of the branch that ends in ``leaf_id`` (the shown one by default): questions that got
        no text in answer are left out."""
        path = self.path() if leaf_id is None else self._path_to(leaf_id)
        kept: list[Message] = []
        for index, node in enumerate(path):
            answered = index + 1 >= len(path) or bool(path[index + 1].content)
            if node.whole and (node.role != "user" or answered):
                kept.append(Message(role=node.role, content=node.whole))
        return kept

    def add(self, role: Role, content: str, parent_id: str | None = None, facts: AnswerFacts | None = None,
            attachments: Sequence[Attachment] = ()) -> Node:
        """A new message below ``parent_id`` (the shown branch's end by default); it becomes the shown branch's end.

        Raises:
            KeyError: there is no such parent.
        """
        parent = self.leaf_id if parent_id is None else parent_id
        node = Node(id=new_id(), parent_id=parent, role=role, content=content, created_s=time.time(), facts=facts,
                    attachments=list(attachments))
        self._insert(node)
        self.leaf_id = node.id
        return node

    def replace(self, node: Node) -> None:
        """Put ``node`` in the place of the one with its id. Raises ``KeyError``; the parent stays."""
        old = self._nodes[node.id]
        self._nodes[node.id] = msgspec.structs.replace(node, parent_id=old.parent_id)

    def siblings(self, node_id: str) -> list[str]:
        """Ids of the messages in the same place, this one included, oldest first. Raises ``KeyError``."""
        return list(self._children[self._nodes[node_id].parent_id])

    def select(self, node_id: str) -> None:
        """Show the branch through ``node_id``, down to its latest message. Raises ``KeyError``."""
        self.leaf_id = self._last_below(self._nodes[node_id].id)

    def _insert(self, node: Node) -> None:
        if node.id in self._nodes:
            raise KeyError(node.id)
        self._children[node.parent_id].append(node.id)
        self._children[node.id] = []
        self._nodes[node.id] = node

    def _path_to(self, leaf_id: str) -> list[Node]:
        shown, self.leaf_id = self.leaf_id, leaf_id
        try:
            return self.path()
        finally:
            self.leaf_id = shown

    def _last_below(self, node_id: str) -> str:
        at = node_id
        while self._children[at]:
            at = self._children[at][-1]
        return at


def new_id() -> str:
    return uuid.uuid4().hex


def make_title(question: str) -> str:
    """The first line of what was asked, cut at a word."""
    line = next((line.strip() for line in question.splitlines() if line.strip()), "")
    line = "".join(c for c in line if c.isprintable())
    if len(line) <= LONGEST_TITLE:
        return line
    cut = line[:LONGEST_TITLE]
    return (cut.rsplit(" ", 1)[0] if " " in cut[20:] else cut).rstrip() + "…"
