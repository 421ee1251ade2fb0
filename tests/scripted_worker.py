"""A worker without an engine: speaks the protocol on stdio and does what its arguments say.

``scripted_worker_command("--chunks", "40", "--die-after", "7")`` is a command line for ``ProcessClient(command)`` and
for the window's worker. It needs ``app.protocol`` alone, starts in a tenth of a second and answers with words that
count up: "word0 word1 …".

Deaths, hangs and garbage come in every answer unless ``--once FILE`` names a file: then they come until that file
exists, and making it is the first thing a misbehaving answer does, so that the next worker is well.
"""

from __future__ import annotations

import argparse
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def scripted_worker_command(*arguments: str) -> list[str]:
    """The command line of a scripted worker; see ``--help`` for what it can be told."""
    return [sys.executable, str(Path(__file__).resolve()), *arguments]


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=12, help="chunks of an answer")
    parser.add_argument("--chunk-tokens", type=int, default=2, help="tokens of a chunk; all but the last were drafted")
    parser.add_argument("--delay-s", type=float, default=0.0, help="pause before each chunk")
    parser.add_argument("--prefill-s", type=float, default=0.0, help="time of the prefill, in ten progress events")
    parser.add_argument("--load-s", type=float, default=0.0, help="time of loading, in ten progress events")
    parser.add_argument("--load-notice", default="", help="said when loading begins, and skippable")
    parser.add_argument("--measure-s", type=float, default=0.0, help="time of measuring before an answer")
    parser.add_argument("--others", type=float, default=0.0, help="cores of two that other programs use")
    parser.add_argument("--text", default="", help="answer with this text, a piece per word, instead of counting")
    parser.add_argument("--slow", type=float, default=20.0, help="tokens per second reported without speculation")
    parser.add_argument("--fast", type=float, default=40.0, help="tokens per second reported with speculation")
    parser.add_argument("--part-at", type=int, default=-1, help="with speculation, token ids differ from here on")
    parser.add_argument("--die-after", type=int, default=-1, help="die before this chunk of an answer")
    parser.add_argument("--die-while-loading", action="store_true")
    parser.add_argument("--signal", type=int, default=int(signal.SIGTERM), help="how to die; 0 exits with --status")
    parser.add_argument("--status", type=int, default=1)
    parser.add_argument("--last-words", default="", help="written to stderr before dying")
    parser.add_argument("--hang-after", type=int, default=-1, help="fall silent before this chunk; deaf to Stop")
    parser.add_argument("--ignore-stop", action="store_true", help="acknowledge Stop and go on")
    parser.add_argument("--ignore-eof", action="store_true", help="live on after stdin has closed")
    parser.add_argument("--garbage", type=int, default=0, help="lines of garbage before each chunk")
    parser.add_argument("--junk", action="store_true", help="print on stdout as native code does, without a newline")
    parser.add_argument("--stderr-bytes", type=int, default=0, help="write this much to stderr before each answer")
    parser.add_argument("--fail-load", default="", help="fail every load with this code")
    parser.add_argument("--fail-draft", default="", help="fail every draft load with this code")
    parser.add_argument("--fail-generate", default="", help="fail every answer with this code, halfway")
    parser.add_argument("--no-ready", action="store_true", help="never say Ready")
    parser.add_argument("--protocol-version", type=int, default=-1)
    parser.add_argument("--exit-at-start", action="store_true", help="exit with --status before Ready")
    parser.add_argument("--diary", default="", help="what was asked for is written to this file")
    parser.add_argument("--once", default="", help="misbehave only while this file does not exist, and make it")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from app import protocol  # noqa: E402
from app.records import (  # noqa: E402
    BatchNoise,
    Candidate,
    DrafterFigures,
    FormFigures,
    MemoryFigures,
    ModelFacts,
    Piece,
    SpeculationFigures,
    Timings,
    TokenScore,
)
from app.sentences import say  # noqa: E402

_MEMORY = MemoryFigures(worker_rss_bytes=100_000_000, worker_peak_rss_bytes=120_000_000)


