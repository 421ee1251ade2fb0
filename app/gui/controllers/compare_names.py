"""How the sides of a comparison are called: by what tells them apart, and by nothing else. Knows no widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication

from app.compare.side import Side
from app.gui.words.methods import method_title
from app.gui.words.names import plain_name, shortened
from app.gui.words.translation import marked
from app.methods import METHODS, parse_method
from app.records import Sampling
from app.settings.settings import Speculation

if TYPE_CHECKING:
    from app.gui.controllers.compare_choice import SideChoice

_translate = QCoreApplication.translate


class ModelLabel(NamedTuple):
    """A model's name and its form (quantisation), "" where not known."""

    name: str
    form: str = ""


NameOf = Callable[[str], ModelLabel]
"""From a model's path."""


def describe_sides(choices: Sequence[SideChoice], sides: Sequence[Side], name_of: NameOf) -> list[str]:
    """“Auto, drafted by 0.5B”, with the target in front where sides have different ones, and with those settings of
    loading and sampling that differ behind."""
    targets = _tell_apart([choice.target_path for choice in choices], name_of)
    drafted = [bool(choice.draft_path) and uses_draft(choice.speculation) for choice in choices]
    drafts = _draft_names(choices, drafted, name_of)
    several = len({choice.target_path for choice in choices}) > 1
    names = []
    for index, choice in enumerate(choices):
        words = describe_speculation(choice.speculation)
        if drafted[index]:
            words = _translate("Compare", "{method}, drafted by {draft}").format(method=words, draft=drafts[index])
        if several:
            words = f"{targets[index]}: {words}"
        names.append(" · ".join([words, *_differences(sides, index)]))
    return names


def _tell_apart(paths: Sequence[str], name_of: NameOf) -> list[str]:
    """Names; forms alone where models differ in nothing else, both where some do."""
    labels = {path: name_of(path) for path in paths}
    plain = {path: plain_name(label.name) for path, label in labels.items()}
    if len(set(plain.values())) == len(plain):
        return [plain[path] for path in paths]
    forms = {path: label.form or plain_name(path) for path, label in labels.items()}
    if len(set(plain.values())) > 1:
        forms = {path: f"{plain[path]} {form}" for path, form in forms.items()}
    if len(set(forms.values())) < len(forms):
        forms = {path: plain_name(path) for path in forms}
    return [forms[path] for path in paths]


def _draft_names(choices: Sequence[SideChoice], drafted: Sequence[bool], name_of: NameOf) -> list[str]:
    """Each draft without the words that it shares with its target, and with its form where several look the same."""
    names = []
    for choice, used in zip(choices, drafted, strict=True):
        target = plain_name(name_of(choice.target_path).name)
        names.append(shortened(plain_name(name_of(choice.draft_path).name), target) if used else "")
    paths: dict[str, set[str]] = {}
    for choice, name in zip(choices, names, strict=True):
        paths.setdefault(name, set()).add(choice.draft_path)
    return [
        f"{name} {name_of(choice.draft_path).form or plain_name(choice.draft_path)}"
        if name and len(paths[name]) > 1 else name
        for choice, name in zip(choices, names, strict=True)
    ]


def _differences(sides: Sequence[Side], index: int) -> list[str]:
    """What of loading, sampling and length is not the same on all sides."""
    words = []
    for field, name in _LOAD_WORDS.items():
        values = [getattr(side.setup.load, field, None) for side in sides]
        if len(set(values)) > 1:
            words.append(_translate("Compare", name).format(value=values[index]))
    drafts = [side.setup.draft_load or side.setup.load for side in sides]
    for field in ("cache_type_k", "cache_type_v"):
        # What differs as the target's does is said with the target.
        if any(getattr(d, field) != getattr(s.setup.load, field) for d, s in zip(drafts, sides, strict=True)):
            values = [getattr(load, field) for load in drafts]
            if len(set(values)) > 1:
                words.append(_translate("Compare", "draft’s {name}").format(
                    name=_translate("Compare", _LOAD_WORDS[field]).format(value=values[index])))
    for rule in msgspec.structs.fields(Sampling):
        values = [getattr(side.sampling, rule.name) for side in sides]
        if len(set(values)) > 1:
            words.append(f"{rule.name.replace('_', '-')} {values[index]:g}")
    lengths = [side.max_tokens for side in sides]
    if len(set(lengths)) > 1:
        words.append(_translate("Compare", "{value} tokens").format(value=lengths[index]))
    return words


_LOAD_WORDS = {
    "engine": marked("Compare", "{value} engine"),
    "ctx_tokens": marked("Compare", "context {value}"),
    "threads": marked("Compare", "{value} threads"),
    "gpu_layers": marked("Compare", "{value} GPU layers"),
    "cache_type_k": marked("Compare", "K cache {value}"),
    "cache_type_v": marked("Compare", "V cache {value}"),
    "flash_attn": marked("Compare", "flash attention {value}"),
}


def describe_speculation(speculation: Speculation) -> str:
    if speculation.mode == "off":
        return _translate("Compare", "Speculation off")
    if speculation.mode == "auto":
        return _translate("Compare", "Auto")
    method = parse_method(speculation.method())
    kind = METHODS[method.name]
    given = {key: value for key, value in method.options.items() if value != kind.options[key].default}
    words = [method_title(method.name)]
    if method.name == "draft":
        words = [_translate("Compare", "Fixed K={n}").format(n=method.integer("max"))]
        given.pop("max", None)
        if method.integer("min"):
            words.append(_translate("Compare", "at least {n}").format(n=given.pop("min")))
        if method.number("p_min") > 0:
            words.append(_translate("Compare", "p ≥ {p}").format(p=f"{given.pop('p_min'):g}"))
    words += [f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in given.items()]
    return ", ".join(words)


def uses_draft(speculation: Speculation) -> bool:
    """Whether a draft model would be asked if there is one."""
    return speculation.mode == "auto" or speculation.needs_draft
