"""Our reading of vocabularies against llama.cpp's own, which loads the same files without weights.

In a process of its own, since llama.cpp may end the one it runs in.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import paths
from app.models.gguf import read_header
from app.models.vocabulary import read_vocabulary
from tests.models import gguf_writer as writer

BYTE_PAIR_PRE = [
    "default", "minicpm5", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "deepseek-llm",
    "deepseek-coder", "deepseek-v3", "falcon", "mpt", "starcoder", "gpt-2", "phi-2", "jina-v2-code", "refact",
    "command-r", "qwen2", "deepseek-r1-qwen", "qwen35", "stablelm2", "olmo", "dbrx", "smaug-bpe", "poro-chat",
    "chatglm-bpe", "glm4", "viking", "jais", "tekken", "smollm", "codeshell", "bloom", "exaone", "chameleon",
    "minerva-7b", "megrez", "gpt-4o", "llama4", "superbpe", "trillion", "bailingmoe", "seed-coder", "hunyuan",
    "kimi-k2", "grok-2", "gemma4",
]
ADDED: list[dict[str, writer.Plain]] = [
    {}, {"add_bos_token": True, "bos_token_id": 5, "eos_token_id": 6}, {"add_bos_token": False, "bos_token_id": 900},
    {"add_eos_token": True, "eos_token_id": 900},
]

SCRIPT = """
import ctypes, json, os, sys
import llama_cpp
quiet = llama_cpp.llama_log_callback(lambda *ignored: None)
llama_cpp.llama_log_set(quiet, ctypes.c_void_p(0))
llama_cpp.llama_backend_init()
for path in json.load(sys.stdin):
    params = llama_cpp.llama_model_default_params()
    params.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        print(json.dumps(None), flush=True)
        continue
    vocab = llama_cpp.llama_model_get_vocab(model)
    size = llama_cpp.llama_vocab_n_tokens(vocab)
    print(json.dumps([
        bool(llama_cpp.llama_vocab_get_add_bos(vocab)), bool(llama_cpp.llama_vocab_get_add_eos(vocab)),
        llama_cpp.llama_vocab_bos(vocab), llama_cpp.llama_vocab_eos(vocab),
        [llama_cpp.llama_vocab_get_text(vocab, index).decode("latin-1") for index in range(size)],
    ]), flush=True)
    llama_cpp.llama_model_free(model)
"""


def vocabulary_tokens() -> list[bytes]:
    """Every byte by its stand-in, as tokenizers need them, then words, an empty one among them."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in printable]
    letters = [chr(byte) for byte in printable] + [chr(256 + index) for index in range(len(hidden))]
    return [letter.encode() for letter in letters] + writer.words(40) + [b"", b"nul\0tail"]


def write_vocabulary(path: Path, model: str, pre: str, added: dict[str, writer.Plain]) -> Path:
    tokens = vocabulary_tokens()
    if model == "llama":
        tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256)), *tokens]
    keys = writer.tokenizer(tokens, model=model, pre=pre, **added)
    keys["tokenizer.ggml.scores"] = [0.0] * len(tokens)
    byte_types = [6 if token.startswith(b"<0x") else 1 for token in tokens]
    keys["tokenizer.ggml.token_type"] = [-1, *byte_types[1:]]
    keys["tokenizer.ggml.merges"] = ["a b"]
    metadata = {**writer.model_metadata(arch="llama"), "llama.attention.layer_norm_rms_epsilon": 1e-5,
                "llama.rope.dimension_count": 64, "llama.vocab_size": len(tokens), **keys}
    path.write_bytes(writer.build(metadata))
    return path


@pytest.mark.model
def test_defaults_and_texts_are_llama_cpps(tmp_path: Path) -> None:
    cases = [("gpt2", pre, added) for pre in BYTE_PAIR_PRE for added in ADDED]
    cases += [("llama", "default", added) for added in ADDED]
    cases += [("gemma4", "anything", added) for added in ADDED]
    files = [write_vocabulary(tmp_path / f"{index}.gguf", *case) for index, case in enumerate(cases)]
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=json.dumps([str(path) for path in files]), cwd=paths.program_root(),
        capture_output=True, text=True, check=False, timeout=240,
    )
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    assert len(lines) == len(files), f"llama.cpp ended at {cases[len(lines)]}: {answer.stderr[-500:]}"
    for case, file, theirs in zip(cases, files, lines, strict=True):
        assert theirs is not None, case
        ours = read_vocabulary(read_header(file))
        texts = [ours.engine_text(index).decode("latin-1") for index in range(ours.size)]
        assert [ours.add_bos, ours.add_eos, ours.bos_id, ours.eos_id] == theirs[:4], case
        assert texts == theirs[4], case
