from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from app.errors import Code, SlipstreamError
from devtools.download import Download, fetch
from tests.devtools.network import FakeNetwork

URL = "https://files.example/model.gguf"
BODY = bytes(range(256)) * 40


def wanted(folder: Path, sha256: str | None = hashlib.sha256(BODY).hexdigest()) -> Download:
    return Download("model.gguf", URL, folder / "model.gguf", len(BODY), sha256)


def test_a_file_arrives_under_its_name_and_leaves_no_partial_file(tmp_path: Path) -> None:
    network = FakeNetwork({URL: BODY})
    seen: list[int] = []
    fetch(wanted(tmp_path), network.open, seen.append)
    assert (tmp_path / "model.gguf").read_bytes() == BODY
    assert [path.name for path in tmp_path.iterdir()] == ["model.gguf"]
    assert seen == sorted(seen)
    assert seen[-1] == len(BODY)


def test_a_cut_connection_is_continued_where_it_ended(tmp_path: Path) -> None:
    network = FakeNetwork({URL: BODY}, cuts=[3000, 2000])
    fetch(wanted(tmp_path), network.open, pause_s=0)
    assert (tmp_path / "model.gguf").read_bytes() == BODY
    assert [asked[2] for asked in network.asked] == [None, "bytes=3000-", "bytes=5000-"]


def test_an_earlier_run_is_continued(tmp_path: Path) -> None:
    wanted(tmp_path).partial.write_bytes(BODY[:4096])
    network = FakeNetwork({URL: BODY})
    fetch(wanted(tmp_path), network.open)
    assert network.asked == [("GET", URL, "bytes=4096-")]
    assert (tmp_path / "model.gguf").read_bytes() == BODY


def test_a_server_without_ranges_starts_over_instead_of_doubling(tmp_path: Path) -> None:
    wanted(tmp_path).partial.write_bytes(b"x" * 100)
    fetch(wanted(tmp_path), FakeNetwork({URL: BODY}, ranges=False).open)
    assert (tmp_path / "model.gguf").read_bytes() == BODY


def test_a_partial_file_that_is_too_long_is_not_trusted(tmp_path: Path) -> None:
    wanted(tmp_path).partial.write_bytes(BODY + b"more")
    fetch(wanted(tmp_path), FakeNetwork({URL: BODY}).open)
    assert (tmp_path / "model.gguf").read_bytes() == BODY


def test_other_content_never_gets_the_name(tmp_path: Path) -> None:
    network = FakeNetwork({URL: bytes(len(BODY))})
    with pytest.raises(SlipstreamError) as caught:
        fetch(wanted(tmp_path), network.open)
    assert caught.value.code is Code.CHECKSUM
    assert list(tmp_path.iterdir()) == []


def test_a_network_that_stays_away_is_said_in_words_and_keeps_what_arrived(tmp_path: Path) -> None:
    network = FakeNetwork({URL: BODY}, cuts=[100, 100, 100, 100])
    with pytest.raises(SlipstreamError) as caught:
        fetch(wanted(tmp_path), network.open, pause_s=0)
    assert caught.value.code is Code.NETWORK
    assert "the connection ended early" in caught.value.message
    assert wanted(tmp_path).partial.read_bytes() == BODY[:400]


def test_a_refusal_is_not_asked_again(tmp_path: Path) -> None:
    network = FakeNetwork()
    with pytest.raises(SlipstreamError) as caught:
        fetch(wanted(tmp_path), network.open, pause_s=0)
    assert caught.value.code is Code.NETWORK
    assert len(network.asked) == 1


def test_a_file_that_is_there_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(BODY)
    network = FakeNetwork()
    fetch(wanted(tmp_path), network.open)
    assert network.asked == []
