"""From commands to engine calls to events. Knows no pipe; ``send`` takes the events."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

import msgspec

from app import protocol
from app.engine import scoring
from app.engine.assemble import ControllerFactory, no_draft
from app.engine.backend import AbortFlag, DecodeAbortedError, Library, Model, Progress
from app.engine.context_shift import count_kept
from app.engine.controller import Controller, OffController
from app.engine.devices import DeviceFacts, list_devices
from app.engine.generate import Generation
from app.engine.grammar import grammar_of
from app.engine.prompt import encode_chat, render
from app.engine.sampling import Sampler
from app.engine.text import TextAssembler
from app.errors import Code, SlipstreamError
from app.machine.rest import Rest
from app.methods import LONGEST_DRAFT, parse_method
from app.models.gguf import read_header
from app.models.pairing import check_pair
from app.models.vocabulary import read_vocabulary
from app.paths import cache_dir
from app.records import LoadSettings, Message, Turn
from app.worker.answer_load import AnswerLoad
from app.worker.answering import AnswerStream
from app.worker.engines import Engines, LoadFeedback, LoadRequest
from app.worker.estimating import estimate
from app.worker.exactness import check_scores, measure_exactness
from app.worker.layers import fit_to_cards
from app.worker.memory import give_back_memory, measure_memory
from app.worker.preparing import Preparation
from app.worker.proving import part_of
from app.worker.quiet import Chore
from app.worker.states import ChatStates
from app.worker.tuning import read_tuning, tuning_file, write_tuning

Send = Callable[[protocol.Event], None]


class EngineSession:
    """Carries out commands one at a time; ``stop``, ``skip`` and ``set_speculation`` may come from another thread
    meanwhile. What is measured while the machine has no ``rest`` is provisional."""

    def __init__(self, library: Library, send: Send, rest: Rest | None = None) -> None:
        self._library = library
        self._send = send
        self._rest = rest or Rest()
        self._abort = AbortFlag()
        self._skip = AbortFlag()
        self._is_quiet = False
        self._lock = threading.Lock()
        self._running: int | None = None
        self._waiting: set[int] = set()
        self._stopped: set[int] = set()
        self._new_method: str | None = None
        self._target: Model | None = None
        self._draft: Model | None = None
        self._load_s = 0.0
        self._settings = LoadSettings()
        self._engine_sentence = ""
        self._draft_settings = LoadSettings()
        self._states = ChatStates(cache_dir() / "states", self.engine_name)
        self._assembly: ControllerFactory | None = None
        self.rpc_notes: list[str] = []
        """What could not be used of other machines, as sentences."""
        self._tuning = Path()

    @property
    def engine_name(self) -> str:
        return self._library.describe()

    # --- called from the reading thread

    def announce(self, command: protocol.Command) -> None:
        """A command is about to be queued; it can be stopped from now on."""
        with self._lock:
            self._waiting.add(command.request_id)
            if self._is_quiet:
                self._abort.set()

    def stop(self, command: protocol.Stop) -> None:
        with self._lock:
            if command.target_id == self._running:
                self._abort.set()
            elif command.target_id in self._waiting:
                self._stopped.add(command.target_id)
        self._send(protocol.Stopping(request_id=command.request_id, target_id=command.target_id))

    def skip(self, command: protocol.Skip) -> None:
        """End what the running command measures."""
        with self._lock:
            if command.target_id == self._running:
                self._skip.set()
        self._send(protocol.Skipping(request_id=command.request_id, target_id=command.target_id))

    def stop_everything(self) -> None:
        with self._lock:
            self._stopped |= self._waiting
            self._abort.set()

    def set_speculation(self, command: protocol.SetSpeculation) -> None:
        try:
            if parse_method(command.method).needs_draft and self._draft is None:
                raise no_draft()
        except SlipstreamError as error:
            self._send(_failed(command.request_id, error))
            return
        with self._lock:
            if self._running is not None or self._waiting:
                self._new_method = command.method
        self._send(protocol.SpeculationSet(request_id=command.request_id, method=command.method))

    # --- called from the main thread

    def carry_out(self, command: protocol.AnyCommand) -> None:
        """Carry out one command and send its ending event, whatever happens."""
        identity = command.request_id
        with self._lock:
            self._waiting.discard(identity)
            stopped = identity in self._stopped
            self._stopped.discard(identity)
            self._running = identity
            self._abort.clear()
            self._skip.clear()
            if stopped:
                self._abort.set()
        try:
            ending = self._dispatch(command)
        except SlipstreamError as error:
            ending = _failed(identity, error)
        except DecodeAbortedError:
            ending = _failed(identity, SlipstreamError(Code.ABORTED, "It was stopped.", "Start it again if you like."))
        except MemoryError:
            ending = _failed(
                identity,
                SlipstreamError(Code.OUT_OF_MEMORY, "The engine ran out of memory.",
                                "Take a smaller context or a smaller model, or close other programs."),
            )
        except Exception as error:  # noqa: BLE001 - a defect of ours must end the command, not the worker
            traceback.print_exc()
            ending = _failed(
                identity,
                SlipstreamError(Code.INTERNAL, f"The engine made a mistake ({type(error).__name__}).",
                                "Try again; the log has the details for a report."),
            )
        with self._lock:
            self._running = None
            if isinstance(command, protocol.Generate) or not self._waiting:
                self._new_method = None  # it was for this answer
        self._send(ending)

    def chores(self) -> list[Chore]:
        """What was decided while other programs worked, to be done again at the first quiet moment."""
        found: list[Chore] = []
        target, library, assembly = self._target, self._library, self._assembly
        if target is None:
            return found
        if isinstance(library, Engines) and library.unsettled is not None:
            found.append((f"engines {target.facts.path}", lambda: library.measure_again(self._abort)))
        if assembly is not None and assembly.is_provisional:
            found.append((f"costs {self._tuning}", self._measure_costs_again))
        return found

    def do_quietly(self, chore: Callable[[], None]) -> None:
        """Do one of ``chores`` unless a command waits; the next one ends it. What fails is left as it was."""
        with self._lock:
            if self._waiting:
                return
            self._abort.clear()
            self._is_quiet = True
        try:
            chore()
        except (DecodeAbortedError, SlipstreamError, OSError, MemoryError):
            return
        finally:
            with self._lock:
                self._is_quiet = False

    def _measure_costs_again(self) -> None:
        if self._assembly is not None and self._assembly.measure_again():
            write_tuning(self._tuning, self._assembly.learned)

    def close(self) -> None:
        self._unload_draft()
        if self._target is not None:
            self._target.close()
            self._target = None
        self._assemble()

    def _dispatch(self, command: protocol.AnyCommand) -> protocol.Event:
        match command:
            case protocol.Load():
                return self._load(command)
            case protocol.LoadDraft():
                return self._load_draft(command)
            case protocol.Unload():
                self.close()
            case protocol.UnloadDraft():
                self._unload_draft()
            case protocol.Generate():
                return self._generate(command)
            case protocol.Tokenize():
                ids = self._need_target().tokenize(command.text, add_special=command.add_special, parse_special=True)
                kept = [] if command.count_only else ids
                return protocol.Tokens(request_id=command.request_id, token_ids=kept, count=len(ids))
            case protocol.RenderTemplate():
                text = render(self._need_target().template, command.messages, command.add_generation_prompt,
                              thinking=command.thinking)
                return protocol.Rendered(request_id=command.request_id, text=text)
            case protocol.Score():
                return self._score(command)
            case protocol.MeasureExactness():
                say = self._notice_sender(command.request_id)
                return measure_exactness(self._need_target(), command.request_id, say)
            case protocol.Prepare():
                return self._prepare(command)
            case protocol.SaveState():
                saved = self._states.save(command.name, self._models(), command.limit_bytes)
                return protocol.StateSaved(request_id=command.request_id, saved_bytes=saved)
            case protocol.RestoreState():
                target, draft = self._states.restore(command.name, self._models())
                return protocol.StateRestored(request_id=command.request_id, tokens=target, draft_tokens=draft)
            case protocol.Devices():
                return _device_list(command.request_id, self.rpc_notes, self._list_devices())
            case protocol.Estimate():
                extra = not isinstance(self._library, Engines) or self._library.uses_extra_buffers("llama")
                return estimate(command, LONGEST_DRAFT + 1, self._target is not None, extra)
            case _:
                raise TypeError(f"{type(command).__name__} is not carried out here")
        return protocol.Unloaded(request_id=command.request_id, memory=measure_memory())

    def _list_devices(self) -> list[DeviceFacts]:
        """A library that does not run here is not even asked what it could compute on."""
        return list_devices(not isinstance(self._library, Engines) or self._library.may_run("llama"))

    def _need_target(self) -> Model:
        if self._target is None:
            raise SlipstreamError(Code.NO_MODEL_LOADED, "No model is loaded.", "Choose a model first.")
        return self._target

    def _load(self, command: protocol.Load) -> protocol.Loaded:
        self.close()
        progress = self._settle_engines(command)
        # Only now: what the models before held of the cards is free again.
        settings = fit_to_cards(command.path, command.settings, self._list_devices)
        command = msgspec.structs.replace(command, settings=settings)
        started = perf_counter()
        self._target = self._load_target(command, progress)
        self._load_s = perf_counter() - started
        self._settings = command.settings
        self._assemble()
        give_back_memory()
        return self._loaded(command.request_id, self._target, self._load_s)

    def _settle_engines(self, command: protocol.Load) -> Progress:
        """Have the engines tried where they were not yet; returns what the load's own progress is told."""
        progress = self._progress_sender(command.request_id)
        if not isinstance(self._library, Engines):
            return progress
        signs = LoadFeedback(self._notice_sender(command.request_id), part_of(progress, 0, 2))
        tried = self._library.settle(command.settings.engine, self._abort, signs)
        return part_of(progress, 1, 2) if tried else progress

    def _load_target(self, command: protocol.Load, progress: Progress) -> Model:
        most_rows = LONGEST_DRAFT + 1
        if not isinstance(self._library, Engines):
            return self._library.load(command.path, command.settings, most_rows, self._abort, progress)
        wish = LoadRequest(command.path, command.settings, again=command.measure_engines, failed=command.engine_failed)
        say_measuring = self._measuring_sender(command.request_id)
        signs = LoadFeedback(self._notice_sender(command.request_id), progress, say_measuring, self._skip)
        model, self._engine_sentence = self._library.load_target(wish, most_rows, self._abort, signs)
        self._states = ChatStates(cache_dir() / "states", self.engine_name)
        return model

    def _load_draft(self, command: protocol.LoadDraft) -> protocol.Loaded:
        target = self._need_target()
        _require_pair(target, command.path)  # a refused draft leaves the one that works
        self._unload_draft()
        settings = fit_to_cards(command.path, command.settings, self._list_devices)
        started = perf_counter()
        try:
            self._draft = self._library.load(
                command.path, settings, 1, self._abort, self._progress_sender(command.request_id)
            )
        except SlipstreamError as error:
            if error.code in (Code.MODEL_LOAD_FAILED, Code.OUT_OF_MEMORY):
                raise SlipstreamError(
                    Code.DRAFT_LOAD_FAILED, f"The draft could not be loaded: {error.message}",
                    "The target is still there; go on without a draft, or choose another one.",
                ) from error
            raise
        self._draft_settings = settings
        seconds = perf_counter() - started
        self._load_s += seconds
        self._assemble()
        give_back_memory()
        return self._loaded(command.request_id, self._draft, seconds)

    def _prepare(self, command: protocol.Prepare) -> protocol.Prepared:
        target = self._need_target()
        self._unload_draft()
        _require_pair(target, command.path)

        def say(fraction: float, message: str) -> None:
            self._send(protocol.PrepareProgress(request_id=command.request_id, fraction=fraction, message=message))

        return Preparation(self._library, target, command, self._abort, say, self._rest).run()

    def _models(self) -> list[tuple[Model | None, LoadSettings]]:
        """Target and draft, each with the settings it was loaded with."""
        return [(self._target, self._settings), (self._draft, self._draft_settings)]

    def _unload_draft(self) -> None:
        if self._draft is not None:
            self._draft.close()
            self._draft = None
        self._assemble()

    def _assemble(self) -> None:
        if self._target is None:
            self._assembly = None
            return
        self._tuning = self._tuning_file(self._target)
        learned = read_tuning(self._tuning)
        title = self._draft.facts.name if self._draft else ""
        self._assembly = ControllerFactory(self._target, self._draft, title, learned, self._rest, self._skip)

    def _tuning_file(self, target: Model) -> Path:
        return tuning_file(
            cache_dir() / "tuning", self._library.name, target.facts, self._draft.facts if self._draft else None,
            self._settings, self._draft_settings,
        )

    def _controller(self, method: str, sampler: Sampler, request_id: int) -> Controller:
        if self._assembly is None:
            raise SlipstreamError(Code.NO_MODEL_LOADED, "No model is loaded.", "Choose a model first.")
        say = self._measuring_sender(request_id)
        return self._assembly.controller(
            parse_method(method), sampler, lambda: say("Measuring this model on this machine, once."), lambda: say("")
        )

    def _remember(self, calm: bool) -> None:
        learned = self._assembly.snapshot(calm) if self._assembly else None
        if learned is not None:
            write_tuning(self._tuning, learned)

    def _loaded(self, request_id: int, model: Model, seconds: float) -> protocol.Loaded:
        return protocol.Loaded(
            request_id=request_id, facts=model.facts, memory=measure_memory(), load_s=seconds,
            engine=self.engine_name, engine_sentence=self._engine_sentence,
        )

    def _notice_sender(self, request_id: int) -> Callable[[str], None]:
        return lambda message: self._send(protocol.Notice(request_id=request_id, message=message))

    def _measuring_sender(self, request_id: int) -> Callable[[str], None]:
        """Says what is measured now and can be skipped; "" when that is over."""
        return lambda message: self._send(
            protocol.Notice(request_id=request_id, message=message, skippable=bool(message))
        )

    def _progress_sender(self, request_id: int) -> Callable[[float], None]:
        last = [-1.0]

        def send(fraction: float) -> None:
            if fraction - last[0] >= 0.01 or fraction >= 1.0:
                last[0] = fraction
                self._send(protocol.LoadProgress(request_id=request_id, fraction=fraction))

        return send

    def _encode(
        self, messages: Sequence[Message | Turn], prompt: str, raw: bool, tools: str = "", thinking: bool | None = None,
        begun: str = "",
    ) -> list[int]:
        target = self._need_target()
        if messages:
            ids = encode_chat(target, messages, tools, thinking, begun)
        elif raw:
            ids = target.tokenize(prompt, add_special=True, parse_special=True)
        else:
            ids = encode_chat(target, [Message(role="user", content=prompt)], thinking=thinking, begun=begun)
        if not ids:
            raise SlipstreamError(Code.SETTINGS_INVALID, "The prompt is empty.", "Write something first.")
        room = target.facts.ctx_tokens
        if len(ids) >= room:
            raise SlipstreamError(
                Code.PROMPT_TOO_LONG,
                f"The prompt has {len(ids)} tokens, but the context holds {room}.",
                "Shorten it, start a new chat, or load the model with a larger context.",
            )
        return ids

    def _generate(self, command: protocol.Generate) -> protocol.Done:
        target = self._need_target()
        prompt = self._encode(
            command.turns or command.messages, command.prompt, command.raw, command.tools, command.thinking,
            command.begun,
        )
        if command.cold:
            for model in filter(None, (None if command.keep_prompt else target, self._draft)):
                model.truncate(0)
        with ExitStack() as stack:
            grammar = grammar_of(target, command.grammar, command.shape)
            if grammar is not None:
                stack.callback(grammar.close)
            return self._answer(command, target, prompt, Sampler(command.sampling, grammar))

    def _answer(
        self, command: protocol.Generate, target: Model, prompt: list[int], sampler: Sampler
    ) -> protocol.Done:
        request_id = command.request_id
        load = AnswerLoad(self._rest, self._settings.threads)
        if self._assembly is not None:
            self._assembly.begin_answer()
        try:
            controller = self._controller(command.method, sampler, request_id)
        except DecodeAbortedError:  # stopped while measuring: the run, which looks at the flag, ends at once
            controller = OffController()
        run = Generation(
            target, self._draft, controller, sampler, prompt, command.max_tokens, self._abort, command.on_full,
            sees_rest=load.see_step,
        )
        if command.on_full == "shift":
            run.keep_tokens = count_kept(target, prompt, command.turns or command.messages, command.tools)
        text = TextAssembler(command.stop)
        AnswerStream(run, text, request_id, self._send, self._change_method, load, command.gather_s).stream()
        reason = "stop" if text.stopped else run.reason
        timings = load.add_to(run.stats.timings(self._load_s))
        self._remember(load.was_calm)
        return protocol.Done(
            request_id=request_id,
            reason=reason,
            text=text.text,
            token_ids=run.token_ids,
            prompt_tokens=len(prompt),
            cached_tokens=run.stats.cached_tokens,
            timings=timings,
            speculation=run.stats.speculation(command.method, run.controller.sentence),
            memory=measure_memory(),
            # tokens of rejection sampling have no one number behind them, so numbers would not stand by their tokens
            draws=run.draws if len(run.draws) == len(run.token_ids) else [],
            dropped_tokens=run.stats.dropped_tokens,
        )

    def _change_method(self, run: Generation, request_id: int) -> None:
        with self._lock:
            method, self._new_method = self._new_method, None
        if method is not None:
            run.controller = self._controller(method, run.sampler, request_id)
            run.controller.begin(run.context)

    def _score(self, command: protocol.Score) -> protocol.Scores:
        target = self._need_target()
        prompt = self._encode(command.messages, command.prompt, command.raw)
        if not all(0 <= token < target.facts.vocab_size for token in command.token_ids):
            raise SlipstreamError(
                Code.SETTINGS_INVALID, "Some of the tokens to be scored are none of this model.",
                "Score what the same model wrote.",
            )
        sampler = Sampler(command.sampling) if command.sampling is not None else None
        if command.check:
            return check_scores(target, prompt, command, sampler, self._notice_sender(command.request_id))
        scores = scoring.score(target, prompt, command.token_ids, command.positions, sampler, command.draws)
        return protocol.Scores(request_id=command.request_id, scores=scores)


def _require_pair(target: Model, draft: str) -> None:
    vocabularies = [read_vocabulary(read_header(path)) for path in (target.facts.path, draft)]
    verdict = check_pair(*vocabularies)
    if not verdict.compatible:
        raise SlipstreamError(
            Code.DRAFT_INCOMPATIBLE,
            f"This model cannot draft for {target.facts.name}: {verdict.reason}",
            "Choose a draft of the same family.",
        )


def _failed(request_id: int, error: SlipstreamError) -> protocol.Failed:
    return protocol.Failed(request_id=request_id, code=error.code, message=error.message, hint=error.hint)


def _device_list(request_id: int, notes: list[str], devices: Sequence[DeviceFacts]) -> protocol.DeviceList:
    return protocol.DeviceList(
        request_id=request_id, notes=notes,
        devices=[
            protocol.Device(
                name=device.name, description=device.description, kind=device.kind,
                free_bytes=device.free_bytes, total_bytes=device.total_bytes,
            )
            for device in devices
        ],
    )
