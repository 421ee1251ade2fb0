from __future__ import annotations

import json

import pytest

from app.compare.plan import Plan, Prompt, SideTurn, StoppingRule, choose_prompts, parse_prompts
from app.compare.side import ModelSetup, Side, sides_of_methods
from app.errors import Code, SlipstreamError
from app.paths import prompts_file
from app.records import LoadSettings, Message, Sampling


def prompt(id_: str, kind: str = "code") -> Prompt:
    return Prompt(id=id_, kind=kind, messages=[Message(role="user", content=id_)])


SETUPS = [ModelSetup(target="a"), ModelSetup(target="b")]


def make_plan(prompts: int = 1, setups: tuple[int, ...] = (0, 0), rounds: int = 4) -> Plan:
    sampling = Sampling(seed=5)
    sides = [Side(name=str(i), setup=SETUPS[j], method="off", sampling=sampling) for i, j in enumerate(setups)]
    return Plan([prompt(f"p{i}") for i in range(prompts)], sides, StoppingRule.fixed(rounds))


def turns(plan: Plan, in_blocks: bool = False) -> list[SideTurn]:
    return [turn for run in range(plan.rule.first_rounds) for turn in plan.round(run, in_blocks)]


def letters(some: list[SideTurn]) -> str:
    return "".join("ABCDE"[turn.side] for turn in some)


def test_two_sides_take_turns_a_b_b_a() -> None:
    assert letters(turns(make_plan())) == "ABBAABBA"


def test_the_next_prompt_begins_with_the_other_side() -> None:
    assert letters(turns(make_plan(prompts=2, rounds=2))) == "ABBABAAB"


def test_blocks_keep_a_setup_loaded_and_turn_about() -> None:
    plan = make_plan(prompts=2, setups=(0, 1), rounds=2)
    assert letters(turns(plan, in_blocks=True)) == "AABBBBAA"
    mixed = make_plan(prompts=1, setups=(0, 1, 0), rounds=2)
    assert letters(turns(mixed, in_blocks=True)) == "ACBBCA"


@pytest.mark.parametrize("sides", [1, 2, 3, 5])
@pytest.mark.parametrize("in_blocks", [False, True])
def test_every_side_answers_every_prompt_once_a_round_and_no_place_is_favoured(sides: int, in_blocks: bool) -> None:
    plan = make_plan(prompts=3, setups=(0,) * sides)
    places = [0] * sides
    for run in range(10):
        some = plan.round(run, in_blocks)
        assert sorted((turn.prompt.id, turn.side) for turn in some) == sorted(
            (p.id, side) for p in plan.prompts for side in range(sides)
        )
        for place, turn in enumerate(some):
            places[turn.side] += place
    assert len(set(places)) == 1


def test_the_seed_depends_on_the_run_alone() -> None:
    assert {(turn.run, turn.seed) for turn in turns(make_plan(3, (0, 0, 1)))} == {(0, 5), (1, 6), (2, 7), (3, 8)}


def test_sides_of_one_method_get_names_of_their_own() -> None:
    sides = sides_of_methods(SETUPS[0], ["off", "off", "auto", "off"], Sampling(), 1)
    assert [side.name for side in sides] == ["off", "off (2)", "auto", "off (3)"]
    assert [side.method for side in sides] == ["off", "off", "auto", "off"]


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


def test_the_programs_own_prompts_are_of_eight_kinds() -> None:
    prompts = parse_prompts(prompts_file().read_text(encoding="utf-8"), "prompts")
    kinds = [p.kind for p in prompts]
    assert len(set(kinds)) == 8
    assert all(kinds.count(kind) == 5 for kind in kinds)


@pytest.mark.parametrize(
    "second", ["{", "[]", line(), line(id="z", messages=[]), line(id=3), '{"id": "q", "kind": "k"}']
)
def test_the_faulty_line_is_named(second: str) -> None:
    with pytest.raises(SlipstreamError, match="Line 2") as caught:
        parse_prompts(line() + "\n" + second, "f")
    assert caught.value.code == Code.FILE


def test_a_method_may_name_its_engine() -> None:
    setup = ModelSetup(target="t.gguf", draft="d.gguf", draft_load=LoadSettings(threads=1))
    sides = sides_of_methods(setup, ["llama/off", "ik/off", "auto/draft:max=3", "off", "ngram-cache:file=/x/y"],
                             Sampling(), 1)
    assert [side.method for side in sides] == ["off", "off", "draft:max=3", "off", "ngram-cache:file=/x/y"]
    assert [side.setup.load.engine for side in sides] == ["llama", "ik", "auto", "llama", "llama"]
    assert [side.setup.draft_load.engine for side in sides if side.setup.draft_load][:3] == ["llama", "ik", "auto"]
    assert [side.name for side in sides][:2] == ["llama/off", "ik/off"]
    assert sides[3].setup is setup
