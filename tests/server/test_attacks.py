"""What an attacker would try: each is refused, and the engine is unharmed."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from app.server.access import Access, Limits, is_same_origin, split_host
from tests.server.serving import Serving, chat_body, raw_connection, read_all, serving, wait_for

LIMITS = Limits(body_bytes=100_000, header_s=1.0, body_s=1.5, write_s=1.5, connections=40)


@pytest.fixture(scope="module")
def served() -> Iterator[Serving]:
    with serving("--chunks", "6", limits=LIMITS) as server:
        yield server


@pytest.fixture
def server(served: Serving) -> Iterator[Serving]:
    pid = served.client.pid
    yield served
    answer = served.chat()
    assert answer.status_code == 200, "the engine is unharmed"
    assert served.client.pid == pid
    assert served.wait_until_idle() < 1.0


def send(server: Serving, head: str, body: bytes = b"") -> tuple[int, bytes]:
    with raw_connection(server) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)
        answer = read_all(connection)
    return int(answer.split()[1]), answer


def post(server: Serving, extra: str = "", host: str = "", body: bytes | None = None) -> tuple[int, bytes]:
    body = json.dumps(chat_body()).encode() if body is None else body
    head = (
        f"POST /v1/chat/completions HTTP/1.1\nHost: {host or f'127.0.0.1:{server.port}'}\n"
        f"Content-Length: {len(body)}\nConnection: close{extra}"
    )
    return send(server, head, body)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
def test_another_sites_page_is_refused(server: Serving, origin: str) -> None:
    """A page may send a plain POST without asking first, so the answer's being unreadable would not be enough."""
    status, answer = post(server, f"\nOrigin: {origin}\nContent-Type: text/plain")
    assert status == 403
    assert b"access-control" not in answer.lower()


def test_a_preflight_is_refused(server: Serving) -> None:
    status, answer = send(
        server, f"OPTIONS /v1/chat/completions HTTP/1.1\nHost: 127.0.0.1:{server.port}\nOrigin: https://evil.example\n"
        "Access-Control-Request-Method: POST\nConnection: close"
    )
    assert status == 403
    assert b"access-control" not in answer.lower()


def test_a_browsers_own_word_is_enough(server: Serving) -> None:
    assert post(server, "\nSec-Fetch-Site: cross-site")[0] == 403
    assert post(server, "\nSec-Fetch-Site: none")[0] == 200
    assert post(server, f"\nOrigin: http://127.0.0.1:{server.port}")[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example",
                                  "192.168.1.7", "[::1", "127.0.0.1:x", "@127.0.0.1"])
def test_a_wrong_host_is_refused(server: Serving, host: str) -> None:
    assert post(server, host=host)[0] == 403


def test_two_hosts_or_none_are_refused(server: Serving) -> None:
    assert post(server, "\nHost: evil.example")[0] in (400, 403)
    assert send(server, "GET /v1/models HTTP/1.0")[0] == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9999", "127.0.0.1", "[::1]:80", "127.8.8.8"])
def test_our_own_names_are_answered(server: Serving, host: str) -> None:
    assert post(server, host=host)[0] == 200


def test_a_body_of_a_gigabyte_is_refused_unread(server: Serving) -> None:
    started = time.monotonic()
    with raw_connection(server) as connection:
        connection.sendall(
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            "Content-Length: 1073741824\r\n\r\n".encode()
        )
        answer = read_all(connection)
    assert b" 413 " in answer.splitlines()[0]
    assert time.monotonic() < started + 5


def test_an_endless_chunked_body_is_refused(server: Serving) -> None:
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    sent = 0
    with raw_connection(server) as connection:
        connection.sendall(
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            "Transfer-Encoding: chunked\r\n\r\n".encode()
        )
        try:
            while sent < 1 << 30:
                connection.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
    assert sent < 64 << 20, "the server went on reading"


def test_a_slow_body_is_refused(server: Serving) -> None:
    with raw_connection(server) as connection:
        connection.sendall(
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 500\r\n\r\n"
            "{".encode()
        )
        assert b" 408 " in read_all(connection).splitlines()[0]


def test_slow_headers_are_ended(server: Serving) -> None:
    with raw_connection(server, 20) as connection:
        connection.sendall(b"GET /v1/models HTTP/1.1\r\n")
        started, ended = time.monotonic(), False
        while not ended and time.monotonic() < started + 15:
            try:
                connection.sendall(b"X-A: b\r\n")
            except OSError:
                ended = True
            time.sleep(0.3)
    assert ended, "the connection was held open"


def test_silence_is_ended(server: Serving) -> None:
    with raw_connection(server, 20) as connection:
        assert read_all(connection) == b""


