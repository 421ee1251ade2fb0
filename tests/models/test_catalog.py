from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from app import paths
from app.errors import Code, SlipstreamError
from app.models.catalog import Catalog, catalog_schema, load_catalog
from app.models.facts import read_facts
from app.models.gguf import read_header
from tests.models import gguf_writer as writer

MINIMAL = """
version = 1
starter = "small"
first_target = "large"
first_draft = "small"
[[model]]
id = "large"
name = "Large 8B"
family = "Test"
licence = "mit"
parameters_b = 8.0
vocab_size = 1000
[[model.files]]
quantisation = "Q4_K_M"
repo = "some/where"
file = "large.gguf"
bytes = 5000
[[model]]
id = "small"
name = "Small 1B"
family = "Test"
licence = "mit"
parameters_b = 1.0
vocab_size = 1100
[[model.files]]
quantisation = "Q4_K_M"
repo = "some/where"
file = "small.gguf"
[[pair]]
target = "large"
draft = "small"
"""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def load_text(folder: Path, text: str) -> Catalog:
    path = folder / "catalog.toml"
    path.write_text(text, encoding="utf-8")
    return load_catalog(path)


@pytest.mark.parametrize(
    ("target", "draft"),
    [
        ("llama-3.1-8b-instruct", "llama-3.2-1b-instruct"),
        ("qwen2.5-14b-instruct", "qwen2.5-0.5b-instruct"),
        ("deepseek-r1-distill-qwen-32b", "deepseek-r1-distill-qwen-1.5b"),
        ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct"),
    ],
)
def test_the_products_own_pairs_are_there(catalog: Catalog, target: str, draft: str) -> None:
    assert catalog.find_pair(target, draft) is not None
    for model_id in (target, draft):
        file = catalog.model(model_id).files[0]
        assert file.bytes > 0
        assert len(file.sha256) == 64
        assert catalog.model(model_id).licence


def test_the_first_start_recommends_the_coder_pair_and_has_a_starter(catalog: Catalog) -> None:
    target, draft = catalog.first_pair
    assert (target.id, draft.id) == ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct")
    assert catalog.starter.id == "smollm2-135m-instruct"
    assert target.files[0].sha256 == "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
    assert draft.files[0].sha256 == "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"


def test_the_deepseek_pair_carries_its_caution(catalog: Catalog) -> None:
    pair = catalog.find_pair("deepseek-r1-distill-qwen-32b", "deepseek-r1-distill-qwen-1.5b")
    assert pair is not None
    assert "6.5%" in pair.caution
    assert "0.9" in pair.caution
    offers = catalog.offer_drafts("deepseek-r1-distill-qwen-32b")
    assert [offer.caution for offer in offers] == [pair.caution]


def test_what_is_said_of_a_model_as_a_target_is_not_said_of_it_as_a_draft(catalog: Catalog) -> None:
    (offer,) = catalog.offer_drafts("deepseek-r1-distill-llama-70b")
    assert offer.model.caution
    assert offer.caution == ""


def test_pairs_are_small_drafts_of_instruct_models_and_no_sidecars(catalog: Catalog) -> None:
    for pair in catalog.data.pair:
        assert catalog.model(pair.draft).parameters_b < catalog.model(pair.target).parameters_b
    for model in catalog.models:
        for file in model.files:
            name = file.file.lower()
            assert not any(mark in name for mark in ("mtp-", "dflash-", "dspark-", "eagle3-", "mmproj", "bf16"))


def test_offers_without_a_caution_come_first(catalog: Catalog) -> None:
    offers = catalog.offer_drafts("llama-3.3-70b-instruct")
    assert [offer.model.id for offer in offers] == [
        "llama-3.2-1b-instruct", "llama-3.2-3b-instruct", "llama-3.1-8b-instruct"
    ]


def test_the_schema_beside_the_catalog_is_current() -> None:
    path = paths.catalog_file().with_name("catalog.schema.json")
    assert json.loads(path.read_text(encoding="utf-8")) == catalog_schema()


