"""``slipstream generate``: one answer, streamed or as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import msgspec

from app import protocol
from app.cli.interruption import Interruption
from app.cli.options import (
    UsageError,
    add_method_options,
    add_model_options,
    add_sampling_options,
    add_settings,
    chosen_method,
    draft_settings,
    load_settings,
    model_path,
    read_messages,
    read_sampling,
    read_text,
)
from app.client.process import ProcessClient
from app.errors import Code, SlipstreamError
from app.machine.load import SAID_CORES
from app.records import LoadSettings, Message, Sampling, SequenceCheck, Timings
from app.settings.table import setting


def add_generate_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    add_method_options(parser)
    add_sampling_options(parser, temperature=Sampling().temperature)
    group = parser.add_argument_group("prompt")
    source = group.add_mutually_exclusive_group(required=True)
    source.add_argument("--prompt", metavar="TEXT")
    source.add_argument("--prompt-file", metavar="F", help="a text file in UTF-8")
    source.add_argument("--messages", metavar="F.json", help="a JSON list of {role, content}")
    group.add_argument("--system", metavar="TEXT", help="instructions before the conversation")
    group.add_argument("--raw", action="store_true", help="continue the prompt as it is, without the chat template")
    add_settings(parser, (setting("max_tokens"), setting("on_full")), max_tokens=1024)
    parser.add_argument("--check", action="store_true",
                        help="afterwards hold every token against the target alone, one at a time")
    parser.add_argument("--measure-engines", action="store_true", help="measure again which engine is the faster one")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout instead of the text")
    parser.add_argument("--steps", action="store_true", help="with --json: also every pass, what it brought and took")



@dataclass(frozen=True)
class _Job:
    """All that one answer takes."""

    model: str
    load: LoadSettings
    draft: str | None
    draft_load: LoadSettings
    request: protocol.Generate

    def describe(self) -> dict[str, Any]:
        """The ``settings`` of the JSON answer: enough to do it again."""
        request = self.request
        return {
            "model": self.model, "draft": self.draft, "load": msgspec.to_builtins(self.load),
            "draft_load": msgspec.to_builtins(self.draft_load) if self.draft else None,
            "method": request.method, "sampling": msgspec.to_builtins(request.sampling),
            "max_tokens": request.max_tokens, "raw": request.raw, "on_full": request.on_full,
        }


def run_generate(args: argparse.Namespace) -> int:
    """Raises ``SlipstreamError`` and ``UsageError``."""
    job = _read_job(args)
    screen = _Screen(sys.stdout, sys.stderr, streams=not args.json)
    with ProcessClient() as client, Interruption(client.stop, client.kill) as interruption:
        loaded = client.load(job.model, job.load, screen.show, measure_engines=args.measure_engines)
        load_s = loaded.load_s
        if job.draft:
            load_s += client.load_draft(job.draft, job.draft_load, screen.show).load_s
        if interruption.happened:
            raise SlipstreamError(Code.ABORTED, "Stopped.")
        done = client.generate(job.request, screen.show)
        checked = client.score(_check_of(job.request, done), screen.show) if _can_check(args, done) else None
    done = msgspec.structs.replace(done, timings=msgspec.structs.replace(done.timings, load_s=load_s))
    screen.finish(done, loaded.engine_sentence if job.load.engine == "auto" else "")
    if checked is not None:
        screen.say(checked.sentence)
    elif args.check and done.dropped_tokens:
        screen.say("Not checked: a part of what these tokens followed had to leave the context.")
    if args.json:
        check = checked.check if checked is not None else None
        described = {**job.describe(), "engine": loaded.engine}
        sys.stdout.write(answer_as_json(done, described, check, screen.steps if args.steps else None) + "\n")
    sys.stdout.flush()
    return 1 if done.reason == "aborted" else 0


def _can_check(args: argparse.Namespace, done: protocol.Done) -> bool:
    """A context that was shifted is not one that the target could read again from the start."""
    return bool(args.check and done.token_ids and done.reason != "aborted" and not done.dropped_tokens)


def _check_of(request: protocol.Generate, done: protocol.Done) -> protocol.Score:
    return protocol.Score(
        request_id=0, messages=request.messages, prompt=request.prompt, raw=request.raw, token_ids=done.token_ids,
        sampling=request.sampling, draws=done.draws, check=True,
    )


def answer_as_json(
    done: protocol.Done, settings: dict[str, Any], check: SequenceCheck | None = None,
    steps: Sequence[protocol.Chunk] | None = None,
) -> str:
    """The object of the contract; ``check`` and ``steps``, the verify passes, are in it where they were asked for."""
    answer = {
        "text": done.text, "token_ids": done.token_ids, "stop_reason": done.reason,
        "prompt_tokens": done.prompt_tokens, "timings": done.timings, "speculation": done.speculation,
        "memory": done.memory, "settings": settings,
    }
    if steps is not None:
        answer["steps"] = [_describe_step(step) for step in steps]
    if check is not None:
        answer["check"] = check
    return msgspec.json.encode(answer).decode()


def _describe_step(step: protocol.Chunk) -> dict[str, Any]:
    return {
        "tokens": step.step_tokens, "drafter": step.drafter, "num_draft_tokens": step.num_draft_tokens,
        "num_accepted_draft_tokens": step.num_accepted_draft_tokens, "seconds": step.step_s, "draft_s": step.draft_s,
        "verify_s": step.verify_s,
    }


def _read_job(args: argparse.Namespace) -> _Job:
    if args.raw and args.messages:
        raise UsageError("--raw continues a --prompt or --prompt-file; messages need the chat template.")
    if args.raw and args.system:
        raise UsageError("--raw knows no --system: put it into the prompt.")
    method = chosen_method(args)
    messages: list[Message] = []
    prompt = ""
    if args.messages:
        messages = read_messages(args.messages)
    else:
        prompt = args.prompt if args.prompt is not None else read_text(args.prompt_file)
    if not args.raw and not messages:
        messages, prompt = [Message(role="user", content=prompt)], ""
    if args.system:
        messages = [Message(role="system", content=args.system), *(m for m in messages if m.role != "system")]
    request = protocol.Generate(
        request_id=0, messages=messages, prompt=prompt, raw=args.raw, sampling=read_sampling(args),
        method=str(method), max_tokens=args.max_tokens, on_full=args.on_full,
    )
    return _Job(
        model_path(args.model), load_settings(args), model_path(args.draft) if args.draft else None,
        draft_settings(args), request,
    )


class _Screen:
    """What a person sees while it works: the text on ``out``, everything else on ``err``."""

    def __init__(self, out: TextIO, err: TextIO, streams: bool) -> None:
        self._out = out
        self._err = err
        self._streams = streams
        self._guards_terminal = out.isatty()
        self._moves = err.isatty()
        self._status = ""
        self._written = 0
        self._held: list[str] = []
        self.steps: list[protocol.Chunk] = []
        """What every pass brought."""

    def show(self, event: protocol.AnyEvent) -> None:
        if isinstance(event, protocol.LoadProgress):
            self._say_status(f"Loading … {event.fraction:.0%}")
        elif isinstance(event, protocol.PrefillProgress):
            self._say_status(f"Reading the prompt … {event.done_tokens} of {event.total_tokens} tokens")
        elif isinstance(event, protocol.Notice):
            if not event.message:
                return
            if not self._written:
                self.say(event.message)
            elif not event.passing:
                # It would stand amid a line of the answer.
                self._held.append(event.message)
        elif isinstance(event, protocol.Chunk):
            if event.step_tokens:
                self.steps.append(event)
            if self._streams:
                self._write(event.text)
            else:
                self._say_status(f"Answering … {event.emitted_tokens} tokens")

    def finish(self, done: protocol.Done, engine_sentence: str) -> None:
        if self._streams:
            self._write(done.text[self._written :])
            self._out.write("\n")
            self._out.flush()
        for sentence in self._held:
            self.say(sentence)
        self.say(summarise(done))
        if words := describe_others(done.timings):
            self.say(words)
        if engine_sentence:
            self.say(f"Engine: {engine_sentence}")
        if done.speculation.sentence:
            self.say(done.speculation.sentence)

    def _write(self, text: str) -> None:
        self._say_status("")
        self._written += len(text)
        if self._guards_terminal:
            # What a model says is data: it must not be able to steer the terminal.
            text = "".join(c for c in text if c.isprintable() or c in "\n\t")
        self._out.write(text)
        self._out.flush()

    def say(self, sentence: str) -> None:
        self._say_status("")
        self._err.write(sentence + "\n")
        self._err.flush()

    def _say_status(self, status: str) -> None:
        """A line that the next one replaces; where nothing can be replaced it is not said."""
        if self._moves and status != self._status:
            self._err.write("\r\x1b[K" + status)
            self._err.flush()
            self._status = status


def describe_others(timings: Timings) -> str:
    """What other programs used while the answer was written, where that explains a slow one; else ""."""
    if timings.other_cores < SAID_CORES:
        return ""
    return f"Other programs are using {timings.other_cores:.1f} of {timings.cores} cores, so answers come slower."


def summarise(done: protocol.Done) -> str:
    """The figures of an answer in a line."""
    timings, speculation, count = done.timings, done.speculation, len(done.token_ids)
    parts = [
        f"{count} token{'' if count == 1 else 's'} at {timings.tokens_per_second:.1f} tokens/s",
        f"first after {timings.time_to_first_token_s:.2f} s",
    ]
    if speculation.num_draft_tokens:
        parts.append(
            f"{speculation.num_accepted_draft_tokens} of {speculation.num_draft_tokens} drafted tokens accepted "
            f"({speculation.draft_acceptance_rate:.0%})"
        )
    endings = {"length": "length limit reached", "context": "context full", "aborted": "stopped"}
    if done.reason in endings:
        parts.append(endings[done.reason])
    return "; ".join(parts) + "."
