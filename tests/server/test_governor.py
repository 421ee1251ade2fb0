"""Speculation while requests queue: judged by the tokens per second of the engine's whole time, and by nothing else."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from app import protocol
from app.client.interface import EventSink, ignore_progress
from app.client.process import ProcessClient
from app.methods import parse_method
from app.records import MemoryFigures, ModelFacts, SpeculationFigures, StopReason, Timings
from app.server.access import Limits
from app.server.governor import TRY_AGAIN_EVERY, Governor, ways_of
from app.server.host import EngineHost, Job
from app.server.queue import Client
from tests.server.serving import wait_for

DRAFT = "draft:max=8"


def done(tokens: int = 20, reason: StopReason = "eos") -> protocol.Done:
    return protocol.Done(
        request_id=0, reason=reason, text="x" * tokens, token_ids=list(range(tokens)), prompt_tokens=3,
        timings=Timings(), speculation=SpeculationFigures(method="whatever"), memory=MemoryFigures(),
    )


def serve(governor: Governor, seconds: dict[str, float], answers: int, waiting: int = 5) -> Counter[str]:
    """How often each way was chosen when an answer of 20 tokens takes ``seconds`` of the engine's time by it."""
    chosen: Counter[str] = Counter()
    for _ in range(answers):
        method = governor.choose(waiting)
        chosen[method] += 1
        governor.observe(method, done(), seconds[method])
    return chosen


@pytest.mark.parametrize(("configured", "ways"), [
    ("off", ["off"]), ("auto", ["auto", "off"]), ("draft:max=8", ["draft:max=8", "draft:max=4", "off"]),
    ("draft:max=1", ["draft:max=1", "off"]), ("ngram-simple:m=8", ["ngram-simple:m=8", "ngram-simple:m=4", "off"]),
    ("draft:max=4,min=3", ["draft:max=4,min=3", "draft:max=2,min=1", "off"]),
    ("draft:max=6,min=2", ["draft:max=6,min=2", "draft:min=2", "off"]),
])
def test_ways_are_as_configured_with_half_the_draft_and_without(configured: str, ways: list[str]) -> None:
    assert ways_of(configured) == ways
    for way in ways:
        options = parse_method(way).options
        assert int(options.get("min", 0)) <= int(options.get("max", 64)), "a draft must be long enough to be verified"


def test_nobody_waiting_is_served_as_configured() -> None:
    governor = Governor(DRAFT)
    seconds = {DRAFT: 9.0, "draft:max=4": 2.0, "off": 1.0}
    serve(governor, seconds, 20)
    assert serve(governor, seconds, 20, waiting=0) == {DRAFT: 20}


@pytest.mark.parametrize("best", [DRAFT, "draft:max=4", "off"])
def test_under_load_the_way_with_the_most_throughput_is_taken(best: str) -> None:
    governor = Governor(DRAFT)
    seconds = {way: 1.0 if way == best else 1.5 for way in ways_of(DRAFT)}
    serve(governor, seconds, 3)
    chosen = serve(governor, seconds, 120)
    assert chosen[best] >= 120 - 120 // TRY_AGAIN_EVERY
    assert governor.rates()[best] == pytest.approx(20.0)


def test_the_engines_whole_time_counts_and_not_the_answers_own_figure() -> None:
    """An answer may write fast and yet hold the engine for long, by the draft's prefill and by probes."""
    governor = Governor("auto")
    flattering = protocol.Done(
        request_id=0, reason="eos", text="x", token_ids=list(range(20)), prompt_tokens=3,
        timings=Timings(decode_s=0.1, tokens_per_second=200.0), speculation=SpeculationFigures(method="auto"),
        memory=MemoryFigures(),
    )
    governor.observe("auto", flattering, 2.0)
    governor.observe("off", done(), 1.0)
    assert governor.choose(3) == "off"


def test_a_small_lead_does_not_turn_it_off() -> None:
    governor = Governor("auto")
    chosen = serve(governor, {"auto": 1.0, "off": 0.98}, 60)
    assert chosen["auto"] > chosen["off"]


def test_it_comes_back_when_texts_or_machine_change() -> None:
    governor = Governor("auto")
    assert serve(governor, {"auto": 2.0, "off": 1.0}, 60)["off"] > 50
    changed = {"auto": 0.5, "off": 1.0}
    serve(governor, changed, 12 * TRY_AGAIN_EVERY)
    assert serve(governor, changed, 60)["auto"] > 50


def test_answers_that_were_stopped_tell_nothing() -> None:
    governor = Governor("auto")
    governor.observe("auto", done(reason="aborted"), 1.0)
    governor.observe("auto", done(tokens=0), 1.0)
    assert governor.rates() == {"auto": 0.0, "off": 0.0}


def test_another_configuration_keeps_what_is_known() -> None:
    governor = Governor(DRAFT)
    serve(governor, {DRAFT: 2.0, "draft:max=4": 1.5, "off": 1.0}, 10)
    governor.configure("auto")
    assert governor.choose(0) == "auto"
    assert governor.rates() == {"auto": 0.0, "off": pytest.approx(20.0)}
    governor.configure("off")
    assert governor.choose(9) == "off"


class SlowDrafting(ProcessClient):
    """An engine whose answers take ten times as long with a draft as without."""

    def __init__(self) -> None:
        super().__init__([])
        self.methods: list[str] = []

    def generate(self, request: protocol.Generate, on_progress: EventSink = ignore_progress) -> protocol.Done:
        self.methods.append(request.method)
        time.sleep(0.002 if request.method == "off" else 0.02)
        return done()


FACTS = ModelFacts(path="m.gguf", name="m", architecture="", parameters=0, size_bytes=0, description="", vocab_size=0,
                   has_chat_template=True, ctx_tokens=512, ctx_train_tokens=512)


def test_a_queue_is_served_without_what_slows_it_and_a_chosen_method_is_left_alone() -> None:
    engine, told = SlowDrafting(), threading.Semaphore(0)
    host = EngineHost(engine, lambda: FACTS, "auto", Limits(queue=200, queue_per_client=200))

    def ask(count: int, method: str = "") -> None:
        for _ in range(count):
            request = protocol.Generate(request_id=0, prompt="x", method=method or "auto")
            host.submit(Job(Client("a"), request, lambda event: told.release(), chooses_method=bool(method)))

    ask(80)
    host.start()
    try:
        for _ in range(80):
            assert told.acquire(timeout=20)
        under_load = Counter(engine.methods)
        assert under_load["off"] > 60, under_load
        engine.methods.clear()
        ask(20, method="auto")
        for _ in range(20):
            assert told.acquire(timeout=20)
        assert engine.methods == ["auto"] * 20
        engine.methods.clear()
        wait_for(lambda: not host.is_busy)
        ask(1)
        assert told.acquire(timeout=20)
        assert engine.methods == ["auto"], "nobody waits: latency is what counts"
    finally:
        host.close()
