"""One running answer as events: progress, chunks, and what there is to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app import protocol
from app.engine.backend import DecodeAbortedError
from app.engine.context_room import describe_fullness
from app.engine.generate import Run, Step
from app.engine.text import TextAssembler

Send = Callable[[protocol.Event], None]


@dataclass
class AnswerStream:
    """``change_method`` is called between steps and may put another controller into the run."""

    run: Run
    text: TextAssembler
    request_id: int
    send: Send
    change_method: Callable[[Run, int], None]
    _said: str = ""
    _warned: bool = False

    def stream(self) -> None:
        """Prefill and decode to the answer's end."""
        run = self.run
        try:
            run.prefill(self._say_prefilled)
        except DecodeAbortedError:
            return
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
            self.send(protocol.Chunk(
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
        self.send(protocol.Chunk(
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

    def _say_news(self) -> None:
        sentence = self.run.controller.sentence
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)
        if not self._warned and (warning := describe_fullness(self.run)):
            self._warned = True
            self._say(warning)

    def _say(self, message: str) -> None:
        self.send(protocol.Notice(request_id=self.request_id, message=message))

    def _say_prefilled(self, done: int) -> None:
        self.send(protocol.PrefillProgress(
            request_id=self.request_id, done_tokens=done, total_tokens=len(self.run.prompt),
            cached_tokens=self.run.stats.cached_tokens,
        ))
