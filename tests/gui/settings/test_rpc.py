"""llama.cpp over several machines, as the settings show it: addresses, what came of them, and the memory they lend."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.gui.program import Program
from app.gui.settings.rpc import RpcServers
from app.protocol import Device, DeviceList
from app.records import RPC_VARIABLE
from app.settings.settings import Settings


def test_addresses_and_what_came_of_them(qtbot: QtBot) -> None:
    row = RpcServers("10.0.0.2:50052", ["No rpc-server answers at 10.0.0.2:50052; its memory is not used."])
    qtbot.addWidget(row)
    row.show()
    assert row.addresses.text() == "10.0.0.2:50052"
    assert "No rpc-server answers" in row.notes.text()
    row.addresses.setText(" 10.0.0.3:50052 ")
    with qtbot.waitSignal(row.changed) as told:
        row.addresses.editingFinished.emit()
    assert told.args == ["10.0.0.3:50052"]
    row.show_notes([])
    assert row.notes.isHidden()


def test_the_engine_is_told_the_addresses_and_its_words_reach_the_settings(
    make_program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RPC_VARIABLE, "")
    monkeypatch.delenv(RPC_VARIABLE)
    program = make_program(settings=Settings(rpc_servers="10.0.0.2:50052"), load=False)
    assert os.environ[RPC_VARIABLE] == "10.0.0.2:50052"
    note = "This engine was built without the RPC backend."
    program.devices.take(DeviceList(request_id=-1, devices=[], notes=[note]))
    dialog = program.window.settings.open()
    assert note in dialog.rpc.notes.text()


def test_another_machines_device_counts_as_memory(
    make_program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.memory_check.has_one_memory", lambda: False)
    program = make_program(load=False)
    before = program.models.room().cards
    lent = Device(name="RPC0", description="10.0.0.2:50052", kind="gpu", free_bytes=8 << 30, total_bytes=16 << 30)
    program.models.take_devices([lent])
    assert len(program.models.room().cards) == len(before) + 1
    assert program.models.room().cards[-1].free_bytes == 8 << 30
