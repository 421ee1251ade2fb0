#!/usr/bin/env python3
"""The one script for newcomer and developer: ``python3 dev.py run`` starts the program, ``… test`` runs every test.

It needs nothing but Python 3.11 or newer and sets up everything else: a virtual environment in ``.venv``, the locked
dependencies, llama-cpp-python built for this machine, and model files in the cache folder.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever meets this has an older one
    sys.exit("Slipstream needs Python 3.11 or newer; this is %d.%d." % sys.version_info[:2])  # noqa: UP031

import argparse
import ast
import itertools
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.building import VARIABLE as BUILDING_VARIABLE
from app.errors import SlipstreamError
from app.paths import cache_dir, models_dir
from devtools import bench, environment, llama, packaging, proven, rooms, system, translations, weights
from devtools.building import progress_file, progress_words, reported
from devtools.console import complain, say
from devtools.environment import Layout
from devtools.lock import only_one
from devtools.meanwhile import build_command, run_while_building, run_with_restarts
from devtools.system import Need

ROOT = Path(__file__).resolve().parent
MODEL_LIST = ROOT / "packaging" / "starter-models.toml"
STARTER = "SmolLM2-135M-Instruct.Q4_1.gguf"
PAIR_TARGET = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
BENCH_TARGET = "qwen2.5-coder-1.5b-instruct-bf16.gguf"
BENCH_DRAFT = "qwen2.5-coder-0.5b-instruct-q4_0.gguf"
BENCH_DEFAULTS = {
    "--methods": ("off", "off", "auto", "draft:max=3", "draft:max=8,p_min=0.6", "ngram-simple"),
    "--limit": ("2",),
    "--max-tokens": ("128",),
    "--runs": ("3",),
}
"""The routine measurement: two prompts of each kind; “off” twice shows the noise."""
CHECKS = (
    ("ruff", ("ruff", "check", ".")),
    ("mypy", ("mypy",)),
    ("import-linter", ("lint-imports",)),
    ("docs/settings.md", ("python", "-m", "devtools.pages.settings_page", "--check")),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed with a reason in words, 2 wrong usage, 130 interrupted."""
    parser = make_parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.verb not in ("run", "test", "bench"):
        parser.error(f"{options.verb} does not know {' '.join(rest)}")
    options.rest = rest[1:] if rest[:1] == ["--"] else rest
    try:
        return int(options.action(options))
    except SlipstreamError as error:
        complain(error.message)
        if error.hint:
            complain(error.hint)
        return 1
    except OSError as error:
        complain(f"The system refused: {error}.")
        return 1
    except KeyboardInterrupt:
        complain("\nStopped. What is there is kept, and the next start goes on from it.")
        return 130


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py", description=__doc__, allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    def add(name: str, action: object, words: str) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=words, description=words, allow_abbrev=False)
        verb.set_defaults(action=action)
        return verb

    run = add("run", start_window, "set up, fetch the starter models, open the window; other arguments pass on")
    setup = add("setup", set_up_only, "everything that 'run' does but opening the window")
    for verb in (run, setup):
        verb.add_argument("--starter-only", action="store_true", help="fetch the 98 MB starter model alone")
        verb.add_argument("--without-models", action="store_true", help="fetch no model")
    test = add("test", run_tests, "set up, check, and run the tests; other arguments pass to pytest, "
               "and -m 'not model' fetches no model")
    test.add_argument("--long", action="store_true", help="also fuzzing, kill, soak and load tests")
    test.add_argument("--without-models", action="store_true", help="fetch no model; tests that need one fail")
    test.add_argument("--without-checks", action="store_true", help="skip ruff, mypy and import-linter")
    models = add("models", fetch_models, "fetch the model files")
    models.add_argument("--starter-only", action="store_true", help="the 98 MB starter model alone")
    models.add_argument("--test", action="store_true", help="also the files that only tests use")
    models.add_argument("--path", action="store_true", help="print the folder and fetch nothing")
    check = add("check", run_checks, "ruff, mypy and import-linter")
    measure = add("bench", run_bench, "measure into docs/benchmarks.md; arguments pass to 'slipstream bench'")
    measure.add_argument("--gui", action="store_true", help="the window instead: frames, start, cost to the engine")
    measure.add_argument("--under-load", action="store_true", help="speed beside busy processes, by number of threads")
    package = add("package", make_package, "a folder that runs without Python; on Linux also a .deb, or an AppImage")
    package.add_argument("--with-model", action="store_true", help="put the starter model inside")
    package.add_argument("--without", choices=("ik",), action="append", default=[], help="leave the second engine out")
    package.add_argument("--wheel", type=Path, help="a llama-cpp-python built elsewhere, such as one for a GPU")
    package.add_argument("--no-deb", action="store_true", help="make no .deb")
    package.add_argument("--appimage", action="store_true", help="make an AppImage as well")
    texts = add("translations", update_translations, "take new texts into resources/translations and compile them")
    texts.add_argument("--check", action="store_true", help="change nothing; fail where one is missing or stale")
    screenshots = add("screenshots", take_screenshots, "draw the pictures in docs/screenshots again")
    for verb in (run, setup, test, check, measure, screenshots, texts, package):
        verb.add_argument("--gpu", choices=sorted(llama.GPU_ARGUMENTS), help="build llama.cpp for this kind of GPU")
        verb.add_argument("--wheel-index", metavar="URL", help="take a ready llama-cpp-python from this package index")
        if verb is not package:
            verb.add_argument("--without", choices=(*environment.EXTRAS, "none"),
                              help="leave out ik, the second engine; “none” takes it again")
    return parser


