"""One turn of a chat as the window holds it: what was asked, and the answer as it grows."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum, auto

from app import protocol
from app.protocol import Chunk, Done, Failed
from app.terms import Message

_LEAST_TOKENS = 4


class AnswerState(Enum):
    WAITING = auto()
    READING = auto()
    """Prefill: the prompt is being read."""
    WRITING = auto()
    DONE = auto()
    FAILED = auto()


@dataclass
class DraftedSpans:
    """Which characters of a text were drafted and accepted: sorted, non-overlapping half-open ranges."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, start: int, end: int) -> None:
        """``start`` is never before the last range's end."""
        if start >= end:
            return
        if self.ends and self.ends[-1] == start:
            self.ends[-1] = end
        else:
            self.starts.append(start)
            self.ends.append(end)

    def within(self, start: int, end: int) -> list[tuple[int, int]]:
        """Ranges inside ``[start, end)``, cut to it."""
        found = []
        index = max(0, bisect_right(self.starts, start) - 1)
        while index < len(self.starts) and self.starts[index] < end:
            low, high = max(start, self.starts[index]), min(end, self.ends[index])
            if low < high:
                found.append((low, high))
            index += 1
        return found


@dataclass
class Answer:
    """An answer and everything its events said."""

    state: AnswerState = AnswerState.WAITING
    text: str = ""
    drafted: DraftedSpans = field(default_factory=DraftedSpans)
    notices: list[str] = field(default_factory=list)
    prefill: protocol.PrefillProgress | None = None
    emitted_tokens: int = 0
    decode_s: float = 0.0
    num_draft_tokens: int = 0
    num_accepted_draft_tokens: int = 0
    done: Done | None = None
    failed: Failed | None = None
    speed_up: float = 0.0
    """Against this target's measured plain rate; 0 while that is unknown."""

    @property
    def is_over(self) -> bool:
        return self.state in (AnswerState.DONE, AnswerState.FAILED)

    @property
    def tokens_per_second(self) -> float:
        if self.done is not None and self.done.timings.tokens_per_second > 0:
            return self.done.timings.tokens_per_second
        # The first steps say little: their time is mostly that of getting started.
        known = self.decode_s > 0 and (self.emitted_tokens >= _LEAST_TOKENS or self.is_over)
        return self.emitted_tokens / self.decode_s if known else 0.0

    @property
    def accepted_share(self) -> float:
        return self.num_accepted_draft_tokens / self.num_draft_tokens if self.num_draft_tokens else 0.0

    def take(self, event: protocol.AnyEvent) -> None:
        """Grow by one event of its ``Generate``."""
        match event:
            case protocol.PrefillProgress():
                self.state = AnswerState.READING
                self.prefill = event
            case Chunk():
                self._take_chunk(event)
            case protocol.Notice():
                self.notices.append(event.message)
            case Done():
                self._take_done(event)
            case Failed():
                self.failed = event
                self.state = AnswerState.FAILED
            case _:
                pass

    def _take_chunk(self, chunk: Chunk) -> None:
        self.state = AnswerState.WRITING
        for piece in chunk.pieces:
            start = len(self.text)
            self.text += piece.text
            if piece.drafted:
                self.drafted.add(start, len(self.text))
        self.emitted_tokens = chunk.emitted_tokens
        self.decode_s = chunk.decode_s
        self.num_draft_tokens += chunk.num_draft_tokens
        self.num_accepted_draft_tokens += chunk.num_accepted_draft_tokens

    def _take_done(self, done: Done) -> None:
        self.done = done
        self.state = AnswerState.DONE
        self.emitted_tokens = len(done.token_ids)
        self.num_draft_tokens = done.speculation.num_draft_tokens
        self.num_accepted_draft_tokens = done.speculation.num_accepted_draft_tokens
        if done.text.startswith(self.text):
            self.text = done.text


@dataclass
class Turn:
    """A question and its answer."""

    question: str
    answer: Answer = field(default_factory=Answer)

    def messages(self) -> list[Message]:
        """What the model is to see of this turn; a turn without any answer text counts as not asked."""
        if not self.answer.text:
            return []
        return [
            Message(role="user", content=self.question), Message(role="assistant", content=self.answer.text),
        ]
