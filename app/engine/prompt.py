"""From messages to the prompt's tokens, by the chat template in the model file, in Jinja's sandbox.

A template is a stranger's program: it runs here, in the worker, without access to anything, within bounds on time and
memory; one that sits where these do not reach is ended with the worker by the supervisor's deadline.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox

from app.engine.backend import ChatTemplate, Model
from app.engine.sandbox_limits import TookTooLongError, restrained
from app.errors import Code, SlipstreamError
from app.records import Message, ToolCall, Turn
from app.sentences import joined, say

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
"""For models without a template, as llama.cpp does."""
THINKING_VARIABLES = ("enable_thinking", "thinking")
"""What templates call the switch: Qwen 3, SmolLM3, GLM and others the first, DeepSeek and Granite the second."""


class GenerationTag(jinja2.ext.Extension):
    """``{% generation %} … {% endgeneration %}``, by which templates mark what is to be trained on: just its content.

    As transformers has it (``apply_chat_template``, ``return_assistant_tokens_mask``).
    """

    tags = {"generation"}  # noqa: RUF012 - the name and type that jinja2 reads

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def render(
    template: ChatTemplate, messages: Sequence[Message | Turn], add_generation_prompt: bool = True, tools: str = "",
    thinking: bool | None = None,
) -> str:
    """The prompt text that ``messages`` become. ``tools`` is a JSON list of functions, "" for none. ``thinking`` is
    what the template is told of it, by the names that templates use; None: nothing.

    Raises:
        SlipstreamError: ``TEMPLATE_FAILED`` with the template's own words.
    """
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, GenerationTag]
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_raise_exception, strftime_now=_strftime_now)
    try:
        with restrained():
            return environment.from_string(template.source or CHATML).render(
                messages=[_as_template_sees(message) for message in messages],
                add_generation_prompt=add_generation_prompt,
                bos_token=template.bos_text,
                eos_token=template.eos_text,
                tools=_read_tools(template, tools),
                **({} if thinking is None else dict.fromkeys(THINKING_VARIABLES, thinking)),
            )
    except (TookTooLongError, MemoryError) as error:
        what = "takes too long" if isinstance(error, TookTooLongError) else "takes too much memory"
        raise SlipstreamError(
            Code.TEMPLATE_FAILED, say("The model's chat template {trouble}, so it was stopped.", trouble=what),
            say("Choose another model: the template in this file is broken, or made to do harm."),
        ) from error
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RuntimeError,
            SyntaxError, AssertionError, OSError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise SlipstreamError(
            Code.TEMPLATE_FAILED, joined([say("The model's chat template does not take this conversation:"), reason]),
            say("Some models take no system prompt, or want question and answer in turn: change that or the model."),
        ) from error


def encode_chat(
    model: Model, messages: Sequence[Message | Turn], tools: str = "", thinking: bool | None = None, begun: str = ""
) -> list[int]:
    """The tokens of a conversation that the model is to answer, and of what it has answered already, ``begun``."""
    text = render(model.template, messages, tools=tools, thinking=thinking) + begun
    has_start = bool(model.template.bos_text) and text.startswith(model.template.bos_text)
    return model.tokenize(text, add_special=not has_start, parse_special=True)


def _read_tools(template: ChatTemplate, tools: str) -> object:
    if not tools:
        return None
    if "tools" not in template.source:
        raise SlipstreamError(
            Code.TEMPLATE_FAILED, say("This model's chat template knows no tools."),
            say("Ask without tools, or load a model that was trained to use them."),
        )
    return json.loads(tools)


def _as_template_sees(message: Message | Turn) -> dict[str, object]:
    seen: dict[str, object] = {"role": message.role, "content": message.content}
    if isinstance(message, Turn):
        if message.tool_calls:
            seen["tool_calls"] = [_call_as_template_sees(call) for call in message.tool_calls]
        if message.role == "tool":
            seen |= {"name": message.name, "tool_call_id": message.tool_call_id}
    return seen


def _call_as_template_sees(call: ToolCall) -> dict[str, object]:
    """Templates write arguments with ``tojson``, so they are given the value and not its text."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = call.arguments
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _to_json(
    value: object, ensure_ascii: bool = False, indent: int | None = None,
    separators: tuple[str, str] | None = None, sort_keys: bool = False,
) -> str:
    """With the parameters that the templates' authors know (those of transformers)."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _strftime_now(pattern: str) -> str:
    return datetime.now().strftime(pattern)


def _raise_exception(message: str) -> str:
    raise jinja2.TemplateError(message)
