"""The libraries that can run models here: llama.cpp and ik_llama.cpp, one at a time for target and draft."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from app.engine.backend import AbortFlag, DecodeAbortedError, Library, Model, Progress, ThreadCount
from app.errors import Code, SlipstreamError
from app.installed import TITLES, installed_engines, library_identity, proofs_dir
from app.machine.rest import Rest
from app.records import LoadSettings
from app.sentences import joined, say
from app.worker.engine_choice import Decision, EngineChooser, LoadFeedback, LoadRequest
from app.worker.engine_trial import check_passes_agree, trial_tokens
from app.worker.fitness import Fitness
from app.worker.proving import Prover

__all__ = ["Engines", "LoadFeedback", "LoadRequest", "installed_engines", "make_engines", "open_library"]

ONE_A_PROCESS = sys.platform == "win32"
"""There the two libraries' files have the same names, and the loader would take one's for the other's."""


def open_library(
    name: str, on_log: Callable[[str], None], threads: ThreadCount | None = None, extra_buffers: bool = True
) -> Library:
    """``threads`` governs passes of models whose settings name no number; ``extra_buffers`` is llama.cpp's alone.

    Raises ``ImportError``, ``OSError`` and ``RuntimeError``, as the loader does.
    """
    if name == "ik":
        from app.engine.backends.ik import IkLibrary

        return IkLibrary(on_log, threads)
    from app.engine.backends import llama

    return llama.LlamaLibrary(on_log, threads, extra_buffers)


