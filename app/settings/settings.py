"""What a person has set, kept as one JSON file in the configuration folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from app import paths
from app.errors import Code, SlipstreamError
from app.files import write_whole
from app.records import LoadSettings, OnFull, Record, Sampling
from app.sentences import say
from app.settings.ranges import bring_in
from app.settings.scopes import (
    AnswerChoice,
    Answering,
    LoadChoice,
    Preset,
    Speculation,
    Thinking,
    apply_load,
)
from app.settings.table import setting

__all__ = ["HubSettings", "MeasuredGain", "Settings", "SettingsFile", "Speculation", "TargetSettings", "ThemeChoice",
           "WindowSettings"]

VERSION = 1
ThemeChoice = Literal["system", "light", "dark"]
Language = Literal["system", "en", "vi"]


class MeasuredGain(Record, frozen=True, kw_only=True):
    """How many times as fast answers with a draft were as plain ones on this computer, over ``answers`` of them."""

    factor: float
    answers: int = 1


class HubSettings(Record, frozen=True, kw_only=True):
    """How the model hub is reached: ``endpoint`` "" takes ``HF_ENDPOINT`` or the public hub, ``offline`` none."""

    endpoint: str = ""
    offline: bool = False


class TargetSettings(Record, frozen=True, kw_only=True):
    """What is remembered for one target: its draft ("" for none), its switch, its measured plain speed, and what is set
    for it apart from what holds for all. ``draft_load`` is for its draft, whose context is always the target's."""

    draft_path: str = ""
    speculation: Speculation = Speculation()
    plain_tokens_per_second: float = 0.0
    gains: dict[str, MeasuredGain] = msgspec.field(default_factory=dict)
    """By the path of the draft."""
    answers: AnswerChoice = AnswerChoice()
    load: LoadChoice = LoadChoice()
    draft_load: LoadChoice = LoadChoice()


class WindowSettings(Record, frozen=True, kw_only=True):
    width: int = 1280
    height: int = 800
    speed_panel_open: bool = True
    conversations_open: bool = True
    conversation: str = ""
    """Id of the conversation to open at the next start, for what was left unsent in it."""


class ServerChoice(Record, frozen=True, kw_only=True):
    """The server's switch. ``open_to_network``: other machines may connect, with the key."""

    on: bool = False
    open_to_network: bool = False
    port: int = 8080


class Settings(Record, frozen=True, kw_only=True):
    version: int = VERSION
    theme: ThemeChoice = "system"
    language: Language = "system"
    tint_drafted: bool = False
    target_path: str = ""
    targets: dict[str, TargetSettings] = msgspec.field(default_factory=dict)
    sampling: Sampling = Sampling()
    max_tokens: int = 2048
    system_prompt: str = ""
    thinking: Thinking = "model"
    on_full: OnFull = "trim"
    presets: list[Preset] = msgspec.field(default_factory=list)
    """A person's own."""
    load: LoadSettings = LoadSettings(engine="auto")
    draft_load: LoadChoice = LoadChoice()
    """How drafts are loaded apart from ``load``."""
    states_limit_bytes: int = int(setting("states_limit_bytes").default or 0)
    """What the kept states of chats may take on the disk; 0 keeps none."""
    model_folders: list[str] = msgspec.field(default_factory=list)
    hub: HubSettings = HubSettings()
    window: WindowSettings = WindowSettings()
    server: ServerChoice = ServerChoice()
    rpc_servers: str = ""
    """Addresses of llama.cpp's rpc-server on other machines, parted by commas."""

    def for_target(self, path: str) -> TargetSettings:
        """What is remembered for ``path``, or the defaults."""
        return self.targets.get(path, TargetSettings())

    @property
    def answering(self) -> Answering:
        """How answers are made where neither model nor chat says otherwise."""
        return Answering(system_prompt=self.system_prompt, sampling=self.sampling, max_tokens=self.max_tokens,
                         thinking=self.thinking, on_full=self.on_full)

    def load_for(self, path: str) -> LoadSettings:
        """How the target at ``path`` is loaded."""
        return apply_load(self.load, self.for_target(path).load)

    def draft_load_for(self, path: str) -> LoadSettings:
        """How a draft for the target at ``path`` is loaded: with the target's context and engine, whatever is set."""
        target = self.load_for(path)
        load = apply_load(apply_load(target, self.draft_load), self.for_target(path).draft_load)
        return msgspec.structs.replace(load, ctx_tokens=target.ctx_tokens, engine=target.engine)

    def with_target(self, path: str, target: TargetSettings) -> Settings:
        return msgspec.structs.replace(self, targets={**self.targets, path: target})


class SettingsFile:
    """Reads and writes the settings; a write either happens whole or not at all."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or paths.config_dir() / "settings.json"

    def load(self) -> tuple[Settings, str]:
        """The settings, and a sentence for the person if the file could not be used ("" otherwise).

        A damaged file is kept beside the new one, never overwritten. Values outside their ranges become the nearest.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return Settings(), ""
        except OSError as error:
            return Settings(), say(
                "The settings could not be read ({reason}), so the defaults are used.", reason=error.strerror
            )
        try:
            changes: list[str] = []
            settings: Settings = bring_in(msgspec.json.decode(data, type=Settings), changes)
            if settings.version > VERSION:
                return msgspec.structs.replace(settings, version=VERSION), self._copy_aside(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Settings(), self._set_aside()
        return settings, _say_changes(changes)

    def _copy_aside(self, data: bytes) -> str:
        """Keep what a newer version wrote, since saving leaves out what this one does not know."""
        aside = self.path.with_suffix(".newer.json")
        try:
            aside.write_bytes(data)
            aside.chmod(0o600)
        except OSError:
            return say("The settings were written by a newer version; what this one does not know is left out.")
        return say("The settings were written by a newer version. They are kept as {name}.", name=aside.name)

    def _set_aside(self) -> str:
        aside = self.path.with_suffix(".damaged.json")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_suffix(f".damaged-{number}.json")
        try:
            os.replace(self.path, aside)
        except OSError:
            return say("The settings file is damaged, so the defaults are used.")
        return say(
            "The settings file was damaged, so the defaults are used. The old file is kept as {name}.", name=aside.name
        )

    def save(self, settings: Settings) -> None:
        """Raises ``SlipstreamError`` (``FILE``) when the folder cannot be written."""
        try:
            paths.private_dir(self.path.parent)
            write_whole(self.path, msgspec.json.format(msgspec.json.encode(settings), indent=2), mode=0o600)
        except OSError as error:
            raise SlipstreamError(
                Code.FILE,
                say(
                    "The settings could not be saved in {path} ({reason}).",
                    path=self.path.parent, reason=error.strerror,
                ),
                say("Check that the folder can be written and the disk has room."),
            ) from error


def _say_changes(changes: list[str]) -> str:
    if not changes:
        return ""
    return say("These settings were outside their ranges and are now the nearest value: {names}.",
               names=", ".join(changes[:5]))
