"""Pictures for the documentation, without a display or a model.

``python -m devtools.window.screenshots DIR [LANGUAGE]``
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.gui.controllers.compare import Outcome
from app.gui.controllers.models import Suggestions
from app.gui.models.picker import ModelPicker
from app.gui.program import Program
from app.gui.settings.dialog import SettingsDialog
from app.gui.start import make_application
from app.gui.words.translation import LANGUAGES
from app.models.catalog import load_catalog
from app.models.memory_check import MemoryJudgement
from app.settings.settings import (
    Language,
    Settings,
    SettingsFile,
    Speculation,
    TargetSettings,
    ThemeChoice,
    WindowSettings,
)
from devtools.window import compare_script, models_script
from devtools.window import screenshot_script as script
from devtools.window.chat_pictures import take_chat
from devtools.window.more_pictures import take_dialogs, take_troubles
from devtools.window.quiet_worker import QuietWorker

_SETTLE_MS = 600
_WIDE = (1280, 800)
_SMALL = (800, 600)
_TALL = 1290
"""Of the picture of a comparison, which shows the whole page."""


class Stage:
    """A program with scripted models, in a folder that is thrown away."""

    def __init__(self, application: QApplication, folder: Path, theme: ThemeChoice, size: tuple[int, int],
                 language: Language = "en") -> None:
        file = SettingsFile(folder / f"{theme}-{size[0]}.json")
        file.save(Settings(
            theme=theme, language=language, tint_drafted=True, window=WindowSettings(width=size[0], height=size[1]),
            targets={script.TARGET.path: TargetSettings(draft_path=script.DRAFT.path,
                                                        plain_tokens_per_second=script.PLAIN_RATE)},
        ))
        self.worker = QuietWorker()
        self.program = Program(application, file, self.worker)
        # Nothing is read from this computer: all that is seen is scripted.
        self.program.background.close()
        self.window = self.program.window
        self.window.compare.close()
        self.window.page.header.memory.hold()
        self.window.resize(*size)  # the offscreen screen is lower than that
        self.window.show()

    def welcome(self) -> None:
        """A computer without a model, on which the first download runs."""
        models = self.program.models
        models.catalog, models.scanned, models.entries = load_catalog(), True, []
        models.entries_changed.emit()
        self.program.pairs.nothing_found.emit()
        self.window.welcome.cards[0].button.setEnabled(False)
        self.program.market.downloads.changed.emit(script.first_downloads())

    def load(self) -> None:
        models = self.program.models
        models.entries = script.entries()
        models.scanned = True
        self.program.pairs.use(script.TARGET.path, script.DRAFT.path, anyway=True)
        self.worker.finish_load(script.TARGET.name)
        self.worker.finish_load(script.DRAFT.name)
        self.window.page.listing.show_current(script.SHOWN)
        self.window.page.listing.show_summaries(script.CONVERSATIONS, "")
        self.window.page.header.memory.show_figures(3_100_000_000, 9_800_000_000, 16_000_000_000)

    def chat(self) -> None:
        for index, question in enumerate(script.QUESTIONS):
            self.program.chat.send(question)
            request_id = self.worker.last_id
            for event in script.answer_events(script.ANSWERS[index], request_id, seed=index + 3):
                self.worker.say(event)
        self.window.page.listing.show_current(script.SHOWN)
        self.window.page.header.memory.show_figures(3_100_000_000, 9_800_000_000, 16_000_000_000)

    def compare(self) -> None:
        """The setup of a comparison, as it is before the first."""
        self.window.show_page(1)
        self.window.compare_page.setup.prompts_card.prompt.setPlainText(script.QUESTIONS[0])

    def show_sweep(self) -> None:
        """The result of a sweep."""
        plan = compare_script.make_sweep_plan(script.TARGET.path, script.DRAFT.path)
        report = compare_script.script_sweep(plan)
        self.window.compare.finished.emit(Outcome(report, compare_script.SWEEP_TITLE))

    def show_comparison(self, more: Sequence[str] = ()) -> None:
        """The result of one; ``more`` are methods of a third and a fourth side."""
        names = {script.TARGET.path: script.TARGET.name, script.DRAFT.path: script.DRAFT.name}
        plan = compare_script.make_plan(script.TARGET.path, script.DRAFT.path, names, more)
        report, series = compare_script.script_report(plan)
        kept = compare_script.kept(report)
        self.window.show_page(1)
        self.window.compare.kept_changed.emit(kept)
        self.window.compare.finished.emit(Outcome(report, compare_script.TITLE, kept[0].id, series))

    def library(self) -> None:
        """The Models page: what is here."""
        models_script.prepare(self.program.models)
        self.window.show_page(2)
        models_script.show_library(self.window.models_page, self.program.models)

    def more(self) -> None:
        """The Models page: what can be had."""
        models_script.show_more(self.window.models_page, self.program.models)

    def open_settings(self) -> SettingsDialog:
        """With nobody's own folders, which do not belong into a manual."""
        home = os.environ.get("HOME", "")
        os.environ["HOME"] = "/home/you"
        dialog = self.window.settings.open()
        os.environ["HOME"] = home
        return dialog

    def close(self) -> None:
        self.window.close()
        self.program.close()
        self.window.deleteLater()
        self.program.deleteLater()
        settle()


