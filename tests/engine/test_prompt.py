"""Templates are strangers' programs."""

from __future__ import annotations

import pytest

from app.engine.backend import ChatTemplate
from app.engine.prompt import encode_chat, render
from app.errors import Code, SlipstreamError
from app.records import Message
from tests.engine.fakes import ScriptedModel

TALK = [Message(role="system", content="Be brief."), Message(role="user", content="Hi <b>&amp; {{ 1 }}</b>")]


def test_without_a_template_it_is_chatml() -> None:
    assert render(ChatTemplate(), TALK) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi <b>&amp; {{ 1 }}</b><|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert not render(ChatTemplate(), TALK, add_generation_prompt=False).endswith("assistant\n")


def test_what_templates_may_use() -> None:
    source = (
        "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}{% continue %}{% endif %}"
        "{{ m['role'] | upper }}:{{ m.content | tojson }}{% endfor %}"
        "{% if tools %}tools{% endif %}{{ eos_token }}{{ strftime_now('%Y') | length }}"
        "{% set ns = namespace(n=1) %}{% set ns.n = 2 %}{{ ns.n }}{{ undefined_thing }}"
    )
    text = render(ChatTemplate(source=source, bos_text="<s>", eos_text="</s>"), TALK)
    assert text == '<s>USER:"Hi <b>&amp; {{ 1 }}</b>"</s>42'


def test_tojson_takes_what_templates_give_it() -> None:
    source = "{{ {'b': 'ä', 'a': 1} | tojson(indent=2, sort_keys=true, ensure_ascii=False) }}"
    assert render(ChatTemplate(source=source), []) == '{\n  "a": 1,\n  "b": "ä"\n}'
    assert render(ChatTemplate(source="{{ [1, 2] | tojson(separators=(',', ':')) }}"), []) == "[1,2]"


def test_blocks_leave_no_blank_lines() -> None:
    source = "{% for m in messages %}\n    {% if true %}\n{{ m.role }}\n    {% endif %}\n{% endfor %}"
    assert render(ChatTemplate(source=source), TALK) == "system\nuser\n"


HOSTILE = {
    "syntax": "{% if %}",
    "unknown tag": "{% nonsense %}",
    "says no": "{{ raise_exception('System role not supported') }}",
    "type": "{{ 'a' + 1 }}",
    "division": "{{ 1 / 0 }}",
    "undefined": "{{ nothing.more }}",
    "key": "{{ {}['x']['y'] }}",
    "file": "{% include '/etc/passwd' %}",
    "import": "{% import 'os' as os %}",
    "classes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals": "{{ raise_exception.__globals__['json'] }}",
    "function's code": "{{ strftime_now.__code__.co_code }}",
    "format string": "{{ '{0.__class__.__init__.__globals__}'.format(messages) }}",
    "generator frame": "{{ (messages | map('upper')).gi_frame.f_globals }}",
    "changes messages": "{{ messages.append(1) }}",
    "changes a message": "{{ messages[0].update(role='x') }}",
    "range": "{% for i in range(10**9) %}{% endfor %}",
    "memory": "{{ 'a' * 10**17 }}",
    "digits": "{{ 10**9999 }}",
    "nesting": "{% for a in messages %}" * 25 + "x" + "{% endfor %}" * 25,
    "depth": "{{ " + "(" * 2000 + "1" + ")" * 2000 + " }}",
    "recursion": "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
    "iteration": "{% set d = {'a': 1} %}{% for k in d %}{% set _ = d.update({k + 'x': 1}) %}{% endfor %}",
    "date": "{{ strftime_now('%Y\ud800') }}",
    "json": "{{ nothing | tojson }}",
    "attribute": "{{ messages | attr('__class__') | attr('x') }}{{ (messages | attr('y')).z }}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_fails_in_words(name: str) -> None:
    with pytest.raises(SlipstreamError) as caught:
        render(ChatTemplate(source=HOSTILE[name]), TALK)
    error = caught.value
    assert error.code == Code.TEMPLATE_FAILED
    assert error.hint
    assert len(error.message) < 300
    assert "\n" not in error.message
    assert not error.message.endswith(": ")


def test_the_templates_own_words_are_told() -> None:
    with pytest.raises(SlipstreamError, match="System role not supported"):
        render(ChatTemplate(source=HOSTILE["says no"]), TALK)


class Recording(ScriptedModel):
    """Remembers how it was asked to tokenize."""

    asked: tuple[str, bool, bool] = ("", False, False)

    def tokenize(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]:
        self.asked = (text, add_special, parse_special)
        return [1]


@pytest.mark.parametrize(("source", "bos", "adds"), [
    ("{{ bos_token }}x", "<s>", False),
    ("x", "<s>", True),
    ("x", "", True),
    ("x {{ bos_token }}", "<s>", True),
])
def test_the_start_token_comes_once(source: str, bos: str, adds: bool) -> None:
    model = Recording(template=ChatTemplate(source=source, bos_text=bos))
    assert encode_chat(model, TALK) == [1]
    assert model.asked[1:] == (adds, True)


def test_an_answer_that_was_begun_follows_the_prompt() -> None:
    model = Recording(template=ChatTemplate())
    encode_chat(model, TALK, begun="Once upon")
    assert model.asked[0].endswith("<|im_start|>assistant\nOnce upon")


def test_what_is_marked_for_training_is_rendered_as_it_is() -> None:
    source = (
        "{% for message in messages %}{% if message.role == 'assistant' %}"
        "{% generation %}[{{ message.content }}]{% endgeneration %}{% else %}"
        "{{ message.content }}{%- generation -%} {% endgeneration %}{% endif %}{% endfor %}"
    )
    messages = [Message(role="user", content="Hi"), Message(role="assistant", content="Hello"),
                Message(role="user", content="So?")]
    assert render(ChatTemplate(source=source), messages) == "Hi[Hello]So?"


def test_a_mark_without_an_end_is_refused_in_words() -> None:
    with pytest.raises(SlipstreamError) as caught:
        render(ChatTemplate(source="{% generation %}x"), [Message(role="user", content="Hi")])
    assert caught.value.code == Code.TEMPLATE_FAILED
