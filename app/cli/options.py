"""Options that several commands of the command line share, and what they become."""

from __future__ import annotations

import argparse
import math
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import msgspec

from app.client.remote_kinds import KINDS
from app.client.remote_paths import check_url, remote_path
from app.errors import Code, SlipstreamError
from app.methods import METHODS, Method, parse_method
from app.records import AUTO_LAYERS, REMOTE, CacheType, EngineChoice, FlashAttention, LoadSettings, Message, Sampling

MOST_THREADS = 1024
MOST_TOKENS = 100_000_000


class UsageError(Exception):
    """The command line contradicts itself or lacks something: exit status 2."""


def whole(low: int, high: int) -> Callable[[str], int]:
    """An argparse type: a whole number from ``low`` to ``high``."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"“{text}” is not a whole number from {low} to {high}")
        return number

    return read


def decimal(low: float, high: float) -> Callable[[str], float]:
    """An argparse type: a number from ``low`` to ``high``."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"“{text}” is not a number from {low:g} to {high:g}")
        return number

    return read


def _layers(text: str) -> int:
    return AUTO_LAYERS if text == "auto" else whole(0, 100_000)(text)


def remote_model(text: str) -> str:
    """``[KIND+]URL[#MODEL]`` as a target's path."""
    address, _, model = text.partition("#")
    kind, plus, url = address.partition("+")
    if not plus or kind not in KINDS:
        kind, url = "openai", address
    try:
        return remote_path(kind, check_url(url), model)
    except SlipstreamError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_model_options(parser: argparse.ArgumentParser, required: bool = True) -> None:
    group = parser.add_argument_group("models")
    target = group.add_mutually_exclusive_group(required=required)
    target.add_argument("--model", metavar="T", help="GGUF file of the target")
    target.add_argument("--remote", dest="model", type=remote_model, metavar="[KIND+]URL[#MODEL]",
                        help=f"ask a server instead; KIND is one of {', '.join(KINDS)}, and its key, if it needs one, "
                        "is in SLIPSTREAM_REMOTE_KEY or the system's keyring")
    group.add_argument("--draft", metavar="D", help="GGUF file of a draft for it")
    group.add_argument("--ctx", type=whole(0, MOST_TOKENS), default=4096, metavar="N",
                       help="context in tokens; 0 takes the model's own (default 4096)")
    threads = whole(0, MOST_THREADS)
    group.add_argument("--threads", type=threads, default=0, metavar="N", help="0 takes the physical cores (default)")
    group.add_argument("--draft-threads", type=threads, metavar="N", help="as --threads where not given")
    group.add_argument("--gpu-layers", type=_layers, default=AUTO_LAYERS, metavar="N|auto")
    group.add_argument("--draft-gpu-layers", type=_layers, default=AUTO_LAYERS, metavar="N|auto")
    for name in ("--cache-type-k", "--cache-type-v", "--draft-cache-type-k", "--draft-cache-type-v"):
        group.add_argument(name, choices=get_args(CacheType), default="f16", metavar="TYPE",
                           help=f"one of {', '.join(get_args(CacheType))} (default f16)")
    group.add_argument("--flash-attn", choices=get_args(FlashAttention), default="auto")
    group.add_argument("--engine", choices=get_args(EngineChoice), default="auto",
                       help="auto takes the one that was measured to be faster here (default)")


def add_sampling_options(parser: argparse.ArgumentParser, temperature: float, seed: int | None = None) -> None:
    plain = Sampling()
    group = parser.add_argument_group("sampling")
    group.add_argument("--temperature", type=decimal(0, 100), default=temperature, metavar="X",
                       help=f"0 is greedy (default {temperature:g})")
    group.add_argument("--top-k", type=whole(0, 10_000_000), default=plain.top_k, metavar="N",
                       help=f"0 is off (default {plain.top_k})")
    group.add_argument("--top-p", type=decimal(0, 1), default=plain.top_p, metavar="X",
                       help=f"1 is off (default {plain.top_p:g})")
    group.add_argument("--min-p", type=decimal(0, 1), default=plain.min_p, metavar="X",
                       help=f"0 is off (default {plain.min_p:g})")
    group.add_argument("--repeat-penalty", type=decimal(0.01, 100), default=plain.repeat_penalty, metavar="X",
                       help="1 is off (default 1)")
    group.add_argument("--seed", type=whole(0, 2**32 - 1), default=seed, metavar="N",
                       help="a fresh one where not given" if seed is None else f"default {seed}")


