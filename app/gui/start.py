"""The ``QApplication`` and the program in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app import paths
from app.building import RESTART_STATUS
from app.gui.controllers.worker_process import WorkerProcess
from app.gui.failures.crash_record import CrashRecord
from app.gui.failures.error_reporter import ErrorReporter
from app.gui.program import Program
from app.gui.startup.collector import IdleCollector
from app.gui.startup.single_instance import SingleInstance
from app.log import start_logging, stop_logging


def run(arguments: list[str], worker: Sequence[str] | None = None,
        on_start: Callable[[Program, ErrorReporter], None] = lambda program, desk: None) -> int:
    """Open the window and run until it is closed; returns the exit status, ``RESTART_STATUS`` where the program is to
    be started again. A model file may be named.

    For tests: ``worker`` is another command line of the engine process, and ``on_start`` is called with what was made.
    """
    # All that is kept is its owner's alone, whatever makes the file.
    os.umask(0o077)
    application = make_application(arguments[:1])
    model = str(Path(arguments[1]).absolute()) if len(arguments) > 1 else ""
    instance = SingleInstance()
    if not instance.is_first(model):
        return 0
    start_logging(paths.log_dir(), "window")
    record = CrashRecord(paths.log_dir())
    record.start()
    program = Program(application, worker=WorkerProcess(worker) if worker is not None else None)
    desk = open_desk(program, record)
    instance.shown.connect(program.come_forward)
    program.start()
    if model:
        program.use_model(model)
    desk.greet()
    on_start(program, desk)
    collector = IdleCollector(lambda: program.chat.is_answering, program)
    program.preloader.finished.connect(collector.start)
    status = application.exec()
    program.close()
    instance.close()
    record.close()
    stop_logging()
    return RESTART_STATUS if program.wants_restart else status


def open_desk(program: Program, record: CrashRecord) -> ErrorReporter:
    """What shows failures of ``program`` and makes reports of them."""
    desk = ErrorReporter(record, program.devices, program.keeper, paths.log_dir(), lambda: program.theme.colours,
                       program.window)
    page = program.window.page
    page.problem_banner.report_requested.connect(desk.report_failure)
    page.transcript.report_requested.connect(desk.report_failure)
    return desk


def make_application(arguments: list[str]) -> QApplication:
    """The ``QApplication`` with our name, icon and the Fusion style."""
    application = QApplication(arguments[:1])
    application.setApplicationName("Slipstream")
    application.setDesktopFileName("slipstream")
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(paths.resources_dir() / "icons" / "slipstream.svg")))
    return application
