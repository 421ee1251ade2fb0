from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import dev
from app.building import RESTART_STATUS
from app.errors import Code, SlipstreamError
from app.paths import models_dir
from devtools.environment import Layout

ROOT = Path(dev.__file__).resolve().parent
Started = list[tuple[list[str], bool]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Started:
    """``dev.py`` with a finished set-up and models; the list holds the commands it would start."""
    commands: Started = []

    def start(command: list[str], layout: Layout, offscreen: bool = False, more: object = None) -> int:
        commands.append((command, offscreen))
        return 0

    monkeypatch.setattr(dev.translations, "find_faults", lambda root, tools, languages: [])
    monkeypatch.setattr(dev, "set_up", lambda options, **_: Layout(tmp_path))
    monkeypatch.setattr(dev, "set_up_for_tests", lambda options: Layout(tmp_path))
    monkeypatch.setattr(dev.weights, "provide", lambda *_: tmp_path / "models")
    monkeypatch.setattr(dev.system, "has_display", lambda: True)
    monkeypatch.setattr(dev, "start", start)
    return commands


def test_run_opens_the_window_and_passes_arguments_on(started: Started) -> None:
    assert dev.main(["run", "--starter-only", "--style", "fusion"]) == 0
    assert [command[1:] for command, _ in started] == [["-m", "app", "--style", "fusion"]]


def test_run_does_not_wait_for_a_build_that_the_second_engine_can_do_without(
    started: Started, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built: list[list[str]] = []
    told: list[str] = []

    def run_while_building(build: list[str], log: Path, progress: Path, run: Callable[[], int], _: object) -> int:
        built.append(build)
        told.append(str(progress))
        return run()

    def start(command: list[str], layout: Layout, more: dict[str, str]) -> int:
        started.append((command, False))
        told.extend(more.values())
        assert list(more) in ([], ["SLIPSTREAM_BUILDING"])
        return RESTART_STATUS if len(started) == 1 else 0

    monkeypatch.setattr(dev, "run_while_building", run_while_building)
    monkeypatch.setattr(dev, "start", start)
    python = Layout(tmp_path).python
    python.parent.mkdir(parents=True)
    python.touch()
    assert dev.main(["run", "--without", "none"]) == 0
    assert [command[1:] for command, _ in started] == 2 * [["-m", "app"]], "the first window asked for another"
    assert told[0] == told[1]
    assert len(told) == 2, "the second window has no build beside it"
    assert [command[2:] for command in built] == [["setup", "--without-models", "--without", "none"]]


@pytest.mark.parametrize(
    ("arguments", "may_wait", "second_engine", "steps"),
    [
        ([], True, True, ["synchronise"]),
        ([], True, False, ["synchronise", "compiler", "finish"]),
        ([], False, True, ["compiler", "synchronise", "finish"]),
        (["--gpu", "cuda"], True, True, ["compiler", "synchronise", "finish"]),
    ],
)
def test_a_build_waits_only_where_something_can_answer_meanwhile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], may_wait: bool, second_engine: bool,
    steps: list[str],
) -> None:
    done: list[str] = []

    def provide(need: dev.Need, essential: dev.Need) -> None:
        if dev.Need.BUILD in essential:
            done.append("compiler")

    monkeypatch.setattr(dev, "ROOT", ROOT)
    monkeypatch.setattr(dev, "cache_dir", lambda: tmp_path)
    monkeypatch.setattr("devtools.building.cache_dir", lambda: tmp_path)
    monkeypatch.setattr(dev.llama, "must_build", lambda version, key: True)
    monkeypatch.setattr(dev.system, "provide", provide)
    monkeypatch.setattr(dev.system, "require_gpu_tools", lambda gpu: None)
    monkeypatch.setattr(dev.environment, "is_current", lambda layout, wanted: False)
    monkeypatch.setattr(dev.environment, "synchronise", lambda layout, wanted: done.append("synchronise"))
    monkeypatch.setattr(dev.environment, "finish", lambda layout, wanted: done.append("finish"))
    monkeypatch.setattr(dev.environment, "has_second_engine", lambda layout: second_engine)
    dev.set_up(dev.make_parser().parse_args(["run", *arguments]), may_wait=may_wait)
    assert done == steps


def test_run_without_a_display_points_to_a_command_that_works(
    started: Started, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev.system, "has_display", lambda: False)
    assert dev.main(["run"]) == 1
    assert started == []
    said = capsys.readouterr().err
    assert "no display" in said
    assert "slipstream generate --model" in said
    assert dev.STARTER in said


def test_tests_without_a_model_run_side_by_side_and_those_with_one_alone(started: Started) -> None:
    assert dev.main(["test"]) == 0
    first, second = (command[1:] for command, _ in started[-2:])
    assert first[:4] == ["-m", "pytest", "-m", "not long and not model"]
    assert "--numprocesses" in first
    assert second == ["-m", "pytest", "-m", "not long and model"]
    assert all(offscreen for _, offscreen in started[-2:])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--long"], []),
        (["-k", "wheel", "tests/devtools"], ["-m", "not long", "-k", "wheel", "tests/devtools"]),
        (["--", "-x"], ["-m", "not long", "-x"]),
        (["-x", "-m", "not model"], ["-m", "not long and (not model)", "-x"]),
        (["-m", "long and not model"], ["-m", "long and not model"]),
        (["--long", "-m", "not model"], ["-m", "not model"]),
    ],
)
def test_test_checks_first_and_passes_arguments_to_pytest(
    started: Started, arguments: list[str], expected: list[str]
) -> None:
    assert dev.main(["test", *arguments]) == 0
    names = [Path(command[0]).stem for command, _ in started]
    assert names == ["ruff", "mypy", "lint-imports", "python", "python"]
    command, offscreen = started[-1]
    assert command[1:] == ["-m", "pytest", *expected]
    assert offscreen


