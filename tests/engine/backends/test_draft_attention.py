"""Which attention llama.cpp computes on a processor: a draft's is the plain one, unless a person says otherwise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.engine.backend import AbortFlag
from app.models.memory import DRAFT_MICRO_BATCH, MICRO_BATCH
from app.records import LoadSettings
from app.worker.engines import open_library

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    ("settings", "max_rows", "flash", "micro_batch"),
    [
        (LoadSettings(), 1, "disabled", DRAFT_MICRO_BATCH),
        (LoadSettings(), 17, "auto", MICRO_BATCH),
        (LoadSettings(flash_attn="on"), 1, "enabled", MICRO_BATCH),
        (LoadSettings(cache_type_v="q8_0"), 1, "enabled", MICRO_BATCH),
    ],
)
def test_a_draft_goes_without_flash_attention(
    smollm: Path, settings: LoadSettings, max_rows: int, flash: str, micro_batch: int
) -> None:
    lines: list[str] = []
    library = open_library("llama", lines.append)
    library.load(str(smollm), settings, max_rows, AbortFlag(), lambda _: None).close()
    log = "".join(lines)
    found = {name: value for name, value in re.findall(r"(\w+)\s+= (\w+)", log) if name in ("flash_attn", "n_ubatch")}
    assert found == {"flash_attn": flash, "n_ubatch": str(micro_batch)}
