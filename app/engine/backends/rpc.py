"""Devices of other machines, through llama.cpp's RPC backend, where the installed library was built with it."""

from __future__ import annotations

import ctypes
import socket
from collections.abc import Callable
from importlib.util import find_spec

from app.engine.devices import open_ggml
from app.sentences import say

_CONNECT_S = 3.0
NOT_BUILT_IN = (
    say(
        "This engine was built without the RPC backend, so other machines cannot be used. Build llama-cpp-python from "
        "source with CMAKE_ARGS=-DGGML_RPC=on to have it."
    )
)


def parse_addresses(text: str) -> list[tuple[str, int]]:
    """``host:port``, parted by commas or spaces. Raises ``ValueError`` with the part that is none."""
    found = []
    for part in text.replace(",", " ").split():
        host, colon, port = part.rpartition(":")
        if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ValueError(part)
        found.append((host.strip("[]"), int(port)))
    return found


def add_rpc_servers(
    text: str, supports: Callable[[], bool] | None = None, register: Callable[[str], bool] | None = None
) -> list[str]:
    """Register the devices of the ``rpc-server`` programs at these addresses, before any model is loaded.

    Returns a sentence for each that could not be used. ``supports`` and ``register`` stand in for the library.
    """
    if not text.strip():
        return []
    try:
        addresses = parse_addresses(text)
    except ValueError as error:
        return [say("“{text}” is not an address such as 192.168.1.20:50052.", text=str(error)[:60])]
    if not (supports or _supports_rpc)():
        return [NOT_BUILT_IN]
    notes = []
    for host, port in addresses:
        # the library ends the process when nobody answers
        if not _answers(host, port):
            notes.append(say("No rpc-server answers at {address}; its memory is not used.", address=f"{host}:{port}"))
        elif not (register or _register)(f"{host}:{port}"):
            notes.append(say(
                "The rpc-server at {address} is of another version; its memory is not used.", address=f"{host}:{port}"
            ))
    return notes


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), _CONNECT_S):
            return True
    except OSError:
        return False


def _supports_rpc() -> bool:
    if find_spec("llama_cpp") is None:
        return False
    import llama_cpp

    return bool(llama_cpp.llama_supports_rpc())


def _register(endpoint: str) -> bool:
    """As llama.cpp's own programs do: the backend makes a registry for the address, which joins the global one."""
    registry = open_ggml("ggml")
    registry.ggml_backend_reg_by_name.argtypes = [ctypes.c_char_p]
    registry.ggml_backend_reg_by_name.restype = ctypes.c_void_p
    registry.ggml_backend_register.argtypes = [ctypes.c_void_p]
    base = open_ggml("ggml-base")
    base.ggml_backend_reg_get_proc_address.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    base.ggml_backend_reg_get_proc_address.restype = ctypes.c_void_p
    backend = registry.ggml_backend_reg_by_name(b"RPC")
    address = base.ggml_backend_reg_get_proc_address(backend, b"ggml_backend_rpc_add_server") if backend else None
    if not address:
        return False
    made = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(address)(endpoint.encode())
    if not made:
        return False
    registry.ggml_backend_register(made)
    return True
