"""The devices that ggml can compute on, through calls that llama_cpp does not bind.

On CUDA, asking creates a context that holds memory there: only the worker may do it. The processor's figures of ggml
say free = total on Linux, so the machine's own are given instead.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psutil

_KINDS = {0: "cpu", 1: "gpu", 2: "igpu", 3: "accelerator"}


@dataclass(frozen=True)
class DeviceFacts:
    """``kind``: ``cpu``, ``gpu``, ``igpu`` or ``accelerator``."""

    name: str
    description: str
    kind: str
    free_bytes: int
    total_bytes: int


def list_devices(with_llama: bool = True) -> list[DeviceFacts]:
    """Without llama.cpp there is the processor alone, which is all that the second engine computes on."""
    if not with_llama or find_spec("llama_cpp") is None:
        host = psutil.virtual_memory()
        return [DeviceFacts("CPU", platform.processor() or platform.machine(), "cpu", host.available, host.total)]
    base, registry = open_ggml("ggml-base"), open_ggml("ggml")
    registry.ggml_backend_dev_count.restype = ctypes.c_size_t
    registry.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    registry.ggml_backend_dev_get.restype = ctypes.c_void_p
    for function in (base.ggml_backend_dev_name, base.ggml_backend_dev_description):
        function.argtypes = [ctypes.c_void_p]
        function.restype = ctypes.c_char_p
    base.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    size = ctypes.POINTER(ctypes.c_size_t)
    base.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, size, size]
    devices = []
    for index in range(registry.ggml_backend_dev_count()):
        device = registry.ggml_backend_dev_get(index)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        base.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        kind = _KINDS.get(base.ggml_backend_dev_type(device), "accelerator")
        host = psutil.virtual_memory()
        devices.append(
            DeviceFacts(
                name=base.ggml_backend_dev_name(device).decode("utf-8", "replace"),
                description=base.ggml_backend_dev_description(device).decode("utf-8", "replace"),
                kind=kind,
                free_bytes=host.available if kind == "cpu" else free.value,
                total_bytes=host.total if kind == "cpu" else total.value,
            )
        )
    return devices


def open_ggml(name: str) -> ctypes.CDLL:
    """A library of ggml as llama_cpp brings it."""
    spec = find_spec("llama_cpp")
    folder = Path(spec.origin).parent / "lib" if spec and spec.origin else Path()
    pattern = {"win32": "{}.dll", "darwin": "lib{}.dylib"}.get(sys.platform, "lib{}.so").format(name)
    return ctypes.CDLL(str(folder / pattern))
