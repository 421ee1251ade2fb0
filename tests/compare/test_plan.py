from __future__ import annotations

import json

import pytest

from app.compare.plan import Plan, Prompt, choose_prompts, parse_prompts, turn_order
from app.errors import Code, SlipstreamError
from app.terms import Message, Sampling


def prompt(id_: str, kind: str = "code") -> Prompt:
    return Prompt(id=id_, kind=kind, messages=[Message(role="user", content=id_)])


def plan(prompts: int = 1, methods: int = 2, runs: int = 4) -> Plan:
    names = ["off", *(f"draft:max={i}" for i in range(1, methods))]
    return Plan([prompt(f"p{i}") for i in range(prompts)], names, runs, 8, Sampling(seed=5))


def test_two_methods_take_turns_a_b_b_a() -> None:
    assert "".join("AB"[turn.method] for turn in plan().turns()) == "ABBAABBA"


def test_the_next_prompt_begins_with_the_other_method() -> None:
    assert "".join("AB"[turn.method] for turn in plan(prompts=2, runs=1).turns()) == "ABBA"


@pytest.mark.parametrize("methods", [1, 2, 3, 5])
def test_every_method_runs_equally_often_and_no_place_is_favoured(methods: int) -> None:
    places = [0] * methods
    for round_ in range(10):
        order = turn_order(methods, round_)
        assert sorted(order) == list(range(methods))
        for place, method in enumerate(order):
            places[method] += place
    assert len(set(places)) == 1


def test_the_seed_depends_on_the_run_alone() -> None:
    seeds = {(turn.run, turn.seed) for turn in plan(prompts=3, methods=3).turns()}
    assert seeds == {(0, 5), (1, 6), (2, 7), (3, 8)}


def test_length_is_the_number_of_turns() -> None:
    assert len(plan(3, 3, 2)) == len(list(plan(3, 3, 2).turns())) == 18


def test_a_method_may_be_measured_against_itself() -> None:
    assert Plan([], ["off", "off", "auto", "off"], 1, 1, Sampling()).labels == ["off", "off (2)", "auto", "off (3)"]


def test_limit_counts_within_each_kind() -> None:
    prompts = [prompt("a1", "a"), prompt("b1", "b"), prompt("a2", "a"), prompt("b2", "b"), prompt("a3", "a")]
    assert [p.id for p in choose_prompts(prompts, None, 1)] == ["a1", "b1"]
    assert [p.id for p in choose_prompts(prompts, ["a"], 2)] == ["a1", "a2"]
    assert [p.id for p in choose_prompts(prompts, ["b", "a"], None)] == ["a1", "b1", "a2", "b2", "a3"]


def test_unknown_kinds_and_empty_files_are_said() -> None:
    with pytest.raises(SlipstreamError, match="poetry"):
        choose_prompts([prompt("a")], ["poetry"], None)
    with pytest.raises(SlipstreamError):
        choose_prompts([], None, None)


def line(**fields: object) -> str:
    return json.dumps({"id": "x", "kind": "k", "messages": [{"role": "user", "content": "é"}]} | fields)


def test_prompt_files_are_read() -> None:
    read = parse_prompts(line() + "\n\n" + line(id="y", extra=1) + "\n", "f")
    assert [p.id for p in read] == ["x", "y"]
    assert read[0].sha256 == read[1].sha256
    assert read[0].sha256 != parse_prompts(line(messages=[{"role": "user", "content": "e"}]), "f")[0].sha256


@pytest.mark.parametrize(
    "second", ["{", "[]", line(), line(id="z", messages=[]), line(id=3), '{"id": "q", "kind": "k"}']
)
def test_the_faulty_line_is_named(second: str) -> None:
    with pytest.raises(SlipstreamError, match="Line 2") as caught:
        parse_prompts(line() + "\n" + second, "f")
    assert caught.value.code == Code.FILE
