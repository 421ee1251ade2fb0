"""What a person has chosen to compare, and the plan made from it. Knows no widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import msgspec
from PySide6.QtCore import QCoreApplication

from app import paths
from app.compare.plan import Plan, Prompt, StoppingRule, choose_prompts, parse_prompts
from app.compare.side import ModelSetup, Side, name_apart
from app.errors import Code, SlipstreamError
from app.gui.pair_title import plain_name, shortened
from app.methods import parse_method
from app.settings import Speculation
from app.terms import LoadSettings, Message, Sampling

Source = Literal["typed", "shipped", "chat"]
LETTERS = "AB"
SEED = 1
TOKENS = 96
QUICK_ROUNDS = 2

_translate = QCoreApplication.translate


@dataclass(frozen=True)
class SideChoice:
    """``draft_path`` "" for none."""

    target_path: str = ""
    draft_path: str = ""
    speculation: Speculation = field(default_factory=Speculation)


@dataclass(frozen=True)
class PromptChoice:
    """``kinds`` and ``per_kind`` are for the shipped prompts, ``messages`` for the chat's last question."""

    source: Source = "typed"
    text: str = ""
    kinds: tuple[str, ...] = ()
    per_kind: int = 1
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Everything that is needed to start. ``title`` is what the list of kept results calls it."""

    plan: Plan
    title: str
    side_by_side: bool = False

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
            Code.FILE, f"The prompts that ship with the program could not be read: {error.strerror}.",
            "Install Slipstream again.",
        ) from error
    return parse_prompts(text, path.name)


def shipped_kinds() -> list[str]:
    return list(dict.fromkeys(prompt.kind for prompt in shipped_prompts()))


def pick_prompts(choice: PromptChoice) -> list[Prompt]:
    """Raises ``SlipstreamError`` where there is nothing to ask."""
    if choice.source == "shipped":
        if not choice.kinds:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, _translate("Compare", "No kind of prompt is chosen."),
                _translate("Compare", "Choose at least one kind."),
            )
        return choose_prompts(shipped_prompts(), choice.kinds, choice.per_kind)
    if choice.source == "chat":
        if not choice.messages:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, _translate("Compare", "The chat has no question yet."),
                _translate("Compare", "Ask one there, or type a prompt here."),
            )
        return [Prompt(id="chat", kind="question", messages=list(choice.messages))]
    if not choice.text.strip():
        raise SlipstreamError(
            Code.SETTINGS_INVALID, _translate("Compare", "There is no prompt yet."),
            _translate("Compare", "Type one, or choose the shipped prompts."),
        )
    return [Prompt(id="prompt", messages=[Message(role="user", content=choice.text.strip())])]


def make_sides(choices: list[SideChoice], load: LoadSettings, sampling: Sampling, max_tokens: int,
               name_of: Callable[[str], str]) -> list[Side]:
    """Sides that differ in nothing that is loaded share a setup; ``name_of`` gives the name of a model's path.

    Raises:
        SlipstreamError: ``SETTINGS_INVALID`` where a model is missing.
    """
    for letter, choice in zip(LETTERS, choices, strict=False):
        if not choice.target_path:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, _translate("Compare", "Side {letter} has no model.").format(letter=letter),
                _translate("Compare", "Choose a target for it."),
            )
        if choice.speculation.needs_draft and not choice.draft_path:
            raise SlipstreamError(
                Code.SETTINGS_INVALID,
                _translate("Compare", "Side {letter} drafts with a model, but has none.").format(letter=letter),
                _translate("Compare", "Choose a draft for it, or guess with N-gram lookup."),
            )
    setups = [_setup(choice, choices, load) for choice in choices]
    names = name_apart([describe_side(choice, choices, name_of) for choice in choices])
    seeded = msgspec.structs.replace(sampling, seed=SEED)
    return [
        Side(name=name, setup=setup, method=str(parse_method(choice.speculation.method())), sampling=seeded,
             max_tokens=max_tokens)
        for name, setup, choice in zip(names, setups, choices, strict=True)
    ]


def _setup(choice: SideChoice, choices: list[SideChoice], load: LoadSettings) -> ModelSetup:
    draft = choice.draft_path if uses_draft(choice.speculation) else ""
    if not uses_draft(choice.speculation):
        # A loaded draft that is not asked costs nothing, and one worker then serves both sides.
        others = (each for each in choices if each.target_path == choice.target_path and uses_draft(each.speculation))
        draft = next((each.draft_path for each in others), "")
    return ModelSetup(target=choice.target_path, load=load, draft=draft or None)


def uses_draft(speculation: Speculation) -> bool:
    """Whether a draft model would be asked if there is one."""
    return speculation.mode == "auto" or speculation.needs_draft


def describe_side(choice: SideChoice, choices: list[SideChoice], name_of: Callable[[str], str]) -> str:
    """“Auto, drafted by 0.5B”, with the target in front where the sides have different ones."""
    target = plain_name(name_of(choice.target_path))
    words = describe_speculation(choice.speculation)
    if choice.draft_path and uses_draft(choice.speculation):
        draft = shortened(plain_name(name_of(choice.draft_path)), target)
        words = _translate("Compare", "{method}, drafted by {draft}").format(method=words, draft=draft)
    if len({each.target_path for each in choices}) > 1:
        words = f"{name_of(choice.target_path)}: {words}"
    return words


def describe_speculation(speculation: Speculation) -> str:
    if speculation.mode == "off":
        return _translate("Compare", "Speculation off")
    if speculation.mode == "auto":
        return _translate("Compare", "Auto")
    if speculation.drafter == "ngram-simple":
        return _translate("Compare", "N-gram lookup")
    words = _translate("Compare", "Fixed K={n}").format(n=speculation.max_draft)
    if speculation.min_draft:
        words += _translate("Compare", ", at least {n}").format(n=speculation.min_draft)
    if speculation.p_min > 0:
        words += _translate("Compare", ", p ≥ {p}").format(p=f"{speculation.p_min:g}")
    return words


def speculation_of(method: str) -> Speculation:
    """The switch that gives ``method``."""
    parsed = parse_method(method)
    if parsed.name == "off":
        return Speculation(mode="off")
    if parsed.name == "auto":
        return Speculation(mode="auto")
    if parsed.name == "draft":
        return Speculation(mode="fixed", drafter="draft", max_draft=parsed.integer("max"),
                           min_draft=parsed.integer("min"), p_min=parsed.number("p_min"))
    return msgspec.convert({"mode": "fixed", "drafter": parsed.name}, Speculation)


def stopping_rule(prompts: int, quick: bool) -> StoppingRule:
    return StoppingRule.fixed(QUICK_ROUNDS) if quick else StoppingRule.until_sure(prompts)


def make_title(prompts: list[Prompt], choice: PromptChoice) -> str:
    """What a kept result is called by: the question, or the kinds of the prompts."""
    if choice.source == "shipped":
        kinds = list(dict.fromkeys(prompt.kind for prompt in prompts))
        if len(kinds) > 3:
            words = _translate("Compare", "{n} shipped prompts of {kinds} kinds")
            return words.format(n=len(prompts), kinds=len(kinds))
        return _translate("Compare", "Shipped prompts: {kinds}").format(kinds=", ".join(kinds))
    question = " ".join(prompts[0].messages[-1].content.split())
    return question if len(question) <= 60 else question[:59].rstrip() + "…"
