"""What a person has set, kept as one JSON file in the configuration folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

import msgspec

from app import paths
from app.errors import Code, SlipstreamError
from app.methods import METHODS
from app.terms import LoadSettings, Record, Sampling

ThemeChoice = Literal["system", "light", "dark"]
SpeculationMode = Literal["off", "auto", "fixed"]
FixedDrafter = Literal["draft", "ngram-simple"]


class Speculation(Record, frozen=True, kw_only=True):
    """The speculative-decoding switch: off, auto, or fixed with the parameters below."""

    mode: SpeculationMode = "auto"
    drafter: FixedDrafter = "draft"
    max_draft: int = 3
    min_draft: int = 0
    p_min: float = 0.0

    def method(self) -> str:
        """The method text that ``Generate`` and ``SetSpeculation`` take."""
        if self.mode != "fixed":
            return self.mode
        if self.drafter == "ngram-simple":
            return "ngram-simple"
        return f"draft:max={self.max_draft},min={self.min_draft},p_min={self.p_min:g}"

    @property
    def needs_draft(self) -> bool:
        """Whether an answer with this setting fails without a draft model."""
        return self.mode == "fixed" and METHODS[self.drafter].needs_draft


class TargetSettings(Record, frozen=True, kw_only=True):
    """What is remembered for one target: its draft ("" for none), its switch, and its measured plain speed."""

    draft_path: str = ""
    speculation: Speculation = Speculation()
    plain_tokens_per_second: float = 0.0


class WindowSettings(Record, frozen=True, kw_only=True):
    width: int = 1280
    height: int = 800
    speed_panel_open: bool = True
    conversations_open: bool = True
    conversation: str = ""
    """Id of the conversation to open at the next start, for what was left unsent in it."""


class Settings(Record, frozen=True, kw_only=True):
    theme: ThemeChoice = "system"
    tint_drafted: bool = False
    target_path: str = ""
    targets: dict[str, TargetSettings] = msgspec.field(default_factory=dict)
    sampling: Sampling = Sampling()
    max_tokens: int = 2048
    system_prompt: str = ""
    load: LoadSettings = LoadSettings()
    model_folders: list[str] = msgspec.field(default_factory=list)
    window: WindowSettings = WindowSettings()

    def for_target(self, path: str) -> TargetSettings:
        """What is remembered for ``path``, or the defaults."""
        return self.targets.get(path, TargetSettings())

    def with_target(self, path: str, target: TargetSettings) -> Settings:
        return msgspec.structs.replace(self, targets={**self.targets, path: target})


class SettingsFile:
    """Reads and writes the settings; a write either happens whole or not at all."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or paths.config_dir() / "settings.json"

    def load(self) -> tuple[Settings, str]:
        """The settings, and a sentence for the person if the file could not be used ("" otherwise).

        A damaged file is kept beside the new one, never overwritten.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return Settings(), ""
        except OSError as error:
            return Settings(), f"The settings could not be read ({error.strerror}), so the defaults are used."
        try:
            settings = msgspec.json.decode(data, type=Settings)
            check(settings)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, SlipstreamError):
            return Settings(), self._set_aside()
        return settings, ""

    def _set_aside(self) -> str:
        aside = self.path.with_suffix(".damaged.json")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_suffix(f".damaged-{number}.json")
        try:
            os.replace(self.path, aside)
        except OSError:
            return "The settings file is damaged, so the defaults are used."
        return f"The settings file was damaged, so the defaults are used. The old file is kept as {aside.name}."

    def save(self, settings: Settings) -> None:
        """Raises ``SlipstreamError`` (``FILE``) when the folder cannot be written."""
        try:
            folder = paths.private_dir(self.path.parent)
            handle, name = tempfile.mkstemp(prefix=".settings-", suffix=".json", dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(msgspec.json.format(msgspec.json.encode(settings), indent=2))
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, self.path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise SlipstreamError(
                Code.FILE, f"The settings could not be saved in {self.path.parent} ({error.strerror}).",
                "Check that the folder can be written and the disk has room.",
            ) from error


def check(settings: Settings) -> None:
    """Raises ``SlipstreamError`` (``SETTINGS_INVALID``) when a value is outside its range."""
    sampling, load = settings.sampling, settings.load
    switches = [target.speculation for target in settings.targets.values()]
    ranges = [
        ("temperature", sampling.temperature, 0, 5),
        ("top-k", sampling.top_k, 0, 100_000),
        ("top-p", sampling.top_p, 0, 1),
        ("min-p", sampling.min_p, 0, 1),
        ("repeat penalty", sampling.repeat_penalty, 0.1, 10),
        ("answer length", settings.max_tokens, 1, 1_000_000),
        ("context", load.ctx_tokens, 0, 16_777_216),
        ("threads", load.threads, 0, 1024),
        *(("max draft tokens", each.max_draft, 1, 64) for each in switches),
        *(("min draft tokens", each.min_draft, 0, 64) for each in switches),
        *(("draft probability", each.p_min, 0, 1) for each in switches),
    ]
    for name, value, low, high in ranges:
        if not low <= value <= high:
            raise SlipstreamError(
                Code.SETTINGS_INVALID, f"The setting “{name}” is {value:g}.", f"Give a number from {low} to {high}."
            )
