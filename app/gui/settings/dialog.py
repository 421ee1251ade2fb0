"""The settings: a search field, a list of groups, and every setting in plain sight. Changes hold at once.

What can differ by model or chat is shown for the scope that is chosen at the top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.errors import SlipstreamError
from app.gui.controllers.server import ServerController
from app.gui.look.banner import Banner
from app.gui.look.segments import Segments
from app.gui.look.theme import Colours
from app.gui.method.speculation_controls import SpeculationControls
from app.gui.settings.form import SettingsForm
from app.gui.settings.groups import fill_answers, fill_loading
from app.gui.settings.places import DeviceTable, EngineRow, GpuHowTo, PlaceTable, known_places
from app.gui.settings.preset_row import PresetRow
from app.gui.settings.rows import ScopedRows
from app.gui.settings.rpc import RpcServers
from app.gui.settings.server import ServerSettings
from app.gui.words.settings import words_of
from app.protocol import Device
from app.settings.draft import Scope, SettingsDraft
from app.settings.scopes import SHIPPED_PRESETS, AnswerChoice, Preset
from app.settings.settings import Settings, Speculation
from app.settings.table import GIB, setting
from app.settings.transfer import export_settings, import_settings


@dataclass(frozen=True)
class SettingsScene:
    """What the dialog shows beside the settings. ``target_path`` "" where no model is in use."""

    target_path: str = ""
    target_name: str = ""
    file_choice: AnswerChoice = field(default_factory=AnswerChoice)
    chat_choice: AnswerChoice = field(default_factory=AnswerChoice)
    knows_thinking: bool | None = None
    devices: Sequence[Device] = ()
    server: ServerController | None = None
    rpc_notes: Sequence[str] = ()
    engine_sentence: str = ""
    """Which engine runs the model in use, and why; "" where none is loaded."""
    can_measure_engines: bool = False


class SettingsDialog(QDialog):
    changed = Signal(object)
    """The whole ``Settings`` after a person's change."""
    speculation_changed = Signal(object)
    """The default for new chats with the target in use."""
    chat_changed = Signal(object)
    """The ``AnswerChoice`` of the chat on the screen."""
    measuring_wanted = Signal()
    """Which engine is the faster one is to be measured anew for the model in use."""

    def __init__(self, settings: Settings, scene: SettingsScene, colours: Colours, parent: QWidget | None = None,
                 scope: Scope = "all") -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self._scene = scene
        self.draft = SettingsDraft(settings, scene.target_path, scene.file_choice, scene.chat_choice)
        self.rows = ScopedRows(self.draft, colours, self)
        self.rows.changed.connect(self._tell)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search the settings"))
        self.search.setAccessibleName(self.tr("Search the settings"))
        self.search.setClearButtonEnabled(True)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self.search.setFocus)
        self.banner = Banner(colours, self)
        self.form = SettingsForm()
        self._fill_speculation()
        self.presets = PresetRow()
        self.presets.chosen.connect(self._use_preset)
        self.presets.kept.connect(self._keep_preset)
        self.presets.dropped.connect(self._drop_preset)
        self._answers = fill_answers(self.form, self.rows, self.presets, scene.knows_thinking)
        self._loading = fill_loading(self.form, self.rows)
        self._fill_appearance()
        if scene.server is not None:
            group = self.form.add_group(self.tr("Server"))
            self.server = ServerSettings(scene.server)
            group.add_wide(
                self.tr("Server, OpenAI, API, address, port, key, who may connect, log"),
                self.tr("Lets editors, agents and scripts ask the model through an address, by OpenAI's protocol."),
                self.server,
            )
        self._fill_places()
        self.scopes = self._make_scopes()
        self.reset = QPushButton(self)
        self.reset.clicked.connect(self._reset)
        self.group_list = QListWidget(self)
        self.group_list.setAccessibleName(self.tr("Groups of settings"))
        self.group_list.setFixedWidth(190)
        self.group_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for group in self.form.groups:
            self.group_list.addItem(group.title)
        self.group_list.setCurrentRow(0)
        self._lay_out()
        self.search.textChanged.connect(self.form.narrow)
        self.group_list.currentRowChanged.connect(self._go_to)
        self.rows.on_refresh(self._show_presets)
        self.look_at(scope)
        room = parent.size() if parent is not None else self.size()
        self.resize(min(880, room.width() - 48), min(680, room.height() - 48))

    @property
    def settings(self) -> Settings:
        return self.draft.settings

    @property
    def scope(self) -> Scope:
        return self.rows.scope

    def look_at(self, scope: Scope) -> None:
        """Show the settings of ``scope``."""
        self.scopes.choose(scope)
        self.rows.look_at(scope)
        for group in self._loading:
            group.is_offered = scope != "chat"
        speculation = self.draft.settings.for_target(self._scene.target_path).speculation
        self._speculation_row.explanation.setText(self._speculation_words(scope))
        if scope == "chat" and self.draft.chat_choice.speculation is not None:
            speculation = self.draft.chat_choice.speculation
        self.speculation.show_value(speculation)
        self._show_reset()
        self.form.refresh()
        for index, group in enumerate(self.form.groups):
            self.group_list.item(index).setHidden(not group.is_offered)

    def show_group(self, name: Literal["answers", "appearance", "devices"]) -> None:
        """Scroll to a group."""
        group = {"answers": self._answers, "appearance": self._appearance, "devices": self._devices}[name]
        self.group_list.setCurrentRow(self.form.groups.index(group))

    def show_devices(self, devices: Sequence[Device]) -> None:
        self.devices.show_devices(devices)

    def _lay_out(self) -> None:
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self.form)
        title = QLabel(self.tr("Settings"), self)
        title.setProperty("role", "title")
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.search, 1)
        scope_row = QHBoxLayout()
        scope_row.setSpacing(8)
        scope_row.addWidget(self.scopes, 1)
        scope_row.addWidget(self.reset)
        body = QHBoxLayout()
        body.setSpacing(16)
        body.addWidget(self.group_list)
        body.addWidget(self._area, 1)
        bring = QPushButton(self.tr("Import…"), self)
        bring.setToolTip(self.tr("Take settings from a file"))
        bring.clicked.connect(self._ask_import)
        give = QPushButton(self.tr("Export…"), self)
        give.setToolTip(self.tr("Write the settings to a file"))
        give.clicked.connect(self._ask_export)
        for button in (bring, give):
            button.setAutoDefault(False)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.accept)
        foot = QHBoxLayout()
        foot.addWidget(bring)
        foot.addWidget(give)
        foot.addStretch(1)
        foot.addWidget(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        column.addLayout(head)
        column.addLayout(scope_row)
        column.addWidget(self.banner)
        column.addLayout(body, 1)
        column.addLayout(foot)

    def _make_scopes(self) -> Segments:
        segments = [("all", self.tr("Every model"), self.tr("What holds where model and chat say nothing else"))]
        if self._scene.target_path:
            name = self._scene.target_name
            segments.append(("model", name if len(name) <= 32 else name[:31] + "…",
                             self.tr("Only for {name}").format(name=name)))
        segments.append(("chat", self.tr("This chat"), self.tr("Only for the chat on the screen")))
        scopes = Segments(segments, self.tr("Settings for"), self)
        scopes.chosen.connect(self._choose_scope)
        return scopes

    def _choose_scope(self, key: str) -> None:
        scopes: dict[str, Scope] = {"all": "all", "model": "model", "chat": "chat"}
        self.look_at(scopes[key])

    def _fill_speculation(self) -> None:
        group = self.form.add_group(self.tr("Speculative decoding"))
        self.speculation = SpeculationControls()
        self.speculation.changed.connect(self._take_speculation)
        keywords = self.tr("Off, Auto, Fixed, Max draft tokens, Min draft tokens, Draft probability, N-gram lookup, "
                           "Suffix automaton, Lookahead")
        self._speculation_row = group.add_wide(keywords, self._speculation_words("all"), self.speculation)

    def _speculation_words(self, scope: Scope) -> str:
        words = self.tr("A small draft model guesses ahead and the target checks the guesses: the same text, sooner.")
        if scope == "chat":
            return words + " " + self.tr("This is the switch of this chat alone.")
        if self._scene.target_name:
            words += " " + self.tr("This is how new chats with {name} start.").format(name=self._scene.target_name)
        return words

    def _fill_appearance(self) -> None:
        group = self._appearance = self.form.add_group(self.tr("Appearance"))
        themes = Segments(
            [("system", self.tr("System"), self.tr("As the system is set")),
             ("light", self.tr("Light"), self.tr("Always light")), ("dark", self.tr("Dark"), self.tr("Always dark"))],
            self.tr("Theme"),
        )
        themes.choose(self.settings.theme)
        themes.chosen.connect(lambda key: self._replace(theme=key))
        self.themes = themes
        group.add(self.tr("Theme"), self.tr("Light, dark, or as the system is set"), themes)
        themes.setFixedWidth(220)
        self.language = self._choice([("system", self.tr("As the system")), ("en", "English"), ("vi", "Tiếng Việt")],
                                     self.settings.language)
        self.language.activated.connect(lambda _: self._replace(language=self.language.currentData()))
        group.add(self.tr("Language"), self.tr("Of this window; changes at once"), self.language)
        tint = self._choice([(False, self.tr("Off")), (True, self.tr("On"))], self.settings.tint_drafted)
        tint.activated.connect(lambda _: self._replace(tint_drafted=tint.currentData()))
        group.add(self.tr("Mark drafted text"),
                  self.tr("Tint the words that the draft guessed and the target accepted"), tint)

    def _fill_places(self) -> None:
        devices = self._devices = self.form.add_group(self.tr("Devices"))
        self.devices = DeviceTable(self._scene.devices)
        devices.add_wide(self.tr("Graphics card, GPU, processor, memory"),
                         self.tr("What the engine can compute on, and the memory that is free there."), self.devices)
        self.engine = EngineRow(self._scene.engine_sentence, self._scene.can_measure_engines)
        self.engine.measure_pressed.connect(self.measuring_wanted)
        devices.add_wide(
            self.tr("Engine, llama.cpp, ik_llama.cpp"),
            self.tr("Which engine runs the model in use. Where the choice is automatic, it was measured once on this "
                    "computer; measure again when something has changed here."), self.engine,
        )
        devices.add_wide(
            self.tr("CUDA, Vulkan, ROCm, Metal"),
            self.tr("A graphics card is only used by an engine that was built for it. From a source folder, one of "
                    "these builds one and starts the program; docs/gpu.md says what each needs."), GpuHowTo(),
        )
        self.rpc = RpcServers(self.settings.rpc_servers, self._scene.rpc_notes)
        self.rpc.changed.connect(lambda text: self._replace(rpc_servers=text))
        devices.add_wide(
            self.tr("Other machines, RPC, rpc-server"),
            self.tr("Other machines that run llama.cpp's rpc-server can lend their memory, if the engine was built "
                    "with RPC (docs/server.md says how). Counts when the program is started next. Only in a network of "
                    "your own: RPC is neither locked nor encrypted."), self.rpc,
        )
        places = self.form.add_group(self.tr("Data on this computer"))
        limit = setting("states_limit_bytes")
        self.states_limit = QSpinBox()
        self.states_limit.setRange(int(limit.low), int(limit.high) // GIB)
        self.states_limit.setSuffix(f" {words_of(limit.unit)}")
        self.states_limit.setSpecialValueText(words_of(limit.lowest))
        self.states_limit.setKeyboardTracking(False)
        self.states_limit.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.states_limit.setValue(round(self.settings.states_limit_bytes / GIB))
        self.states_limit.valueChanged.connect(lambda number: self._replace(states_limit_bytes=number * GIB))
        places.add(words_of(limit.label), words_of(limit.help), self.states_limit)
        places.add_wide(self.tr("Folders: conversations, settings, models, states, log"), "",
                        PlaceTable(known_places()))

    @staticmethod
    def _choice(choices: list[tuple[object, str]], value: object) -> QComboBox:
        control = QComboBox()
        for key, shown in choices:
            control.addItem(shown, key)
        control.setCurrentIndex(max(0, [key for key, _ in choices].index(value)))
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return control

    def _take_speculation(self, speculation: Speculation) -> None:
        default = self.settings.for_target(self._scene.target_path).speculation
        if self.scope == "chat":
            own = None if speculation == default else speculation
            self.draft.chat_choice = msgspec.structs.replace(self.draft.chat_choice, speculation=own)
            self._tell()
            return
        if self._scene.target_path:
            target = msgspec.structs.replace(self.settings.for_target(self._scene.target_path), speculation=speculation)
            self.draft.settings = self.settings.with_target(self._scene.target_path, target)
        self.speculation_changed.emit(speculation)

    def _replace(self, **values: object) -> None:
        self.draft.settings = msgspec.structs.replace(self.settings, **values)
        self._tell()

    def _use_preset(self, preset: Preset) -> None:
        self.draft.use_preset(self.scope, preset)
        self._show_and_tell()

    def _keep_preset(self, name: str) -> None:
        self.draft.keep_preset(name, self.scope)
        self._show_and_tell()

    def _drop_preset(self, name: str) -> None:
        self.draft.drop_preset(name)
        self._show_and_tell()

    def _show_and_tell(self) -> None:
        self.rows.refresh()
        self._tell()

    def _tell(self) -> None:
        self._show_reset()
        if self.scope == "chat":
            self.chat_changed.emit(self.draft.chat_choice)
        self.changed.emit(self.settings)

    def _show_presets(self) -> None:
        # One's own first: where two say the same, that is the name to show.
        current = self.draft.matching_preset(self.scope, [*self.settings.presets, *SHIPPED_PRESETS])
        self.presets.show_presets(self.settings.presets, current)

    def _show_reset(self) -> None:
        words = {
            "all": (self.tr("Reset all"), self.tr("Answers and loading as the program comes")),
            "model": (self.tr("Reset this model"), self.tr("Back to the model file's own defaults, and to what holds "
                                                           "for every model")),
            "chat": (self.tr("Reset this chat"), self.tr("This chat then follows its model")),
        }[self.scope]
        self.reset.setText(words[0])
        self.reset.setToolTip(words[1])
        self.reset.setEnabled(self.draft.says_anything(self.scope))
        self.reset.setAutoDefault(False)

    def _reset(self) -> None:
        self.draft.reset(self.scope)
        self._show_and_tell()
        self.look_at(self.scope)

    def _ask_import(self) -> None:
        dialog = QFileDialog(self, self.tr("Import settings"), "", self.tr("Settings (*.json)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.bring_in(Path(name)))
        dialog.open()

    def _ask_export(self) -> None:
        dialog = QFileDialog(self, self.tr("Export settings"), "slipstream-settings.json",
                             self.tr("Settings (*.json)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.give_out(Path(name)))
        dialog.open()

    def bring_in(self, path: Path) -> None:
        """Take the settings of the file at ``path``, or say why not."""
        try:
            self.draft.settings = import_settings(path, self.settings)
        except SlipstreamError as error:
            self.banner.say("error", f"{error.message} {error.hint}")
            return
        self.themes.choose(self.settings.theme)
        self.language.setCurrentIndex(max(0, self.language.findData(self.settings.language)))
        self.look_at(self.scope)
        self.changed.emit(self.settings)
        if self._scene.target_path:
            self.speculation_changed.emit(self.settings.for_target(self._scene.target_path).speculation)
        self.banner.say("info", self.tr("The settings of {name} hold now.").format(name=path.name))

    def give_out(self, path: Path) -> None:
        """Write the settings to ``path``, or say why not."""
        try:
            export_settings(self.settings, path)
        except SlipstreamError as error:
            self.banner.say("error", f"{error.message} {error.hint}")
            return
        self.banner.say("info", self.tr("The settings were written to {name}.").format(name=path.name))

    def _go_to(self, row: int) -> None:
        if row >= 0:
            self.search.clear()
            self._area.ensureWidgetVisible(self.form.groups[row].card, 0, 0)
            top = self.form.groups[row].card.y()
            self._area.verticalScrollBar().setValue(min(top, self._area.verticalScrollBar().maximum()))
