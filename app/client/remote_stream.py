"""A streamed answer of an OpenAI-compatible server, taken in line by line."""

from __future__ import annotations

import json
import time
from typing import Any

from app.errors import Code, SlipstreamError
from app.protocol import Chunk
from app.records import Piece, StopReason, Timings
from app.sentences import say

_REASONS: dict[str, StopReason] = {"stop": "eos", "length": "length", "tool_calls": "eos", "content_filter": "stop"}
_KEPT = ("timings", "metrics", "sglext", "meta_info", "usage")


class StreamedAnswer:
    """``fields`` are what the stream's objects told beside text, later ones over earlier ones."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._first_at: float | None = None
        self._last_at = started
        self._parts: list[str] = []
        self._pieces = 0
        self.fields: dict[str, Any] = {}
        self.token_ids: list[int] = []
        self.reason: StopReason = "eos"
        self.is_over = False

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def first_s(self) -> float:
        return (self._first_at or self._last_at) - self._started

    @property
    def prompt_tokens(self) -> int:
        return self._used("prompt_tokens")

    @property
    def cached_tokens(self) -> int:
        details = self.fields.get("usage", {}).get("prompt_tokens_details")
        value = details.get("cached_tokens") if isinstance(details, dict) else 0
        return value if isinstance(value, int) and value >= 0 else 0

    @property
    def written_tokens(self) -> int:
        """As the server counts; else a token for each piece that came."""
        return self._used("completion_tokens") or self._pieces

    def push(self, data: str) -> Chunk | None:
        """Take one event's data. Raises ``SlipstreamError`` for an error that came instead."""
        if data == "[DONE]":
            self.is_over = True
            return None
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        if value.get("error"):
            raise _failure(value["error"])
        self.fields |= {key: value[key] for key in _KEPT if isinstance(value.get(key), dict)}
        choices = value.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
        return self._take_choice(choice) if choice is not None else None

    def _take_choice(self, choice: dict[str, Any]) -> Chunk | None:
        extra = {key: choice[key] for key in ("avg_decoded_tokens_per_iter", "meta_info") if key in choice}
        if extra:
            self.fields["choices"] = [{**(self.fields.get("choices") or [{}])[0], **extra}]
            if isinstance(extra.get("meta_info"), dict):
                self.fields["meta_info"] = extra["meta_info"]
        if isinstance(choice.get("finish_reason"), str):
            self.reason = _REASONS.get(choice["finish_reason"], "eos")
        if isinstance(choice.get("token_ids"), list):
            self.token_ids += [token for token in choice["token_ids"] if isinstance(token, int)]
        delta = choice.get("delta")
        text = delta.get("content") if isinstance(delta, dict) else choice.get("text")
        if not isinstance(text, str) or not text:
            return None
        return self._take_text(text)

    def _take_text(self, text: str) -> Chunk:
        now = time.perf_counter()
        step_s = now - self._last_at if self._first_at is not None else 0.0
        self._first_at = self._first_at or now
        self._last_at = now
        self._parts.append(text)
        self._pieces += 1
        return Chunk(
            request_id=0, pieces=[Piece(text=text)], step_tokens=1, step_s=step_s, emitted_tokens=self._pieces,
            decode_s=now - self._first_at,
        )

    def seen_timings(self) -> Timings:
        """What was seen from here: the way there and back counts as prefill."""
        decode_s = self._last_at - (self._first_at or self._last_at)
        written = self.written_tokens
        return Timings(
            prefill_s=self.first_s, decode_s=decode_s, time_to_first_token_s=self.first_s,
            # the first token came with the prefill
            tokens_per_second=(written - 1) / decode_s if decode_s > 0 and written > 1 else 0.0,
            prefill_tokens_per_second=self.prompt_tokens / self.first_s if self.first_s > 0 else 0.0,
        )

    def _used(self, key: str) -> int:
        value = self.fields.get("usage", {}).get(key)
        return value if isinstance(value, int) and value >= 0 else 0


def _failure(error: object) -> SlipstreamError:
    words = error.get("message") if isinstance(error, dict) else error
    clean = "".join(c for c in " ".join(str(words).split()) if c.isprintable())[:200]
    return SlipstreamError(
        Code.NETWORK, say("The server broke the answer off: “{words}”.", words=clean.rstrip(".")), say("Try again.")
    )
