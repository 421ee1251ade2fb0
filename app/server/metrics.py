"""What the server counts, in Prometheus' text format. Names after the prefix are those of llama-server and vLLM."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from app.protocol import Done

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_HELP = {
    "prompt_tokens_total": "Prompt tokens processed, without those that were cached.",
    "prompt_seconds_total": "Seconds spent on prompts.",
    "tokens_predicted_total": "Tokens written.",
    "tokens_predicted_seconds_total": "Seconds spent writing.",
    "spec_decode_num_drafts_total": "Verify passes with a draft.",
    "spec_decode_num_draft_tokens_total": "Drafted tokens that were verified.",
    "spec_decode_num_accepted_tokens_total": "Drafted tokens that were accepted.",
    "engine_restarts_total": "Times the engine had to be started again.",
    "cancelled_total": "Requests whose client went away.",
    "cancel_seconds_max": "Longest time from a client's going to the engine's being free.",
    "requests_processing": "Requests the engine works on.",
    "requests_deferred": "Requests that wait.",
}


class Metrics:
    """Safe to use from any thread. ``gauges`` are asked when the text is made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._sums: dict[str, float] = {}
        self._responses: Counter[int] = Counter()
        self.gauges: dict[str, Callable[[], float]] = {}
        self.rates: Callable[[], dict[str, float]] = dict

    def count_response(self, status: int) -> None:
        with self._lock:
            self._responses[status] += 1

    def count_restart(self) -> None:
        with self._lock:
            self._counts["engine_restarts_total"] += 1

    def count_cancel(self, seconds: float) -> None:
        with self._lock:
            self._counts["cancelled_total"] += 1
            self._sums["cancel_seconds_max"] = max(seconds, self._sums.get("cancel_seconds_max", 0.0))

    def count_answer(self, done: Done) -> None:
        speculation, timings = done.speculation, done.timings
        with self._lock:
            self._counts["prompt_tokens_total"] += done.prompt_tokens - done.cached_tokens
            self._counts["tokens_predicted_total"] += len(done.token_ids)
            self._counts["spec_decode_num_drafts_total"] += sum(speculation.acceptance_histogram)
            self._counts["spec_decode_num_draft_tokens_total"] += speculation.num_draft_tokens
            self._counts["spec_decode_num_accepted_tokens_total"] += speculation.num_accepted_draft_tokens
            for name, seconds in (("prompt_seconds_total", timings.prefill_s),
                                  ("tokens_predicted_seconds_total", timings.decode_s)):
                self._sums[name] = self._sums.get(name, 0.0) + seconds

    def as_text(self) -> str:
        with self._lock:
            values: dict[str, float] = dict.fromkeys(_HELP, 0) | dict(self._counts) | self._sums
            responses = sorted(self._responses.items())
        values |= {name: gauge() for name, gauge in self.gauges.items()}
        lines: list[str] = []
        for name, help_ in _HELP.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP slipstream:{name} {help_}", f"# TYPE slipstream:{name} {kind}",
                      f"slipstream:{name} {values[name]:.10g}"]
        lines += ["# HELP slipstream:responses_total Responses by status.", "# TYPE slipstream:responses_total counter"]
        lines += [f'slipstream:responses_total{{status="{status}"}} {count}' for status, count in responses]
        lines += ["# HELP slipstream:load_tokens_per_second Throughput by method, measured while requests queue.",
                  "# TYPE slipstream:load_tokens_per_second gauge"]
        lines += [f'slipstream:load_tokens_per_second{{method="{method}"}} {rate:.6g}'
                  for method, rate in self.rates().items()]
        return "\n".join(lines) + "\n"
