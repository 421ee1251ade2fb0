"""How the model hub is reached: a mirror, a token, or not at all."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QLineEdit, QWidget

from app.gui.controllers.hub import PUBLIC_HUB, HubController
from app.gui.look import layout
from app.settings.settings import HubSettings


class ConnectionDialog(QDialog):
    """Changes hold once it is accepted."""

    changed = Signal(object)
    """The new ``HubSettings``."""

    def __init__(self, hub: HubController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hub = hub
        self.setWindowTitle(self.tr("Model hub"))
        self.offline = QCheckBox(self.tr("Offline: ask nothing of the network"), self)
        self.offline.setChecked(hub.settings.offline)
        self.endpoint = QLineEdit(hub.settings.endpoint, self)
        self.endpoint.setPlaceholderText(hub.endpoint if not hub.settings.endpoint else PUBLIC_HUB)
        self.endpoint.setAccessibleName(self.tr("Address of the hub"))
        self.token = QLineEdit(self)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText(self.tr("hf_…"))
        self.token.setAccessibleName(self.tr("Access token"))
        self.words = layout.label(self, role="secondary", wraps=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        column = layout.column(self, self._label(self.tr("Model hub"), "title"), margins=(24, 24, 24, 16), spacing=4)
        column.addSpacing(12)
        column.addWidget(self.offline)
        column.addSpacing(12)
        column.addWidget(self._label(self.tr("Address"), "strong"))
        column.addWidget(self._label(self.tr("A mirror of the hub, if you use one. Empty: HF_ENDPOINT, or {hub}. "
                                             "Proxies are those of the system.").format(hub=PUBLIC_HUB), "secondary"))
        column.addWidget(self.endpoint)
        column.addSpacing(12)
        column.addWidget(self._label(self.tr("Access token"), "strong"))
        column.addWidget(self._label(self.tr(
            "Only for models whose publisher asks for your agreement: accept the terms on the model’s page, make a "
            "token with the right to read on {hub}/settings/tokens, and paste it here. It is kept in the system’s "
            "keyring and sent to this hub alone; a token of the hub’s own program or of HF_TOKEN is used as well."
        ).format(hub=hub.endpoint), "secondary"))
        column.addWidget(self.token)
        column.addWidget(self.words)
        column.addSpacing(12)
        column.addWidget(self.buttons)
        self.resize(520, self.sizeHint().height())

    def _label(self, text: str, role: str) -> QLabel:
        label = layout.label(self, text, role=role, wraps=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _accept(self) -> None:
        endpoint = self.endpoint.text().strip()
        if endpoint and not endpoint.startswith(("https://", "http://")):
            self.words.setText(self.tr("The address must begin with https:// (or http:// inside your own network)."))
            return
        self.changed.emit(HubSettings(endpoint=endpoint, offline=self.offline.isChecked()))
        if self.token.text().strip():
            self._hub.store_token(self.token.text())
        self.accept()
