"""How much memory a target and its draft will take, from headers alone, and whether it is there.

The sums are those of llama.cpp on the CPU; sources stand at each function.
"""

from __future__ import annotations

import msgspec

from app.models.facts import ModelFile
from app.models.host import repacked_types, total_memory
from app.records import BLOCK_CACHE_TYPES, Record
from app.sentences import say

MIB = 1024 * 1024
CELL_PADDING = 256
MICRO_BATCH = 512
"""Tokens that llama.cpp computes at once in prefill (``n_ubatch``)."""
DRAFT_MICRO_BATCH = 128
"""The same in a draft without flash attention."""
OUTPUT_ROWS = 17
"""Rows of logits that a step asks for at most: the longest usual draft and one."""
PROCESS_BYTES = 48 * MIB
"""A worker without a model: interpreter and libraries. Measured on Linux, CPython 3.11."""
STATE_SNAPSHOTS = 6
"""Recurrent states that the engine keeps to go back to after a wrong guess."""
_ROLLS_BACK = frozenset({
    "kimi-k3", "qwen35", "qwen35moe", "qwen4exp", "deepseek4", "glm5-next", "nemotron_h", "nemotron_h_moe", "lfm2",
    "lfm2moe", "bailingmoe3",
})
"""Source: ``llm_arch_supports_rs_rollback`` in llama-arch.cpp."""
_TOKENIZER_BYTES = 2 * MIB
_BYTES_PER_TOKEN = 185
_BYTES_PER_MERGE = 180
"""The library's tables of texts and merges, measured on vocabularies of 49,152 to 262,144 tokens (within 3 MB)."""
_RESIDUAL_ROWS = 9.5
"""Rows of the model's width that live beside the feed-forward rows, with the threads' work buffers; fitted to what
became resident on models of 135 million to 1.5 thousand million parameters (within 2 MB)."""
_LEAST_FREE_SHARE = 0.85
"""The engine reads weights into memory of its own when the file is smaller than this share of all memory."""

CACHE_TYPE_BYTES = {
    "f32": 4.0, "f16": 2.0, "bf16": 2.0, "q8_0": 1.0625, "q5_1": 0.75, "q5_0": 0.6875, "q4_1": 0.625, "q4_0": 0.5625,
}
"""Bytes per element of a key or value cache."""
CACHE_BLOCK_ELEMENTS = 32


class MemoryEstimate(Record, frozen=True, kw_only=True):
    """Resident bytes of one loaded model in use. ``weights_bytes`` counts the mapped file and repacked copies;
    ``tokenizer_bytes`` the tables that the library builds of the vocabulary. ``compute_bytes`` and ``output_bytes``
    become resident with the first answer."""

    weights_bytes: int
    kv_bytes: int
    compute_bytes: int
    output_bytes: int
    tokenizer_bytes: int = 0
    total_bytes: int = 0

    @property
    def loaded_bytes(self) -> int:
        """Before the first answer."""
        return self.total_bytes - self.compute_bytes - self.output_bytes


class PairEstimate(Record, frozen=True, kw_only=True):
    """Target, draft and the process around them, summed by kind."""

    weights_bytes: int
    kv_bytes: int
    compute_bytes: int
    output_bytes: int
    tokenizer_bytes: int
    process_bytes: int
    total_bytes: int

    @property
    def loaded_bytes(self) -> int:
        """Before the first answer."""
        return self.total_bytes - self.compute_bytes - self.output_bytes


class CacheSettings(Record, frozen=True, kw_only=True):
    """``ctx_tokens`` 0 takes the model's training context. ``mapped``: weights stay in the mapped file, and repacked
    ones are held twice; None decides as the engine does on a machine without a graphics card. ``used_tokens`` is how
    far the context is filled at the moment in question, 0 for all of it. ``snapshots`` of a recurrent state are kept
    beside it, where the architecture can go back to one; a draft keeps none. ``plain_draft``: a draft on the processor
    that goes without flash attention where the type of its values lets it."""

    ctx_tokens: int = 4096
    used_tokens: int = 0
    cache_type_k: str = "f16"
    cache_type_v: str = "f16"
    flash_attn: bool = True
    plain_draft: bool = False
    mapped: bool | None = None
    output_rows: int = OUTPUT_ROWS
    snapshots: int = STATE_SNAPSHOTS


def estimate_model(facts: ModelFile, settings: CacheSettings, repacked: frozenset[str] | None = None
                   ) -> MemoryEstimate:
    """Memory of one model once it has read a full micro-batch and written a few tokens.

    Args:
        repacked: weight types that are held in a second form; None asks this machine.
    """
    types = repacked_types() if repacked is None else repacked
    mapped = will_map(facts.file_bytes) if settings.mapped is None else settings.mapped
    weights = estimate_weights(facts, mapped, types)
    kv = estimate_kv(facts, settings)
    compute = estimate_compute(facts, settings)
    output = settings.output_rows * facts.vocab_size * 4
    tokenizer = _TOKENIZER_BYTES + facts.vocab_size * _BYTES_PER_TOKEN + facts.merges * _BYTES_PER_MERGE
    return MemoryEstimate(
        weights_bytes=weights, kv_bytes=kv, compute_bytes=compute, output_bytes=output, tokenizer_bytes=tokenizer,
        total_bytes=weights + kv + compute + output + tokenizer,
    )


