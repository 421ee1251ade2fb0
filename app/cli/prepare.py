"""``slipstream prepare``: the form of a draft that is fastest for a target on this machine, as a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

import msgspec

from app import protocol
from app.cli.interruption import Interruption
from app.cli.options import UsageError, add_model_options, draft_settings, load_settings, model_path
from app.client.process import ProcessClient
from app.errors import Code, SlipstreamError
from app.models.library import require_file
from app.models.prepared import check_destination
from app.sentences import as_text

_HEADINGS = ("form", "size", "a step", "right", "draft length", "expected")


def add_prepare_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument("--out", required=True, metavar="F", help="the file to write; one that is there is kept")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout instead of the text")


def run_prepare(args: argparse.Namespace) -> int:
    """Raises ``SlipstreamError`` and ``UsageError``."""
    if not args.draft:
        raise UsageError("Name the draft that is to be prepared with --draft.")
    target, draft, destination = map(model_path, (args.model, args.draft, args.out))
    for path in (target, draft):
        require_file(Path(path))
    check_destination(Path(destination), Path(draft), Path(target))  # before minutes of work, not after
    progress = _Progress(sys.stderr)
    with ProcessClient() as client, Interruption(client.stop, client.kill) as interruption:
        client.load(target, load_settings(args), progress.show)
        if interruption.happened:
            raise SlipstreamError(Code.ABORTED, "Stopped.")
        prepared = client.prepare(draft, destination, draft_settings(args), progress.show)
    sys.stdout.write((_as_json(prepared) if args.json else _as_text(prepared)) + "\n")
    sys.stdout.flush()
    return 0


class _Progress:
    """What is being done, a line each on ``err``."""

    def __init__(self, err: TextIO) -> None:
        self._err = err
        self._moves = err.isatty()

    def show(self, event: protocol.AnyEvent) -> None:
        if isinstance(event, protocol.LoadProgress) and self._moves:
            end = "\n" if event.fraction >= 1.0 else ""
            self._err.write(f"\r\x1b[KLoading … {event.fraction:.0%}{end}")
        elif isinstance(event, protocol.PrepareProgress):
            self._err.write(f"{event.fraction:4.0%}  {event.message}\n")
        self._err.flush()


def _as_json(prepared: protocol.Prepared) -> str:
    answer: dict[str, Any] = {
        "out": prepared.destination, "form": prepared.form, "gain": prepared.gain,
        "plain_tokens_per_second": prepared.plain_tokens_per_second, "forms": prepared.forms,
        "sentence": prepared.sentence, "memory": prepared.memory,
    }
    return msgspec.json.encode(answer, enc_hook=as_text).decode()


def _as_text(prepared: protocol.Prepared) -> str:
    rows = [_HEADINGS] + [
        (
            figures.form, f"{figures.size_bytes / 1e6:.0f} MB", f"{figures.step_s * 1000:.1f} ms",
            f"{figures.acceptance_rate:.0%}", str(figures.best_draft_tokens),
            f"{figures.tokens_per_second:.1f} tokens/s",
        )
        for figures in prepared.forms
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADINGS))]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*table, "", prepared.sentence, f"Written to {prepared.destination}."])
