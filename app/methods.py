"""Speculation methods as people name them: ``off``, ``auto``, ``draft:max=6,p_min=0.6``, ``ngram-simple:n=3,m=12``."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.errors import Code, SlipstreamError

Value = int | float | str

LONGEST_DRAFT = 64
"""Tokens of a draft, of any method; the engine makes room for as many rows."""


@dataclass(frozen=True)
class Option:
    """One parameter of a method: its default, and the range (inclusive) or the words it takes.

    A text by default, without words to choose from, takes any text without a comma.
    """

    default: Value
    low: float = 0.0
    high: float = 0.0
    choices: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True)
class MethodKind:
    title: str
    needs_draft: bool = False
    options: dict[str, Option] = field(default_factory=dict)
    module: str = ""
    """Of ``app.engine.drafters``, whose ``make`` gives the drafter; for methods without a draft model."""


def _phrase_options(n: int, m: int) -> dict[str, Option]:
    return {
        "n": Option(n, 1, 32, help="Length of the phrase that is looked up"),
        "m": Option(m, 1, LONGEST_DRAFT, help="Max draft tokens per step"),
    }


_MAP_OPTIONS = {
    **_phrase_options(12, 48),
    "min_hits": Option(1, 1, 1000, help="How often the phrase must have stood in the text"),
}

FREE_METHODS: dict[str, MethodKind] = {
    "ngram-simple": MethodKind("N-gram lookup", module="ngram_simple", options=_phrase_options(3, 12)),
    "ngram-map-k": MethodKind("N-gram map", module="ngram_map", options=_MAP_OPTIONS),
    "ngram-map-k4v": MethodKind("N-gram map, four continuations", module="ngram_map", options=_MAP_OPTIONS),
    "ngram-cache": MethodKind(
        "N-gram statistics",
        module="ngram_cache",
        options={
            "max": Option(8, 1, LONGEST_DRAFT, help="Max draft tokens per step"),
            "file": Option("", help="Statistics of earlier answers, read and kept up in this file"),
        },
    ),
    "ngram-mod": MethodKind(
        "N-gram pool",
        module="ngram_mod",
        options={
            "n": Option(24, 1, 64, help="Length of the phrase that is looked up"),
            "min": Option(48, 0, LONGEST_DRAFT, help="Drafts shorter than this are not verified"),
            "max": Option(64, 1, LONGEST_DRAFT, help="Max draft tokens per step"),
        },
    ),
    "suffix": MethodKind(
        "Suffix automaton",
        module="suffix",
        options={
            "max": Option(24, 1, LONGEST_DRAFT, help="Max draft tokens per step"),
            "factor": Option(1.0, 0.1, 16.0, help="Draft tokens per token of the repeat"),
            "p_min": Option(0.1, 0.0, 1.0, help="Stop drafting when the whole draft is less likely than this"),
            "history": Option("off", choices=("off", "on"), help="Whether to look in earlier answers, too"),
        },
    ),
    "lookahead": MethodKind(
        "Lookahead",
        module="lookahead",
        options={
            "n": Option(5, 2, 8, help="Length of the n-grams that are collected"),
            "window": Option(15, 1, 48, help="Guesses that are iterated behind the draft"),
        },
    ),
}
"""Methods that draft with the target and the text alone."""

_DRAFT_OPTIONS = {
    "max": Option(3, 1, LONGEST_DRAFT, help="Max draft tokens per step"),
    "min": Option(0, 0, LONGEST_DRAFT, help="Drafts shorter than this are not verified"),
    "p_min": Option(0.0, 0.0, 1.0, help="Stop drafting when the draft is less sure than this"),
    "sampling": Option("greedy", choices=("greedy", "exact"), help="How draft tokens are chosen and verified"),
    # lookahead always has something, so nothing would be left for the draft model
    "first": Option("none", choices=("none", *(name for name in FREE_METHODS if name != "lookahead")),
                    help="A method without a draft model that is asked first"),
}

_AUTO_OPTIONS = {
    # lookahead cannot be judged without being paid for
    "free": Option("lookup", choices=("lookup", *(name for name in FREE_METHODS if name != "lookahead")),
                   help="The method without a draft model that is used where it pays"),
}

METHODS: dict[str, MethodKind] = {
    "off": MethodKind("Off"),
    "auto": MethodKind("Auto", options=_AUTO_OPTIONS),
    "draft": MethodKind("Draft model", needs_draft=True, options=_DRAFT_OPTIONS),
    **FREE_METHODS,
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
    if isinstance(option.default, str) and not option.choices:
        return raw
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
