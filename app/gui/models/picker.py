"""The dialog that picks target and draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QLabel, QPushButton, QWidget

from app.gui.controllers.models import ModelsController
from app.gui.look import layout
from app.gui.look.theme import Colours
from app.gui.models.pair_chooser import PairChooser
from app.models.library import LibraryEntry
from app.records import LoadSettings

if TYPE_CHECKING:
    from app.gui.models.remote_dialog import RemoteDialog


class ModelPicker(QDialog):
    """After ``accept``, ``target_path`` and ``draft_path`` are the pair to load."""

    more_requested = Signal(str)
    """Words to look for on the hub, "" for none: the dialog has closed."""
    remedy_chosen = Signal(str, str, object)
    """Target path, draft path and the ``Remedy`` to use them with: the dialog has closed."""

    def __init__(self, models: ModelsController, load: LoadSettings, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Choose models"))
        self._models = models
        title = QLabel(self.tr("Choose models"), self)
        title.setProperty("role", "title")
        self.chooser = PairChooser(models, load, colours, self)
        self.chooser.changed.connect(self._show_state)
        self.chooser.search_requested.connect(self._get_more)
        self.chooser.remedy_chosen.connect(self._take_remedy)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.use = layout.button(self, self.tr("Use these models"), kind="primary")
        self.use.setDefault(True)
        browse = QPushButton(self.tr("Browse for a file…"), self)
        self.buttons.addButton(self.use, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(browse, QDialogButtonBox.ButtonRole.ResetRole)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        browse.clicked.connect(self._browse)
        more = QPushButton(self.tr("Get more…"), self)
        self.buttons.addButton(more, QDialogButtonBox.ButtonRole.ResetRole)
        more.clicked.connect(lambda: self._get_more(""))
        elsewhere = QPushButton(self.tr("Server…"), self)
        elsewhere.setToolTip(self.tr("Use a model of a server that runs elsewhere"))
        self.buttons.addButton(elsewhere, QDialogButtonBox.ButtonRole.ResetRole)
        elsewhere.clicked.connect(self.ask_server)
        self.known_remotes: list[str] = []
        """Paths of models elsewhere that were used before."""
        self._remote = ""
        layout.column(self, title, (self.chooser, 1), self.buttons, margins=(24, 24, 24, 16), spacing=12)
        room = parent.size() if parent is not None else self.size()
        self.resize(min(860, room.width() - 48), min(620, room.height() - 48))
        self._show_state()

    @property
    def target_path(self) -> str:
        return self._remote or self.chooser.target_path

    @property
    def draft_path(self) -> str:
        return "" if self._remote else self.chooser.draft_path

    def choose(self, target_path: str, draft_path: str) -> None:
        self.chooser.choose(target_path, draft_path)
        self._show_state()

    def ask_server(self) -> RemoteDialog:
        """Let the person choose a model of a server; that ends this dialog, too."""
        # What speaks to servers takes a moment to import.
        from app.gui.models.remote_dialog import RemoteDialog

        dialog = RemoteDialog(self.known_remotes, parent=self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._take_remote(dialog.path))
        dialog.open()
        return dialog

    def _take_remote(self, path: str) -> None:
        self._remote = path
        self.accept()

    def add_file(self, path: str) -> None:
        """Offer the file at ``path`` and choose it, if it can be a target."""
        self._models.add_file(path, self._take_file)

    def _browse(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self, self.tr("Choose a model file"), "", self.tr("GGUF models (*.gguf);;All files (*)")
        )
        if path:
            self.add_file(path)

    def _take_file(self, entry: LibraryEntry) -> None:
        if entry.offered:
            self.choose(str(entry.path), "")
        else:
            # Its reason stands there.
            self.chooser.targets.look_at(str(entry.path))

    def _get_more(self, words: str) -> None:
        self.reject()
        self.more_requested.emit(words)

    def _take_remedy(self, remedy: object) -> None:
        target, draft = self.target_path, self.draft_path
        self.reject()
        self.remedy_chosen.emit(target, draft, remedy)

    def _show_state(self) -> None:
        self.use.setEnabled(bool(self.chooser.target_path))
