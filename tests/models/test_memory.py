from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from app.models.facts import ModelFile, read_facts
from app.models.ggml_types import GGML_TYPES
from app.models.gguf import read_header
from app.models.host import free_memory, held_memory, repacked_types
from app.models.memory import (
    CacheSettings,
    count_cells,
    estimate_kv,
    estimate_model,
    estimate_pair,
    estimate_weights,
    explain_cache_types,
    format_bytes,
    judge_memory,
    largest_context,
)
from tests.models import gguf_writer as writer


@pytest.fixture
def facts(tmp_path: Path) -> ModelFile:
    """Two layers of 2 KV heads of 64; 256 × 64 embeddings and output in Q6_K, two 256 × 512 matrices in Q4_K."""
    return read_facts(read_header(writer.write_model(tmp_path / "m.gguf")))


MIB = 1024 * 1024
MATRIX = 256 * 512 // 256 * 144
TABLE = 256 * 64 // 256 * 210


@pytest.mark.parametrize(("asked", "cells"), [(1, 256), (256, 256), (257, 512), (4096, 4096), (5000, 5120), (0, 8192)])
def test_the_context_is_rounded_up_to_256_cells(facts: ModelFile, asked: int, cells: int) -> None:
    assert count_cells(facts, asked) == cells


@pytest.mark.parametrize(
    ("k", "v", "per_element"),
    [("f16", "f16", 4.0), ("q8_0", "q8_0", 2.125), ("q8_0", "f16", 3.0625), ("q4_0", "q4_0", 1.125),
     ("f32", "f32", 8.0)],
)
def test_cache_bytes(facts: ModelFile, k: str, v: str, per_element: float) -> None:
    settings = CacheSettings(ctx_tokens=1000, cache_type_k=k, cache_type_v=v)
    assert estimate_kv(facts, settings) == 1024 * 2 * 2 * 64 * per_element


def test_layers_count_by_their_own_heads(facts: ModelFile) -> None:
    uneven = msgspec.structs.replace(facts, kv_heads=[4, 0])
    assert estimate_kv(uneven, CacheSettings(ctx_tokens=256)) == 256 * 4 * 64 * 4
    latent = msgspec.structs.replace(facts, kv_heads=[1, 1], head_dim_k=576, latent_attention=True)
    assert estimate_kv(latent, CacheSettings(ctx_tokens=256)) == 256 * 2 * 576 * 2


def test_a_recurrent_state_is_kept_with_its_snapshots_where_it_can_go_back(facts: ModelFile) -> None:
    hybrid = msgspec.structs.replace(facts, kv_heads=[0, 0], state_bytes=1_000_000)
    assert estimate_kv(hybrid, CacheSettings(ctx_tokens=256)) == 1_000_000
    rolling = msgspec.structs.replace(hybrid, architecture="qwen35")
    assert estimate_kv(rolling, CacheSettings(ctx_tokens=256)) == 7_000_000
    assert estimate_kv(rolling, CacheSettings(ctx_tokens=256, snapshots=0)) == 1_000_000


def test_repacked_weights_are_held_twice_while_the_file_is_mapped(facts: ModelFile) -> None:
    assert facts.weights_bytes == 2 * MATRIX + 2 * TABLE + 2 * 256 * 4
    assert estimate_weights(facts, True, frozenset({"Q4_K"})) == facts.weights_bytes + 2 * MATRIX
    assert estimate_weights(facts, False, frozenset({"Q4_K"})) == facts.weights_bytes
    assert estimate_weights(facts, True, frozenset()) == facts.weights_bytes


def test_a_tied_embedding_table_is_multiplied_with_too(tmp_path: Path) -> None:
    metadata = {**writer.model_metadata(), **writer.tokenizer(writer.words(64))}
    path = tmp_path / "tied.gguf"
    path.write_bytes(writer.build(metadata, [("token_embd.weight", (256, 64), "Q4_0")]))
    tied = read_facts(read_header(path))
    size = 256 * 64 // 32 * 18
    assert estimate_weights(tied, True, frozenset({"Q4_0"})) == 2 * size
    assert estimate_weights(tied, False, frozenset({"Q4_0"})) == 2 * size


@pytest.mark.parametrize(
    ("k", "v", "flash", "words"),
    [("f16", "f16", False, ""), ("f16", "q8_0", False, "flash attention"), ("q8_0", "f16", False, ""),
     ("q8_0", "q4_0", True, "key heads of 80 elements"), ("f16", "q4_0", True, "value heads of 72 elements"),
     ("bf16", "f32", True, "")],
)
def test_cache_types_that_the_engine_refuses_are_said_before(
    facts: ModelFile, k: str, v: str, flash: bool, words: str
) -> None:
    """C27."""
    odd = msgspec.structs.replace(facts, head_dim_k=80, head_dim_v=72)
    said = explain_cache_types(odd, CacheSettings(cache_type_k=k, cache_type_v=v, flash_attn=flash))
    assert (words in said) if words else (said == "")
    even = CacheSettings(cache_type_k=k, cache_type_v=v)
    assert explain_cache_types(facts, even) == ""


