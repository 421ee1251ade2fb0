"""Crisp at every scale: what is drawn by hand or from a font is drawn in the screen's own pixels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_CHILD = """
import json, sys, tempfile
from pathlib import Path
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton
from devtools.window.screenshots import Stage, settle
from app.gui.start import make_application

application = make_application(["slipstream"])
with tempfile.TemporaryDirectory() as folder:
    stage = Stage(application, Path(folder), "light", (900, 640), "en")
    stage.load()
    stage.chat()
    settle()
    window = stage.window
    plot = window.page.panel.plot
    shot = window.grab()
    icons = [button.icon().pixmap(QSize(16, 16), window.devicePixelRatioF())
             for button in window.page.findChildren(QToolButton) if not button.icon().isNull() and button.isVisible()]
    plot.grab()
    found = {
        "ratio": window.devicePixelRatioF(), "shot": [shot.width(), shot.height()],
        "window": [window.width(), window.height()], "icons": sorted({each.width() for each in icons}),
        "plot": [plot._picture.width(), plot.width(), plot._picture.devicePixelRatio()],
    }
    stage.close()
print(json.dumps(found))
"""


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.75, 2.5])
def test_nothing_is_drawn_small_and_stretched(tmp_path: Path, scale: float) -> None:
    places = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CONFIG", "STATE", "CACHE")}
    environment = {**os.environ, **places, "QT_SCALE_FACTOR": str(scale), "QT_QPA_PLATFORM": "offscreen",
                   "SLIPSTREAM_MODELS": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", _CHILD], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert found["ratio"] == pytest.approx(scale)
    for shot, window in zip(found["shot"], found["window"], strict=True):
        assert shot == pytest.approx(window * scale, abs=1)
    assert found["icons"] == [round(16 * scale)]
    wide, logical, ratio = found["plot"]
    assert ratio == pytest.approx(scale)
    assert wide == pytest.approx(logical * scale, abs=1)
