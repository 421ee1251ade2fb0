"""Choosing a preset, keeping the present values as one, removing one of one's own."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QInputDialog, QWidget

from app.gui.look import layout
from app.settings.scopes import SHIPPED_PRESETS, Preset

LONGEST_NAME = 60


class PresetRow(QWidget):
    chosen = Signal(object)
    """The ``Preset``."""
    kept = Signal(str)
    """A name for the present values."""
    dropped = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._own: list[Preset] = []
        self.box = QComboBox(self)
        self.box.setAccessibleName(self.tr("Preset"))
        self.box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.activated.connect(self._choose)
        self.keep = layout.button(self, self.tr("Save as…"), self._ask_name,
                                  tip=self.tr("Keep the values below under a name"))
        self.drop = layout.button(self, self.tr("Delete"), lambda: self.dropped.emit(self.current_name),
                                  tip=self.tr("Remove this preset; values that were set with it stay"))
        layout.row(self, (self.box, 1), self.keep, self.drop, margins=(0, 0, 0, 0), spacing=8)

    @property
    def current_name(self) -> str:
        preset = self.box.currentData()
        return preset.name if isinstance(preset, Preset) else ""

    def show_presets(self, own: list[Preset], current: str) -> None:
        """``current`` names the one whose values hold, "" for none."""
        self._own = own
        self.box.clear()
        self.box.addItem(self.tr("Own values"), None)
        for preset in SHIPPED_PRESETS:
            self.box.addItem(self._title(preset.name), preset)
        if own:
            self.box.insertSeparator(self.box.count())
        for preset in own:
            self.box.addItem(preset.name, preset)
        names = [getattr(self.box.itemData(index), "name", "") for index in range(self.box.count())]
        self.box.setCurrentIndex(len(names) - 1 - names[::-1].index(current) if current in names else 0)
        self.drop.setVisible(any(preset.name == current for preset in own))

    def keep_as(self, name: str) -> None:
        """Keep the present values under ``name``."""
        plain = " ".join("".join(c if c.isprintable() else " " for c in name).split())[:LONGEST_NAME]
        if plain:
            self.kept.emit(plain)

    def _choose(self) -> None:
        preset = self.box.currentData()
        if isinstance(preset, Preset):
            self.chosen.emit(preset)

    def _ask_name(self) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle(self.tr("Save as a preset"))
        dialog.setLabelText(self.tr("Name of the preset"))
        dialog.setTextValue(self.current_name if self.current_name in [preset.name for preset in self._own] else "")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(self.keep_as)
        dialog.open()

    def _title(self, name: str) -> str:
        return {
            "Balanced": self.tr("Balanced"), "Precise": self.tr("Precise"), "Creative": self.tr("Creative"),
            "Code": self.tr("Code"), "Repeatable": self.tr("Repeatable"),
        }.get(name, name)
