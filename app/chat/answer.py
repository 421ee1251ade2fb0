"""One turn of a chat as the window holds it: what was asked, and the answer as it grows."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum, auto

from app import protocol
from app.chat.attachment import Attachment
from app.chat.conversation import AnswerFacts, Node
from app.machine.load import SAID_CORES
from app.protocol import Chunk, Done, Failed

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
    waiting_for: str = ""
    """What the engine does before it can begin, in a sentence, if it said so."""
    skippable: bool = False
    """Whether what it waits for is a measurement that can be skipped."""
    notices: list[str] = field(default_factory=list)
    prefill: protocol.PrefillProgress | None = None
    reason: str = ""
    """A ``StopReason`` once it is done."""
    emitted_tokens: int = 0
    prompt_tokens: int = 0
    decode_s: float = 0.0
    final_rate: float = 0.0
    time_to_first_token_s: float = 0.0
    num_draft_tokens: int = 0
    num_accepted_draft_tokens: int = 0
    mean_acceptance_length: float = 1.0
    method: str = ""
    failed: Failed | None = None
    other_cores: float = 0.0
    """What other programs use of ``cores`` while it is written, and did on average once it is over; 0 while unknown."""
    cores: int = 0
    speed_up: float = 0.0
    """Against this target's measured plain rate; 0 while that is unknown."""
    begun: str = ""
    """What there was of the text when it was gone on with."""
    begun_tokens: int = 0

    @property
    def is_over(self) -> bool:
        return self.state in (AnswerState.DONE, AnswerState.FAILED)

    @property
    def tokens_per_second(self) -> float:
        if self.final_rate > 0:
            return self.final_rate
        # The first steps say little: their time is mostly that of getting started.
        known = self.decode_s > 0 and (self.emitted_tokens >= _LEAST_TOKENS or self.is_over)
        return (self.emitted_tokens - self.begun_tokens) / self.decode_s if known else 0.0

    @property
    def accepted_share(self) -> float:
        return self.num_accepted_draft_tokens / self.num_draft_tokens if self.num_draft_tokens else 0.0

    @property
    def is_disturbed(self) -> bool:
        """Whether what other programs use explains a slow answer."""
        return self.cores > 0 and self.other_cores >= SAID_CORES

    @property
    def can_go_on(self) -> bool:
        """Whether it was cut, so that the model could go on with it."""
        return self.is_over and bool(self.text) and self.reason != "eos"

    def go_on(self) -> None:
        """From now on what arrives continues the text."""
        self.begun, self.begun_tokens = self.text, self.emitted_tokens
        self.state, self.reason, self.failed, self.prefill = AnswerState.WAITING, "", None, None
        self.notices.clear()
        self.decode_s = self.final_rate = self.speed_up = self.other_cores = 0.0

    def take(self, event: protocol.AnyEvent) -> None:
        """Grow by one event of its ``Generate``."""
        self.skippable = isinstance(event, protocol.Notice) and event.skippable
        match event:
            case protocol.PrefillProgress():
                self.state = AnswerState.READING
                self.prefill = event
            case Chunk():
                self._take_chunk(event)
            case protocol.Notice():
                if event.skippable or not event.message:
                    self.waiting_for = event.message
                else:
                    self.notices.append(event.message)
            case protocol.OtherPrograms():
                self.other_cores, self.cores = event.other_cores, event.cores
            case Done():
                self._take_done(event)
            case Failed():
                self.failed = event
                self.state = AnswerState.FAILED
            case _:
                pass

    def facts(self, target: str = "", draft: str = "") -> AnswerFacts:
        """What is kept of it on disk; ``target`` and ``draft`` are the models' names."""
        failed = self.failed
        return AnswerFacts(
            reason="failed" if failed is not None else self.reason, target=target, draft=draft, method=self.method,
            prompt_tokens=self.prompt_tokens, tokens=self.emitted_tokens, tokens_per_second=self.tokens_per_second,
            time_to_first_token_s=self.time_to_first_token_s, num_draft_tokens=self.num_draft_tokens,
            num_accepted_draft_tokens=self.num_accepted_draft_tokens,
            mean_acceptance_length=self.mean_acceptance_length, speed_up=self.speed_up,
            notice=self.notices[-1] if self.notices else "", failed_code=failed.code if failed else "",
            failed_message=failed.message if failed else "", failed_hint=failed.hint if failed else "",
            drafted=[at for span in zip(self.drafted.starts, self.drafted.ends, strict=True) for at in span],
        )

    @classmethod
    def from_node(cls, node: Node) -> Answer:
        """The answer that was kept; one that never ended was cut off with the program."""
        facts = node.facts or AnswerFacts()
        answer = cls(
            state=AnswerState.DONE, text=node.content, reason=facts.reason or "cut", emitted_tokens=facts.tokens,
            prompt_tokens=facts.prompt_tokens, final_rate=facts.tokens_per_second,
            time_to_first_token_s=facts.time_to_first_token_s, num_draft_tokens=facts.num_draft_tokens,
            num_accepted_draft_tokens=facts.num_accepted_draft_tokens,
            mean_acceptance_length=facts.mean_acceptance_length, method=facts.method, speed_up=facts.speed_up,
            notices=[facts.notice] if facts.notice else [],
        )
        for start, end in zip(facts.drafted[::2], facts.drafted[1::2], strict=False):
            if 0 <= start < end <= len(node.content) and (not answer.drafted.ends or start >= answer.drafted.ends[-1]):
                answer.drafted.add(start, end)
        if facts.reason == "failed":
            answer.state = AnswerState.FAILED
            answer.failed = Failed(request_id=0, code=facts.failed_code, message=facts.failed_message,
                                   hint=facts.failed_hint)
        return answer

    def _take_chunk(self, chunk: Chunk) -> None:
        self.state = AnswerState.WRITING
        for piece in chunk.pieces:
            start = len(self.text)
            self.text += piece.text
            if piece.drafted:
                self.drafted.add(start, len(self.text))
        self.emitted_tokens = self.begun_tokens + chunk.emitted_tokens
        self.decode_s = chunk.decode_s
        self.num_draft_tokens += chunk.num_draft_tokens
        self.num_accepted_draft_tokens += chunk.num_accepted_draft_tokens

    def _take_done(self, done: Done) -> None:
        self.state = AnswerState.DONE
        self.reason = done.reason
        self.emitted_tokens = self.begun_tokens + len(done.token_ids)
        self.prompt_tokens = done.prompt_tokens
        self.final_rate = done.timings.tokens_per_second
        self.time_to_first_token_s = done.timings.time_to_first_token_s
        self.other_cores, self.cores = done.timings.other_cores, done.timings.cores
        self.method = done.speculation.method
        self.num_draft_tokens = done.speculation.num_draft_tokens
        self.num_accepted_draft_tokens = done.speculation.num_accepted_draft_tokens
        self.mean_acceptance_length = done.speculation.mean_acceptance_length
        if (self.begun + done.text).startswith(self.text):
            self.text = self.begun + done.text


@dataclass
class ChatTurn:
    """A question and its answer, by the ids of their messages. ``…_siblings`` are the ids of what stands in the same
    place, in order, the shown one among them."""

    question: str
    answer: Answer = field(default_factory=Answer)
    question_id: str = ""
    answer_id: str = ""
    question_siblings: list[str] = field(default_factory=list)
    answer_siblings: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    """Of the question."""
