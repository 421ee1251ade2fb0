"""The server's switch: settings and key to a running process, and back to words."""

from __future__ import annotations

import secrets

import msgspec
from PySide6.QtCore import QObject, Signal

from app.client.keys import OWN_SERVER, KeyStore
from app.errors import SlipstreamError
from app.gui.controllers.server_process import ServerProcess
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.settings.settings import ServerChoice


class ServerController(QObject):
    """Keeps the server as the settings want it. The key lives in the system's keyring."""

    changed = Signal()

    def __init__(self, process: ServerProcess, keeper: SettingsKeeper, keys: KeyStore | None = None,
                 parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.process = process
        self._keeper, self._keys = keeper, keys or KeyStore()
        self._key: str | None = None
        self._choice = ServerChoice()
        self.key_trouble = ""
        """Why the key will not outlive the program, if so."""
        process.changed.connect(self.changed)

    @property
    def choice(self) -> ServerChoice:
        return self._keeper.settings.server

    @property
    def key(self) -> str:
        """The key that clients must send, "" while none is set."""
        if self._key is None:
            try:
                self._key = self._keys.read(OWN_SERVER)
            except SlipstreamError as error:
                self._key, self.key_trouble = "", error.message
        return self._key

    def begin(self) -> None:
        """Start the server if it was on when the window was closed."""
        if self.choice.on:
            self._apply()

    def choose(self, choice: ServerChoice) -> None:
        """A person's choice. Opening it to the network makes a key where there is none."""
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, server=choice))
        if choice.open_to_network and not self.key:
            self.renew_key()
        else:
            self._apply()

    def renew_key(self) -> None:
        self.set_key(secrets.token_urlsafe(24))

    def set_key(self, key: str) -> None:
        self._key = key
        self.key_trouble = ""
        try:
            self._keys.write(OWN_SERVER, key)
        except SlipstreamError as error:
            self.key_trouble = error.message
        self._apply()

    def close(self) -> None:
        self.process.stop()

    def _apply(self) -> None:
        choice = self.choice
        if not choice.on:
            self.process.stop()
        elif choice.open_to_network and not self.key:
            self.renew_key()
            return
        else:
            self.process.start(choice, self.key, self._method)
        self.changed.emit()

    def _method(self) -> str:
        """How answers speculate, as the settings say now."""
        settings = self._keeper.settings
        return settings.for_target(settings.target_path).speculation.method()
