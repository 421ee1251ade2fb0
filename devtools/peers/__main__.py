"""``python -m devtools.peers --peer llama-server|llama-cpp-python --model T [--draft D] …``: ``dev.py bench --peer``.

Results go as a section into ``docs/benchmarks.md`` and as JSON beside the kept answers in the cache folder, from which
a broken-off contest goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from contextlib import ExitStack
from pathlib import Path

import msgspec
import psutil

from app.client.process import ProcessClient
from app.compare.machine import describe_machine
from app.compare.plan import choose_prompts, parse_prompts
from app.compare.results_page import put_section
from app.compare.trial import file_facts
from app.errors import SlipstreamError
from app.paths import cache_dir, prompts_file
from app.records import LoadSettings
from devtools.bench import code_digest
from devtools.console import complain, say
from devtools.peers import llama_server, report
from devtools.peers.contest import Contestant, Trial, TrialLog, run_contest
from devtools.peers.contestants import LlamaServer, OurEngine, PromptLookup, start_all

ROOT = Path(__file__).resolve().parents[2]
FIXED = {
    "draft of 3": ("draft:max=3", ("--spec-draft-n-max", "3")),
    "draft of 8, p_min 0.6": ("draft:max=8,p_min=0.6", ("--spec-draft-n-max", "8", "--spec-draft-p-min", "0.6")),
}
"""llama-server's settings, ours that are the same, and the options that say it."""
LOOKUPS = (2, 10)
"""Guesses: what its documentation advises for processors, and its default."""
FREE_METHODS = ("ngram-simple", "auto")


def main() -> int:
    args = _parser().parse_args()
    try:
        return _run(args)
    except SlipstreamError as error:
        complain(error.message)
        complain(error.hint)
        return 1
    except KeyboardInterrupt:
        complain("\nStopped. Finished answers are kept, and the next start goes on from them.")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py bench", description="Our engine against another program.")
    parser.add_argument("--peer", required=True, choices=("llama-server", "llama-cpp-python"))
    parser.add_argument("--model", required=True, type=Path)
    parser.add_argument("--draft", type=Path, help="needed against llama-server, unused against llama-cpp-python")
    parser.add_argument("--prompts", type=Path, default=prompts_file())
    parser.add_argument("--kinds", nargs="+")
    parser.add_argument("--limit", type=int, default=2, help="prompts of each kind (default 2)")
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--ctx", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=0, help="0 takes the physical cores")
    parser.add_argument("--engine", choices=("llama", "ik", "auto"), default="llama",
                        help="of our side; with another than llama, which is the server's own, only “auto” is measured")
    parser.add_argument("--flash-attn", choices=("on", "off", "auto"), default="auto")
    parser.add_argument("--markdown", type=Path, default=ROOT / "docs" / "benchmarks.md")
    parser.add_argument("--json", type=Path)
    return parser


