"""What client and worker say to each other: one JSON object a line, tagged by ``type``.

Every command carries a ``request_id`` and is answered by exactly one ending event (``is_ending``) with that id, after
any number of progress events. Closing the worker's stdin ends it. A ``Text`` is a string or, where it has values, an
object with ``template`` and ``values`` (``app/sentences.py``).
"""

from __future__ import annotations

from typing import Any

import msgspec

from app.records import (
    BatchNoise,
    FormFigures,
    JsonShape,
    LoadSettings,
    MemoryFigures,
    Message,
    ModelFacts,
    OnFull,
    Piece,
    Sampling,
    SequenceCheck,
    SpeculationFigures,
    StopReason,
    Timings,
    TokenScore,
    Turn,
)
from app.sentences import Text, as_record, joined, read

PROTOCOL_VERSION = 1
MAX_LINE_BYTES = 64 * 1024 * 1024


class ProtocolError(ValueError):
    """A line that is not a message of this protocol."""


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    request_id: int


class Load(Command, frozen=True, kw_only=True, tag="load"):
    """Load a target; a loaded one, and its draft, go first. Ends in ``Loaded`` or ``Failed``.

    Where the settings leave the engine to measurement, ``measure_engines`` measures again whatever is stored, and
    ``engine_failed`` says that the last worker crashed with this model in the second engine. A failure with the code
    ``engine_busy`` means that a new worker could load it.
    """

    path: str
    settings: LoadSettings = LoadSettings()
    measure_engines: bool = False
    engine_failed: bool = False


class LoadDraft(Command, frozen=True, kw_only=True, tag="load_draft"):
    """Load a draft for the loaded target, which stays whatever happens. Ends in ``Loaded`` or ``Failed``."""

    path: str
    settings: LoadSettings = LoadSettings()


class Unload(Command, frozen=True, kw_only=True, tag="unload"):
    """Forget target and draft. Ends in ``Unloaded``."""


class UnloadDraft(Command, frozen=True, kw_only=True, tag="unload_draft"):
    """Forget the draft. Ends in ``Unloaded``."""


class Generate(Command, frozen=True, kw_only=True, tag="generate"):
    """Answer ``messages`` (through the model's chat template) or, if those are empty, continue ``prompt``.

    ``raw`` takes ``prompt`` as it is, without a template; ``thinking`` is told to that, None leaves it be. ``cold``
    forgets cached prefixes first, so that timings compare; with ``keep_prompt`` all but what the target read of this
    very prompt.
    ``turns`` take the place of ``messages`` where tools are used; ``tools`` is what the template is given of them, a
    JSON list of OpenAI's form. The answer is held to ``grammar`` (GBNF) or to ``shape``, if given.
    ``on_full`` says what to do when the context is full. ``begun`` is the beginning of the answer, which is gone on
    with and not said again. ``Chunk``s that come within ``gather_s`` are sent as one, for readers to whom each costs
    more than it tells. Ends in ``Done`` or ``Failed``.
    """

    messages: list[Message] = []
    prompt: str = ""
    raw: bool = False
    cold: bool = False
    keep_prompt: bool = False
    on_full: OnFull = "trim"
    sampling: Sampling = Sampling()
    method: str = "auto"
    max_tokens: int = 1024
    stop: list[str] = []
    thinking: bool | None = None
    turns: list[Turn] = []
    tools: str = ""
    grammar: str = ""
    shape: JsonShape | None = None
    begun: str = ""
    gather_s: float = 0.0


class Stop(Command, frozen=True, kw_only=True, tag="stop"):
    """End the command ``target_id``, whatever it is doing (loading, prefill, decode), within half a second.

    Ends in ``Stopping`` at once; the stopped command ends by itself: ``Done(reason="aborted")`` for ``Generate``,
    ``Failed(code="aborted")`` for the others.
    """

    target_id: int


class Skip(Command, frozen=True, kw_only=True, tag="skip"):
    """End the measuring that the command ``target_id`` began with, and have that go on with what is known by then.

    Ends in ``Skipping`` at once. Where nothing is being measured, nothing happens.
    """

    target_id: int


class SetSpeculation(Command, frozen=True, kw_only=True, tag="set_speculation"):
    """Change the method of the running answer from its next step on. Ends in ``SpeculationSet`` or ``Failed``."""

    method: str


class Tokenize(Command, frozen=True, kw_only=True, tag="tokenize"):
    """Ends in ``Tokens``; ``count_only`` leaves the ids out."""

    text: str
    add_special: bool = False
    count_only: bool = False


class RenderTemplate(Command, frozen=True, kw_only=True, tag="render_template"):
    """The prompt text that ``messages`` become. Ends in ``Rendered``."""

    messages: list[Message]
    add_generation_prompt: bool = True
    thinking: bool | None = None


