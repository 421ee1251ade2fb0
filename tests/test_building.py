from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import building
from app.building import Building


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "building.json"
    told = Building("failed", 0.43, 228.0, 7, 1_700_000_000.0, "It broke.", "Mend it.", "/tmp/log")
    building.write(file, told)
    assert building.read(file) == told
    assert [left.name for left in file.parent.iterdir()] == ["building.json"]


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"stage": "flying", "fraction": 0.5, "pid": 1}', b"[" * 60_000,
    b'{"stage": ["done"], "fraction": 0.5, "pid": 1}', b'{"stage": "building", "fraction": "half", "pid": 1}',
    b'{"stage": "building", "fraction": NaN, "pid": 1}', b'{"stage": "building", "fraction": true, "pid": 1}',
    b'{"stage": "building", "fraction": 0.5, "pid": 1e3}', b'{"stage": "building", "fraction": 0.5, "pid": -1}',
    b'{"stage": "building", "fraction": 0.5, "pid": 99999999999999999999}', b'{"stage": "building"}',
    b'{"stage": "building", "fraction": 1' + b"0" * 400 + b', "pid": 1}',
])
def test_garbage_is_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "building.json"
    file.write_bytes(content)
    assert building.read(file) is None


def test_a_file_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert building.read(tmp_path / "none.json") is None
    assert building.read(tmp_path) is None


def test_values_out_of_range_are_brought_into_it(tmp_path: Path) -> None:
    file = tmp_path / "building.json"
    file.write_text(json.dumps({"stage": "building", "fraction": 7, "left_s": -3, "pid": 1, "reason": 5, "log": None}))
    found = building.read(file)
    assert found is not None
    assert (found.fraction, found.left_s, found.reason, found.log) == (1.0, 0.0, "", "")


def test_a_process_is_alive_until_it_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert building.is_alive(child.pid)
    assert not building.is_alive(child.pid)
    assert not building.is_alive(0)
