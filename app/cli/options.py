"""Options that several commands of the command line share, and what they become."""

from __future__ import annotations

import argparse
import math
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from app.client.remote_kinds import KINDS
from app.client.remote_paths import check_url, remote_path
from app.errors import Code, SlipstreamError
from app.methods import METHODS, Method, parse_method
from app.records import REMOTE, LoadSettings, Message, Sampling
from app.settings.table import Setting, Value, settings_of

MOST_LISTED = 4
"""A choice among more is named in the help, not in the usage."""


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


def add_settings(
    group: argparse._ActionsContainer, rows: Iterable[Setting], with_draft: bool = False, **defaults: Value
) -> None:
    """An option for each of ``rows``, and one more for the draft where it can have its own. ``defaults`` are by key,
    where a verb has others than the table."""
    for row in rows:
        default = defaults.get(row.key, row.default)
        group.add_argument(row.flag, **_reading(row), default=default, dest=row.key, help=_help(row, default))
        if with_draft and row.for_draft:
            words = f"as {row.flag} where not given" if row.draft_follows else f"the same for the draft ({_said(row)})"
            group.add_argument(f"--draft-{row.flag[2:]}", **_reading(row), dest=f"draft_{row.key}", help=words)


def _reading(row: Setting) -> dict[str, Any]:
    """How argparse reads a value of ``row``."""
    if row.kind == "choice":
        return {"choices": row.values, "metavar": "TYPE" if len(row.values) > MOST_LISTED else None}
    if row.kind == "decimal":
        return {"type": decimal(row.low, row.high), "metavar": "X"}
    if not row.flag_word:
        return {"type": whole(int(row.low), int(row.high)), "metavar": "N"}
    read = whole(int(row.low) + 1, int(row.high))
    return {"type": lambda text: int(row.low) if text == row.flag_word else read(text), "metavar": f"N|{row.flag_word}"}


def _help(row: Setting, default: Value) -> str:
    words = row.help[:1].lower() + row.help[1:]
    if row.kind == "seed" and default is None:
        return "a fresh one where not given"
    if row.kind == "choice" and len(row.values) > MOST_LISTED:
        words = f"{words}; one of {', '.join(row.values)}"
    meaning = f"{row.low:g}: {row.lowest}; " if row.lowest and not row.flag_word else ""
    return f"{words} ({meaning}default {_said(row, default)})"


def _said(row: Setting, default: Value = None) -> str:
    value = row.default if default is None else default
    return row.flag_word if row.flag_word and value == row.low else f"{value:g}" if row.is_number else str(value)


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
    add_settings(group, settings_of("load"), with_draft=True)


def add_sampling_options(parser: argparse.ArgumentParser, temperature: float, seed: int | None = None) -> None:
    add_settings(parser.add_argument_group("sampling"), settings_of("sampling"), temperature=temperature, seed=seed)


def add_method_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("speculative decoding")
    group.add_argument("--method", metavar="M", help=f"name[:key=value,…], with name one of {', '.join(METHODS)}")
    draft = METHODS["draft"].options
    for flag, key, metavar in (("--max-draft", "max", "K"), ("--min-draft", "min", "N"),
                               ("--draft-p-min", "p_min", "P")):
        option = draft[key]
        is_whole = isinstance(option.default, int)
        read = whole(int(option.low), int(option.high)) if is_whole else decimal(option.low, option.high)
        group.add_argument(flag, type=read, metavar=metavar, help=option.help[:1].lower() + option.help[1:])
    group.add_argument("--draft-sampling", choices=draft["sampling"].choices)


def load_settings(args: argparse.Namespace) -> LoadSettings:
    return LoadSettings(**{row.key: getattr(args, row.key) for row in settings_of("load")})


def draft_settings(args: argparse.Namespace) -> LoadSettings:
    """The draft's context is the target's: a shorter one would end the drafting before the answer ends."""
    values: dict[str, Any] = {}
    for row in settings_of("load"):
        follows = row.draft_follows or not row.for_draft
        own = getattr(args, f"draft_{row.key}", None)
        values[row.key] = own if own is not None else getattr(args, row.key) if follows else row.default
    return LoadSettings(**values)


def read_sampling(args: argparse.Namespace) -> Sampling:
    """The seed is drawn here where none was given, so that what is reported can be repeated."""
    values = {row.key: getattr(args, row.key) for row in settings_of("sampling")}
    if values["seed"] is None:
        values["seed"] = secrets.randbelow(2**31)
    return Sampling(**values)


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
