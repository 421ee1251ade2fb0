"""Every failure a person can meet: a code, what happened, and what to do about it."""

from __future__ import annotations

from enum import StrEnum

from app.sentences import joined

OBSTACLE_STATUS = 78
"""Exit status of a worker that found at its start why it cannot work. On stderr it wrote a line of ``OBSTACLE_MARK``,
what is in the way and what to do, as a JSON list of two sentences."""
OBSTACLE_MARK = "slipstream-obstacle: "


class Code(StrEnum):
    """Stable names of failures; they travel over the protocol and into reports."""

    MODEL_NOT_FOUND = "model_not_found"
    MODEL_UNREADABLE = "model_unreadable"
    MODEL_UNSUPPORTED = "model_unsupported"
    MODEL_LOAD_FAILED = "model_load_failed"
    DRAFT_LOAD_FAILED = "draft_load_failed"
    DRAFT_INCOMPATIBLE = "draft_incompatible"
    OUT_OF_MEMORY = "out_of_memory"
    SETTINGS_INVALID = "settings_invalid"
    METHOD_INVALID = "method_invalid"
    NO_MODEL_LOADED = "no_model_loaded"
    TEMPLATE_FAILED = "template_failed"
    PROMPT_TOO_LONG = "prompt_too_long"
    CONTEXT_FULL = "context_full"
    DECODE_FAILED = "decode_failed"
    BUSY = "busy"
    ENGINE_BUSY = "engine_busy"
    ABORTED = "aborted"
    WORKER_START_FAILED = "worker_start_failed"
    WORKER_DIED = "worker_died"
    WORKER_HUNG = "worker_hung"
    PROTOCOL = "protocol"
    FILE = "file"
    NETWORK = "network"
    GATED = "gated"
    CHECKSUM = "checksum"
    DISK_FULL = "disk_full"
    CATALOG = "catalog"
    INTERNAL = "internal"


class SlipstreamError(Exception):
    """A failure in words.

    ``message`` is one sentence that says what happened, ``hint`` one that says what to do. Both are shown to a
    person as they are, so neither holds a traceback nor a name of ours. What ``say`` makes is put into the window's
    language there; a plain text stays as it is.
    """

    def __init__(self, code: Code, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.code = code
        self.message = message
        self.hint = hint

    @property
    def words(self) -> str:
        """What happened and what to do."""
        return joined([self.message, self.hint])
