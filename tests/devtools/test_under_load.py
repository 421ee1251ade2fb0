"""The benchmark beside busy processes: what it reckons from answers that were timed."""

from __future__ import annotations

import argparse
import math

import psutil

from devtools.under_load.__main__ import BUSY, Row, as_markdown, back_after_s, busy


def test_the_following_number_is_held_against_the_best_fixed_one() -> None:
    row = Row("m.gguf", "ik", "at rest", {1: [50.0, 54.0, 10.0], 2: [100.0, 90.0, 95.0], 0: [90.0, 91.0, 20.0]})
    assert row.share == 90.0 / 95.0
    page = as_markdown([row], {("m.gguf", "ik"): 1.25}, argparse.Namespace(rounds=3, seconds=4.0))
    assert "| m.gguf | ik | at rest | 50.0 | 95.0 | 90.0 | 0.95 |" in page
    assert "back at the speed of rest 1.2 s after" in page


def test_the_same_tokens_are_compared() -> None:
    """At rest the answer slows down as it grows; that is no load."""
    at_rest = [(n, 0.01 * n + 0.0001 * n * n) for n in range(200)]
    slow = [(n, 5 * moment) for n, moment in at_rest[:60]]
    start = slow[-1][1]
    quick = [(n, start + moment - at_rest[60][1]) for n, moment in at_rest[60:]]
    assert back_after_s(at_rest, slow + quick, ended=start - 0.5) < 0.6
    assert back_after_s(at_rest, [(n, 5 * moment) for n, moment in at_rest], ended=1.0) == math.inf


def test_busy_programs_end_with_their_block() -> None:
    before = set(psutil.Process().children())
    with busy((BUSY,)):
        assert len(set(psutil.Process().children()) - before) == 1
    assert set(psutil.Process().children()) == before
