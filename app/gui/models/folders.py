"""The button with the folders that are searched for models."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from app import paths
from app.gui.controllers.models import ModelsController


class FoldersButton(QPushButton):
    folders_changed = Signal(list)
    """All folders that the person has added."""

    def __init__(self, models: ModelsController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self.setText(self.tr("Folders"))
        self.setToolTip(self.tr("Folders that are searched for models; add one of your own"))
        self.entries = QMenu(self)
        self.entries.aboutToShow.connect(self.fill)
        self.setMenu(self.entries)

    def fill(self) -> None:
        """Make the menu anew."""
        self.entries.clear()
        self.entries.addAction(self.tr("Add a folder…")).triggered.connect(self.ask)
        self.entries.addSeparator()
        for folder in self._models.folders:
            action = self.entries.addAction(self.tr("Remove {folder}").format(folder=folder))
            action.triggered.connect(lambda _=False, gone=folder: self.remove(gone))
        if self._models.folders:
            self.entries.addSeparator()
        searched = self.entries.addAction(self.tr("Always searched: {folder}").format(folder=paths.models_dir()))
        searched.setEnabled(False)
        others = sorted({entry.source for entry in self._models.entries} - {"Slipstream", ""})
        if others:
            found = self.entries.addAction(self.tr("Found as well: {programs}").format(programs=", ".join(others)))
            found.setEnabled(False)

    def ask(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Add a folder with models"))
        if folder:
            self.add(folder)

    def add(self, folder: str) -> None:
        if folder not in self._models.folders:
            self.folders_changed.emit([*self._models.folders, folder])

    def remove(self, folder: str) -> None:
        self.folders_changed.emit([each for each in self._models.folders if each != folder])
