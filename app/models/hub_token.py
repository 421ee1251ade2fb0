"""The hub's access token in the system's keyring, or for this run alone where there is none."""

from __future__ import annotations

_SERVICE = "slipstream-model-hub"


class TokenStore:
    """Tokens by host: one that was given for a mirror goes to no other. Calls may block while the keyring asks."""

    def __init__(self) -> None:
        self._session: dict[str, str] = {}

    def read(self, host: str) -> str | None:
        """The token for ``host``; None if none was given here."""
        if host in self._session:
            return self._session[host] or None
        # Loading it takes longer than the window needs to open.
        import keyring
        from keyring.errors import KeyringError

        try:
            return keyring.get_password(_SERVICE, host) or None
        except (KeyringError, RuntimeError):
            return None

    def store(self, host: str, token: str) -> bool:
        """Keep ``token`` ("" forgets it); False when it could only be kept until the program ends."""
        self._session[host] = token
        import keyring
        from keyring.errors import KeyringError

        try:
            if token:
                keyring.set_password(_SERVICE, host, token)
            elif keyring.get_password(_SERVICE, host) is not None:
                keyring.delete_password(_SERVICE, host)
        except (KeyringError, RuntimeError):
            return False
        return True
