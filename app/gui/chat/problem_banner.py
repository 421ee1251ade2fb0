"""The banner over the chat: what went wrong, with the button that helps, and what was done with the conversations."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.gui.controllers.archive import Archive
from app.gui.controllers.engine import EngineController
from app.gui.controllers.pair import PairController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look.banner import Banner, Level
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.protocol import Failed


class ProblemBanner(Banner):
    models_wanted = Signal()
    """Models are to be chosen."""
    comparison_wanted = Signal()
    """The comparison that is running is to be shown."""

    def __init__(self, engine: EngineController, pairs: PairController, archive: Archive, keeper: SettingsKeeper,
                 colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(colours, parent)
        self._engine = engine
        self._help: Callable[[], object] = self.models_wanted.emit
        self.pressed.connect(self._help_with_it)
        engine.load_failed.connect(self._say_load_failed)
        engine.draft_failed.connect(self._say_draft_failed)
        engine.stopped_idle.connect(self._say_stopped)
        pairs.draft_missing.connect(self._say_draft_missing)
        archive.failed.connect(self._say_failed)
        archive.recovered.connect(self._say_recovered)
        archive.exported.connect(self._say_exported)
        archive.imported.connect(self._say_imported)
        archive.noticed.connect(self.warn)
        keeper.save_failed.connect(self.warn)
        if keeper.trouble:
            self.warn(keeper.trouble)

    def warn(self, words: str) -> None:
        self.say("warning", words)

    def inform(self, words: str) -> None:
        self.say("info", words)

    def show_comparing(self, running: bool) -> None:
        """Whether a comparison has the machine to itself."""
        if not running:
            self.hide()
            return
        words = self.tr("A comparison is running, so the chat's models are unloaded. They come back when it ends; "
                        "messages wait until then.")
        self.say("info", words, self.tr("Show it"))
        self._help = self.comparison_wanted.emit

    def _help_with_it(self) -> None:
        self.hide()
        self._help()

    def _say_load_failed(self, failed: Failed) -> None:
        self._offer_models("error", f"{failed.message} {failed.hint}".strip())

    def _say_draft_failed(self, failed: Failed) -> None:
        words = self.tr("The draft could not be loaded, so the target answers alone. {reason}")
        self._offer_models("warning", words.format(reason=failed.message))

    def _say_draft_missing(self, path: str) -> None:
        words = self.tr("The draft {name} is not there any more, so the target answers alone.")
        self._offer_models("warning", words.format(name=figures.short_name(path)))

    def _offer_models(self, level: Level, words: str) -> None:
        self.say(level, words, self.tr("Choose models…"))
        self._help = self.models_wanted.emit

    def _say_stopped(self) -> None:
        words = self.tr("The engine stopped. It starts again with your next message.")
        self.say("warning", words, self.tr("Start again"))
        self._help = self._engine.start_again

    def _say_failed(self, words: str) -> None:
        self.say("error", words)

    def _say_recovered(self) -> None:
        self.inform(self.tr("The conversations are saved again."))

    def _say_exported(self, count: int, name: str) -> None:
        self.inform(self.tr("{count} conversations were written to {name}.").format(count=count, name=name))

    def _say_imported(self, count: int) -> None:
        self.inform(self.tr("{count} conversations were brought in.").format(count=count))
