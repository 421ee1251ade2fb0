"""Speculation methods as people name them: ``off``, ``auto``, ``draft:max=6,p_min=0.6``, ``ngram-simple:n=3,m=12``."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.errors import Code, SlipstreamError

Value = int | float | str


@dataclass(frozen=True)
class Option:
    """One parameter of a method: its default, and the range (inclusive) or the words it takes."""

    default: Value
    low: float = 0.0
    high: float = 0.0
    choices: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True)
class MethodKind:
    title: str
    needs_draft: bool
    options: dict[str, Option] = field(default_factory=dict)


_DRAFT_OPTIONS = {
    "max": Option(3, 1, 64, help="Max draft tokens per step"),
    "min": Option(0, 0, 64, help="Drafts shorter than this are not verified"),
    "p_min": Option(0.0, 0.0, 1.0, help="Stop drafting when the draft is less sure than this"),
    "sampling": Option("greedy", choices=("greedy", "exact"), help="How draft tokens are chosen and verified"),
}

METHODS: dict[str, MethodKind] = {
    "off": MethodKind("Off", needs_draft=False),
    "auto": MethodKind("Auto", needs_draft=False),
    "draft": MethodKind("Draft model", needs_draft=True, options=_DRAFT_OPTIONS),
    "ngram-simple": MethodKind(
        "N-gram lookup",
        needs_draft=False,
        options={
            "n": Option(3, 1, 32, help="Length of the phrase that is looked up"),
            "m": Option(12, 1, 64, help="Max draft tokens per step"),
        },
    ),
}


@dataclass(frozen=True)
class Method:
    """A method with every option filled in."""

    name: str
    options: dict[str, Value] = field(default_factory=dict)

    @property
    def needs_draft(self) -> bool:
        return METHODS[self.name].needs_draft

    def number(self, key: str) -> float:
        return float(self.options[key])

    def integer(self, key: str) -> int:
        return int(self.options[key])

    def word(self, key: str) -> str:
        return str(self.options[key])

    def __str__(self) -> str:
        """The shortest text that parses to this method again."""
        kind = METHODS[self.name]
        given = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}"
                 for k, v in self.options.items() if v != kind.options[k].default]
        return self.name + (":" + ",".join(given) if given else "")


def parse_method(text: str) -> Method:
    """Read ``name[:key=value,…]``.

    Raises:
        SlipstreamError: ``METHOD_INVALID`` for an unknown name or key, or a value outside its range.
    """
    name, _, rest = text.strip().partition(":")
    kind = METHODS.get(name)
    if kind is None:
        raise SlipstreamError(
            Code.METHOD_INVALID, f"There is no speculation method called “{name}”.",
            f"Use one of: {', '.join(METHODS)}.",
        )
    options: dict[str, Value] = {key: option.default for key, option in kind.options.items()}
    for item in filter(None, (part.strip() for part in rest.split(","))):
        key, _, raw = item.partition("=")
        option = kind.options.get(key.strip())
        if option is None:
            known = ", ".join(kind.options) or "none"
            raise SlipstreamError(
                Code.METHOD_INVALID, f"The method “{name}” has no option “{key}”.", f"Its options are: {known}."
            )
        options[key.strip()] = _value(name, key.strip(), option, raw.strip())
    return Method(name, options)


def _value(name: str, key: str, option: Option, raw: str) -> Value:
    if option.choices:
        if raw in option.choices:
            return raw
        allowed = " or ".join(option.choices)
    else:
        allowed = f"a number from {option.low:g} to {option.high:g}"
        try:
            number: int | float = int(raw) if isinstance(option.default, int) else float(raw)
        except ValueError:
            number = float("nan")
        if option.low <= number <= option.high:
            return number
    raise SlipstreamError(
        Code.METHOD_INVALID, f"“{raw}” is not a value for {key} of the method “{name}”.", f"Give {allowed}."
    )