def estimate_pair(target: MemoryEstimate, draft: MemoryEstimate | None) -> PairEstimate:
    """The whole worker: both models, interpreter and libraries."""
    none = MemoryEstimate(weights_bytes=0, kv_bytes=0, compute_bytes=0, output_bytes=0)
    sums = {
        name: getattr(target, name) + getattr(draft or none, name)
        for name in ("weights_bytes", "kv_bytes", "compute_bytes", "output_bytes", "tokenizer_bytes", "total_bytes")
    }
    sums["total_bytes"] += PROCESS_BYTES
    return PairEstimate(process_bytes=PROCESS_BYTES, **sums)


def estimate_weights(facts: ModelFile, mapped: bool, repacked: frozenset[str]) -> int:
    """Tensor bytes, and again those that are repacked while the file stays mapped (``load_all_data``)."""
    copies = sum(size for kind, size in facts.matrix_bytes_by_type.items() if kind in repacked)
    tied = sum(size for kind, size in facts.tied_bytes_by_type.items() if kind in repacked)
    return facts.weights_bytes + (copies if mapped else tied)


def count_cells(facts: ModelFile, ctx_tokens: int) -> int:
    """Cells of the cache: the context rounded up to ``CELL_PADDING``."""
    wanted = ctx_tokens or facts.ctx_train_tokens or 4096
    return -(-wanted // CELL_PADDING) * CELL_PADDING


def estimate_kv(facts: ModelFile, settings: CacheSettings) -> int:
    """Key and value cache (``llama_kv_cache``), whole also for sliding windows, for ``swa_full`` is on; a model with
    latent attention keeps no values apart. Recurrent states are added, with their snapshots
    (``llama_memory_recurrent``: ``mem_size * (1 + n_rs_seq)``)."""
    cells = count_cells(facts, settings.ctx_tokens)
    per_key = facts.head_dim_k * CACHE_TYPE_BYTES[settings.cache_type_k]
    per_value = 0.0 if facts.latent_attention else facts.head_dim_v * CACHE_TYPE_BYTES[settings.cache_type_v]
    states = 1 + settings.snapshots if facts.architecture in _ROLLS_BACK else 1
    return int(cells * sum(facts.kv_heads) * (per_key + per_value)) + facts.state_bytes * states


def estimate_compute(facts: ModelFile, settings: CacheSettings) -> int:
    """Scratch memory of one micro-batch at ``used_tokens``: two feed-forward rows and the residual rows of every token,
    the mask, and without flash attention the attention weights of every head."""
    cells = count_cells(facts, settings.ctx_tokens)
    plain = settings.plain_draft and settings.cache_type_v not in BLOCK_CACHE_TYPES
    rows = min(DRAFT_MICRO_BATCH if plain else MICRO_BATCH, cells)
    used = min(count_cells(facts, settings.used_tokens), cells) if settings.used_tokens else cells
    layers = int(rows * 4 * (2 * facts.feed_forward_length + _RESIDUAL_ROWS * facts.embedding_length))
    mask = rows * used * 2
    weights = 0 if settings.flash_attn and not plain else rows * used * facts.heads * 4
    return layers + mask + weights


def will_map(file_bytes: int) -> bool:
    """Whether the engine maps a file of this size instead of reading it into memory (``_load_weights``)."""
    return file_bytes >= _LEAST_FREE_SHARE * total_memory()


def explain_cache_types(facts: ModelFile, settings: CacheSettings) -> str:
    """Why the engine would refuse these cache types for this model, with the setting that mends it; "" if it would not.
    Source: ``llama_init_from_model`` in llama-context.cpp."""
    if not settings.flash_attn and settings.cache_type_v in BLOCK_CACHE_TYPES:
        return say(
            "A value cache of type {kind} needs flash attention; switch it on, or take f16 for the values.",
            kind=settings.cache_type_v,
        )
    if not settings.flash_attn:
        return ""
    for what, kind, size in (("key", settings.cache_type_k, facts.head_dim_k),
                             ("value", settings.cache_type_v, facts.head_dim_v)):
        if kind in BLOCK_CACHE_TYPES and size % CACHE_BLOCK_ELEMENTS:
            return say(
                "{name} has {what} heads of {size} elements, which do not divide into the blocks of {block} that "
                "{kind} is made of; take f16 for the {what}s.",
                name=facts.name, what=what, size=size, block=CACHE_BLOCK_ELEMENTS, kind=kind,
            )
    return ""


def judge_memory(needed_bytes: int, free_bytes: int) -> str:
    """"" when it fits, else a sentence that names both sums and a way out."""
    if needed_bytes <= free_bytes:
        return ""
    return say(
        "Target and draft need {needed} of memory and {free} are free; N-gram lookup speeds up answers without a "
        "draft and needs no memory.",
        needed=format_bytes(needed_bytes), free=format_bytes(free_bytes),
    )


def format_bytes(count: int) -> str:
    """``4_920_739_232`` → ``4.9 GB``; decimal units, as download pages and shops use them."""
    value = float(max(count, 0))
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit in ("bytes", "kB", "MB") else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def largest_context(facts: ModelFile, settings: CacheSettings, free_bytes: int) -> int:
    """The longest context, in steps of 1,024 tokens up to the training context, that fits; 0 if none does."""
    limit = facts.ctx_train_tokens or 4096
    low, high = 0, max(limit // 1024, 1)
    while low < high:
        middle = (low + high + 1) // 2
        trial = msgspec.structs.replace(settings, ctx_tokens=middle * 1024)
        if estimate_model(facts, trial).total_bytes <= free_bytes:
            low = middle
        else:
            high = middle - 1
    return min(low * 1024, limit)
