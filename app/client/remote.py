"""An ``EngineClient`` whose engine is any OpenAI-compatible server."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

import httpx2
import msgspec

from app import protocol
from app.client.interface import EventSink, ignore_progress
from app.client.remote_kinds import KINDS, RemoteKind, figures_between, read_counters, read_figures
from app.client.remote_paths import check_url, remote_path, split_path
from app.client.remote_stream import StreamedAnswer
from app.errors import Code, SlipstreamError
from app.records import (
    REMOTE,
    LoadSettings,
    MemoryFigures,
    Message,
    ModelFacts,
    Sampling,
    SpeculationFigures,
    Timings,
)
from app.settings.table import settings_of

_CONNECT_S, _SILENCE_S = 10.0, 600.0
UNKNOWN_CTX_TOKENS = 32_768
"""What is assumed where a server does not tell; it refuses by itself what is too long."""
_MOST_LINE = 4 * 1024 * 1024


class RemoteClient:
    """Asks the server at ``url``. Calls take turns, as with an engine of our own; ``stop`` may come from any thread.

    What only an engine of our own can do (scores, tokens, devices) is refused in words. ``verify`` False would leave
    certificates unchecked and is for nobody: they are always checked, against ``certificates`` if given (a PEM file).
    """

    def __init__(
        self, url: str, key: str = "", kind: RemoteKind = KINDS["openai"], model: str = "",
        certificates: str | None = None, transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.url = check_url(url)
        self.kind = kind
        self.model = model
        self._turn = threading.Lock()
        self._stopped = threading.Event()
        self._response: httpx2.Response | None = None
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._http = httpx2.Client(
            base_url=self.url, headers=headers, timeout=httpx2.Timeout(_SILENCE_S, connect=_CONNECT_S),
            follow_redirects=False, trust_env=not _is_here(self.url), transport=transport,
            verify=ssl.create_default_context(cafile=certificates),
        )

    def __enter__(self) -> RemoteClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """None: it is no process of this machine that we know of."""
        return None

    @property
    def ready(self) -> protocol.Ready | None:
        return protocol.Ready(
            request_id=0, protocol_version=protocol.PROTOCOL_VERSION, program_version="", pid=0,
            engine=f"{self.kind.title} at {self.url}",
        )

    def models(self) -> list[str]:
        """The models that the server offers."""
        return list(self._offered())

    def _offered(self) -> dict[str, int]:
        """The models and their contexts in tokens, as far as the server tells."""
        data = self._get_json("/v1/models").get("data")
        items = [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []
        return {item["id"]: _context(item) for item in items if isinstance(item.get("id"), str)}

    def load(self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress) -> protocol.Loaded:
        """Choose a model: by a ``remote_path``, or the first that is offered. Nothing is loaded by it."""
        wanted = split_path(path)[2] if path.startswith(REMOTE) else self.model
        offered = self._offered()
        if wanted and offered and wanted not in offered:
            raise SlipstreamError(
                Code.MODEL_NOT_FOUND, f"The server does not offer the model “{wanted[:80]}”.",
                f"It offers: {', '.join(list(offered)[:8])}.",
            )
        self.model = wanted or next(iter(offered), "")
        if not self.model:
            raise SlipstreamError(Code.NO_MODEL_LOADED, "The server offers no model.", "Load one there.")
        facts = ModelFacts(
            path=remote_path(self.kind.name, self.url, self.model), name=self.model, architecture="", parameters=0,
            size_bytes=0, description=f"{self.kind.title} at {self.url}", vocab_size=0, has_chat_template=True,
            ctx_tokens=offered.get(self.model, UNKNOWN_CTX_TOKENS), ctx_train_tokens=0,
        )
        return protocol.Loaded(request_id=0, facts=facts, memory=MemoryFigures(), load_s=0.0)

    def load_draft(
        self, path: str, settings: LoadSettings, on_progress: EventSink = ignore_progress
    ) -> protocol.Loaded:
        raise _not_there("A draft is chosen where the server is started.")

    def unload_draft(self) -> None:
        """There is none of ours."""

    def generate(self, request: protocol.Generate, on_progress: EventSink = ignore_progress) -> protocol.Done:
        with self._turn:
            self._stopped.clear()
            counters = self._counters()
            answer = self._stream(request, on_progress)
            return self._done(request, answer, counters)

    def score(self, request: protocol.Score, on_progress: EventSink = ignore_progress) -> protocol.Scores:
        raise _not_there("The server does not tell what it thinks of given tokens.")

    def measure_exactness(self, on_progress: EventSink = ignore_progress) -> protocol.Exactness:
        raise _not_there("The server does not tell how its passes round.")

    def tokenize(self, text: str, add_special: bool = False) -> list[int]:
        raise _not_there("The server does not tell tokens.")

    def devices(self) -> list[protocol.Device]:
        return []

    def stop(self) -> None:
        self._stopped.set()
        response = self._response
        if response is not None:
            # Ends the read of the thread that waits; the server hears that nobody listens any more.
            _shut(response)

    def kill(self) -> None:
        self.stop()

    def close(self) -> None:
        self.stop()
        self._http.close()

    def _stream(self, request: protocol.Generate, on_progress: EventSink) -> StreamedAnswer:
        answer = StreamedAnswer(time.perf_counter())
        path = "/v1/completions" if request.raw else "/v1/chat/completions"
        with _in_words(self.url, self._stopped), self._http.stream("POST", path, json=self._body(request)) as response:
            self._response = response
            try:
                if response.status_code != 200:
                    response.read()
                    raise _refused(response, self.url)
                for line in _lines(response, self._stopped):
                    chunk = answer.push(line)
                    if chunk is not None:
                        on_progress(chunk)
                    if answer.is_over:
                        break
            finally:
                self._response = None
        if self._stopped.is_set():
            answer.reason = "aborted"
        return answer

    def _body(self, request: protocol.Generate) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model, "stream": True, "stream_options": {"include_usage": True},
            "max_tokens": request.max_tokens, **self._sampling_fields(request.sampling),
        }
        if request.stop:
            body["stop"] = request.stop
        if self.kind.name == "slipstream":
            body["speculation"] = request.method
        body |= self.kind.extra | self.kind.switches.get("off" if request.method == "off" else "auto", {})
        if request.raw:
            return body | {"prompt": request.prompt}
        messages: Sequence[Message] = request.messages or [Message(role="user", content=request.prompt)]
        return body | {"messages": [{"role": message.role, "content": message.content} for message in messages]}

    def _sampling_fields(self, sampling: Sampling) -> dict[str, Any]:
        """Those that this kind of server knows, by the names that it has for them."""
        is_llama = self.kind.name in ("llama-server", "slipstream")
        fields: dict[str, Any] = {}
        for row in settings_of("sampling"):
            value = getattr(sampling, row.key)
            is_known = row.is_openai or self.kind.name != "openai"
            if value is not None and is_known and not (row.api_if_changed and value == row.default):
                fields[row.api[0 if is_llama else -1]] = value
        if fields.get("top_k") == 0 and not is_llama:
            fields["top_k"] = -1  # what means off there
        return fields

    def _counters(self) -> dict[str, float] | None:
        """The server's counters now; None where it has none or does not show them."""
        if self.kind.counters is None:
            return None
        try:
            response = self._http.get("/metrics", timeout=5.0)
        except httpx2.HTTPError:
            return None
        return read_counters(response.text) if response.status_code == 200 else None

    def _done(
        self, request: protocol.Generate, answer: StreamedAnswer, counters: dict[str, float] | None
    ) -> protocol.Done:
        told = read_figures(answer.fields, request.method)
        if told is None and counters is not None:
            after = self._counters()
            told = figures_between(counters, after, self.kind, request.method) if after is not None else None
        if told is None:
            words = "The server tells no figures of speculative decoding."
            told = SpeculationFigures(method=request.method, sentence=f"{words} {self.kind.hint}".strip())
        elif request.method == "off" and told.num_draft_tokens:
            words = "The server drafted although it was asked not to: this is chosen where it is started."
            told = msgspec.structs.replace(told, sentence=words)
        return protocol.Done(
            request_id=0, reason=answer.reason, text=answer.text, token_ids=answer.token_ids,
            prompt_tokens=answer.prompt_tokens, cached_tokens=answer.cached_tokens, timings=self._timings(answer),
            speculation=told, memory=MemoryFigures(),
        )

    def _timings(self, answer: StreamedAnswer) -> Timings:
        """The server's own where it tells them, else what was seen from here."""
        given = answer.fields.get("timings")
        if isinstance(given, dict) and all(isinstance(given.get(key), int | float) for key in (
                "prompt_ms", "predicted_ms", "predicted_per_second")):
            return Timings(
                prefill_s=given["prompt_ms"] / 1000, decode_s=given["predicted_ms"] / 1000,
                time_to_first_token_s=answer.first_s, tokens_per_second=given["predicted_per_second"],
                prefill_tokens_per_second=float(given.get("prompt_per_second") or 0.0),
            )
        return answer.seen_timings()

    def _get_json(self, path: str) -> dict[str, Any]:
        with _in_words(self.url, threading.Event()):
            response = self._http.get(path, timeout=30.0)
            if response.status_code != 200:
                raise _refused(response, self.url)
            try:
                value = response.json()
            except ValueError as error:
                raise _strange(self.url) from error
        if not isinstance(value, dict):
            raise _strange(self.url)
        return value


