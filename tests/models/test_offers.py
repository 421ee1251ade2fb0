"""Drafts to get: which first, and in which file."""

from __future__ import annotations

import msgspec
import pytest

from app.models.approximate import approximate_facts
from app.models.catalog import Catalog, DraftOffer, load_catalog
from app.models.memory import CacheSettings, estimate_model
from app.models.offers import rank_offers

SHAPE = CacheSettings(ctx_tokens=4096)
PLENTY = 2**50


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def rank(catalog: Catalog, target_id: str, free_bytes: int = PLENTY) -> list[DraftOffer]:
    model = catalog.model(target_id)
    target = approximate_facts(model, model.files[0])
    return rank_offers(catalog.offer_drafts(target_id), target, SHAPE, free_bytes)


def need(offer: DraftOffer) -> int:
    return estimate_model(approximate_facts(offer.model, offer.file), SHAPE).total_bytes


def test_ten_to_twenty_times_smaller_comes_first(catalog: Catalog) -> None:
    assert [offer.model.id for offer in rank(catalog, "qwen2.5-coder-7b-instruct")] == [
        "qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct"
    ]
    assert rank(catalog, "llama-3.3-70b-instruct")[-1].model.id == "llama-3.2-1b-instruct"
    assert all(offer.note == "" for offer in rank(catalog, "llama-3.3-70b-instruct"))


def test_what_does_not_fit_beside_the_target_comes_last_and_says_so(catalog: Catalog) -> None:
    small = min(need(offer) for offer in rank(catalog, "llama-3.3-70b-instruct"))
    offers = rank(catalog, "llama-3.3-70b-instruct", small)
    assert offers[0].model.id == "llama-3.2-1b-instruct"
    assert offers[0].note == ""
    assert all("are free beside the target" in offer.note for offer in offers[1:])


def test_a_smaller_quantisation_is_taken_where_the_first_does_not_fit(catalog: Catalog) -> None:
    (wanted,) = rank(catalog, "llama-3.1-8b-instruct")
    assert wanted.file.quantisation == "Q8_0"
    (fitting,) = rank(catalog, "llama-3.1-8b-instruct", need(wanted) - 1)
    assert fitting.file.quantisation == "Q4_K_M"
    assert fitting.note == ""
    (too_large,) = rank(catalog, "llama-3.1-8b-instruct", 1000)
    assert too_large.file.bytes == min(file.bytes for file in too_large.model.files)
    assert "1 kB are free" in too_large.note
    (beside_nothing,) = rank(catalog, "llama-3.1-8b-instruct", 0)
    assert beside_nothing.note == "", "it is the target that does not fit"


def test_a_caution_puts_an_offer_behind_others_that_fit(catalog: Catalog) -> None:
    first, second = catalog.offer_drafts("qwen2.5-coder-7b-instruct")
    model = catalog.model("qwen2.5-coder-7b-instruct")
    warned = DraftOffer(first.model, first.file, "Others found it slow.")
    ranked = rank_offers([warned, second], approximate_facts(model, model.files[0]), SHAPE, PLENTY)
    assert [offer.model.id for offer in ranked] == [second.model.id, first.model.id]


def test_a_file_of_unknown_size_is_taken_at_the_bits_of_its_quantisation(catalog: Catalog) -> None:
    """Near what the files have whose size is known."""
    kinds = set()
    for model in catalog.models:
        for file in model.files:
            if file.bytes and model.parameters_b > 7:
                guessed = approximate_facts(model, msgspec.structs.replace(file, bytes=0)).file_bytes
                assert guessed == pytest.approx(file.bytes, rel=0.12), (model.id, file.quantisation)
                kinds.add(file.quantisation)
    assert kinds >= {"Q4_K_M", "Q8_0", "MXFP4"}
