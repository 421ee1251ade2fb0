"""Records answers for ``devtools.replay``: the target's tokens and sureness, and the draft's guesses at every place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from app.engine.auto.target_confidence import sureness
from app.engine.backend import AbortFlag, Logits, Model
from app.engine.backends.llama import LlamaLibrary
from app.engine.controller import OffController, StepCost
from app.engine.drafters.interface import Draft
from app.engine.generate import Generation
from app.engine.prompt import encode_chat
from app.engine.sampling import Sampler, confidence
from app.records import LoadSettings, Message, Sampling
from devtools.console import say
from devtools.replay.replaying import ANSWER_TOKENS, LONGEST_GUESS, Guess, Record, read_records

WRONG_GUESSES = 3
"""What a draft says after it was wrong is of no use, but for the controller's look at its confidence."""


class Prompt(msgspec.Struct):
    id: str
    kind: str
    messages: list[Message]


class SurenessRecorder(OffController):
    """Plain decoding that notes how sure the target is."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def draft(self, context: Sequence[int], room: int) -> Draft:
        return Draft(on_rows=self._note)

    def _note(self, rows: Logits) -> None:
        self.seen.append(sureness(rows[0]))

    def observe(self, draft: Draft, accepted: int, judged: int, cost: StepCost) -> None:
        pass


def record_answers(target_path: str, draft_path: str, prompts: Path, out: Path, limit: int) -> None:
    """Append a ``Record`` to ``out`` for the first ``limit`` prompts of each kind that it does not hold yet."""
    library, abort = LlamaLibrary(on_log=lambda _line: None), AbortFlag()
    target = library.load(target_path, LoadSettings(), 1, abort, lambda _fraction: None)
    draft = library.load(draft_path, LoadSettings(), 1, abort, lambda _fraction: None)
    done = {record.id for record in read_records(out)} if out.exists() else set()
    with out.open("ab") as file:
        for prompt in _first_of_each_kind(prompts, limit):
            if prompt.id in done:
                continue
            tokens = encode_chat(target, prompt.messages)
            recorder = SurenessRecorder()
            run = Generation(target, None, recorder, Sampler(Sampling(temperature=0.0)), tokens, ANSWER_TOKENS, abort)
            run.prefill(lambda _done: None)
            for _ in run.steps():
                pass
            guesses = list(_guesses(draft, tokens, run.token_ids))
            record = Record(prompt.id, prompt.kind, tokens, run.token_ids, recorder.seen, guesses)
            file.write(msgspec.json.encode(record) + b"\n")
            file.flush()
            say(f"{record.id}: {len(record.tokens)} tokens")


def _guesses(draft: Model, prompt: list[int], answer: list[int]) -> Iterator[Guess]:
    draft.truncate(0)
    text = prompt + answer
    for at in range(len(answer)):
        position = len(prompt) + at
        draft.truncate(min(len(draft.tokens), position - 1))
        pending, guess, wrong = text[len(draft.tokens) : position], Guess([], []), 0
        while len(guess.tokens) < LONGEST_GUESS and wrong < WRONG_GUESSES:
            token, sure = confidence(draft.decode(pending, 1)[0])
            guess.tokens.append(token)
            guess.confidences.append(round(sure, 4))
            place = at + len(guess.tokens) - 1
            wrong += bool(wrong) or place >= len(answer) or answer[place] != token
            pending = [token]
        yield guess


def _first_of_each_kind(path: Path, limit: int) -> Iterator[Prompt]:
    seen: dict[str, int] = {}
    for line in path.read_bytes().splitlines():
        prompt = msgspec.json.decode(line, type=Prompt)
        seen[prompt.kind] = seen.get(prompt.kind, 0) + 1
        if seen[prompt.kind] <= limit:
            yield prompt