def set_up(
    options: argparse.Namespace, developer: bool = False, window: bool = False, may_wait: bool = False
) -> Layout:
    """Bring the environment up to date; takes some milliseconds when it is.

    With ``may_wait`` a build of llama-cpp-python is left for later where the second engine can do without it.
    """
    layout = Layout(ROOT)
    wanted = wanted_of(options, layout, developer)
    is_current = environment.is_current(layout, wanted)
    if window:
        # All that is missing in one list.
        needed = Need.WINDOW if is_current else Need.WINDOW | Need.VENV
        system.provide(needed, needed)
    if is_current:
        return layout
    with only_one(cache_dir() / "setup.lock", "setting up", lambda: progress_words(progress_file())):
        if not environment.is_current(layout, wanted):
            with reported():
                _set_up(options, layout, wanted, may_wait)
    return layout


def wanted_of(options: argparse.Namespace, layout: Layout, developer: bool = False) -> environment.Stamp:
    # a package without it is made in whatever environment there is
    without = options.without if isinstance(options.without, str) else None
    return environment.wanted_stamp(layout, developer, options.gpu, options.wheel_index, without)


def _set_up(options: argparse.Namespace, layout: Layout, wanted: environment.Stamp, may_wait: bool) -> None:
    version = str(environment.locked_package(ROOT, "llama-cpp-python")["version"])
    way = proven.next_way(version, wanted.llama, wanted.cmake_arguments)
    builds = llama.must_build(version, way.key)
    if builds and options.gpu:
        system.require_gpu_tools(options.gpu)
    waits = may_wait and builds and not options.gpu
    essential = Need.VENV | (Need.BUILD if builds and not waits else Need(0))
    system.provide(essential | Need.WINDOW, essential)
    environment.synchronise(layout, wanted)
    if waits:
        if environment.has_second_engine(layout):
            return
        system.provide(Need.BUILD, Need.BUILD)
    environment.finish(layout, wanted)


def uses_of(options: argparse.Namespace) -> tuple[str, ...]:
    if getattr(options, "without_models", False):
        return ()
    return ("starter",) if options.starter_only else ("starter", "pair")


def set_up_only(options: argparse.Namespace) -> int:
    layout = set_up(options)
    weights.provide(MODEL_LIST, uses_of(options), layout.python)
    say(f"Everything is there. Start the window with:  {words_of([sys.executable, 'dev.py', 'run'])}")
    return 0


def start_window(options: argparse.Namespace) -> int:
    display = system.has_display()
    layout = set_up(options, window=display, may_wait=display)
    folder = weights.provide(MODEL_LIST, uses_of(options), layout.python)
    if not display:
        command = [str(layout.program("slipstream")), "generate", "--model", str(folder / STARTER)]
        command += ["--prompt", "Why is the sky blue?", "--max-tokens", "128"]
        complain("There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so the window cannot open.")
        complain(f"Everything is installed; the command line works:\n  {words_of(command)}")
        return 1
    command = [str(layout.python), "-m", "app", *options.rest]
    if not environment.is_unfinished(layout):
        return start(command, layout)
    chosen = ["--wheel-index", options.wheel_index] if options.wheel_index else []
    chosen += ["--without", options.without] if options.without else []
    progress = progress_file()

    def open_window(is_building: bool) -> int:
        return start(command, layout, more={BUILDING_VARIABLE: str(progress)} if is_building else {})

    return run_while_building(
        build_command(ROOT, chosen), cache_dir() / "building.log", progress,
        lambda: run_with_restarts(open_window), dict(os.environ),
    )


