"""The Models page: what is on this computer, and which model may draft for which."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app import paths
from app.gui.models_controller import ModelsController
from app.gui.pair_chooser import PairChooser
from app.gui.theme import Colours
from app.terms import LoadSettings


class ModelsPage(QWidget):
    use_requested = Signal(str, str)
    """Target path and draft path."""

    def __init__(self, models: ModelsController, load: LoadSettings, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._models = models
        title = QLabel(self.tr("Models"), self)
        title.setProperty("role", "title")
        self._folder = QLabel(self)
        self._folder.setProperty("role", "secondary")
        self._folder.setText(self.tr("From {folder}").format(folder=paths.models_dir()))
        self._folder.setWordWrap(True)
        self.chooser = PairChooser(models, load, colours, self)
        refresh = QPushButton(self.tr("Look again"), self)
        refresh.setToolTip(self.tr("Read the model folders afresh"))
        refresh.clicked.connect(models.rescan)
        self.use = QPushButton(self.tr("Use these models"), self)
        self.use.setProperty("kind", "primary")
        self.use.clicked.connect(self._use)
        self.chooser.changed.connect(self._show_state)
        foot = QHBoxLayout()
        foot.addWidget(refresh)
        foot.addStretch(1)
        foot.addWidget(self.use)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(self._folder)
        column.addWidget(self.chooser, 1)
        column.addLayout(foot)
        self._show_state()

    def choose(self, target_path: str, draft_path: str, load: LoadSettings) -> None:
        self.chooser.choose(target_path, draft_path, load)
        self._show_state()

    def set_colours(self, colours: Colours) -> None:
        self.chooser.set_colours(colours)

    def _use(self) -> None:
        self.use_requested.emit(self.chooser.target_path, self.chooser.draft_path)

    def _show_state(self) -> None:
        self.use.setEnabled(bool(self.chooser.target_path))
