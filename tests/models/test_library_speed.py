"""How long a library of 500 models takes to read: the first time, and every time after it."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from app.models.header_cache import HeaderCache
from app.models.library import ModelLibrary, Source
from tests.models import gguf_writer as writer

FILES = 500


@pytest.mark.long
def test_500_files_are_read_in_under_a_second_after_the_first_time(tmp_path: Path) -> None:
    for number in range(FILES):
        writer.write_model(tmp_path / "models" / f"p{number % 25}" / f"m{number}.gguf", f"Model {number}",
                           tokens=writer.words(2000, salt=str(number % 7)), layers=2)
    kept = tmp_path / "headers.msgpack"
    seconds = []
    for _ in range(4):
        # A new cache each time: what is known comes from the disk, as after a start of the program.
        library = ModelLibrary([Source("Here", tmp_path / "models")], HeaderCache(kept))
        started = time.perf_counter()
        entries = library.scan()
        seconds.append(time.perf_counter() - started)
        assert sum(entry.offered for entry in entries) == FILES
    sys.stderr.write(f"{FILES} files: first {seconds[0]:.2f} s, then {', '.join(f'{s:.3f}' for s in seconds[1:])} s\n")
    assert min(seconds[1:]) < 1.0
