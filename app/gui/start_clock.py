"""When the window of a fresh process is painted for the first time: what ``frame_bench`` starts to measure the start.

It goes the way of the program itself and imports nothing besides, or it would measure its own weight.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.gui.failures.error_reporter import ErrorReporter
    from app.gui.program import Program


def main() -> int:
    """Open the window, print when it was painted (seconds on the system's steady clock) and the processor time the
    process had taken until then, and close it."""
    from app.gui.startup.display import find_obstacle
    from app.gui.startup.platform_plugin import find_qt_obstacle

    gc.disable()
    if find_obstacle() or find_qt_obstacle():
        return 1
    from app.gui.start import run

    return run(["slipstream"], on_start=_watch)


def _watch(program: Program, desk: ErrorReporter) -> None:
    from PySide6.QtCore import QEvent, QObject, QTimer

    class FirstPaint(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint:
                watched.removeEventFilter(self)
                # What the event is for is done when it has been handled.
                QTimer.singleShot(0, self.tell)
            return False

        def tell(self) -> None:
            found = {"painted_at_s": time.monotonic(), "processor_s": round(time.process_time(), 3)}
            sys.stdout.write(json.dumps(found) + "\n")
            program.window.close()

    program.window.installEventFilter(FirstPaint(program.window))


if __name__ == "__main__":
    sys.exit(main())
