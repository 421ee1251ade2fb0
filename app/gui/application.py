"""Entry point of the window."""

from __future__ import annotations

import os
import sys

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app import paths
from app.gui.program import Program

_NO_DISPLAY = (
    "Slipstream: there is no display to open a window on; use “slipstream generate” on the command line, or set "
    "DISPLAY.\n"
)


def main() -> int:
    """Open the window and run until it is closed. 1 when there is no display, with one sentence on stderr."""
    if not has_display():
        sys.stderr.write(_NO_DISPLAY)
        return 1
    application = make_application(sys.argv)
    program = Program(application)
    program.start()
    status = application.exec()
    program.close()
    return status


def has_display() -> bool:
    """Whether a window can be opened; Qt would abort the process where it cannot."""
    if os.environ.get("QT_QPA_PLATFORM") or not sys.platform.startswith(("linux", "freebsd")):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def make_application(arguments: list[str]) -> QApplication:
    """The ``QApplication`` with our name, icon and the Fusion style."""
    application = QApplication(arguments[:1])
    application.setApplicationName("Slipstream")
    application.setDesktopFileName("slipstream")
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(paths.resources_dir() / "icons" / "slipstream.svg")))
    return application
