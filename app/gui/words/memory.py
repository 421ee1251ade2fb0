"""The sentence of the memory banner."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.gui.words import figures
from app.models.memory_check import MemoryJudgement


def tight_words(judgement: MemoryJudgement) -> str:
    """Both sums, and what happens now."""
    place = (QCoreApplication.translate("Memory", "graphics memory") if judgement.on_gpu
             else QCoreApplication.translate("Memory", "memory"))
    words = QCoreApplication.translate(
        "Memory", "Target and draft need {needed} of {place} and only {free} are free, so the draft was "
        "left out. N-gram lookup needs no memory."
    )
    if not judgement.fits_alone:
        words = QCoreApplication.translate(
            "Memory", "The target alone needs {alone} of {place}, with the draft {needed}, and only {free} are free. "
            "It may be slow or stop. N-gram lookup needs no memory."
        )
    return words.format(needed=figures.size(judgement.needed_bytes), free=figures.size(judgement.free_bytes),
                        alone=figures.size(judgement.needed_alone_bytes), place=place)
