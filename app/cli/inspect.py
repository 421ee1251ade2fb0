"""The verb ``inspect``: what is in a model file, what it costs, and which files may draft for which."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec

from app import protocol
from app.cli.interruption import Interruption
from app.cli.options import add_settings
from app.client.process import ProcessClient
from app.errors import Code, SlipstreamError
from app.installed import TITLES, Proof, installed_engines, known_proofs
from app.models.facts import ModelFile
from app.models.header_cache import HeaderCache
from app.models.host import free_memory
from app.models.library import LibraryEntry, ModelLibrary, require_file
from app.models.memory import (
    CacheSettings,
    MemoryEstimate,
    PairEstimate,
    estimate_model,
    estimate_pair,
    format_bytes,
    judge_memory,
)
from app.models.pairing import PairVerdict, check_pair
from app.records import LoadSettings
from app.safe_text import neutralise
from app.settings.table import setting

LEAST_MEASURED_CTX = 1024
"""Room for the positions at which exactness is measured."""


class PairReport(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of ``pairs`` in the JSON report."""

    target: str
    draft: str
    compatible: bool
    reason: str
    memory: PairEstimate


@dataclass(frozen=True)
class Inspection:
    """A file that could be read, with its estimate at the asked context; ``trouble`` when it cannot be loaded."""

    path: str
    facts: ModelFile
    memory: MemoryEstimate
    trouble: str


def add_inspect_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="GGUF files; the first part of split ones")
    parser.add_argument("--draft", type=Path, metavar="D", help="judge only this file as a draft for the others")
    group = parser.add_argument_group("how it would be loaded, for the figures of memory and --exactness")
    add_settings(group, map(setting, ("ctx_tokens", "cache_type_k", "cache_type_v", "flash_attn", "threads")))
    parser.add_argument("--exactness", action="store_true",
                        help="load each file and measure whether drafting can change a token in this configuration")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_inspect(args: argparse.Namespace) -> int:
    """Print the report; 0 when every file could be read, else 1 after a line for each failure on stderr."""
    settings = CacheSettings(ctx_tokens=args.ctx_tokens, cache_type_k=args.cache_type_k, cache_type_v=args.cache_type_v)
    cache = HeaderCache(None)
    library = ModelLibrary([], cache)
    wanted = list(dict.fromkeys([*args.files, *([args.draft] if args.draft else [])]))
    inspections: list[Inspection] = []
    failures: list[str] = []
    for path in wanted:
        try:
            inspections.append(_inspect_file(library, path, settings))
        except SlipstreamError as error:
            failures.append(str(error))
    pairs = _judge_pairs(inspections, str(args.draft) if args.draft else None, cache)
    exactness = _measure_exactness(inspections, args, failures) if args.exactness else {}
    if args.json:
        _write(_to_json(inspections, pairs, exactness))
    else:
        files = [_describe_file(one, exactness.get(one.path)) for one in inspections]
        _write(neutralise("\n\n".join([*files, *_describe_pairs(pairs), *_describe_engines()])))
    for failure in failures:
        sys.stderr.write(f"slipstream: {neutralise(failure)}\n")
    return 1 if failures else 0


def _measure_exactness(
    inspections: list[Inspection], args: argparse.Namespace, failures: list[str]
) -> dict[str, protocol.Exactness]:
    """By path, for the files that can be loaded; what cannot be measured goes to ``failures``."""
    settings = LoadSettings(
        ctx_tokens=max(args.ctx_tokens, LEAST_MEASURED_CTX), threads=args.threads, cache_type_k=args.cache_type_k,
        cache_type_v=args.cache_type_v, flash_attn=args.flash_attn,
    )
    found = {}
    with ProcessClient() as client, Interruption(client.stop, client.kill):
        for one in inspections:
            try:
                client.load(str(Path(one.path).expanduser().absolute()), settings)
                found[one.path] = client.measure_exactness()
            except SlipstreamError as error:
                failures.append(f"{Path(one.path).name}: {error}")
    return found


def _inspect_file(library: ModelLibrary, path: Path, settings: CacheSettings) -> Inspection:
    require_file(path)
    entry: LibraryEntry = library.read_entry(path)
    if entry.facts is None:
        raise SlipstreamError(Code.MODEL_UNREADABLE, entry.trouble, "Download it again, or choose another file.")
    return Inspection(str(path), entry.facts, estimate_model(entry.facts, settings), entry.trouble or entry.note)


def _judge_pairs(inspections: list[Inspection], draft: str | None, cache: HeaderCache) -> list[PairReport]:
    """Every ordered pair, or every target with the one given draft; a model is no draft for a smaller one."""
    reports: list[PairReport] = []
    for target, drafter in permutations(inspections, 2):
        if draft is not None and (drafter.path != draft or target.path == draft):
            continue
        verdict = _judge_pair(target, drafter, cache)
        reports.append(PairReport(
            target=target.path, draft=drafter.path, compatible=verdict.compatible, reason=verdict.reason,
            memory=estimate_pair(target.memory, drafter.memory),
        ))
    return reports


