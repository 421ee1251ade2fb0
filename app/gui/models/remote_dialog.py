"""Choose a model of a server elsewhere: its kind, address and key, then one of the models that it offers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QWidget,
)

from app.client.keys import KeyStore
from app.client.remote import RemoteClient
from app.client.remote_kinds import KINDS
from app.client.remote_paths import check_url, remote_path, split_path
from app.errors import SlipstreamError
from app.gui.controllers.background import Background
from app.gui.look import layout
from app.gui.words.messages import localise


class RemoteDialog(QDialog):
    """After ``accept``, ``path`` stands for the model as a file's path does for one here. ``known`` are such paths that
    were used before."""

    def __init__(self, known: Sequence[str] = (), keys: KeyStore | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Model of a server"))
        self._keys = keys or KeyStore()
        self._background = Background(self)
        self._key_trouble = ""
        self.path = ""
        title = QLabel(self.tr("Model of a server"), self)
        title.setProperty("role", "title")
        words = layout.label(
            self,
            self.tr("Ask a server that runs elsewhere and speaks OpenAI's protocol. What you write is sent there."),
            role="secondary", wraps=True)
        self.kind = QComboBox(self)
        for kind in KINDS.values():
            self.kind.addItem(kind.title, kind.name)
        self.address = QComboBox(self)
        self.address.setEditable(True)
        self.address.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._line = QLineEdit(self.address)
        self._line.setPlaceholderText("http://192.168.1.20:8000")
        self.address.setLineEdit(self._line)
        self._known = [split_path(path) for path in known]
        for _, url, _ in dict.fromkeys(self._known):
            if self.address.findText(url) < 0:
                self.address.addItem(url)
        self.address.setCurrentIndex(-1)
        self.key = QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(self.tr("Only if the server wants one"))
        self.look = QPushButton(self.tr("List models"), self)
        self.models = QListWidget(self)
        self.models.setAccessibleName(self.tr("Models of the server"))
        self.models.setMinimumHeight(120)
        self.state = layout.label(self, self.tr("Give the address and list the models."), role="secondary", wraps=True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.use = layout.button(self, self.tr("Use this model"), kind="primary")
        self.use.setEnabled(False)
        self.buttons.addButton(self.use, QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out(title, words)
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        self.look.clicked.connect(self.list_models)
        self._line.returnPressed.connect(self.list_models)
        self.address.activated.connect(self._recall)
        self.kind.currentIndexChanged.connect(self._show_port)
        self.models.currentRowChanged.connect(lambda row: self.use.setEnabled(row >= 0))
        self.models.itemDoubleClicked.connect(lambda _: self._choose())
        self.finished.connect(lambda _: self._background.close())
        self.resize(520, 480)

    def _lay_out(self, title: QLabel, words: QLabel) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.tr("Kind"), self.kind)
        line = layout.row(None, (self.address, 1), self.look, spacing=8)
        form.addRow(self.tr("Address"), line)
        form.addRow(self.tr("Key"), self.key)
        layout.column(self, title, words, form, (self.models, 1), self.state, self.buttons, margins=(24, 24, 24, 16),
                      spacing=12)

    def list_models(self) -> None:
        """Ask the server, in the background, what it offers."""
        self.models.clear()
        try:
            url = check_url(self.address.currentText())
        except SlipstreamError as error:
            self._say(f"{error.message} {error.hint}", "error")
            return
        key, kind = self.key.text().strip(), KINDS[self.kind.currentData()]
        self.look.setEnabled(False)
        self._say(self.tr("Asking {address} …").format(address=url), "secondary")

        def ask() -> list[str]:
            with RemoteClient(url, key, kind) as client:
                return client.models()

        self._background.run(ask, self._show_models, self._show_failure)

    def _show_models(self, models: list[str]) -> None:
        self.look.setEnabled(True)
        self.models.addItems(models)
        if models:
            self.models.setCurrentRow(0)
            self._say(KINDS[self.kind.currentData()].hint, "secondary")
        else:
            self._say(self.tr("The server offers no model. Load one there."), "warning")

    def _show_failure(self, error: SlipstreamError) -> None:
        self.look.setEnabled(True)
        self._say(f"{error.message} {error.hint}".strip(), "error")

    def _choose(self) -> None:
        item = self.models.currentItem()
        if item is None:
            return
        url = check_url(self.address.currentText())
        try:
            self._keys.write(url, self.key.text().strip())
        except SlipstreamError as error:
            if self.key.text().strip() and not self._key_trouble:
                self._key_trouble = error.message
                self._say(self.tr("{trouble} Start the program with SLIPSTREAM_REMOTE_KEY set to the key, then use the "
                                  "model.").format(trouble=error.message), "warning")
                return
        self.path = remote_path(self.kind.currentData(), url, item.text())
        self.accept()

    def _recall(self) -> None:
        """An address that was used before: its kind and key."""
        url = self.address.currentText()
        kind = next((kind for kind, known, _ in self._known if known == url), "openai")
        self.kind.setCurrentIndex(max(0, self.kind.findData(kind)))
        try:
            self.key.setText(self._keys.read(url))
        except SlipstreamError:
            self.key.clear()
        self.list_models()

    def _show_port(self) -> None:
        kind = KINDS[self.kind.currentData()]
        self._line.setPlaceholderText(f"http://192.168.1.20:{kind.port}")

    def _say(self, words: str, role: str) -> None:
        self.state.setText(localise(words))
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setProperty("role", role)
        self.state.style().unpolish(self.state)
        self.state.style().polish(self.state)