class Score(Command, frozen=True, kw_only=True, tag="score"):
    """What the target alone, one token at a time, thinks of ``token_ids`` after the prompt. Ends in ``Scores``.

    ``positions`` limits the answer to some indices into ``token_ids``; empty means all. With the ``sampling`` and the
    ``draws`` of the answer it also says which tokens the target alone would have chosen by them, and with ``check`` it
    measures the rounding of this model first and judges by that.
    """

    messages: list[Message] = []
    prompt: str = ""
    raw: bool = False
    token_ids: list[int] = []
    positions: list[int] = []
    sampling: Sampling | None = None
    draws: list[float] = []
    check: bool = False


class MeasureExactness(Command, frozen=True, kw_only=True, tag="measure_exactness"):
    """Compare passes over several tokens with one token at a time, which takes some seconds. Ends in ``Exactness``."""


class Prepare(Command, frozen=True, kw_only=True, tag="prepare"):
    """Measure forms of the draft at ``path`` with the loaded target and write the fastest to ``destination``.

    A loaded draft goes first. A form that is being written is finished before a ``Stop`` is obeyed. Ends in
    ``Prepared`` or ``Failed``; after a failure there is nothing new at ``destination``.
    """

    path: str
    destination: str
    settings: LoadSettings = LoadSettings()


class SaveState(Command, frozen=True, kw_only=True, tag="save_state"):
    """Keep on disk what target and draft have computed of the chat ``name``, so that it need not be computed again.

    Kept states take ``limit_bytes`` at most; the least recently used go first, and 0 removes them all. Ends in
    ``StateSaved`` or ``Failed``; a disk that takes nothing is no failure.
    """

    name: str
    limit_bytes: int


class RestoreState(Command, frozen=True, kw_only=True, tag="restore_state"):
    """Bring back what was kept of the chat ``name`` for these models, settings and library; what does not fit or is
    damaged is ignored. Ends in ``StateRestored``."""

    name: str


class Devices(Command, frozen=True, kw_only=True, tag="devices"):
    """Ends in ``DeviceList``."""


class Estimate(Command, frozen=True, kw_only=True, tag="estimate"):
    """What the engine would reserve for the model at ``path``, learned without its weights. Only where no model is
    loaded. Ends in ``Estimated`` or ``Failed``."""

    path: str
    settings: LoadSettings = LoadSettings()
    as_draft: bool = False


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    request_id: int


class Ready(Event, frozen=True, kw_only=True, tag="ready"):
    """First line of a worker, with ``request_id`` 0."""

    protocol_version: int
    program_version: str
    engine: str
    pid: int


class LoadProgress(Event, frozen=True, kw_only=True, tag="load_progress"):
    fraction: float


class Loaded(Event, frozen=True, kw_only=True, tag="loaded"):
    """``engine`` is the package that runs the model, with its version; ``engine_sentence`` says why that one.
    ``method`` is how whoever keeps the engine has answers speculate now, "" where that is left to who asks."""

    facts: ModelFacts
    memory: MemoryFigures
    load_s: float
    engine: str = ""
    engine_sentence: Text = ""
    method: str = ""


class Unloaded(Event, frozen=True, kw_only=True, tag="unloaded"):
    memory: MemoryFigures


class PrefillProgress(Event, frozen=True, kw_only=True, tag="prefill_progress"):
    """``total_tokens`` counts the whole prompt; ``cached_tokens`` of it were there already."""

    done_tokens: int
    total_tokens: int
    cached_tokens: int = 0


class Chunk(Event, frozen=True, kw_only=True, tag="chunk"):
    """One verify pass, or several in their sum where ``Generate.gather_s`` says so.

    ``pieces`` joined are the new text (bytes of an unfinished character wait for the next chunk). ``decode_s`` and
    ``emitted_tokens`` count from the first token of the answer; ``step_s`` is this pass alone, of which ``draft_s`` and
    ``verify_s`` went into the passes of draft and target. ``drafter`` is who guessed, "" if nobody did.
    """

    pieces: list[Piece]
    drafter: str = ""
    num_draft_tokens: int = 0
    num_accepted_draft_tokens: int = 0
    step_tokens: int = 0
    step_s: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    emitted_tokens: int = 0
    decode_s: float = 0.0

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class Notice(Event, frozen=True, kw_only=True, tag="notice"):
    """A sentence about a running command, such as why ``auto`` stopped drafting.

    What is ``passing`` holds for now, and the ``Done`` says how it was in the end. What is ``skippable`` can be ended
    by ``Skip``; a notice that is not, mostly one without a ``message``, says that it is over.
    """

    message: Text
    passing: bool = False
    skippable: bool = False


class OtherPrograms(Event, frozen=True, kw_only=True, tag="other_programs"):
    """What other programs use while an answer is written: ``other_cores`` of ``cores`` now, and with how many
    ``threads`` passes are computed beside them. At most once a second, and only where it explains a slow answer."""

    other_cores: float
    cores: int
    threads: int


