"""The settings' group “Server”: a switch, who may connect, port, key, and what it has been asked."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from app.gui.controllers.server import ServerController
from app.gui.look import layout
from app.gui.look.segments import Segments

_LOG_HEIGHT = 120


class ServerSettings(QWidget):
    """Shows and changes what ``controller`` keeps; changes hold at once."""

    def __init__(self, controller: ServerController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        choice = controller.choice
        self.switch = Segments(
            [("off", self.tr("Off"), self.tr("No other program can ask")),
             ("on", self.tr("On"), self.tr("Other programs can ask through an address"))], self.tr("Server"),
        )
        self.who = Segments(
            [("local", self.tr("This computer"), self.tr("Only programs on this computer can connect")),
             ("network", self.tr("My network"), self.tr("Whoever reaches this computer and has the key"))],
            self.tr("Who may connect"),
        )
        self.port = QSpinBox(self)
        self.port.setRange(1024, 65535)
        self.port.setKeyboardTracking(False)
        self.port.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.port.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.port.setAccessibleName(self.tr("Port"))
        self.state = layout.label(self, wraps=True)
        self.address = QLineEdit(self)
        self.address.setReadOnly(True)
        self.address.setAccessibleName(self.tr("Address for other programs"))
        self.copy_address = layout.button(self, self.tr("Copy"), tip=self.tr("Copy the address"))
        self.key = QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.PasswordEchoOnEdit)
        self.key.setPlaceholderText(self.tr("None"))
        self.key.setAccessibleName(self.tr("Key"))
        self.copy_key = layout.button(self, self.tr("Copy"), tip=self.tr("Copy the key"))
        self.new_key = QPushButton(self.tr("New key"), self)
        self.new_key.setToolTip(self.tr("Make another key; programs with the old one can no longer connect"))
        self.key_words = layout.label(self, role="warning", wraps=True)
        self.log = QPlainTextEdit(self)
        self.log.setReadOnly(True)
        self.log.setFixedHeight(_LOG_HEIGHT)
        self.log.setMaximumBlockCount(500)
        self.log.setAccessibleName(self.tr("Log of the server"))
        self.log.setPlaceholderText(self.tr("Requests are listed here: when, by whom, what for. Never what was said."))
        self.log.setPlainText("\n".join(controller.process.lines))
        self._lay_out()
        self.switch.choose("on" if choice.on else "off")
        self.who.choose("network" if choice.open_to_network else "local")
        self.port.setValue(choice.port)
        self.switch.chosen.connect(self._choose)
        self.who.chosen.connect(self._choose)
        self.port.valueChanged.connect(self._choose)
        self.key.editingFinished.connect(self._take_key)
        self.new_key.clicked.connect(controller.renew_key)
        self.copy_key.clicked.connect(lambda: QGuiApplication.clipboard().setText(controller.key))
        self.copy_address.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.address.text()))
        controller.changed.connect(self._show)
        controller.process.said.connect(self.log.appendPlainText)
        self._show()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        rows: list[tuple[str, list[QWidget]]] = [
            (self.tr("Server"), [self.switch]), (self.tr("Who may connect"), [self.who]),
            (self.tr("Port"), [self.port]), (self.tr("Address"), [self.address, self.copy_address]),
            (self.tr("Key"), [self.key, self.copy_key, self.new_key]),
        ]
        for row, (words, widgets) in enumerate(rows):
            label = QLabel(words, self)
            label.setBuddy(widgets[0])
            line = layout.row(None, spacing=8)
            for index, widget in enumerate(widgets):
                line.addWidget(widget, 1 if index == 0 and len(widgets) > 1 else 0)
            if len(widgets) == 1:
                widgets[0].setFixedWidth(260 if isinstance(widgets[0], Segments) else 120)
                line.addStretch(1)
            grid.addWidget(label, row, 0)
            grid.addLayout(line, row, 1)
        layout.column(self, grid, self.key_words, self.state, self.log, margins=(0, 0, 0, 0), spacing=8)

    def _choose(self) -> None:
        self._controller.choose(msgspec.structs.replace(
            self._controller.choice, on=self.switch.key == "on", open_to_network=self.who.key == "network",
            port=self.port.value(),
        ))

    def _take_key(self) -> None:
        key = "".join(self.key.text().split())
        if key != self._controller.key and (key or not self._controller.choice.open_to_network):
            self._controller.set_key(key)
        else:
            self._show()

    def _show(self) -> None:
        process, key = self._controller.process, self._controller.key
        self.key.setText(key)
        self.copy_key.setEnabled(bool(key))
        self.key_words.setText(self._controller.key_trouble)
        self.key_words.setVisible(bool(key and self._controller.key_trouble))
        self.address.setText(process.address)
        self.copy_address.setEnabled(bool(process.address))
        words, role = self._state_words()
        self.state.setText(words)
        self.state.setProperty("role", role)
        self.state.style().unpolish(self.state)
        self.state.style().polish(self.state)

    def _state_words(self) -> tuple[str, str]:
        process, choice = self._controller.process, self._controller.choice
        if process.trouble:
            return process.trouble, "error"
        if not choice.on:
            return self.tr("Off. Editors and agents that speak OpenAI's protocol can use the model in this window."), \
                "secondary"
        if not process.address:
            return self.tr("Starting …"), "secondary"
        if choice.open_to_network:
            return self.tr("On. Other computers use this computer's name or address in place of 0.0.0.0, and the key. "
                           "What is sent is not encrypted: trust the network."), "warning"
        return self.tr("On. It answers with the model of this window, in turn with the chat; the model is held in "
                       "memory once."), "good"
