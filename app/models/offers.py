"""Drafts that the catalog names and that are not here, the one to get first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.models.approximate import approximate_facts
from app.models.catalog import DraftOffer
from app.models.facts import ModelFile
from app.models.memory import CacheSettings, estimate_model
from app.models.pairing import describe_lack, score_ratio


def rank_offers(offers: Iterable[DraftOffer], target: ModelFile, settings: CacheSettings, free_bytes: int
                ) -> list[DraftOffer]:
    """As drafts on disk are ranked: what fits into memory first, then what nobody warns of, then by expected gain.

    Of each model the first file is taken that fits, the catalog's order being that of preference.

    Args:
        settings: how a draft is loaded.
        free_bytes: memory left beside the target.
    """
    ranked: list[tuple[bool, bool, float, DraftOffer]] = []
    for offer in offers:
        fitted = _fit(offer, settings, free_bytes)
        ratio = target.parameters / (offer.model.parameters_b * 1e9)
        ranked.append((bool(fitted.note), bool(offer.caution), -score_ratio(ratio), fitted))
    return [offer for *_, offer in sorted(ranked, key=lambda each: each[:3])]


def _fit(offer: DraftOffer, settings: CacheSettings, free_bytes: int) -> DraftOffer:
    needs = [(estimate_model(approximate_facts(offer.model, file), settings).total_bytes, file)
             for file in offer.model.files]
    if free_bytes <= 0:
        # The target itself does not fit, which is said where it is shown.
        return offer
    fitting = next((file for needed, file in needs if needed <= free_bytes), None)
    if fitting is not None:
        return replace(offer, file=fitting)
    needed, smallest = min(needs, key=lambda each: each[0])
    return replace(offer, file=smallest, note=describe_lack(needed, free_bytes))