class Done(Event, frozen=True, kw_only=True, tag="done"):
    """``draws`` holds the random number in [0, 1) behind each sampled token; it is empty when greedy.
    ``dropped_tokens`` is what had to leave a full context on the way."""

    reason: StopReason
    text: str
    token_ids: list[int]
    prompt_tokens: int
    cached_tokens: int = 0
    timings: Timings
    speculation: SpeculationFigures
    memory: MemoryFigures
    draws: list[float] = []
    dropped_tokens: int = 0


class Failed(Event, frozen=True, kw_only=True, tag="failed"):
    code: str
    message: Text
    hint: Text = ""

    @property
    def words(self) -> str:
        """What happened and what to do."""
        return joined([self.message, self.hint])


class Stopping(Event, frozen=True, kw_only=True, tag="stopping"):
    target_id: int


class Skipping(Event, frozen=True, kw_only=True, tag="skipping"):
    target_id: int


class SpeculationSet(Event, frozen=True, kw_only=True, tag="speculation_set"):
    method: str


class Tokens(Event, frozen=True, kw_only=True, tag="tokens"):
    token_ids: list[int]
    count: int = 0


class Rendered(Event, frozen=True, kw_only=True, tag="rendered"):
    text: str


class Scores(Event, frozen=True, kw_only=True, tag="scores"):
    """``check`` and its ``sentence`` only where they were asked for."""

    scores: list[TokenScore]
    check: SequenceCheck | None = None
    sentence: Text = ""


class Exactness(Event, frozen=True, kw_only=True, tag="exactness"):
    """``is_bit_exact``: drafting changes no token; ``sentence`` says it to a person."""

    noise: list[BatchNoise]
    is_bit_exact: bool
    sentence: Text


class PrepareProgress(Event, frozen=True, kw_only=True, tag="prepare_progress"):
    """``message`` says what is being done now; ``fraction`` of the whole is done."""

    fraction: float
    message: Text


class Prepared(Event, frozen=True, kw_only=True, tag="prepared"):
    """``forms`` are all that were measured, the draft ``as-is`` first; ``gain`` is the expected speed with the chosen
    ``form`` divided by that with the draft as it is."""

    destination: str
    form: str
    forms: list[FormFigures]
    plain_tokens_per_second: float
    gain: float
    sentence: Text
    memory: MemoryFigures


class Device(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str
    kind: str
    """``cpu``, ``gpu``, ``igpu`` or ``accelerator``."""
    free_bytes: int
    total_bytes: int


class StateSaved(Event, frozen=True, kw_only=True, tag="state_saved"):
    """``saved_bytes`` is 0 where nothing was worth keeping or could be kept."""

    saved_bytes: int


class StateRestored(Event, frozen=True, kw_only=True, tag="state_restored"):
    """``tokens`` of the target's cache are back, ``draft_tokens`` of the draft's."""

    tokens: int
    draft_tokens: int = 0


class DeviceList(Event, frozen=True, kw_only=True, tag="device_list"):
    devices: list[Device]
    notes: list[Text] = []
    """A sentence for each address of another machine that could not be used."""


class Estimated(Event, frozen=True, kw_only=True, tag="estimated"):
    """``cache_bytes`` is keys and values, or recurrent states; buffers are by the engine's name of the device;
    ``layers`` go to graphics cards."""

    cache_bytes: int
    compute_bytes: dict[str, int]
    output_bytes: dict[str, int]
    layers: int = 0


AnyCommand = (
    Load | LoadDraft | Unload | UnloadDraft | Generate | Stop | Skip | SetSpeculation | Tokenize | RenderTemplate
    | Score | MeasureExactness | Prepare | SaveState | RestoreState | Devices | Estimate
)
AnyEvent = (
    Ready | LoadProgress | Loaded | Unloaded | PrefillProgress | Chunk | Notice | OtherPrograms | Done | Failed
    | Stopping | Skipping | SpeculationSet | Tokens | Rendered | Scores | Exactness | PrepareProgress | Prepared
    | StateSaved | StateRestored | DeviceList | Estimated
)
_PROGRESS = (Ready, LoadProgress, PrefillProgress, Chunk, Notice, OtherPrograms, PrepareProgress)

_commands: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyCommand)
_events: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent, dec_hook=read)
_encoder = msgspec.json.Encoder(enc_hook=as_record)


def is_ending(event: AnyEvent) -> bool:
    """Whether this event is the last one of its command."""
    return not isinstance(event, _PROGRESS)


def encode(message: Command | Event) -> bytes:
    """One line, ending in a newline; newlines in texts are escaped by JSON."""
    return _encoder.encode(message) + b"\n"


def decode_command(line: bytes) -> AnyCommand:
    """Raises ``ProtocolError``."""
    return _decode(_commands, line)  # type: ignore[no-any-return]


def decode_event(line: bytes) -> AnyEvent:
    """Raises ``ProtocolError``."""
    return _decode(_events, line)  # type: ignore[no-any-return]


def _decode(decoder: msgspec.json.Decoder[Any], line: bytes) -> Any:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(str(error)) from error

