"""``MeasureExactness`` and the checking half of ``Score``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from app import protocol
from app.engine import exactness
from app.engine.backend import Model
from app.engine.sampling import Sampler
from app.engine.scoring import score
from app.paths import prompts_file
from app.records import BatchNoise, Message
from app.sentences import say

Say = Callable[[str], None]


class _Prompt(msgspec.Struct, frozen=True, kw_only=True):
    messages: list[Message]


def measure_exactness(target: Model, request_id: int, tell: Say) -> protocol.Exactness:
    """What was cached before goes. Raises ``DecodeAbortedError``."""
    noise = _measure(target, tell)
    return protocol.Exactness(
        request_id=request_id, noise=noise, is_bit_exact=exactness.is_bit_exact(noise),
        sentence=exactness.describe_noise(noise),
    )


def check_scores(
    target: Model, prompt: Sequence[int], command: protocol.Score, sampler: Sampler | None, tell: Say
) -> protocol.Scores:
    """Scores with a judgement by the rounding of this model, which is measured first. Raises ``DecodeAbortedError``."""
    slack = exactness.slack_of(_measure(target, tell))
    scores = score(target, prompt, command.token_ids, command.positions, sampler, command.draws, slack)
    check = exactness.check_sequence(scores, slack)
    return protocol.Scores(
        request_id=command.request_id, scores=scores, check=check, sentence=exactness.describe_check(check)
    )


def _measure(target: Model, tell: Say) -> list[BatchNoise]:
    def say_position(position: int) -> None:
        tell(say("Measuring how exact a pass over many tokens is, at position {position}.", position=position))

    return exactness.measure_noise(target, _text(target), say_position)


def _text(target: Model) -> list[int]:
    """The prompts that ship with the program, one after the other: text of every kind."""
    lines = prompts_file().read_bytes().splitlines()
    prompts = [msgspec.json.decode(line, type=_Prompt) for line in lines if line.strip()]
    words = "\n\n".join(message.content for prompt in prompts for message in prompt.messages)
    wanted = max(exactness.POSITIONS) + max(exactness.ROWS)
    return target.tokenize(words[: 16 * wanted], add_special=True, parse_special=False)[:wanted]
