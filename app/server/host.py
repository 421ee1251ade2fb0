"""The one engine of the server: a thread that serves the queue, and loads again what a crash took."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from app import protocol
from app.client.interface import EngineClient
from app.client.worker_exit import fail
from app.errors import Code, SlipstreamError
from app.records import ModelFacts
from app.sentences import say
from app.server.access import Limits
from app.server.governor import Governor
from app.server.metrics import Metrics
from app.server.queue import Client, FairQueue, QueueFullError
from app.server.refusal import RefusedError

Sink = Callable[[protocol.AnyEvent], None]
"""Receives the events of a job from the engine's thread, its ending last."""
Loader = Callable[[], ModelFacts]
"""Has the models loaded, if they are not, and says what the target is. Raises ``SlipstreamError``."""
_RETRY_LOAD_S = 5.0
_log = logging.getLogger("slipstream.server")


@dataclass(eq=False)
class Job:
    """One answer that is wanted. ``chooses_method``: the client named the method itself."""

    client: Client
    request: protocol.Generate
    sink: Sink
    chooses_method: bool = False
    cancelled_at: float | None = None


class EngineHost:
    """Serves jobs one after the other. ``submit`` and ``cancel`` never block."""

    def __init__(
        self, client: EngineClient, load: Loader, method: str, limits: Limits, metrics: Metrics | None = None,
        asks_always: bool = False, method_now: Callable[[], str] = lambda: "", target: str = "",
    ) -> None:
        """``asks_always``: what is loaded can change without us, so ``load`` is asked before every answer, and
        ``method_now`` says after it how to speculate ("" for as before). ``target``: path or name of what will be
        loaded, where it is known before."""
        self._asks_always = asks_always
        self._method_now = method_now
        self._client = client
        self._load = load
        self._target = target
        self._queue: FairQueue[Job] = FairQueue(limits.queue, limits.queue_per_client)
        self.governor = Governor(method)
        self.metrics = metrics or Metrics()
        self.metrics.gauges = {
            "requests_processing": lambda: float(self._running is not None),
            "requests_deferred": lambda: float(len(self._queue)),
        }
        self.metrics.rates = self.governor.rates
        self._lock = threading.Lock()
        self._running: Job | None = None
        self._facts: ModelFacts | None = None
        self._trouble: SlipstreamError | None = None
        self._tried_at = 0.0
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="server-engine")

    @property
    def facts(self) -> ModelFacts | None:
        """The target while it is loaded."""
        return self._facts

    @property
    def target(self) -> str:
        """Path or name of the target, also while it is being loaded; "" where that is not known."""
        return self._facts.path if self._facts is not None else self._target

    @property
    def trouble(self) -> SlipstreamError | None:
        """Why nothing is loaded, if loading failed."""
        return self._trouble

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @property
    def is_busy(self) -> bool:
        return self._running is not None

    def start(self) -> None:
        """Begin loading; jobs wait for it."""
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Raises ``RefusedError``: 429 when the queue is full."""
        try:
            self._queue.put(job.client, job)
        except QueueFullError as full:
            whose = "You have too many requests waiting" if full.mine else "Too many requests are waiting"
            raise RefusedError(429, f"{whose}. Try again in a moment.", Code.BUSY, retry_after_s=5) from None

    def cancel(self, job: Job) -> None:
        """The client is gone: end the job, wherever it is. Its sink hears no more."""
        job.cancelled_at = time.monotonic()
        if self._queue.remove(job):
            self.metrics.count_cancel(0.0)
            return
        with self._lock:
            if self._running is job:
                self._client.stop()

    def close_queue(self) -> None:
        """Take nothing more, end what runs, and tell those who wait. Does not block."""
        self._closing = True
        self._queue.close()
        with self._lock:
            self._client.stop()

    def close(self) -> None:
        """The same, and wait for the thread; the engine itself is the caller's."""
        self.close_queue()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        self._have_model()
        while (job := self._queue.take()) is not None:
            if job.cancelled_at is None:
                self._serve(job)
            with self._lock:
                self._running = None
            if job.cancelled_at is not None:
                self.metrics.count_cancel(time.monotonic() - job.cancelled_at)
        for job in self._queue.drain():
            self._tell(job, fail(0, Code.ABORTED, "The server is being closed.", "Start it again."))

    def _have_model(self) -> bool:
        self._tried_at = time.monotonic()
        try:
            self._facts, self._trouble = self._load(), None
        except SlipstreamError as error:
            self._facts, self._trouble = None, error
            _log.warning("loading failed: %s", error.code)
        return self._facts is not None

    def _serve(self, job: Job) -> None:
        with self._lock:
            self._running = job
        if self._closing:
            return
        if self._asks_always or (self._facts is None and not self._recently_failed()):
            self._have_model()
        if self._facts is None:
            error = self._trouble or SlipstreamError(Code.NO_MODEL_LOADED, say("No model is loaded."))
            self._tell(job, fail(0, error.code, error.message, error.hint))
            return
        self.governor.configure(self._method_now() or self.governor.configured)
        request = job.request
        if not job.chooses_method:
            request = msgspec.structs.replace(request, method=self.governor.choose(len(self._queue)))
        self._generate(job, request)

    def _recently_failed(self) -> bool:
        return self._trouble is not None and time.monotonic() < self._tried_at + _RETRY_LOAD_S

    def _generate(self, job: Job, request: protocol.Generate) -> None:
        def pass_on(event: protocol.AnyEvent) -> None:
            if job.cancelled_at is None:
                job.sink(event)
            else:
                self._client.stop()  # it may have gone before there was anything to stop

        started = time.monotonic()
        try:
            done = self._client.generate(request, pass_on)
        except SlipstreamError as error:
            self._tell(job, fail(0, error.code, error.message, error.hint))
            if error.code in (Code.WORKER_DIED, Code.WORKER_HUNG, Code.WORKER_START_FAILED, Code.NO_MODEL_LOADED):
                self._facts = None
                if not self._closing and error.code != Code.NO_MODEL_LOADED:
                    self.metrics.count_restart()
                    self._have_model()
            return
        self.governor.observe(request.method, done, time.monotonic() - started)
        self.metrics.count_answer(done)
        self._tell(job, done)

    def _tell(self, job: Job, event: protocol.AnyEvent) -> None:
        if job.cancelled_at is None:
            job.sink(event)
