"""What a client is told when it does not get an answer: a status and OpenAI's error object."""

from __future__ import annotations

import msgspec

from app.errors import Code, SlipstreamError
from app.protocol import Failed
from app.sentences import as_text

_OF_THE_REQUEST = {
    Code.SETTINGS_INVALID, Code.METHOD_INVALID, Code.TEMPLATE_FAILED, Code.PROMPT_TOO_LONG, Code.CONTEXT_FULL,
}
_FOR_NOW = {
    Code.NO_MODEL_LOADED, Code.WORKER_DIED, Code.WORKER_HUNG, Code.WORKER_START_FAILED, Code.OUT_OF_MEMORY,
    Code.MODEL_NOT_FOUND, Code.MODEL_UNREADABLE, Code.MODEL_UNSUPPORTED, Code.MODEL_LOAD_FAILED,
    Code.DRAFT_LOAD_FAILED, Code.DRAFT_INCOMPATIBLE, Code.ABORTED,
}
_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "invalid_request_error", 429: "rate_limit_error", 431: "invalid_request_error", 503: "unavailable_error",
}


class RefusedError(Exception):
    """``status`` is HTTP's; ``message`` is for a person; ``param`` names the field that is to blame."""

    def __init__(
        self, status: int, message: str, code: str = "", param: str | None = None, retry_after_s: int | None = None,
        closes: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param
        self.retry_after_s = retry_after_s
        self.closes = closes

    def body(self) -> bytes:
        return msgspec.json.encode({"error": {
            "message": self.message, "type": _TYPES.get(self.status, "server_error"), "param": self.param,
            "code": self.code or None,
        }}, enc_hook=as_text)

    def headers(self) -> list[tuple[bytes, bytes]]:
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(self.body())).encode())]
        if self.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if self.retry_after_s is not None:
            headers.append((b"retry-after", str(self.retry_after_s).encode()))
        if self.closes:
            headers.append((b"connection", b"close"))
        return headers


def refusal_of(error: SlipstreamError | Failed) -> RefusedError:
    """The engine's failure as HTTP says it."""
    words = error.words
    code = str(error.code)
    if code == Code.BUSY:
        return RefusedError(429, words, code, retry_after_s=5)
    if code in _OF_THE_REQUEST:
        return RefusedError(400, words, code)
    if code in _FOR_NOW:
        return RefusedError(503, words, code, retry_after_s=5)
    return RefusedError(500, words, code)
