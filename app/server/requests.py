"""What clients ask, in OpenAI's form, and what the engine is asked for it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from app import protocol
from app.errors import SlipstreamError
from app.methods import parse_method
from app.records import JsonShape, Message, Record, Sampling, SamplingChoice, ToolCall, Turn
from app.sentences import say
from app.server.refusal import RefusedError, refusal_of
from app.server.schema import check_schema
from app.server.tools import ToolChoice, ToolSet, read_tools
from app.settings.table import plain, setting, settings_of

ANY_OBJECT = '{"type": "object"}'
MOST_STOPS = 16


_OPENAI_RULES = ("presence_penalty", "frequency_penalty", "logit_bias")
_SERVED = frozenset(name for row in settings_of("sampling") for name in row.api)
"""Rules of choosing tokens that there is a setting for."""


class _Part(Record, frozen=True):
    type: str
    text: str = ""


class _Function(Record, frozen=True):
    name: str = ""
    arguments: str = "{}"


class _Call(Record, frozen=True):
    id: str = ""
    function: _Function = _Function()


class _ChatMessage(Record, frozen=True):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[_Part] | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    name: str | None = None


class _JsonSchema(Record, frozen=True):
    schema: dict[str, Any] | None = None


class _Format(Record, frozen=True):
    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: _JsonSchema | None = None
    schema: dict[str, Any] | None = None


class _StreamOptions(Record, frozen=True):
    include_usage: bool = False


class _TemplateOptions(Record, frozen=True):
    enable_thinking: bool | None = None


class _Common(SamplingChoice, frozen=True, kw_only=True):
    """Also the rules of sampling, each by the name of its setting; ``repetition_penalty`` is vLLM's for one."""

    model: str = ""
    stream: bool = False
    stream_options: _StreamOptions | None = None
    stop: str | list[str] | None = None
    repetition_penalty: float | None = None
    max_tokens: int | None = None
    speculation: str | None = None
    grammar: str = ""
    return_token_ids: bool = False
    user: str = ""
    n: int | None = None
    logit_bias: dict[str, float] | None = None


class ChatRequest(_Common, frozen=True, kw_only=True):
    messages: list[_ChatMessage]
    max_completion_tokens: int | None = None
    response_format: _Format | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | ToolChoice | None = None
    chat_template_kwargs: _TemplateOptions | None = None
    logprobs: bool | None = None


class CompletionRequest(_Common, frozen=True, kw_only=True):
    prompt: str | list[str | int]
    suffix: str | None = None
    echo: bool = False
    logprobs: int | None = None
    best_of: int | None = None
    response_format: _Format | None = None


@dataclass(frozen=True)
class Wish:
    """A request that can be carried out. ``chooses_method``: it named how to speculate."""

    generate: protocol.Generate
    streams: bool
    wants_usage: bool
    chooses_method: bool
    user: str
    wants_token_ids: bool = False
    tools: ToolSet | None = None


def read_chat(body: bytes, ctx_tokens: int) -> Wish:
    """Raises ``RefusedError`` (400) in words."""
    request = _decode(body, ChatRequest)
    _refuse_unknown(request, {"logprobs": bool(request.logprobs)})
    if not request.messages:
        raise RefusedError(400, "There are no messages.", param="messages")
    turns = [_turn(message) for message in request.messages]
    tools = read_tools(request.tools, request.tool_choice)
    shape = tools.forced_shape if tools is not None else None
    shape = shape or _shape(request.response_format)
    if shape is not None and request.grammar:
        raise RefusedError(400, "Give a grammar or a schema, not both.", param="grammar")
    uses_tools = tools is not None or any(turn.role == "tool" or turn.tool_calls for turn in turns)
    generate = _generate(request, request.max_completion_tokens or request.max_tokens or ctx_tokens)
    generate = msgspec.structs.replace(
        generate,
        messages=[] if uses_tools else [Message(role=turn.role, content=turn.content) for turn in turns
                                        if turn.role != "tool"],
        turns=turns if uses_tools else [], tools=tools.as_json if tools is not None else "", shape=shape,
        thinking=request.chat_template_kwargs.enable_thinking if request.chat_template_kwargs else None,
    )
    return _wish(request, generate, tools)


