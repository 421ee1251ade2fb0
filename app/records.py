"""The values every part speaks in: settings of a run and its figures.

Names are those of serving engines; units stand in names (``_s``, ``_ms``, ``_bytes``, ``_tokens``). These are plain
immutable records; the engine fills them, the protocol carries them, the rest shows them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

StopReason = Literal["eos", "length", "stop", "context", "aborted"]
CacheType = Literal["f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]
BLOCK_CACHE_TYPES = frozenset({"q8_0", "q5_1", "q5_0", "q4_1", "q4_0"})
"""Cache types in blocks; for values they need flash attention."""
FlashAttention = Literal["on", "off", "auto"]
EngineChoice = Literal["auto", "llama", "ik"]
"""llama.cpp, ik_llama.cpp, or whichever was measured to be faster with the model on this machine."""
OnFull = Literal["trim", "shift"]
"""When the context is full: end the answer there, or drop the oldest part behind the system prompt and go on."""
Role = Literal["system", "user", "assistant"]

AUTO_LAYERS = -1
"""Value of ``gpu_layers`` that leaves the choice to the engine."""


RPC_VARIABLE = "SLIPSTREAM_RPC"
"""Environment of the worker: addresses (host:port, by commas) of llama.cpp's rpc-server on other machines."""
REMOTE = "remote:"
"""A target's path that begins so is a model of a server elsewhere: ``remote:<kind>+<url>#<model>``."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """Base of all values: immutable, keyword-only, ignores fields of newer versions."""


class Message(Record, frozen=True, kw_only=True):
    role: Role
    content: str


class ToolCall(Record, frozen=True, kw_only=True):
    """A function that a model wants called. ``arguments`` is JSON text as the model wrote it."""

    id: str = ""
    name: str
    arguments: str = "{}"


class Turn(Record, frozen=True, kw_only=True):
    """A message of a conversation in which tools are used."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: list[ToolCall] = []
    tool_call_id: str = ""
    name: str = ""


class JsonShape(Record, frozen=True, kw_only=True):
    """An answer that is JSON by ``schema`` (JSON text), between two fixed texts."""

    schema: str
    before: str = ""
    after: str = ""


class Sampling(Record, frozen=True, kw_only=True):
    """How the target chooses a token. ``temperature`` 0 is greedy; ``top_k`` 0, ``top_p`` 1, ``min_p`` 0,
    ``repeat_penalty`` 1 and the other penalties 0 switch that rule off. ``seed`` None draws a fresh one."""

    temperature: float = 0.8
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    seed: int | None = None


class SamplingChoice(Record, frozen=True, kw_only=True):
    """``Sampling`` as far as something says it: a chat, a model, a request. None leaves it to whatever else does."""

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None


class LoadSettings(Record, frozen=True, kw_only=True):
    """How a model is loaded. ``ctx_tokens`` 0 takes the model's training context; ``threads`` 0 takes the number of
    physical cores; ``gpu_layers`` ``AUTO_LAYERS`` takes as many as fit. A draft runs on its target's ``engine``."""

    ctx_tokens: int = 4096
    threads: int = 0
    gpu_layers: int = AUTO_LAYERS
    cache_type_k: CacheType = "f16"
    cache_type_v: CacheType = "f16"
    flash_attn: FlashAttention = "auto"
    engine: EngineChoice = "llama"


class ModelFacts(Record, frozen=True, kw_only=True):
    """What the engine says of a loaded model."""

    path: str
    name: str
    architecture: str
    description: str
    parameters: int
    size_bytes: int
    ctx_tokens: int
    ctx_train_tokens: int
    vocab_size: int
    has_chat_template: bool


class Timings(Record, frozen=True, kw_only=True):
    """Where the time went. ``decode_s`` = ``draft_s`` + ``verify_s`` + ``sample_s`` + ``other_s``;
    ``tokens_per_second`` = emitted tokens ÷ ``decode_s``, prefill and load apart.

    ``other_cores`` of the machine's ``cores`` did the work of other programs while the answer was decoded, on average;
    ``threads`` is the fewest with which a pass was computed. 0 where that is not known.
    """

    load_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    sample_s: float = 0.0
    other_s: float = 0.0
    time_to_first_token_s: float = 0.0
    tokens_per_second: float = 0.0
    prefill_tokens_per_second: float = 0.0
    other_cores: float = 0.0
    cores: int = 0
    threads: int = 0


class DrafterFigures(Record, frozen=True, kw_only=True):
    """What one drafter did in a run."""

    steps: int = 0
    num_draft_tokens: int = 0
    num_accepted_draft_tokens: int = 0


class SpeculationFigures(Record, frozen=True, kw_only=True):
    """How speculation went. Only drafted tokens that the target verified are counted.

    ``acceptance_histogram[n]`` is the number of steps whose draft had exactly n accepted tokens (steps without a
    draft are not in it); ``per_position_acceptance[i]`` the share of drafts reaching position i that had it accepted.
    """

    method: str = "off"
    steps: int = 0
    num_draft_tokens: int = 0
    num_accepted_draft_tokens: int = 0
    draft_acceptance_rate: float = 0.0
    mean_acceptance_length: float = 1.0
    acceptance_histogram: list[int] = []
    per_position_acceptance: list[float] = []
    by_drafter: dict[str, DrafterFigures] = {}
    sentence: str = ""


class MemoryFigures(Record, frozen=True, kw_only=True):
    worker_rss_bytes: int = 0
    worker_peak_rss_bytes: int = 0


class Candidate(Record, frozen=True, kw_only=True):
    """One of the target's choices at a position."""

    token_id: int
    text: str
    logit: float


class TokenScore(Record, frozen=True, kw_only=True):
    """What the target alone, one token at a time, thinks of an emitted token.

    ``gap`` = best logit − logit of the emitted token, before any rule. ``is_own``: the target alone would have chosen
    it, after all rules and with the same ``draw``, the random number behind it (None when greedy). ``is_explained``: it
    would have, had its logits been off by what was given as slack.
    """

    position: int
    token_id: int
    logit: float
    gap: float
    best: list[Candidate] = []
    is_own: bool = True
    is_explained: bool = True
    draw: float | None = None


class BatchNoise(Record, frozen=True, kw_only=True):
    """The largest difference of any logit, at ``position``, between one token at a time and passes over several;
    ``rows`` is the length of the pass that differed most."""

    position: int
    rows: int
    gap: float


class SequenceCheck(Record, frozen=True, kw_only=True):
    """A written sequence against the target alone: ``own_choices`` of its ``tokens`` are what it would have written.

    ``largest_gap`` is the furthest any other token was below the best logit, ``allowed_gap`` what rounding explains;
    ``strange_positions`` are those that it does not explain.
    """

    tokens: int
    own_choices: int
    largest_gap: float
    allowed_gap: float
    strange_positions: list[int] = []


class FormFigures(Record, frozen=True, kw_only=True):
    """One form of a draft, measured with a target: seconds of a draft step, share of its guesses that are the target's
    own choice, and the tokens/s to be expected at the draft length that is best for it."""

    form: str
    size_bytes: int
    step_s: float
    acceptance_rate: float
    best_draft_tokens: int
    tokens_per_second: float


class Piece(Record, frozen=True, kw_only=True):
    """Text of one emitted token; ``drafted`` when a drafter had guessed it."""

    text: str
    drafted: bool = False
