from __future__ import annotations

import io
import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.errors import Code, SlipstreamError
from app.models.facts import read_facts
from app.models.gguf import MAX_HEADER_BYTES, SkippedArray, parse_header, read_header
from tests.models import gguf_writer as writer

SOUND = writer.build(
    {**writer.model_metadata(), **writer.tokenizer(writer.words(8), eos_token_id=3), "general.tags": ["a", "b"]},
    writer.model_tensors(),
)


def parse(data: bytes, **options: bool) -> object:
    file = io.BytesIO(data)

    def read_at(offset: int, length: int) -> bytes:
        file.seek(offset)
        return file.read(length)

    return parse_header(read_at, len(data), "some/file.gguf", **options)


def refusal(data: bytes) -> str:
    with pytest.raises(SlipstreamError) as caught:
        parse(data)
    assert caught.value.code == Code.MODEL_UNREADABLE
    assert caught.value.hint
    return caught.value.message


def check_outcome(data: bytes) -> None:
    """A file is either read, and can then be summed up, or refused in words."""
    try:
        header = parse(data)
    except SlipstreamError as error:
        failure = error
    else:
        read_facts(header)  # type: ignore[arg-type]
        return
    assert failure.code == Code.MODEL_UNREADABLE
    assert failure.message.isprintable()


def test_reads_metadata_vocabulary_and_tensors(tmp_path: Path) -> None:
    path = tmp_path / "mô hình 模型.gguf"
    path.write_bytes(SOUND)
    header = read_header(path)
    assert header.text("general.name") == "Test Model"
    assert header.integer("llama.block_count") == 2
    assert header.tokens == writer.words(8)
    assert header.metadata["tokenizer.ggml.tokens"] == SkippedArray(8)
    assert header.metadata["general.tags"] == (b"a", b"b")
    assert [tensor.name for tensor in header.tensors][:2] == ["token_embd.weight", "output.weight"]
    assert header.tensors[0].size_bytes == 256 * 64 // 256 * 210
    assert header.data_offset % 32 == 0
    assert header.data_offset + sum(-(-t.size_bytes // 32) * 32 for t in header.tensors) == len(SOUND)


def test_leaves_the_vocabulary_out_when_not_asked_for() -> None:
    header = parse(SOUND, with_tokens=False)
    assert header.tokens == []  # type: ignore[attr-defined]
    assert header.vocab_size == 8  # type: ignore[attr-defined]


def test_a_value_per_layer_comes_from_one_number_or_from_an_array() -> None:
    header = parse(writer.build({"one": 3, "each": [1, 2, 3], "text": "x"}))
    assert header.integers("one", 2) == [3, 3]  # type: ignore[attr-defined]
    assert header.integers("each", 2) == [1, 2]  # type: ignore[attr-defined]
    assert header.integers("each", 4) == []  # type: ignore[attr-defined]
    assert header.integers("text", 1) == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("length", [0, 1, 3, 4, 7, 8, 20, 23, 24, 60, 200, 400])
def test_a_file_that_ends_too_early_is_refused(length: int) -> None:
    assert "some/file" not in refusal(SOUND[:length])


def test_every_truncation_of_a_sound_header_is_refused() -> None:
    header = parse(SOUND)
    for length in range(header.data_offset + 1):  # type: ignore[attr-defined]
        with pytest.raises(SlipstreamError):
            parse(SOUND[:length])


def test_missing_weights_are_counted() -> None:
    header = parse(SOUND)
    end = header.data_offset + max(t.offset + t.size_bytes for t in header.tensors)  # type: ignore[attr-defined]
    assert "the last 1,000 bytes are missing" in refusal(SOUND[: end - 1000])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html>not found</html>", "not a GGUF file"),
        (b"lmgg" + bytes(64), "older GGML file"),
        (b"GGUF" + struct.pack(">I", 3) + bytes(64), "big-endian"),
        (b"FUGG" + bytes(64), "big-endian"),
        (b"GGUF" + struct.pack("<I", 1) + bytes(64), "version 1"),
        (b"GGUF" + struct.pack("<I", 9) + bytes(64), "version 9"),
        (b"GGUF" + struct.pack("<I", 0) + bytes(64), "version 0"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0) + bytes(64), "tensors"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60) + bytes(64), "metadata keys"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62) + bytes(64), "name of a key claims"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + writer.text("") + bytes(64), "no name"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + writer.text("k") + struct.pack("<I", 77) + bytes(64), "type 77"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + writer.text("k") + struct.pack("<IQ", 8, 2**50) + bytes(64),
         "1,125,899,906,842,624 bytes"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + writer.text("k") + struct.pack("<IIQ", 9, 8, 2**40) + bytes(64),
         "1,099,511,627,776 texts"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + writer.text("k") + struct.pack("<IIQ", 9, 4, 2**61) + bytes(64),
         "cut short"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + writer.text("k") + struct.pack("<IIQ", 9, 9, 1) + bytes(64),
         "unknown type 9"),
        (writer.build({"k": 1}) [:16] + struct.pack("<Q", 2) + (writer.text("k") + writer.typed(1)) * 2, "twice"),
        (writer.build({"general.alignment": 24}), "power of two"),
        (writer.build({"general.alignment": 0}), "power of two"),
        (writer.build({"general.alignment": "x"}), "not a number"),
        (writer.build({"tokenizer.ggml.tokens": [1, 2, 3]}), "not a list of texts"),
        (writer.build({"tokenizer.ggml.tokens": "x"}), "not a list of texts"),
        (writer.build({}, [("a" * 64, (32,), "F32")]), "name of a tensor"),
        (writer.build({}, [("a", (32,), "F32"), ("a", (32,), "F32")]), "twice"),
        (writer.build({}, [("a", (1, 1, 1, 1, 1), "F32")]), "5 dimensions"),
        (writer.build({}, [("a", (33,), "Q4_0")]), "whole number of Q4_0 blocks"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + writer.text("a") + struct.pack("<IQQIQ", 2, 2**40, 2**40, 0, 0),
         "2^63 elements"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + writer.text("a") + struct.pack("<IQIQ", 1, 32, 999, 0) + bytes(64),
         "unknown type 999"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + writer.text("a") + struct.pack("<IQIQ", 1, 32, 0, 2**63) + bytes(64),
         "cut short"),
    ],
)
def test_hostile_headers_are_refused_in_words(data: bytes, words: str) -> None:
    message = refusal(data)
    assert words in message
    assert message.startswith("The file “file.gguf” cannot be read as a model: ")
    assert message.endswith(".")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(SlipstreamError) as caught:
        read_header(tmp_path / "none.gguf")
    assert caught.value.code == Code.MODEL_NOT_FOUND
    with pytest.raises(SlipstreamError) as caught:
        read_header(tmp_path)
    assert caught.value.code == Code.MODEL_UNREADABLE


