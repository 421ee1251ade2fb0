"""What stands for a model file's path where the model is a server's."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from app.client.remote_kinds import KINDS
from app.errors import Code, SlipstreamError
from app.records import REMOTE
from app.sentences import say


def remote_path(kind: str, url: str, model: str) -> str:
    """What stands for a model file's path where the model is a server's; ``model`` "" takes the first it offers."""
    return f"{REMOTE}{kind}+{url}#{model}"


def split_path(path: str) -> tuple[str, str, str]:
    """Kind, address and model of a ``remote_path``."""
    rest, _, model = path.removeprefix(REMOTE).partition("#")
    kind, plus, url = rest.partition("+")
    return (kind, url, model) if plus and kind in KINDS else ("openai", rest, model)


def check_url(text: str) -> str:
    """The address to ask, without a slash or ``/v1`` at its end. Raises ``SlipstreamError`` (``SETTINGS_INVALID``)."""
    text = text.strip()
    if "://" not in text:
        text = f"http://{text}"
    try:
        url = urlsplit(text)
        port_is_right = url.port is None or url.port > 0
    except ValueError as error:
        raise _bad_url(text) from error
    if url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc or not port_is_right:
        raise _bad_url(text)
    if not text.isprintable() or " " in text:
        raise _bad_url(text)
    return urlunsplit((url.scheme, url.netloc, url.path, "", "")).rstrip("/").removesuffix("/v1").rstrip("/")


def _bad_url(text: str) -> SlipstreamError:
    return SlipstreamError(
        Code.SETTINGS_INVALID, say("“{text}” is not the address of a server.", text=text[:100]),
        say("Give one such as http://127.0.0.1:8000 or https://example.com/v1."),
    )
