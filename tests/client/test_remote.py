"""Servers elsewhere: answers of the documented shapes replayed, our own server and its failures for real.

The shapes of vLLM, SGLang and TensorRT-LLM are from the documents named in ``app/client/remote_kinds.py``; none of the
three has been tried for real.
"""

from __future__ import annotations

import http.server
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from app.client.remote import RemoteClient
from app.client.remote_kinds import KINDS, read_counters
from app.client.remote_paths import check_url, remote_path, split_path
from app.errors import Code, SlipstreamError
from app.protocol import AnyEvent, Chunk, Done, Generate
from app.records import LoadSettings, Message, Sampling
from app.server.access import Access
from tests.server.serving import Serving, serving

REQUEST = Generate(request_id=0, messages=[Message(role="user", content="Hello")], method="auto", max_tokens=50,
                   sampling=Sampling(seed=3), stop=["END"])


class Replay:
    """Answers as a server of some kind would; ``asked`` are the bodies that came."""

    def __init__(self, events: list[dict[str, Any]], metrics: list[str] | None = None) -> None:
        self.events = events
        self.metrics = metrics or []
        self.asked: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/v1/models":
            return httpx2.Response(200, json={"data": [{"id": "m1"}, {"id": "m2"}]})
        if request.url.path == "/metrics":
            return httpx2.Response(200, text=self.metrics.pop(0)) if self.metrics else httpx2.Response(404)
        self.asked.append(json.loads(request.content))
        lines = "".join(f"data: {json.dumps(event)}\n\n" for event in self.events)
        return httpx2.Response(200, text=f": hello\n\n{lines}data: [DONE]\n\n")


def piece(text: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish, **more}]}


def ask(replay: Replay, kind: str, request: Generate = REQUEST) -> Done:
    chunks: list[AnyEvent] = []
    with RemoteClient("http://server:1", kind=KINDS[kind], transport=httpx2.MockTransport(replay)) as client:
        client.load("", LoadSettings())
        done = client.generate(request, chunks.append)
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, Chunk)) == done.text
    return done


USAGE = {"usage": {"prompt_tokens": 9, "completion_tokens": 53, "total_tokens": 62}}


def test_vllm_tells_figures_of_each_answer() -> None:
    """vLLM documentation, features/speculative_decoding/acceptance_metrics."""
    told = {"choices": [], **USAGE, "metrics": {"speculative_decoding": {
        "mean_acceptance_length": 1.2325581395348837, "draft_acceptance_rate": 0.07751937984496124,
        "acceptance_histogram": [39, 1, 0, 3], "acceptance_histogram_by_draft_length": {"3": [39, 1, 0, 3]},
        "num_spec_steps": 43, "num_accepted_draft_tokens": 10, "num_draft_tokens": 129, "num_spec_tokens": 3,
    }}}
    replay = Replay([piece("Hel"), piece("lo", "stop"), told])
    done = ask(replay, "vllm")
    figures = done.speculation
    assert done.text == "Hello"
    assert done.reason == "eos"
    assert done.prompt_tokens == 9
    assert (figures.steps, figures.num_draft_tokens, figures.num_accepted_draft_tokens) == (43, 129, 10)
    assert figures.draft_acceptance_rate == pytest.approx(0.07751937984496124)
    assert figures.mean_acceptance_length == pytest.approx(1.2325581395348837)
    assert figures.acceptance_histogram == [39, 1, 0, 3]
    [body] = replay.asked
    assert body["stream_options"] == {"include_usage": True}
    assert (body["seed"], body["stop"], body["max_tokens"], body["model"]) == (3, ["END"], 50, "m1")


def test_vllm_counts_for_the_whole_server_otherwise() -> None:
    """vLLM documentation, the counters of /metrics."""
    def metrics(drafts: int, drafted: int, accepted: int) -> str:
        return "\n".join([
            "# TYPE vllm:spec_decode_num_drafts counter",
            f'vllm:spec_decode_num_drafts_total{{engine="0",model_name="m1"}} {drafts}.0',
            f'vllm:spec_decode_num_draft_tokens_total{{engine="0",model_name="m1"}} {drafted}.0',
            f'vllm:spec_decode_num_accepted_tokens_total{{engine="0",model_name="m1"}} {accepted}.0',
            'vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 7.0',
        ])

    figures = ask(Replay([piece("x", "stop"), {"choices": [], **USAGE}], [metrics(5, 15, 3), metrics(45, 135, 63)]),
                  "vllm").speculation
    assert (figures.steps, figures.num_draft_tokens, figures.num_accepted_draft_tokens) == (40, 120, 60)
    assert figures.mean_acceptance_length == 2.5


