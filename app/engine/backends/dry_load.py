"""What llama.cpp would reserve for a model, learned by loading it without its weights.

Source: ``llama_model_params.no_alloc`` and the log lines of ``load_tensors``, ``llama_kv_cache``,
``llama_memory_recurrent`` and ``llama_context::sched_reserve`` in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import llama_cpp

from app.engine.backends.llama import WHOLE_MODEL_LAYERS, _check_settings, _make_context
from app.errors import Code, SlipstreamError
from app.records import AUTO_LAYERS, LoadSettings
from app.sentences import say

MIB = 1024 * 1024
_BUFFER = re.compile(r":\s+(?P<device>\S+)\s+(?P<kind>compute|output) buffer size\s*=\s*(?P<mib>[\d.]+) MiB")
_CACHE = re.compile(r":\s+size\s*=\s*(?P<mib>[\d.]+) MiB\s*\(\s*\d+ cells")
_OFFLOADED = re.compile(r"offloaded (\d+)/\d+ layers")


@dataclass(frozen=True)
class Reserved:
    """``cache_bytes`` is keys and values, or the states of a recurrent model; ``compute_bytes`` and ``output_bytes``
    are by device, as ggml names it (``CPU``, ``CUDA0``, …); ``layers`` go to graphics cards."""

    cache_bytes: int
    compute_bytes: dict[str, int] = field(default_factory=dict)
    output_bytes: dict[str, int] = field(default_factory=dict)
    layers: int = 0


def probe_reserved(path: str, settings: LoadSettings, max_rows: int, extra_buffers: bool = True) -> Reserved:
    """Load the model at ``path`` without its weights, make its context, and read what was reserved.

    A file that llama.cpp takes for sound and that is not can end the process, so only a worker without a model does it.

    Raises:
        SlipstreamError: ``MODEL_NOT_FOUND``, ``MODEL_LOAD_FAILED``, ``OUT_OF_MEMORY``, ``SETTINGS_INVALID``.
    """
    _check_settings(path, settings)
    llama_cpp.llama_backend_init()
    with _listening() as lines:
        params = llama_cpp.llama_model_default_params()
        params.no_alloc = True
        params.use_extra_bufts = extra_buffers
        params.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE
        auto = WHOLE_MODEL_LAYERS if llama_cpp.llama_supports_gpu_offload() else 0
        params.n_gpu_layers = auto if settings.gpu_layers == AUTO_LAYERS else settings.gpu_layers
        model = llama_cpp.llama_model_load_from_file(os.fsencode(path), params)
        if not model:
            raise SlipstreamError(
                Code.MODEL_LOAD_FAILED, say("The engine cannot read {what}.", what=Path(path).name),
                say("Choose another model."),
            )
        try:
            context = _make_context(model, settings, max_rows)
            llama_cpp.llama_free(context)
        finally:
            llama_cpp.llama_model_free(model)
    return read_reserved(lines)


def read_reserved(lines: Sequence[str]) -> Reserved:
    """What llama.cpp's log says it reserved; lines of other kinds are passed over."""
    cache = 0
    sums: dict[str, dict[str, int]] = {"compute": {}, "output": {}}
    layers = 0
    for line in lines:
        if found := _BUFFER.search(line):
            by_device = sums[found["kind"]]
            by_device[found["device"]] = by_device.get(found["device"], 0) + int(float(found["mib"]) * MIB)
        elif found := _CACHE.search(line):
            cache += int(float(found["mib"]) * MIB)
        elif found := _OFFLOADED.search(line):
            layers = int(found[1])
    return Reserved(cache, sums["compute"], sums["output"], layers)


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Collect llama.cpp's log lines; whoever listened before does so again afterwards."""
    lines: list[str] = []

    def receive(_level: int, text: bytes, _data: ctypes.c_void_p) -> None:
        lines.append(text.decode("utf-8", "replace"))

    before, data = llama_cpp.llama_log_callback(), ctypes.c_void_p()
    llama_cpp.llama_log_get(ctypes.byref(before), ctypes.byref(data))
    callback = llama_cpp.llama_log_callback(receive)
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))
    try:
        yield lines
    finally:
        llama_cpp.llama_log_set(before, data)
