"""Devices of other machines: addresses, and what is said where they cannot be used."""

from __future__ import annotations

import os
import socket

import pytest

from app.client.process import ProcessClient
from app.engine.backends.rpc import NOT_BUILT_IN, add_rpc_servers, parse_addresses
from app.protocol import DeviceList, Devices
from app.records import RPC_VARIABLE


def test_addresses_are_read() -> None:
    assert parse_addresses(" a:1, 10.0.0.2:50052 [::1]:7") == [("a", 1), ("10.0.0.2", 50052), ("::1", 7)]


@pytest.mark.parametrize("text", ["host", "host:", ":1", "host:0", "host:70000", "host:x"])
def test_what_is_no_address_is_said(text: str) -> None:
    [note] = add_rpc_servers(text, supports=lambda: True, register=lambda endpoint: True)
    assert "is not an address" in note


def test_reachable_servers_are_registered_and_others_said() -> None:
    registered: list[str] = []

    def register(endpoint: str) -> bool:
        registered.append(endpoint)
        return True

    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        here = f"127.0.0.1:{server.getsockname()[1]}"
        notes = add_rpc_servers(f"{here},127.0.0.1:9", supports=lambda: True, register=register)
        assert registered == [here]
        assert len(notes) == 1
        assert "127.0.0.1:9" in notes[0]
        assert "another version" in add_rpc_servers(here, supports=lambda: True, register=lambda _: False)[0]


def test_an_engine_without_rpc_says_how_to_get_it() -> None:
    assert add_rpc_servers("a:1", supports=lambda: False) == [NOT_BUILT_IN]
    assert "GGML_RPC" in NOT_BUILT_IN
    assert add_rpc_servers("") == []


def test_the_worker_tells_it_with_its_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The locked package is built without RPC; where it is built with it, nobody answers at this address."""
    monkeypatch.setenv(RPC_VARIABLE, "127.0.0.1:9")
    assert os.environ[RPC_VARIABLE]
    with ProcessClient() as client:
        listed = client._run(Devices(request_id=0), DeviceList, may_start=True)
    assert listed.devices
    [note] = listed.notes
    assert note == NOT_BUILT_IN or "No rpc-server answers" in note