def _run(args: argparse.Namespace) -> int:
    text = args.prompts.read_text(encoding="utf-8")
    prompts = choose_prompts(parse_prompts(text, str(args.prompts)), args.kinds, args.limit)
    models = [args.model, *([args.draft] if args.draft and args.peer == "llama-server" else [])]
    files = [file_facts(str(path)) for path in models]
    threads = args.threads or psutil.cpu_count(logical=False) or 1
    settings = LoadSettings(ctx_tokens=args.ctx, threads=threads, flash_attn=args.flash_attn, engine=args.engine)
    folder = cache_dir() / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{args.peer}-{'+'.join(path.stem for path in models)}{_engine_suffix(args.engine)}"
    conditions = [msgspec.json.encode(settings).decode(), *(msgspec.json.encode(file).decode() for file in files)]
    with ExitStack() as stack:
        ours = OurEngine(stack.enter_context(ProcessClient()), *_pair(models), settings, code_digest(ROOT))
        if args.peer == "llama-server":
            contestants = _against_server(stack, args, ours, settings, folder)
        else:
            contestants = _against_lookup(stack, args, ours, settings, folder)
        tokens = [ours.tokenize(prompt) for prompt in prompts]
        log = TrialLog(folder / f"{name}.trials.jsonl")
        trials = run_contest(contestants, tokens, args.runs, args.max_tokens, conditions, log, say)
    result = report.ContestReport(
        peer=args.peer, engine=args.engine, machine=describe_machine(ours.engine), files=files, rounds=args.runs,
        versions={**{each.name.partition(" ")[0]: each.version for each in contestants}, "Slipstream": ours.label},
        prompt_file=args.prompts.name, prompt_sha256=hashlib.sha256(text.encode()).hexdigest(),
        max_tokens=args.max_tokens, speeds=report.speeds_of(trials), accepted=report.accepted_of(trials),
        matches=_matches(args, trials), trials=trials,
    )
    markdown = report.as_markdown(result)
    say("\n" + markdown)
    (args.json or folder / f"{name}.json").write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))
    page = args.markdown.read_text(encoding="utf-8") if args.markdown.exists() else ""
    args.markdown.write_text(put_section(page, report.title_of(result), markdown), encoding="utf-8")
    return 0


def _engine_suffix(engine: str) -> str:
    return "" if engine == "llama" else f"-{engine}"


def _pair(models: list[Path]) -> tuple[str, str | None]:
    paths = [str(path.expanduser().absolute()) for path in models]
    return paths[0], paths[1] if len(paths) > 1 else None


def _against_server(
    stack: ExitStack, args: argparse.Namespace, ours: OurEngine, settings: LoadSettings, folder: Path
) -> list[Contestant]:
    if args.draft is None:
        _parser().error("--peer llama-server needs a --draft")
    program = llama_server.binary()
    target, draft = _pair([args.model, args.draft])
    servers = [LlamaServer(program, "plain", target, settings, settings.threads, folder / "llama-server-plain.log")]
    stack.enter_context(servers[0])
    for number, (words, (_, options)) in enumerate(FIXED.items()):
        log = folder / f"llama-server-draft-{number}.log"
        server = LlamaServer(program, words, target, settings, settings.threads, log, draft, options)
        servers.append(stack.enter_context(server))
    start_all(servers, say)
    methods = ("off", *(method for method, _ in FIXED.values()), "auto") if args.engine == "llama" else ("auto",)
    return [*(ours.contestant(method) for method in methods), *servers]


def _against_lookup(
    stack: ExitStack, args: argparse.Namespace, ours: OurEngine, settings: LoadSettings, folder: Path
) -> list[Contestant]:
    target, _ = _pair([args.model])
    lookups = [
        stack.enter_context(PromptLookup(target, settings, settings.threads, guesses, folder / f"lookup-{guesses}.log"))
        for guesses in LOOKUPS
    ]
    start_all(lookups, say)
    return [*(ours.contestant(method) for method in FREE_METHODS), *lookups]


def _matches(args: argparse.Namespace, trials: list[Trial]) -> list[report.Match]:
    if args.peer == "llama-cpp-python":
        theirs = [f"llama-cpp-python lookup of {guesses}" for guesses in LOOKUPS]
        best = report.best_of(trials, theirs)
        return [report.make_match(trials, f"Slipstream {method}", best) for method in FREE_METHODS]
    pairs = []
    if args.engine == "llama":
        pairs.append(("Slipstream off", "llama-server plain"))
        pairs += [(f"Slipstream {method}", f"llama-server {words}") for words, (method, _) in FIXED.items()]
    everything = ["llama-server plain", *(f"llama-server {words}" for words in FIXED)]
    pairs.append(("Slipstream auto", report.best_of(trials, everything)))
    return [report.make_match(trials, ours, theirs) for ours, theirs in pairs]


if __name__ == "__main__":
    sys.exit(main())
