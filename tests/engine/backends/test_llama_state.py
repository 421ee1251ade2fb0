"""Recurrent, hybrid and sliding-window models through the library: gone back to, they say what they would have said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from app.engine.auto.calibration import calibrate
from app.engine.backend import AbortFlag, DecodeAbortedError, Model
from app.engine.backends.llama import LlamaLibrary, LlamaModel
from app.engine.controller import Controller, FixedController, OffController
from app.engine.drafters.draft_model import DraftModelDrafter
from app.engine.drafters.lookahead import LookaheadDrafter
from app.engine.exactness import measure_noise
from app.engine.generate import Generation
from app.engine.sampling import Sampler
from app.records import LoadSettings, OnFull, Sampling
from tests.engine.fakes import ScriptedDrafter
from tests.engine.tiny_models import write_falcon_h1, write_lfm2, write_mamba

pytestmark = pytest.mark.timeout(900)
GREEDY = Sampling(temperature=0.0)
SAMPLED = Sampling(temperature=1.0, seed=3)
PROMPT = [1, *(3 + 7 * n % 250 for n in range(20))]
WRITERS: dict[str, Callable[[Path], Path]] = {
    "recurrent": write_mamba, "hybrid with snapshots": write_lfm2, "hybrid": write_falcon_h1,
}

Load = Callable[..., LlamaModel]


@pytest.fixture(scope="module")
def log() -> list[str]:
    """What the library says, in pieces of lines."""
    return []


@pytest.fixture(scope="module")
def library(log: list[str]) -> LlamaLibrary:
    return LlamaLibrary(on_log=log.append)


@pytest.fixture
def load(library: LlamaLibrary) -> Iterator[Load]:
    models: list[LlamaModel] = []

    def load(path: Path, *, ctx: int = 1024, rows: int = 17, abort: AbortFlag | None = None) -> LlamaModel:
        settings = LoadSettings(ctx_tokens=ctx, threads=1)
        flag = AbortFlag() if abort is None else abort
        models.append(library.load(str(path), settings, rows, flag, lambda _fraction: None))
        return models[-1]

    yield load
    for model in models:
        model.close()


@pytest.fixture(params=list(WRITERS))
def tiny(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return WRITERS[request.param](tmp_path / "tiny.gguf")


def answer(
    target: Model, controller: Controller, sampling: Sampling, *, draft: Model | None = None, max_tokens: int = 60,
    prompt: Sequence[int] = PROMPT, on_full: OnFull = "trim", abort: AbortFlag | None = None,
) -> Generation:
    run = Generation(target, draft, controller, Sampler(sampling), list(prompt), max_tokens, abort or AbortFlag(),
                     on_full, 4)
    run.prefill(lambda _: None)
    for _ in run.steps():
        assert list(target.tokens) == run.context[:-1]
    return run


def test_only_the_rows_that_can_be_asked_for_are_reserved(load: Load, log: list[str], tmp_path: Path) -> None:
    log.clear()
    load(write_mamba(tmp_path / "tiny.gguf"), rows=17)
    reserved = {int(rows) for rows in re.findall(r"n_outputs = +(\d+)", "".join(log))}
    assert max(reserved) == 17, "else llama.cpp would keep an array of 512 rows by the vocabulary"


def test_their_kinds_are_known(load: Load, tmp_path: Path) -> None:
    models = {kind: load(write(tmp_path / f"{kind}.gguf")) for kind, write in WRITERS.items()}
    assert all(model.can_roll_back() and not model.can_shift() for model in models.values())
    assert models["recurrent"].max_rows == models["hybrid"].max_rows == 17
    assert models["hybrid with snapshots"].max_rows == 7, "no pass is longer than it can be taken back by"


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
@pytest.mark.parametrize("right", [0, 1, 2, 5])
def test_guesses_that_fall_leave_no_trace(load: Load, tiny: Path, right: int, sampling: Sampling) -> None:
    plain = answer(load(tiny), OffController(), sampling)
    text = [*PROMPT, *plain.token_ids]

    def guess(context: Sequence[int]) -> list[int]:
        """Some that are right, then three that are wrong."""
        known = text[len(context) : len(context) + right]
        return [*known, *((token + 1) % 250 + 3 for token in text[len(context) + right : len(context) + right + 3])]

    target = load(tiny)
    run = answer(target, FixedController(ScriptedDrafter(guess), 8), sampling)
    assert run.token_ids == plain.token_ids
    assert run.draws == plain.draws
    figures = run.stats.speculation("", "")
    assert figures.num_draft_tokens > figures.num_accepted_draft_tokens >= 5 * (right > 0)
    again = answer(target, OffController(), sampling)
    assert again.token_ids == plain.token_ids
    assert again.stats.cached_tokens == len(PROMPT) - 1, "another try begins where the question ended"


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED])
def test_one_drafts_for_itself(load: Load, tiny: Path, sampling: Sampling) -> None:
    plain = answer(load(tiny), OffController(), sampling)
    target, draft = load(tiny), load(tiny, rows=1)
    run = answer(target, FixedController(DraftModelDrafter(draft, target.facts.vocab_size), 5), sampling, draft=draft)
    assert run.token_ids == plain.token_ids
    assert run.stats.speculation("", "").num_accepted_draft_tokens > 5


def test_lookahead(load: Load, tiny: Path) -> None:
    plain = answer(load(tiny), OffController(), GREEDY)
    run = answer(load(tiny), FixedController(LookaheadDrafter(3, 5), 7), GREEDY)
    assert run.token_ids == plain.token_ids


def test_the_next_turn_goes_on_and_an_edit_starts_where_it_can(load: Load, tiny: Path) -> None:
    target = load(tiny)
    first = answer(target, OffController(), GREEDY)
    longer = [*first.context, 9, 8, 7]
    second = answer(target, OffController(), GREEDY, prompt=longer)
    assert second.stats.cached_tokens == len(first.context) - 1
    assert second.token_ids == answer(load(tiny), OffController(), GREEDY, prompt=longer).token_ids
    edited = [*longer[:-1], 11]
    third = answer(target, OffController(), GREEDY, prompt=edited)
    assert third.stats.cached_tokens in (len(PROMPT) - 1, len(edited) - 1)
    assert third.token_ids == answer(load(tiny), OffController(), GREEDY, prompt=edited).token_ids
    other = [1, 77, *PROMPT]
    fourth = answer(target, OffController(), GREEDY, prompt=other)
    assert fourth.stats.cached_tokens == 0
    assert fourth.token_ids == answer(load(tiny), OffController(), GREEDY, prompt=other).token_ids


def test_stopped_in_a_pass_it_is_not_left_between_two_states(load: Load, tiny: Path) -> None:
    abort = AbortFlag()
    target = load(tiny, abort=abort)
    plain = answer(target, OffController(), GREEDY)
    abort.set()
    target.truncate(len(PROMPT) - 1)
    with pytest.raises(DecodeAbortedError):
        target.decode([5, 6, 7], 1)
    abort.clear()
    again = answer(target, OffController(), GREEDY)
    assert again.token_ids == plain.token_ids


def test_rounding_and_costs_are_measured(load: Load, tiny: Path) -> None:
    target, draft = load(tiny), load(tiny, rows=1)
    text = [1, *(3 + 7 * n % 250 for n in range(990))]
    noise = measure_noise(target, text, lambda _: None)
    assert [each.position for each in noise] == [60, 505, 900]
    assert max(each.gap for each in noise) < 0.01, "what differed by more was computed from another state"
    answer(target, OffController(), GREEDY)
    before = list(target.tokens)
    costs = calibrate(target, draft)
    assert set(costs.verify_s) >= {1, 2}
    assert list(target.tokens) == before
    assert len(draft.tokens) == 0


def test_what_cannot_be_dropped_ends_the_answer(load: Load, tiny: Path) -> None:
    target = load(tiny, ctx=256)
    prompt = [1, *(3 + 7 * n % 250 for n in range(target.facts.ctx_tokens - 4))]
    run = answer(target, OffController(), GREEDY, prompt=prompt, on_full="shift")
    assert run.reason == "context"
    assert len(run.context) == target.facts.ctx_tokens + 1


@pytest.mark.model
def test_a_sliding_window_is_gone_back_into(load: Load, gemma: Path) -> None:
    """Gemma 3's window is 512 tokens: behind 700, what is gone back to needs cells that a window alone has lost."""
    target = load(gemma, ctx=1024)
    text = "The lighthouse keeper counted the ships. " * 90
    prompt = target.tokenize(text, add_special=True, parse_special=False)[:700]
    plain = answer(target, OffController(), GREEDY, prompt=prompt, max_tokens=24)
    known = [*prompt, *plain.token_ids]
    target.truncate(0)
    run = answer(
        target, FixedController(ScriptedDrafter(lambda c: [*known[len(c) : len(c) + 2], 5, 5, 5]), 5), GREEDY,
        prompt=prompt, max_tokens=24,
    )
    assert run.token_ids == plain.token_ids
    target.truncate(100)
    rows = target.decode(prompt[100:140], 1).copy()
    target.truncate(0)
    fresh = target.decode(prompt[:140], 1)
    assert np.corrcoef(rows[0], fresh[0])[0, 1] > 0.999, "but for rounding"


