"""The n-gram family against the plainest search, its memory and its files."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.drafters.ngram_cache import EARLIER, THIS_CHAT, NgramCacheDrafter, Thresholds
from app.engine.drafters.ngram_map import NgramMapK4vDrafter, NgramMapKDrafter
from app.engine.drafters.ngram_mod import POOL_BYTES, POOR_DRAFTS, TOKEN_BITS, NgramModDrafter, NgramPool
from app.engine.drafters.ngram_statistics import NgramStatistics
from app.errors import Code, SlipstreamError
from tests.engine.fakes import Limit

texts = st.lists(st.integers(0, 2), min_size=1, max_size=70)
growths = st.lists(st.integers(1, 8), max_size=10)


def lengths(start: int, growths: Sequence[int], text: Sequence[int]) -> list[int]:
    ends = [start]
    for growth in growths:
        ends.append(min(len(text), ends[-1] + growth))
    return ends


def places(context: Sequence[int], n: int) -> list[int]:
    """Where the last n tokens ended before."""
    return [end for end in range(n, len(context)) if context[end - n : end] == context[-n:]]


# --- map


@given(text=texts, growths=growths, n=st.integers(1, 4), m=st.integers(1, 6), min_hits=st.integers(1, 4))
@settings(deadline=None)
def test_map_k_copies_from_the_last_of_enough_places(
    text: list[int], growths: list[int], n: int, m: int, min_hits: int
) -> None:
    drafter = NgramMapKDrafter(n, m, min_hits)
    drafter.begin(text[:1])
    for number, end in enumerate(lengths(1, growths, text)):
        context = text[:end]
        found = places(context, n)
        expected = context[found[-1] : found[-1] + m] if len(found) >= min_hits else []
        draft = drafter.propose(context, Limit(9))
        assert draft.tokens == expected[: len(draft)]
        assert bool(draft.tokens) == bool(expected), "at least one token is always tried"
        if number == 0:
            assert draft.tokens == expected


@given(text=texts, n=st.integers(1, 3), m=st.integers(1, 3), min_hits=st.integers(1, 4))
@settings(deadline=None)
def test_map_k4v_drafts_what_is_much_the_commonest(text: list[int], n: int, m: int, min_hits: int) -> None:
    drafter = NgramMapK4vDrafter(n, m, min_hits)
    drafter.begin(text[: len(text) // 2])
    found = places(text, n)
    seen: dict[tuple[int, ...], int] = {}
    for place in found:
        value = tuple(text[place : place + m])
        if len(value) == m and (value in seen or len(seen) < 4):
            seen[value] = seen.get(value, 0) + 1
    expected: list[int] = []
    if len(found) >= min_hits and seen:
        best = max(seen, key=lambda value: seen[value])
        if seen[best] >= 3 * (sum(seen.values()) - seen[best]):
            expected = list(best)
    assert drafter.propose(text, Limit(9)).tokens == expected


@pytest.mark.parametrize("kind", [NgramMapKDrafter, NgramMapK4vDrafter])
def test_a_map_drafts_as_much_as_stood_the_last_time(kind: type[NgramMapKDrafter | NgramMapK4vDrafter]) -> None:
    phrase, following = [7, 8], [1, 2, 3, 4, 5, 6]
    drafter = kind(2, 6, 1)
    text = [*phrase, *following] * 8
    drafter.begin(text)
    text += phrase
    assert drafter.propose(text, Limit(9)).tokens == following
    text += [1, 2, 9, *phrase]  # two stood
    after_fall = drafter.propose(text, Limit(9)).tokens
    assert len(after_fall) == 2
    text += [*after_fall, 9, 9, 9, 9, 9, *phrase]  # both stood
    assert len(drafter.propose(text, Limit(9)).tokens) == 4
    text += phrase  # none stood, but one is tried again
    assert len(drafter.propose(text, Limit(9)).tokens) == 1


def test_a_draft_that_was_not_verified_teaches_nothing() -> None:
    drafter = NgramMapK4vDrafter(2, 6, 1)
    text = [7, 8, 1, 2, 3, 4, 5, 6] * 8 + [7, 8]
    drafter.begin(text)
    assert len(drafter.propose(text, Limit(9)).tokens) == 6
    text.append(1)
    drafter.propose(text, Limit(9))
    text += [0, 7, 8]
    assert len(drafter.propose(text, Limit(9)).tokens) == 6


# --- pool


@given(text=texts, start=st.integers(0, 70), n=st.integers(1, 6), limit=st.integers(0, 12))
@settings(deadline=None, max_examples=60)
def test_pool_is_the_naive_map(text: list[int], start: int, n: int, limit: int) -> None:
    text = [token * 1000 for token in text]
    drafter = NgramModDrafter(NgramPool(), n)
    drafter.begin(text[:start])
    known: dict[tuple[int, ...], int] = {}
    for end in range(n, len(text[:start] if len(text) - start <= 32 else text)):
        known[tuple(text[end - n : end])] = text[end]
    expected: list[int] = []
    phrase = text[-n:]
    while len(phrase) == n and len(expected) < limit and tuple(phrase) in known:
        expected.append(known[tuple(phrase)])
        phrase = [*phrase, expected[-1]][-n:]
    assert drafter.propose(text, Limit(limit)).tokens == expected


def test_the_pool_is_shared_and_its_memory_fixed() -> None:
    pool = NgramPool()
    assert pool.bytes == POOL_BYTES == 16 * 1024 * 1024
    entries = pool._entries
    for seed in range(20):
        pool.add([(seed * 131 + i * i) % 50_000 for i in range(100_000)], 8)
    assert pool._entries is entries
    assert pool.bytes == POOL_BYTES

    text = list(range(100, 160))
    NgramModDrafter(pool, 24).begin(text)
    other = NgramModDrafter(pool, 24)
    other.begin([])
    assert other.propose(text[:30], Limit(64)).tokens == text[30:]
    different = NgramModDrafter(pool, 23)
    different.begin([])
    assert different.propose(text[:30], Limit(64)).tokens == [], "other lengths are told apart"


def test_the_pool_takes_text_in_the_middle_of_an_answer_without_a_gap() -> None:
    pool = NgramPool()
    drafter = NgramModDrafter(pool, 4)
    text = [(i * i) % 997 for i in range(200)]
    drafter.begin(text[:3])
    for end in range(3, 201, 7):
        drafter.propose(text[:end], Limit(0))
    reader = pool.reader(text[:4])
    assert [reader.next() for _ in range(150)] == text[4:154]


def test_strangers_are_not_mistaken_for_known_phrases() -> None:
    pool = NgramPool()
    pool.add([(i * 7919) % 100_003 for i in range(1_000_000)], 3)
    wrong = sum(pool.reader([150_000 + i, i, 3]).next() is not None for i in range(20_000))
    assert wrong < 20, "a fifth of the places is taken, and the check tells 8191 of 8192 strangers"


def test_tokens_too_large_for_an_entry_are_left_out() -> None:
    pool = NgramPool()
    large = 1 << TOKEN_BITS
    pool.add([1, 2, large, 1, large - 1, 1, large - 2], 1)
    assert pool.reader([2]).next() is None
    assert pool.reader([1]).next() == large - 2


def test_poor_drafts_start_the_pool_over_from_this_chat() -> None:
    pool = NgramPool()
    stale = list(range(1000, 1200))
    pool.add(stale, 1)
    text = list(range(10, 50))
    drafter = NgramModDrafter(pool, 1)
    drafter.begin(text)
    for i in range(POOR_DRAFTS):
        assert pool.reader([1000]).next() == 1001
        text.append(1010 + 2 * i)
        assert drafter.propose(text, Limit(8)).tokens
    text.append(5)
    drafter.propose(text, Limit(8))
    assert pool.reader([1000]).next() is None
    assert pool.reader([10]).next() == 11


# --- statistics


def naive_guess(context: Sequence[int], text: Sequence[int], start: int, thresholds: Thresholds) -> int | None:
    """What most often followed the longest end of ``context`` whose followers in ``text`` are clear."""
    for length in range(min(4, len(context)), 0, -1):
        counts: Counter[int] = Counter()
        best: int | None = None
        for end in range(max(start, length), len(text)):
            if text[end - length : end] == context[len(context) - length :]:
                counts[text[end]] += 1
                if best is None or counts[text[end]] > counts[best]:
                    best = text[end]
        least, percent = thresholds[length]
        if best is not None and counts.total() >= least and 100 * counts[best] >= percent * counts.total():
            return best
    return None


@given(text=texts, growths=growths, limit=st.integers(0, 6), earlier_text=texts, learns=st.booleans())
@settings(deadline=None, max_examples=60)
def test_cache_is_the_naive_count(
    text: list[int], growths: list[int], limit: int, earlier_text: list[int], learns: bool
) -> None:
    earlier = NgramStatistics()
    earlier.add(earlier_text, 0)
    drafter = NgramCacheDrafter(earlier if learns else None)
    drafter.begin(text[:1])
    for end in lengths(1, growths, text):
        context, expected = text[:end], list[int]()
        while len(expected) < limit:
            recent = [*context, *expected]
            token = naive_guess(recent, context, 0, THIS_CHAT)
            if token is None:
                break
            expected.append(token)
        draft = drafter.propose(context, Limit(limit))
        if not learns:
            assert draft.tokens == expected
        else:
            assert draft.tokens[: len(expected)] == expected, "this chat is asked first"
        assert all(0 < confidence < 1 for confidence in draft.confidences)


@given(earlier_text=texts, last=st.lists(st.integers(0, 2), min_size=1, max_size=5))
@settings(deadline=None)
def test_earlier_texts_are_asked_where_this_chat_is_silent(earlier_text: list[int], last: list[int]) -> None:
    earlier = NgramStatistics()
    earlier.add(earlier_text, 0)
    drafter = NgramCacheDrafter(earlier)
    drafter.begin([])
    prompt = last[-1:]
    expected = naive_guess(prompt, earlier_text, 0, EARLIER)
    drafter.begin(prompt)
    assert drafter.propose(prompt, Limit(1)).tokens == ([] if expected is None else [expected])


def test_earlier_texts_learn_the_answer_but_not_the_prompt() -> None:
    earlier = NgramStatistics()
    drafter = NgramCacheDrafter(earlier)
    drafter.begin([1, 2, 3])
    assert len(earlier) == 0
    drafter.propose([1, 2, 3], Limit(3))
    assert len(earlier) == 0
    drafter.propose([1, 2, 3, 4, 5], Limit(3))
    followers = earlier.get((2, 3))
    assert followers is not None
    assert followers.counts == {4: 1}
    assert earlier.get((1, 2)) is None


def test_statistics_are_bounded() -> None:
    statistics = NgramStatistics(most_phrases=50)
    statistics.add([(i * i) % 101 for i in range(500)], 0)
    assert len(statistics) == 50


@given(text=st.lists(st.integers(0, 5), max_size=60))
@settings(deadline=None, max_examples=30)
def test_statistics_survive_the_file(text: list[int], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("statistics") / "counts"
    statistics = NgramStatistics()
    statistics.add(text, 0)
    statistics.save(path)
    statistics.save(path)  # over itself
    loaded = NgramStatistics.load(path, 6)
    assert len(loaded) == len(statistics)
    for phrase, followers in statistics._phrases.items():
        again = loaded.get(phrase)
        assert again is not None
        assert (again.counts, again.total, again.count) == (followers.counts, followers.total, followers.count)
    assert [file.name for file in path.parent.iterdir()] == ["counts"]


def save_some(path: Path) -> bytes:
    statistics = NgramStatistics()
    statistics.add([1, 2, 3, 1, 2, 4, 1, 2, 3], 0)
    statistics.save(path)
    return path.read_bytes()


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert len(NgramStatistics.load(tmp_path / "none", 10)) == 0


def refuse(path: Path, data: bytes, vocab_size: int = 10) -> None:
    path.write_bytes(data)
    with pytest.raises(SlipstreamError) as caught:
        NgramStatistics.load(path, vocab_size)
    assert caught.value.code == Code.FILE
    assert path.read_bytes() == data, "whatever it is, it is kept"


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    data = save_some(path)
    for length in range(len(data)):
        refuse(path, data[:length])
    for index in range(len(data)):
        refuse(path, data[:index] + bytes([data[index] ^ 0x41]) + data[index + 1 :])
    refuse(path, data + b"\0")
    refuse(path, b"Chapter 1. It was a dark and stormy night.")


def test_counts_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    data = save_some(path)
    refuse(path, data, vocab_size=4)  # another model
    head = data[: data.index(b"\n") + 1]
    for payload in (b"\x91\x92\x91\x01\x81\x02\x00", b"\x91\x92\x91\x01\x80", b"\x91\x92\x90\x81\x01\x01",
                    b"\x91\x92\x91\xff\x81\x01\x01", b"\x91\x92\x91\x01\x81\xff\x01", b"\x91\x92\x91\x01\x81\x01\xff",
                    b"\x91\x92\x95\x01\x01\x01\x01\x01\x81\x01\x01", b"\x91" * 5000 + b"\x01"):
        refuse(path, head + zlib.crc32(payload).to_bytes(4, "big") + payload)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SlipstreamError) as caught:
        NgramStatistics().save(tmp_path / "none" / "counts")
    assert caught.value.code == Code.FILE
    with pytest.raises(SlipstreamError):
        NgramStatistics.load(tmp_path, 5)
