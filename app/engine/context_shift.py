"""What becomes of a chat when the context is full, and the sentence that says so before it happens."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from app.engine.backend import Model, shared_prefix
from app.engine.generate import Generation
from app.engine.prompt import encode_chat
from app.errors import SlipstreamError
from app.records import Message, Turn
from app.sentences import joined, say

WARN_SHARE = 8
"""Said when a share of one in so many of the context is left, or ``WARN_TOKENS``, whichever is more."""
WARN_TOKENS = 64
SINK_TOKENS = 4
"""Kept at the start of any text: a model whose first tokens are gone writes nonsense (Xiao et al., 2309.17453)."""


def count_kept(target: Model, prompt: Sequence[int], messages: Sequence[Message | Turn], tools: str = "") -> int:
    """Number of tokens at the start of ``prompt`` that are never dropped: the system prompt as the template puts it.

    It is what two conversations with other questions have in common. A prompt without messages keeps its first tokens.
    """
    others = [
        message if message.role == "system" else msgspec.structs.replace(message, content=f"{number}?")
        for number, message in enumerate(messages)
    ]
    kept = SINK_TOKENS
    if messages:
        # a template may take the conversation as it is and no other: then its first tokens will do
        with suppress(SlipstreamError):
            kept = max(kept, shared_prefix(list(prompt), encode_chat(target, others, tools)))
    return min(kept, len(prompt) - 1)


def describe_fullness(run: Generation) -> str:
    """What is about to happen at the end of the context; "" while that is far, or the answer ends before it."""
    left = run.tokens_until_full()
    ctx_tokens = run.target.facts.ctx_tokens
    if left is None or left > max(WARN_TOKENS, ctx_tokens // WARN_SHARE):
        return ""
    count, tokens_left = f"{ctx_tokens:,}", f"{left:,}"
    if run.can_shift:
        return say(
            "The context of {count} tokens is nearly full: in {left} tokens the oldest part of the chat behind the "
            "system prompt is dropped.",
            count=count, left=tokens_left,
        )
    ends = say("The context of {count} tokens is nearly full: in {left} tokens the answer ends.",
               count=count, left=tokens_left)
    if run.on_full != "shift":
        return ends
    why = (say("(The system prompt takes more than half of it.)") if run.target.can_shift()
           else say("(This kind of model cannot drop its oldest part.)"))
    return joined([ends, why])
