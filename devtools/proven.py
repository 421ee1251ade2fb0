"""llama-cpp-python as it runs on this processor: installed, tried, and where it fails installed in the next way.

The ways: built for this processor; built without AMX, where the processor has it; without extra buffers (repacked
weights, AMX), which the program settles by itself; the second engine alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.errors import Code, SlipstreamError
from app.machine.processor import processor_features
from devtools import llama
from devtools.console import complain, say
from devtools.llama import Source, Tools
from devtools.proof import Outcome

Prove = Callable[[], Outcome]
# What GGML_NATIVE would find by itself, and has to be told without it: the option, and the flags that it asks for.
INSTRUCTIONS = {
    "GGML_SSE42": ("sse4_2",), "GGML_AVX": ("avx",), "GGML_AVX2": ("avx2",), "GGML_FMA": ("fma",),
    "GGML_F16C": ("f16c",), "GGML_BMI2": ("bmi2",),
    "GGML_AVX512": ("avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw"),
    "GGML_AVX512_VBMI": ("avx512vbmi",), "GGML_AVX512_VNNI": ("avx512_vnni",), "GGML_AVX512_BF16": ("avx512_bf16",),
}
DAMAGED = "its library"
"""In the words of an engine that failed before anything was tried with it."""


@dataclass(frozen=True)
class Way:
    """A wheel's key and the arguments for CMake that it is built with."""

    key: str
    arguments: str


def without_amx(arguments: str, features: str) -> str | None:
    """Arguments for all that the processor can do but AMX; None where that would change nothing."""
    flags = set(features.split())
    if "amx_tile" not in flags or "GGML_NATIVE" in arguments:
        return None
    chosen = (f"-D{name}={'ON' if flags.issuperset(asked) else 'OFF'}" for name, asked in INSTRUCTIONS.items())
    return " ".join([arguments, "-DGGML_NATIVE=OFF", *chosen]).strip()


def ways(key: str, arguments: str, features: str | None = None) -> list[Way]:
    """How it can be had here, the best first. A ready wheel is had in one way only."""
    found = [Way(key, arguments)]
    features = processor_features() if features is None else features
    other = None if llama.is_index_key(key) else without_amx(arguments, features)
    return found if other is None else [*found, Way(llama.wheel_key(other, features), other)]


def next_way(version: str, key: str, arguments: str) -> Way:
    """The first way that was not proven bad here before; where all were, the first, which is then built anew."""
    found = ways(key, arguments)
    return next((way for way in found if not llama.is_proven_bad(version, way.key)), found[0])


def install_proven(
    tools: Tools, source: Source, key: str, arguments: str, prove: Prove, has_second: Callable[[], bool]
) -> Outcome:
    """Install it in the best way that is proven, and say what was chosen where that is not the first.

    Raises:
        SlipstreamError: it cannot be installed; or it does not run here in any way and there is no second engine.
    """
    first = next_way(source.version, key, arguments)
    outcome = _install(tools, source, first, prove)
    others = [way for way in ways(key, arguments) if way.key != first.key]
    if outcome.rank < 2 and others and not llama.is_proven_bad(source.version, others[0].key):
        outcome = _try_other(tools, source, first, others[0], outcome, prove)
    if outcome.refused:
        _give_up(outcome, has_second())
    elif outcome.unproven:
        complain(f"  llama.cpp could not be tried on this processor: {outcome.unproven}. It is tried at its first use.")
    elif outcome.before:
        say(f"  llama.cpp will run without extra buffers, slower than it could: {outcome.before}.")
    elif outcome.unsound:
        say(f"  llama.cpp runs, but {outcome.reason}; the other engine takes such models, where it is there.")
    return outcome


def _install(tools: Tools, source: Source, way: Way, prove: Prove) -> Outcome:
    """A wheel that was kept and whose library cannot be loaded is damaged: it is built once more."""
    was_built = llama.install(tools, source, way.key, way.arguments)
    outcome = prove()
    if DAMAGED in outcome.refused and not was_built and not llama.is_index_key(way.key):
        complain("  The wheel that was kept is damaged; it is built again.")
        llama.discard_wheel(source.version, way.key)
        llama.install(tools, source, way.key, way.arguments)
        outcome = prove()
    return outcome


def _try_other(
    tools: Tools, source: Source, first: Way, other: Way, before: Outcome, prove: Prove
) -> Outcome:
    """The wheel that turns out worse is marked, so that it is never installed again on this processor."""
    complain(f"  llama.cpp does not run here as it was built: {before.reason}.")
    say("  It is built again without AMX, the processor's instructions for matrices.")
    try:
        outcome = _install(tools, source, other, prove)
    except SlipstreamError as error:
        complain(f"  {error.message}")
        outcome = Outcome(refused="it could not be built without AMX")
    if outcome.rank > before.rank:
        llama.mark_bad(source.version, first.key, before.reason)
        return outcome
    llama.mark_bad(source.version, other.key, outcome.reason)
    llama.install(tools, source, first.key, first.arguments)
    return prove()


def _give_up(outcome: Outcome, has_second: bool) -> None:
    if has_second:
        complain(f"  llama.cpp does not run on this processor ({outcome.refused}), so ik_llama.cpp answers alone.")
        return
    raise SlipstreamError(
        Code.WORKER_START_FAILED, f"llama.cpp does not run on this processor: {outcome.refused}.",
        "Take another compiler (CC and CXX name it) and start again; or leave out --without ik and --wheel-index.",
    )