def _context(item: dict[str, Any]) -> int:
    """vLLM and SGLang say ``max_model_len``, llama-server and Slipstream ``meta.n_ctx`` or ``n_ctx_train``."""
    meta = item.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    told = (item.get("max_model_len"), meta.get("n_ctx"), meta.get("n_ctx_train"))
    return next((value for value in told if isinstance(value, int) and value > 0), UNKNOWN_CTX_TOKENS)


def _lines(response: httpx2.Response, stopped: threading.Event) -> Iterator[str]:
    """The data of a stream of server-sent events."""
    for line in response.iter_lines():
        if stopped.is_set():
            return
        if len(line) > _MOST_LINE:
            raise _strange(str(response.url))
        if line.startswith("data:"):
            yield line[5:].strip()


def _shut(response: httpx2.Response) -> None:
    """Close the connection under a thread that reads from it."""
    stream = response.extensions.get("network_stream")
    raw = stream.get_extra_info("socket") if stream is not None else None
    if raw is not None:
        with contextlib.suppress(OSError):
            raw.shutdown(2)


@contextlib.contextmanager
def _in_words(url: str, stopped: threading.Event) -> Iterator[None]:
    """Network failures as a person can read them; none after a stop, which makes them."""
    try:
        yield
    except httpx2.HTTPError as error:
        if stopped.is_set():
            return
        raise _network(url, error) from error
    except (OSError, RuntimeError) as error:
        if stopped.is_set():
            return
        raise _network(url, error) from error