def test_absurd_counts_in_a_huge_sparse_file_cost_little(tmp_path: Path) -> None:
    path = tmp_path / "sparse.gguf"
    with path.open("wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + writer.text("k") + struct.pack("<IIQ", 9, 8, 400_000))
        file.truncate(50 * 2**30)
    tracemalloc.start()
    try:
        with pytest.raises(SlipstreamError):
            read_header(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * MAX_HEADER_BYTES


def test_control_characters_of_a_file_do_not_reach_the_message() -> None:
    name = "evil\x1b[31m\nname"
    data = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + writer.text(name) + struct.pack("<I", 77) + bytes(64)
    message = refusal(data)
    assert message.isprintable()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(SOUND) - 1), st.binary(min_size=1, max_size=9)), min_size=1, max_size=6))
@example([(8, b"\xff" * 8)])
def test_a_damaged_file_is_read_or_refused_in_words(patches: list[tuple[int, bytes]]) -> None:
    data = bytearray(SOUND)
    for place, patch in patches:
        data[place : place + len(patch)] = patch
    check_outcome(bytes(data))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_refused_in_words(tail: bytes) -> None:
    for data in (tail, b"GGUF" + tail, b"GGUF\x03\0\0\0" + tail):
        check_outcome(data)


@pytest.mark.model
def test_real_headers(target_q4: Path, smollm: Path) -> None:
    header = read_header(target_q4)
    assert header.vocab_size == len(header.tokens) == 151_936
    assert header.data_offset + header.tensor_bytes <= header.file_bytes
    assert read_header(smollm).vocab_size == 49_152