@pytest.mark.model
@pytest.mark.parametrize("name", ["smollm", "gemma"])
def test_a_full_context_is_shifted(load: Load, name: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(name)
    target, draft = load(path, ctx=256), load(path, ctx=256, rows=1)
    assert target.can_shift()
    prompt = target.tokenize("Count: one, two, three, four, five, six, seven,", add_special=True, parse_special=False)
    plain = answer(target, OffController(), GREEDY, prompt=prompt, max_tokens=400, on_full="shift")
    assert plain.stats.dropped_tokens >= 126
    assert plain.context[:4] == prompt[:4]
    if plain.reason == "length":
        assert len(plain.token_ids) == 400
    controller = FixedController(DraftModelDrafter(draft, target.facts.vocab_size), 4)
    target.truncate(0)
    drafted = answer(target, controller, GREEDY, prompt=prompt, max_tokens=400, on_full="shift", draft=draft)
    assert drafted.stats.dropped_tokens == plain.stats.dropped_tokens
    figures = drafted.stats.speculation("", "")
    assert figures.draft_acceptance_rate > 0.8, "a draft that is the target itself stays right after a shift"


@pytest.mark.model
def test_stopped_while_the_cache_moves(load: Load, smollm: Path) -> None:
    abort = AbortFlag()
    target = load(smollm, ctx=256, abort=abort)
    target.decode([1 + n % 900 for n in range(256)], 1)
    target.shift(4, 126)
    assert list(target.tokens) == [*(1 + n % 900 for n in range(4)), *(1 + n % 900 for n in range(130, 256))]
    abort.set()
    with pytest.raises(DecodeAbortedError):
        target.decode([7], 1)
    abort.clear()
    assert len(target.tokens) == 4, "rows that may have been moved by half are not used"
    target.decode([7], 1)
