"""Other programs' servers as processes of a test."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_until_it_answers(process: subprocess.Popen[bytes], url: str, log: Path, within_s: float = 240.0) -> None:
    """Until ``url`` is answered with 200. ``log`` is what the process writes, for the failure's words."""
    with httpx2.Client(trust_env=False) as http:
        ends_at = time.monotonic() + within_s
        while not _is_ready(http, url):
            assert process.poll() is None, f"the server ended:\n{log.read_text()[-4000:]}"
            assert time.monotonic() < ends_at, f"the server did not come up:\n{log.read_text()[-4000:]}"
            time.sleep(0.2)


def _is_ready(http: httpx2.Client, url: str) -> bool:
    try:
        return http.get(url).status_code == 200
    except httpx2.HTTPError:
        return False


@contextmanager
def running(command: Sequence[str], port: int, asked: str, log: Path) -> Iterator[str]:
    """The address of a server of another program, ready once ``asked`` answers; it ends with the block."""
    url = f"http://127.0.0.1:{port}"
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            wait_until_it_answers(process, f"{url}{asked}", log)
            yield url
        finally:
            process.terminate()
