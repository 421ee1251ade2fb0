"""Which build of llama.cpp's processor part runs here, for libraries that come with several.

A packaged program carries the processor part in variants, each for other instructions. llama.cpp finds the best one
that runs when it is told the folder; a library that was built for this machine has one, built in, and needs nothing.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path


def load_variants(folder: Path) -> bool:
    """Register the variants in ``folder``, where llama.cpp's libraries lie. Returns whether there are any."""
    if not any(folder.glob("*ggml-cpu-*")):
        return False
    name = {"nt": "ggml.dll"}.get(os.name, "libggml.so")
    library = folder / name if (folder / name).exists() else folder / "libggml.dylib"
    load = ctypes.CDLL(str(library)).ggml_backend_load_all_from_path
    load.argtypes, load.restype = [ctypes.c_char_p], None
    load(os.fsencode(folder))
    return True