def add_method_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("speculative decoding")
    group.add_argument("--method", metavar="M", help=f"name[:key=value,…], with name one of {', '.join(METHODS)}")
    group.add_argument("--max-draft", type=whole(1, 64), metavar="K", help="max draft tokens per step")
    group.add_argument("--min-draft", type=whole(0, 64), metavar="N", help="shorter drafts are not verified")
    group.add_argument("--draft-p-min", type=decimal(0, 1), metavar="P",
                       help="stop drafting when the draft is less sure than this")
    group.add_argument("--draft-sampling", choices=("greedy", "exact"))


def load_settings(args: argparse.Namespace) -> LoadSettings:
    return LoadSettings(
        ctx_tokens=args.ctx, threads=args.threads, gpu_layers=args.gpu_layers, cache_type_k=args.cache_type_k,
        cache_type_v=args.cache_type_v, flash_attn=args.flash_attn, engine=args.engine,
    )


def draft_settings(args: argparse.Namespace) -> LoadSettings:
    """The draft's context is the target's: a shorter one would end the drafting before the answer ends."""
    return LoadSettings(
        ctx_tokens=args.ctx, threads=args.threads if args.draft_threads is None else args.draft_threads,
        gpu_layers=args.draft_gpu_layers, cache_type_k=args.draft_cache_type_k,
        cache_type_v=args.draft_cache_type_v, flash_attn=args.flash_attn, engine=args.engine,
    )


def read_sampling(args: argparse.Namespace) -> Sampling:
    """The seed is drawn here where none was given, so that what is reported can be repeated."""
    seed = secrets.randbelow(2**31) if args.seed is None else args.seed
    return Sampling(
        temperature=args.temperature, top_k=args.top_k, top_p=args.top_p, min_p=args.min_p,
        repeat_penalty=args.repeat_penalty, seed=seed,
    )


def read_method(text: str, has_draft: bool) -> Method:
    """Raises ``UsageError`` where the method is unknown, or needs a draft and there is none."""
    try:
        method = parse_method(text)
    except SlipstreamError as error:
        raise UsageError(str(error)) from error
    if method.needs_draft and not has_draft:
        raise UsageError(f"The method “{method.name}” needs a draft: name one with --draft.")
    return method


def chosen_method(args: argparse.Namespace) -> Method:
    """``--method``, with ``--max-draft`` and its like over it; those alone mean ``draft``; nothing means ``auto``."""
    values = {
        "max": args.max_draft, "min": args.min_draft, "p_min": args.draft_p_min, "sampling": args.draft_sampling
    }
    given = {key: value for key, value in values.items() if value is not None}
    # a server elsewhere has its own draft, if any
    has_draft = bool(args.draft) or (args.model or "").startswith(REMOTE)
    method = read_method(args.method or ("draft" if given else "auto"), has_draft)
    if not given:
        return method
    if method.name != "draft":
        raise UsageError(f"--max-draft and its like are options of the method “draft”, not of “{method.name}”.")
    return Method(method.name, {**method.options, **given})


def model_path(text: str) -> str:
    """The same file wherever the engine process happens to run; a model elsewhere stays what it is."""
    if text.startswith(REMOTE):
        return text
    return str(Path(text).expanduser().absolute())


def read_text(path: str) -> str:
    """Raises ``SlipstreamError`` (``FILE``)."""
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not text in UTF-8"
        raise SlipstreamError(
            Code.FILE, f"The file “{path}” could not be read: {reason}.", "Check the path and the file."
        ) from error


def read_messages(path: str) -> list[Message]:
    """A JSON list of {role, content}. Raises ``SlipstreamError`` (``FILE``)."""
    try:
        messages = msgspec.json.decode(read_text(path).encode(), type=list[Message])
    except msgspec.DecodeError as error:
        raise SlipstreamError(
            Code.FILE, f"The file “{path}” is not a list of messages: {error}.",
            'Give a JSON list of objects such as {"role": "user", "content": "Hello"}.',
        ) from error
    if not messages:
        raise SlipstreamError(Code.FILE, f"The file “{path}” holds no messages.", "Give at least one.")
    return messages