@pytest.mark.parametrize(
    ("arguments", "fetches"),
    [
        ([], True),
        (["-k", "wheel"], True),
        (["-m", "model"], True),
        (["-m", "model or long"], True),
        (["-m", "not (model and long)"], True),
        (["-m", "not"], True),
        (["-m", "not model"], False),
        (["-mnot model", "-x"], False),
        (["--long", "-m", "long and not model", "tests/server"], False),
        (["-m", "not (model or long)"], False),
        (["-m", "model", "-m", "not model"], False),
        (["--without-models"], False),
    ],
)
def test_models_are_fetched_only_where_a_test_that_needs_them_may_run(
    started: Started, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str],
    fetches: bool,
) -> None:
    fetched: list[object] = []
    monkeypatch.setattr(dev.weights, "provide", lambda *asked: fetched.append(asked))
    assert dev.main(["test", *arguments]) == 0
    assert bool(fetched) is fetches
    assert ("No model file is fetched." in capsys.readouterr().out) is not fetches


@pytest.mark.parametrize("failing", ["ruff", "python"])
def test_test_fails_when_a_check_or_a_test_fails_and_still_runs_the_rest(
    started: Started, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    ran: list[str] = []

    def start(command: list[str], layout: Layout, offscreen: bool = False) -> int:
        ran.append(Path(command[0]).stem)
        return int(ran[-1] == failing)

    monkeypatch.setattr(dev, "start", start)
    assert dev.main(["test"]) == 1
    assert len(ran) == 6


def test_bench_fills_in_only_what_was_not_given(started: Started) -> None:
    assert dev.main(["bench", "--model", "m.gguf", "--methods", "off"]) == 0
    command = started[-1][0]
    assert command.count("--model") == command.count("--methods") == 1
    assert "--draft" not in command
    assert "--prompts" not in command
    assert command[command.index("--runs") + 1] == "3"
    assert Path(command[command.index("--json") + 1]).parent.is_dir()


def test_bench_by_itself_measures_the_routine_set_with_its_noise(started: Started) -> None:
    assert dev.main(["bench"]) == 0
    command = started[-1][0]
    methods = command[command.index("--methods") + 1 : command.index("--limit")]
    assert methods[:3] == ["off", "off", "auto"]
    assert command[command.index("--markdown") + 1].endswith("benchmarks.md")


def test_bench_with_a_sweep_names_no_methods(started: Started) -> None:
    assert dev.main(["bench", "--sweep", "--json", "out.json"]) == 0
    command = started[-1][0]
    assert "--methods" not in command
    assert command.count("--json") == 1


def test_models_path_prints_the_folder_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(["models", "--path"]) == 0
    assert capsys.readouterr().out.splitlines() == [str(models_dir())]


def raise_failure(_: object) -> int:
    raise SlipstreamError(Code.NETWORK, "The network is away.", "Come back later.")


def raise_interrupt(_: object) -> int:
    raise KeyboardInterrupt


def raise_refusal(_: object) -> int:
    raise PermissionError(13, "Permission denied", "/models")


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        (raise_failure, 1, "The network is away.\nCome back later."),
        (raise_interrupt, 130, "goes on from it"),
        (raise_refusal, 1, "Permission denied"),
    ],
)
def test_every_failure_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failure: Callable[[object], int],
    status: int,
    words: str,
) -> None:
    monkeypatch.setattr(dev, "run_checks", failure)
    assert dev.main(["check"]) == status
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


@pytest.mark.parametrize("arguments", [[], ["fly"], ["models", "--pathh"], ["run", "--gpu", "abacus"]])
def test_wrong_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        dev.main(arguments)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_nothing_but_the_standard_library_is_imported() -> None:
    ground = (
        "building.py", "errors.py", "files.py", "paths.py", "sentences.py", "machine/__init__.py",
        "machine/processor.py",
    )
    allowed = {
        "app.building", "app.errors", "app.files", "app.machine.processor", "app.paths", "app.sentences", "dev",
        "devtools",
    }
    files = [ROOT / "dev.py", *(ROOT / "app" / name for name in ground), *(ROOT / "devtools").glob("*.py")]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names += [f"app.{alias.name}" for alias in node.names] if node.module == "app" else [node.module or ""]
            for name in names:
                known = name in allowed or name.split(".")[0] in {"devtools", *sys.stdlib_module_names}
                assert known, f"{file.name} imports {name}"


def test_it_starts_with_the_standard_library_alone() -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import dev; sys.exit(dev.main(['models', '--path']))"
    command = [sys.executable, "-I", "-S", "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == str(models_dir())


def test_an_older_python_is_told_so_in_one_sentence() -> None:
    code = (
        "import sys, runpy; sys.version_info = (3, 9, 2, 'final', 0);"
        f"runpy.run_path({str(ROOT / 'dev.py')!r}, run_name='__main__')"
    )
    answer = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr.strip() == "Slipstream needs Python 3.11 or newer; this is 3.9."