def read_completion(body: bytes) -> Wish:
    """Raises ``RefusedError`` (400) in words."""
    request = _decode(body, CompletionRequest)
    _refuse_unknown(request, {
        "suffix": bool(request.suffix), "echo": request.echo, "logprobs": request.logprobs is not None,
        "best_of": request.best_of not in (None, 1),
    })
    prompt = request.prompt
    if isinstance(prompt, list):
        texts = [text for text in prompt if isinstance(text, str)]
        if len(prompt) != 1 or not texts:
            raise RefusedError(400, "Give one prompt, as text.", param="prompt")
        prompt = texts[0]
    if not prompt:
        raise RefusedError(400, say("The prompt is empty."), param="prompt")
    generate = _generate(request, 16 if request.max_tokens is None else request.max_tokens)
    shape = _shape(request.response_format)
    if shape is not None and request.grammar:
        raise RefusedError(400, "Give a grammar or a schema, not both.", param="grammar")
    generate = msgspec.structs.replace(generate, prompt=prompt, raw=True, shape=shape)
    return _wish(request, generate, None)


def _decode(body: bytes, kind: type[msgspec.Struct]) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        words = " ".join(str(error).split())[:300]
        raise RefusedError(400, f"The body is not a request of this kind: {words}.") from None


def _refuse_unknown(request: _Common, asked: dict[str, bool]) -> None:
    """What would change the answer and is not done here is refused, not passed over."""
    asked |= {"n": request.n not in (None, 1)}
    asked |= {name: bool(getattr(request, name)) for name in _OPENAI_RULES if name not in _SERVED}
    for name, is_asked in asked.items():
        if is_asked:
            raise RefusedError(400, f"“{name}” is not supported by this server. Leave it out.", param=name)


def _turn(message: _ChatMessage) -> Turn:
    content = message.content
    if isinstance(content, list):
        strange = next((part.type for part in content if part.type not in ("text", "refusal")), None)
        if strange is not None:
            raise RefusedError(400, f"Messages can hold text alone, not “{strange[:40]}”.", param="messages")
        content = "".join(part.text for part in content)
    return Turn(
        role="system" if message.role == "developer" else message.role, content=content or "",
        tool_calls=[
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
            for call in message.tool_calls or ()
        ],
        tool_call_id=message.tool_call_id or "", name=message.name or "",
    )


def _shape(wanted: _Format | None) -> JsonShape | None:
    if wanted is None or wanted.type == "text":
        return None
    schema = wanted.schema or (wanted.json_schema.schema if wanted.json_schema else None)
    if wanted.type == "json_schema" and not schema:
        raise RefusedError(400, "The schema is missing: give response_format.json_schema.schema.",
                           param="response_format")
    if not schema:
        return JsonShape(schema=ANY_OBJECT)
    return JsonShape(schema=check_schema(schema))


def _generate(request: _Common, max_tokens: int) -> protocol.Generate:
    longest = setting("max_tokens")
    if max_tokens < longest.low:
        raise RefusedError(400, f"max_tokens must be at least {longest.low:g}.", param="max_tokens")
    stop = [request.stop] if isinstance(request.stop, str) else request.stop or []
    if len(stop) > MOST_STOPS:
        raise RefusedError(400, f"There may be at most {MOST_STOPS} stop texts.", param="stop")
    method = request.speculation or "auto"
    try:
        parse_method(method)
    except SlipstreamError as error:
        raise refusal_of(error) from None
    return protocol.Generate(
        request_id=0, sampling=_sampling(request), method=method, stop=stop, grammar=request.grammar,
        max_tokens=int(longest.nearest(max_tokens)),  # some say the largest number there is for no limit
    )


def _sampling(request: _Common) -> Sampling:
    """The program's own values where nothing is said; a seed is drawn here, so that it can be told."""
    values: dict[str, Any] = {}
    for row in settings_of("sampling"):
        value: Any
        given = ((name, getattr(request, name)) for name in row.api)
        name, value = next((each for each in given if each[1] is not None), (row.key, row.default))
        if value is not None and value < 0 and row.api_below is not None:
            value = row.default if row.kind == "seed" else type(value)(row.api_below)
        if not row.holds(value):
            raise RefusedError(400, f"{name} must be from {plain(row.low)} to {plain(row.high)}.", param=name)
        values[row.key] = secrets.randbelow(2**31) if row.kind == "seed" and value is None else value
    return Sampling(**values)


def _wish(request: _Common, generate: protocol.Generate, tools: ToolSet | None) -> Wish:
    return Wish(
        generate=generate, streams=request.stream,
        wants_usage=request.stream_options is not None and request.stream_options.include_usage,
        chooses_method=request.speculation is not None, user=request.user[:100],
        wants_token_ids=request.return_token_ids, tools=tools,
    )
