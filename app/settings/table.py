"""The one table of settings: what each is called, what it may be, and where it can be set.

The settings dialog, the command line, the server's requests, the checks of the settings file, Compare's sides and the
table in docs/settings.md are made from it. The values themselves live in the records ``Sampling``, ``LoadSettings``
(``app.records``), ``Settings`` and their like, whose fields and defaults a test holds against these rows. A new setting
of sampling is a row here, a field of ``Sampling`` and ``SamplingChoice``, and what the engine does with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.errors import Code, SlipstreamError

Part = Literal["sampling", "answers", "load", "program"]
"""Where the value stands: ``Sampling``; ``Answering``; ``LoadSettings``; ``Settings`` itself."""
Kind = Literal["whole", "decimal", "seed", "choice", "text"]
"""``seed`` is a whole number, or None for a fresh one each time."""
Scope = Literal["all", "model", "chat"]
Value = int | float | str | None

EVERYWHERE: tuple[Scope, ...] = ("all", "model", "chat")
GIB = 1024**3
MOST_TOKENS = 2**24
"""Of a context, and so of an answer: 16.8 million."""


def marked(_context: str, text: str) -> str:
    """``text`` as it is; translators get it under the context, and the window translates it where it is shown."""
    return text


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One row. ``label``, ``help``, ``lowest``, ``unit``, ``placeholder`` and the titles of ``choices`` are texts for
    translators, of the context “SettingsGroups”."""

    key: str
    """The field's name."""
    part: Part
    kind: Kind
    default: Value
    label: str
    help: str
    low: float = 0
    high: float = 0
    """The range is inclusive."""
    step: float = 1
    """Of the dialog's arrows."""
    lowest: str = ""
    """What ``low`` means, in a word."""
    unit: str = ""
    placeholder: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """(value, title)."""
    scopes: tuple[Scope, ...] = EVERYWHERE
    flag: str = ""
    """The command line's option."""
    flag_word: str = ""
    """What stands for ``low`` there."""
    api: tuple[str, ...] = ()
    """Fields of a request, llama.cpp's name first and vLLM's last."""
    api_below: float | None = None
    """What a negative number means there: this value (for a seed: that none is given). None refuses it."""
    api_if_changed: bool = False
    """A server elsewhere is told it only where it is not the default."""
    is_openai: bool = False
    """The field is one of OpenAI's own, which every server knows."""
    file_key: str = ""
    """The name in a model file, behind ``general.sampling.``."""
    for_draft: bool = False
    """A draft can have it apart from its target."""
    draft_follows: bool = False
    """Where nothing is said of it on the command line, the draft has its target's."""
    in_compare: bool = False
    """One side of a comparison can set it apart."""

    @property
    def name(self) -> str:
        """The label within a sentence."""
        return self.label if self.label[:2].isupper() else self.label[:1].lower() + self.label[1:]

    @property
    def is_number(self) -> bool:
        return self.kind in ("whole", "decimal", "seed")

    @property
    def values(self) -> tuple[str, ...]:
        """What a choice can be."""
        return tuple(value for value, _ in self.choices)

    def holds(self, value: Value) -> bool:
        """Whether ``value`` can be; None, which says nothing, always can."""
        if not self.is_number or value is None:
            return True
        return isinstance(value, int | float) and self.low <= value <= self.high

    def nearest(self, value: float) -> float:
        """``value``, or the end of the range that it is beyond."""
        return type(value)(min(max(value, self.low), self.high))

    def check(self, value: Value) -> None:
        """Raises ``SlipstreamError`` (``SETTINGS_INVALID``) when ``value`` is outside the range."""
        if not self.holds(value):
            raise outside(self.name, value, self.low, self.high)


def outside(name: str, value: Value, low: float, high: float) -> SlipstreamError:
    """What is said of a setting whose value is outside its range."""
    shown = plain(value) if isinstance(value, int | float) else str(value)
    return SlipstreamError(
        Code.SETTINGS_INVALID, f"The setting “{name}” is {shown}.", f"Give a number from {plain(low)} to {plain(high)}."
    )


def plain(number: float) -> str:
    """A number as people write it, whole ones with every digit."""
    return str(number) if isinstance(number, int) else f"{number:g}"


