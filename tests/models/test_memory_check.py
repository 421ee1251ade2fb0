"""Where a pair lies, what is free there, and which place is the tightest."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.models import memory_check
from app.models.facts import ModelFile, read_facts
from app.models.gguf import read_header
from app.models.memory import DRAFT_MICRO_BATCH, PROCESS_BYTES, estimate_compute
from app.models.memory_check import Reserved, Room, cache_settings, cards_of, held_on_cards, judge, plan_places
from app.protocol import Device
from app.records import LoadSettings
from tests.models import gguf_writer as writer

LARGE = Device(name="CUDA0", description="Large Card", kind="gpu", free_bytes=9_000_000_000, total_bytes=12_000_000_000)
SMALL = Device(name="CUDA1", description="Small Card", kind="gpu", free_bytes=3_000_000_000, total_bytes=4_000_000_000)
BUILT_IN = Device(name="Vulkan1", description="Built in", kind="igpu", free_bytes=1, total_bytes=1)
HOST = Room(8_000_000_000, 16_000_000_000)
CARDS = Room(8_000_000_000, 16_000_000_000, cards=(LARGE, SMALL))


@pytest.fixture
def target(tmp_path: Path) -> ModelFile:
    return read_facts(read_header(writer.write_model(tmp_path / "t.gguf", "Target", layers=40)))


@pytest.fixture
def draft(tmp_path: Path) -> ModelFile:
    return read_facts(read_header(writer.write_model(tmp_path / "d.gguf", "Draft", layers=4)))


def test_without_a_card_all_lies_in_main_memory(target: ModelFile, draft: ModelFile) -> None:
    (memory,) = plan_places(target, draft, LoadSettings(), HOST)
    assert (memory.name, memory.free_bytes) == ("", 8_000_000_000)
    assert memory.needed_bytes == sum(part.size_bytes for part in memory.parts)
    assert next(part.size_bytes for part in memory.parts if part.kind == "process") == PROCESS_BYTES
    freed = with_held(HOST, held_bytes=500)
    assert plan_places(target, draft, LoadSettings(), freed)[0].free_bytes == 8_000_000_500


def test_a_draft_on_the_processor_keeps_attention_weights_of_small_batches(draft: ModelFile) -> None:
    plain = cache_settings(LoadSettings(), as_draft=True)
    longer = msgspec.structs.replace(plain, ctx_tokens=2 * plain.ctx_tokens)
    weights = plain.ctx_tokens * DRAFT_MICRO_BATCH * draft.heads * 4
    mask = plain.ctx_tokens * DRAFT_MICRO_BATCH * 2
    assert estimate_compute(draft, longer) - estimate_compute(draft, plain) == weights + mask
    usual = estimate_compute(draft, cache_settings(LoadSettings()))
    for other in (
        cache_settings(LoadSettings(), on_card=True, as_draft=True),
        cache_settings(LoadSettings(flash_attn="on"), as_draft=True),
        cache_settings(LoadSettings(cache_type_v="q8_0"), as_draft=True),
        msgspec.structs.replace(plain, cache_type_k="q8_0", cache_type_v="q8_0"),
    ):
        assert other.flash_attn
        assert estimate_compute(draft, other) == usual


def test_cards_share_by_what_is_free_on_them(target: ModelFile, draft: ModelFile) -> None:
    memory, large, small = plan_places(target, draft, LoadSettings(), CARDS)
    assert [place.name for place in (memory, large, small)] == ["", "Large Card", "Small Card"]
    assert large.needed_bytes == pytest.approx(3 * small.needed_bytes, rel=0.01)
    kinds = {part.kind for part in large.parts}
    assert {"target-weights", "target-cache", "draft-weights", "draft-cache"} <= kinds
    assert "process" in {part.kind for part in memory.parts}
    assert len(plan_places(target, draft, LoadSettings(gpu_layers=0), CARDS)) == 1


def test_what_a_loaded_pair_holds_of_the_cards_is_free_again(target: ModelFile, draft: ModelFile) -> None:
    held = held_on_cards([target, draft], LoadSettings(), CARDS)
    assert 0 < held < 4_000_000_000
    room = Room(CARDS.free_bytes, CARDS.total_bytes, 0, CARDS.cards, held)
    _, large, small = plan_places(target, draft, LoadSettings(), room)
    assert large.free_bytes + small.free_bytes == pytest.approx(12_000_000_000 + held, abs=2)
    full = msgspec.structs.replace(LARGE, free_bytes=LARGE.total_bytes)
    assert held_on_cards([target], LoadSettings(), Room(1, 1, cards=(full,))) == 0, "no more than is in use there"
    assert held_on_cards([target], LoadSettings(gpu_layers=0), CARDS) == 0


def test_the_tightest_place_is_judged(target: ModelFile, draft: ModelFile) -> None:
    tight = msgspec.structs.replace(SMALL, free_bytes=1000)
    on_card = judge(target, draft, LoadSettings(), Room(8_000_000_000, 16_000_000_000, cards=(tight,)))
    assert on_card.on_gpu
    assert not on_card.fits
    assert on_card.free_bytes == 1000
    assert on_card.needed_alone_bytes < on_card.needed_bytes
    in_memory = judge(target, draft, LoadSettings(), Room(1000, 16_000_000_000, cards=(LARGE,)))
    assert not in_memory.on_gpu
    assert in_memory.free_bytes == 1000


def test_the_engines_own_figures_take_the_place_of_the_estimate(target: ModelFile, draft: ModelFile) -> None:
    known = (Reserved(1_000_000), Reserved(2_000_000))
    (memory,) = plan_places(target, draft, LoadSettings(), HOST, None, known)
    caches = [part.size_bytes for part in memory.parts if part.kind.endswith("-cache")]
    assert caches == [1_000_000, 2_000_000]
    _, large, small = plan_places(target, None, LoadSettings(), CARDS, None, (Reserved(1_000_000, 4_000_000), None))
    work = [part.size_bytes for place in (large, small) for part in place.parts if part.kind == "target-work"]
    assert work == [3_000_000, 1_000_000]


def test_graphics_that_share_the_computers_memory_are_no_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies there takes main memory, so that is what has to have room."""
    assert cards_of([BUILT_IN, LARGE]) == (LARGE,)
    monkeypatch.setattr(memory_check, "has_one_memory", lambda: True)
    assert cards_of([BUILT_IN, LARGE]) == ()


def with_held(room: Room, held_bytes: int) -> Room:
    return Room(room.free_bytes, room.total_bytes, held_bytes, room.cards, room.held_card_bytes)