def run_tests(options: argparse.Namespace) -> int:
    layout = set_up_for_tests(options)
    if not options.without_models and takes_model_tests(options.rest):
        weights.provide(MODEL_LIST, weights.USES, layout.python)
    else:
        say("No model file is fetched.")
    checked = 0 if options.without_checks else check_all(layout)
    tested = 0
    for arguments in pytest_runs(options):
        tested = start([str(layout.python), "-m", "pytest", *arguments], layout, offscreen=True) or tested
    return tested or checked


def pytest_runs(options: argparse.Namespace) -> list[list[str]]:
    """What pytest is called with, one call after the other.

    Tests without a real model run side by side; those with one each want all cores for themselves.
    """
    if options.long:
        return [list(options.rest)]
    if options.rest:
        marks, others = split_marks(options.rest)
        chosen = marks if "long" in re.findall(r"\w+", marks) else f"not long and ({marks})" if marks else "not long"
        return [["-m", chosen, *others]]
    beside = ["--numprocesses", "logical", "--maxprocesses", "4"]
    return [["-m", "not long and not model", *beside], ["-m", "not long and model"]]


def split_marks(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The expression over marks that pytest would go by (its last ``-m``; "" for none), and all other arguments."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-m", dest="marks", default="")
    found, others = parser.parse_known_args(arguments)
    return found.marks, others


def takes_model_tests(arguments: Sequence[str]) -> bool:
    """Whether tests marked ``model`` may be among those that these arguments of pytest choose."""
    marks, _ = split_marks(arguments)
    try:
        tree = ast.parse(marks or "True", mode="eval")
        names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"model"})
        for values in itertools.product((False, True), repeat=len(names)):
            if holds(tree.body, {"model": True, **dict(zip(names, values, strict=True))}):
                return True
    except (SyntaxError, ValueError):
        return True  # pytest will say what is wrong with it
    return False


def holds(expression: ast.expr, marks: Mapping[str, bool]) -> bool:
    """The value of an expression over marks. Raises ``ValueError`` for one that is more than not, and, or."""
    match expression:
        case ast.Name(id=name):
            return marks[name]
        case ast.Constant(value=bool(value)):
            return value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not holds(operand, marks)
        case ast.BoolOp(op=operator, values=values):
            return (all if isinstance(operator, ast.And) else any)([holds(value, marks) for value in values])
    raise ValueError(ast.dump(expression))


def set_up_for_tests(options: argparse.Namespace) -> Layout:
    """The environment with the test tools, and a display for the tests that press real keys."""
    layout = set_up(options, developer=True, window=True)
    # what few tests need beside that is installed where none may be skipped
    system.provide(Need.TESTS | (Need.APPIMAGE if os.environ.get("CI") else Need(0)), Need.TESTS)
    return layout


def fetch_models(options: argparse.Namespace) -> int:
    layout = Layout(ROOT)
    if options.path:
        say(str(models_dir()))
        return 0
    if options.test:
        options.gpu = options.wheel_index = options.without = None
        layout = set_up(options)
        uses: tuple[str, ...] = weights.USES
    else:
        uses = uses_of(options)
    folder = weights.provide(MODEL_LIST, uses, layout.python)
    say(f"The models are in {folder}")
    return 0


def run_checks(options: argparse.Namespace) -> int:
    return check_all(set_up(options, developer=True))


def check_all(layout: Layout) -> int:
    """Run every check, also after one failed, so that one round shows everything. Returns 0 when all passed."""
    failed = []
    for name, (program, *arguments) in CHECKS:
        say(f"== {name}")
        if start([str(layout.program(program)), *arguments], layout):
            failed.append(name)
    say("== rooms")
    for fault in (faults := rooms.find_faults(ROOT)):
        complain(fault)
    failed += ["rooms"] if faults else []
    say("== translations")
    if say_translation_faults(layout, translations.COMPLETE):
        failed.append("translations")
    if failed:
        complain(f"Not clean: {', '.join(failed)}")
    return 1 if failed else 0