class ScriptedWorker:
    def __init__(self, script: argparse.Namespace) -> None:
        self.script = script
        self.out = os.fdopen(os.dup(1), "wb", buffering=0)
        self.inbox: queue.Queue[protocol.AnyCommand | None] = queue.Queue()
        self.stopped: set[int] = set()
        self.skipped: set[int] = set()
        self.loaded = ""
        self.states: set[str] = set()
        self.lock = threading.Lock()

    def send(self, event: protocol.Event) -> None:
        with self.lock:
            self.out.write(protocol.encode(event))

    def read_commands(self) -> None:
        for line in sys.stdin.buffer:
            command = protocol.decode_command(line)
            if isinstance(command, protocol.Stop):
                if not self.script.ignore_stop:
                    self.stopped.add(command.target_id)
                self.send(protocol.Stopping(request_id=command.request_id, target_id=command.target_id))
            elif isinstance(command, protocol.Skip):
                self.skipped.add(command.target_id)
                self.send(protocol.Skipping(request_id=command.request_id, target_id=command.target_id))
            else:
                self.inbox.put(command)
        if not self.script.ignore_eof:
            os._exit(0)

    def run(self) -> None:
        if self.script.exit_at_start:
            self.die()
        if not self.script.no_ready:
            version = self.script.protocol_version
            self.send(
                protocol.Ready(
                    request_id=0, protocol_version=protocol.PROTOCOL_VERSION if version < 0 else version,
                    program_version="0", engine="scripted", pid=os.getpid(),
                )
            )
        threading.Thread(target=self.read_commands, daemon=True).start()
        while (command := self.inbox.get()) is not None:
            self.answer(command)

    def misbehaves(self) -> bool:
        """Whether the faults are on; with ``--once`` this turns them off for the next time."""
        if not self.script.once:
            return True
        flag = Path(self.script.once)
        if flag.exists():
            return False
        flag.touch()
        return True

    def die(self) -> None:
        sys.stderr.write(self.script.last_words)
        sys.stderr.flush()
        if self.script.signal and not self.script.exit_at_start:
            os.kill(os.getpid(), self.script.signal)
            time.sleep(60)
        os._exit(self.script.status)

    def answer(self, command: protocol.AnyCommand) -> None:
        request_id = command.request_id
        match command:
            case protocol.Load() | protocol.LoadDraft():
                self.load(command)
            case protocol.Generate():
                self.generate(command)
            case protocol.Unload() | protocol.UnloadDraft():
                self.send(protocol.Unloaded(request_id=request_id, memory=_MEMORY))
            case protocol.SetSpeculation():
                self.send(protocol.SpeculationSet(request_id=request_id, method=command.method))
            case protocol.Tokenize():
                ids = list(command.text.encode())
                self.send(protocol.Tokens(request_id=request_id, token_ids=[] if command.count_only else ids,
                                          count=len(ids)))
            case protocol.RenderTemplate():
                self.send(protocol.Rendered(request_id=request_id, text=str(command.messages)))
            case protocol.Score():
                self.score(command)
            case protocol.MeasureExactness():
                self.measure_exactness(command)
            case protocol.Prepare():
                self.prepare(command)
            case protocol.SaveState():
                self.states.add(command.name)
                self.note(f"save {command.name} {command.limit_bytes}")
                self.send(protocol.StateSaved(request_id=request_id, saved_bytes=1000))
            case protocol.RestoreState():
                self.note(f"restore {command.name}")
                tokens = 200 if command.name in self.states else 0
                self.send(protocol.StateRestored(request_id=request_id, tokens=tokens))
            case protocol.Estimate():
                self.send(protocol.Estimated(request_id=request_id, cache_bytes=112 * 2**20,
                                             compute_bytes={"CPU": 2**26}, output_bytes={"CPU": 2**20}))
            case protocol.Devices():
                device = protocol.Device(name="CPU", description="Scripted", kind="cpu", free_bytes=1, total_bytes=2)
                self.send(protocol.DeviceList(request_id=request_id, devices=[device]))

    def note(self, line: str) -> None:
        """Write what was asked for to the diary, if there is one."""
        if self.script.diary:
            with Path(self.script.diary).open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    def prepare(self, command: protocol.Prepare) -> None:
        request_id = command.request_id
        self.send(protocol.PrepareProgress(request_id=request_id, fraction=0.5, message="Measuring a draft."))
        Path(command.destination).write_bytes(b"made")
        forms = [
            FormFigures(form=form, size_bytes=5_000_000, step_s=step_s, acceptance_rate=0.7, best_draft_tokens=4,
                        tokens_per_second=speed)
            for form, step_s, speed in (("as-is", 0.0185, 17.6), ("q4_0", 0.0129, 19.8))
        ]
        self.send(
            protocol.Prepared(
                request_id=request_id, destination=command.destination, form="q4_0", forms=forms,
                plain_tokens_per_second=10.0, gain=1.125, sentence="Q4_0: faster.", memory=_MEMORY,
            )
        )

    def pause(self, seconds: float, request_id: int) -> bool:
        """Sleep in short naps; True when the command was stopped meanwhile."""
        end = time.monotonic() + seconds
        while request_id not in self.stopped | self.skipped:
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, 0.02))
        return True

    def load(self, command: protocol.Load | protocol.LoadDraft) -> None:
        request_id = command.request_id
        is_draft = isinstance(command, protocol.LoadDraft)
        self.note(f"{'load_draft' if is_draft else 'load'} {command.settings.ctx_tokens} {command.settings.gpu_layers}")
        if self.script.die_while_loading and self.misbehaves():
            self.die()
        if self.script.load_notice and not is_draft:
            self.send(protocol.Notice(request_id=request_id, message=self.script.load_notice, skippable=True))
        for tenth in range(10 if self.script.load_s else 0):
            self.send(protocol.LoadProgress(request_id=request_id, fraction=tenth / 10))
            if self.pause(self.script.load_s / 10, request_id):
                if request_id in self.skipped:
                    self.send(protocol.Notice(request_id=request_id, message=""))
                    break
                self.fail(request_id, "aborted")
                return
        code = self.script.fail_draft if is_draft else self.script.fail_load
        if code and self.misbehaves():
            self.fail(request_id, code)
            return
        self.send(
            protocol.Loaded(
                request_id=request_id, memory=_MEMORY, load_s=self.script.load_s,
                engine_sentence="" if is_draft else self.engine_sentence(command),
                facts=ModelFacts(
                    path=command.path, name=Path(command.path).stem, architecture="scripted",
                    description="scripted 1B Q4_0", parameters=1_000_000_000, size_bytes=500_000_000,
                    ctx_tokens=command.settings.ctx_tokens or 32768, ctx_train_tokens=32768, vocab_size=1000,
                    has_chat_template=True,
                ),
            )
        )

    @staticmethod
    def engine_sentence(command: protocol.Load | protocol.LoadDraft) -> str:
        again = isinstance(command, protocol.Load) and command.measure_engines
        name = "ik_llama.cpp" if again else "llama.cpp"
        return say("{name}, as was asked for.", name=name)

    def fail(self, request_id: int, code: str) -> None:
        message = f"Scripted failure: {code}."
        self.send(protocol.Failed(request_id=request_id, code=code, message=message, hint="Read the script."))

    def words(self, command: protocol.Generate) -> list[str]:
        if self.script.text:
            words = self.script.text.split(" ")
            words = [word + " " for word in words[:-1]] + words[-1:]
        else:
            words = [f"word{i} " for i in range(self.script.chunks * self.script.chunk_tokens)]
        return words[: command.max_tokens]

    def generate(self, command: protocol.Generate) -> None:
        request_id = command.request_id
        self.note(f"generate {command.thinking} {command.sampling.temperature:g} {command.method}")
        sys.stderr.write("x" * self.script.stderr_bytes)
        sys.stderr.flush()
        words = self.words(command)
        if self.script.measure_s:
            message = "Measuring this model on this machine, once."
            self.send(protocol.Notice(request_id=request_id, message=message, skippable=True))
            self.pause(self.script.measure_s, request_id)
            self.skipped.clear()
            self.send(protocol.Notice(request_id=request_id, message=""))
        if self.script.others:
            self.send(protocol.OtherPrograms(request_id=request_id, other_cores=self.script.others, cores=2, threads=1))
        faulty = self.misbehaves()
        prompt = command.prompt + "".join(message.content for message in command.messages)
        prompt_tokens = max(1, len(prompt.split()))
        for tenth in range(10 if self.script.prefill_s else 1):
            self.send(
                protocol.PrefillProgress(
                    request_id=request_id, done_tokens=prompt_tokens * tenth // 10, total_tokens=prompt_tokens
                )
            )
            if self.pause(self.script.prefill_s / 10, request_id):
                self.done(command, prompt_tokens, [], 0, stopped=True)
                return
        step = self.script.chunk_tokens if command.method != "off" else 1
        emitted: list[str] = []
        for index, start in enumerate(range(0, len(words), step)):
            if faulty:
                self.do_mischief(index)
            if self.script.fail_generate and faulty and index >= len(words) // step // 2:
                self.fail(request_id, self.script.fail_generate)
                return
            if self.pause(self.script.delay_s, request_id):
                self.done(command, prompt_tokens, emitted, index, stopped=True)
                return
            new = words[start : start + step]
            emitted += new
            self.send_chunk(command, new, len(emitted))
        self.done(command, prompt_tokens, emitted, -(-len(words) // step), stopped=False)

    def do_mischief(self, index: int) -> None:
        if index == self.script.die_after:
            self.die()
        if index == self.script.hang_after:
            while True:
                time.sleep(1)
        for number in range(self.script.garbage):
            self.out.write(b'{"type": "nonsense", "n": %d}\n\xff\xfe garbage \x00\n' % number)
        if self.script.junk:
            self.out.write(b"llama: printed by native code\n")

    def speed(self, command: protocol.Generate) -> float:
        return float(self.script.slow if command.method == "off" else self.script.fast)

    def send_chunk(self, command: protocol.Generate, new: list[str], emitted: int) -> None:
        drafted = len(new) - 1
        self.send(
            protocol.Chunk(
                request_id=command.request_id,
                pieces=[Piece(text=word, drafted=i < drafted) for i, word in enumerate(new)],
                drafter="draft" if drafted else "", num_draft_tokens=2 * drafted, num_accepted_draft_tokens=drafted,
                step_tokens=len(new), step_s=len(new) / self.speed(command), emitted_tokens=emitted,
                decode_s=emitted / self.speed(command),
            )
        )

    def token_ids(self, command: protocol.Generate, count: int) -> list[int]:
        part_at = self.script.part_at
        parts = command.method != "off" and part_at >= 0
        return [i + (500 if parts and i >= part_at else 0) for i in range(count)]

    def done(
        self, command: protocol.Generate, prompt_tokens: int, emitted: list[str], steps: int, stopped: bool
    ) -> None:
        count = len(emitted)
        accepted = max(0, count - steps)
        decode_s = count / self.speed(command)
        self.send(
            protocol.Done(
                request_id=command.request_id,
                reason="aborted" if stopped else "length" if count >= command.max_tokens else "eos",
                text="".join(emitted), token_ids=self.token_ids(command, count), prompt_tokens=prompt_tokens,
                timings=Timings(
                    prefill_s=0.1, decode_s=decode_s, verify_s=decode_s * 0.9, draft_s=decode_s * 0.08,
                    other_s=decode_s * 0.02, time_to_first_token_s=0.1,
                    tokens_per_second=self.speed(command) if count else 0.0,
                    prefill_tokens_per_second=prompt_tokens / 0.1, other_cores=self.script.others, cores=2, threads=1,
                ),
                speculation=SpeculationFigures(
                    method=command.method, steps=steps, num_draft_tokens=2 * accepted,
                    num_accepted_draft_tokens=accepted, draft_acceptance_rate=0.5 if accepted else 0.0,
                    mean_acceptance_length=1 + accepted / steps if steps else 1.0,
                    acceptance_histogram=[0, accepted] if accepted else [],
                    per_position_acceptance=[1.0, 0.0] if accepted else [],
                    by_drafter={"draft": DrafterFigures(
                        steps=steps, num_draft_tokens=2 * accepted, num_accepted_draft_tokens=accepted
                    )} if accepted else {},
                ),
                memory=_MEMORY,
                draws=[0.5] * count if command.sampling.temperature > 0 else [],
            )
        )

    def measure_exactness(self, command: protocol.MeasureExactness) -> None:
        """Takes half a second, unless it is stopped."""
        for position in (60, 505, 900):
            self.send(protocol.Notice(request_id=command.request_id, message=f"Measuring at {position}."))
            if self.pause(0.15, command.request_id):
                self.fail(command.request_id, "aborted")
                return
        noise = [BatchNoise(position=60, rows=2, gap=0.0), BatchNoise(position=505, rows=8, gap=0.25)]
        self.send(protocol.Exactness(request_id=command.request_id, noise=noise, is_bit_exact=False, sentence="Not."))

    def score(self, command: protocol.Score) -> None:
        scores = []
        for position in command.positions or range(len(command.token_ids)):
            token_id = command.token_ids[position]
            logit = 10.0 if token_id < 500 else 9.9
            best = [Candidate(token_id=token_id % 500, text=f"word{token_id % 500} ", logit=10.0),
                    Candidate(token_id=token_id % 500 + 500, text="other ", logit=9.9)]
            scores.append(
                TokenScore(position=position, token_id=token_id, logit=logit, gap=10.0 - logit, best=best)
            )
        self.send(protocol.Scores(request_id=command.request_id, scores=scores))


if __name__ == "__main__":
    ScriptedWorker(parse(sys.argv[1:])).run()
