"""Long runs: loading and unloading, and a day of messages. Memory must level out; the figures go to stderr.

``SLIPSTREAM_SOAK_MESSAGES`` and ``SLIPSTREAM_SOAK_CYCLES`` change the lengths (2000, 200).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from app import protocol
from app.chat.conversation import AnswerFacts, Conversation
from app.chat.store import Store
from app.client.process import ProcessClient
from app.protocol import Generate
from app.records import LoadSettings, Sampling
from tests.reliability.driver import Window, kept_answers

MESSAGES = int(os.environ.get("SLIPSTREAM_SOAK_MESSAGES", "2000"))
CYCLES = int(os.environ.get("SLIPSTREAM_SOAK_CYCLES", "200"))
MESSAGES_A_CHAT = 50
pytestmark = pytest.mark.timeout(7200)


def rss_mb(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def handles(pid: int) -> int:
    return int(psutil.Process(pid).num_fds()) if sys.platform != "win32" else int(psutil.Process(pid).num_handles())


@pytest.mark.long
@pytest.mark.model
def test_loading_and_unloading(smollm: Path) -> None:
    settings = LoadSettings(ctx_tokens=512, threads=1)
    request = Generate(request_id=0, prompt="Hi", method="off", max_tokens=4, sampling=Sampling(temperature=0.0))
    figures: list[tuple[float, int]] = []
    with ProcessClient() as client:
        texts = set()
        for _ in range(CYCLES):
            client.load(str(smollm), settings)
            client.load_draft(str(smollm), settings)
            texts.add(client.generate(request).text)
            client._run(protocol.Unload(request_id=0), protocol.Unloaded)
            assert client.pid is not None
            figures.append((rss_mb(client.pid), handles(client.pid)))
    assert len(texts) == 1
    early, late = figures[CYCLES // 10], figures[-1]
    sys.stderr.write(f"load/unload {CYCLES} times: {early[0]:.0f} MB after {CYCLES // 10}, {late[0]:.0f} MB at the "
                     f"end; {early[1]} and {late[1]} open files\n")
    assert late[0] - early[0] < 30
    assert late[1] == early[1]


@pytest.mark.long
def test_a_day_of_messages(tmp_path: Path) -> None:
    """2,000 messages in 40 chats, in a real window with a scripted engine; each chat is left for the next."""
    home = tmp_path / "home"
    figures: dict[int, tuple[float, int]] = {}
    with Window(home, "--worker", "scripted", "--chunks", "12") as window:
        pid = window.ready("/models/some-chat.gguf")["pid"]
        for message in range(1, MESSAGES + 1):
            if message % MESSAGES_A_CHAT == 1 and message > 1:
                window.tell(new="")
                window.wait(lambda state: state["turns"] == 0, "a new chat")
            state = window.answer(f"Message {message}: what do you say?")
            assert state["problems"] == []
            if message % MESSAGES_A_CHAT == 0:
                figures[message] = (rss_mb(pid), handles(pid))
        assert window.quit() == 0
        window.assert_no_orphan()
    assert len(kept_answers(home)) == MESSAGES
    assert all(kept_answers(home))
    first, last = min(k for k in figures if k >= MESSAGES // 4), max(figures)
    sys.stderr.write(f"{MESSAGES} messages: {figures[first][0]:.0f} MB after {first}, {figures[last][0]:.0f} MB after "
                     f"{last}; {figures[first][1]} and {figures[last][1]} open files\n")
    # Every chat is on disk and only the list of them grows.
    assert figures[last][0] - figures[first][0] < 0.01 * (last - first) + 25
    assert figures[last][1] <= figures[first][1] + 5


def test_a_clock_that_jumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Years back, years ahead, and to the year 1970, while conversations are written: nothing is lost or refused."""
    now = [1_700_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    store = Store(tmp_path / "conversations.db")
    made = []
    for number, jump in enumerate((0.0, -3e8, 9e8, 1e9, -1_699_999_999.0, 4e9)):
        now[0] = 1_700_000_000.0 + jump
        chat = Conversation(title=f"chat {number}")
        question = chat.add("user", "When is it?")
        answer = chat.add("assistant", "Now.", question.id, AnswerFacts())
        store.save_all(chat)
        store.save_node(chat.id, answer)
        made.append(chat.id)
    assert sorted(summary.id for summary in store.summaries()) == sorted(made)
    assert all(len(loaded.nodes) == 2 for loaded in map(store.load, made) if loaded is not None)
    store.delete(made[0])
    now[0] = 0.0
    store.restore(made[0])
    assert store.load(made[0]) is not None
    store.close()
    again = Store(tmp_path / "conversations.db")
    assert len(again.summaries()) == len(made)
    again.close()
