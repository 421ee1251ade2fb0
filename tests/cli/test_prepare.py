"""The verb ``prepare``, with a scripted worker in the engine's place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.main import main
from tests.scripted_worker import scripted_worker_command

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options for a target, a draft and a file that is not there."""
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr("app.client.process.worker_command", scripted_worker_command)
    target, draft = tmp_path / "đích.gguf", tmp_path / "my draft.gguf"
    target.write_bytes(b"target")
    draft.write_bytes(b"draft")
    return ["--model", str(target), "--draft", str(draft), "--out", str(tmp_path / "fast.gguf")]


def test_a_table_and_a_sentence(files: list[str], capsys: Capture) -> None:
    assert main(["prepare", *files]) == 0
    captured = capsys.readouterr()
    assert "q4_0   5 MB  12.9 ms  70%    4             19.8 tokens/s" in captured.out
    assert "Q4_0: faster." in captured.out
    assert captured.out.endswith(f"Written to {files[-1]}.\n")
    assert captured.err == " 50%  Measuring a draft.\n"


def test_json_is_one_object(files: list[str], capsys: Capture) -> None:
    assert main(["prepare", *files, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == ["out", "form", "gain", "plain_tokens_per_second", "forms", "sentence", "memory"]
    assert (answer["out"], answer["form"], answer["gain"]) == (files[-1], "q4_0", 1.125)
    assert answer["forms"][0] == {
        "form": "as-is", "size_bytes": 5_000_000, "step_s": 0.0185, "acceptance_rate": 0.7, "best_draft_tokens": 4,
        "tokens_per_second": 17.6,
    }


@pytest.mark.parametrize("missing", ["--model", "--draft", "--out"])
def test_wrong_usage(files: list[str], missing: str, capsys: Capture) -> None:
    at = files.index(missing)
    assert main(["prepare", *files[:at], *files[at + 2 :]]) == 2
    assert missing in capsys.readouterr().err


def test_a_file_that_is_there_is_refused_before_anything_is_loaded(
    files: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.client.process.worker_command", lambda: ["no such program"])
    Path(files[-1]).write_bytes(b"somebody's")
    assert main(["prepare", *files]) == 1
    assert "is there already" in capsys.readouterr().err
    assert Path(files[-1]).read_bytes() == b"somebody's"


def test_a_missing_draft_is_one_line(files: list[str], capsys: Capture) -> None:
    Path(files[3]).unlink()
    assert main(["prepare", *files]) == 1
    assert capsys.readouterr().err.count("\n") == 1