def test_a_pair_is_the_sum_of_both_and_the_process(facts: ModelFile) -> None:
    """C18."""
    one = estimate_model(facts, CacheSettings(), frozenset())
    two = estimate_pair(one, one)
    assert two.weights_bytes == 2 * one.weights_bytes
    assert two.kv_bytes == 2 * one.kv_bytes
    assert two.total_bytes == 2 * one.total_bytes + two.process_bytes
    alone = estimate_pair(one, None)
    assert alone.total_bytes == one.total_bytes + alone.process_bytes
    parts = two.weights_bytes + two.kv_bytes + two.compute_bytes + two.output_bytes + two.tokenizer_bytes
    assert two.total_bytes == parts + two.process_bytes


def test_the_warning_names_both_sums_and_the_way_out() -> None:
    assert judge_memory(4_000, 4_000) == ""
    warning = judge_memory(6_123_000_000, 4_400_000_000)
    assert "6.1 GB" in warning
    assert "4.4 GB" in warning
    assert "N-gram" in warning


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (-5, "0 bytes"), (999, "999 bytes"), (4_400, "4 kB"), (98_362_432, "98 MB"),
     (4_920_739_232, "4.9 GB"), (42_520_398_816, "42.5 GB"), (3 * 10**12, "3.0 TB")],
)
def test_sizes_in_words(count: int, text: str) -> None:
    assert format_bytes(count) == text


def test_the_largest_context_that_fits(facts: ModelFile) -> None:
    settings = CacheSettings()
    everything = estimate_model(facts, msgspec.structs.replace(settings, ctx_tokens=8192)).total_bytes
    assert largest_context(facts, settings, everything) == 8192
    assert largest_context(facts, settings, everything - 1) == 7168
    assert largest_context(facts, settings, 0) == 0


def fake_root(folder: Path, cgroup: str, files: dict[str, str]) -> Path:
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/cgroup").write_text(cgroup)
    for name, text in files.items():
        place = folder / "sys/fs/cgroup" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def test_the_machines_memory_without_a_limit(tmp_path: Path) -> None:
    free = free_memory(fake_root(tmp_path, "0::/user\n", {"user/memory.max": "max\n", "user/memory.current": "5\n"}))
    assert 0 < free.free_bytes <= free.total_bytes
    assert not free.limited


@pytest.mark.skipif("not __import__('sys').platform.startswith('linux')", reason="control groups are Linux's")
@pytest.mark.parametrize(
    ("cgroup", "files"),
    [
        ("0::/app/inner\n", {"app/memory.max": "1000000\n", "app/memory.current": "700000\n",
                             "app/memory.stat": "anon 5\ninactive_file 100000\n", "app/inner/memory.max": "max\n"}),
        ("4:memory:/app\n", {"memory/app/memory.limit_in_bytes": "1000000\n",
                             "memory/app/memory.usage_in_bytes": "700000",
                             "memory/app/memory.stat": "total_inactive_file 100000\n",
                             "memory/memory.limit_in_bytes": "9223372036854771712\n"}),
    ],
)
def test_the_limit_of_a_container_counts(tmp_path: Path, cgroup: str, files: dict[str, str]) -> None:
    free = free_memory(fake_root(tmp_path, cgroup, files))
    assert free.total_bytes == 1_000_000
    assert free.free_bytes == 400_000
    assert free.limited


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mapped files count as free on Linux")
def test_mapped_pages_are_not_counted_twice(tmp_path: Path) -> None:
    """They are free already, so their process does not give them back; its own pages it does."""
    file = tmp_path / "mapped"
    file.write_bytes(bytes(64 * MIB))
    reader = (
        "import mmap, sys\nown = bytearray(b'1' * (32 * 1024 * 1024))\n"
        "with open(sys.argv[1], 'rb') as file:\n"
        "    view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)\n"
        "    view.find(b'x')\n    print('there', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", reader, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        held, within_a_limit = held_memory(process.pid), held_memory(process.pid, limited=True)
        process.communicate()
    assert held.resident_bytes > 96 * MIB
    assert 32 * MIB < held.returned_bytes < held.resident_bytes - 60 * MIB
    assert within_a_limit.returned_bytes == within_a_limit.resident_bytes > 96 * MIB
    assert held_memory(2**22 + 1).resident_bytes == 0, "a process that is not there"


def test_repacked_types_are_known_types() -> None:
    assert repacked_types() <= {kind.name for kind in GGML_TYPES.values()}


@pytest.mark.model
def test_the_real_cache_sizes(target_q4: Path, smollm: Path) -> None:
    qwen, small = (read_facts(read_header(path, with_tokens=False)) for path in (target_q4, smollm))
    assert estimate_kv(qwen, CacheSettings(ctx_tokens=4096)) == 4096 * 28 * 2 * 128 * 4
    assert estimate_kv(small, CacheSettings(ctx_tokens=2048)) == 2048 * 30 * 3 * 64 * 4
