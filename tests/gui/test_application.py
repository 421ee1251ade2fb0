from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are named so on Linux")
def test_without_a_display_one_sentence_and_no_abort(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    ran = subprocess.run([sys.executable, "-m", "app"], cwd=ROOT, env=environment | {"HOME": str(tmp_path)},
                         capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "no display" in ran.stderr
    assert "slipstream generate" in ran.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are named so on Linux")
def test_a_display_that_does_not_answer_is_said(tmp_path: Path) -> None:
    environment = dict(os.environ) | {"DISPLAY": ":7654", "HOME": str(tmp_path)}
    environment.pop("QT_QPA_PLATFORM", None)
    environment.pop("WAYLAND_DISPLAY", None)
    ran = subprocess.run([sys.executable, "-m", "app"], cwd=ROOT, env=environment, capture_output=True, text=True,
                         timeout=60, check=False)
    assert ran.returncode == 1
    assert "slipstream generate" in ran.stderr
    assert ran.stderr.count("\n") == 1
