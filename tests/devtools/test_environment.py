from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from app.errors import SlipstreamError
from devtools import environment, llama
from devtools.environment import Layout, is_current, wanted_stamp, write_stamp

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """A checkout whose set-up has just ended."""
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    made = Layout(tmp_path)
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    write_stamp(made, wanted_stamp(made, False, None, None))
    return made


def test_nothing_is_done_twice(layout: Layout) -> None:
    assert is_current(layout, wanted_stamp(layout, False, None, None))


@pytest.mark.parametrize("name", ["pyproject.toml", "uv.lock"])
def test_a_changed_lock_is_noticed(layout: Layout, name: str) -> None:
    with (layout.root / name).open("a") as file:
        file.write("\n")
    assert not is_current(layout, wanted_stamp(layout, False, None, None))


def test_a_missing_interpreter_or_a_damaged_stamp_is_noticed(layout: Layout) -> None:
    layout.stamp.write_text("{}")
    assert not is_current(layout, wanted_stamp(layout, False, None, None))
    write_stamp(layout, wanted_stamp(layout, False, None, None))
    layout.python.unlink()
    assert not is_current(layout, wanted_stamp(layout, False, None, None))


def test_test_tools_come_when_needed_and_stay(layout: Layout) -> None:
    wanted = wanted_stamp(layout, True, None, None)
    assert not is_current(layout, wanted)
    write_stamp(layout, wanted)
    assert is_current(layout, wanted_stamp(layout, False, None, None))


def test_a_gpu_build_is_remembered_until_another_is_asked_for(layout: Layout) -> None:
    wanted = wanted_stamp(layout, False, "cuda", None)
    assert not is_current(layout, wanted)
    write_stamp(layout, wanted)
    assert is_current(layout, wanted_stamp(layout, False, None, None))
    assert not is_current(layout, wanted_stamp(layout, False, "none", None))


def test_a_ready_wheel_is_remembered_until_a_build_is_asked_for(layout: Layout) -> None:
    wanted = wanted_stamp(layout, False, None, "https://wheels.example/cu124")
    assert not is_current(layout, wanted)
    write_stamp(layout, wanted)
    assert is_current(layout, wanted_stamp(layout, False, None, None))
    assert not llama.is_index_key(wanted_stamp(layout, False, "cuda", None).llama)


def test_the_second_engine_is_left_out_until_it_is_wanted_again(layout: Layout) -> None:
    wanted = wanted_stamp(layout, False, None, None, "ik")
    assert not is_current(layout, wanted)
    write_stamp(layout, wanted)
    assert is_current(layout, wanted_stamp(layout, False, None, None))
    assert not is_current(layout, wanted_stamp(layout, False, None, None, "none"))


@pytest.mark.parametrize(("fails", "tried"), [(False, [True]), (True, [True, False])])
def test_where_the_second_engine_has_no_wheel_the_rest_is_installed(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, fails: bool, tried: list[bool]
) -> None:
    seen: list[bool] = []

    def install(text: str, command: list[str], folder: Path, surroundings: object) -> int:
        seen.append("ik" in command)
        assert "--no-build-package" in command or not seen[-1], "it must never be built"
        return int(fails and seen[-1])

    monkeypatch.setattr(environment, "_has_uv", lambda uv: True)
    monkeypatch.setattr(environment.packages, "install", install)
    environment.synchronise(layout, wanted_stamp(layout, False, None, None))
    assert seen == tried
    assert environment.is_unfinished(layout)
    seen.clear()
    environment.synchronise(layout, wanted_stamp(layout, False, None, None, "ik"))
    assert seen == [False]


def test_another_processor_needs_another_build(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "processor_features", lambda: "another one")
    assert not is_current(layout, wanted_stamp(layout, False, None, None))


def test_children_do_not_inherit_another_environment(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"):
        monkeypatch.setenv(name, "/elsewhere")
    monkeypatch.setenv("CMAKE_ARGS", "-DKEPT=1")
    given = environment.child_environment(layout)
    assert "/elsewhere" not in given.values()
    assert given["CMAKE_ARGS"] == "-DKEPT=1"
    assert given["UV_SYSTEM_CERTS"] == "1"


def test_the_lock_names_no_place_but_the_public_index() -> None:
    text = (ROOT / "uv.lock").read_text()
    hosts = set(re.findall(r'(?:registry|url) = "(\w+://[^/"]*)', text))
    assert hosts == {"https://pypi.org", "https://files.pythonhosted.org"}
    assert "path =" not in text
    assert environment.locked_package(ROOT, "uv")["version"] == environment.UV_VERSION


def test_a_package_that_is_not_locked_is_said_in_words() -> None:
    with pytest.raises(SlipstreamError, match=r"no entry for nonesuch"):
        environment.locked_package(ROOT, "nonesuch")


def test_pips_reason_is_what_broke_the_connection() -> None:
    output = (
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'SSLError(SSLCertVerificationError(1, "
        "'certificate verify failed'))': /simple/uv/\n"
        "ERROR: Could not find a version that satisfies the requirement uv==1.0 (from versions: none)\n"
        "ERROR: No matching distribution found for uv==1.0\n"
    )
    assert environment.pip_reason(output) == "SSLError(SSLCertVerificationError(1, 'certificate verify failed'))"
    assert environment.pip_reason("a\nERROR: No space left on device\n") == "ERROR: No space left on device"
    assert environment.pip_reason("") == "no reason given"
