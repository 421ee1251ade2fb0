from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.models.facts import ModelFile, read_facts
from app.models.gguf import read_header
from app.models.memory import PROCESS_BYTES, CacheSettings, estimate_kv, estimate_model, estimate_pair
from app.models.offload import count_layers, estimate_split, fit_layers
from app.models.remedies import suggest_remedies
from app.records import AUTO_LAYERS
from tests.models import gguf_writer as writer

SETTINGS = CacheSettings(ctx_tokens=8192, mapped=False)


@pytest.fixture
def target(tmp_path: Path) -> ModelFile:
    return read_facts(read_header(writer.write_model(tmp_path / "t.gguf", "Target", layers=40)))


@pytest.fixture
def draft(tmp_path: Path) -> ModelFile:
    return read_facts(read_header(writer.write_model(tmp_path / "d.gguf", "Draft", layers=4)))


def pair_bytes(target: ModelFile, draft: ModelFile | None, settings: CacheSettings = SETTINGS) -> int:
    drafting = estimate_model(draft, settings) if draft else None
    return estimate_pair(estimate_model(target, settings), drafting).total_bytes


def test_everything_on_the_card_leaves_the_embeddings(target: ModelFile) -> None:
    split = estimate_split(target, SETTINGS, AUTO_LAYERS)
    assert split.layers == count_layers(target) == 41
    assert split.host.weights_bytes == target.embedding_bytes
    assert split.device.weights_bytes == target.weights_bytes - target.embedding_bytes
    assert split.device.kv_bytes == estimate_kv(target, SETTINGS)
    assert split.host.kv_bytes == 0


def test_nothing_on_the_card(target: ModelFile) -> None:
    split = estimate_split(target, SETTINGS, 0)
    assert split.host == estimate_model(target, SETTINGS)
    assert split.device.total_bytes == 0


@pytest.mark.parametrize("layers", [1, 10, 39, 40, 41, 99])
def test_weights_and_cache_are_somewhere(target: ModelFile, layers: int) -> None:
    split = estimate_split(target, SETTINGS, layers)
    assert split.layers == min(layers, 41)
    assert split.host.weights_bytes + split.device.weights_bytes == pytest.approx(target.weights_bytes, abs=2)
    assert split.host.kv_bytes + split.device.kv_bytes == estimate_kv(target, SETTINGS)
    assert split.device.kv_bytes == pytest.approx(estimate_kv(target, SETTINGS) * min(layers, 40) / 40, abs=2)


def test_as_many_layers_as_fit(target: ModelFile) -> None:
    twenty = estimate_split(target, SETTINGS, 20).device.total_bytes
    assert fit_layers(target, SETTINGS, twenty) == 20
    assert fit_layers(target, SETTINGS, twenty - 1) == 19
    assert fit_layers(target, SETTINGS, 0) == 0
    assert fit_layers(target, SETTINGS, 2**50) == 41


