"""Tools: what the model is told of them, and the calls in what it writes."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from app.records import JsonShape, Record, ToolCall
from app.server.refusal import RefusedError
from app.server.schema import check_schema

OPENING, CLOSING = "<tool_call>", "</tool_call>"
_MARKS = (OPENING, "<|python_tag|>", "[TOOL_CALLS]")
"""What calls begin with, in the formats of Hermes and Qwen, Llama 3, and Mistral."""
_FENCE = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.DOTALL)


class _Chosen(Record, frozen=True):
    name: str


class ToolChoice(Record, frozen=True):
    """``tool_choice`` when it names a function."""

    function: _Chosen


@dataclass(frozen=True)
class ToolSet:
    """``names`` are the functions that may be called, ``as_json`` what the template is given. ``forced_shape`` holds
    the answer to a call where the client demands one."""

    names: frozenset[str]
    as_json: str
    forced_shape: JsonShape | None = None


def read_tools(tools: list[dict[str, Any]] | None, choice: str | ToolChoice | None) -> ToolSet | None:
    """None where no tools are offered. Raises ``RefusedError`` (400)."""
    if not tools or choice == "none":
        return None
    functions = {}
    for tool in tools:
        function = tool.get("function") if tool.get("type") == "function" else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise RefusedError(400, "Tools are objects {“type”: “function”, “function”: {“name”: …}}.", param="tools")
        functions[function["name"]] = function
    forced: dict[str, dict[str, Any]] = {}
    if isinstance(choice, ToolChoice):
        if choice.function.name not in functions:
            raise RefusedError(400, f"There is no tool called “{choice.function.name[:80]}”.", param="tool_choice")
        forced = {choice.function.name: functions[choice.function.name]}
    elif choice == "required":
        forced = functions
    elif choice not in (None, "auto"):
        raise RefusedError(400, "tool_choice is “auto”, “none”, “required” or a function.", param="tool_choice")
    return ToolSet(frozenset(functions), msgspec.json.encode(tools).decode(), _call_shape(forced) if forced else None)


def _call_shape(functions: dict[str, dict[str, Any]]) -> JsonShape:
    calls = [
        {"type": "object", "required": ["name", "arguments"], "additionalProperties": False,
         "properties": {"name": {"const": name}, "arguments": function.get("parameters") or {"type": "object"}}}
        for name, function in functions.items()
    ]
    schema = calls[0] if len(calls) == 1 else {"anyOf": calls}
    return JsonShape(schema=check_schema(schema), before=f"{OPENING}\n", after=f"\n{CLOSING}")


class CallReader:
    """Parts an answer, as it comes, into text for the person and calls.

    Text goes on until something may begin a call; what looks like a call and is none is given out as text at the end.
    """

    def __init__(self, tools: ToolSet) -> None:
        self._tools = tools
        self._given = ""
        self._held = ""
        self._holds_all = False
        self.calls: list[ToolCall] = []

    def push(self, text: str) -> str:
        """Take new text; return what is surely no call."""
        self._held += text
        if self._holds_all:
            return ""
        start = self._held.lstrip()
        if not self._given.strip() and start[:1] in ("{", "[", "`"):
            self._holds_all = True
            return ""
        found = [at for at in (self._held.find(mark) for mark in _MARKS) if at >= 0]
        if found:
            self._holds_all = True
            return self._give(min(found))
        longest = max(
            (size for mark in _MARKS for size in range(1, len(mark)) if self._held.endswith(mark[:size])), default=0
        )
        return self._give(len(self._held) - longest)

    def finish(self) -> str:
        """The answer has ended: fill ``calls`` and return text that was held back for nothing."""
        self.calls, rest = parse_calls(self._held, self._tools.names)
        self._held = ""
        return rest if not self.calls else rest.strip()

    def _give(self, length: int) -> str:
        out, self._held = self._held[:length], self._held[length:]
        self._given += out
        return out


def parse_calls(text: str, names: frozenset[str]) -> tuple[list[ToolCall], str]:
    """The calls of ``names`` in ``text`` and what is left of it; no calls leave it whole."""
    if OPENING in text:
        calls: list[ToolCall] = []
        rest = []
        for index, part in enumerate(text.split(OPENING)):
            body, _, after = part.partition(CLOSING)
            found = _as_calls(body, names) if index else []
            calls += found
            rest.append(after if found else part if index == 0 else OPENING + part)
        return (calls, "".join(rest)) if calls else ([], text)
    for mark in _MARKS[1:]:
        before, found_mark, body = text.partition(mark)
        if found_mark and (calls := _as_calls(body, names)):
            return calls, before
    calls = _as_calls(text, names)
    return (calls, "") if calls else ([], text)


def _as_calls(text: str, names: frozenset[str]) -> list[ToolCall]:
    text = text.strip()
    if fenced := _FENCE.match(text):
        text = fenced[1]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _first_objects(text)
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    calls = [call for call in (_as_call(item, names) for item in values) if call is not None]
    return calls if len(calls) == len(values) else []


def _first_objects(text: str) -> list[Any]:
    """Llama 3 parts several calls by semicolons."""
    try:
        return [json.loads(part) for part in text.split(";") if part.strip()]
    except (ValueError, RecursionError):
        return []


def _as_call(value: Any, names: frozenset[str]) -> ToolCall | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    call = inner if isinstance(inner, dict) else value
    name = call.get("name")
    arguments = call.get("arguments", call.get("parameters", {}))
    if not isinstance(name, str) or name not in names:
        return None
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id=f"call_{secrets.token_hex(12)}", name=name, arguments=arguments)
