"""``Prepare``: makes the forms of a draft one after the other, has them measured, and keeps the fastest."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from app import protocol
from app.engine import prepare
from app.engine.backend import AbortFlag, DecodeAbortedError, Library, Model
from app.engine.prepare import AS_IS, FORMS, Form, TargetFigures
from app.engine.prompt import encode_chat
from app.errors import Code, SlipstreamError
from app.machine.load import Use
from app.machine.rest import Rest
from app.models.gguf import read_header
from app.models.prepared import check_destination, explain, put_in_place, require_space, working_folder
from app.paths import prompts_file
from app.records import FormFigures, Message
from app.sentences import joined, say
from app.worker.memory import measure_memory

PROMPTS = ("chat-5", "writing-5", "code-5", "maths-5", "extract-5")
"""Not the first ones, which benchmarks begin with: what is chosen by them should be judged by others."""

Say = Callable[[float, str], None]
"""Given the fraction that is done and what is done now."""


class _Prompt(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    messages: list[Message]


@dataclass
class Preparation:
    """One ``Prepare`` for a loaded target; no draft is loaded meanwhile."""

    library: Library
    target: Model
    command: protocol.Prepare
    abort: AbortFlag
    say: Say
    rest: Rest = field(default_factory=Rest)
    _was_calm: bool = True
    _figures: list[FormFigures] = field(default_factory=list)
    _plain_tokens_per_second: float = 0.0
    _parameters: int = 0
    _kept: Path | None = None

    def run(self) -> protocol.Prepared:
        """Raises ``SlipstreamError``: ``FILE``, ``DISK_FULL``, ``ABORTED``, ``METHOD_INVALID``, or what loading raises.
        """
        destination, draft = Path(self.command.destination), Path(self.command.path)
        target = Path(self.target.facts.path)
        if not self.target.can_roll_back():
            raise SlipstreamError(
                Code.METHOD_INVALID,
                say("{name} cannot take back a wrong guess, so no draft makes it faster.", name=self.target.facts.name),
                say("Use it without a draft."),
            )
        check_destination(destination, draft, target)
        try:
            with working_folder(destination) as folder:
                chosen = self._measure_all(folder)
                self.say(0.98, say("Writing the file."))
                made = self._kept or self._copy(folder / "as-is")
                self._obey_stop()
                put_in_place(made, destination, draft, target)
        except DecodeAbortedError as error:
            raise _stopped() from error
        except SlipstreamError as error:
            raise (_stopped() if error.code == Code.ABORTED else error) from error
        return self._report(chosen)

    def _measure_all(self, folder: Path) -> FormFigures:
        prompts = self._prompts()

        def say_prompt(number: int) -> None:
            which = f"prompt {number + 1} of {len(prompts)}"
            self.say(0.3 * number / len(prompts), say(
                "Letting the target answer alone, to measure drafts by: {what}.", what=which
            ))

        self.rest.settle()
        if not self.rest.is_calm:
            self.say(0.0, say("Other programs are busy, so what is measured now will be rough."))
        mark = self.rest.mark()
        known = prepare.measure_target(self.target, prompts, self.abort, say_prompt)
        self._note_rest(mark)
        self._plain_tokens_per_second = known.plain_tokens_per_second
        for number, form in enumerate(FORMS):
            done = 0.3 + 0.68 * number / len(FORMS)
            made = folder / form.name
            if form is AS_IS:
                self._measure(form, Path(self.command.path), known, done)
            elif self._make(form, made, done):
                self._measure(form, made, known, done)
                self._keep_fastest(form, made)
        return prepare.choose(self._figures)

    def _keep_fastest(self, form: Form, made: Path) -> None:
        """Of the files that were made, only one that would be chosen now takes room on the disk."""
        chosen = prepare.choose(self._figures).form
        if chosen == form.name:
            if self._kept is not None:
                self._kept.unlink()
            self._kept = made
        else:
            made.unlink()

    def _make(self, form: Form, made: Path, done: float) -> bool:
        """Whether llama.cpp could write this form. A stop is obeyed before and after, for it cannot be interrupted."""
        self._obey_stop()
        self.say(done, say("Writing the draft as {form}, which cannot be interrupted.", form=form.title))
        destination = Path(self.command.destination)
        wanted = int(self._parameters * form.most_bits / 8)
        require_space(destination, wanted)
        try:
            self.library.quantize(
                self.command.path, str(made), form.kind, whole=form.whole, threads=self.command.settings.threads,
                widths=self._widths(),
            )
        except SlipstreamError:
            self._obey_stop()
            require_space(destination, 0)  # somebody else may have filled the disk meanwhile
            made.unlink(missing_ok=True)
            self.say(done, say("The draft cannot be written as {form}; going on without that form.", form=form.title))
            return False
        self._obey_stop()
        return True

    def _measure(self, form: Form, path: Path, known: TargetFigures, done: float) -> None:
        self.say(done + 0.1, say(
            "Measuring the draft {form}.", form=AS_IS.title if form is AS_IS else f"as {form.title}"
        ))
        draft = self.library.load(
            str(path), self.command.settings, prepare.ANSWER_TOKENS, self.abort, lambda _fraction: None
        )
        mark = self.rest.mark()
        try:
            self._parameters = draft.facts.parameters
            self._figures.append(prepare.measure_form(form, path.stat().st_size, self.target, known, draft))
        finally:
            draft.close()
        self._note_rest(mark)

    def _note_rest(self, mark: Use) -> None:
        """What was measured since ``mark`` is rough where other programs worked. Writing a form does not count: one of
        the engines has another program do it."""
        self._was_calm &= self.rest.was_calm_since(mark)

    def _widths(self) -> dict[str, int]:
        """Of the draft's matrices; of stacked ones (experts) none. A header that only the library reads gives none."""
        try:
            header = read_header(self.command.path, with_tokens=False)
        except SlipstreamError:
            return {}
        return {tensor.name: tensor.shape[0] for tensor in header.tensors if len(tensor.shape) == 2}

    def _copy(self, made: Path) -> Path:
        source, destination = Path(self.command.path), Path(self.command.destination)
        require_space(destination, source.stat().st_size)
        try:
            shutil.copyfile(source, made)
        except OSError as error:
            raise explain(error, destination) from error
        return made

    def _prompts(self) -> Sequence[list[int]]:
        lines = prompts_file().read_bytes().splitlines()
        prompts = [msgspec.json.decode(line, type=_Prompt) for line in lines if line.strip()]
        return [encode_chat(self.target, prompt.messages) for prompt in prompts if prompt.id in PROMPTS]

    def _obey_stop(self) -> None:
        if self.abort:
            raise DecodeAbortedError

    def _report(self, chosen: FormFigures) -> protocol.Prepared:
        as_is, plain = self._figures[0], self._plain_tokens_per_second
        sentence = prepare.describe(chosen, as_is, plain)
        if not self._was_calm:
            rough = say("Other programs were busy meanwhile, so these figures are rough.")
            sentence = joined([sentence, rough])
        return protocol.Prepared(
            request_id=self.command.request_id, destination=self.command.destination, form=chosen.form,
            forms=self._figures, plain_tokens_per_second=plain,
            gain=chosen.tokens_per_second / as_is.tokens_per_second,
            sentence=sentence, memory=measure_memory(),
        )


def _stopped() -> SlipstreamError:
    return SlipstreamError(
        Code.ABORTED, say("Preparing was stopped; nothing was written."), say("Start it again if you like.")
    )
