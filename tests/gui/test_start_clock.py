"""What measures the start of a packaged program is a part of it, and goes away by itself."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from app.client.process import program_command


def test_the_first_painted_window_is_told_and_closed(tmp_path: Path) -> None:
    places = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CONFIG", "STATE", "CACHE")}
    begun = time.monotonic()
    done = subprocess.run([*program_command(), "--start-clock"], capture_output=True, text=True, check=False,
                          timeout=60, env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert begun < found["painted_at_s"] < time.monotonic()
    assert found["processor_s"] > 0
