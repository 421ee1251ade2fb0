"""From a method's text to what drafts, and what is kept from one answer to the next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from app.engine.assemble import ControllerFactory
from app.engine.auto.calibration import calibrate
from app.engine.controller import ChainController, OffController
from app.engine.drafters.ngram_statistics import NgramStatistics
from app.engine.generate import Generation
from app.engine.sampling import Sampler
from app.errors import Code, SlipstreamError
from app.methods import FREE_METHODS, METHODS, parse_method
from app.records import Sampling
from tests.engine.auto.test_controller import Machine
from tests.engine.fakes import MEMORY_BOUND, VOCAB, GuessingLanguage, Language, ScriptedModel, curve, finish, start

LANGUAGE = Language(seed=1, end_bias=-30.0, order=2)
PROMPT = (3, 1, 4, 1, 5)


def make_assembly(with_draft: bool = False) -> ControllerFactory:
    draft = ScriptedModel(GuessingLanguage(LANGUAGE, lambda _: 0.8), max_rows=1) if with_draft else None
    return ControllerFactory(ScriptedModel(LANGUAGE), draft)


def answer(
    assembly: ControllerFactory, method: str, prompt: Sequence[int] = PROMPT, max_tokens: int = 150
) -> Generation:
    sampler = Sampler(Sampling(temperature=0.0))
    controller = assembly.controller(parse_method(method), sampler, lambda: None)
    target = assembly.target
    assert isinstance(target, ScriptedModel)
    draft = assembly.draft
    assert draft is None or isinstance(draft, ScriptedModel)
    run = start(target, controller, prompt=prompt, max_tokens=max_tokens, draft=draft, sampler=sampler)
    finish(run)
    return run


def accepted(run: Generation) -> int:
    return run.stats.speculation("", "").num_accepted_draft_tokens


@pytest.mark.parametrize("name", FREE_METHODS)
def test_every_free_method_works_alone_and_first_in_a_chain(name: str) -> None:
    expected = answer(make_assembly(), "off").token_ids
    run = answer(make_assembly(), name)
    assert run.token_ids == expected
    if name == "lookahead":
        return
    chained = answer(make_assembly(with_draft=True), f"draft:max=4,first={name}")
    assert chained.token_ids == expected
    assert set(chained.stats.speculation("", "").by_drafter) - {name} == {"draft"}


def test_what_comes_first_in_a_chain_is_asked_first() -> None:
    assembly = make_assembly(with_draft=True)
    method = parse_method("draft:first=ngram-simple")
    assert isinstance(assembly.controller(method, Sampler(Sampling()), lambda: None), ChainController)
    assert str(method) == "draft:first=ngram-simple"
    figures = answer(assembly, str(method)).stats.speculation("", "").by_drafter
    assert figures["ngram-simple"].num_accepted_draft_tokens > 20
    with pytest.raises(SlipstreamError, match="first"):
        parse_method("draft:first=draft")


def test_a_draft_drops_what_is_shorter_than_asked() -> None:
    assembly = make_assembly()
    text = answer(assembly, "off").token_ids
    run = answer(assembly, "ngram-mod:n=4,min=9,max=9", prompt=[*PROMPT, *text])
    drafted = run.stats.speculation("", "")
    assert drafted.num_draft_tokens == 9 * drafted.by_drafter["ngram-mod"].steps > 0


def test_the_pool_outlives_an_answer_and_belongs_to_one_assembly() -> None:
    assembly = make_assembly()
    method = "ngram-mod:n=3,min=0"
    first = answer(assembly, method, max_tokens=40)
    assert accepted(answer(assembly, method, max_tokens=40)) > accepted(first)
    assert accepted(answer(make_assembly(), method, max_tokens=40)) == accepted(first)


@pytest.mark.parametrize("method", ["suffix", "suffix:history=on"])
def test_earlier_answers_serve_only_when_allowed(method: str) -> None:
    assembly = make_assembly()
    first, second = (answer(assembly, method, max_tokens=30) for _ in range(2))
    assert (accepted(second) > accepted(first)) == (method != "suffix")


def test_statistics_come_from_the_file_and_go_back_there(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    method = f"ngram-cache:file={path}"
    assembly = make_assembly()
    first = answer(assembly, method, max_tokens=40)
    assembly.snapshot()
    known = len(NgramStatistics.load(path, VOCAB))
    assert known > 0
    # without the file only this chat's own text counts, so what is gained comes from the file
    assert accepted(answer(make_assembly(), method, max_tokens=40)) > accepted(first)
    assert accepted(answer(make_assembly(), "ngram-cache", max_tokens=40)) == accepted(first)


def test_a_file_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_text("It was a dark and stormy night.", encoding="utf-8")
    with pytest.raises(SlipstreamError) as caught:
        answer(make_assembly(), f"ngram-cache:file={path}")
    assert caught.value.code == Code.FILE
    assert path.read_text(encoding="utf-8") == "It was a dark and stormy night."
    with pytest.raises(SlipstreamError) as caught:
        answer(make_assembly(), f"ngram-cache:file={tmp_path / 'none' / 'counts'}")
    assert caught.value.code == Code.FILE


def test_a_disk_that_fills_up_later_does_not_cost_the_answer(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assembly = make_assembly()
    answer(assembly, f"ngram-cache:file={folder / 'counts'}", max_tokens=5)
    (folder / "counts").unlink()
    folder.rmdir()
    assert assembly.snapshot() is None


def test_a_target_that_cannot_roll_back_decodes_plainly() -> None:
    assembly = ControllerFactory(ScriptedModel(LANGUAGE, rolls_back=False))
    for name in FREE_METHODS:
        assert isinstance(assembly.controller(parse_method(name), Sampler(Sampling()), lambda: None), OffController)


def test_methods_write_and_read_themselves() -> None:
    for text in ("suffix:factor=2,history=on", "ngram-map-k:n=8,min_hits=2", "ngram-cache:max=4,file=/tmp/a=b",
                 "lookahead:n=3,window=7", "ngram-mod:n=16,min=0,max=32", "draft:max=6,first=suffix"):
        assert str(parse_method(text)) == text
    for name, kind in METHODS.items():
        assert str(parse_method(name)) == name
        for key, option in kind.options.items():
            assert option.choices or isinstance(option.default, str) or option.low <= option.default <= option.high, key


@pytest.mark.parametrize("free", METHODS["auto"].options["free"].choices)
def test_auto_copies_by_any_method_that_needs_no_model(free: str) -> None:
    machine = Machine(curve(MEMORY_BOUND), None, repeats=True)
    assembly = ControllerFactory(machine.target)
    assembly.learned.costs = calibrate(machine.target, None)
    sampler = Sampler(Sampling(temperature=0.0))
    controller = assembly.controller(parse_method(f"auto:free={free}"), sampler, lambda: None)
    answer, plain = machine.answer(controller, 600), machine.plain(600)
    assert answer.token_ids == plain.token_ids
    assert answer.seconds < 0.9 * plain.seconds
    assert {step.draft.drafter for step in answer.steps if step.draft.tokens} == {free}