def _network(url: str, error: Exception) -> SlipstreamError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(cause):
            return SlipstreamError(
                Code.NETWORK, f"The server at {url} has no certificate that is trusted here.",
                "Check the address; a certificate of your own can be added to the system's store.",
            )
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return SlipstreamError(
            Code.NETWORK, f"The server at {url} cannot be reached.", "Check that it runs, and the address and port."
        )
    if isinstance(error, httpx2.TimeoutException):
        return SlipstreamError(Code.NETWORK, f"The server at {url} did not answer in time.", "Try again later.")
    return SlipstreamError(Code.NETWORK, f"The connection to the server at {url} broke off.", "Try again.")


def _refused(response: httpx2.Response, url: str) -> SlipstreamError:
    words = _error_words(response.text)
    if response.status_code in (401, 403):
        return SlipstreamError(
            Code.NETWORK, f"The server at {url} refused the key{words}.", "Give the key that it was started with."
        )
    if response.status_code == 404:
        return SlipstreamError(
            Code.NETWORK, f"At {url} there is no OpenAI-compatible server, or not this model{words}.",
            "Check the address and the model.",
        )
    if response.status_code in (429, 503):
        return SlipstreamError(Code.BUSY, f"The server at {url} is busy{words}.", "Try again in a moment.")
    return SlipstreamError(
        Code.NETWORK, f"The server at {url} refused with status {response.status_code}{words}.",
        "The server's own log says more.",
    )


def _error_words(text: str) -> str:
    """The server's own sentence, short and printable."""
    try:
        value = json.loads(text[:100_000])
    except ValueError:
        return ""
    if isinstance(value, dict):
        error = value.get("error", value)
        words = error.get("message", "") if isinstance(error, dict) else error
        if isinstance(words, str) and words.strip():
            clean = "".join(c for c in " ".join(words.split()) if c.isprintable())[:200]
            return f": “{clean.rstrip('.')}”"
    return ""


def _strange(url: str) -> SlipstreamError:
    return SlipstreamError(
        Code.PROTOCOL, f"What answers at {url} does not speak OpenAI's protocol.", "Check the address and the port."
    )


def _not_there(words: str) -> SlipstreamError:
    return SlipstreamError(Code.SETTINGS_INVALID, words, "Use a model on this computer for that.")


def _is_here(url: str) -> bool:
    """Whether no proxy can stand between."""
    return httpx2.URL(url).host in ("localhost", "127.0.0.1", "::1")