def _judge_pair(target: Inspection, draft: Inspection, cache: HeaderCache) -> PairVerdict:
    for role, one in (("target", target), ("draft", draft)):
        if one.trouble:
            return PairVerdict(False, f"The {role} cannot be used: {one.trouble}")
    try:
        return check_pair(cache.vocabulary(Path(target.path)), cache.vocabulary(Path(draft.path)))
    except SlipstreamError as error:
        return PairVerdict(False, error.message)


def _to_json(
    inspections: list[Inspection], pairs: list[PairReport], exactness: Mapping[str, protocol.Exactness]
) -> str:
    files: list[dict[str, Any]] = []
    for one in inspections:
        facts = msgspec.to_builtins(one.facts)
        facts["path"] = one.path
        file = {**facts, "trouble": one.trouble, "memory": msgspec.to_builtins(one.memory)}
        if measured := exactness.get(one.path):
            file["exactness"] = {
                "is_bit_exact": measured.is_bit_exact, "sentence": measured.sentence,
                "noise": msgspec.to_builtins(measured.noise),
            }
        files.append(file)
    report = {
        "files": files, "pairs": [msgspec.to_builtins(pair) for pair in pairs], "engines": _engines_to_json(),
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def _describe_file(one: Inspection, exactness: protocol.Exactness | None = None) -> str:
    facts, memory = one.facts, one.memory
    heads = sorted(set(facts.kv_heads))
    lines = [
        one.path,
        f"  name          {facts.name}",
        f"  architecture  {facts.architecture}, {facts.size_label} ({facts.parameters:,} parameters), "
        f"{facts.layers} layers",
        f"  quantisation  {facts.quantisation}, {facts.bits_per_weight:g} bits a weight, "
        f"{format_bytes(facts.file_bytes)}",
        f"  context       {facts.ctx_train_tokens:,} tokens trained",
        f"  attention     {facts.heads} heads, {'/'.join(map(str, heads))} for keys and values, "
        f"{facts.head_dim_k} and {facts.head_dim_v} elements"
        + (f", sliding window of {facts.sliding_window:,}" if facts.sliding_window else "")
        + (", recurrent" if facts.recurrent else ", partly recurrent" if facts.hybrid else ""),
        f"  vocabulary    {facts.vocab_size:,} tokens, {facts.vocab_type} {facts.vocab_pre}".rstrip(),
        f"  template      {'yes' if facts.has_chat_template else 'none'}",
        f"  memory        {format_bytes(memory.total_bytes)}: weights {format_bytes(memory.weights_bytes)}, cache "
        f"{format_bytes(memory.kv_bytes)}, compute {format_bytes(memory.compute_bytes)}, output "
        f"{format_bytes(memory.output_bytes)}, vocabulary {format_bytes(memory.tokenizer_bytes)}",
    ]
    if exactness is not None:
        lines.append(f"  exactness     {exactness.sentence}")
    if one.trouble:
        lines.append(f"  note          {one.trouble}")
    return "\n".join(lines)


def _describe_pairs(pairs: list[PairReport]) -> list[str]:
    free = free_memory().free_bytes
    described: list[str] = []
    for pair in pairs:
        answer = "may draft for" if pair.compatible else "cannot draft for"
        text = f"{Path(pair.draft).name} {answer} {Path(pair.target).name}\n  {pair.reason}"
        if pair.compatible:
            text += f"\n  Together {format_bytes(pair.memory.total_bytes)} of memory, {format_bytes(free)} are free."
            warning = judge_memory(pair.memory.total_bytes, free)
            text += f"\n  {warning}" if warning else ""
        described.append(text)
    return described


def _describe_engines() -> list[str]:
    """One block, a line for each engine that is installed."""
    proofs = known_proofs()
    lines = [
        f"  {TITLES[name]:<13} {package}: {describe_proof(proofs.get(name))}"
        for name, package in installed_engines().items()
    ]
    return ["\n".join(["engines", *lines])] if lines else []


def _engines_to_json() -> list[dict[str, Any]]:
    """``proof`` is null where the engine was not tried on this processor yet."""
    proofs = known_proofs()
    return [
        {"engine": name, "package": package, "proof": msgspec.to_builtins(proofs[name]) if name in proofs else None}
        for name, package in installed_engines().items()
    ]


def describe_proof(proof: Proof | None) -> str:
    """What an engine's proof says, as the end of a line."""
    if proof is None or proof.unproven:
        return "not tried on this processor yet; that happens at the first load of a model"
    if proof.refused:
        return f"does not run on this processor: {proof.refused}"
    ways = f"; without extra buffers, since with them {proof.before}" if proof.before else ""
    wrong = [f"{found.kind} ({found.trouble}; right up to {found.longest} rows)" for found in proof.unsound]
    flaws = f"; wrong with weights of the types {', '.join(wrong)}" if wrong else ""
    return f"proven on this processor{ways}{flaws}"


def _write(text: str) -> None:
    if text:
        sys.stdout.write(text + "\n")
