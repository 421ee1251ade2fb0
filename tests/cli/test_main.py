"""The command line's contract, with a scripted worker in the engine's place."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app import __version__, protocol
from app.cli.generate import _Screen, describe_others
from app.cli.main import main
from app.records import MemoryFigures, Piece, SpeculationFigures, Timings
from tests.scripted_worker import ROOT, scripted_worker_command

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Tell which scripted worker the commands run; a plain one where a test does not."""

    def use(*arguments: str) -> None:
        monkeypatch.setattr("app.client.process.worker_command", lambda: scripted_worker_command(*arguments))

    use()
    return use


@pytest.fixture
def models(tmp_path: Path) -> tuple[str, str]:
    target, draft = tmp_path / "đích.gguf", tmp_path / "my draft.gguf"
    target.write_bytes(b"target")
    draft.write_bytes(b"draft")
    return str(target), str(draft)


@pytest.fixture
def prompts(tmp_path: Path) -> str:
    lines = [
        {"id": f"{kind}-{i}", "kind": kind, "messages": [{"role": "user", "content": f"{kind} {i}"}]}
        for kind in ("code", "edit") for i in range(2)
    ]
    path = tmp_path / "prompts.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return str(path)


def generate(*arguments: str) -> int:
    return main(["generate", *arguments])


def test_version(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"slipstream {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"], [], ["generate"], ["generate", "--model", "m"],
        ["generate", "--model", "m", "--prompt", "x", "--prompt-file", "f"],
        ["generate", "--model", "m", "--prompt", "x", "--temperature", "hot"],
        ["generate", "--model", "m", "--prompt", "x", "--temperature", "nan"],
        ["generate", "--model", "m", "--prompt", "x", "--max-tokens", "0"],
        ["generate", "--model", "m", "--prompt", "x", "--cache-type-k", "q3"],
        ["generate", "--model", "m", "--prompt", "x", "--method", "magic"],
        ["generate", "--model", "m", "--prompt", "x", "--method", "draft"],
        ["generate", "--model", "m", "--prompt", "x", "--method", "draft:max=1000", "--draft", "d"],
        ["generate", "--model", "m", "--prompt", "x", "--max-draft", "4"],
        ["generate", "--model", "m", "--prompt", "x", "--draft", "d", "--method", "off", "--max-draft", "4"],
        ["generate", "--model", "m", "--messages", "f.json", "--raw"],
        ["bench", "--model", "m", "--prompts", "p", "--methods", "off", "draft"],
        ["bench", "--model", "m", "--prompts", "p", "--methods"],
    ],
)
def test_wrong_usage_is_status_2_with_a_reason(arguments: list[str], capsys: Capture) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err


def test_generate_streams_text_to_stdout_and_the_rest_to_stderr(
    script: Any, models: tuple[str, str], capsys: Capture
) -> None:
    script("--text", "Xin chào các bạn")
    assert generate("--model", models[0], "--prompt", "hello", "--max-tokens", "9") == 0
    captured = capsys.readouterr()
    assert captured.out == "Xin chào các bạn\n"
    assert "4 tokens at 40.0 tokens/s" in captured.err


@pytest.mark.parametrize(("used", "words"), [
    (0.49, ""), (0.5, "Other programs are using 0.5 of 2 cores, so answers come slower."),
    (1.26, "Other programs are using 1.3 of 2 cores, so answers come slower."),
])
def test_other_programs_are_named_where_they_explain_a_slow_answer(used: float, words: str) -> None:
    assert describe_others(Timings(other_cores=used, cores=2, threads=1)) == words


def test_nothing_is_said_amid_the_answer() -> None:
    out, err = io.StringIO(), io.StringIO()
    screen = _Screen(out, err, streams=True)

    def notice(message: str, passing: bool = False) -> None:
        screen.show(protocol.Notice(request_id=1, message=message, passing=passing))

    notice("Measuring.")
    assert err.getvalue() == "Measuring.\n"
    screen.show(protocol.Chunk(request_id=1, pieces=[Piece(text="Half a ", drafted=False)]))
    notice("Drafting.", passing=True)
    notice("The context is nearly full.")
    assert err.getvalue() == "Measuring.\n"
    screen.finish(protocol.Done(
        request_id=1, reason="eos", text="Half a line", token_ids=[1, 2, 3], prompt_tokens=3, timings=Timings(),
        speculation=SpeculationFigures(), memory=MemoryFigures(),
    ), "")
    assert out.getvalue() == "Half a line\n"
    assert err.getvalue().splitlines()[:2] == ["Measuring.", "The context is nearly full."]
    assert "Drafting." not in err.getvalue()


