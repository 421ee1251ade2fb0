"""Nothing leaves the machine, and nothing that was said or is secret goes into logs or reports."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from app.gui.failures import crash_report
from app.gui.failures.crash_report import Failure, make_report
from app.log import start_logging, stop_logging
from app.settings.settings import Settings, TargetSettings
from tests.reliability.driver import Window, as_root_in_a_namespace, folders, make_quick

pytestmark = pytest.mark.timeout(900)
TOKEN = "hf_" + "AbCd" * 8
_INTERNET = re.compile(r"\bAF_INET6?\b|\bAF_PACKET\b|sin_addr|inet_addr")


@pytest.mark.model
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="namespaces of Linux")
def test_a_whole_chat_in_a_machine_without_a_network(smollm: Path, tmp_path: Path) -> None:
    """Window and real engine, without any interface; the system calls of both, and their Python, are watched."""
    home = tmp_path / "home"
    trace, window_audit, worker_audit = tmp_path / "trace", tmp_path / "window.audit", tmp_path / "worker.audit"
    around = as_root_in_a_namespace("--net")
    tracer = shutil.which("strace")
    if tracer is not None:
        watched = "trace=socket,connect,sendto,sendmsg,bind"
        around += [tracer, "-f", "--seccomp-bpf", "-qq", "-e", watched, "-o", str(trace)]
    environment = folders(home) | {"HF_TOKEN": TOKEN}
    make_quick(home, smollm, max_tokens=16)
    options = ("--audit", str(window_audit), "--worker", "faulty", "--audit-worker", str(worker_audit))
    with Window(home, *options, around=around, environment=environment) as window:
        window.ready(smollm)
        state = window.answer("Name three colours. My password is Tr0ub4dor.")
        assert state["answers"][-1]
        window.tell(new="")
        window.wait(lambda s: s["turns"] == 0, "a new chat")
        state = window.answer("And three animals.")
        assert state["problems"] == []
        assert state["banner"] == ""
        assert window.quit() == 0
        window.assert_no_orphan()
    attempts = [file.read_text(encoding="utf-8") for file in (window_audit, worker_audit) if file.exists()]
    assert attempts == []
    if tracer is not None:
        calls = trace.read_text(encoding="utf-8", errors="replace").splitlines()
        assert any("AF_UNIX" in call for call in calls), "the trace works: the window's own lock is a local socket"
        assert [call for call in calls if _INTERNET.search(call)] == []
    written = b"".join(path.read_bytes() for path in (home / "state").rglob("*") if path.is_file())
    assert b"Tr0ub4dor" not in written
    assert TOKEN.encode() not in written
    kept = [path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert kept == []


def test_a_report_holds_no_secret_and_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: object) -> None:
    home = tmp_path / "home" / "alexandra"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HF_TOKEN", "not-of-a-known-form-98765")
    monkeypatch.setattr(crash_report.getpass, "getuser", lambda: "alexandra")
    path = start_logging(tmp_path / "logs", "window")
    assert path is not None
    try:
        path.write_text(
            f"loaded {home}/models/a.gguf\ngot /media/alexandra/stick/b.gguf\nBearer abc.def {TOKEN}\n"
            "https://me:secret@proxy.example/ not-of-a-known-form-98765\n", encoding="utf-8")
        settings = Settings(
            system_prompt="I am Alexandra, born in 1984.", target_path=f"{home}/models/a.gguf",
            targets={f"{home}/private-name.gguf": TargetSettings()},
        )
        failure = Failure("A title", f"The file {home}/models/a.gguf is damaged.", "Fetch it again.")
        report = make_report(failure, settings, [], tmp_path / "logs")
    finally:
        stop_logging()
    assert "~/models/a.gguf" in report
    assert "/media/(user)/stick/b.gguf" in report
    assert "system_prompt: (29 characters)" in report
    for secret in (TOKEN, "abc.def", "me:secret", "98765", "alexandra", "born in", "private-name"):
        assert secret not in report, secret


def test_the_log_names_an_error_without_its_words(tmp_path: Path) -> None:
    import logging

    path = start_logging(tmp_path, "test")
    assert path is not None
    try:
        try:
            raise KeyError("what a person wrote")
        except KeyError:
            logging.getLogger("slipstream.part").exception("it failed")
    finally:
        stop_logging()
    text = path.read_text(encoding="utf-8")
    assert "builtins.KeyError" in text
    assert "test_privacy.py" in text
    assert "what a person wrote" not in text
