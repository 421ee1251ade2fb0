"""Servers elsewhere: how each kind is asked, and where its figures are. Field names and the documents they are from:

- llama-server: ``timings`` (llama.cpp, tools/server/README.md); versions since 2026 take no word on speculation with a
  request, earlier ones ``speculative.n_max``
- vLLM: ``metrics.speculative_decoding`` with ``--per-request-spec-decode-metrics summary`` (vLLM documentation,
  features/speculative_decoding/acceptance_metrics), ``metrics`` with ``--enable-per-request-metrics``, and the counters
  ``vllm:spec_decode_*`` of ``/metrics``
- SGLang: ``sglext.spec_tokens_details`` for requests with ``return_spec_tokens_details`` (SGLang,
  python/sglang/srt/entrypoints/openai/protocol.py)
- TensorRT-LLM: ``choices[].avg_decoded_tokens_per_iter`` (TensorRT-LLM, tensorrt_llm/serve/openai_protocol.py)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.records import SpeculationFigures
from app.sentences import say


@dataclass(frozen=True)
class RemoteKind:
    """``port`` is the engine's own default; ``extra`` goes into every request. ``switches``: what a request says to be
    answered without, and with, speculation, where the engine can be told."""

    name: str
    title: str
    port: int
    extra: dict[str, Any] = field(default_factory=dict)
    switches: dict[str, dict[str, Any]] = field(default_factory=dict)
    counters: tuple[str, str, str] | None = None
    """In ``/metrics``: verify passes, drafted tokens, accepted tokens since the server's start."""
    hint: str = ""
    """How to have it tell its figures."""


KINDS: dict[str, RemoteKind] = {
    kind.name: kind for kind in (
        RemoteKind("openai", "OpenAI-compatible", 8000),
        RemoteKind("slipstream", "Slipstream", 8080),
        RemoteKind(
            "llama-server", "llama-server", 8080, extra={"timings_per_token": True},
            switches={"off": {"speculative.n_max": 0, "speculative.n_min": 0}, "auto": {}},
        ),
        RemoteKind(
            "vllm", "vLLM", 8000,
            counters=("vllm:spec_decode_num_drafts", "vllm:spec_decode_num_draft_tokens",
                      "vllm:spec_decode_num_accepted_tokens"),
            hint=say("Start it with --per-request-spec-decode-metrics summary to see figures for each answer."),
        ),
        RemoteKind("sglang", "SGLang", 30000, extra={"return_spec_tokens_details": True}),
        RemoteKind("tensorrt-llm", "TensorRT-LLM", 8000),
    )
}


def read_figures(answer: dict[str, Any], method: str) -> SpeculationFigures | None:
    """What ``answer`` (a whole one, or the last parts of a stream laid over each other) tells of speculation, in our
    terms; None where it tells nothing."""
    for read in (_of_vllm, _of_sglang, _of_tensorrt, _of_timings):
        figures = read(answer, method)
        if figures is not None:
            return figures
    return None


def _of_vllm(answer: dict[str, Any], method: str) -> SpeculationFigures | None:
    given = _at(answer, "metrics", "speculative_decoding")
    if given is None:
        return None
    steps, drafted, accepted = (_count(given.get(key)) for key in (
        "num_spec_steps", "num_draft_tokens", "num_accepted_draft_tokens"))
    return _figures(method, steps, drafted, accepted, _counts(given.get("acceptance_histogram")))


def _of_sglang(answer: dict[str, Any], method: str) -> SpeculationFigures | None:
    given = _at(answer, "sglext", "spec_tokens_details") or _at(answer, "meta_info")
    if given is None or "spec_verify_ct" not in given:
        return None
    steps = _count(given["spec_verify_ct"])
    drafted = _count(given.get("spec_num_proposed_drafts", given.get("spec_draft_token_num")))
    accepted = _count(given.get("spec_num_correct_drafts", given.get("spec_accept_token_num")))
    histogram = _counts(given.get("spec_correct_drafts_histogram", given.get("spec_accept_histogram")))
    return _figures(method, steps, drafted, accepted, histogram)


def _of_tensorrt(answer: dict[str, Any], method: str) -> SpeculationFigures | None:
    """Its one figure is tokens per pass: passes and accepted tokens follow, how many were drafted does not."""
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    length = choice.get("avg_decoded_tokens_per_iter")
    written = _count((_at(answer, "usage") or {}).get("completion_tokens"))
    if not isinstance(length, int | float) or not 1.0 <= length <= 1000 or not written:
        return None
    steps = max(1, round(written / length))
    return SpeculationFigures(
        method=method, steps=steps, num_accepted_draft_tokens=written - steps, mean_acceptance_length=float(length),
        sentence=say("The server tells tokens per pass alone, not how many were drafted."),
    )


def _of_timings(answer: dict[str, Any], method: str) -> SpeculationFigures | None:
    """llama-server counts tokens and no passes. Without a draft it leaves the counts out."""
    given = _at(answer, "timings")
    if given is None or "draft_n" not in given:
        return None
    drafted, accepted = _count(given["draft_n"]), _count(given.get("draft_n_accepted"))
    # every pass writes its accepted tokens and one more
    steps = max(0, _count(given.get("predicted_n")) - accepted)
    return _figures(method, steps, drafted, accepted, [])


def _figures(
    method: str, steps: int, drafted: int, accepted: int, histogram: list[int]
) -> SpeculationFigures:
    return SpeculationFigures(
        method=method, steps=steps, num_draft_tokens=drafted, num_accepted_draft_tokens=accepted,
        draft_acceptance_rate=accepted / drafted if drafted else 0.0,
        mean_acceptance_length=1.0 + accepted / steps if steps else 1.0, acceptance_histogram=histogram,
    )


def figures_between(before: dict[str, float], after: dict[str, float], kind: RemoteKind, method: str
                    ) -> SpeculationFigures | None:
    """From the counters of ``/metrics`` around one answer; right as long as nobody else asks meanwhile."""
    if kind.counters is None:
        return None
    growth = [_growth(before, after, name) for name in kind.counters]
    if None in growth:
        return None
    steps, drafted, accepted = (int(value or 0) for value in growth)
    return _figures(method, steps, drafted, accepted, [])


def read_counters(text: str) -> dict[str, float]:
    """The samples of a Prometheus text, summed over labels, without the ending ``_total``."""
    sums: dict[str, float] = {}
    for line in text.splitlines()[:20_000]:
        if line.startswith("#") or " " not in line:
            continue
        name, _, value = line.rpartition(" ")
        name = name.partition("{")[0].strip().removesuffix("_total")
        try:
            sums[name] = sums.get(name, 0.0) + float(value)
        except ValueError:
            continue
    return sums


def _growth(before: dict[str, float], after: dict[str, float], name: str) -> float | None:
    return after[name] - before.get(name, 0.0) if name in after else None


def _at(value: dict[str, Any], *keys: str) -> dict[str, Any] | None:
    for key in keys:
        inner = value.get(key)
        if not isinstance(inner, dict):
            return None
        value = inner
    return value


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**53 else 0


def _counts(value: object) -> list[int]:
    return [_count(item) for item in value[:256]] if isinstance(value, list) else []
