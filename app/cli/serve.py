"""``slipstream serve``: an OpenAI-compatible server for other programs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

import msgspec

from app.cli.options import (
    UsageError,
    add_method_options,
    add_model_options,
    chosen_method,
    draft_settings,
    load_settings,
    model_path,
    read_text,
    whole,
)
from app.client.interface import EngineClient
from app.client.process import ProcessClient
from app.client.relay import RelayClient, take_over_stdio
from app.records import LoadSettings, ModelFacts
from app.server.access import Access, Limits
from app.server.host import EngineHost, Loader
from app.server.running import RunningServer, end_by_signals, listen

KEY_VARIABLE = "SLIPSTREAM_API_KEY"


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    plain, limits = Access(), Limits()
    add_model_options(parser, required=False)  # with --relay, the window has the model
    add_method_options(parser)
    group = parser.add_argument_group("server")
    group.add_argument("--host", default=plain.host, metavar="ADDRESS",
                       help=f"where to listen (default {plain.host}: this machine alone)")
    group.add_argument("--port", type=whole(0, 65535), default=plain.port, metavar="N",
                       help=f"0 takes a free one (default {plain.port})")
    group.add_argument("--api-key", action="append", default=[], metavar="KEY",
                       help=f"a key that clients must send; better in {KEY_VARIABLE} or --api-key-file, since others "
                       "on this machine can read command lines")
    group.add_argument("--api-key-file", metavar="F", help="a file with a key on each line")
    group.add_argument("--allow-host", action="append", default=[], metavar="NAME",
                       help="a name under which clients may call this machine")
    group.add_argument("--queue", type=whole(1, 10_000), default=limits.queue, metavar="N",
                       help=f"requests that may wait (default {limits.queue}); one more is answered with 429")
    group.add_argument("--queue-per-client", type=whole(1, 10_000), default=limits.queue_per_client, metavar="N",
                       help=f"the same for each client (default {limits.queue_per_client})")
    group.add_argument("--max-body", type=whole(1, 1024), default=limits.body_bytes // 2**20, metavar="MIB",
                       help=f"largest request (default {limits.body_bytes // 2**20})")
    group.add_argument("--relay", action="store_true", help=argparse.SUPPRESS)


def run_serve(args: argparse.Namespace) -> int:
    """Serve until interrupted. Raises ``SlipstreamError`` and ``UsageError``."""
    access, limits = _read_access(args), _read_limits(args)
    if not args.relay and not args.model:
        raise UsageError("the following arguments are required: --model or --remote")
    method = str(chosen_method(args)) if not args.relay else args.method or "auto"
    listener = listen(access)
    client: ProcessClient
    if args.relay:
        client = relay = RelayClient(*take_over_stdio())
        host = EngineHost(client, _relayed(client), method, limits, asks_always=True, method_now=lambda: relay.method)
    else:
        client = ProcessClient()
        host = EngineHost(client, _loader(client, args), method, limits, target=args.model or "")
    server = RunningServer(host, access, limits, listener, _say)
    end_by_signals(server.stop)
    if isinstance(client, RelayClient):
        client.on_closed(server.stop)
    with client:
        server.run(lambda: _say_listening(access, server.port, "" if args.relay else " Ctrl+C ends it."))
    return 0


def _say_listening(access: Access, port: int, more: str) -> None:
    shown = f"[{access.host}]" if ":" in access.host else access.host
    who = "this machine alone" if access.is_local else "everybody who has the key"
    _say(f"Serving at http://{shown}:{port}/v1 for {who}.{more}")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _read_access(args: argparse.Namespace) -> Access:
    """Raises ``UsageError`` where the server would be open to all."""
    keys = [*args.api_key, *filter(None, [os.environ.get(KEY_VARIABLE, "")])]
    if args.api_key_file:
        keys += [line.strip() for line in read_text(args.api_key_file).splitlines() if line.strip()]
    if any(len(key) > 512 or not key.isprintable() or " " in key for key in keys):
        raise UsageError("A key is up to 512 characters without spaces.")
    access = Access(host=args.host, port=args.port, keys=tuple(keys), names=tuple(args.allow_host))
    if not access.is_local and not access.keys:
        raise UsageError(
            f"--host {args.host} opens the server to other machines: give a key with --api-key-file or {KEY_VARIABLE}."
        )
    return access


def _read_limits(args: argparse.Namespace) -> Limits:
    return msgspec.structs.replace(
        Limits(), queue=args.queue, queue_per_client=args.queue_per_client, body_bytes=args.max_body * 2**20
    )


def _loader(client: EngineClient, args: argparse.Namespace) -> Loader:
    """Loads what the command line names."""

    def load() -> ModelFacts:
        facts = client.load(model_path(args.model), load_settings(args), _shown(args.model)).facts
        if args.draft:
            client.load_draft(model_path(args.draft), draft_settings(args))
        return facts

    return load


def _relayed(client: EngineClient) -> Loader:
    """The window has the models: it is asked what they are."""
    return lambda: client.load("", LoadSettings()).facts


def _shown(name: str) -> Callable[[object], None]:
    moves = sys.stderr.isatty()

    def show(event: object) -> None:
        fraction = getattr(event, "fraction", None)
        if moves and fraction is not None:
            end = "\n" if fraction >= 1 else ""
            sys.stderr.write(f"\r\x1b[KLoading {os.path.basename(name)} … {fraction:.0%}{end}")
            sys.stderr.flush()

    return show