def test_sglang_tells_them_where_it_is_asked() -> None:
    """SGLang, entrypoints/openai/protocol.py: SglExt, SpecTokensDetails."""
    told = {"choices": [], **USAGE, "sglext": {"spec_tokens_details": {
        "spec_accept_rate": 0.5, "spec_accept_length": 2.5, "spec_verify_ct": 20, "spec_num_correct_drafts": 30,
        "spec_num_proposed_drafts": 60, "spec_correct_drafts_histogram": [5, 5, 5, 5],
    }}}
    replay = Replay([piece("x", "length"), told])
    done = ask(replay, "sglang")
    figures = done.speculation
    assert done.reason == "length"
    assert (figures.steps, figures.num_draft_tokens, figures.num_accepted_draft_tokens) == (20, 60, 30)
    assert figures.mean_acceptance_length == 2.5
    assert replay.asked[0]["return_spec_tokens_details"] is True


def test_sglangs_older_names_are_understood() -> None:
    last = piece("x", "stop", meta_info={"spec_verify_ct": 10, "spec_accept_token_num": 12, "spec_draft_token_num": 30})
    figures = ask(Replay([last, {"choices": [], **USAGE}]), "sglang").speculation
    assert (figures.steps, figures.num_draft_tokens, figures.num_accepted_draft_tokens) == (10, 30, 12)


def test_tensorrt_tells_tokens_per_pass_alone() -> None:
    """TensorRT-LLM, tensorrt_llm/serve/openai_protocol.py."""
    last = piece("x", "stop", avg_decoded_tokens_per_iter=2.65)
    figures = ask(Replay([last, {"choices": [], **USAGE}]), "tensorrt-llm").speculation
    assert figures.steps == 20
    assert figures.num_accepted_draft_tokens == 33
    assert figures.num_draft_tokens == 0
    assert figures.mean_acceptance_length == 2.65
    assert "not how many were drafted" in figures.sentence


def test_llama_server_counts_tokens() -> None:
    """llama.cpp, tools/server/README.md."""
    last = {**piece("", "stop"), "timings": {
        "cache_n": 0, "prompt_n": 9, "prompt_ms": 90.0, "prompt_per_second": 100.0, "predicted_n": 53,
        "predicted_ms": 2000.0, "predicted_per_second": 26.5, "draft_n": 40, "draft_n_accepted": 30,
    }}
    replay = Replay([piece("x"), last, {"choices": [], **USAGE}])
    done = ask(replay, "llama-server")
    assert (done.speculation.num_draft_tokens, done.speculation.num_accepted_draft_tokens) == (40, 30)
    assert done.speculation.steps == 23
    assert done.timings.tokens_per_second == 26.5
    assert done.timings.decode_s == 2.0


def test_drafting_although_asked_not_to_is_said() -> None:
    last = {**piece("", "stop"), "timings": {"predicted_n": 53, "draft_n": 40, "draft_n_accepted": 30}}
    plain = msgspec.structs.replace(REQUEST, method="off")
    replay = Replay([piece("x"), last])
    assert "although it was asked not to" in ask(replay, "llama-server", plain).speculation.sentence
    assert replay.asked[0]["speculative.n_max"] == 0
    assert ask(replay, "llama-server").speculation.sentence == ""


@pytest.mark.parametrize("kind", list(KINDS))
def test_absent_figures_are_said_to_be_absent(kind: str) -> None:
    done = ask(Replay([piece("x", "stop"), {"choices": [], **USAGE}]), kind)
    assert done.speculation.num_draft_tokens == 0
    assert "tells no figures" in done.speculation.sentence


@pytest.mark.parametrize("events", [
    [{"choices": "x"}], [{"choices": [None]}], [{"choices": [{"delta": "x"}]}], [[1]],  # type: ignore[list-item]
    [{"usage": {"prompt_tokens": "many"}}], [{"timings": {"draft_n": -3, "predicted_n": 1e300}}],
    [{"metrics": {"speculative_decoding": {"acceptance_histogram": "no", "num_draft_tokens": "x"}}}],
])
def test_strange_answers_harm_nothing(events: list[dict[str, Any]]) -> None:
    done = ask(Replay(events), "vllm")
    assert done.text == ""
    assert done.speculation.num_draft_tokens == 0


def test_an_error_in_the_stream_is_said() -> None:
    with pytest.raises(SlipstreamError, match="out of pages"):
        ask(Replay([piece("x"), {"error": {"message": "out of pages"}}]), "vllm")


