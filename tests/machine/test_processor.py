"""What a processor can do, as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.machine.processor import processor_features


@pytest.mark.parametrize("name", ["flags", "Features"])
def test_the_first_processors_flags_are_read_in_order(tmp_path: Path, name: str) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\n{name}\t\t: sse avx\n\nprocessor\t: 1\n{name}\t\t: other\n", encoding="ascii")
    assert processor_features(cpuinfo) == "avx sse"


def test_a_system_without_that_file_gives_what_it_has(tmp_path: Path) -> None:
    assert isinstance(processor_features(tmp_path / "nothing"), str)