def update_translations(options: argparse.Namespace) -> int:
    layout = set_up(options)
    if options.check:
        return 1 if say_translation_faults(layout, translations.LANGUAGES) else 0
    for language, found in translations.update(ROOT, translation_tools(layout)).items():
        say(f"{language}: {found.texts} texts, {found.unfinished} without a translation")
    return 0


def say_translation_faults(layout: Layout, languages: tuple[str, ...]) -> bool:
    """Whether there are any."""
    faults = translations.find_faults(ROOT, translation_tools(layout), languages)
    for fault in faults:
        complain(fault)
    return bool(faults)


def translation_tools(layout: Layout) -> translations.Tools:
    return translations.Tools(layout.program("pyside6-lupdate"), layout.program("pyside6-lrelease"))


def run_bench(options: argparse.Namespace) -> int:
    """What was finished before an interruption is not measured again, unless the engine's code has changed since."""
    layout = set_up(options)
    arguments = list(options.rest)
    if options.gui:
        if "--measure" not in arguments and "--markdown" not in arguments:
            arguments += ["--markdown", str(ROOT / "docs" / "benchmarks.md")]
        return start([str(layout.python), "-m", "devtools.window.frame_bench", *arguments], layout)
    if options.under_load:
        if "--model" not in arguments:
            folder = weights.provide(MODEL_LIST, ("starter", "pair"), layout.python)
            arguments += [word for name in (STARTER, PAIR_TARGET) for word in ("--model", str(folder / name))]
        return start([str(layout.python), "-m", "devtools.under_load", *arguments], layout)
    if "--model" not in arguments:
        folder = weights.provide(MODEL_LIST, weights.USES, layout.python)
        arguments += ["--model", str(folder / BENCH_TARGET), "--draft", str(folder / BENCH_DRAFT)]
    if "--peer" in arguments:
        return start([str(layout.python), "-m", "devtools.peers", *arguments], layout)
    for option, values in BENCH_DEFAULTS.items():
        taken = option in arguments or (option == "--methods" and "--sweep" in arguments)
        arguments += [] if taken else [option, *values]
    if "--markdown" not in arguments:
        arguments += ["--markdown", str(ROOT / "docs" / "benchmarks.md")]
    if "--json" not in arguments:
        arguments += ["--json", str(bench.results_file(ROOT, cache_dir() / "bench", arguments))]
    return start([str(layout.program("slipstream")), "bench", *arguments], layout)


def make_package(options: argparse.Namespace) -> int:
    layout = set_up(options, developer=True)
    model = None
    if options.with_model:
        model = weights.provide(MODEL_LIST, ("starter",), layout.python) / STARTER
    deb = sys.platform == "linux" and not options.no_deb
    if options.appimage:
        system.provide(Need.APPIMAGE, Need.APPIMAGE)
    gpu = options.gpu or "none"
    wanted = packaging.Wanted(options.wheel, "ik" not in options.without, model, deb, options.appimage, gpu)
    with only_one(cache_dir() / "setup.lock", "packaging"):
        packaging.make_package(layout, wanted)
    return 0


def take_screenshots(options: argparse.Namespace) -> int:
    layout = set_up(options, window=True)
    command = [str(layout.python), "-m", "devtools.window.screenshots", str(ROOT / "docs" / "screenshots")]
    return start(command, layout, offscreen=True)


def start(command: list[str], layout: Layout, offscreen: bool = False, more: Mapping[str, str] | None = None) -> int:
    """Run a program of the environment and wait for it. ``more`` comes to its environment. Returns its exit status."""
    surroundings = {**environment.child_environment(layout), **(more or {})}
    if offscreen:
        surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
    with subprocess.Popen(command, cwd=ROOT, env=surroundings) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            # The terminal sent it to the child as well: let that end in its own way.
            process.wait()
            raise


def words_of(command: list[str]) -> str:
    """A command as it can be pasted into this system's shell."""
    if os.name == "nt":
        return subprocess.list2cmdline(command)
    import shlex

    return shlex.join(command)


if __name__ == "__main__":
    sys.exit(main())