def test_a_small_catalog_is_read(tmp_path: Path) -> None:
    text = MINIMAL.replace("vocab_size = 1100", "vocab_size = 1050")
    assert [model.id for model in load_text(tmp_path, text).models] == ["large", "small"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("version = 1", "version = 2", "version is 2"),
        ("vocab_size = 1100", "vocab_size = 1200", "pair “large / small” has vocabularies of 1000 and 1200"),
        ('id = "small"', 'id = "Small One"', "model “Small One”"),
        ('id = "small"', 'id = "large"', "model “large” is there twice"),
        ('starter = "small"', 'starter = "none"', "starter names the unknown model “none”"),
        ("bytes = 5000", 'bytes = "many"', "model “large”"),
        ("bytes = 5000", "bytes = -1", "model “large”"),
        ("bytes = 5000", 'sha256 = "123"', "model “large”"),
        ("bytes = 5000", "size = 3", "model “large”"),
        ('file = "large.gguf"', 'file = "../large.gguf"', "“../large.gguf”"),
        ('file = "large.gguf"', 'file = "large.bin"', "“large.bin”"),
        ('repo = "some/where"', 'repo = "https://x/y"', "model “large”"),
        ("parameters_b = 1.0", "parameters_b = 9.0", "not smaller"),
        ('[[pair]]\ntarget = "large"', '[[pair]]\ntarget = "huge"', "pair “huge / small”"),
        ('licence = "mit"', "", "model “large”"),
        ("[[pair]]", "[[pair", "faulty"),
    ],
)
def test_a_fault_names_its_entry(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = MINIMAL.replace("vocab_size = 1100", "vocab_size = 1050") if "1100" not in old else MINIMAL
    assert old in text
    with pytest.raises(SlipstreamError) as caught:
        load_text(tmp_path, text.replace(old, new, 1))
    assert caught.value.code == Code.CATALOG
    assert words in caught.value.message


def test_a_file_is_recognised_by_what_is_in_it(tmp_path: Path, catalog: Catalog) -> None:
    path = writer.write_model(tmp_path / "renamed.gguf", extra={
        "general.basename": "Qwen2.5-Coder", "general.size_label": "0.5B", "general.finetune": "Instruct",
    })
    facts = read_facts(read_header(path))
    sized = msgspec.structs.replace(facts, parameters=494_000_000, vocab_size=151_936)
    found = catalog.recognise(sized)
    assert found is not None
    assert found.id == "qwen2.5-coder-0.5b-instruct"
    for change in ({"basename": "Qwen2.5-Math"}, {"vocab_size": 32_000}, {"kind": "base"}, {"parameters": 10**9}):
        assert catalog.recognise(msgspec.structs.replace(sized, **change)) is None


@pytest.mark.model
def test_the_real_files_are_recognised(catalog: Catalog, target_q4: Path, draft_q4_k_m: Path, smollm: Path) -> None:
    found = [catalog.recognise(read_facts(read_header(path))) for path in (target_q4, draft_q4_k_m, smollm)]
    assert [model and model.id for model in found] == [
        "qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct", "smollm2-135m-instruct"
    ]


def test_a_size_names_one_model(catalog: Catalog) -> None:
    owners: dict[int, str] = {}
    for model in catalog.models:
        for file in model.files:
            if file.bytes:
                assert owners.setdefault(file.bytes, model.id) == model.id


def test_the_families_people_use_are_there_in_several_quantisations(catalog: Catalog) -> None:
    families = {model.family for model in catalog.models}
    assert families >= {"Llama 3", "Qwen2.5", "Qwen2.5-Coder", "Qwen3", "Qwen3.5", "Gemma 3", "Gemma 4", "Mistral",
                        "DeepSeek R1 Distill", "Phi", "Granite", "SmolLM"}
    for model_id in ("llama-3.1-8b-instruct", "qwen2.5-14b-instruct", "qwen3-8b", "granite-3.3-8b-instruct",
                     "phi-4-14b"):
        assert {file.quantisation for file in catalog.model(model_id).files} >= {"Q4_K_M", "Q6_K", "Q8_0"}
    assert {head.method for head in catalog.data.draft_head} == {
        "draft-eagle3", "draft-mtp", "draft-dflash", "draft-dspark"
    }
