"""What the settings dialog edits: what holds for every model, for the one in use, and for the chat on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from app.settings.scopes import (
    PLAIN_ANSWER_FIELDS,
    RANDOM_SEED,
    AnswerChoice,
    Answering,
    LoadChoice,
    Preset,
    apply_answers,
    choice_of,
    given_values,
)
from app.settings.settings import Settings

Scope = Literal["all", "model", "chat"]
Family = Literal["answers", "load", "draft_load"]
Origin = Literal["all", "file", "model", "chat", "target"]
"""Where a value comes from. ``file``: the model file asks for it. ``target``: a draft is loaded as its target is."""


@dataclass(frozen=True)
class Valued:
    """``own``: set in the scope that is looked at, and not merely followed."""

    value: Any
    origin: Origin
    own: bool


class SettingsDraft:
    """Values by scope, family and field name. Knows no widget."""

    def __init__(self, settings: Settings, target_path: str = "", file_choice: AnswerChoice | None = None,
                 chat_choice: AnswerChoice | None = None) -> None:
        self.settings = settings
        self.target_path = target_path
        self.file_choice = file_choice or AnswerChoice()
        self.chat_choice = chat_choice or AnswerChoice()

    def look(self, scope: Scope, family: Family, key: str) -> Valued:
        """The value that holds in ``scope``, and where it comes from."""
        own = getattr(self.own(scope, family), key)
        if own is not None:
            return Valued(own, scope, scope != "all" or family == "draft_load")
        for origin, choice in self._wider(scope, family):
            value = getattr(choice, key)
            if value is not None:
                return Valued(value, origin, False)
        return Valued(None, "all", False)

    def own(self, scope: Scope, family: Family) -> AnswerChoice | LoadChoice:
        """What ``scope`` itself says."""
        target = self.settings.for_target(self.target_path)
        if family == "answers":
            return {"all": self._all_answers(), "model": target.answers, "chat": self.chat_choice}[scope]
        if family == "load":
            return self._all_load() if scope == "all" else target.load
        return self.settings.draft_load if scope == "all" else target.draft_load

    def set(self, scope: Scope, family: Family, key: str, value: Any) -> None:
        """``value`` None makes the scope follow the wider one."""
        if scope == "all" and family != "draft_load":
            if value is not None:
                self._set_for_all(family, key, value)
            return
        self._put(scope, family, msgspec.structs.replace(self.own(scope, family), **{key: value}))

    def reset(self, scope: Scope) -> None:
        """What the scope says goes: a chat follows its model, a model its file, and all the program's defaults."""
        if scope == "all":
            fresh = Settings()
            self.settings = msgspec.structs.replace(
                self.settings, sampling=fresh.sampling, max_tokens=fresh.max_tokens, system_prompt="",
                thinking=fresh.thinking, on_full=fresh.on_full, load=fresh.load, draft_load=fresh.draft_load,
            )
            return
        self._put(scope, "answers", AnswerChoice())
        if scope == "model":
            self._put(scope, "load", LoadChoice())
            self._put(scope, "draft_load", LoadChoice())

    def says_anything(self, scope: Scope) -> bool:
        """Whether ``reset`` would change anything."""
        if scope == "all":
            fresh = Settings()
            return self._all_answers() != choice_of(fresh.answering) or self.settings.load != fresh.load or bool(
                given_values(self.settings.draft_load))
        families: tuple[Family, ...] = ("answers", "load", "draft_load") if scope == "model" else ("answers",)
        return any(given_values(self.own(scope, family)) for family in families)

    def answering(self, scope: Scope) -> Answering:
        """How answers are made in ``scope``."""
        choices = [self.file_choice, self.settings.for_target(self.target_path).answers, self.chat_choice]
        return apply_answers(self.settings.answering, choices[: {"all": 0, "model": 2, "chat": 3}[scope]])

    def use_preset(self, scope: Scope, preset: Preset) -> None:
        for key, value in given_values(preset.choice).items():
            self.set(scope, "answers", key, value)

    def matching_preset(self, scope: Scope, presets: list[Preset]) -> str:
        """The name of the preset that says most of those whose every value holds in ``scope``; "" for none."""
        now = given_values(choice_of(self.answering(scope)))
        fits = [preset for preset in presets
                if given_values(preset.choice).items() <= now.items() and given_values(preset.choice)]
        return max(fits, key=lambda preset: len(given_values(preset.choice))).name if fits else ""

    def keep_preset(self, name: str, scope: Scope) -> None:
        """Keep what holds in ``scope`` under ``name``, in the place of an own preset of that name."""
        made = Preset(name=name, choice=choice_of(self.answering(scope)))
        others = [preset for preset in self.settings.presets if preset.name != name]
        self.settings = msgspec.structs.replace(self.settings, presets=[*others, made])

    def drop_preset(self, name: str) -> None:
        kept = [preset for preset in self.settings.presets if preset.name != name]
        self.settings = msgspec.structs.replace(self.settings, presets=kept)

    def _wider(self, scope: Scope, family: Family) -> list[tuple[Origin, AnswerChoice | LoadChoice]]:
        if family == "answers":
            found: list[tuple[Origin, AnswerChoice | LoadChoice]] = []
            if scope == "chat":
                found.append(("model", self.own("model", "answers")))
            if scope != "all":
                found += [("file", self.file_choice), ("all", self._all_answers())]
            return found
        if family == "load":
            return [("all", self._all_load())]
        target: list[tuple[Origin, AnswerChoice | LoadChoice]] = [("target", self._all_load())]
        if scope == "all":
            return target
        return [("all", self.settings.draft_load), ("target", self.own("model", "load")), *target]

    def _put(self, scope: Scope, family: Family, choice: AnswerChoice | LoadChoice) -> None:
        if scope == "chat" and isinstance(choice, AnswerChoice):
            self.chat_choice = choice
        elif scope == "all" and isinstance(choice, LoadChoice):
            self.settings = msgspec.structs.replace(self.settings, draft_load=choice)
        elif scope == "model" and self.target_path:
            target = msgspec.structs.replace(self.settings.for_target(self.target_path), **{family: choice})
            self.settings = self.settings.with_target(self.target_path, target)

    def _set_for_all(self, family: Family, key: str, value: Any) -> None:
        settings = self.settings
        if family == "load":
            part = msgspec.structs.replace(settings.load, **{key: value})
            self.settings = msgspec.structs.replace(settings, load=part)
        elif key in PLAIN_ANSWER_FIELDS:
            self.settings = msgspec.structs.replace(settings, **{key: value})
        else:
            seed = None if key == "seed" and value == RANDOM_SEED else value
            sampling = msgspec.structs.replace(settings.sampling, **{key: seed})
            self.settings = msgspec.structs.replace(settings, sampling=sampling)

    def _all_answers(self) -> AnswerChoice:
        return choice_of(self.settings.answering)

    def _all_load(self) -> LoadChoice:
        known = {field.name for field in msgspec.structs.fields(LoadChoice)}
        values = msgspec.structs.asdict(self.settings.load)
        return LoadChoice(**{key: value for key, value in values.items() if key in known})

