"""Facts of a catalog's model before its header is read: enough for a first estimate of memory."""

from __future__ import annotations

import math

from app.models.catalog import CatalogFile, CatalogModel
from app.models.facts import ModelFile
from app.models.ggml_types import quantisation_bits


def approximate_facts(model: CatalogModel, file: CatalogFile) -> ModelFile:
    """What the catalog says, and for the width of a layer what is usual for that many parameters: 12 times the square
    of the width in each layer. A file whose size only the hub knows is taken at what is usual for its quantisation."""
    layers = model.layers or 32
    width = int(math.sqrt(model.parameters_b * 1e9 / (12 * layers)))
    size = file.bytes or int(model.parameters_b * 1e9 * _usual_bits(file.quantisation) / 8)
    return ModelFile(
        path=file.file, name=model.name, kind="chat", architecture="", size_label="",
        parameters=int(model.parameters_b * 1e9), file_bytes=size, weights_bytes=size, quantisation=file.quantisation,
        bits_per_weight=0.0, ctx_train_tokens=model.ctx_tokens, layers=layers, embedding_length=width,
        feed_forward_length=3 * width, heads=max(width // (model.head_dim or 128), 1),
        kv_heads=[model.kv_heads or 8] * layers, head_dim_k=model.head_dim or 128, head_dim_v=model.head_dim or 128,
        vocab_type="", vocab_pre="", vocab_size=model.vocab_size or 128_000, merges=model.vocab_size or 128_000,
        has_chat_template=True,
    )


def _usual_bits(quantisation: str) -> float:
    """Bits a weight, the scales of blocks and the tables that are kept at more bits included."""
    nominal = quantisation_bits(quantisation) or 4
    return nominal if nominal >= 16 else nominal + (0.5 if nominal == 8 else 0.8)
