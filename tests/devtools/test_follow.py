from __future__ import annotations

import sys
from pathlib import Path

import pytest

from devtools.follow import follow, read_step


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("  [12/140] /usr/bin/c++ -DGGML_BUILD -o x.o", (12, 140)),
        ("[140/140] : && /usr/bin/c++ -shared", (140, 140)),
        ("[  7/ 291] blk.0.attn_k.weight - [ 896, 128, 1, 1]", (7, 291)),
        ("-- Performing Test [1/2]", None),
        ("x.cpp:[3/4]: warning", None),
        ("", None),
    ],
)
def test_a_step_is_read(line: str, step: tuple[int, int] | None) -> None:
    assert read_step(line) == step


def test_steps_become_progress_and_the_rest_a_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = (
        "import sys; print('hello'); print('[1/2] one'); print('[2/2] two'); print('odd', file=sys.stderr); sys.exit(3)"
    )
    log = tmp_path / "log"
    assert follow([sys.executable, "-u", "-c", code], None, log, "working") == 3
    assert log.read_text().splitlines() == ["hello", "[1/2] one", "[2/2] two", "odd"]
    assert capfd.readouterr().out.splitlines() == ["  working: 1 of 2 steps (50%)", "  working: 2 of 2 steps in 0:00"]


def test_whoever_watches_is_told_of_every_step(tmp_path: Path) -> None:
    told: list[float] = []
    code = "print('[1/4] one'); print('[2/4] two')"
    follow([sys.executable, "-c", code], None, tmp_path / "log", "working", lambda share, left_s: told.append(share))
    assert told == [0.25, 0.5]
