"""The two themes: their colours, the palette and the style sheet made from them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication

from app import paths
from app.settings.settings import ThemeChoice

TEXT_PX = 14
SMALL_PX = 12
HEADING_PX = 16
CODE_PX = 13
LINE_HEIGHT = 1.5


@dataclass(frozen=True)
class Colours:
    """Colour values (``#RRGGBB``) of one theme, by the names used in the style sheet."""

    name: str
    background: str
    surface: str
    border: str
    border_strong: str
    hover: str
    text: str
    secondary: str
    accent: str
    accent_hover: str
    accent_soft: str
    on_accent: str
    drafted: str
    drafted_mark: str
    warning_text: str
    warning_ground: str
    error_text: str
    error_ground: str
    plot_a: str
    plot_b: str
    plot_acceptance: str
    code_ground: str
    code_keyword: str
    code_string: str
    code_comment: str
    code_number: str
    code_name: str


def read_colours(name: str) -> Colours:
    """Colours of the theme ``name`` (``light`` or ``dark``) from the resources."""
    with (paths.resources_dir() / "theme" / f"{name}.toml").open("rb") as file:
        return Colours(name=name, **tomllib.load(file))


def style_sheet(colours: Colours) -> str:
    sheet = (paths.resources_dir() / "theme" / "style.qss").read_text(encoding="utf-8")
    values = {field.name: getattr(colours, field.name) for field in fields(colours)}
    values |= {"icons": (paths.resources_dir() / "icons").as_posix(), "theme": colours.name}
    return re.sub(r"@(\w+)@", lambda match: str(values[match.group(1)]), sheet)


def palette(colours: Colours) -> QPalette:
    """Palette for what the style sheet does not reach: native dialogs' children, selections, placeholders."""
    made = QPalette()
    roles = {
        QPalette.ColorRole.Window: colours.background,
        QPalette.ColorRole.Base: colours.surface,
        QPalette.ColorRole.AlternateBase: colours.hover,
        QPalette.ColorRole.Button: colours.surface,
        QPalette.ColorRole.Text: colours.text,
        QPalette.ColorRole.WindowText: colours.text,
        QPalette.ColorRole.ButtonText: colours.text,
        QPalette.ColorRole.ToolTipBase: colours.surface,
        QPalette.ColorRole.ToolTipText: colours.text,
        QPalette.ColorRole.PlaceholderText: colours.secondary,
        QPalette.ColorRole.Highlight: colours.accent,
        QPalette.ColorRole.HighlightedText: colours.on_accent,
        QPalette.ColorRole.Link: colours.accent,
        QPalette.ColorRole.LinkVisited: colours.accent,
        QPalette.ColorRole.Accent: colours.accent,
        QPalette.ColorRole.Mid: colours.border,
    }
    for role, value in roles.items():
        made.setColor(role, QColor(value))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.secondary))
    return made


def ui_font(pixels: int = TEXT_PX, bold: bool = False) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def code_font(pixels: int = CODE_PX) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(pixels)
    return font


def tabular_font(pixels: int = TEXT_PX, bold: bool = False) -> QFont:
    """The UI font with figures of one width, where the font has them."""
    font = ui_font(pixels, bold)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def line_height_percent(font: QFont, ratio: float = LINE_HEIGHT) -> float:
    """The proportional line height, in percent of the font's own, that gives ``ratio`` times its pixel size."""
    return 100.0 * ratio * font.pixelSize() / max(1.0, QFontMetricsF(font).height())


class ThemeController(QObject):
    """Applies the chosen theme to the application and follows the system's while the choice is ``system``."""

    changed = Signal(Colours)

    def __init__(self, application: QApplication, choice: ThemeChoice = "system") -> None:
        super().__init__(application)
        self._application = application
        self._choice: ThemeChoice = choice
        self.colours = read_colours(self._name())
        application.setFont(ui_font())
        self._apply()
        application.styleHints().colorSchemeChanged.connect(self._follow_system)

    def choose(self, choice: ThemeChoice) -> None:
        self._choice = choice
        name = self._name()
        if name != self.colours.name:
            self.colours = read_colours(name)
            self._apply()
            self.changed.emit(self.colours)

    def _name(self) -> str:
        if self._choice != "system":
            return self._choice
        dark = self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    def _follow_system(self) -> None:
        self.choose(self._choice)

    def _apply(self) -> None:
        self._application.setPalette(palette(self.colours))
        self._application.setStyleSheet(style_sheet(self.colours))
