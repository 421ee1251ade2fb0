"""Keys of servers, in the system's own keyring and nowhere else.

The keyring library takes a moment to import, so only reading and writing a key does.
"""

from __future__ import annotations

from app.errors import Code, SlipstreamError
from app.sentences import say

_SERVICE = "slipstream"
OWN_SERVER = "server"
"""The name of the key that opens our own server."""


class KeyStore:
    """Reads and writes keys by the name of what they open (an address, or ``OWN_SERVER``)."""

    def read(self, name: str) -> str:
        """The key, "" where none is kept. Raises ``SlipstreamError`` where there is no keyring."""
        import keyring
        import keyring.errors

        try:
            return keyring.get_password(_SERVICE, name) or ""
        except (keyring.errors.KeyringError, RuntimeError, OSError) as error:
            raise _no_keyring() from error

    def write(self, name: str, key: str) -> None:
        """Keep ``key``; "" forgets it. Raises ``SlipstreamError`` where there is no keyring."""
        import keyring
        import keyring.errors

        try:
            if key:
                keyring.set_password(_SERVICE, name, key)
            elif keyring.get_password(_SERVICE, name) is not None:
                keyring.delete_password(_SERVICE, name)
        except (keyring.errors.KeyringError, RuntimeError, OSError) as error:
            raise _no_keyring() from error


def _no_keyring() -> SlipstreamError:
    return SlipstreamError(
        Code.FILE,
        say("This system has no keyring that is open, so the key is kept until the program ends and no longer."),
        say("Install or unlock one (GNOME Keyring, KWallet, KeePassXC), or give the key anew each time."),
    )