def test_generate_json_is_one_object_with_the_fields_of_the_contract(
    script: Any, models: tuple[str, str], capsys: Capture
) -> None:
    status = generate(
        "--model", models[0], "--draft", models[1], "--method", "draft:max=6,p_min=0.6", "--prompt", "a b c",
        "--max-tokens", "8", "--temperature", "0", "--seed", "7", "--ctx", "2048", "--json",
    )
    assert status == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == [
        "text", "token_ids", "stop_reason", "prompt_tokens", "timings", "speculation", "memory", "settings"
    ]
    assert (answer["stop_reason"], answer["prompt_tokens"], len(answer["token_ids"])) == ("length", 3, 8)
    assert {
        "load_s", "prefill_s", "decode_s", "draft_s", "verify_s", "sample_s", "other_s", "tokens_per_second",
        "prefill_tokens_per_second",
    } <= set(answer["timings"])
    assert {
        "method", "steps", "num_draft_tokens", "num_accepted_draft_tokens", "draft_acceptance_rate",
        "mean_acceptance_length", "acceptance_histogram", "per_position_acceptance", "by_drafter",
    } <= set(answer["speculation"])
    assert set(answer["memory"]) == {"worker_rss_bytes", "worker_peak_rss_bytes"}
    settings = answer["settings"]
    assert settings["method"] == "draft:max=6,p_min=0.6"
    assert settings["sampling"]["seed"] == 7
    assert settings["load"]["ctx_tokens"] == settings["draft_load"]["ctx_tokens"] == 2048


def test_every_pass_is_reported_on_request(script: Any, models: tuple[str, str], capsys: Capture) -> None:
    assert generate("--model", models[0], "--prompt", "a b", "--max-tokens", "7", "--json", "--steps") == 0
    answer = json.loads(capsys.readouterr().out)
    steps = answer["steps"]
    assert sum(step["tokens"] for step in steps) == len(answer["token_ids"])
    assert {
        "drafter", "num_draft_tokens", "num_accepted_draft_tokens", "seconds", "draft_s", "verify_s"
    } <= set(steps[0])


@pytest.mark.parametrize(
    ("flags", "method"),
    [
        ([], "auto"), (["--method", "off"], "off"), (["--max-draft", "8"], "draft:max=8"),
        (["--draft-p-min", "0.6", "--min-draft", "2"], "draft:min=2,p_min=0.6"),
        (["--method", "draft:max=5", "--draft-sampling", "exact"], "draft:max=5,sampling=exact"),
        (["--method", "ngram-simple:m=4"], "ngram-simple:m=4"),
    ],
)
def test_the_method_comes_from_either_way_to_say_it(
    script: Any, models: tuple[str, str], capsys: Capture, flags: list[str], method: str
) -> None:
    assert generate("--model", models[0], "--draft", models[1], "--prompt", "x", "--json", *flags) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["method"] == method


def test_a_seed_is_reported_where_none_was_given(script: Any, models: tuple[str, str], capsys: Capture) -> None:
    generate("--model", models[0], "--prompt", "x", "--json")
    assert isinstance(json.loads(capsys.readouterr().out)["settings"]["sampling"]["seed"], int)


def test_messages_and_system_reach_the_model(
    script: Any, models: tuple[str, str], tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "one two"}, {"role": "assistant", "content": "three"}]))
    assert generate("--model", models[0], "--messages", str(path), "--system", "four five", "--json") == 0
    # The scripted worker counts the words of the texts joined: “four fiveone twothree”.
    assert json.loads(capsys.readouterr().out)["prompt_tokens"] == 3


@pytest.mark.parametrize("content", ["", "[]", '{"role": "user"}', '[{"role": "wizard", "content": "x"}]', "\xff"])
def test_a_damaged_messages_file_is_one_line(models: tuple[str, str], tmp_path: Path, capsys: Capture,
                                             content: str) -> None:
    path = tmp_path / "chat.json"
    path.write_text(content, encoding="latin-1")
    assert generate("--model", models[0], "--messages", str(path)) == 1
    assert_one_line(capsys.readouterr().err)


