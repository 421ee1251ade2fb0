"""Which engine is the faster one for a model on this machine: measured once, kept, and said in a sentence."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec
import psutil

from app.engine.backend import AbortFlag, EitherFlag, Progress
from app.errors import Code, SlipstreamError
from app.files import try_to_write
from app.installed import TITLES
from app.machine.load import CALM_SHARE
from app.machine.rest import Rest
from app.models.gguf import read_header
from app.records import BLOCK_CACHE_TYPES, LoadSettings, Record
from app.sentences import Text, as_record, joined, read, say
from app.worker.engine_trial import CONTEXT_TOKENS, Job, Round, Trial

LEAST_ROUNDS, MOST_ROUNDS, BUDGET_S = 2, 40, 3.0
CLOSE, CLOSE_BUDGET_S = 1.12, 12.0
"""Where one is better by less than this, it takes longer to tell them apart."""
MEASUREMENT = 3
"""Raised whenever measuring changes, so that what was stored by another way of it is measured again. 2: the first pass
after a rest is not timed. 3: what other programs did meanwhile is measured, and nothing is kept beside them."""
MOST_TRIES = 3
CALM = 1.5
"""Where the median pass takes so many times the shortest, something disturbed it: measure again next time."""
PATIENCE_S = 120.0
ACCEPTANCE = 0.6
"""The share of guesses taken to be right when passes over several tokens are weighed: that of drafts on mixed work."""
WORTH_LEAVING = 1.08
"""The second engine must be better by this: less is within what the measurement can tell. Five measurements of one BF16
model of 1.5B came out between 0.98 and 1.05."""
_HASHED_BYTES = 1024 * 1024


class Decision(Record, frozen=True, kw_only=True):
    """Which engine runs a model here, and why, in a sentence.

    ``figures`` are, by engine, the seconds of a pass over so many tokens. ``tries`` measurements at rest are behind
    them; while they are not ``is_firm`` they are measured again when the machine is at rest. Figures ``under_load`` say
    nothing of rest. ``news`` is said once, with the next load.
    """

    engine: str
    sentence: Text
    figures: dict[str, dict[int, float]] = msgspec.field(default_factory=dict)
    is_firm: bool = True
    tries: int = 1
    under_load: bool = False
    news: Text = ""

    @property
    def is_settled(self) -> bool:
        """Whether it is not measured again by itself."""
        return self.is_firm or self.tries >= MOST_TRIES


@dataclass(frozen=True)
class LoadRequest:
    """What is to be loaded. ``again`` measures whatever is stored; ``failed``: the second engine crashed with it.

    ``extra_buffers`` says how llama.cpp is used here, by its proof.
    """

    path: str
    settings: LoadSettings
    again: bool = False
    failed: bool = False
    extra_buffers: bool = True


@dataclass(frozen=True)
class LoadFeedback:
    """Where a load tells a person what it does, and how much of it is done."""

    say: Callable[[str], None]
    progress: Progress
    say_measuring: Callable[[str], None] = lambda _: None
    """What is measured now, which ``skip`` ends; "" when that is over."""
    skip: AbortFlag = field(default_factory=AbortFlag)


class EngineChooser:
    """Decides by a stored measurement, or measures.

    ``command`` runs this program's worker; ``versions`` are the installed packages by engine, with their versions.
    What is measured while the machine has no ``rest`` is provisional.
    """

    def __init__(
        self, folder: Path, command: Sequence[str], versions: dict[str, str], rest: Rest | None = None
    ) -> None:
        self._folder = folder
        self._command = list(command)
        self._versions = versions
        self._rest = rest or Rest()

    def decide(self, wish: LoadRequest, abort: AbortFlag, signs: LoadFeedback) -> Decision:
        """Raises ``SlipstreamError`` (``ABORTED``)."""
        if len(self._versions) < 2:
            only = next(iter(self._versions), "llama")
            missing = "ik" if only == "llama" else "llama"
            sentence = say("{name}, since {other} is not installed.", name=TITLES[only], other=TITLES[missing])
            return Decision(engine=only, sentence=sentence)
        reason = _reason_for_first(wish.path, wish.settings)
        if reason:
            return Decision(engine="llama", sentence=reason)
        file = self._file(wish)
        known = _read(file)
        stored = None if wish.again else known
        if wish.failed and (stored is None or stored.engine == "ik"):
            decision = _CRASHED
        elif stored is not None and (stored.is_settled or not self._is_at_rest()):
            return self._said(file, stored)
        else:
            measured = self._try_both(wish, stored, abort, signs)
            if measured is None and known is not None:
                return known
            decision = measured or _SKIPPED
        _write(file, decision)
        return decision

    def measure_again(self, wish: LoadRequest, abort: AbortFlag) -> bool:
        """Settle what was decided provisionally, for the next load, while nobody waits for it; whether it is settled.

        Nothing is kept where the flag ends it, other programs begin to work, or memory has no room for the model beside
        the loaded one. Raises ``OSError`` where the model's file is gone.
        """
        file = self._file(wish)
        before = _read(file)
        if 1.25 * os.path.getsize(wish.path) > psutil.virtual_memory().available:
            return False
        rounds = self._measure(wish, abort, LoadFeedback(lambda _: None, lambda _: None))
        if abort:
            return False
        decision = weigh(rounds, before, self._rest.cores)
        if decision.under_load or decision == before:
            return False
        if before is not None and before.engine != decision.engine:
            decision = msgspec.structs.replace(decision, news=say("It was chosen anew while other programs rested."))
        _write(file, decision)
        return decision.is_settled

    def _said(self, file: Path, stored: Decision) -> Decision:
        """What is new about a stored decision is said with it, once."""
        if not stored.news:
            return stored
        _write(file, msgspec.structs.replace(stored, news=""))
        return msgspec.structs.replace(stored, sentence=joined([stored.sentence, stored.news]), news="")

    def _is_at_rest(self) -> bool:
        self._rest.settle()
        return self._rest.is_calm

    def _file(self, wish: LoadRequest) -> Path:
        return self._folder / f"engine-{self._key(wish)}.json"

    def _try_both(
        self, wish: LoadRequest, before: Decision | None, abort: AbortFlag, signs: LoadFeedback
    ) -> Decision | None:
        """None where it was skipped before both had been measured."""
        signs.say_measuring(say("Measuring llama.cpp and ik_llama.cpp with this model on this machine, once."))
        calm = self._rest.has_all_threads
        with self._rest.without_children():
            rounds = self._measure(wish, abort, signs)
        if abort:
            raise SlipstreamError(
                Code.ABORTED, say("Loading was stopped."), say("Load the model again when you need it.")
            )
        signs.say_measuring("")
        if not signs.skip:
            return weigh(rounds, before, self._rest.cores, calm)
        # Before the skip both may have told something; a trial that was ended has a last round without figures.
        told = {name: [found for found in each if found.passes_s] for name, each in rounds.items()}
        if not all(told.values()) or (before is not None and not before.under_load):
            return before
        measured = weigh(told, None, self._rest.cores, calm)
        words = measured.sentence if measured.under_load else joined([measured.sentence, _CUT_SHORT])
        return msgspec.structs.replace(measured, is_firm=False, tries=0, sentence=words)

    def _measure(self, wish: LoadRequest, abort: AbortFlag, signs: LoadFeedback) -> dict[str, list[Round]]:
        """Rounds of both engines in turn, so that what else the machine does meets both; one after the other where
        memory does not hold the model twice."""
        rounds: dict[str, list[Round]] = {"llama": [], "ik": []}
        ending = EitherFlag(abort, signs.skip)
        together = 2.5 * os.path.getsize(wish.path) < psutil.virtual_memory().available
        for group in (("llama", "ik"),) if together else (("llama",), ("ik",)):
            with ExitStack() as stack:
                trials = {name: stack.enter_context(self._start(name, wish)) for name in group}
                began, share = 0.0, 0.0
                for number in range(MOST_ROUNDS):
                    for name, trial in trials.items():
                        if not ending and (number == 0 or rounds[name][-1].passes_s):
                            signs.progress(min(share, 1.0))
                            rounds[name].append(trial.ask(ending, PATIENCE_S))
                    if ending or any(found.on_gpu for found in rounds["llama"]):
                        return rounds
                    began = began or perf_counter()  # loading does not count
                    budget_s = CLOSE_BUDGET_S if _are_close(rounds) else BUDGET_S
                    spent_s, whole_s = perf_counter() - began, budget_s * len(group) / 2
                    if number + 1 >= LEAST_ROUNDS and spent_s > whole_s:
                        break
                    share = spent_s / whole_s if whole_s else 1.0
        return rounds

    def _start(self, name: str, wish: LoadRequest) -> Trial:
        # The children would take each other for other programs, so this process says with how many threads.
        threads = wish.settings.threads or self._rest.threads
        short = msgspec.structs.replace(wish.settings, ctx_tokens=CONTEXT_TOKENS, threads=threads)
        job = Job(engine=name, path=wish.path, settings=short, extra_buffers=wish.extra_buffers)
        return Trial(self._command, job)

    def _key(self, wish: LoadRequest) -> str:
        """Models are told apart by size and beginning; a longer context changes nothing in who is faster."""
        with open(wish.path, "rb") as file:
            beginning = hashlib.blake2b(file.read(_HASHED_BYTES)).hexdigest()
        shape = msgspec.structs.replace(wish.settings, ctx_tokens=0, engine="auto")
        identity = [str(MEASUREMENT), str(os.path.getsize(wish.path)), beginning, repr(shape)]
        identity.append(repr(sorted(self._versions.items())))
        identity += [] if wish.extra_buffers else ["without extra buffers"]
        identity += [platform.processor() or platform.machine(), str(os.cpu_count())]
        return hashlib.sha256("\n".join(identity).encode()).hexdigest()[:24]


_UNDER_LOAD = say("It was measured while other programs were busy, and is measured again when they rest.")
_CUT_SHORT = say("Measuring was skipped; it is measured again when other programs rest.")
_SKIPPED = Decision(
    engine="llama", is_firm=False, tries=0, under_load=True,
    sentence=say("llama.cpp, since measuring was skipped; it is measured when other programs rest."),
)
_CRASHED = Decision(engine="llama", sentence=say("llama.cpp, since ik_llama.cpp crashed while it ran this model."))


def _reason_for_first(path: str, settings: LoadSettings) -> str:
    """Why the second engine is not even tried, as a sentence; "" if it is."""
    if settings.flash_attn == "off" and settings.cache_type_v in BLOCK_CACHE_TYPES:
        # which the first engine says better
        return say("llama.cpp, since these cache types are not possible with either.")
    try:
        metadata = read_header(path, with_tokens=False).metadata
    except (SlipstreamError, OSError):
        return say("llama.cpp, since the file's header cannot be read.")
    architecture = str(metadata.get("general.architecture", ""))
    if metadata.get(f"{architecture}.attention.sliding_window"):
        return say("llama.cpp, since ik_llama.cpp is known to fail with models that have a sliding window.")
    if any(re.fullmatch(rf"{re.escape(architecture)}\.ssm\..*", key) for key in metadata):
        return say("llama.cpp, since ik_llama.cpp cannot take back the running state that this model keeps.")
    return ""


def weigh(
    rounds: dict[str, list[Round]], before: Decision | None = None, cores: int = 1, calm: bool = True
) -> Decision:
    """The engine with the better speed, plain and with guesses, by its shortest passes.

    Those ``before`` are included where neither they nor these were taken under load; of the two, what was measured at
    rest counts alone. ``calm``: passes had all threads.
    """
    if any(found.on_gpu for found in rounds["llama"]):
        return Decision(engine="llama", sentence=say("llama.cpp, since it computes on the graphics card."))
    under_load = not calm or any(_met_load(found, cores) for found in rounds.values())
    figures = {name: _shortest(found) for name, found in rounds.items() if any(r.passes_s for r in found)}
    for name, other in (("ik", "llama"), ("llama", "ik")):
        if name not in figures:
            trouble = next((found.trouble for found in rounds[name] if found.trouble), say("It gave no figures."))
            return Decision(
                engine=other if other in figures else "llama", figures=figures, under_load=under_load,
                is_firm=not under_load, tries=0 if under_load else 1,
                sentence=joined([
                    say("{name}, since {other} does not run this model:", name=TITLES[other], other=TITLES[name]),
                    trouble,
                ]),
            )
    if before is not None and (before.under_load or not before.figures):
        before = None
    if under_load and before is not None:
        return before
    tries = 0 if under_load else 1
    if before is not None:
        tries += before.tries
        for name, earlier in before.figures.items():
            for length, seconds in earlier.items():
                figures[name][length] = min(seconds, figures[name].get(length, seconds))
    better = _worth(figures["ik"]) > WORTH_LEAVING * _worth(figures["llama"])
    chosen, other = ("ik", "llama") if better else ("llama", "ik")
    return Decision(
        engine=chosen, figures=figures, tries=tries, under_load=under_load,
        sentence=joined([_explain(chosen, other, figures), _UNDER_LOAD if under_load else ""]),
        is_firm=not under_load and all(_was_calm(found) for found in rounds.values()),
    )


def _met_load(rounds: Sequence[Round], cores: int) -> bool:
    """Whether other programs took more than their share of the machine while this engine was measured."""
    wall_s = sum(found.wall_s for found in rounds)
    return sum(found.others_s for found in rounds) > CALM_SHARE * cores * wall_s


def _are_close(rounds: dict[str, list[Round]]) -> bool:
    if not all(any(found.passes_s for found in each) for each in rounds.values()):
        return False
    ratio = _worth(_shortest(rounds["ik"])) / _worth(_shortest(rounds["llama"]))
    return 1 / CLOSE < ratio < CLOSE


def _explain(chosen: str, other: str, figures: dict[str, dict[int, float]]) -> str:
    mine, theirs = figures[chosen], figures[other]
    return say(
        "{name}, measured here with this model: {plain} tokens/s plain where {other} has {rate}, and four tokens "
        "checked in {mine} ms where it takes {theirs} ms.",
        name=TITLES[chosen], plain=f"{1 / mine[1]:.0f}", other=TITLES[other], rate=f"{1 / theirs[1]:.0f}",
        mine=f"{mine[4] * 1000:.0f}", theirs=f"{theirs[4] * 1000:.0f}",
    )


def _shortest(rounds: Sequence[Round]) -> dict[int, float]:
    """Whatever else a machine does makes a pass longer, never shorter."""
    kept = [found.passes_s for found in rounds if found.passes_s]
    return {length: min(found[length] for found in kept) for length in kept[0]}


def _was_calm(rounds: Sequence[Round]) -> bool:
    plain = [found.passes_s[1] for found in rounds if found.passes_s]
    return median(plain) <= CALM * min(plain)


def _worth(passes_s: dict[int, float]) -> float:
    """Geometric mean of the plain speed and of the best speed with guesses, in tokens/s."""
    plain = 1 / passes_s[1]
    guessed = max(
        sum(ACCEPTANCE**position for position in range(length)) / seconds for length, seconds in passes_s.items()
    )
    return float((plain * guessed) ** 0.5)


def _read(path: Path) -> Decision | None:
    try:
        decision = msgspec.json.decode(path.read_bytes(), type=Decision, dec_hook=read)
    except (OSError, msgspec.DecodeError):
        return None
    return decision if decision.engine in TITLES else None


def _write(path: Path, decision: Decision) -> None:
    """Best effort: on a disk that takes nothing, the next load measures again."""
    try_to_write(path, msgspec.json.encode(decision, enc_hook=as_record))
