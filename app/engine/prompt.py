"""From messages to the prompt's tokens, by the chat template in the model file, in Jinja's sandbox.

A template is a stranger's program: it runs here, in the worker, without access to anything, and one that never ends is
ended with the worker by the supervisor's deadline.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

import jinja2
import jinja2.ext
import jinja2.sandbox

from app.engine.backend import ChatTemplate, Model
from app.errors import Code, SlipstreamError
from app.terms import Message

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
"""For models without a template, as llama.cpp does."""


def render(template: ChatTemplate, messages: Sequence[Message], add_generation_prompt: bool = True) -> str:
    """The prompt text that ``messages`` become.

    Raises:
        SlipstreamError: ``TEMPLATE_FAILED`` with the template's own words.
    """
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_raise_exception, strftime_now=_strftime_now)
    try:
        return environment.from_string(template.source or CHATML).render(
            messages=[{"role": message.role, "content": message.content} for message in messages],
            add_generation_prompt=add_generation_prompt,
            bos_token=template.bos_text,
            eos_token=template.eos_text,
            tools=None,
        )
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RuntimeError,
            SyntaxError, AssertionError, MemoryError, OSError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise SlipstreamError(
            Code.TEMPLATE_FAILED,
            f"The model's chat template does not take this conversation: {reason}",
            "Some models take no system prompt, or want question and answer in turn: change that or the model.",
        ) from error


def encode_chat(model: Model, messages: Sequence[Message]) -> list[int]:
    """The tokens of a conversation that the model is to answer."""
    text = render(model.template, messages)
    has_start = bool(model.template.bos_text) and text.startswith(model.template.bos_text)
    return model.tokenize(text, add_special=not has_start, parse_special=True)


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
