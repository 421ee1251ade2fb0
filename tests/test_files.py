"""Files are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from app.files import try_to_write, write_whole


def test_what_was_there_is_replaced_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    place.write_bytes(b"old and longer")
    write_whole(place, b"ne", memoryview(b"w"))
    assert place.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_write_that_fails_leaves_the_old_file_and_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "kept"
    place.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(place, b"new")
    assert place.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_the_content_is_on_the_disk_before_the_name_and_the_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "kept"
    seen: list[tuple[bool, bool]] = []

    def note(descriptor: int) -> None:
        seen.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), place.exists()))

    monkeypatch.setattr(os, "fsync", note)
    write_whole(place, b"new")
    assert seen == ([(False, False), (True, True)] if os.name == "posix" else [(False, False)])
    seen.clear()
    write_whole(place, b"newer", lasting=False)
    assert seen == []


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_private_file_is_private_from_its_first_byte(tmp_path: Path) -> None:
    write_whole(tmp_path / "kept", b"mine", mode=0o600)
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o600


def test_best_effort_makes_the_folder_and_says_whether_it_went(tmp_path: Path) -> None:
    assert try_to_write(tmp_path / "new" / "kept", b"found out")
    (tmp_path / "no-folder").write_bytes(b"")
    assert not try_to_write(tmp_path / "no-folder" / "kept", b"found out")
