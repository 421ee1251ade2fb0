# ruff: noqa: PT017 - a file may be read or refused; what must hold is said for each
"""Model files from strangers: refused in words by the reader, and harmless to the engine process and its client."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from app.client.process import ProcessClient
from app.engine.backend import ChatTemplate
from app.engine.prompt import render
from app.errors import Code, SlipstreamError
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.vocabulary import read_vocabulary
from app.protocol import Generate
from app.records import LoadSettings, Message, Sampling
from tests.reliability import hostile_gguf

pytestmark = pytest.mark.timeout(900)
SETTINGS = LoadSettings(ctx_tokens=512)
TEMPLATES = {
    "attribute": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals": "{{ raise_exception.__globals__ }}",
    "import": "{% import 'os' as os %}{{ os }}",
    "include": "{% include '/etc/passwd' %}",
    "lipsum": "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "string": "{{ 'a' * 20000000000 }}",
    "doubling": "{% set n = namespace(s='a' * 1000) %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
    "centre": "{{ 'a' | center(20000000000) }}",
    "format": "{{ '%20000000000d' % 1 }}",
    "recursion": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "broken": "{% if %}",
}


def test_every_hostile_file_is_read_or_refused_in_words(tmp_path: Path) -> None:
    before = psutil.Process().memory_info().rss
    refused = 0
    for path in hostile_gguf.corpus(tmp_path):
        try:
            header = read_header(path)
            facts = read_facts(header)
            assert facts.name.isprintable()
            read_vocabulary(header)
        except SlipstreamError as error:
            refused += 1
            assert error.code in (Code.MODEL_UNREADABLE, Code.MODEL_UNSUPPORTED, Code.DRAFT_INCOMPATIBLE), path.name
            assert error.message.replace("\n", "").isprintable(), path.name
    assert refused >= 20
    assert psutil.Process().memory_info().rss - before < 300e6


@pytest.mark.model
def test_the_engine_refuses_them_or_its_death_is_told(smollm: Path, tmp_path: Path) -> None:
    """Real llama.cpp opens each; whatever it does, there is a sentence, and the next model loads."""
    deaths = 0
    with ProcessClient() as client:
        for path in hostile_gguf.corpus(tmp_path):
            try:
                client.load(str(path), SETTINGS)
                client.generate(Generate(request_id=0, prompt="Hi", method="off", max_tokens=2))
            except SlipstreamError as error:
                assert error.code != Code.INTERNAL, (path.name, str(error))
                assert error.message
                assert error.hint, path.name
                deaths += error.code == Code.WORKER_DIED
        client.load(str(smollm), SETTINGS)
        assert client.generate(Generate(request_id=0, prompt="Hi", method="off", max_tokens=4)).text
    sys.stderr.write(f"{deaths} of the files ended the engine\n")


@pytest.mark.model
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_weights_that_are_no_numbers(smollm: Path, tmp_path: Path, temperature: float) -> None:
    poisoned = hostile_gguf.poison(smollm, tmp_path / "nan.gguf")
    with ProcessClient() as client:
        client.load(str(poisoned), SETTINGS)
        request = Generate(request_id=0, prompt="Hi", method="off", max_tokens=16,
                           sampling=Sampling(temperature=temperature))
        try:
            done = client.generate(request)
        except SlipstreamError as error:
            assert error.code not in (Code.INTERNAL, Code.WORKER_DIED), str(error)
            assert error.hint
        else:
            assert len(done.token_ids) <= 16
        client.load(str(smollm), SETTINGS)
        assert client.generate(request).text


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_hostile_template_is_stopped(name: str) -> None:
    """In this process: it must not even disturb it."""
    template = ChatTemplate(source=TEMPLATES[name], bos_text="<s>", eos_text="</s>", add_bos=False)
    before = psutil.Process().memory_info().rss
    started = time.monotonic()
    try:
        text = render(template, [Message(role="user", content="hello")])
    except SlipstreamError as error:
        assert error.code == Code.TEMPLATE_FAILED
        assert error.hint
    else:
        assert "root:" not in text
        assert "uid=" not in text
        assert "class" not in text
    assert psutil.Process().memory_info().rss - before < 1.6e9
    if name == "loops":
        assert time.monotonic() - started < 120, "it was stopped, not run to its end"


@pytest.mark.model
def test_an_endless_template_in_the_engine_is_a_sentence_and_the_worker_lives(smollm: Path, tmp_path: Path) -> None:
    endless = hostile_gguf.with_template(smollm, tmp_path / "endless.gguf", TEMPLATES["loops"])
    with ProcessClient() as client:
        client.load(str(endless), SETTINGS)
        pid = client.pid
        with pytest.raises(SlipstreamError) as caught:
            client.generate(Generate(request_id=0, prompt="Hi", method="off", max_tokens=4))
        assert caught.value.code == Code.TEMPLATE_FAILED
        assert "too long" in caught.value.message
        client.load(str(smollm), SETTINGS)
        assert client.pid == pid
        assert client.generate(Generate(request_id=0, prompt="Hi", method="off", max_tokens=4)).text


def test_the_limits_are_gone_afterwards() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the limit on memory is Linux's")
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    test_a_hostile_template_is_stopped("string")
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert len(bytearray(1_500_000_000)) == 1_500_000_000