_CACHES = tuple((kind, kind) for kind in ("f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "bf16", "f32"))
_AUTO = marked("SettingsGroups", "Auto")
_ON, _OFF = marked("SettingsGroups", "On"), marked("SettingsGroups", "Off")
_TOKENS = marked("SettingsGroups", "tokens")

TABLE: tuple[Setting, ...] = (
    Setting(
        key="temperature", part="sampling", kind="decimal", default=0.8, low=0, high=5, step=0.1,
        label=marked("SettingsGroups", "Temperature"),
        help=marked("SettingsGroups", "0 always takes the likeliest word"),
        flag="--temperature", api=("temperature",), api_below=0, is_openai=True, file_key="temp", in_compare=True,
    ),
    Setting(
        key="top_k", part="sampling", kind="whole", default=40, high=1_000_000,
        label=marked("SettingsGroups", "Top-k"),
        help=marked("SettingsGroups", "Choose among the k likeliest; 0 is off"),
        flag="--top-k", api=("top_k",), api_below=0, file_key="top_k",
    ),
    Setting(
        key="top_p", part="sampling", kind="decimal", default=0.95, high=1, step=0.05,
        label=marked("SettingsGroups", "Top-p"),
        help=marked("SettingsGroups", "Choose among the likeliest with this share; 1 is off"),
        flag="--top-p", api=("top_p",), is_openai=True, file_key="top_p",
    ),
    Setting(
        key="min_p", part="sampling", kind="decimal", default=0.05, high=1, step=0.01,
        label=marked("SettingsGroups", "Min-p"),
        help=marked("SettingsGroups", "Leave out what is less likely than this share of the best"),
        flag="--min-p", api=("min_p",), file_key="min_p",
    ),
    Setting(
        key="repeat_penalty", part="sampling", kind="decimal", default=1.0, low=0.1, high=10, step=0.05,
        label=marked("SettingsGroups", "Repeat penalty"),
        help=marked("SettingsGroups", "Above 1 makes repetition less likely; 1 is off"),
        flag="--repeat-penalty", api=("repeat_penalty", "repetition_penalty"), api_if_changed=True,
        file_key="penalty_repeat",
    ),
    Setting(
        key="presence_penalty", part="sampling", kind="decimal", default=0.0, low=-2, high=2, step=0.1,
        label=marked("SettingsGroups", "Presence penalty"),
        help=marked("SettingsGroups", "Above 0 makes tokens that the answer has used less likely; 0 is off"),
        flag="--presence-penalty", api=("presence_penalty",), api_if_changed=True, is_openai=True,
    ),
    Setting(
        key="frequency_penalty", part="sampling", kind="decimal", default=0.0, low=-2, high=2, step=0.1,
        label=marked("SettingsGroups", "Frequency penalty"),
        help=marked("SettingsGroups", "Above 0 makes tokens less likely the more often the answer has used them; "
                                      "0 is off"),
        flag="--frequency-penalty", api=("frequency_penalty",), api_if_changed=True, is_openai=True,
    ),
    Setting(
        key="seed", part="sampling", kind="seed", default=None, high=2**63 - 1,
        label=marked("SettingsGroups", "Seed"),
        help=marked("SettingsGroups", "The same seed gives the same answer; empty draws a new one"),
        placeholder=marked("SettingsGroups", "random"), flag="--seed", api=("seed",), api_below=-1, is_openai=True,
    ),
    Setting(
        key="max_tokens", part="answers", kind="whole", default=2048, low=1, high=MOST_TOKENS, step=128, unit=_TOKENS,
        label=marked("SettingsGroups", "Answer length"),
        help=marked("SettingsGroups", "An answer is cut after this many tokens"),
        flag="--max-tokens", api=("max_tokens", "max_completion_tokens"), in_compare=True,
    ),
    Setting(
        key="thinking", part="answers", kind="choice", default="model",
        label=marked("SettingsGroups", "Thinking"),
        help=marked("SettingsGroups", "Whether models that can think do so before they answer"),
        choices=(("model", marked("SettingsGroups", "Model's own way")), ("on", _ON), ("off", _OFF)),
        api=("chat_template_kwargs.enable_thinking",),
    ),
    Setting(
        key="on_full", part="answers", kind="choice", default="trim",
        label=marked("SettingsGroups", "When the context is full"),
        help=marked("SettingsGroups", "End the answer, or forget the oldest part of the chat and go on"),
        choices=(("trim", marked("SettingsGroups", "End the answer")),
                 ("shift", marked("SettingsGroups", "Forget the oldest"))),
        flag="--on-full",
    ),
    Setting(
        key="system_prompt", part="answers", kind="text", default="",
        label=marked("SettingsGroups", "System prompt"),
        help=marked("SettingsGroups", "System prompt: said to the model before every chat"),
        placeholder=marked("SettingsGroups", "Instructions that every chat begins with"),
        flag="--system", api=("messages",),
    ),
    Setting(
        key="ctx_tokens", part="load", kind="whole", default=4096, high=MOST_TOKENS, step=1024, unit=_TOKENS,
        label=marked("SettingsGroups", "Context"),
        help=marked("SettingsGroups", "Tokens that target and draft see at once"),
        lowest=marked("SettingsGroups", "the longest"), flag="--ctx", scopes=("all", "model"), in_compare=True,
    ),
    Setting(
        key="gpu_layers", part="load", kind="whole", default=-1, low=-1, high=100_000,
        label=marked("SettingsGroups", "GPU layers"),
        help=marked("SettingsGroups", "Layers on the graphics card; Auto takes as many as fit"),
        lowest=_AUTO, flag="--gpu-layers", flag_word="auto", scopes=("all", "model"), for_draft=True, in_compare=True,
    ),
    Setting(
        key="threads", part="load", kind="whole", default=0, high=1024,
        label=marked("SettingsGroups", "Threads"),
        help=marked("SettingsGroups", "Processor cores to use; Auto takes all physical ones"),
        lowest=_AUTO, flag="--threads", scopes=("all", "model"), for_draft=True, draft_follows=True, in_compare=True,
    ),
    Setting(
        key="cache_type_k", part="load", kind="choice", default="f16", choices=_CACHES,
        label=marked("SettingsGroups", "Key cache"),
        help=marked("SettingsGroups", "Smaller types save memory on long chats"),
        flag="--cache-type-k", scopes=("all", "model"), for_draft=True, in_compare=True,
    ),
    Setting(
        key="cache_type_v", part="load", kind="choice", default="f16", choices=_CACHES,
        label=marked("SettingsGroups", "Value cache"),
        help=marked("SettingsGroups", "Smaller types need flash attention"),
        flag="--cache-type-v", scopes=("all", "model"), for_draft=True, in_compare=True,
    ),
    Setting(
        key="flash_attn", part="load", kind="choice", default="auto",
        choices=(("auto", _AUTO), ("on", _ON), ("off", _OFF)),
        label=marked("SettingsGroups", "Flash attention"),
        help=marked("SettingsGroups", "Faster with long contexts, where supported"),
        flag="--flash-attn", scopes=("all", "model"), in_compare=True,
    ),
    Setting(
        key="engine", part="load", kind="choice", default="auto",
        choices=(("auto", _AUTO), ("llama", "llama.cpp"), ("ik", "ik_llama.cpp")),
        label=marked("SettingsGroups", "Engine"),
        help=marked("SettingsGroups", "What runs the models; Auto takes the faster one that is installed"),
        flag="--engine", scopes=("all", "model"), in_compare=True,
    ),
    Setting(
        key="states_limit_bytes", part="program", kind="whole", default=2 * GIB, high=1000 * GIB, step=GIB,
        label=marked("SettingsGroups", "Kept states of chats"),
        help=marked("SettingsGroups", "Disk space for what models have computed of recent chats, so that these go on "
                                      "at once"),
        lowest=marked("SettingsGroups", "none"), unit=marked("SettingsGroups", "GB"), scopes=("all",),
    ),
)

_BY_KEY = {row.key: row for row in TABLE}


def setting(key: str) -> Setting:
    """The row of ``key``. Raises ``KeyError``."""
    return _BY_KEY[key]


def settings_of(part: Part) -> tuple[Setting, ...]:
    """The rows of ``part``, in the order in which they are shown."""
    return tuple(row for row in TABLE if row.part == part)
