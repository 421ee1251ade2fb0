"""Prompts from a file of one's own: JSON lines, or plain text. Pure."""

from __future__ import annotations

import re

from app.compare.plan import Prompt, parse_prompts
from app.errors import Code, SlipstreamError
from app.records import Message
from app.sentences import say

_RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n[ \t]*\n")
KIND = "own"


def read_prompts(text: str, name: str) -> list[Prompt]:
    """``text`` of the file ``name``. What begins with a brace is JSON lines of {id, kind, messages}.

    Otherwise it is plain text, whose prompts stand apart by a line “---” or, where there is no such line, by an empty
    one; they are numbered.

    Raises:
        SlipstreamError: ``FILE`` where a line is not a prompt, or there is none.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if text.lstrip().startswith("{"):
        return parse_prompts(text, name)
    parts = (_RULE if _RULE.search(text) else _EMPTY_LINES).split(text)
    found = [part.strip() for part in parts if part.strip()]
    if not found:
        raise SlipstreamError(
            Code.FILE, say("There is no prompt in “{name}”.", name=name), say("Choose a file with prompts.")
        )
    return [Prompt(id=f"{KIND}-{number}", kind=KIND, messages=[Message(role="user", content=part)])
            for number, part in enumerate(found, 1)]
