"""One window per person and data folder: a second start brings the first window to the front and ends."""

from __future__ import annotations

import hashlib
import os

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app import paths

_WAIT_MS = 500
_MOST_BYTES = 32 * 1024


class SingleInstance(QObject):
    shown = Signal(str)
    """Another start asks for the window, with the path of a model to use or ""."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        place = f"{os.environ.get('USER', '')}:{paths.data_dir()}"
        self._name = "slipstream-" + hashlib.sha256(place.encode()).hexdigest()[:16]
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)
        self._guests: list[QLocalSocket] = []

    def is_first(self, model: str = "") -> bool:
        """Whether no other window runs; the one that does is asked to show itself and to use ``model``, if any."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if socket.waitForConnected(_WAIT_MS):
            if model:
                socket.write(model.encode("utf-8", "surrogateescape"))
                socket.waitForBytesWritten(_WAIT_MS)
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
        if connection is None:
            return

        self._guests.append(connection)
        if connection.state() == QLocalSocket.LocalSocketState.UnconnectedState:
            self._hear()
        else:
            connection.disconnected.connect(self._hear)

    def _hear(self) -> None:
        """Guests that have hung up have said what they wanted."""
        for guest in [each for each in self._guests if each.state() == QLocalSocket.LocalSocketState.UnconnectedState]:
            self._guests.remove(guest)
            said = bytes(guest.read(_MOST_BYTES).data()).decode("utf-8", "surrogateescape")
            guest.deleteLater()
            self.shown.emit(said)
