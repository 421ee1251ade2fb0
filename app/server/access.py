"""Who may use the server, and how much at once: addresses, keys and limits."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Sequence

from app.records import Record

ANYWHERE = ("0.0.0.0", "::", "")


class Limits(Record, frozen=True, kw_only=True):
    """Bounds against mistakes and malice; ``_s`` are seconds.

    ``header_s`` for the head of a request, ``body_s`` for its body, ``write_s`` for a reader that takes nothing more,
    ``wait_s`` in the queue, ``answer_s`` for one answer of the engine.
    """

    body_bytes: int = 8 * 1024 * 1024
    header_bytes: int = 32 * 1024
    headers: int = 100
    header_s: float = 10.0
    body_s: float = 30.0
    write_s: float = 30.0
    wait_s: float = 600.0
    answer_s: float = 1800.0
    queue: int = 64
    queue_per_client: int = 32
    connections: int = 256


class Access(Record, frozen=True, kw_only=True):
    """``host`` and ``port`` to listen on, ``keys`` that open it (none: open), ``names`` a ``Host`` may also say."""

    host: str = "127.0.0.1"
    port: int = 8080
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether only programs on this machine can reach it."""
        return is_loopback(self.host)

    def knows_key(self, given: str) -> bool:
        """In the same time whatever was given."""
        raw = given.encode("utf-8", "replace")
        return sum(hmac.compare_digest(raw, key.encode()) for key in self.keys) > 0

    def answers_to(self, host: str) -> bool:
        """Whether a request with this ``Host`` header can be meant for us.

        A page of another site can make its own name point here (DNS rebinding), but it cannot make the browser send a
        name of ours: so names must be ours. An address in digits cannot be rebound.
        """
        name = split_host(host)
        if not name:
            return False
        if _is_address(name):
            return not self.is_local or is_loopback(name)
        own = {"localhost", self.host.lower(), *(name.lower() for name in self.names)}
        if not self.is_local:
            own |= _machine_names()
        return name in own


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def split_host(header: str) -> str:
    """The name in a ``Host`` header, in lower case and without port and brackets; "" where it is none."""
    header = header.strip().lower()
    if header.startswith("["):
        name, bracket, rest = header[1:].partition("]")
        return name if bracket and (not rest or _is_port(rest)) else ""
    name, colon, port = header.partition(":")
    return "" if colon and not port.isdecimal() else name.rstrip(".")


def is_same_origin(origin: str, host: str) -> bool:
    """Whether a page at ``origin`` came from the server that ``host`` names."""
    scheme, found, rest = origin.strip().lower().partition("://")
    return bool(found) and scheme in ("http", "https") and rest == host.strip().lower()


def _is_port(text: str) -> bool:
    return text.startswith(":") and text[1:].isdecimal()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _machine_names() -> set[str]:
    name = socket.gethostname().lower()
    return {name, name.partition(".")[0], f"{name.partition('.')[0]}.local"} - {""}


def bearer(headers: Sequence[tuple[bytes, bytes]]) -> str:
    """The key that a request carries, "" for none."""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, key = value.decode("latin-1").partition(" ")
            return key.strip() if scheme.lower() == "bearer" else ""
    return ""
