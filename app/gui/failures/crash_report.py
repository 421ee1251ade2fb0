"""The text behind "Copy report": versions, devices, settings, last log lines; no chat, no token, no person's name."""

from __future__ import annotations

import getpass
import os
import platform
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import psutil
import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from app import __version__
from app.log import last_lines
from app.protocol import Device
from app.settings.settings import Settings

LOG_LINES = 60
_LOGS = ("window", "command-line")
_ENGINES = ("llama-cpp-python", "ik-llama-cpp-python")
_SECRETS = re.compile(
    r"\b(?:hf_|sk-|ghp_|github_pat_|api_org_)[A-Za-z0-9_-]{6,}|\bBearer\s+\S+|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|(?<=token=)[^\s&]+",
    re.IGNORECASE,
)
_SECRET_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN")
_TOLD_TEXTS = frozenset({
    "theme", "cache_type_k", "cache_type_v", "draft_cache_type_k", "draft_cache_type_v", "flash_attn", "mode",
    "drafter", "method", "engine", "language", "target_path", "draft_path", "model_folders",
})
"""Settings whose text is told; of any other, which may be what a person wrote, only the length is."""


@dataclass(frozen=True)
class Failure:
    """What a person is told: a title, what happened, what to do; ``details`` go into the report alone."""

    title: str
    message: str
    hint: str = ""
    details: str = ""


def make_report(failure: Failure, settings: Settings, devices: Sequence[Device], log_folder: Path) -> str:
    """The whole report as plain text."""
    parts = [
        "Slipstream report", "",
        failure.title, failure.message, failure.hint, "",
        *_versions(), "", *_machine(devices), "", "Settings", *_settings(settings),
    ]
    if failure.details:
        parts += ["", "Where it happened", failure.details]
    for name in _LOGS:
        lines = last_lines(log_folder, name, LOG_LINES)
        if lines:
            parts += ["", f"Last lines of {name}.log", *lines]
    return neutral("\n".join(parts)) + "\n"


def neutral(text: str) -> str:
    """``text`` without tokens, and with the home folder and the person's name taken out of paths."""
    for variable in _SECRET_VARIABLES:
        value = os.environ.get(variable, "")
        if len(value) > 3:
            text = text.replace(value, "(token)")
    text = _SECRETS.sub("(token)", text)
    home = str(Path.home())
    if len(home) > 1:
        for spelling in (home, home.replace("\\", "\\\\"), home.replace("\\", "/")):
            text = text.replace(spelling, "~")
    name = _user_name()
    if name and name != "root":
        text = re.sub(rf"(?<=[/\\]){re.escape(name)}(?=[/\\\s\"']|$)", "(user)", text)
    return text


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _versions() -> list[str]:
    engines = []
    for name in _ENGINES:
        try:
            engines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    how = "packaged" if getattr(sys, "frozen", False) else "from source"
    return [
        f"Slipstream {__version__} ({how})",
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}, Qt {qVersion()} "
        f"({QGuiApplication.platformName()})",
        f"Engines: {', '.join(engines) or 'none found'}",
        f"System: {platform.platform()}",
    ]


def _machine(devices: Sequence[Device]) -> list[str]:
    memory = psutil.virtual_memory()
    lines = [
        f"Processor: {_processor()}, {psutil.cpu_count(logical=False)} cores, {psutil.cpu_count()} threads",
        f"Memory: {memory.available / 1e9:.1f} GB free of {memory.total / 1e9:.1f} GB",
    ]
    lines += [
        f"Device {each.name}: {each.description} ({each.kind}), {each.free_bytes / 1e9:.1f} GB free of "
        f"{each.total_bytes / 1e9:.1f} GB" for each in devices
    ]
    return lines


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _settings(settings: Settings) -> list[str]:
    return sorted(_flatten("", msgspec.to_builtins(settings)))


def _flatten(place: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        # Keys of tables, such as the targets' paths, are not names of settings: their number is told.
        if place.endswith("targets"):
            return [f"  {place}: {len(value)} models"]
        return [line for key, each in value.items() for line in _flatten(f"{place}.{key}" if place else key, each)]
    name = place.rpartition(".")[2]
    if isinstance(value, list):
        told = ", ".join(map(str, value)) if name in _TOLD_TEXTS else f"{len(value)} entries"
        return [f"  {place}: {told}"]
    if isinstance(value, str) and value and name not in _TOLD_TEXTS:
        return [f"  {place}: ({len(value)} characters)"]
    return [f"  {place}: {value}"]