def settle(milliseconds: int = _SETTLE_MS) -> None:
    """Let layouts, timers and paints happen."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def take(widget: QWidget, path: Path) -> None:
    settle()
    widget.grab().save(str(path))


def take_all(application: QApplication, folder: Path, pictures: Path, language: Language = "en") -> list[Path]:
    """Every picture in both themes; returns their paths."""
    taken: list[Path] = []

    def save(widget: QWidget, name: str) -> None:
        taken.append(pictures / f"{name}.png")
        take(widget, taken[-1])

    for theme in ("light", "dark"):
        chosen: ThemeChoice = "dark" if theme == "dark" else "light"
        _take_window(Stage(application, folder, chosen, _WIDE, language), theme, save)
        first = Stage(application, folder, chosen, _WIDE, language)
        first.welcome()
        save(first.window, f"welcome-{theme}")
        first.close()
        small = Stage(application, folder, chosen, _SMALL, language)
        small.load()
        small.chat()
        save(small.window, f"main-small-{theme}")
        small.show_comparison()
        save(small.window, f"compare-small-{theme}")
        small.library()
        save(small.window, f"models-page-small-{theme}")
        small.more()
        save(small.window, f"models-more-small-{theme}")
        small.window.show_page(0)
        take_troubles(small, theme, save, settle)
        take_dialogs(small, theme, save, folder)
        small.close()
    return taken


def _take_window(stage: Stage, theme: str, save: Callable[[QWidget, str], None]) -> None:
    window = stage.window
    stage.load()
    save(window, f"empty-{theme}")
    stage.chat()
    save(window, f"main-{theme}")
    take_chat(stage, theme, save, settle)
    stage.program.pairs.draft_path = ""
    stage.program.pairs.pair_changed.emit()
    stage.program.pairs.memory_tight.emit(MemoryJudgement(23_400_000_000, 21_200_000_000, 22_600_000_000))
    window.page.memory_banner.show_ways(models_script.ways())
    save(window, f"memory-banner-{theme}")
    window.page.memory_banner.hide()
    stage.program.pairs.draft_path = script.DRAFT.path
    stage.program.pairs.pair_changed.emit()
    _take_settings(stage, theme, save)
    window.open_picker()
    stage.program.models.suggestions_ready.emit(Suggestions(script.TARGET.path, script.suggestions()))
    _save_dialog(window, ModelPicker, f"models-{theme}", save)
    stage.library()
    save(window, f"models-page-{theme}")
    stage.more()
    save(window, f"models-more-{theme}")
    stage.compare()
    save(window, f"compare-setup-{theme}")
    stage.show_comparison()
    window.resize(_WIDE[0], _TALL)
    save(window, f"compare-{theme}")
    stage.show_comparison(["ngram-simple", "auto"])
    save(window, f"compare-four-{theme}")
    window.resize(*_WIDE)
    stage.show_sweep()
    save(window, f"compare-sweep-{theme}")
    stage.close()


def _take_settings(stage: Stage, theme: str, save: Callable[[QWidget, str], None]) -> None:
    """Every model, one model with values of its own, this chat, and what the computer has."""
    stage.program.models.devices = script.DEVICES
    settings = stage.window.settings
    dialog = stage.open_settings()
    save(dialog, f"settings-{theme}")
    dialog.show_group("devices")
    save(dialog, f"settings-devices-{theme}")
    dialog.close()
    dialog = settings.open("model")
    dialog.draft.set("model", "answers", "temperature", 0.3)
    dialog.look_at("model")
    dialog.show_group("answers")
    save(dialog, f"settings-model-{theme}")
    dialog.close()
    dialog = settings.open("chat")
    dialog.speculation.show_value(Speculation(mode="fixed"))
    save(dialog, f"settings-fixed-{theme}")
    dialog.close()


def _save_dialog(window: QWidget, kind: type[ModelPicker], name: str,
                 save: Callable[[QWidget, str], None]) -> None:
    for dialog in window.findChildren(kind):
        if dialog.isVisible():
            save(dialog, name)
            dialog.close()


def main(arguments: Sequence[str]) -> int:
    if len(arguments) not in (1, 2) or not set(arguments[1:]) <= set(LANGUAGES):
        sys.stderr.write(f"usage: python -m devtools.window.screenshots DIR [{'|'.join(LANGUAGES)}]\n")
        return 2
    language: Language = "vi" if arguments[1:] == ["vi"] else "en"
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    pictures = Path(arguments[0])
    pictures.mkdir(parents=True, exist_ok=True)
    application = QCoreApplication.instance()
    made = application if isinstance(application, QApplication) else make_application(["slipstream"])
    with tempfile.TemporaryDirectory() as folder:
        for path in take_all(made, Path(folder), pictures, language):
            sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
