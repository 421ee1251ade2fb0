"""JSON schemas of strangers: bounded before a grammar is made of them."""

from __future__ import annotations

from typing import Any

import msgspec

from app.server.refusal import RefusedError

MOST_BYTES = 64 * 1024
MOST_DEPTH = 24
MOST_REPEATS = 500
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength")


def check_schema(schema: dict[str, Any]) -> str:
    """The schema as JSON text. Raises ``RefusedError`` (400): a small schema can ask for a grammar of gigabytes."""
    text = msgspec.json.encode(schema)
    if len(text) > MOST_BYTES:
        raise _refuse(f"is larger than {MOST_BYTES // 1024} KiB")
    _walk(schema, 0)
    return text.decode()


def _walk(node: Any, depth: int) -> None:
    if depth > MOST_DEPTH:
        raise _refuse(f"is nested deeper than {MOST_DEPTH} levels")
    if isinstance(node, list):
        for item in node:
            _walk(item, depth + 1)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in _COUNTS and isinstance(value, int | float) and not 0 <= value <= MOST_REPEATS:
                raise _refuse(f"has a {key} outside 0 to {MOST_REPEATS}")
            if key == "pattern" and isinstance(value, str):
                _check_pattern(value)
            _walk(value, depth + 1)


def _check_pattern(pattern: str) -> None:
    """Repeats multiply when nested, so a pattern may have few, and none that is long."""
    numbers = [int(part) for part in "".join(c if c.isdigit() else " " for c in pattern).split() if len(part) < 9]
    if len(pattern) > 500 or pattern.count("{") > 8 or any(number > MOST_REPEATS for number in numbers):
        raise _refuse("has a pattern that is too long")


def _refuse(words: str) -> RefusedError:
    return RefusedError(400, f"The JSON schema {words}.", "schema_too_large", param="response_format")
