"""Contests with other programs: the order, what is kept, and the arithmetic of the report. No program is started."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from app.compare.machine import describe_machine
from app.compare.plan import Prompt
from app.errors import SlipstreamError
from app.records import LoadSettings, Message
from devtools.peers import llama_server, report
from devtools.peers.contest import Answer, PromptTokens, Trial, TrialLog, run_contest
from devtools.peers.contestants import ChildProcess, LlamaServer, PromptLookup


class Scripted:
    def __init__(self, name: str, speed: float, asked: list[tuple[str, str]]) -> None:
        self.name = name
        self.version = "1"
        self.speed = speed
        self.asked = asked

    def answer(self, prompt: PromptTokens, max_tokens: int) -> Answer:
        self.asked.append((self.name, prompt.prompt.id))
        return Answer(tokens=max_tokens, tokens_per_second=self.speed * len(prompt.token_ids))


def prompt(identity: str, kind: str, tokens: int) -> PromptTokens:
    message = Message(role="user", content=identity)
    return PromptTokens(prompt=Prompt(id=identity, kind=kind, messages=[message]), token_ids=list(range(tokens)))


PROMPTS = [prompt("a-1", "a", 10), prompt("b-1", "b", 20)]


def contest(path: Path, asked: list[tuple[str, str]], rounds: int = 2, conditions: str = "x") -> list[Trial]:
    contestants = [Scripted("ours", 3.0, asked), Scripted("theirs", 2.0, asked)]
    return run_contest(contestants, PROMPTS, rounds, 8, [conditions], TrialLog(path), lambda _: None)


def test_contestants_take_turns(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    contest(tmp_path / "log", asked)
    assert asked == [
        ("ours", "a-1"), ("theirs", "a-1"), ("theirs", "b-1"), ("ours", "b-1"),
        ("theirs", "a-1"), ("ours", "a-1"), ("ours", "b-1"), ("theirs", "b-1"),
    ]


def test_a_contest_goes_on_where_it_stopped_unless_something_changed(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    path = tmp_path / "log"
    first = contest(path, asked, rounds=1)
    with path.open("ab") as file:
        file.write(b'{"torn')
    asked.clear()
    second = contest(path, asked, rounds=2)
    assert len(asked) == 4
    assert second[:4] == first
    asked.clear()
    contest(path, asked, rounds=1, conditions="another file")
    assert len(asked) == 4


def test_matches_are_paired(tmp_path: Path) -> None:
    trials = contest(tmp_path / "log", [])
    match = report.make_match(trials, "ours", "theirs")
    assert match.measured.factor == pytest.approx(1.5)
    assert match.by_kind == {"a": pytest.approx(1.5), "b": pytest.approx(1.5)}
    assert match.worst == pytest.approx(1.5)
    assert report.best_of(trials, ["theirs", "ours"]) == "ours"
    assert report.mean_speed(trials, "theirs") == pytest.approx((20 * 40) ** 0.5)


def test_the_report_says_what_was_measured(tmp_path: Path) -> None:
    trials = contest(tmp_path / "log", [])
    result = report.ContestReport(
        peer="llama-server", files=[], rounds=2, versions={"ours": "1"}, prompt_file="p.jsonl", prompt_sha256="abc",
        machine=describe_machine("engine 1"),
        max_tokens=8, speeds=report.speeds_of(trials), accepted={"ours": 0.5},
        matches=[report.make_match(trials, "ours", "theirs")], trials=trials,
    )
    text = report.as_markdown(result)
    assert "| ours | 30.0 | 60.0 | 42.4 | 50% |" in text
    assert "| ours | theirs | 1.50×" in text
    assert "`abc`" in text


def test_a_child_is_gone_after_its_block(tmp_path: Path) -> None:
    with ChildProcess([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path / "log") as child:
        assert child.process.poll() is None
    assert child.process.returncode is not None


def test_a_server_that_ends_at_once_is_told(tmp_path: Path) -> None:
    program = tmp_path / "llama-server"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no model')\n")
    program.chmod(0o700)
    server = LlamaServer(program, "plain", "model.gguf", LoadSettings(), 2, tmp_path / "log")
    with server, pytest.raises(SlipstreamError, match="ended at its start"):
        server.wait_until_ready()
    assert "no model" in (tmp_path / "log").read_text()


def test_a_lookup_that_cannot_load_is_told(tmp_path: Path) -> None:
    lookup = PromptLookup(str(tmp_path / "none.gguf"), LoadSettings(), 1, 2, tmp_path / "log")
    with lookup, pytest.raises(SlipstreamError, match="ended"):
        lookup.wait_until_ready()


def test_a_built_server_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_server, "cache_dir", lambda: tmp_path)
    built: list[Path] = []

    def build(_source: object, _arguments: str, _libraries: object, program: Path, _jobs: int) -> None:
        built.append(program)
        program.write_text("")

    monkeypatch.setattr(llama_server, "_build", build)
    monkeypatch.setattr(llama_server.shutil, "which", lambda tool: tool)
    assert llama_server.binary() == llama_server.binary() == built[0]
    assert len(built) == 1


def test_without_cmake_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_server, "cache_dir", lambda: tmp_path)
    monkeypatch.setattr(llama_server.shutil, "which", lambda tool: None if tool == "cmake" else tool)
    with pytest.raises(SlipstreamError, match="cmake is missing"):
        llama_server.binary()


def test_answers_are_kept_as_lines(tmp_path: Path) -> None:
    contest(tmp_path / "log", [], rounds=1)
    lines = (tmp_path / "log").read_text().splitlines()
    assert [json.loads(line)["contestant"] for line in lines] == ["ours", "theirs", "theirs", "ours"]