def assert_one_line(err: str) -> None:
    assert err.startswith("slipstream: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_missing_prompt_file_is_one_line(models: tuple[str, str], capsys: Capture) -> None:
    assert generate("--model", models[0], "--prompt-file", "/nowhere/p.txt") == 1
    assert_one_line(capsys.readouterr().err)


@pytest.mark.parametrize(
    "worker",
    [
        ["--fail-load", "model_unreadable"], ["--fail-draft", "draft_incompatible"], ["--die-while-loading"],
        ["--exit-at-start"], ["--protocol-version", "7"],
    ],
)
def test_what_fails_before_the_answer_is_status_1_and_one_line(
    script: Any, models: tuple[str, str], capsys: Capture, worker: list[str]
) -> None:
    script(*worker)
    assert generate("--model", models[0], "--draft", models[1], "--prompt", "x", "--json") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert_one_line(captured.err)


def test_death_amid_an_answer_keeps_what_was_said(script: Any, models: tuple[str, str], capsys: Capture) -> None:
    script("--die-after", "2", "--signal", "9")
    assert generate("--model", models[0], "--prompt", "x") == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("word0 word1 word2 word3")
    assert "killed" in captured.err


def test_the_log_holds_no_prompt(script: Any, models: tuple[str, str], tmp_path: Path) -> None:
    script("--die-after", "2", "--garbage", "3")
    generate("--model", models[0], "--prompt", "a-secret")
    log = next((tmp_path / "state").rglob("command-line.log"))
    assert "a-secret" not in log.read_text()
    assert "worker_died" in log.read_text()
    if sys.platform != "win32":
        assert log.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT")
@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_ctrl_c_stops_and_prints_what_there_is(tmp_path: Path, models: tuple[str, str], json_flag: list[str]) -> None:
    process = _start_command(["--chunks", "1000", "--delay-s", "0.02"], models[0], json_flag)
    assert process.stderr is not None
    if json_flag:
        time.sleep(1.0)
    else:
        assert process.stdout is not None
        process.stdout.read(10)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert b"Traceback" not in err
    if json_flag:
        assert json.loads(out)["stop_reason"] == "aborted"
    else:
        assert b"stopped" in err


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT")
def test_a_second_ctrl_c_kills_a_deaf_engine(models: tuple[str, str]) -> None:
    process = _start_command(["--hang-after", "3", "--ignore-stop"], models[0], [])
    assert process.stdout is not None
    process.stdout.read(10)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert b"Traceback" not in err


def _start_command(worker: list[str], model: str, flags: list[str]) -> subprocess.Popen[bytes]:
    program = (
        "import json, sys\nimport app.client.process as process\nfrom app.cli.main import main\n"
        "worker = json.loads(sys.argv[1])\nprocess.worker_command = lambda: worker\nsys.exit(main(sys.argv[2:]))\n"
    )
    command = [sys.executable, "-c", program, json.dumps(scripted_worker_command(*worker))]
    command += ["generate", "--model", model, "--prompt", "x", *flags]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_reader_that_goes_away_is_no_crash(models: tuple[str, str]) -> None:
    process = _start_command(["--chunks", "200", "--delay-s", "0.005"], models[0], [])
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(5)
    process.stdout.close()
    with process.stderr as stderr:
        err = stderr.read()
    assert process.wait(30) == 1
    assert b"Traceback" not in err
    assert b"Exception" not in err


def test_a_mistake_of_ours_is_one_line_and_a_log(tmp_path: Path, models: tuple[str, str]) -> None:
    program = (
        "import sys\nimport app.cli.generate as command\nfrom app.cli.main import main\n"
        "def broken(args):\n    raise ZeroDivisionError('oh')\n"
        "command.run_generate = broken\nsys.exit(main(['generate', '--model', 'm', '--prompt', 'x']))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False,
                            env={**os.environ})
    assert result.returncode == 1
    assert_one_line(result.stderr)
    log = next((tmp_path / "state").rglob("command-line.log"))
    assert "ZeroDivisionError" in log.read_text()


def bench(*arguments: str) -> int:
    return main(["bench", *arguments])


def test_bench_prints_a_table_and_writes_everything(
    script: Any, models: tuple[str, str], prompts: str, tmp_path: Path, capsys: Capture
) -> None:
    script("--part-at", "3")
    out = tmp_path / "out.json"
    arguments = ["--model", models[0], "--draft", models[1], "--prompts", prompts, "--methods", "off", "draft:max=8",
                 "--runs", "2", "--max-tokens", "8", "--json", str(out)]
    assert bench(*arguments) == 0
    captured = capsys.readouterr()
    assert "2.00× (2.00–2.00)" in captured.out
    assert "code" in captured.out
    assert "gap 0.100" in captured.out
    assert "[16/16" in captured.err
    report = json.loads(out.read_text())
    assert report["methods"] == ["off", "draft:max=8"]
    assert len(report["trials"]) == 16
    assert report["machine"]["engine"] == "scripted"
    assert [f["size_bytes"] for f in report["files"]] == [6, 5]
    assert report["result"]["overall"]["sides"][1]["speedup"]["factor"] == pytest.approx(2.0)
    assert report["result"]["partings"][0]["position"] == 3
    assert len(report["prompts"][0]["sha256"]) == 64
    assert report["prompt_file"]["sha256"] == hashlib.sha256(Path(prompts).read_bytes()).hexdigest()
    assert bench(*arguments) == 0
    assert capsys.readouterr().err.count("(from before)") == 16


def test_bench_takes_the_first_of_each_kind(
    script: Any, models: tuple[str, str], prompts: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "out.json"
    assert bench("--model", models[0], "--prompts", prompts, "--methods", "off", "--kinds", "edit", "--limit", "1",
                 "--runs", "1", "--max-tokens", "4", "--json", str(out)) == 0
    assert [p["id"] for p in json.loads(out.read_text())["prompts"]] == ["edit-0"]


def test_bench_sets_drafts_beside_each_other(
    script: Any, models: tuple[str, str], prompts: str, tmp_path: Path, capsys: Capture
) -> None:
    other, out = tmp_path / "other.gguf", tmp_path / "out.json"
    other.write_bytes(Path(models[1]).read_bytes())
    common = ["--model", models[0], "--prompts", prompts, "--limit", "1", "--runs", "1", "--max-tokens", "4"]
    assert bench(*common, "--draft", models[1], "--methods", "draft:max=3", "off", "auto", "--beside-draft", str(other),
                 "--keep-prompts", "--json", str(out)) == 0
    report = json.loads(out.read_text())
    assert report["methods"] == [
        "draft:max=3", "off", "auto", "draft:max=3 with other.gguf", "auto with other.gguf"
    ], "what asks no draft is not repeated"
    assert [Path(side["setup"]["draft"]).name for side in report["sides"]][3:] == ["other.gguf"] * 2
    assert "Each prompt was read once for all methods" in capsys.readouterr().out
    assert bench(*common, "--methods", "off", "--beside-draft", str(other)) == 2
    assert "--draft" in capsys.readouterr().err


@pytest.mark.parametrize(
    "extra", [["--kinds", "poetry"], ["--json", "/nowhere/at/all.json"], ["--prompts", "/nowhere"], ["--model", "/no"]]
)
def test_bench_refuses_in_one_line(
    script: Any, models: tuple[str, str], prompts: str, capsys: Capture, extra: list[str]
) -> None:
    assert bench("--model", models[0], "--prompts", prompts, "--methods", "off", *extra) == 1
    assert_one_line(capsys.readouterr().err)


def test_a_sweep_marks_the_best(
    script: Any, models: tuple[str, str], prompts: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "out.json"
    assert bench("--model", models[0], "--draft", models[1], "--prompts", prompts, "--limit", "1", "--sweep",
                 "--runs", "2", "--max-tokens", "4", "--json", str(out)) == 0
    table = capsys.readouterr().out
    assert "Sweep: a drafted token is accepted with" in table
    assert table.count("← best") == 1
    report = json.loads(out.read_text())
    assert [point["draft_length"] for point in report["sweep"]["points"]][:17] == list(range(17))
    assert len(report["files"][0]["sha256"]) == 64


def test_bench_without_runs_goes_on_until_it_is_sure(
    script: Any, models: tuple[str, str], prompts: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    assert bench("--model", models[0], "--prompts", prompts, "--kinds", "code", "--methods", "off", "ngram-simple",
                 "--max-tokens", "4", "--json", str(out)) == 0
    report = json.loads(out.read_text())
    assert report["rounds"] == 4
    assert report["verdicts"][0]["kind"] == "faster"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT")
def test_ctrl_c_in_bench_keeps_what_is_finished(models: tuple[str, str], prompts: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    program = (
        "import json, sys\nimport app.client.process as process\nfrom app.cli.main import main\n"
        "worker = json.loads(sys.argv[1])\nprocess.worker_command = lambda: worker\nsys.exit(main(sys.argv[2:]))\n"
    )
    command = [sys.executable, "-c", program, json.dumps(scripted_worker_command("--delay-s", "0.05"))]
    command += ["bench", "--model", models[0], "--prompts", prompts, "--methods", "off", "auto", "--runs", "50"]
    process = subprocess.Popen(
        [*command, "--json", str(out)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert process.stderr is not None
    lines = b""
    while b"[3/" not in lines:
        lines += process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    assert b"Traceback" not in stderr
    assert "tokens/s" in stdout.decode()
    assert 3 <= len(json.loads(out.read_text())["trials"]) <= 6
