from __future__ import annotations

import csv
import io

import msgspec

from app.compare.machine import MachineFacts
from app.compare.plan import Plan, Prompt, PromptFile, StoppingRule
from app.compare.report import Report, as_csv, as_json, as_markdown, as_table, describe_pair, make_report
from app.compare.result import summarise
from app.compare.trial import FileFacts
from app.records import Message
from app.sentences import read
from tests.compare.test_best_fixed import METHODS, SPEEDS, make_sides, make_trials

MACHINE = MachineFacts(processor="AMD | EPYC", physical_cores=2, logical_cores=4, usable_cores=4, memory_bytes=2**34,
                       system="Linux", python="3.11", program="0.1", engine="llama.cpp")


def make(prompt_file: PromptFile | None = None) -> Report:
    trials = make_trials(SPEEDS, 3)
    kinds = {trial.prompt_id: trial.kind for trial in trials}
    prompts = [Prompt(id=i, kind=kind, messages=[Message(role="user", content=i)]) for i, kind in kinds.items()]
    plan = Plan(prompts, make_sides(METHODS), StoppingRule.fixed(3), prompt_file)
    files = [FileFacts(name="t.gguf", size_bytes=1_000_000, modified_ns=1, sha256="ab" * 32)]
    result = summarise(trials, [side.name for side in plan.sides], 3)
    return make_report(plan, MACHINE, files, result, trials, [])


def test_markdown_has_what_is_needed_to_repeat_it() -> None:
    text = as_markdown(make(PromptFile(name="p.jsonl", sha256="cd" * 32)))
    for words in ("3 rounds of 4 prompts", "up to 8 tokens, temperature 0", "2 cores", "llama.cpp",
                  f"`t.gguf`, 1,000,000 bytes, SHA-256 `{'ab' * 32}`", f"`p.jsonl`, SHA-256 `{'cd' * 32}`",
                  "| all | auto | 18.0 | 1.80× (1.80–1.80)", "**Auto against the best fixed setting**",
                  "| code | 1.80× (1.80–1.80) | draft:max=3 | 0.90× (0.90–0.90) |",
                  "| chat-1 | 1.80× (1.80–1.80) | draft:max=3 | 0.90× (0.90–0.90) |",
                  "Noise: “off” against itself 1.00× (1.00–1.00)"):
        assert words in text, words
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| code-")}
    assert widths == {5}


def test_prompts_of_no_file_are_named_by_their_own_hashes() -> None:
    report = make()
    text = as_markdown(report)
    assert all(f"SHA-256 `{prompt.sha256}`" in text for prompt in report.prompts)


def test_the_table_lists_kinds_prompts_and_counts() -> None:
    text = as_table(make())
    assert "Auto against the best fixed setting" in text
    assert "4 of 4 against the best fixed setting" in text
    assert "Noise: “off” against itself" in text


def test_json_reads_back_and_csv_has_a_line_for_each_answer() -> None:
    report = make()
    assert msgspec.json.decode(as_json(report), type=Report, dec_hook=read) == report
    rows = list(csv.DictReader(io.StringIO(as_csv(report))))
    assert len(rows) == len(report.trials)
    assert float(rows[0]["tokens_per_second"]) == report.trials[0].tokens_per_second


def test_a_report_of_an_earlier_version_is_read() -> None:
    old = msgspec.json.decode(as_json(make()))
    for name in ("against_fixed", "noise", "prompt_file"):
        del old[name]
    assert msgspec.convert(old, Report, dec_hook=read).noise == []


def test_the_second_engines_figures_do_not_take_the_place_of_the_firsts() -> None:
    first = make()
    second = msgspec.structs.replace(
        first, machine=msgspec.structs.replace(first.machine, engine="ik-llama-cpp-python 0.1.5")
    )
    assert describe_pair(second) == f"{describe_pair(first)}, ik_llama.cpp"
