"""Entry point of the window."""

from __future__ import annotations

import gc
import sys

from app.gui.startup.display import find_obstacle
from app.gui.startup.platform_plugin import find_qt_obstacle


def main() -> int:
    """Open the window and run until it is closed. 1 when no window can be opened, with one sentence on stderr."""
    # Until the window is there all that is made stays, so the collector, which ``IdleCollector`` sets going again,
    # would look at it in vain.
    gc.disable()
    obstacle = find_obstacle() or find_qt_obstacle()
    if obstacle:
        sys.stderr.write(f"Slipstream: {obstacle}; “slipstream generate” works on the command line.\n")
        return 1
    # Qt itself cannot be imported where system libraries are missing.
    from app.gui.start import run

    return run(sys.argv)
