from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import msgspec
import pytest

from app.compare.history import ComparisonHistory
from app.compare.machine import describe_machine
from app.compare.plan import Plan, Prompt, StoppingRule
from app.compare.report import Report, as_csv, as_json, as_markdown, as_table, make_report
from app.compare.result import Divergence, summarise
from app.compare.run import Failure
from app.compare.side import ModelSetup, sides_of_methods
from app.compare.trial import FileFacts
from app.errors import SlipstreamError
from app.records import Candidate, Message
from app.sentences import read
from tests.compare.test_result import trial
from tests.fakes import GREEDY


def make(speed: float = 25.0) -> Report:
    prompts = [Prompt(id=f"p{i}", kind=kind, messages=[Message(role="user", content="x")])
               for i, kind in enumerate(("code", "edit"))]
    setup = ModelSetup(target="/m/t.gguf", draft="/m/d.gguf")
    plan = Plan(prompts, sides_of_methods(setup, ["off", "draft"], GREEDY, 8), StoppingRule.fixed(2))
    trials = [trial(p.id, side, s, run, kind=p.kind) for p in prompts for run in range(2)
              for side, s in (("off", 10.0), ("draft", speed))]
    parting = Divergence(
        prompt_id="p0", side="draft", run=0, position=3, baseline_token_id=1, token_id=2, gap=0.125, draw=0.5,
        baseline_candidate=Candidate(token_id=1, text=" a", logit=10.0),
        candidate=Candidate(token_id=2, text=" b", logit=9.875),
    )
    result = summarise(trials, ["off", "draft"], 2, [parting])
    failure = Failure(prompt_id="p1", side="draft", run=1, code="busy", message="It was busy.")
    files = [FileFacts(name="t.gguf", size_bytes=1234567, modified_ns=1, sha256="ab" * 32)]
    return make_report(plan, describe_machine("fake"), files, result, trials, [failure])


def test_the_table_says_what_was_found() -> None:
    table = as_table(make())
    assert "2.50× (2.50–2.50)" in table
    assert "draft: 2.50 times as fast (2.50 to 2.50), 25.0 against 10.0 tokens/s; same text" in table
    assert "p0, draft: token 3, ' a' 10.000 against ' b' 9.875, gap 0.125, draw 0.5000" in table
    assert "p1, draft, round 2: It was busy." in table
    rows = [line for line in table.splitlines() if line.startswith(("code", "edit", "all"))]
    assert [row.split()[0] for row in rows] == ["code", "code", "edit", "edit", "all", "all"]


def test_the_markdown_is_a_table_with_all_that_is_needed_to_repeat_it() -> None:
    markdown = as_markdown(make())
    assert "| all | draft | 25.0 | 2.50× (2.50–2.50) |" in markdown
    assert "`t.gguf` with draft `d.gguf`" in markdown
    assert "abab" in markdown
    columns = {line.count("|") for line in markdown.splitlines() if line.startswith("|")}
    assert len(columns) == 1


def test_the_csv_has_a_line_for_every_answer() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(make()))))
    assert len(rows) == 8
    assert rows[1]["side"] == "draft"
    assert float(rows[1]["tokens_per_second"]) == 25.0
    assert "text" not in rows[0]


def test_json_can_be_read_again() -> None:
    report = make()
    assert msgspec.json.decode(as_json(report), type=Report, dec_hook=read) == report


def test_kept_comparisons_are_listed_loaded_and_deleted(tmp_path: Path) -> None:
    history = ComparisonHistory(tmp_path / "kept")
    assert history.list() == []
    older = history.save(make(), "first", 1.0)
    newer = history.save(make(30.0), "second", 2.0)
    assert [summary.title for summary in history.list()] == ["second", "first"]
    assert history.list()[0].verdicts[0].kind == "faster"
    assert history.load(newer.id).result.overall.sides[1].tokens_per_second == 30.0
    history.delete(newer.id)
    history.delete(newer.id)
    assert history.list() == [older]
    if sys.platform != "win32":
        assert {path.stat().st_mode & 0o077 for path in (tmp_path / "kept").iterdir()} == {0}


def test_damaged_and_foreign_files_are_passed_over(tmp_path: Path) -> None:
    history = ComparisonHistory(tmp_path)
    kept = history.save(make(), "good", 1.0)
    (tmp_path / f"{'0' * 32}.json").write_text("{")
    (tmp_path / "notes.json").write_text("{}")
    assert history.list() == [kept]
    with pytest.raises(SlipstreamError):
        history.load("0" * 32)
    for bad in ("../../etc/passwd", "", "x" * 32):
        with pytest.raises(SlipstreamError):
            history.delete(bad)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SlipstreamError):
        ComparisonHistory(tmp_path / "file" / "kept").save(make(), "x", 1.0)


def test_deleting_can_be_undone(tmp_path: Path) -> None:
    history = ComparisonHistory(tmp_path / "kept")
    summary = history.save(make(), "One", 1.0)
    data = history.delete(summary.id)
    assert history.list() == []
    history.restore(summary.id, data)
    assert history.list() == [summary]
    assert history.load(summary.id) == make()
    assert history.delete("0" * 32) == b""


def test_a_kept_report_is_completed_and_a_deleted_one_stays_deleted(tmp_path: Path) -> None:
    history = ComparisonHistory(tmp_path / "kept")
    summary = history.save(make(), "One", 1.0)
    history.update(summary.id, make(speed=30.0))
    assert history.load(summary.id) == make(speed=30.0)
    assert history.list() == [summary]
    history.delete(summary.id)
    history.update(summary.id, make())
    assert history.list() == []
