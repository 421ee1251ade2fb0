"""Where things are, in a checkout, a wheel and a frozen build. Standard library only: ``dev.py`` uses it too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

APP_NAME = "slipstream"
PORTABLE_MARKER = "portable"
PORTABLE_DATA = "slipstream-data"


def program_root() -> Path:
    """The folder that holds ``resources`` and ``models_catalog``."""
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        return Path(frozen)
    package = Path(__file__).resolve().parent
    carried = package / "_data"
    return carried if carried.is_dir() else package.parent


def resources_dir() -> Path:
    return program_root() / "resources"


def catalog_file() -> Path:
    return program_root() / "models_catalog" / "catalog.toml"


def prompts_file() -> Path:
    """The prompts that ship with the program, five of each of eight kinds: lines of {id, kind, messages}."""
    return resources_dir() / "prompts.jsonl"


def program_folder() -> Path:
    """The folder that holds the program as a person sees it: beside the AppImage, the app bundle, or the executable."""
    if not getattr(sys, "frozen", False):
        return program_root()
    image = os.environ.get("APPIMAGE", "")
    if image:
        return Path(image).resolve().parent
    folder = Path(sys.executable).resolve().parent
    bundle = folder.parent.parent
    return bundle.parent if bundle.suffix == ".app" else folder


def portable_dir() -> Path | None:
    """Where everything is kept if a file or folder named ``portable`` lies beside the program; None if none does."""
    folder = program_folder()
    return folder / PORTABLE_DATA if (folder / PORTABLE_MARKER).exists() else None


def _base(xdg_variable: str, xdg_default: str, mac: str, windows: str) -> Path:
    portable = portable_dir()
    if portable is not None:
        return portable / windows
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / APP_NAME / windows
    if sys.platform == "darwin":
        return home / "Library" / mac / APP_NAME
    given = os.environ.get(xdg_variable, "")
    return (Path(given) if given.startswith("/") else home / xdg_default) / APP_NAME


def cache_dir() -> Path:
    """What can be made or fetched again: built wheels, models."""
    return _base("XDG_CACHE_HOME", ".cache", "Caches", "cache")


def models_dir() -> Path:
    """The program's own model folder; ``SLIPSTREAM_MODELS`` overrides it."""
    given = os.environ.get("SLIPSTREAM_MODELS", "")
    return Path(given) if given else cache_dir() / "models"


def bundled_models_dir() -> Path:
    """Models that came with a packaged program; the folder need not be there."""
    place = Path(sys.executable).resolve().parent if getattr(sys, "frozen", False) else program_root() / "packaging"
    return place / "models"


def data_dir() -> Path:
    """What a person made: conversations, measurements."""
    return _base("XDG_DATA_HOME", ".local/share", "Application Support", "data")


def config_dir() -> Path:
    return _base("XDG_CONFIG_HOME", ".config", "Preferences", "config")


def log_dir() -> Path:
    return _base("XDG_STATE_HOME", ".local/state", "Logs", "logs")


def private_dir(path: Path) -> Path:
    """Make ``path`` readable by its owner alone and return it. Raises ``OSError``."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path
