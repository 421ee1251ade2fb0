"""What a person has chosen to compare, and the plan made from it. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import QCoreApplication

from app import paths
from app.compare.plan import Plan, Prompt, PromptFile, StoppingRule, choose_prompts, parse_prompts
from app.compare.prompt_text import read_prompts
from app.compare.side import LETTERS, ModelSetup, Side, name_apart
from app.compare.sweep import sweep_sides
from app.compare.trial import hash_file
from app.errors import Code, SlipstreamError
from app.gui.controllers.compare_names import NameOf, describe_sides, uses_draft
from app.methods import parse_method
from app.records import REMOTE, LoadSettings, Message, Sampling
from app.sentences import say
from app.settings.scopes import AnswerChoice, Answering, LoadChoice, apply_answers, apply_load, speculation_from
from app.settings.settings import Settings, Speculation

Source = Literal["typed", "shipped", "chat", "file"]
SEED = 1
TOKENS = 96
SWEEP_TOKENS = 64
SWEEP_MINUTES = 30
LIMIT_MINUTES = 3
"""For two to four sides."""
QUICK_ROUNDS = 2
_MOST_PROMPT_BYTES = 10_000_000

_translate = QCoreApplication.translate


@dataclass(frozen=True)
class SideChoice:
    """``draft_path`` is "" for none. ``load``, ``draft_load``, ``answers`` and ``engine`` ("" for as set) hold for this
    side alone."""

    target_path: str = ""
    draft_path: str = ""
    speculation: Speculation = field(default_factory=Speculation)
    load: LoadChoice = field(default_factory=LoadChoice)
    draft_load: LoadChoice = field(default_factory=LoadChoice)
    answers: AnswerChoice = field(default_factory=AnswerChoice)
    engine: str = ""


@dataclass(frozen=True)
class OwnPrompts:
    """Prompts of a person's file."""

    file: PromptFile
    prompts: tuple[Prompt, ...]


@dataclass(frozen=True)
class PromptChoice:
    """``kinds`` are for the shipped prompts, ``per_kind`` for these and for those of a file; ``messages`` are the
    chat's up to its last question."""

    source: Source = "typed"
    text: str = ""
    kinds: tuple[str, ...] = ()
    per_kind: int = 1
    messages: tuple[Message, ...] = ()
    own: OwnPrompts | None = None


@dataclass(frozen=True)
class Comparison:
    """Everything that is needed to start. ``title`` is what the list of kept results calls it; ``budget_s`` makes it a
    sweep that takes no longer; ``limit_s`` is for what is none: no more rounds than there is time for."""

    plan: Plan
    title: str
    side_by_side: bool = False
    budget_s: float | None = None
    limit_s: float | None = None

    @property
    def is_sweep(self) -> bool:
        return self.budget_s is not None

    @property
    def in_blocks(self) -> bool:
        return not self.side_by_side and len({side.setup for side in self.plan.sides}) > 1


def shipped_prompts() -> list[Prompt]:
    """Raises ``SlipstreamError`` (``FILE``)."""
    path = paths.prompts_file()
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SlipstreamError(
            Code.FILE,
            say("The prompts that ship with the program could not be read: {reason}.", reason=error.strerror),
            say("Install Slipstream again."),
        ) from error
    return parse_prompts(text, path.name)


def shipped_kinds() -> list[str]:
    return list(dict.fromkeys(prompt.kind for prompt in shipped_prompts()))


def read_own_prompts(path: Path) -> OwnPrompts:
    """Raises ``SlipstreamError`` (``FILE``)."""
    try:
        if path.stat().st_size > _MOST_PROMPT_BYTES:
            raise SlipstreamError(
                Code.FILE, _translate("Compare", "“{name}” is too large for a file of prompts.").format(name=path.name),
                _translate("Compare", "Choose a file of less than 10 MB."),
            )
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) and error.strerror
                  else _translate("Compare", "it is not text in UTF-8"))
        raise SlipstreamError(
            Code.FILE, _translate("Compare", "“{name}” could not be read: {reason}.").format(
                name=path.name, reason=reason),
            _translate("Compare", "Choose another file."),
        ) from error
    prompts = read_prompts(text, path.name)
    return OwnPrompts(PromptFile(name=path.name, sha256=hash_file(str(path))), tuple(prompts))


def pick_prompts(choice: PromptChoice) -> list[Prompt]:
    """Raises ``SlipstreamError`` where there is nothing to ask."""
    if choice.source == "shipped":
        if not choice.kinds:
            raise _missing(_translate("Compare", "No kind of prompt is chosen."),
                           _translate("Compare", "Choose at least one kind."))
        return choose_prompts(shipped_prompts(), choice.kinds, choice.per_kind)
    if choice.source == "file":
        if choice.own is None:
            raise _missing(_translate("Compare", "No file is chosen."), _translate("Compare", "Choose one."))
        return choose_prompts(choice.own.prompts, None, choice.per_kind)
    if choice.source == "chat":
        if not choice.messages:
            raise _missing(_translate("Compare", "The chat has no question yet."),
                           _translate("Compare", "Ask one there, or type a prompt here."))
        return [Prompt(id="chat", kind="question", messages=list(choice.messages))]
    if not choice.text.strip():
        raise _missing(_translate("Compare", "There is no prompt yet."),
                       _translate("Compare", "Type one, or choose the shipped prompts."))
    return [Prompt(id="prompt", messages=[Message(role="user", content=choice.text.strip())])]


def _missing(message: str, hint: str) -> SlipstreamError:
    return SlipstreamError(Code.SETTINGS_INVALID, message, hint)