@pytest.mark.parametrize(("status", "code", "words"), [
    (401, Code.NETWORK, "refused the key"), (404, Code.NETWORK, "no OpenAI-compatible server"),
    (429, Code.BUSY, "is busy"), (500, Code.NETWORK, "status 500"),
])
def test_statuses_become_words(status: int, code: Code, words: str) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, json={"error": {"message": "because \x1b[31mof this"}})

    with RemoteClient("http://server:1", transport=httpx2.MockTransport(answer)) as client:
        for call in (client.models, lambda: client.generate(REQUEST)):
            with pytest.raises(SlipstreamError, match=words) as failure:
                call()
            assert failure.value.code is code
            assert "\x1b" not in failure.value.message
            assert failure.value.hint


def test_what_is_no_server_is_said() -> None:
    page = httpx2.MockTransport(lambda request: httpx2.Response(200, text="<html>"))
    with RemoteClient("http://server:1", transport=page) as client, pytest.raises(SlipstreamError) as failure:
        client.models()
    assert failure.value.code is Code.PROTOCOL


def test_nobody_there_is_said() -> None:
    with RemoteClient("127.0.0.1:9") as client, pytest.raises(SlipstreamError, match="cannot be reached"):
        client.models()


@pytest.mark.parametrize(("text", "url"), [
    ("localhost:8000", "http://localhost:8000"), ("https://a.example/v1/", "https://a.example"),
    (" http://10.0.0.2:8000/v1 ", "http://10.0.0.2:8000"), ("http://a/llm/v1?x=1#y", "http://a/llm"),
])
def test_addresses_are_read(text: str, url: str) -> None:
    assert check_url(text) == url


@pytest.mark.parametrize("text", ["", "ftp://a", "http://", "http://user:secret@a", "file:///etc/passwd", "http://a:x"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(SlipstreamError):
        check_url(text)


def test_paths_of_remote_models() -> None:
    assert split_path(remote_path("vllm", "http://a:1", "x/y#z")) == ("vllm", "http://a:1", "x/y#z")
    assert split_path("remote:http://a+b:1") == ("openai", "http://a+b:1", "")


def test_counters_are_summed_over_labels() -> None:
    text = 'a_total{x="1"} 2\na_total{x="2"} 3\n# HELP a\nb 1e3\nc nonsense\n'
    assert read_counters(text) == {"a": 5.0, "b": 1000.0}


@pytest.fixture(scope="module")
def own() -> Iterator[Serving]:
    with serving("--chunks", "6", access=Access(port=0, keys=("secret",))) as server:
        yield server


def test_our_own_server_as_a_remote(own: Serving) -> None:
    with RemoteClient(own.url, "secret", KINDS["slipstream"]) as client:
        assert client.models() == ["scripted"]
        loaded = client.load("", LoadSettings())
        assert loaded.facts.name == "scripted"
        done = client.generate(REQUEST)
        assert done.text.startswith("word0 word1 ")
        assert done.speculation.num_draft_tokens == 12
        assert done.speculation.num_accepted_draft_tokens == 6
        assert done.timings.tokens_per_second == 40.0
        plain = client.generate(Generate(request_id=0, prompt="x", method="off", max_tokens=4))
        assert plain.speculation.num_draft_tokens == 0
        assert plain.timings.tokens_per_second == 20.0
        with pytest.raises(SlipstreamError, match="does not offer"):
            client.load(remote_path("slipstream", own.url, "other"), LoadSettings())
    with RemoteClient(own.url, "wrong") as client, pytest.raises(SlipstreamError, match="refused the key"):
        client.models()


def test_a_remote_answer_is_stopped() -> None:
    with serving("--chunks", "5000", "--delay-s", "0.02") as server, RemoteClient(
        server.url, kind=KINDS["slipstream"]
    ) as client:
        client.load("", LoadSettings())
        started = threading.Event()
        results: list[Done] = []
        request = Generate(request_id=0, prompt="x", max_tokens=10_000)
        thread = threading.Thread(
            target=lambda: results.append(client.generate(request, lambda event: started.set()))
        )
        thread.start()
        assert started.wait(20)
        stopped = time.monotonic()
        client.stop()
        thread.join(5)
        assert time.monotonic() < stopped + 1
        assert results[0].reason == "aborted"
        assert results[0].text.startswith("word0")
        assert server.wait_until_idle(2.0) < 0.5
        assert client.generate(Generate(request_id=0, prompt="x", max_tokens=4)).reason == "length"


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate),
         "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        capture_output=True, check=False,
    )
    assert made.returncode == 0, "openssl is needed"

    class Models(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"data": [{"id": "m"}]}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Quiet(http.server.HTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """The client breaks the handshake off, as it should."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Quiet(("127.0.0.1", 0), Models) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        url = f"https://localhost:{server.server_port}"
        try:
            with RemoteClient(url) as client, pytest.raises(SlipstreamError, match="no certificate that is trusted"):
                client.models()
            with RemoteClient(url, certificates=str(certificate)) as client:
                assert client.models() == ["m"]
        finally:
            server.shutdown()
            thread.join()
