"""One running answer as events: progress, chunks, and what there is to say."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from app import protocol
from app.engine.backend import DecodeAbortedError
from app.engine.context_shift import describe_fullness
from app.engine.generate import Generation, Step
from app.engine.text import TextAssembler
from app.worker.answer_load import AnswerLoad

Send = Callable[[protocol.Event], None]


@dataclass
class AnswerStream:
    """``change_method`` is called between steps and may put another controller into the run."""

    run: Generation
    text: TextAssembler
    request_id: int
    send: Send
    change_method: Callable[[Generation, int], None]
    load: AnswerLoad
    gather_s: float = 0.0
    _said: str = ""
    _warned: bool = False
    _held: protocol.Chunk | None = None
    _sent_at: float = -math.inf

    def stream(self) -> None:
        """Prefill and decode to the answer's end."""
        try:
            self._stream()
        finally:
            self._send_held()

    def _stream(self) -> None:
        run = self.run
        try:
            run.prefill(self._say_prefilled)
        except DecodeAbortedError:
            return
        self.load.begin()
        for step in run.steps():
            self._send_step(step)
            self._say_news()
            if self.text.stopped:
                break
            try:
                self.change_method(run, self.request_id)
            except DecodeAbortedError:
                continue  # the run looks at the flag itself
        if rest := self.text.finish():
            self._send_chunk(protocol.Chunk(
                request_id=self.request_id, pieces=rest, emitted_tokens=run.stats.emitted_tokens,
                decode_s=run.stats.decode_s,
            ))

    def _send_step(self, step: Step) -> None:
        run, verdict = self.run, step.verdict
        before = len(run.token_ids) - len(verdict.tokens)
        pieces, count = [], 0
        for count, token in enumerate(verdict.tokens, start=1):
            pieces += self.text.push(run.target.token_bytes(token), drafted=count <= verdict.accepted)
            if self.text.stopped:
                run.end_after(before + count)
                break
        self._send_chunk(protocol.Chunk(
            request_id=self.request_id,
            pieces=pieces,
            drafter=step.draft.drafter if step.draft.tokens else "",
            num_draft_tokens=len(step.draft),
            num_accepted_draft_tokens=verdict.accepted,
            step_tokens=count,
            step_s=step.seconds,
            draft_s=step.cost.draft_s,
            verify_s=step.cost.verify_s,
            emitted_tokens=run.stats.emitted_tokens,
            decode_s=run.stats.decode_s,
        ))

    def _send_chunk(self, chunk: protocol.Chunk) -> None:
        """Now, or with those that come within ``gather_s`` of the last; the first is sent at once."""
        self._held = chunk if self._held is None else _joined(self._held, chunk)
        if time.monotonic() >= self._sent_at + self.gather_s:
            self._send_held()

    def _send_held(self) -> None:
        if self._held is not None:
            self.send(self._held)
            self._held, self._sent_at = None, time.monotonic()

    def _say_news(self) -> None:
        sentence = self.run.controller.sentence
        if sentence != self._said:
            self._said = sentence
            self._say(sentence, passing=True)
        if not self._warned and (warning := describe_fullness(self.run)):
            self._warned = True
            self._say(warning)
        if (used := self.load.news()) is not None:
            self.send(protocol.OtherPrograms(
                request_id=self.request_id, other_cores=used, cores=self.load.cores, threads=self.load.threads,
            ))

    def _say(self, message: str, passing: bool = False) -> None:
        self.send(protocol.Notice(request_id=self.request_id, message=message, passing=passing))

    def _say_prefilled(self, done: int) -> None:
        self.send(protocol.PrefillProgress(
            request_id=self.request_id, done_tokens=done, total_tokens=len(self.run.prompt),
            cached_tokens=self.run.stats.cached_tokens,
        ))


def _joined(first: protocol.Chunk, then: protocol.Chunk) -> protocol.Chunk:
    sums = {
        name: getattr(first, name) + getattr(then, name)
        for name in ("num_draft_tokens", "num_accepted_draft_tokens", "step_tokens", "step_s", "draft_s", "verify_s")
    }
    return msgspec.structs.replace(
        then, pieces=[*first.pieces, *then.pieces], drafter=then.drafter or first.drafter, **sums
    )
