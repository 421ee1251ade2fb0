"""Whether Qt and its platform plugin can be loaded, tried before Qt would end the process over it."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

_MISSING = re.compile(r"([\w.+-]+\.(?:so[.\d]*|dll|dylib))\W+(?:cannot open|image not found|not found)")
_PACKAGES = {
    "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "libOpenGL.so.0": "libopengl0",
    "libxkbcommon.so.0": "libxkbcommon0", "libfontconfig.so.1": "libfontconfig1", "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0", "libxcb-cursor.so.0": "libxcb-cursor0", "libX11-xcb.so.1": "libx11-xcb1",
    "libwayland-client.so.0": "libwayland-client0", "libwayland-egl.so.1": "libwayland-egl1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0", "libxcb-icccm.so.4": "libxcb-icccm4",
}


def find_qt_obstacle(environment: Mapping[str, str] = os.environ) -> str:
    """One sentence on why Qt cannot be started here; "" if nothing speaks against it.

    Call it after ``find_obstacle`` of ``display``: the libraries of the plugin are loaded here.
    """
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return "the library PySide6, which draws windows, is not installed (install the program again)"
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as error:
        return _describe(str(error), "PySide6, which draws windows, cannot be loaded")
    return _find_plugin_obstacle(Path(next(iter(spec.submodule_search_locations))), environment)


def _find_plugin_obstacle(package: Path, environment: Mapping[str, str]) -> str:
    folders = [folder for folder in _plugin_folders(package, environment) if folder.is_dir()]
    wanted = _wanted_platforms(environment)
    reasons: list[str] = []
    for name in wanted:
        file = next((folder / _file_name(name) for folder in folders if (folder / _file_name(name)).is_file()), None)
        if file is None:
            reasons.append(f"Qt's plugin for the platform “{_printable(name)}” is missing "
                           "(install the program again, or unset QT_QPA_PLATFORM)")
            continue
        try:
            ctypes.CDLL(str(file))
        except OSError as error:
            reasons.append(_describe(str(error), f"Qt's plugin for the platform “{_printable(name)}” cannot be loaded"))
            continue
        return ""
    return reasons[0] if reasons else ""


def _wanted_platforms(environment: Mapping[str, str]) -> list[str]:
    given = environment.get("QT_QPA_PLATFORM", "")
    if given:
        # "wayland;xcb" are tried in turn; what follows a colon are options.
        return [name.partition(":")[0] for name in given.split(";") if name.partition(":")[0]]
    if sys.platform == "win32":
        return ["windows"]
    if sys.platform == "darwin":
        return ["cocoa"]
    return ["wayland", "xcb"] if environment.get("WAYLAND_DISPLAY") else ["xcb"]


def _plugin_folders(package: Path, environment: Mapping[str, str]) -> list[Path]:
    given = [Path(environment["QT_QPA_PLATFORM_PLUGIN_PATH"])] if environment.get("QT_QPA_PLATFORM_PLUGIN_PATH") else []
    more = [Path(each) / "platforms" for each in environment.get("QT_PLUGIN_PATH", "").split(os.pathsep) if each]
    return [*given, *more, package / "Qt" / "plugins" / "platforms", package / "plugins" / "platforms"]


def _file_name(platform: str) -> str:
    if sys.platform == "win32":
        return f"q{platform}.dll"
    return f"libq{platform}.{'dylib' if sys.platform == 'darwin' else 'so'}"


def _describe(reason: str, otherwise: str) -> str:
    missing = _MISSING.search(reason)
    if missing is None:
        return f"{otherwise} ({_printable(' '.join(reason.split()))[:200]})"
    name = missing.group(1)
    package = _PACKAGES.get(name)
    install = f" (on Debian and Ubuntu: apt-get install {package})" if package else ""
    return f"the system library {name} is missing, which windows need{install}"


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())
