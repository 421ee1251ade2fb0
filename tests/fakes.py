"""Stand-ins for the engine that need no process."""

from __future__ import annotations

from collections.abc import Callable

from app import protocol
from app.client.interface import EventSink, ignore_progress
from app.errors import Code, SlipstreamError
from app.records import (
    Candidate,
    LoadSettings,
    MemoryFigures,
    ModelFacts,
    Sampling,
    SpeculationFigures,
    Timings,
    TokenScore,
)

Speed = Callable[[protocol.Generate], float]
"""Tokens per second of an answer."""


def make_done(
    token_ids: list[int], speed: float, method: str = "off", drafted: int = 0, accepted: int = 0,
    draws: list[float] | None = None,
) -> protocol.Done:
    """An answer of ``token_ids`` at ``speed`` tokens/s that spent 2% of its time outside of llama.cpp."""
    decode_s = len(token_ids) / speed
    return protocol.Done(
        request_id=0, reason="length", text=" ".join(map(str, token_ids)), token_ids=token_ids, prompt_tokens=5,
        timings=Timings(
            decode_s=decode_s, verify_s=0.98 * decode_s, other_s=0.02 * decode_s, tokens_per_second=speed,
            time_to_first_token_s=0.1,
        ),
        speculation=SpeculationFigures(
            method=method, steps=max(1, len(token_ids) - accepted), num_draft_tokens=drafted,
            num_accepted_draft_tokens=accepted, draft_acceptance_rate=accepted / drafted if drafted else 0.0,
        ),
        memory=MemoryFigures(),
        draws=draws or [],
    )


class FakeEngine:
    """An ``EngineClient`` with known speeds.

    ``speeds[method]`` may be a number or a function of the request. ``partings[method]`` is the position from which its
    tokens differ. ``failures`` are raised by the next calls of ``generate``, one each (None for none).
    """

    def __init__(self, speeds: dict[str, float | Speed], partings: dict[str, int] | None = None) -> None:
        self.speeds = speeds
        self.partings = partings or {}
        self.failures: list[SlipstreamError | None] = []
        self.requests: list[protocol.Generate] = []
        self.scored: list[protocol.Score] = []
        self.loads: list[str] = []
        self.stopped = False
        self.closed = False
        self.pid: int | None = None
        self.ready: protocol.Ready | None = None

    def load(self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress) -> protocol.Loaded:
        self.loads.append(path)
        facts = ModelFacts(
            path=path, name="fake", architecture="fake", description="fake", parameters=1, size_bytes=1,
            ctx_tokens=4096, ctx_train_tokens=4096, vocab_size=1000, has_chat_template=True,
        )
        return protocol.Loaded(request_id=0, facts=facts, memory=MemoryFigures(), load_s=0.0)

    def load_draft(
        self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress
    ) -> protocol.Loaded:
        return self.load(path, settings, on_progress)

    def unload_draft(self) -> None:
        pass

    def generate(self, request: protocol.Generate, on_progress: EventSink = ignore_progress) -> protocol.Done:
        self.requests.append(request)
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            raise failure
        speed = self.speeds[request.method]
        part_at = self.partings.get(request.method)
        token_ids = [
            i if part_at is None or i < part_at else 500 + i for i in range(request.max_tokens)
        ]
        drafts = request.method != "off"
        done = make_done(
            token_ids, speed(request) if callable(speed) else speed, request.method,
            drafted=20 if drafts else 0, accepted=15 if drafts else 0,
            draws=[0.25] * len(token_ids) if request.sampling.temperature > 0 else [],
        )
        if self.stopped:
            raise SlipstreamError(Code.ABORTED, "Stopped.")
        return done

    def measure_exactness(self, on_progress: EventSink = ignore_progress) -> protocol.Exactness:
        raise NotImplementedError

    def score(self, request: protocol.Score, on_progress: EventSink = ignore_progress) -> protocol.Scores:
        self.scored.append(request)
        scores = []
        for position in request.positions:
            token_id = request.token_ids[position]
            logit = 10.0 if token_id < 500 else 9.875
            scores.append(
                TokenScore(
                    position=position, token_id=token_id, logit=logit, gap=10.0 - logit,
                    best=[Candidate(token_id=token_id, text=f"t{token_id}", logit=logit)],
                )
            )
        return protocol.Scores(request_id=0, scores=scores)

    def tokenize(self, text: str, add_special: bool = False) -> list[int]:
        return list(text.encode())

    def devices(self) -> list[protocol.Device]:
        return []

    def stop(self) -> None:
        self.stopped = True

    def kill(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self.closed = True


GREEDY = Sampling(temperature=0.0, seed=1)