def test_the_ways_out_come_in_order_and_only_those_that_help(target: ModelFile, draft: ModelFile) -> None:
    smaller = msgspec.structs.replace(draft, name="Smaller", path="smaller", weights_bytes=draft.weights_bytes // 2)
    needed = pair_bytes(target, draft)
    remedies = suggest_remedies(target, draft, SETTINGS, needed - 1, [smaller, target])
    assert [remedy.kind for remedy in remedies] == ["ngram", "drafts", "context", "cache", "smaller-draft"]
    assert all(remedy.needed_bytes < needed for remedy in remedies)
    by_kind = {remedy.kind: remedy for remedy in remedies}
    assert by_kind["ngram"].needed_bytes == pair_bytes(target, None)
    assert by_kind["context"].ctx_tokens == 4096
    assert by_kind["cache"].cache_type == "q8_0"
    assert by_kind["smaller-draft"].draft_path == "smaller"
    assert all(remedy.text.endswith(".") for remedy in remedies)


def test_no_way_out_when_the_target_alone_is_too_large(target: ModelFile, draft: ModelFile) -> None:
    assert suggest_remedies(target, draft, SETTINGS, 1000) == []


def test_the_context_is_shortened_as_far_as_needed(target: ModelFile, draft: ModelFile) -> None:
    wanted = msgspec.structs.replace(SETTINGS, ctx_tokens=2048)
    remedies = suggest_remedies(target, draft, SETTINGS, pair_bytes(target, draft, wanted))
    assert [remedy.ctx_tokens for remedy in remedies if remedy.kind == "context"] == [2048]


def test_a_quantised_cache_is_not_offered_where_it_cannot_be(target: ModelFile, draft: ModelFile) -> None:
    free = pair_bytes(target, draft) - 1
    odd = msgspec.structs.replace(target, head_dim_k=80)
    assert "cache" not in {remedy.kind for remedy in suggest_remedies(odd, draft, SETTINGS, free)}
    plain = msgspec.structs.replace(SETTINGS, flash_attn=False)
    free = pair_bytes(target, draft, plain) - 1
    assert "cache" not in {remedy.kind for remedy in suggest_remedies(target, draft, plain, free)}


def test_fewer_layers_on_a_card_that_is_too_small(target: ModelFile, draft: ModelFile) -> None:
    whole = sum(estimate_split(facts, SETTINGS, AUTO_LAYERS).device.total_bytes for facts in (target, draft))
    remedies = suggest_remedies(target, draft, SETTINGS, 2**40, free_device_bytes=whole - 1)
    (layers,) = [remedy for remedy in remedies if remedy.kind == "layers"]
    assert 0 < layers.gpu_layers < 41
    assert layers.needed_bytes < whole


def test_what_was_meant_for_main_memory_is_not_asked_of_the_card(target: ModelFile, draft: ModelFile) -> None:
    """Ten layers of the target on the card and the draft beside it in main memory: the card is no obstacle."""
    ten = estimate_split(target, SETTINGS, 10)
    free = ten.host.total_bytes + estimate_split(draft, SETTINGS, 0).host.total_bytes + PROCESS_BYTES
    by_kind = {r.kind: r for r in suggest_remedies(target, draft, SETTINGS, free, layers=(10, 0),
                                                   free_device_bytes=ten.device.total_bytes)}
    assert by_kind["ngram"].needed_bytes == ten.device.total_bytes
    assert by_kind["context"].needed_bytes < ten.device.total_bytes
    assert "layers" not in by_kind, "more than were meant"


def test_a_drafts_own_settings_are_counted(target: ModelFile, draft: ModelFile) -> None:
    own = msgspec.structs.replace(SETTINGS, cache_type_k="f32", cache_type_v="f32", output_rows=1)
    both = estimate_pair(estimate_model(target, SETTINGS), estimate_model(draft, own)).total_bytes
    by_kind = {r.kind: r for r in suggest_remedies(target, draft, SETTINGS, both, draft_settings=own)}
    eight = msgspec.structs.replace(SETTINGS, cache_type_k="q8_0", cache_type_v="q8_0")
    halved = [msgspec.structs.replace(one, ctx_tokens=by_kind["context"].ctx_tokens) for one in (SETTINGS, own)]
    assert by_kind["cache"].needed_bytes == estimate_pair(
        estimate_model(target, eight), estimate_model(draft, own)).total_bytes
    assert by_kind["context"].needed_bytes == estimate_pair(
        estimate_model(target, halved[0]), estimate_model(draft, halved[1])).total_bytes


def test_with_a_card_it_is_the_card_that_must_hold_it(target: ModelFile, draft: ModelFile) -> None:
    """Plenty of main memory is no way out: what does not fit onto the card is not offered as if it did."""
    whole = sum(estimate_split(facts, SETTINGS, AUTO_LAYERS).device.total_bytes for facts in (target, draft))
    alone = estimate_split(target, SETTINGS, AUTO_LAYERS).device.total_bytes
    by_kind = {r.kind: r for r in suggest_remedies(target, draft, SETTINGS, 2**40, free_device_bytes=whole - 1)}
    assert by_kind["ngram"].needed_bytes == alone
    assert list(by_kind).index("ngram") < list(by_kind).index("context") < list(by_kind).index("layers")
    tight = {r.kind for r in suggest_remedies(target, draft, SETTINGS, 2**40, free_device_bytes=alone // 4)}
    assert tight <= {"layers"}
