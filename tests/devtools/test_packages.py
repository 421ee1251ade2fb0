from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from devtools import packages
from devtools.packages import Downloads, install


def test_the_megabytes_that_uv_fetches_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(packages.time, "monotonic", lambda: now[0])
    downloads = Downloads()
    assert downloads.words() == ""
    for line in ("Downloading pyside6-essentials (76.0MiB)", "Downloading numpy (16.0MiB)",
                 "Downloading pygments (512.0KiB)", "   Building slipstream @ file:///x"):
        downloads.read(line)
    assert downloads.words() == "0 of 97 MB"
    now[0] = 4.0
    downloads.read(" Downloaded numpy")
    downloads.read(" Downloaded never-announced")
    assert downloads.words() == "17 of 97 MB, about 0:19 left"
    now[0] = 14.0
    assert downloads.words() == "17 of 97 MB, about 0:09 left"
    now[0] = 60.0
    assert downloads.words() == "17 of 97 MB", "longer than it looked"
    downloads.read(" Downloaded pyside6-essentials")
    downloads.read(" Downloaded pygments")
    assert downloads.words() == ""


def test_of_a_failure_the_reason_is_said_and_not_the_routine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = ("import sys; print('Downloading numpy (16.1MiB)'); print(' + numpy==2.4'); "
            "print('error: No space left', file=sys.stderr); sys.exit(2)")
    assert install("Installing …", [sys.executable, "-u", "-c", code], tmp_path, dict(os.environ)) == 2
    said = capsys.readouterr()
    assert said.out == "Installing …\n"
    assert said.err == "error: No space left\n"


def test_a_success_says_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "print('Prepared 53 packages in 6.45s')"
    assert install("Installing …", [sys.executable, "-c", code], tmp_path, dict(os.environ)) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("Installing …\n", "")