def test_a_second_slow_request_on_a_connection_is_ended(server: Serving) -> None:
    with raw_connection(server, 20) as connection:
        connection.sendall(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\nGET /v1".encode())
        started = time.monotonic()
        assert b"200" in read_all(connection)
    assert time.monotonic() < started + 10


def test_a_flood_of_headers_is_refused(server: Serving) -> None:
    many = "".join(f"\nX-{number}: y" for number in range(200))
    assert post(server, many)[0] == 431
    status, _ = post(server, "\nX-Long: " + "y" * 60_000)
    assert status in (400, 431)
    with raw_connection(server) as connection:
        sent = 0
        try:
            connection.sendall(b"GET / HTTP/1.1\r\n")
            while sent < 50 << 20:
                sent += connection.send(b"X-Flood: " + b"y" * 4000 + b"\r\n")
        except OSError:
            pass
    assert sent < 20 << 20


@pytest.mark.parametrize("path", ["/v1/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                                  "/v1/models/..\\..\\x", "/static/../v1/models"])
def test_a_path_with_dots_is_refused(server: Serving, path: str) -> None:
    status, answer = send(server, f"GET {path} HTTP/1.1\nHost: localhost\nConnection: close")
    assert status == 400
    assert b"root:" not in answer


@pytest.mark.parametrize("line", ["GET /nowhere HTTP/1.1", "DELETE /v1/models HTTP/1.1", "GET /docs HTTP/1.1"])
def test_what_is_not_there_is_refused(server: Serving, line: str) -> None:
    assert send(server, f"{line}\nHost: localhost\nConnection: close")[0] in (404, 405)


def test_garbage_is_refused(server: Serving) -> None:
    with raw_connection(server) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100 + b"\r\n\r\n")
        assert read_all(connection)[:12] in (b"", b"HTTP/1.1 400")


@pytest.mark.parametrize("body", [
    b"", b"[]", b"null", b"{", b'{"messages": []}', b'{"messages": "x"}', b"[" * 50_000, b'{"a":' * 15_000,
    b'{"messages": [{"role": "root", "content": "x"}]}', b"\xff\xfe\x00",
    b'{"messages": [{"role": "user", "content": "x"}], "max_tokens": -1}',
    b'{"messages": [{"role": "user", "content": "x"}], "temperature": "hot"}',
    b'{"messages": [{"role": "user", "content": "x"}], "seed": 1e400}',
    b'{"messages": [{"role": "user", "content": "x"}], "speculation": "fast"}',
    b'{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}',
    b'{"messages": [{"role": "user", "content": "x"}], "n": 5}',
    b'{"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_schema", "json_schema": '
    b'{"schema": {"type": "array", "items": {"type": "string"}, "maxItems": 1000000000}}}}',
])
def test_strange_bodies_are_refused_in_words(server: Serving, body: bytes) -> None:
    status, answer = post(server, body=body)
    assert status == 400
    error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"].endswith(".")
    assert "Traceback" not in error["message"]


def test_connections_have_a_limit(server: Serving) -> None:
    connections = [raw_connection(server) for _ in range(LIMITS.connections)]
    try:
        wait_for(lambda: post(server)[0] == 503, 2.0)
    finally:
        for connection in connections:
            connection.close()
    wait_for(lambda: post(server)[0] == 200, 5.0)


def test_a_reader_that_takes_nothing_is_ended() -> None:
    with serving("--chunks", "5000", "--chunk-tokens", "200", "--delay-s", "0.003", limits=LIMITS) as server:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.port))
        with connection:
            body = json.dumps(chat_body(stream=True, max_tokens=1_000_000)).encode()
            head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            wait_for(lambda: server.host.is_busy, 5.0)
            server.wait_until_idle(60.0)
            assert server.metric("cancelled_total") == 1, "the engine would have worked for nobody"
            answer = server.chat(max_tokens=2)
            assert answer.status_code == 200
            # data that was on its way may still be read; then the connection is found to be dead
            connection.settimeout(10)
            assert b"[DONE]" not in read_all(connection)[-100:]


def test_without_the_key_nothing_is_told() -> None:
    access = Access(port=0, keys=("first", "second"))
    with serving(access=access) as server:
        for authorization in ("", "\nAuthorization: Bearer", "\nAuthorization: Bearer wrong", "\nAuthorization: first",
                              "\nAuthorization: Bearer firs", "\nAuthorization: Bearer firstt",
                              "\nAuthorization: Bearer \xff\xff", "\nAuthorization: Basic Zmlyc3Q6"):
            for line in ("GET /v1/models", "GET /metrics", "POST /v1/chat/completions", "GET /nowhere"):
                status, answer = send(
                    server, f"{line} HTTP/1.1\nHost: localhost\nContent-Length: 0\nConnection: close{authorization}"
                )
                assert status == 401, (authorization, line)
                assert b"scripted" not in answer
        for key in access.keys:
            assert post(server, f"\nAuthorization: Bearer {key}")[0] == 200
        assert send(server, "GET /health HTTP/1.1\nHost: localhost\nConnection: close")[0] == 200


def test_many_wrong_keys_at_once_harm_nobody() -> None:
    with serving(access=Access(port=0, keys=("right",))) as server:
        statuses: list[int] = []
        threads = [
            threading.Thread(target=lambda: statuses.append(post(server, "\nAuthorization: Bearer x")[0]))
            for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [401] * 20
        assert server.chat().status_code == 200


@pytest.mark.parametrize(("header", "name"), [
    ("localhost", "localhost"), ("LocalHost:80", "localhost"), ("[::1]:80", "::1"), ("a.b.", "a.b"), ("", ""),
    ("x:y", ""), ("[::1", ""), ("[::1]x", ""), ("127.0.0.1:8080", "127.0.0.1"),
])
def test_host_names_are_read(header: str, name: str) -> None:
    assert split_host(header) == name


def test_an_open_server_answers_to_addresses_and_its_own_name() -> None:
    opened = Access(host="0.0.0.0", keys=("k",), names=("box.lan",))
    assert opened.answers_to("192.168.1.7:8080")
    assert opened.answers_to("box.lan")
    assert not opened.answers_to("evil.example")
    assert not opened.is_local
    assert not Access().answers_to("192.168.1.7")


def test_origins_are_compared_whole() -> None:
    assert is_same_origin("http://localhost:80", "localhost:80")
    assert not is_same_origin("http://localhost:80.evil.example", "localhost:80")
    assert not is_same_origin("file://localhost", "localhost")
    assert not is_same_origin("null", "null")
