"""Commands to events, with scripted models in the library's place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

import pytest

from app import protocol
from app.engine.backend import AbortFlag, ChatTemplate, DecodeAbortedError, Progress
from app.errors import Code, SlipstreamError
from app.records import LoadSettings, Message, Sampling
from app.worker.session import EngineSession
from tests.engine.fakes import GuessingLanguage, Language, ScriptedModel

EventT = TypeVar("EventT", bound=protocol.Event)
GREEDY = Sampling(temperature=0.0)
Hook = Callable[[int], None]


class Stoppable(ScriptedModel):
    """Looks at the flag in every pass; ``at_pass[n]`` is called before pass n."""

    def __init__(self, language: Language, abort: AbortFlag, **more: object) -> None:
        super().__init__(language, **more)  # type: ignore[arg-type]
        self.abort = abort
        self.at_pass: dict[int, Callable[[], None]] = {}

    def decode(self, tokens, rows):  # type: ignore[no-untyped-def]
        if hook := self.at_pass.pop(self.passes + 1, None):
            hook()
        if self.abort:
            raise DecodeAbortedError
        return super().decode(tokens, rows)


class ScriptedLibrary:
    """Loads a target from ``target.gguf``, a draft from ``draft.gguf``, and nothing else."""

    name = "scripted"

    def __init__(self) -> None:
        self.language = Language(end_bias=-30.0)
        self.loaded: list[Stoppable] = []
        self.during_load: Callable[[], None] = lambda: None

    @staticmethod
    def describe() -> str:
        return "scripted 1"

    def load(
        self, path: str, settings: LoadSettings, max_rows: int, abort: AbortFlag, on_progress: Progress
    ) -> ScriptedModel:
        if path not in ("target.gguf", "draft.gguf"):
            raise SlipstreamError(Code.MODEL_LOAD_FAILED, "The file is damaged.", "Take another.")
        for percent in range(0, 101, 10):
            on_progress(percent / 100)
            self.during_load()
            if abort:
                raise SlipstreamError(Code.ABORTED, "Loading was stopped.", "Load again.")
        language = self.language if path == "target.gguf" else GuessingLanguage(self.language, lambda _: 0.7)
        model = Stoppable(language, abort, ctx_tokens=settings.ctx_tokens, max_rows=max_rows, name=path[:-5])
        self.loaded.append(model)
        return model


class Bench:
    """A session, what it sent, and commands with running numbers."""

    def __init__(self) -> None:
        self.library = ScriptedLibrary()
        self.events: list[protocol.AnyEvent] = []
        self.session = EngineSession(self.library, self.events.append)  # type: ignore[arg-type]
        self.number = 0

    def run(self, command: protocol.AnyCommand) -> protocol.AnyEvent:
        """Carry out; the one ending event of it."""
        self.session.announce(command)
        self.session.carry_out(command)
        endings = [event for event in self.of(command) if protocol.is_ending(event)]
        assert len(endings) == 1
        assert self.of(command)[-1] is endings[0], "nothing comes after the end"
        return endings[0]

    def of(self, command: protocol.AnyCommand) -> list[protocol.AnyEvent]:
        return [event for event in self.events if event.request_id == command.request_id]

    def next(self) -> int:
        self.number += 1
        return self.number

    def load(self, ctx_tokens: int = 600) -> protocol.AnyEvent:
        settings = LoadSettings(ctx_tokens=ctx_tokens)
        return self.run(protocol.Load(request_id=self.next(), path="target.gguf", settings=settings))

    def load_draft(self, path: str = "draft.gguf") -> protocol.AnyEvent:
        settings = LoadSettings(ctx_tokens=600)
        return self.run(protocol.LoadDraft(request_id=self.next(), path=path, settings=settings))

    def generate(self, **more: object) -> protocol.Generate:
        options: dict[str, object] = {
            "prompt": "Tell me.", "raw": True, "sampling": GREEDY, "method": "off", "max_tokens": 40, **more
        }
        return protocol.Generate(request_id=self.next(), **options)  # type: ignore[arg-type]

    def stop(self, command: protocol.AnyCommand) -> None:
        self.session.stop(protocol.Stop(request_id=self.next(), target_id=command.request_id))


def as_done(event: protocol.AnyEvent) -> protocol.Done:
    assert isinstance(event, protocol.Done), event
    return event


def as_failed(event: protocol.AnyEvent, code: Code) -> protocol.Failed:
    assert isinstance(event, protocol.Failed), event
    assert event.code == code
    assert event.message
    return event


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr("app.worker.session.cache_dir", lambda: tmp_path)
    monkeypatch.setattr("app.worker.session.read_header", lambda path: path)
    monkeypatch.setattr("app.worker.session.read_vocabulary", lambda path: path)
    monkeypatch.setattr(
        "app.worker.session.check_pair",
        lambda _target, draft: SimpleNamespace(compatible="gemma" not in str(draft), reason="Another family."),
    )
    return Bench()


def test_load_tells_progress_and_facts(bench: Bench) -> None:
    loaded = bench.load()
    assert isinstance(loaded, protocol.Loaded)
    assert loaded.facts.name == "target"
    fractions = [event.fraction for event in bench.events if isinstance(event, protocol.LoadProgress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_nothing_loaded_nothing_done(bench: Bench) -> None:
    for command in (
        bench.generate(), protocol.Tokenize(request_id=bench.next(), text="x"),
        protocol.RenderTemplate(request_id=bench.next(), messages=[]),
        protocol.Score(request_id=bench.next(), prompt="x"),
        protocol.LoadDraft(request_id=bench.next(), path="draft.gguf"),
    ):
        as_failed(bench.run(command), Code.NO_MODEL_LOADED)


def test_an_answer_streams_what_it_ends_with(bench: Bench) -> None:
    bench.load()
    bench.load_draft()
    command = bench.generate(method="draft:max=4")
    done = as_done(bench.run(command))
    chunks = [event for event in bench.of(command) if isinstance(event, protocol.Chunk)]
    assert "".join(chunk.text for chunk in chunks) == done.text
    assert sum(chunk.step_tokens for chunk in chunks) == len(done.token_ids) == 40
    assert sum(chunk.num_draft_tokens for chunk in chunks) == done.speculation.num_draft_tokens
    assert sum(c.num_accepted_draft_tokens for c in chunks) == done.speculation.num_accepted_draft_tokens > 0
    drafted = sum(piece.drafted for chunk in chunks for piece in chunk.pieces)
    assert drafted == done.speculation.num_accepted_draft_tokens
    times = [chunk.decode_s for chunk in chunks]
    assert times == sorted(times)
    assert times[0] > 0
    assert done.timings.decode_s >= times[-1]
    assert done.token_ids == as_done(bench.run(bench.generate())).token_ids


def test_chunks_are_gathered_for_who_asks_for_that(bench: Bench) -> None:
    bench.load()
    bench.load_draft()

    def chunks(gather_s: float) -> tuple[str, list[protocol.Chunk]]:
        command = bench.generate(method="draft:max=3", gather_s=gather_s)
        done = bench.run(command)
        assert isinstance(done, protocol.Done)
        return done.text, [event for event in bench.of(command) if isinstance(event, protocol.Chunk)]

    text, each = chunks(0.0)
    same, gathered = chunks(3600.0)
    assert same == text
    assert len(each) > 4
    assert len(gathered) == 2, "the first is sent at once, the rest with the end"
    assert gathered[0].text == each[0].text
    assert "".join(chunk.text for chunk in gathered) == text
    for name in ("step_tokens", "num_draft_tokens", "num_accepted_draft_tokens"):
        assert sum(getattr(chunk, name) for chunk in gathered) == sum(getattr(chunk, name) for chunk in each)
    assert gathered[-1].emitted_tokens == each[-1].emitted_tokens
    assert gathered[-1].drafter == "draft"


def test_a_stop_text_ends_it_with_right_figures(bench: Bench) -> None:
    bench.load()
    text = as_done(bench.run(bench.generate())).text
    for stop in (text[0], text[5:8]):
        done = as_done(bench.run(bench.generate(stop=[stop])))
        assert done.reason == "stop"
        assert done.text == text[: text.index(stop)]
        assert done.timings.tokens_per_second > 0
        assert done.timings.decode_s >= done.timings.sample_s


def test_an_answer_is_gone_on_with(bench: Bench) -> None:
    bench.load()
    message = Message(role="user", content="Tell me.")
    whole = as_done(bench.run(bench.generate(prompt="", raw=False, messages=[message], max_tokens=12)))
    rest = as_done(bench.run(bench.generate(prompt="", raw=False, messages=[message], max_tokens=11, begun="abc")))
    assert rest.prompt_tokens == whole.prompt_tokens + 3
    assert rest.text != whole.text


def test_tokens_are_counted_without_being_sent(bench: Bench) -> None:
    bench.load()
    ending = bench.run(protocol.Tokenize(request_id=bench.next(), text="four", count_only=True))
    assert ending == protocol.Tokens(request_id=bench.number, token_ids=[], count=4)


def test_reuses_the_prefix_unless_told_not_to(bench: Bench) -> None:
    bench.load()
    assert as_done(bench.run(bench.generate())).cached_tokens == 0
    assert as_done(bench.run(bench.generate())).cached_tokens == 7
    assert as_done(bench.run(bench.generate(cold=True))).cached_tokens == 0
    assert as_done(bench.run(bench.generate(cold=True, keep_prompt=True))).cached_tokens == 7


def test_a_kept_prompt_is_the_targets_alone(bench: Bench) -> None:
    bench.load()
    bench.load_draft()
    bench.run(bench.generate(method="draft:max=3"))
    draft = bench.session._draft
    assert draft is not None
    assert len(draft.tokens) > 0
    assert as_done(bench.run(bench.generate(cold=True, keep_prompt=True))).cached_tokens == 7
    assert len(draft.tokens) == 0


@pytest.mark.parametrize("tokens", [599, 600, 601])
def test_a_prompt_that_fills_the_context(bench: Bench, tokens: int) -> None:
    bench.load()
    ending = bench.run(bench.generate(prompt="x" * tokens))
    if tokens >= 600:
        assert "600" in as_failed(ending, Code.PROMPT_TOO_LONG).message
    else:
        assert (as_done(ending).reason, len(as_done(ending).token_ids)) == ("context", 2)


def test_no_prompt(bench: Bench) -> None:
    bench.load()
    as_failed(bench.run(bench.generate(prompt="")), Code.SETTINGS_INVALID)


@pytest.mark.parametrize("more", [
    {"sampling": Sampling(top_p=7.0)}, {"sampling": Sampling(seed=-1)}, {"sampling": Sampling(repeat_penalty=0.0)},
])
def test_settings_without_sense(bench: Bench, more: dict[str, object]) -> None:
    bench.load()
    as_failed(bench.run(bench.generate(**more)), Code.SETTINGS_INVALID)
    as_done(bench.run(bench.generate()))


@pytest.mark.parametrize("method", ["nonsense", "draft:max=0", "draft"])
def test_a_method_that_cannot_be(bench: Bench, method: str) -> None:
    bench.load()
    as_failed(bench.run(bench.generate(method=method)), Code.METHOD_INVALID)


def test_a_stop_in_decode_keeps_what_was_said(bench: Bench) -> None:
    bench.load()
    whole = as_done(bench.run(bench.generate()))
    command = bench.generate()
    target = bench.library.loaded[0]
    target.at_pass[target.passes + 10] = lambda: bench.stop(command)
    done = as_done(bench.run(command))
    assert done.reason == "aborted"
    assert 0 < len(done.token_ids) < 40
    assert done.token_ids == whole.token_ids[: len(done.token_ids)]
    assert as_done(bench.run(bench.generate())).token_ids == whole.token_ids


def test_a_stop_in_prefill(bench: Bench) -> None:
    bench.load(ctx_tokens=4000)
    command = bench.generate(prompt="x" * 2000)
    bench.library.loaded[0].at_pass[3] = lambda: bench.stop(command)
    done = as_done(bench.run(command))
    assert (done.reason, done.token_ids) == ("aborted", [])
    assert as_done(bench.run(bench.generate(prompt="x" * 2000))).cached_tokens == 1024


@pytest.mark.parametrize("at_pass", [1, 5, 20])
def test_a_stop_while_measuring_ends_in_done(bench: Bench, at_pass: int) -> None:
    bench.load()
    bench.load_draft()
    command = bench.generate(method="auto")
    bench.library.loaded[0].at_pass[at_pass] = lambda: bench.stop(command)
    done = as_done(bench.run(command))
    assert (done.reason, done.token_ids) == ("aborted", [])
    assert as_done(bench.run(bench.generate(method="auto"))).reason == "length"


def test_a_stop_before_its_turn(bench: Bench) -> None:
    bench.load()
    command = bench.generate()
    bench.session.announce(command)
    bench.stop(command)
    bench.session.carry_out(command)
    assert as_done(bench.of(command)[-1]).reason == "aborted"
    assert as_done(bench.run(bench.generate())).reason == "length"


def test_a_stop_of_something_else_stops_nothing(bench: Bench) -> None:
    bench.load()
    first = bench.generate()
    bench.run(first)
    command = bench.generate()
    target = bench.library.loaded[0]
    target.at_pass[target.passes + 20] = lambda: bench.stop(first)
    assert as_done(bench.run(command)).reason == "length"
    assert sum(isinstance(event, protocol.Stopping) for event in bench.events) == 1


def test_a_stop_while_loading(bench: Bench) -> None:
    command = protocol.Load(request_id=bench.next(), path="target.gguf", settings=LoadSettings(ctx_tokens=600))
    bench.library.during_load = lambda: bench.stop(command)
    as_failed(bench.run(command), Code.ABORTED)
    bench.library.during_load = lambda: None
    assert isinstance(bench.load(), protocol.Loaded)


def test_the_end_of_stdin_ends_what_runs_and_what_waits(bench: Bench) -> None:
    bench.load()
    running, waiting = bench.generate(), bench.generate()
    bench.session.announce(waiting)
    target = bench.library.loaded[0]
    target.at_pass[10] = bench.session.stop_everything
    assert as_done(bench.run(running)).reason == "aborted"
    bench.session.carry_out(waiting)
    assert as_done(bench.of(waiting)[-1]).reason == "aborted"


def switch(bench: Bench, method: str) -> Callable[[], None]:
    return lambda: bench.session.set_speculation(protocol.SetSpeculation(request_id=bench.next(), method=method))


@pytest.mark.parametrize("method", ["draft:max=4", "auto", "ngram-simple", "off"])
def test_the_method_changes_in_the_middle(bench: Bench, method: str) -> None:
    bench.load()
    bench.load_draft()
    expected = as_done(bench.run(bench.generate())).token_ids
    target = bench.library.loaded[0]
    target.at_pass[target.passes + 8] = switch(bench, method)
    command = bench.generate()
    done = as_done(bench.run(command))
    assert done.token_ids == expected
    assert any(isinstance(event, protocol.SpeculationSet) for event in bench.events)
    drafters = {event.drafter for event in bench.of(command) if isinstance(event, protocol.Chunk)}
    if method.startswith("draft"):
        assert drafters == {"", "draft"}
    after = bench.generate()
    bench.run(after)
    assert {e.drafter for e in bench.of(after) if isinstance(e, protocol.Chunk)} == {""}, "it was for one answer"


def test_a_change_that_comes_before_the_answer_has_begun_is_not_lost(bench: Bench) -> None:
    bench.load()
    bench.load_draft()
    command = bench.generate()
    bench.session.announce(command)
    switch(bench, "draft:max=4")()
    bench.session.carry_out(command)
    assert any(isinstance(e, protocol.Chunk) and e.drafter == "draft" for e in bench.of(command))


def test_a_change_between_answers_is_for_none(bench: Bench) -> None:
    bench.load()
    bench.load_draft()
    switch(bench, "draft:max=4")()
    command = bench.generate()
    bench.run(command)
    assert {e.drafter for e in bench.of(command) if isinstance(e, protocol.Chunk)} == {""}


@pytest.mark.parametrize("method", ["draft:max=4", "nonsense"])
def test_a_change_that_cannot_be_is_refused_and_the_answer_goes_on(bench: Bench, method: str) -> None:
    bench.load()
    bench.library.loaded[0].at_pass[8] = switch(bench, method)
    assert as_done(bench.run(bench.generate())).reason == "length"
    failed = [event for event in bench.events if isinstance(event, protocol.Failed)]
    assert [event.code for event in failed] == [Code.METHOD_INVALID]


def test_a_stop_while_the_new_method_prepares_keeps_the_text(bench: Bench) -> None:
    bench.load()
    bench.load_draft()
    target, draft = bench.library.loaded
    command = bench.generate()
    target.at_pass[8] = switch(bench, "draft:max=4")
    draft.at_pass[1] = lambda: bench.stop(command)
    done = as_done(bench.run(command))
    assert done.reason == "aborted"
    assert len(done.token_ids) > 3


def test_a_draft_of_another_family_is_refused_with_the_reason(bench: Bench) -> None:
    bench.load()
    assert "Another family." in as_failed(bench.load_draft("gemma.gguf"), Code.DRAFT_INCOMPATIBLE).message
    assert "damaged" in as_failed(bench.load_draft("broken.gguf"), Code.DRAFT_LOAD_FAILED).message
    as_done(bench.run(bench.generate()))


def test_models_are_closed_once_and_in_time(bench: Bench) -> None:
    bench.load()
    bench.load_draft()
    bench.load_draft()
    target, first, second = bench.library.loaded
    assert [target.closed, first.closed, second.closed] == [False, True, False]
    bench.run(protocol.UnloadDraft(request_id=bench.next()))
    assert (target.closed, second.closed) == (False, True)
    as_done(bench.run(bench.generate(method="auto")))
    bench.load()
    assert target.closed
    bench.run(protocol.Unload(request_id=bench.next()))
    assert all(model.closed for model in bench.library.loaded)
    as_failed(bench.run(bench.generate()), Code.NO_MODEL_LOADED)


def test_a_failed_load_leaves_nothing_half_loaded(bench: Bench) -> None:
    bench.load()
    as_failed(
        bench.run(protocol.Load(request_id=bench.next(), path="x.gguf", settings=LoadSettings())),
        Code.MODEL_LOAD_FAILED,
    )
    as_failed(bench.run(bench.generate()), Code.NO_MODEL_LOADED)


def test_exact_sampling_gives_no_numbers_that_stand_by_other_tokens(bench: Bench) -> None:
    bench.load()
    bench.load_draft()
    sampled = Sampling(seed=3, temperature=1.0)
    done = as_done(bench.run(bench.generate(method="draft:max=3,p_min=0.79,sampling=exact", sampling=sampled)))
    assert len(done.draws) in (0, len(done.token_ids))
    matched = as_done(bench.run(bench.generate(method="draft:max=3", sampling=sampled)))
    assert len(matched.draws) == len(matched.token_ids)
    assert matched.draws == as_done(bench.run(bench.generate(sampling=sampled))).draws


def test_scores_agree_with_greedy_text(bench: Bench) -> None:
    bench.load()
    done = as_done(bench.run(bench.generate()))
    scores = bench.run(protocol.Score(request_id=bench.next(), prompt="Tell me.", raw=True, token_ids=done.token_ids))
    assert isinstance(scores, protocol.Scores)
    assert [score.gap for score in scores.scores] == [0.0] * 40
    some = bench.run(protocol.Score(request_id=bench.next(), prompt="Tell me.", raw=True, token_ids=done.token_ids,
                                    positions=[3, 7]))
    assert isinstance(some, protocol.Scores)
    assert [(s.position, s.token_id) for s in some.scores] == [(n, done.token_ids[n]) for n in (3, 7)]


@pytest.mark.parametrize("token_ids", [[10_000], [-1], [1, 2, 10_000]])
def test_scores_of_tokens_that_do_not_exist_are_refused(bench: Bench, token_ids: list[int]) -> None:
    bench.load()
    command = protocol.Score(request_id=bench.next(), prompt="Tell me.", raw=True, token_ids=token_ids)
    as_failed(bench.run(command), Code.SETTINGS_INVALID)


def test_a_defect_ends_the_command_and_not_the_worker(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.load()

    def explode() -> None:
        raise KeyError("a defect")

    bench.library.loaded[0].at_pass[5] = explode
    failed = as_failed(bench.run(bench.generate()), Code.INTERNAL)
    assert "Traceback" not in failed.message + failed.hint
    assert "a defect" in capsys.readouterr().err
    as_done(bench.run(bench.generate()))


def test_a_broken_template_is_told(bench: Bench) -> None:
    bench.load()
    bench.library.loaded[0].template = ChatTemplate(source="{{ raise_exception('No.') }}")
    command = protocol.RenderTemplate(request_id=bench.next(), messages=[Message(role="user", content="x")])
    assert "No." in as_failed(bench.run(command), Code.TEMPLATE_FAILED).message


def test_what_was_learned_is_on_disk_and_read_again(bench: Bench, tmp_path: Path) -> None:
    bench.load()
    bench.load_draft()
    bench.run(bench.generate(method="auto"))
    files = list((tmp_path / "tuning").iterdir())
    assert len(files) == 1
    passes = bench.library.loaded[0].passes
    other = Bench()
    other.load()
    other.load_draft()
    command = other.generate(method="auto")
    other.run(command)
    assert other.library.loaded[0].passes < passes - 20, "it was not measured again"
    assert not any("Measuring" in e.message for e in other.of(command) if isinstance(e, protocol.Notice))
