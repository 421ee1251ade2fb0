"""The endpoints, over a scripted worker: forms, streams, the queue, crashes."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.client.clock import AwakeClock
from app.server import answering
from app.server.access import Limits
from tests.server.serving import Serving, chat_body, events, serving, wait_for


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving("--chunks", "4") as server:
        yield server


TEXT = "word0 word1 word2 word3 word4 word5 word6 word7 "


def test_a_chat_is_answered_with_its_figures(server: Serving) -> None:
    answer = server.chat(max_tokens=100).json()
    assert answer["object"] == "chat.completion"
    assert answer["model"] == "scripted"
    assert answer["id"].startswith("chatcmpl-")
    [choice] = answer["choices"]
    assert choice["message"] == {"role": "assistant", "content": TEXT}
    assert choice["finish_reason"] == "stop"
    usage, timings = answer["usage"], answer["timings"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["completion_tokens"] == timings["predicted_n"] == 8
    assert timings["draft_n"] == 8
    assert timings["draft_n_accepted"] == 4
    assert timings["predicted_per_second"] == 40.0
    spec = answer["metrics"]["speculative_decoding"]
    assert spec["num_draft_tokens"] == 8
    assert spec["num_accepted_draft_tokens"] == 4
    assert spec["draft_acceptance_rate"] == 0.5
    assert spec["mean_acceptance_length"] == 1 + 4 / spec["num_spec_steps"]
    assert answer["speculation"]["method"] == "auto"


def test_a_stream_says_the_same(server: Serving) -> None:
    answer = server.chat(stream=True, stream_options={"include_usage": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    chunks = events(answer)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]  # type: ignore[index]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(delta.get("content", "") for delta in deltas) == TEXT
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"  # type: ignore[index]
    assert chunks[-2]["timings"]["draft_n_accepted"] == 4  # type: ignore[index]
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["completion_tokens"] == 8  # type: ignore[index]
    assert len({chunk["id"] for chunk in chunks}) == 1


def test_usage_comes_only_where_it_is_asked_for(server: Serving) -> None:
    assert not any("usage" in chunk for chunk in events(server.chat(stream=True)))


def test_a_text_is_completed(server: Serving) -> None:
    with server.http() as http:
        body = {"prompt": "Once", "max_tokens": 3, "seed": 1}
        whole = http.post("/v1/completions", json=body).json()
        stream = events(http.post("/v1/completions", json={**body, "stream": True}))
    assert whole["object"] == "text_completion"
    assert whole["choices"][0]["text"] == "word0 word1 word2 "
    assert whole["choices"][0]["finish_reason"] == "length"
    assert "".join(chunk["choices"][0]["text"] for chunk in stream) == "word0 word1 word2 "  # type: ignore[index]


def test_models_health_and_metrics(server: Serving) -> None:
    with server.http() as http:
        [model] = http.get("/v1/models").json()["data"]
        assert model["id"] == "scripted"
        assert model["meta"]["n_ctx"] == 4096
        assert http.get("/health").json() == {"status": "ok"}
        before = server.metric("tokens_predicted_total")
        server.chat()
        assert server.metric("tokens_predicted_total") == before + 8
        text = http.get("/metrics").text
    for name in ("spec_decode_num_draft_tokens_total", "spec_decode_num_accepted_tokens_total", "requests_deferred"):
        assert f"\n# TYPE slipstream:{name} " in text
    assert 'slipstream:responses_total{status="200"}' in text


def test_speculation_is_chosen_per_request(server: Serving) -> None:
    for method in ("off", "auto", "draft:max=2", "ngram-simple"):
        assert server.chat(speculation=method).json()["speculation"]["method"] == method
    assert server.chat(speculation="off").json()["timings"]["draft_n"] == 0


def test_a_model_that_cannot_be_loaded_is_said(tmp_path: Path) -> None:
    with serving("--fail-load", "out_of_memory") as server:
        with server.http() as http:
            health = http.get("/health")
            assert health.status_code == 503
            assert "out_of_memory" in health.json()["message"]
            assert http.get("/v1/models").json()["data"] == []
        answer = server.chat()
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "out_of_memory"


def test_while_loading_health_says_so_and_requests_wait() -> None:
    with serving("--load-s", "1", waits=False) as server:
        with server.http() as http:
            health = http.get("/health")
            [model] = http.get("/v1/models").json()["data"]
        assert (health.status_code, health.json()["status"]) == (503, "loading model")
        assert (model["id"], "meta" in model) == ("scripted", False)
        assert server.chat().status_code == 200


def test_failures_of_the_engine_keep_their_words(server: Serving) -> None:
    with serving("--fail-generate", "prompt_too_long") as failing:
        answer = failing.chat()
        assert answer.status_code == 400
        assert answer.json()["error"]["message"] == "Scripted failure: prompt_too_long. Read the script."
        stream = failing.chat(stream=True)
        assert stream.status_code == 200, "the failure came after the first words"
        assert "Scripted failure" in stream.text
        assert "[DONE]" not in stream.text


@pytest.mark.parametrize("streams", [False, True])
def test_a_crash_is_said_and_the_next_request_is_served(tmp_path: Path, streams: bool) -> None:
    script = ["--die-after", "0", "--signal", str(int(signal.SIGABRT)), "--once", str(tmp_path / "died")]
    with serving(*script) as server:
        first = server.client.pid
        crashed = server.chat(stream=streams)
        assert crashed.status_code == 503
        assert "stopped itself" in crashed.json()["error"]["message"]
        assert server.chat().status_code == 200
        assert server.client.pid != first
        assert server.metric("engine_restarts_total") == 1


@pytest.mark.parametrize("streams", [False, True])
def test_a_client_that_goes_frees_the_engine(streams: bool) -> None:
    with serving("--chunks", "10000", "--delay-s", "0.02") as server:
        body = chat_body(stream=streams, max_tokens=100_000)
        with server.http(0.5) as http:
            if streams:
                with http.stream("POST", "/v1/chat/completions", json=body) as answer:
                    next(answer.iter_lines())
            else:
                with pytest.raises(httpx2.ReadTimeout):
                    http.post("/v1/chat/completions", json=body)
        assert server.wait_until_idle(2.0) < 0.5
        wait_for(lambda: server.metric("cancelled_total") >= 1)
        assert server.metric("cancel_seconds_max") < 0.5
        assert server.chat(max_tokens=2).status_code == 200


def test_a_client_that_goes_while_it_waits_leaves_the_queue() -> None:
    with serving("--chunks", "200", "--delay-s", "0.02") as server, server.http() as http:
        with http.stream("POST", "/v1/chat/completions", json=chat_body(stream=True, max_tokens=1000)):
            wait_for(lambda: server.host.is_busy)
            with pytest.raises(httpx2.ReadTimeout), server.http(0.3) as impatient:
                impatient.post("/v1/chat/completions", json=chat_body())
            wait_for(lambda: server.host.waiting == 0, 1.0)
        server.wait_until_idle(2.0)


def ask_in_thread(server: Serving, results: list[Any], name: str, **more: object) -> threading.Thread:
    def ask() -> None:
        with server.http() as http:
            answer = http.post("/v1/chat/completions", json=chat_body(user=name, **more))
            results.append((name, answer.status_code))

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_one_more_than_may_wait_is_told_to_come_back() -> None:
    limits = Limits(queue=3, queue_per_client=2)
    with serving("--chunks", "1000", "--delay-s", "0.02", limits=limits) as server:
        results: list[Any] = []
        threads = [ask_in_thread(server, results, "a", max_tokens=400)]
        wait_for(lambda: server.host.is_busy)
        threads += [ask_in_thread(server, results, "a", max_tokens=2) for _ in range(2)]
        wait_for(lambda: server.host.waiting == 2)
        mine = server.chat(user="a")
        assert mine.status_code == 429
        assert "You have" in mine.json()["error"]["message"]
        assert int(mine.headers["retry-after"]) > 0
        threads.append(ask_in_thread(server, results, "b", max_tokens=2))
        wait_for(lambda: server.host.waiting == 3)
        assert server.chat(user="c").status_code == 429
        for thread in threads:
            thread.join()
        assert [status for _, status in results] == [200] * 4
        assert [name for name, _ in results].index("b") <= 2, "b had its turn before a's last"


def test_waiting_has_an_end() -> None:
    limits = Limits(wait_s=0.5)
    with serving("--chunks", "100", "--delay-s", "0.03", limits=limits) as server:
        results: list[Any] = []
        first = ask_in_thread(server, results, "a", max_tokens=100)
        wait_for(lambda: server.host.is_busy)
        late = server.chat(user="b")
        assert late.status_code == 503
        assert "waited too long" in late.json()["error"]["message"]
        first.join()
        assert results == [("a", 200)]


def test_a_computer_that_slept_has_not_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = [0.0]
    monkeypatch.setattr(answering, "AwakeClock", lambda: AwakeClock(lambda: time.monotonic() + slept[0]))
    with serving("--chunks", "100", "--delay-s", "0.02", limits=Limits(wait_s=60, answer_s=60)) as server:
        results: list[Any] = []
        threads = [ask_in_thread(server, results, "a", max_tokens=100)]
        wait_for(lambda: server.host.is_busy)
        threads.append(ask_in_thread(server, results, "b", max_tokens=2))
        wait_for(lambda: server.host.waiting == 1)
        slept[0] = 3600.0
        for thread in threads:
            thread.join()
        assert results == [("a", 200), ("b", 200)]


def test_an_answer_has_an_end() -> None:
    with serving("--chunks", "1000", "--delay-s", "0.05", limits=Limits(answer_s=0.5)) as server:
        answer = server.chat(max_tokens=1000)
        assert answer.status_code == 503
        assert "took too long" in answer.json()["error"]["message"]
        stream = server.chat(max_tokens=1000, stream=True)
        assert "took too long" in stream.text
        assert server.wait_until_idle(2.0) < 0.5


def test_closing_ends_what_runs_and_what_waits() -> None:
    results: list[Any] = []
    with serving("--chunks", "10000", "--delay-s", "0.02") as server:
        threads = [ask_in_thread(server, results, name, max_tokens=9000) for name in "ab"]
        wait_for(lambda: server.host.is_busy and server.host.waiting == 1)
        started = time.monotonic()
    assert time.monotonic() < started + 8
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    assert ("b", 503) in results or ("a", 503) in results


TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]


@pytest.mark.parametrize("text", [
    '<tool_call>\n{"name": "look", "arguments": {"city": "Hue"}}\n</tool_call>',
    '{"name": "look", "parameters": {"city": "Hue"}}',
    '```json\n{"name": "look", "arguments": {"city": "Hue"}}\n```',
])
def test_calls_are_read_whole_and_streamed(text: str) -> None:
    with serving("--text", text) as server:
        [choice] = server.chat(tools=TOOLS).json()["choices"]
        assert choice["finish_reason"] == "tool_calls"
        assert choice["message"]["content"] is None
        [call] = choice["message"]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"city": "Hue"}
        chunks = events(server.chat(tools=TOOLS, stream=True))
        deltas: list[Any] = [chunk["choices"][0]["delta"] for chunk in chunks]  # type: ignore[index]
        assert not any(delta.get("content") for delta in deltas)
        [calls] = [delta["tool_calls"] for delta in deltas if "tool_calls" in delta]
        assert calls[0]["function"]["name"] == "look"
        assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"  # type: ignore[index]


def test_text_that_only_looks_like_a_call_stays_text() -> None:
    text = '{"name": "other", "arguments": {}}'
    with serving("--text", text) as server:
        for tools in (TOOLS, None):
            [choice] = server.chat(tools=tools).json()["choices"]
            assert choice["message"]["content"] == text
            assert choice["finish_reason"] == "stop"
