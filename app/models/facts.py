"""What a header says of a model, in a small record that can be kept and shown without the file."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

import msgspec

from app.models.ggml_types import FILE_TYPES, UNQUANTISED
from app.models.gguf import GgufHeader, SkippedArray, TensorInfo
from app.records import Record
from app.settings.table import settings_of

Kind = Literal["chat", "base", "draft-head", "projector", "adapter", "embedding", "vocabulary", "part", "other"]
"""``chat``: has a chat template. ``base``: generates text, has none. ``draft-head``: only drafts for one target.
``part``: a later part of a split model, or one of several whose first is missing. ``other``: no text generator."""

_EMBEDDING_ARCHITECTURES = frozenset({
    "bert", "modern-bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2", "jina-bert-v3", "eurobert",
    "gemma-embedding", "llama-embed", "t5encoder",
})
_DRAFT_HEAD_ARCHITECTURES = {
    "eagle3": "draft-eagle3", "eagle": "draft-eagle3", "dflash": "draft-dflash", "dspark": "draft-dspark",
    "gemma4-assistant": "draft-mtp", "gemma4_assistant": "draft-mtp",
}
_OTHER_ARCHITECTURES = frozenset({
    "wavtokenizer-dec", "qwen3tts", "pockettts", "t5", "dream", "llada", "llada-moe", "rnd1",
})
_RECURRENT = frozenset({"mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})
_HYBRID = frozenset({
    "jamba", "falcon-h1", "plamo2", "granitehybrid", "lfm2", "lfm2moe", "nemotron_h", "nemotron_h_moe", "qwen3next",
    "kimi-linear", "bailingmoe3", "kimi-k3", "glm5-next", "qwen35", "qwen35moe", "qwen4exp", "deepseek4", "minimax-01",
})
_THINKING_SWITCH = re.compile(r"\benable_thinking\b|\bif (?:not )?thinking\b|(?<![.\w])thinking is (?:not )?defined\b")
_SAMPLING_KEYS = {row.file_key: row.key for row in settings_of("sampling") if row.file_key}
_TRAINING_RUN = re.compile(r"\b(?:ep|epoch|step|iter|ckpt|checkpoint)[ _-]?\d+\b", re.IGNORECASE)
_FORM = re.compile(r"[._-](?:i?q\d\w*|bf16|f16|f32)$", re.IGNORECASE)
_SIZE = re.compile(r"^\d+(?:\.\d+)?[KMBT]?$|^\d+x\d+(?:\.\d+)?[KMB]$")


class ModelFile(Record, frozen=True, kw_only=True):
    """Facts of one GGUF file, from its content alone.

    ``kv_heads[i]`` is the number of key-value heads of layer i (0: that layer keeps no cache); ``head_dim_k`` and
    ``head_dim_v`` are elements per head. ``bytes_by_type`` are tensor bytes by element type; ``matrix_bytes_by_type``
    those of the matrices that are multiplied with, which the engine may repack; ``tied_bytes_by_type`` that part of
    them that is the embedding table as well. ``embedding_bytes`` and ``output_bytes`` are the tables outside the layers
    (the second is 0 where the first serves for both).
    ``state_bytes`` is the size of the recurrent state of one sequence. ``draft_method`` is set for draft heads.
    """

    path: str
    name: str
    kind: Kind
    architecture: str
    size_label: str
    basename: str = ""
    finetune: str = ""
    parameters: int
    file_bytes: int
    weights_bytes: int
    quantisation: str
    bits_per_weight: float
    ctx_train_tokens: int
    layers: int
    embedding_length: int
    feed_forward_length: int
    heads: int
    kv_heads: list[int]
    head_dim_k: int
    head_dim_v: int
    latent_attention: bool = False
    sliding_window: int = 0
    recurrent: bool = False
    hybrid: bool = False
    state_bytes: int = 0
    experts: int = 0
    vocab_type: str
    vocab_pre: str
    vocab_size: int
    merges: int = 0
    bos_id: int = -1
    eos_id: int = -1
    has_chat_template: bool
    knows_thinking: bool = False
    """Whether the chat template has a switch for thinking."""
    sampling: dict[str, float] = msgspec.field(default_factory=dict)
    """How the file asks to be sampled, by the names of ``Sampling``; not checked for range."""
    split_index: int = 0
    split_count: int = 1
    draft_method: str = ""
    bytes_by_type: dict[str, int] = msgspec.field(default_factory=dict)
    matrix_bytes_by_type: dict[str, int] = msgspec.field(default_factory=dict)
    tied_bytes_by_type: dict[str, int] = msgspec.field(default_factory=dict)
    embedding_bytes: int = 0
    output_bytes: int = 0

    @property
    def generates(self) -> bool:
        """Whether it can answer by itself, that is, be offered as a target or a draft model."""
        return self.kind in ("chat", "base")


def read_facts(header: GgufHeader) -> ModelFile:
    """Sum up a checked header. Never raises: what a file leaves out is 0, empty or guessed from its tensors."""
    arch = header.text("general.architecture")[:64]
    layers = min(header.integer(f"{arch}.block_count"), 4096)
    parameters = sum(tensor.elements for tensor in header.tensors)
    split_index, split_count = _read_split(header)
    draft_method = _recognise_draft_head(header, arch)
    tied = _find_tied_output(header.tensors)
    key_dim, value_dim, kv_heads, latent = _read_attention(header, arch, layers)
    return ModelFile(
        path=header.path,
        name=_read_name(header),
        kind=_recognise_kind(header, arch, draft_method, split_index),
        architecture=arch,
        size_label=_read_size_label(header, parameters),
        basename=header.text("general.basename")[:64],
        finetune=header.text("general.finetune")[:64],
        parameters=parameters,
        file_bytes=header.file_bytes,
        weights_bytes=header.tensor_bytes,
        quantisation=_read_quantisation(header),
        bits_per_weight=round(8 * header.tensor_bytes / parameters, 2) if parameters else 0.0,
        ctx_train_tokens=max(header.integer(f"{arch}.context_length"), 0),
        layers=layers,
        embedding_length=header.integer(f"{arch}.embedding_length"),
        feed_forward_length=_read_feed_forward(header, arch, layers),
        heads=max(header.integers(f"{arch}.attention.head_count", layers), default=0),
        kv_heads=kv_heads,
        head_dim_k=key_dim,
        head_dim_v=value_dim,
        latent_attention=latent,
        sliding_window=max(header.integer(f"{arch}.attention.sliding_window"), 0),
        recurrent=arch in _RECURRENT,
        hybrid=arch in _HYBRID,
        state_bytes=_read_state_bytes(header, arch, layers, kv_heads),
        experts=max(header.integer(f"{arch}.expert_count"), 0),
        vocab_type=header.text("tokenizer.ggml.model")[:64],
        vocab_pre=header.text("tokenizer.ggml.pre")[:64],
        vocab_size=header.vocab_size or header.integer(f"{arch}.vocab_size"),
        merges=_count_items(header, "tokenizer.ggml.merges"),
        bos_id=header.integer("tokenizer.ggml.bos_token_id", -1),
        eos_id=header.integer("tokenizer.ggml.eos_token_id", -1),
        has_chat_template=bool(header.text("tokenizer.chat_template")),
        knows_thinking=bool(_THINKING_SWITCH.search(header.text("tokenizer.chat_template"))),
        sampling=_read_sampling(header),
        split_index=split_index,
        split_count=split_count,
        draft_method=draft_method,
        bytes_by_type=_count_bytes(header.tensors),
        matrix_bytes_by_type=_count_bytes([t for t in header.tensors if _is_matrix(t)] + tied),
        tied_bytes_by_type=_count_bytes(tied),
        embedding_bytes=_sum_bytes(header, "token_embd.weight"),
        output_bytes=_sum_bytes(header, "output.weight"),
    )


def join_parts(parts: list[ModelFile]) -> ModelFile:
    """Facts of a split model from those of all its parts, first part first."""
    first = parts[0]
    parameters = sum(part.parameters for part in parts)
    weights = sum(part.weights_bytes for part in parts)
    label = first.size_label if _SIZE.match(first.size_label) and first.parameters == 0 else format_count(parameters)
    return msgspec.structs.replace(
        first,
        parameters=parameters,
        size_label=label if parameters else first.size_label,
        file_bytes=sum(part.file_bytes for part in parts),
        weights_bytes=weights,
        bits_per_weight=round(8 * weights / parameters, 2) if parameters else 0.0,
        bytes_by_type=_add(part.bytes_by_type for part in parts),
        matrix_bytes_by_type=_add(part.matrix_bytes_by_type for part in parts),
        tied_bytes_by_type=_add(part.tied_bytes_by_type for part in parts),
        embedding_bytes=sum(part.embedding_bytes for part in parts),
        output_bytes=sum(part.output_bytes for part in parts),
    )


def is_unquantised(facts: ModelFile) -> bool:
    """Whether its weights are 16 or 32 bits wide: such a file is never the one to recommend."""
    return facts.quantisation in UNQUANTISED


def format_count(parameters: int) -> str:
    """``1_543_714_304`` → ``1.5B``."""
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if parameters >= size:
            value = parameters / size
            return f"{value:.0f}{unit}" if value >= 10 or unit in "MK" else f"{value:.1f}{unit}"
    return str(parameters)


def _read_feed_forward(header: GgufHeader, arch: str, layers: int) -> int:
    """The widest inner row of a layer; of a mixture of experts, those that a token uses side by side."""
    dense = max(header.integers(f"{arch}.feed_forward_length", layers), default=0)
    expert = header.integer(f"{arch}.expert_feed_forward_length") * header.integer(f"{arch}.expert_used_count")
    return max(dense, expert, 0)


def _count_items(header: GgufHeader, key: str) -> int:
    value = header.metadata.get(key)
    return value.count if isinstance(value, SkippedArray) else 0


def _read_name(header: GgufHeader) -> str:
    name = header.text("general.name") or header.text("general.basename")
    fallback = header.path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
    cleaned = "".join(c for c in name if c.isprintable()).strip()
    if _TRAINING_RUN.search(cleaned):
        # Whoever converted it left the name of a run ("… Mix1 Ep2"); whoever published it named the file for people.
        return _FORM.sub("", fallback)[:120]
    return (cleaned or fallback)[:120]


def _read_size_label(header: GgufHeader, parameters: int) -> str:
    label = header.text("general.size_label")
    if _SIZE.match(label):
        return label
    return format_count(parameters) if parameters else ""


def _read_sampling(header: GgufHeader) -> dict[str, float]:
    values = {name: header.metadata.get(f"general.sampling.{key}") for key, name in _SAMPLING_KEYS.items()}
    return {name: float(value) for name, value in values.items()
            if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)}


def _read_split(header: GgufHeader) -> tuple[int, int]:
    count = header.integer("split.count", 1)
    index = header.integer("split.no", 0)
    return (index, count) if 1 < count <= 9999 and 0 <= index < count else (0, 1)


def _recognise_draft_head(header: GgufHeader, arch: str) -> str:
    names = {tensor.name for tensor in header.tensors}
    if "markov_w1.weight" in names or "conf_proj.weight" in names:
        return "draft-dspark"
    if arch in _DRAFT_HEAD_ARCHITECTURES:
        return _DRAFT_HEAD_ARCHITECTURES[arch]
    has_first_layer = any(name.startswith("blk.0.") for name in names)
    if not has_first_layer and any(".nextn." in name for name in names):
        return "draft-mtp"
    return ""


def _recognise_kind(header: GgufHeader, arch: str, draft_method: str, split_index: int) -> Kind:
    if header.text("general.type") == "adapter" or "adapter.type" in header.metadata:
        return "adapter"
    if arch == "clip" or header.text("general.type") == "mmproj":
        return "projector"
    if draft_method:
        return "draft-head"
    if split_index > 0:
        return "part"
    if arch in _EMBEDDING_ARCHITECTURES or header.integer(f"{arch}.pooling_type", 0) > 0:
        return "embedding"
    if arch in _OTHER_ARCHITECTURES or header.text("general.type") == "imatrix" or not arch:
        return "other"
    if not header.tensors and _read_split(header)[1] == 1:
        return "vocabulary"
    return "chat" if header.text("tokenizer.chat_template") else "base"


def _read_quantisation(header: GgufHeader) -> str:
    label = FILE_TYPES.get(header.integer("general.file_type", -1), "")
    elements: Counter[str] = Counter()
    for tensor in header.tensors:
        if len(tensor.shape) > 1:
            elements[tensor.kind.name] += tensor.elements
    if not elements:
        return label
    majority = elements.most_common(1)[0][0]
    # A key that calls weights quantised which are not, or the reverse, was left behind by whoever made the file.
    if label and (label in UNQUANTISED) == (majority in UNQUANTISED):
        return label
    return majority


def _read_attention(header: GgufHeader, arch: str, layers: int) -> tuple[int, int, list[int], bool]:
    """Elements per head of K and V, KV heads by layer, and whether K and V share one latent vector."""
    heads = header.integers(f"{arch}.attention.head_count", layers)
    most = max(heads, default=0)
    by_head = header.integer(f"{arch}.embedding_length") // most if most else 0
    key_dim = header.integer(f"{arch}.attention.key_length", by_head)
    value_dim = header.integer(f"{arch}.attention.value_length", by_head)
    kv_heads = header.integers(f"{arch}.attention.head_count_kv", layers) or heads
    interval = header.integer(f"{arch}.full_attention_interval")
    if arch in _HYBRID and interval > 1 and kv_heads and 0 not in kv_heads:
        kv_heads = [count if (layer + 1) % interval == 0 else 0 for layer, count in enumerate(kv_heads)]
    if arch in _RECURRENT:
        kv_heads = [0] * layers
    latent = header.integer(f"{arch}.attention.key_length_mla") > 0
    shared = max(header.integer(f"{arch}.attention.shared_kv_layers"), 0)
    if 0 < shared < layers:
        kv_heads = kv_heads[: layers - shared] + [0] * shared
    return max(key_dim, 0), max(value_dim, 0), [max(count, 0) for count in kv_heads], latent


def _read_state_bytes(header: GgufHeader, arch: str, layers: int, kv_heads: list[int]) -> int:
    """Recurrent state of one sequence, 4 bytes an element (``n_embd_r``, ``n_embd_s`` in llama-hparams.cpp)."""
    if arch not in _RECURRENT and arch not in _HYBRID:
        return 0
    embedding = header.integer(f"{arch}.embedding_length")
    head = header.integer(f"{arch}.wkv.head_size")
    short = header.integer(f"{arch}.shortconv.l_cache")
    inner = header.integer(f"{arch}.ssm.inner_size")
    state, groups = header.integer(f"{arch}.ssm.state_size"), header.integer(f"{arch}.ssm.group_count")
    kernel = header.integer(f"{arch}.ssm.conv_kernel")
    if head:
        elements = header.integer(f"{arch}.token_shift_count", 2) * embedding + embedding * head
    elif short:
        elements = embedding * (short - 1)
    else:
        elements = max(kernel - 1, 0) * (inner + 2 * groups * state) + state * inner
    recurrent_layers = layers if arch in _RECURRENT or 0 not in kv_heads else kv_heads.count(0)
    return max(4 * elements * recurrent_layers, 0)


def _is_matrix(tensor: TensorInfo) -> bool:
    return (len(tensor.shape) in (2, 3) and tensor.name.endswith(".weight") and not tensor.name.startswith("token_embd")
            and "_norm" not in tensor.name and tensor.shape[1] % 8 == 0)


def _find_tied_output(tensors: list[TensorInfo]) -> list[TensorInfo]:
    """The embedding table, when the model makes its logits with it for want of a matrix of its own."""
    if any(tensor.name == "output.weight" for tensor in tensors):
        return []
    return [tensor for tensor in tensors if tensor.name == "token_embd.weight"]


def _sum_bytes(header: GgufHeader, name: str) -> int:
    return sum(tensor.size_bytes for tensor in header.tensors if tensor.name == name)


def _count_bytes(tensors: list[TensorInfo]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for tensor in tensors:
        counted[tensor.kind.name] = counted.get(tensor.kind.name, 0) + tensor.size_bytes
    return counted


def _add(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(total)
