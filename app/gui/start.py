"""The ``QApplication`` and the program in it."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app import paths
from app.gui.program import Program
from app.gui.single_instance import SingleInstance


def run(arguments: list[str]) -> int:
    """Open the window and run until it is closed; returns the exit status."""
    application = make_application(arguments)
    instance = SingleInstance()
    if not instance.is_first():
        return 0
    program = Program(application)
    instance.shown.connect(program.window.come_forward)
    program.start()
    status = application.exec()
    program.close()
    instance.close()
    return status


def make_application(arguments: list[str]) -> QApplication:
    """The ``QApplication`` with our name, icon and the Fusion style."""
    application = QApplication(arguments[:1])
    application.setApplicationName("Slipstream")
    application.setDesktopFileName("slipstream")
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(paths.resources_dir() / "icons" / "slipstream.svg")))
    return application
