"""Minutes of mutated headers against the reader: each is read, or refused in words, in bounded memory.

``SLIPSTREAM_FUZZ_S`` sets the seconds of processor time (600), ``SLIPSTREAM_FUZZ_SEED`` repeats a run that failed.
"""

from __future__ import annotations

import os
import random
import struct
import sys
import time
from pathlib import Path

import psutil
import pytest

from app.errors import Code, SlipstreamError
from app.models.facts import ModelFile, read_facts
from app.models.gguf import MAX_HEADER_BYTES, GgufHeader, parse_header
from app.models.pairing import check_facts, check_pair
from app.models.vocabulary import Vocabulary, read_vocabulary
from tests.models import gguf_writer as writer

SECONDS = float(os.environ.get("SLIPSTREAM_FUZZ_S", "600"))
SEED = int(os.environ.get("SLIPSTREAM_FUZZ_SEED", str(int(time.time()))))
ODD_NUMBERS = [0, 1, 3, 7, 8, 9, 12, 31, 32, 255, 256, 65_535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62,
               2**63 - 1, 2**63, 2**64 - 1]


def mutate(data: bytearray, chance: random.Random) -> bytes:
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        if not data:
            break
        place = chance.randrange(len(data))
        kind = chance.randrange(7)
        if kind == 0:
            data[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[place] = chance.randrange(256)
        elif kind == 2:
            data[place : place + 8] = struct.pack("<Q", chance.choice(ODD_NUMBERS))
        elif kind == 3:
            data[place : place + 4] = struct.pack("<I", chance.choice(ODD_NUMBERS) & 0xFFFFFFFF)
        elif kind == 4:
            del data[place : place + chance.randrange(1, 64)]
        elif kind == 5:
            data[place:place] = data[place : place + chance.randrange(1, 256)]
        else:
            del data[place:]
    return bytes(data)


def read(data: bytes, claimed_bytes: int) -> GgufHeader | None:
    def read_at(offset: int, length: int) -> bytes:
        return data[offset : offset + length]

    try:
        return parse_header(read_at, claimed_bytes, "mutated.gguf")
    except SlipstreamError as error:
        failure = error
    assert failure.code == Code.MODEL_UNREADABLE
    assert failure.message.isprintable()
    return None


def use(header: GgufHeader, facts: ModelFile, vocabulary: Vocabulary) -> None:
    """Whatever was read can be summed up and compared."""
    check_facts(facts, read_facts(header))
    try:
        other = read_vocabulary(header)
    except SlipstreamError:
        return
    check_pair(vocabulary, other)


@pytest.mark.long
@pytest.mark.timeout(4 * SECONDS + 300)
def test_mutated_headers(smollm: Path) -> None:
    chance = random.Random(SEED)
    made = writer.build({**writer.model_metadata(), **writer.tokenizer(writer.words(8)), "list": [1, 2], "flag": True},
                        writer.model_tensors())
    real = smollm.read_bytes()[:1_800_000]
    sound = read(made, len(made))
    assert sound is not None
    known = read_facts(sound), read_vocabulary(sound)
    deadline = time.process_time() + SECONDS  # a busy machine shall not try fewer headers
    sys.stderr.write(f"seed {SEED}\n")
    rounds = 0
    while time.process_time() < deadline:
        rounds += 1
        data = mutate(bytearray(real if rounds % 64 == 0 else made[:2600]), chance)
        header = read(data, chance.choice([len(data), len(made), len(data) + 2**40]))
        if header is not None:
            use(header, *known)
        assert psutil.Process().memory_info().rss < 4 * MAX_HEADER_BYTES + 500_000_000
    sys.stderr.write(f"{rounds:,} headers in {SECONDS:.0f} s\n")
    assert rounds > 100
