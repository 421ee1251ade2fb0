"""Between the settings dialog and what the settings mean to chat, engine and look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.gui.controllers.chat import ChatController
from app.gui.controllers.engine import EngineController
from app.gui.controllers.memory_devices import MemoryDevices
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.server import ServerController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look.theme import ThemeController
from app.settings.draft import Scope
from app.settings.scopes import file_defaults
from app.settings.settings import Settings

if TYPE_CHECKING:
    from app.gui.settings.dialog import SettingsDialog, SettingsScene


class SettingsPresenter(QObject):
    def __init__(self, keeper: SettingsKeeper, pairs: PairController, chat: ChatController, models: ModelsController,
                 engine: EngineController, server: ServerController, devices: MemoryDevices, theme: ThemeController,
                 window: QWidget) -> None:
        super().__init__(window)
        self._keeper, self._pairs, self._chat, self._models = keeper, pairs, chat, models
        self._engine, self._theme, self._window = engine, theme, window
        self._server, self._devices = server, devices
        self._dialog: SettingsDialog | None = None
        keeper.changed.connect(self._spread)
        engine.state_changed.connect(self._show_engine)
        models.entries_changed.connect(pairs.follow_settings)
        self._spread(keeper.settings)

    @property
    def dialog(self) -> SettingsDialog | None:
        """The one that is open."""
        return self._dialog

    def open(self, scope: Scope = "all") -> SettingsDialog:
        """The dialog, over any page."""
        # Loaded when it is wanted: the window is to be there soon.
        from app.gui.settings.dialog import SettingsDialog

        dialog = SettingsDialog(self._keeper.settings, self._scene(), self._theme.colours, self._window, scope)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._take)
        dialog.chat_changed.connect(self._chat.set_choice)
        dialog.speculation_changed.connect(self._pairs.remember_speculation)
        dialog.measuring_wanted.connect(self._engine.measure_engines)
        dialog.finished.connect(self._pairs.apply_load_settings)
        dialog.finished.connect(self._forget)
        self._dialog = dialog
        dialog.open()
        return dialog

    def _forget(self) -> None:
        self._dialog = None

    def open_for_chat(self) -> None:
        self.open("chat")

    def _scene(self) -> SettingsScene:
        from app.gui.settings.dialog import SettingsScene

        path = self._pairs.target_path
        facts = self._models.facts(path)
        return SettingsScene(
            target_path=path, target_name=(facts.name if facts is not None and facts.name else path),
            file_choice=file_defaults(facts.sampling if facts is not None else {}),
            chat_choice=self._chat.conversation.choice,
            knows_thinking=facts.knows_thinking if facts is not None else None, devices=self._models.devices,
            server=self._server, rpc_notes=self._devices.notes, engine_sentence=self._engine.engine_sentence,
            can_measure_engines=self._can_measure_engines(),
        )

    def _can_measure_engines(self) -> bool:
        return bool(self._engine.engine_sentence) and not self._engine.is_busy

    def _show_engine(self) -> None:
        if self._dialog is not None and not self._engine.is_busy:
            self._dialog.engine.show_choice(self._engine.engine_sentence, self._can_measure_engines())

    def _take(self, settings: Settings) -> None:
        """What the person has set; what the program has learned or moved meanwhile stays as it is."""
        now = self._keeper.settings
        targets = dict(now.targets)
        for path, set_ in settings.targets.items():
            known = now.for_target(path)
            targets[path] = msgspec.structs.replace(
                known, answers=set_.answers, load=set_.load, draft_load=set_.draft_load,
                speculation=set_.speculation if path not in now.targets else known.speculation,
            )
        self._keeper.replace(msgspec.structs.replace(
            settings, targets=targets, target_path=now.target_path, window=now.window, hub=now.hub,
            model_folders=now.model_folders, server=now.server,
        ))
        self._pairs.follow_settings()

    def _spread(self, settings: Settings) -> None:
        self._chat.settings = settings
        self._engine.states.set_limit(settings.states_limit_bytes)