def prompt_file(choice: PromptChoice) -> PromptFile | None:
    """The file that the prompts come from, for the report."""
    if choice.source == "file" and choice.own is not None:
        return choice.own.file
    if choice.source == "shipped":
        path = paths.prompts_file()
        return PromptFile(name=path.name, sha256=hash_file(str(path)))
    return None


def make_sides(choices: Sequence[SideChoice], settings: Settings, sampling: Sampling, max_tokens: int,
               name_of: NameOf) -> list[Side]:
    """Sides that differ in nothing that is loaded share a setup. ``sampling`` and ``max_tokens`` are for sides that do
    not set them themselves.

    Raises:
        SlipstreamError: ``SETTINGS_INVALID`` where a model is missing.
    """
    for letter, choice in zip(LETTERS, choices, strict=False):
        if not choice.target_path:
            raise _missing(_translate("Compare", "Side {letter} has no model.").format(letter=letter),
                           _translate("Compare", "Choose a target for it."))
        is_elsewhere = choice.target_path.startswith(REMOTE)  # whoever started the server chose the draft
        if choice.speculation.needs_draft and not choice.draft_path and not is_elsewhere:
            raise _missing(
                _translate("Compare", "Side {letter} drafts with a model, but has none.").format(letter=letter),
                _translate("Compare", "Choose a draft for it, or a method that needs none."),
            )
    setups = [_setup(choice, choices, settings) for choice in choices]
    base = Answering(sampling=msgspec.structs.replace(sampling, seed=SEED), max_tokens=max_tokens)
    sides = []
    for choice, setup in zip(choices, setups, strict=True):
        answering = apply_answers(base, [choice.answers])
        sides.append(Side(name="", setup=setup, method=str(parse_method(choice.speculation.method())),
                          sampling=answering.sampling, max_tokens=answering.max_tokens))
    names = name_apart(describe_sides(choices, sides, name_of))
    return [msgspec.structs.replace(side, name=name) for side, name in zip(sides, names, strict=True)]


def make_sweep_sides(choice: SideChoice, settings: Settings, sampling: Sampling, max_tokens: int) -> list[Side]:
    """Every draft length and method with one pair. Raises ``SlipstreamError`` where the target is missing."""
    if not choice.target_path:
        raise _missing(_translate("Compare", "No model is chosen."), _translate("Compare", "Choose a target."))
    answering = apply_answers(
        Answering(sampling=msgspec.structs.replace(sampling, seed=SEED), max_tokens=max_tokens), [choice.answers])
    load, draft_load = _loads(choice, settings)
    setup = ModelSetup(target=choice.target_path, load=load, draft=choice.draft_path or None,
                       draft_load=draft_load if choice.draft_path else None)
    return sweep_sides(setup, answering.sampling, answering.max_tokens)


def _loads(choice: SideChoice, settings: Settings) -> tuple[LoadSettings, LoadSettings]:
    """How target and draft are loaded: as in chats, but for what the side sets. A draft has its target's context and
    engine."""
    load = apply_load(settings.load_for(choice.target_path), choice.load)
    if choice.engine:
        load = msgspec.convert({**msgspec.structs.asdict(load), "engine": choice.engine}, LoadSettings)
    base = apply_load(settings.draft_load_for(choice.target_path), choice.load)
    chosen = msgspec.structs.asdict(apply_load(base, choice.draft_load))
    same = {name: value for name, value in msgspec.structs.asdict(load).items() if name in ("ctx_tokens", "engine")}
    return load, msgspec.convert({**chosen, **same}, LoadSettings)


def _setup(choice: SideChoice, choices: Sequence[SideChoice], settings: Settings) -> ModelSetup:
    load, draft_load = _loads(choice, settings)
    draft = choice.draft_path if uses_draft(choice.speculation) else ""
    if not uses_draft(choice.speculation):
        # A loaded draft that is not asked costs nothing, and one worker then serves both sides.
        for each in choices:
            if each.draft_path and uses_draft(each.speculation) and each.target_path == choice.target_path:
                its_load, its_draft_load = _loads(each, settings)
                if its_load == load:
                    draft, draft_load = each.draft_path, its_draft_load
                    break
    return ModelSetup(target=choice.target_path, load=load, draft=draft or None,
                      draft_load=draft_load if draft else None)


def load_choice(load: LoadSettings, base: LoadSettings) -> LoadChoice:
    """What of ``load`` is not as in ``base``."""
    known = {each.name for each in msgspec.structs.fields(LoadChoice)}
    values = {name: value for name, value in msgspec.structs.asdict(load).items()
              if name in known and value != getattr(base, name)}
    return msgspec.convert(values, LoadChoice)


def speculation_of(method: str) -> Speculation:
    """The switch that gives ``method``."""
    return speculation_from(method)


def stopping_rule(prompts: int, quick: bool) -> StoppingRule:
    return StoppingRule.fixed(QUICK_ROUNDS) if quick else StoppingRule.until_sure(prompts)


def make_title(prompts: Sequence[Prompt], choice: PromptChoice) -> str:
    """What a kept result is called by: the question, the file, or the kinds of the prompts."""
    if choice.source == "shipped":
        kinds = list(dict.fromkeys(prompt.kind for prompt in prompts))
        if len(kinds) > 3:
            words = _translate("Compare", "{n} shipped prompts of {kinds} kinds")
            return words.format(n=len(prompts), kinds=len(kinds))
        return _translate("Compare", "Shipped prompts: {kinds}").format(kinds=", ".join(kinds))
    if choice.source == "file" and choice.own is not None:
        words = _translate("Compare", "{n} prompts of {file}")
        return words.format(n=len(prompts), file=choice.own.file.name)
    question = " ".join(prompts[0].messages[-1].content.split())
    return question if len(question) <= 60 else question[:59].rstrip() + "…"