class Engines:
    """A ``LlamaLibrary`` that is one of several, imported when it is first needed."""

    def __init__(
        self, on_log: Callable[[str], None], chooser: EngineChooser, installed: dict[str, str],
        one_a_process: bool = ONE_A_PROCESS, threads: ThreadCount | None = None, prover: Prover | None = None,
    ) -> None:
        self._on_log = on_log
        self._fitness = Fitness(installed, prover)
        self._threads = threads
        self._chooser = chooser
        self._installed = installed
        self._one_a_process = one_a_process
        self._libraries: dict[str, Library] = {}
        self._current = next(iter(installed), "llama")
        self.unsettled: LoadRequest | None = None
        """What was loaded by a provisional choice of the engine."""

    @property
    def name(self) -> str:
        return self._current

    def describe(self) -> str:
        return self._installed.get(self._current, "")

    def may_run(self, name: str) -> bool:
        """Whether nothing speaks against calling this library, by what is known already."""
        return not self._fitness.refusal(name)

    def uses_extra_buffers(self, name: str) -> bool:
        return self._fitness.uses_extra_buffers(name)

    def settle(self, wanted: str, abort: AbortFlag, signs: LoadFeedback) -> bool:
        """Have every engine tried on this processor that ``wanted`` may come to. Before anything calls a library.

        Returns whether there was one that had not been tried before.

        Raises:
            SlipstreamError: ``ABORTED``.
        """
        return self._fitness.settle(wanted, abort, signs)

    def load_target(self, wish: LoadRequest, max_rows: int, abort: AbortFlag, signs: LoadFeedback) -> tuple[Model, str]:
        """Settle which engine runs this target and its draft, and load it there. Returns also why that engine.

        Raises:
            SlipstreamError: as ``load`` does; ``SETTINGS_INVALID`` also where the engine that was asked for is not
                there; ``ENGINE_BUSY`` where this process cannot change its engine; ``WORKER_START_FAILED`` where none
                runs on this processor, or not the one that was asked for.
        """
        self.settle(wish.settings.engine, abort, signs)
        wish = replace(wish, extra_buffers=self._fitness.uses_extra_buffers("llama"))
        decision = self._decide(wish, abort, signs)
        self.unsettled = None if decision.is_settled else wish
        self._take(decision.engine)
        try:
            model = self.load(wish.path, wish.settings, max_rows, abort, signs.progress)
            warning = _warn(model) if wish.settings.engine == "ik" else self._remarks(wish.path)
            return model, joined([decision.sentence, warning])
        except SlipstreamError as error:
            passing = error.code in (Code.ABORTED, Code.MODEL_NOT_FOUND, Code.SETTINGS_INVALID)
            if wish.settings.engine != "auto" or self._current != "ik" or not self._has_first() or passing:
                raise
            sentence = joined([say("llama.cpp, since ik_llama.cpp did not load this model:"), error.message])
        signs.say(sentence)
        self._take("llama")
        model = self.load(wish.path, wish.settings, max_rows, abort, signs.progress)
        return model, joined([sentence, self._remarks(wish.path)])

    def _decide(self, wish: LoadRequest, abort: AbortFlag, signs: LoadFeedback) -> Decision:
        engine = wish.settings.engine
        if engine == "auto":
            return self._decide_by_itself(wish, abort, signs)
        if engine not in self._installed:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, say("The engine {name} is not installed.", name=TITLES[engine]),
                say("Take the other engine, or leave the choice to the program."),
            )
        if self._fitness.refusal(engine):
            raise self._fitness.refuse(engine)
        return Decision(engine=engine, sentence=say("{name}, as was asked for.", name=TITLES[engine]))

    def measure_again(self, abort: AbortFlag) -> None:
        """Settle a provisional choice for the next load. Raises ``OSError`` where the model's file is gone."""
        if self.unsettled is not None and self._chooser.measure_again(self.unsettled, abort):
            self.unsettled = None

    def _decide_by_itself(self, wish: LoadRequest, abort: AbortFlag, signs: LoadFeedback) -> Decision:
        fit = self._fitness.candidates(wish.path)
        if len(fit) == len(self._installed):
            return self._chooser.decide(wish, abort, signs)
        (engine,) = fit
        (other,) = (name for name in self._installed if name != engine)
        return Decision(engine=engine, sentence=self._fitness.why_not(other, engine, wish.path))

    def _remarks(self, path: str) -> str:
        """What a person has to know of the engine that runs the model; "" where all is as it should be."""
        flaw, before = self._fitness.flaw(self._current, path), self._fitness.reason_without(self._current)
        return joined([
            say("It runs without extra buffers, since with them {reason}.", reason=before) if before else "",
            say("But it computes {kind} weights wrongly on this processor ({reason}): its answers may be wrong.",
                kind=flaw.kind, reason=flaw.trouble) if flaw else "",
        ])

    def _has_first(self) -> bool:
        return "llama" in self._installed and not self._fitness.refusal("llama")

    def _take(self, name: str) -> None:
        self._get(name)
        self._current = name

    def load(
        self, path: str, settings: LoadSettings, max_rows: int, abort: AbortFlag, on_progress: Progress
    ) -> Model:
        return self._get(self._current).load(path, settings, max_rows, abort, on_progress)

    def quantize(
        self, source: str, destination: str, kind: str, *, whole: bool = False, threads: int = 0,
        widths: Mapping[str, int] | None = None,
    ) -> None:
        self._get(self._current).quantize(source, destination, kind, whole=whole, threads=threads, widths=widths)

    def _get(self, name: str) -> Library:
        if name in self._libraries:
            return self._libraries[name]
        if self._libraries and self._one_a_process:
            raise SlipstreamError(
                Code.ENGINE_BUSY, say("The engine's process holds the other engine and has to be started anew."),
                say("Load the model again."),
            )
        try:
            library = open_library(name, self._on_log, self._threads, self._fitness.uses_extra_buffers(name))
        except (ImportError, OSError, RuntimeError) as error:
            words = " ".join(str(error).split())[:160]
            raise SlipstreamError(
                Code.WORKER_START_FAILED,
                say("The library of {name} cannot be loaded: {reason}.", name=TITLES[name], reason=words),
                say("Take the other engine, or install the program again."),
            ) from error
        self._libraries[name] = library
        return library


def _warn(model: Model) -> str:
    """What a person who chose the second engine by hand must know; by itself the program would not take it then."""
    try:
        check_passes_agree(model, trial_tokens(model))
    except SlipstreamError as error:
        if error.code != Code.MODEL_UNSUPPORTED:
            return ""  # there was no room to try it in
        return joined([
            say("But it computes this model differently in long passes and in short ones: its answers may be wrong."),
            say("llama.cpp runs it as it should be."),
        ])
    except DecodeAbortedError:
        return ""  # the load ends for the same reason
    finally:
        model.truncate(0)
    return ""


def make_engines(command: Sequence[str], on_log: Callable[[str], None], threads: ThreadCount, rest: Rest) -> Engines:
    """Those of this program. ``command`` runs its worker, for trials."""
    installed = installed_engines()
    # a library that was built anew under the same version may be another matter
    versions = {name: f"{words} {library_identity(name)}" for name, words in installed.items()}
    chooser, prover = EngineChooser(proofs_dir(), command, versions, rest), make_prover(command)
    return Engines(on_log, chooser, installed, threads=threads, prover=prover)


def make_prover(command: Sequence[str]) -> Prover:
    """Of the installed engines. ``command`` runs this program's worker."""
    return Prover(proofs_dir(), command, installed_engines())
