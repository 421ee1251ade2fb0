"""Grammars: the mask on arrays, and that drafting changes no token under one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from app.client.process import ProcessClient
from app.engine.backend import ChatTemplate
from app.engine.drafters.interface import Draft
from app.engine.grammar import FAR_LOGITS, grammar_of, mask
from app.engine.prompt import render
from app.engine.sampling import Distribution, Sampler
from app.engine.verify import rejection_sample, sample_and_match
from app.errors import Code, SlipstreamError
from app.protocol import Generate
from app.records import JsonShape, LoadSettings, Message, Sampling, ToolCall, Turn
from tests.engine.fakes import ScriptedModel


class Alternating:
    """Allows even tokens, then odd ones, in turn."""

    def __init__(self) -> None:
        self.accepted: list[int] = []
        self.looked_at: list[int] = []

    def allows(self, token_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        self.looked_at.append(len(token_ids))
        return np.asarray(token_ids % 2 == len(self.accepted) % 2)

    def accept(self, token: int) -> None:
        assert token % 2 == len(self.accepted) % 2, "a token that is not allowed"
        self.accepted.append(token)

    def close(self) -> None:
        pass


def random_rows(rows: int, size: int = 5000, seed: int = 1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, size)).astype(np.float32) * 3


def test_the_mask_leaves_the_likeliest_that_are_allowed() -> None:
    logits = random_rows(1)[0]
    masked = mask(Alternating(), logits, 40)
    left = np.flatnonzero(np.isfinite(masked))
    assert (left % 2 == 0).all()
    even = np.arange(0, len(logits), 2)
    best = set(even[np.argsort(-logits[even])][:40].tolist())
    assert best <= set(left.tolist())
    assert (masked[left] == logits[left]).all()


def test_unlikely_tokens_are_looked_at_only_where_they_matter() -> None:
    logits = np.full(50_000, -FAR_LOGITS - 1, dtype=np.float32)
    logits[:60] = 0.0
    grammar = Alternating()
    assert np.isfinite(mask(grammar, logits, 1)).sum() >= 1
    assert max(grammar.looked_at) == 50_000 or len(grammar.looked_at) == 1
    logits[:60:2] = -100.0
    assert np.argmax(mask(Alternating(), logits, 1)) % 2 == 0


def test_a_grammar_without_way_out_fails_in_words() -> None:
    class Nothing(Alternating):
        def allows(self, token_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
            return np.zeros(len(token_ids), dtype=bool)

    with pytest.raises(SlipstreamError) as failure:
        mask(Nothing(), random_rows(1)[0], 1)
    assert failure.value.code is Code.DECODE_FAILED


@pytest.mark.parametrize("sampling", [
    Sampling(temperature=0.0), Sampling(temperature=0.9, seed=4), Sampling(temperature=1.0, seed=4, top_k=0),
    Sampling(temperature=1.0, seed=4, top_k=0, top_p=0.5, min_p=0.0, repeat_penalty=1.2),
])
def test_guesses_change_no_token_under_a_grammar(sampling: Sampling) -> None:
    rows = random_rows(6)
    plain: list[int] = []
    sampler, grammar = Sampler(sampling, one := Alternating()), one
    for row in rows:
        plain += sample_and_match(row[None], Draft(), sampler, plain, lambda _: False).tokens
    assert grammar.accepted == plain
    for right in range(6):
        guesses = [*plain[:right], *([9] * (5 - right))]
        second = Alternating()
        verdict = sample_and_match(rows, Draft("x", guesses), Sampler(sampling, second), [], lambda _: False)
        assert verdict.tokens == plain[: len(verdict.tokens)]
        assert len(verdict.tokens) >= min(right + 1, 6)
        assert second.accepted == verdict.tokens


def test_rejection_sampling_emits_allowed_tokens_alone() -> None:
    rows, grammar = random_rows(3), Alternating()
    guess = Distribution(np.array([1, 2]), np.array([0.5, 0.5]))
    draft = Draft("x", [2, 1], distributions=[guess, guess])
    verdict = rejection_sample(rows, draft, Sampler(Sampling(temperature=1.0, seed=3), grammar), [], lambda _: False)
    assert grammar.accepted == verdict.tokens


def test_a_draft_samples_without_the_grammar_from_the_same_numbers() -> None:
    sampler, twin = (Sampler(Sampling(seed=7), Alternating()) for _ in range(2))
    free = sampler.without_grammar()
    assert [free.draw(), sampler.draw()] == [twin.draw(), twin.draw()]
    logits = random_rows(1)[0]
    assert {token % 2 for token in free.distribution(logits, []).token_ids.tolist()} == {0, 1}


def test_an_engine_without_grammars_says_so() -> None:
    model = ScriptedModel()
    assert grammar_of(model, "", None) is None
    with pytest.raises(SlipstreamError) as failure:
        grammar_of(model, "", JsonShape(schema="{}"))
    assert failure.value.code is Code.SETTINGS_INVALID
    assert "JSON schema" in failure.value.message


TEMPLATE = ChatTemplate(
    source="{% for tool in tools or [] %}[{{ tool.function.name }}]{% endfor %}"
    "{% for m in messages %}{{ m.role }}:{{ m.content }}{% for call in m.tool_calls or [] %}"
    "{{ call.function.name }}({{ call.function.arguments | tojson }}){% endfor %};{% endfor %}"
)


def test_a_template_is_given_tools_and_calls() -> None:
    turns = [
        Turn(role="user", content="Weather?"),
        Turn(role="assistant", tool_calls=[ToolCall(id="1", name="look", arguments='{"city": "Hue"}')]),
        Turn(role="tool", content="hot", tool_call_id="1"),
    ]
    tools = json.dumps([{"type": "function", "function": {"name": "look"}}])
    assert render(TEMPLATE, turns, tools=tools) == '[look]user:Weather?;assistant:look({"city": "Hue"});tool:hot;'


def test_a_template_without_tools_says_so() -> None:
    with pytest.raises(SlipstreamError) as failure:
        render(ChatTemplate(), [Message(role="user", content="x")], tools="[]")
    assert "no tools" in failure.value.message


PERSON = json.dumps({
    "type": "object", "required": ["name", "age"], "additionalProperties": False,
    # bounded on all sides: whatever a model likes to write on some processor, it comes to an end
    "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"enum": [20, 30, 40]}},
})


@pytest.fixture(scope="module")
def small(smollm: Path) -> Iterator[ProcessClient]:
    with ProcessClient() as client:
        client.load(str(smollm), LoadSettings(ctx_tokens=512))
        yield client


def ask(client: ProcessClient, shape: JsonShape | None = None, grammar: str = "", temperature: float = 0.8,
        method: str = "off") -> tuple[str, list[int]]:
    done = client.generate(Generate(
        request_id=0, messages=[Message(role="user", content="Invent a person.")], max_tokens=120, method=method,
        sampling=Sampling(temperature=temperature, seed=3), shape=shape, grammar=grammar,
    ))
    return done.text, done.token_ids


@pytest.mark.model
def test_a_schema_holds_a_real_model(small: ProcessClient) -> None:
    for temperature in (0.0, 0.8):
        text, tokens = ask(small, JsonShape(schema=PERSON), temperature=temperature)
        person = json.loads(text)
        assert isinstance(person["name"], str)
        assert isinstance(person["age"], int)
        assert ask(small, JsonShape(schema=PERSON), temperature=temperature, method="lookahead") == (text, tokens)


@pytest.mark.model
def test_a_shape_stands_between_fixed_texts(small: ProcessClient) -> None:
    text, _ = ask(small, JsonShape(schema=PERSON, before="<tool_call>\n", after="\n</tool_call>"))
    assert text.startswith("<tool_call>\n{")
    assert text.endswith("}\n</tool_call>")


@pytest.mark.model
@pytest.mark.parametrize(("shape", "grammar", "words"), [
    (None, 'root ::= "a', "cannot be read"),
    (None, 'other ::= "a"', "cannot be read"),
    (JsonShape(schema='{"type": "nonsense"}'), "", "cannot be held to"),
    (JsonShape(schema='{"$ref": "https://example.com/x.json"}'), "", "cannot be held to"),
    (JsonShape(schema='{"type": "string", "pattern": "^[a$"}'), "", "cannot be"),
])
def test_what_is_no_grammar_is_refused_in_words(
    small: ProcessClient, shape: JsonShape | None, grammar: str, words: str
) -> None:
    with pytest.raises(SlipstreamError, match=words) as failure:
        ask(small, shape, grammar)
    assert failure.value.code is Code.SETTINGS_INVALID
    assert ask(small)[1], "the engine is unharmed"
