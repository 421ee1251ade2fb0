"""One window per person and data folder: a second start brings the first window to the front and ends."""

from __future__ import annotations

import hashlib
import os

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app import paths

_WAIT_MS = 500


class SingleInstance(QObject):
    shown = Signal()
    """Another start asks for the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        place = f"{os.environ.get('USER', '')}:{paths.data_dir()}"
        self._name = "slipstream-" + hashlib.sha256(place.encode()).hexdigest()[:16]
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def is_first(self) -> bool:
        """Whether no other window runs; the one that does is asked to show itself."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if socket.waitForConnected(_WAIT_MS):
            socket.disconnectFromServer()
            return False
        # What a killed window left behind is in the way of a new server.
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return True

    def close(self) -> None:
        self._server.close()

    def _answer(self) -> None:
        connection = self._server.nextPendingConnection()
        if connection is not None:
            connection.disconnected.connect(connection.deleteLater)
            self.shown.emit()
