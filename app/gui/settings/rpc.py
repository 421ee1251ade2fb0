"""The settings' row for llama.cpp over several machines: addresses of ``rpc-server`` programs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.gui.look import layout


class RpcServers(QWidget):
    changed = Signal(str)
    """The addresses, as a person wrote them."""

    def __init__(self, addresses: str, notes: Sequence[str] = (), parent: QWidget | None = None) -> None:
        """``notes`` are what the engine said of the addresses it was given last."""
        super().__init__(parent)
        self.addresses = QLineEdit(addresses, self)
        self.addresses.setPlaceholderText("192.168.1.20:50052, 192.168.1.21:50052")
        self.addresses.setAccessibleName(self.tr("Addresses of rpc-server programs"))
        self.notes = layout.label(self, role="warning", wraps=True)
        layout.column(self, self.addresses, self.notes, margins=(0, 0, 0, 0), spacing=4)
        self.addresses.editingFinished.connect(lambda: self.changed.emit(self.addresses.text().strip()))
        self.show_notes(notes)

    def show_notes(self, notes: Sequence[str]) -> None:
        self.notes.setText("\n".join(notes))
        self.notes.setVisible(bool(notes))
