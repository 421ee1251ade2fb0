"""The window's language: which translation is loaded, and changing it while the program runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDateTime, QLibraryInfo, QLocale, QObject, QTranslator, Signal

from app import paths
from app.settings.settings import Language

LANGUAGES = ("en", "vi")
"""English is what the program is written in; the others have a file."""


def system_language() -> str:
    """The first language of the system that there is a translation for."""
    for name in QLocale.system().uiLanguages():
        code = name.replace("_", "-").split("-", maxsplit=1)[0].lower()
        if code in LANGUAGES:
            return code
    return "en"


def translation_file(code: str) -> Path:
    return paths.resources_dir() / "translations" / f"slipstream_{code}.qm"


def marked(_context: str, text: str) -> str:
    """``text`` as it is; translators get it under the context, and ``translate`` is called where it is shown."""
    return text


QT_WORDS = (
    marked("QPlatformTheme", "OK"), marked("QPlatformTheme", "Cancel"), marked("QPlatformTheme", "Close"),
    marked("QPlatformTheme", "Save"), marked("QPlatformTheme", "Open"), marked("QPlatformTheme", "Apply"),
    marked("QPlatformTheme", "Discard"), marked("QPlatformTheme", "Reset"), marked("QPlatformTheme", "Help"),
    marked("QPlatformTheme", "&Yes"), marked("QPlatformTheme", "&No"),
)
"""Buttons of Qt's dialogs, which Qt itself does not have in every language."""


def date_locale() -> QLocale:
    """How dates and times are written: as the system has it, unless the window speaks another language."""
    # A translation file says its own code here.
    code = QCoreApplication.translate("Translations", "en")
    system = QLocale()
    return system if code in ("en", system.name().split("_")[0]) else QLocale(code)


def short_moment(seconds: float) -> str:
    """“29 Nov, 20:10”."""
    then = QDateTime.fromSecsSinceEpoch(int(seconds))
    return date_locale().toString(then, QCoreApplication.translate("Translations", "dd MMM, HH:mm"))


class Translations(QObject):
    changed = Signal(str)
    """Another language holds: widgets that are made from now on speak it."""

    def __init__(self, application: QCoreApplication, language: Language = "system") -> None:
        super().__init__(application)
        self._application = application
        self._loaded: list[QTranslator] = []
        self.code = "en"
        self._load(self._code_of(language))

    def choose(self, language: Language) -> None:
        code = self._code_of(language)
        if code != self.code:
            self._load(code)
            self.changed.emit(code)

    def close(self) -> None:
        """Leave the application as it was."""
        self._load("en")

    @staticmethod
    def _code_of(language: Language) -> str:
        return system_language() if language == "system" else language

    def _load(self, code: str) -> None:
        for translator in self._loaded:
            self._application.removeTranslator(translator)
            translator.deleteLater()
        self._loaded = []
        self.code = code
        if code == "en":
            return
        # Qt's own words (buttons of dialogs) first, so that ours win where both know one.
        qt_own = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)) / f"qtbase_{code}.qm"
        for file in (qt_own, translation_file(code)):
            translator = QTranslator(self)
            if file.is_file() and translator.load(str(file)):
                self._application.installTranslator(translator)
                self._loaded.append(translator)
