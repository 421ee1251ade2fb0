"""What a file says of how it wants to be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.models.facts import ModelFile, read_facts
from app.models.gguf import read_header
from tests.models.gguf_writer import Plain, build


def facts_of(tmp_path: Path, **more: Plain) -> ModelFile:
    path = tmp_path / "m.gguf"
    metadata = {"general.architecture": "llama", **{key.replace("__", "."): value for key, value in more.items()}}
    path.write_bytes(build(metadata))
    return read_facts(read_header(path))


def test_the_files_own_sampling_is_read(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, general__sampling__temp=0.5, general__sampling__top_k=20,
                     general__sampling__penalty_repeat=1.0, general__sampling__top_p="many",
                     general__sampling__min_p=float("nan"))
    assert facts.sampling == {"temperature": 0.5, "top_k": 20.0, "repeat_penalty": 1.0}
    assert facts_of(tmp_path).sampling == {}


@pytest.mark.parametrize(("template", "known"), [
    ("{% if enable_thinking is defined and enable_thinking is false %}<think></think>{% endif %}", True),
    ("{%- if thinking %}<think>{% endif %}", True),
    ("{% if thinking is defined %}x{% endif %}", True),
    ("{{ message.thinking }}", False),
    ("{% if message.thinking is defined %}{% endif %}", False),
    ("You are thinking aloud.", False),
    ("", False),
])
def test_templates_with_a_switch_for_thinking(tmp_path: Path, template: str, known: bool) -> None:
    assert facts_of(tmp_path, tokenizer__chat_template=template).knows_thinking is known


@pytest.mark.parametrize(("inside", "file", "name"), [
    ("Smollm2 135M 8k Lc100K Mix1 Ep2", "SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-135M-Instruct"),
    ("Checkpoint 1200", "tiny-q4_k_m.gguf", "tiny"),
    ("Qwen2.5 Coder 1.5B Instruct", "other.gguf", "Qwen2.5 Coder 1.5B Instruct"),
    ("Deep Step", "other.gguf", "Deep Step"),
    ("", "small-f16.gguf", "small-f16"),
])
def test_the_name_of_a_training_run_is_no_name_of_a_model(tmp_path: Path, inside: str, file: str, name: str) -> None:
    path = tmp_path / file
    path.write_bytes(build({"general.architecture": "llama", "general.name": inside}))
    assert read_facts(read_header(path)).name == name
