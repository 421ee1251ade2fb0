"""Everything the window consists of, put together and taken apart."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app import building
from app.gui.controllers.archive import Archive
from app.gui.controllers.background import Background
from app.gui.controllers.chat import ChatController
from app.gui.controllers.compare import Outcome
from app.gui.controllers.engine import EngineController
from app.gui.controllers.exactness_meter import ExactnessMeter
from app.gui.controllers.memory_devices import MemoryDevices
from app.gui.controllers.memory_probe import MemoryProbe
from app.gui.controllers.model_sources import ModelSources
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.server import ServerController
from app.gui.controllers.server_process import ServerProcess
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.controllers.token_counter import TokenCounter
from app.gui.controllers.worker_process import WorkerProcess
from app.gui.look.theme import ThemeController
from app.gui.startup.preloader import Preloader
from app.gui.window.main_window import MainWindow
from app.gui.words.translation import Translations
from app.records import RPC_VARIABLE
from app.settings.settings import SettingsFile

if TYPE_CHECKING:
    from app.gui.controllers.build_watch import BuildWatch


class Program(QObject):
    """``worker`` replaces the engine process, for tests and pictures."""

    def __init__(self, application: QApplication, settings_file: SettingsFile | None = None,
                 worker: WorkerProcess | None = None) -> None:
        super().__init__()
        self.keeper = SettingsKeeper(settings_file or SettingsFile(), self)
        settings = self.keeper.settings
        self.theme = ThemeController(application, settings.theme)
        self.translations = Translations(application, settings.language)
        self.background = Background(self)
        self.worker = worker or WorkerProcess()
        self.worker.setParent(self)
        self.engine = EngineController(self.worker, self)
        self.models = ModelsController(self.background, settings.model_folders, self)
        self.market = ModelSources(self.models, self.keeper, self)
        self.devices = MemoryDevices(self.worker, self.engine, self.models, self)
        self.probe = MemoryProbe(self.models, self.market.network, self)
        # With a stand-in for the engine there is nothing to ask.
        self.probe.enabled = worker is None
        self.archive = Archive(parent=self)
        self.counter = TokenCounter(self.worker, self.engine, self)
        self.exactness = ExactnessMeter(self.worker, self.engine, self)
        self.chat = ChatController(self.engine, self.archive, settings, self, self.counter)
        self.pairs = PairController(self.engine, self.models, self.chat, self.keeper, self)
        self.server = ServerController(ServerProcess(self.worker, self.engine, self), self.keeper, parent=self)
        if settings.rpc_servers:
            os.environ.setdefault(RPC_VARIABLE, settings.rpc_servers)  # for the engine's process
        self.wants_restart = False
        """A person asked for the program to be started again when it ends."""
        self.keeper.changed.connect(lambda changed: self.theme.choose(changed.theme))
        self.build = self._find_build()
        self.window = self._make_window()
        self.preloader = Preloader(self)
        self.keeper.changed.connect(lambda changed: self.translations.choose(changed.language))
        self.translations.changed.connect(self._change_language)
        self._closed = False

    def _find_build(self) -> BuildWatch | None:
        """What follows a build beside the window, if whoever started the program says that there is one."""
        file = os.environ.get(building.VARIABLE, "")
        if not file:
            return None
        from app.gui.controllers.build_watch import BuildWatch

        return BuildWatch(Path(file), self)

    def _make_window(self) -> MainWindow:
        window = MainWindow(self.engine, self.models, self.chat, self.pairs, self.keeper, self.theme,
                            self.archive, self.market, self.server, self.devices, self.exactness)
        window.closing.connect(self.close)
        window.compare.finished.connect(self._learn)
        if self.build is not None:
            self._show_build(self.build, window)
        return window

    def _show_build(self, build: BuildWatch, window: MainWindow) -> None:
        from app.gui.window.build_strip import BuildStrip

        strip = BuildStrip(build, self.theme.colours, window.page)
        window.page.add_banner(strip)
        strip.set_answering(self.chat.is_answering)
        self.theme.changed.connect(strip.set_colours)
        self.chat.answering_changed.connect(strip.set_answering)
        window.compare.running_changed.connect(strip.set_comparing)
        strip.restart_requested.connect(self._restart)

    def _restart(self) -> None:
        self.wants_restart = True
        self.window.close()

    def _change_language(self) -> None:
        """Make the window anew in the language that holds now, where the old one was and showing what it showed.

        All that is not a widget stays as it is: models, the answer that is being written, downloads.
        """
        # Not from within a handler of the old window's own dialog.
        QTimer.singleShot(0, self._replace_window)

    def _replace_window(self) -> None:
        old = self.window
        if self._closed:
            return
        if old.compare.is_running:
            # A comparison is not thrown away for this: the rest of the window follows when it is over.
            old.compare.running_changed.connect(self._change_language)
            return
        place = old.leave()
        self.window = self._make_window()
        self.window.take_place(place)
        old.deleteLater()

    def start(self) -> None:
        """Show the window; look for models once it is there."""
        self.window.painted.connect(self._begin)
        self.window.show()
        self.archive.open()
        self.window.restore_chat()

    def _begin(self) -> None:
        """All that a person does not see at once and that would hold up what they do see."""
        if self._closed:
            return
        self.preloader.start()
        if self.build is not None:
            self.build.start()
        self.devices.ask()
        self.models.rescan()
        self.market.downloads.restore()
        self.server.begin()

    def come_forward(self, model: str = "") -> None:
        """Another start asked for the window, and perhaps for a model file."""
        self.window.come_forward()
        if model:
            self.use_model(model)

    def use_model(self, path: str) -> None:
        """Load a model file by its path, wherever it lies."""
        self.pairs.use(path, "")

    def _learn(self, outcome: Outcome) -> None:
        """A comparison that was just made, not a kept one that is looked at again, tells what drafts gain."""
        if outcome.series:
            self.pairs.take_report(outcome.report)

    def close(self) -> None:
        """Save, end the worker and the background thread; nothing runs any more when this returns."""
        if self._closed:
            return
        self._closed = True
        if self.build is not None:
            self.build.close()
        self.window.keep_all()
        self.keeper.save()
        self.archive.close()
        self.market.close()
        self.models.close()
        self.server.close()
        self.engine.close()
        self.background.close()
        self.translations.close()
