"""The real client of OpenAI against real models: what other programs do with the server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from app.records import LoadSettings
from tests.server.serving import Serving, serving, wait_for

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

SETTINGS = LoadSettings(ctx_tokens=2048, threads=1)
PERSON = {
    "type": "object", "required": ["name", "age"], "additionalProperties": False,
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer"}},
}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather", "description": "The weather of a city.",
        "parameters": {"type": "object", "required": ["city"], "additionalProperties": False,
                       "properties": {"city": {"type": "string", "maxLength": 30}}},
    },
}


@pytest.fixture(scope="module")
def small(smollm: Path) -> Iterator[Serving]:
    with serving(command=[], model=str(smollm), settings=SETTINGS) as server:
        yield server


@pytest.fixture
def client(small: Serving) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{small.url}/v1", api_key="none", max_retries=0, timeout=300) as client:
        yield client


def ask(client: openai.OpenAI, **more: Any) -> Any:
    options: dict[str, Any] = {
        "model": "any", "messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 24, "seed": 5, **more
    }
    return client.chat.completions.create(**options)


def test_chat(client: openai.OpenAI, small: Serving) -> None:
    answer = ask(client, temperature=0)
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason in ("stop", "length")
    assert answer.usage.completion_tokens <= 24
    assert answer.model == client.models.list().data[0].id == "SmolLM2-135M-Instruct.Q4_1"
    assert answer.model_extra["timings"]["predicted_n"] == answer.usage.completion_tokens


def test_stream_is_the_same_text(client: openai.OpenAI) -> None:
    story = "Write a long story about a lighthouse and the people who kept it."
    words = {"messages": [{"role": "user", "content": story}], "max_tokens": 200}
    whole = ask(client, **words).choices[0].message.content
    with ask(client, **words, stream=True, stream_options={"include_usage": True}) as stream:
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == whole
    assert len(chunks) > 5
    assert chunks[-1].usage.completion_tokens > 0


def test_stop_seed_and_temperature(client: openai.OpenAI) -> None:
    def say(**more: Any) -> str:
        return str(ask(client, temperature=1.5, **more).choices[0].message.content)

    assert say(seed=7) == say(seed=7)
    assert len({say(seed=seed) for seed in range(4)}) > 1
    text = say(seed=7)
    word = text.split()[1]
    cut = ask(client, temperature=1.5, seed=7, stop=[word])
    assert cut.choices[0].message.content == text.partition(word)[0]
    assert cut.choices[0].finish_reason == "stop"


def test_completions(client: openai.OpenAI) -> None:
    answer = client.completions.create(model="any", prompt="One, two, three,", max_tokens=8, temperature=0)
    assert answer.choices[0].text.strip()
    assert answer.usage.completion_tokens == 8


def test_json_schema(client: openai.OpenAI) -> None:
    for method in ("off", "lookahead"):
        answer = ask(
            client, max_tokens=60, extra_body={"speculation": method},
            response_format={"type": "json_schema", "json_schema": {"name": "person", "schema": PERSON}},
        )
        person = json.loads(answer.choices[0].message.content)
        assert set(person) == {"name", "age"}
        assert isinstance(person["age"], int)


def test_cancel(client: openai.OpenAI, small: Serving) -> None:
    stream = ask(client, stream=True, max_tokens=1500, messages=[{"role": "user", "content": "Count to a thousand."}])
    next(iter(stream))
    assert small.host.is_busy
    stream.close()
    assert small.wait_until_idle(3.0) < 0.5
    assert ask(client, max_tokens=2).choices


def test_a_schema_that_cannot_be_held_is_refused_in_words(client: openai.OpenAI, small: Serving) -> None:
    with pytest.raises(openai.BadRequestError, match="cannot be held to"):
        ask(client, response_format={"type": "json_schema", "json_schema": {
            "name": "x", "schema": {"type": "nonsense"}}})
    assert ask(client, max_tokens=2).choices


def test_a_model_without_tools_says_so(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="knows no tools"):
        ask(client, tools=[WEATHER])


def test_too_long_a_prompt_is_refused_in_words(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="the context holds 2048"):
        ask(client, messages=[{"role": "user", "content": "word " * 3000}])


def test_four_clients_at_once(client: openai.OpenAI) -> None:
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(ask(client, temperature=0, max_tokens=8))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({answer.choices[0].message.content for answer in answers}) == 1


def test_tools(draft_q4_0: Path) -> None:
    with serving(command=[], model=str(draft_q4_0), settings=SETTINGS) as server, openai.OpenAI(
        base_url=f"{server.url}/v1", api_key="none", max_retries=0, timeout=300
    ) as client:
        question = [{"role": "user", "content": "What is the weather in Hanoi?"}]
        first = ask(client, messages=question, tools=[WEATHER], tool_choice="required", max_tokens=80, temperature=0)
        assert first.choices[0].finish_reason == "tool_calls"
        [call] = first.choices[0].message.tool_calls
        assert call.function.name == "get_weather"
        assert "Hanoi" in json.loads(call.function.arguments)["city"]
        with ask(client, messages=question, tools=[WEATHER], tool_choice="required", max_tokens=80, temperature=0,
                 stream=True) as stream:
            deltas = [chunk.choices[0].delta for chunk in stream]
        [streamed] = [delta.tool_calls[0] for delta in deltas if delta.tool_calls]
        assert streamed.function.arguments == call.function.arguments
        called = [*question, first.choices[0].message.model_dump(exclude_none=True)]
        lengths = []
        for answer in ("31 degrees and sunny", "31 degrees and sunny, with a light breeze from the south-east"):
            told = {"role": "tool", "tool_call_id": call.id, "content": answer}
            second = ask(client, messages=[*called, told], tools=[WEATHER], max_tokens=8, temperature=0)
            assert second.choices[0].finish_reason in ("stop", "length", "tool_calls")
            lengths.append(second.usage.prompt_tokens)
        assert first.usage.prompt_tokens < lengths[0] < lengths[1], "the model read what the tool answered"


def test_a_killed_engine_comes_back(smollm: Path) -> None:
    with serving(command=[], model=str(smollm), settings=SETTINGS) as server, openai.OpenAI(
        base_url=f"{server.url}/v1", api_key="none", max_retries=0, timeout=300
    ) as client:
        stream = ask(client, stream=True, max_tokens=1000, messages=[{"role": "user", "content": "Count to 1000."}])
        next(iter(stream))
        server.client.kill()
        with pytest.raises(openai.APIError, match="killed"):
            list(stream)
        wait_for(lambda: server.host.facts is not None, 60.0)
        assert ask(client, max_tokens=2).choices
