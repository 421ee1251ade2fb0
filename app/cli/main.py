"""The command line: ``generate``, ``bench``, ``inspect``, ``serve``, ``prepare``.

Exit status: 0 done, 1 failed with a one-line reason on stderr, 2 wrong usage. No traceback reaches a person.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
from types import TracebackType

from app import __version__
from app.cli.options import UsageError
from app.errors import SlipstreamError
from app.log import start_logging, stop_logging
from app.paths import log_dir
from app.safe_text import neutralise

_COMMANDS = {
    "generate": "answer a prompt",
    "bench": "measure methods of speculative decoding against each other",
    "inspect": "say what GGUF files are, and which may draft for which",
    "serve": "answer other programs through an OpenAI-compatible server",
    "prepare": "make the form of a draft that is fastest for a target on this machine",
}
_log = logging.getLogger("slipstream.cli")


def main(arguments: list[str]) -> int:
    """Run one command and return the exit status."""
    previous = sys.excepthook
    sys.excepthook = _report_crash
    status = _main(arguments)
    sys.excepthook = previous
    return status


def _main(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark; the answer goes on.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    parser = _build_parser(arguments[0] if arguments else "")
    try:
        args = parser.parse_args(arguments)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else 2
    start_logging(log_dir(), "command-line")
    try:
        return _run(args)
    except UsageError as error:
        print(f"slipstream {args.command}: {error}", file=sys.stderr)
        return 2
    except SlipstreamError as error:
        _log.info("%s failed: %s", args.command, error.code)
        print(f"slipstream: {neutralise(' '.join(str(error).split()))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("slipstream: Stopped.", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not try again when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    finally:
        stop_logging()


def _build_parser(command: str) -> argparse.ArgumentParser:
    """The parser; options are added for ``command`` alone, so that no command pays for the imports of another."""
    parser = argparse.ArgumentParser(
        prog="slipstream", description="Local GGUF models, made faster by speculative decoding. Without arguments: the "
        "window."
    )
    parser.add_argument("--version", action="version", version=f"slipstream {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, help_ in _COMMANDS.items():
        sub = commands.add_parser(name, help=help_, description=help_[0].upper() + help_[1:] + ".", allow_abbrev=False)
        if name == command:
            _add_arguments(name, sub)
    return parser


def _add_arguments(command: str, parser: argparse.ArgumentParser) -> None:
    if command == "generate":
        from app.cli.generate import add_generate_arguments

        add_generate_arguments(parser)
    elif command == "bench":
        from app.cli.bench import add_bench_arguments

        add_bench_arguments(parser)
    elif command == "serve":
        from app.cli.serve import add_serve_arguments

        add_serve_arguments(parser)
    elif command == "prepare":
        from app.cli.prepare import add_prepare_arguments

        add_prepare_arguments(parser)
    else:
        from app.cli.inspect import add_inspect_arguments

        add_inspect_arguments(parser)


def _run(args: argparse.Namespace) -> int:
    if args.command == "generate":
        from app.cli.generate import run_generate

        return run_generate(args)
    if args.command == "bench":
        from app.cli.bench import run_bench

        return run_bench(args)
    if args.command == "serve":
        from app.cli.serve import run_serve

        return run_serve(args)
    if args.command == "prepare":
        from app.cli.prepare import run_prepare

        return run_prepare(args)
    from app.cli.inspect import run_inspect

    return run_inspect(args)


def _report_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """In place of the interpreter's traceback: one line for the person, the rest for the log."""
    if start_logging(log_dir(), "command-line") is not None:
        _log.critical("crash", exc_info=(kind, error, trace))
    words = " ".join(str(error).split())[:200]
    print(f"slipstream: The program made a mistake ({kind.__name__}: {words}). See {log_dir()}.", file=sys.stderr)
