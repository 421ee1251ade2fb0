"""Answers in OpenAI's form, with the figures that llama-server (``timings``) and vLLM (``metrics``) give."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app.protocol import Done
from app.records import ToolCall
from app.sentences import as_text

DONE_LINE = b"data: [DONE]\n\n"
WAITING_LINE = b": waiting\n\n"
_FINISH = {"eos": "stop", "stop": "stop", "length": "length", "context": "length", "aborted": "length"}


@dataclass(frozen=True)
class AnswerForm:
    """How one answer is told. ``is_chat`` tells the two endpoints apart."""

    id: str
    model: str
    is_chat: bool
    shows_token_ids: bool = False
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, text: str, done: Done, calls: Sequence[ToolCall]) -> bytes:
        """The body of an answer that does not stream."""
        if self.is_chat:
            message: dict[str, Any] = {"role": "assistant", "content": text if text or not calls else None}
            if calls:
                message["tool_calls"] = [_call(call) for call in calls]
            choice: dict[str, Any] = {"index": 0, "message": message}
        else:
            choice = {"index": 0, "text": text}
        choice |= {"finish_reason": finish_reason(done, calls), "logprobs": None}
        if self.shows_token_ids:
            choice["token_ids"] = done.token_ids
        return msgspec.json.encode({
            **self._head("chat.completion" if self.is_chat else "text_completion"), "choices": [choice],
            "usage": usage(done), **figures(done),
        }, enc_hook=as_text)

    def start(self) -> bytes:
        """The first line of a stream: whose turn it is."""
        return self._line({"role": "assistant", "content": ""}) if self.is_chat else b""

    def piece(self, text: str) -> bytes:
        return self._line({"content": text} if self.is_chat else text)

    def tool_calls(self, calls: Sequence[ToolCall]) -> bytes:
        return self._line({"tool_calls": [{"index": index, **_call(call)} for index, call in enumerate(calls)]})

    def end(self, done: Done, calls: Sequence[ToolCall], wants_usage: bool) -> bytes:
        """The last lines of a stream."""
        more = figures(done) | ({"token_ids": done.token_ids} if self.shows_token_ids else {})
        lines = self._line({} if self.is_chat else "", finish_reason(done, calls), more)
        if wants_usage:
            head = self._head("chat.completion.chunk" if self.is_chat else "text_completion")
            lines += sse({**head, "choices": [], "usage": usage(done), **figures(done)})
        return lines + DONE_LINE

    def _line(self, content: Any, finish: str | None = None, more: dict[str, Any] | None = None) -> bytes:
        key = "delta" if self.is_chat else "text"
        head = self._head("chat.completion.chunk" if self.is_chat else "text_completion")
        choice = {"index": 0, key: content, "finish_reason": finish, "logprobs": None}
        return sse({**head, "choices": [choice], **(more or {})})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def sse(value: Any) -> bytes:
    return b"data: " + msgspec.json.encode(value, enc_hook=as_text) + b"\n\n"


def finish_reason(done: Done, calls: Sequence[ToolCall]) -> str:
    return "tool_calls" if calls else _FINISH[done.reason]


def usage(done: Done) -> dict[str, Any]:
    return {
        "prompt_tokens": done.prompt_tokens, "completion_tokens": len(done.token_ids),
        "total_tokens": done.prompt_tokens + len(done.token_ids),
        "prompt_tokens_details": {"cached_tokens": done.cached_tokens},
    }


def figures(done: Done) -> dict[str, Any]:
    """``timings`` as llama-server gives them, ``metrics`` as vLLM does, and our own ``speculation``."""
    timings, speculation = done.timings, done.speculation
    read, written = max(0, done.prompt_tokens - done.cached_tokens), len(done.token_ids)
    drafts = sum(speculation.acceptance_histogram)
    return {
        "timings": {
            "cache_n": done.cached_tokens, "prompt_n": read, "prompt_ms": timings.prefill_s * 1000,
            "prompt_per_token_ms": timings.prefill_s * 1000 / read if read else 0.0,
            "prompt_per_second": timings.prefill_tokens_per_second,
            "predicted_n": written, "predicted_ms": timings.decode_s * 1000,
            "predicted_per_token_ms": timings.decode_s * 1000 / written if written else 0.0,
            "predicted_per_second": timings.tokens_per_second,
            "draft_n": speculation.num_draft_tokens, "draft_n_accepted": speculation.num_accepted_draft_tokens,
        },
        "metrics": {
            "time_to_first_token_ms": timings.time_to_first_token_s * 1000,
            "generation_time_ms": timings.decode_s * 1000, "tokens_per_second": timings.tokens_per_second,
            "speculative_decoding": {
                "mean_acceptance_length": 1 + speculation.num_accepted_draft_tokens / drafts if drafts else 1.0,
                "draft_acceptance_rate": speculation.draft_acceptance_rate,
                "acceptance_histogram": speculation.acceptance_histogram, "num_spec_steps": drafts,
                "num_accepted_draft_tokens": speculation.num_accepted_draft_tokens,
                "num_draft_tokens": speculation.num_draft_tokens,
                "num_spec_tokens": len(speculation.per_position_acceptance),
            },
        },
        "speculation": {"method": speculation.method, "sentence": speculation.sentence,
                        "per_position_acceptance": speculation.per_position_acceptance},
    }


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
