"""Whether a window can be opened, asked before Qt is: Qt ends the process where it cannot."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

_X_NAME = re.compile(r"^(?P<host>[^:]*):(?P<number>\d+)(\.\d+)?$")
_PLUGIN_NEEDS = {
    "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0", "libxcb-icccm.so.4": "libxcb-icccm4", "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1", "libxcb-render-util.so.0": "libxcb-render-util0",
}
_TIMEOUT_S = 3.0


def find_obstacle(environment: Mapping[str, str] = os.environ) -> str:
    """One sentence on why no window can be opened; "" if nothing speaks against it."""
    if environment.get("QT_QPA_PLATFORM") or not sys.platform.startswith(("linux", "freebsd")):
        return ""
    wayland, x = environment.get("WAYLAND_DISPLAY", ""), environment.get("DISPLAY", "")
    if wayland and _wayland_answers(wayland, environment.get("XDG_RUNTIME_DIR", "")):
        return ""
    if not x:
        return "there is no display to open a window on"
    if not _x_answers(x):
        return f"the display {x} does not answer"
    missing = {library: package for library, package in _PLUGIN_NEEDS.items() if not _can_load(library)}
    if missing:
        packages = " ".join(missing.values())
        return (f"system libraries for windows are missing: {', '.join(missing)} "
                f"(on Debian and Ubuntu: apt-get install {packages})")
    return ""


def _wayland_answers(name: str, runtime_dir: str) -> bool:
    return _connects(str(Path(runtime_dir) / name))


def _x_answers(name: str) -> bool:
    match = _X_NAME.match(name)
    if match is None:
        # A form that we do not know, such as a socket's path: leave it to Qt.
        return True
    number = int(match["number"])
    if match["host"] in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return _connects(path) or _connects("\0" + path)
    try:
        with socket.create_connection((match["host"], 6000 + number), timeout=_TIMEOUT_S):
            return True
    except OSError:
        return False


def _connects(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_TIMEOUT_S)
        try:
            probe.connect(path)
        except OSError:
            return False
        return True


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
