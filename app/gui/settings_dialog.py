"""The settings: a search field, a list of groups, and every setting in plain sight. Changes hold at once."""

from __future__ import annotations

from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.gui.segments import Segments
from app.gui.settings_form import SettingsForm, SettingsGroup
from app.gui.speculation_controls import SpeculationControls
from app.settings import Settings, Speculation

_CACHE_TYPES = ("f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "bf16", "f32")


class SettingsDialog(QDialog):
    changed = Signal(object)
    """The whole ``Settings`` after a person's change."""
    speculation_changed = Signal(object)
    """The default for new chats with the target in use."""

    def __init__(self, settings: Settings, target_name: str, speculation: Speculation,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self._settings = settings
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search the settings"))
        self.search.setAccessibleName(self.tr("Search the settings"))
        self.search.setClearButtonEnabled(True)
        self.group_list = QListWidget(self)
        self.group_list.setAccessibleName(self.tr("Groups of settings"))
        self.group_list.setFixedWidth(200)
        self.group_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form = SettingsForm()
        self._fill_speculation(target_name, speculation)
        self._fill_answers()
        self._fill_loading()
        self._fill_appearance()
        for group in self.form.groups:
            self.group_list.addItem(group.title)
        self.group_list.setCurrentRow(0)
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self.form)
        title = QLabel(self.tr("Settings"), self)
        title.setProperty("role", "title")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.accept)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.search, 1)
        body = QHBoxLayout()
        body.setSpacing(16)
        body.addWidget(self.group_list)
        body.addWidget(self._area, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        column.addLayout(head)
        column.addLayout(body, 1)
        column.addWidget(buttons)
        self.search.textChanged.connect(self.form.narrow)
        self.group_list.currentRowChanged.connect(self._go_to)
        room = parent.size() if parent is not None else self.size()
        self.resize(min(820, room.width() - 48), min(640, room.height() - 48))

    @property
    def settings(self) -> Settings:
        return self._settings

    def _fill_speculation(self, target_name: str, speculation: Speculation) -> None:
        group = self.form.add_group(self.tr("Speculative decoding"))
        self.speculation = SpeculationControls()
        self.speculation.show_value(speculation)
        self.speculation.changed.connect(self.speculation_changed)
        words = self.tr("A small draft model guesses ahead and the target checks the guesses: the same text, sooner.")
        if target_name:
            words += " " + self.tr("This is how new chats with {name} start.").format(name=target_name)
        keywords = self.tr("Off, Auto, Fixed, Max draft tokens, Min draft tokens, Draft probability, N-gram lookup")
        group.add_wide(keywords, words, self.speculation)

    def _fill_answers(self) -> None:
        group = self.form.add_group(self.tr("Answers"))
        sampling = self._settings.sampling
        self._add_number(group, self.tr("Temperature"), self.tr("0 always takes the likeliest word"),
                         ("sampling", "temperature"), sampling.temperature, 0, 5, 0.1)
        self._add_number(group, self.tr("Top-k"), self.tr("Choose among the k likeliest; 0 is off"),
                         ("sampling", "top_k"), sampling.top_k, 0, 1000)
        self._add_number(group, self.tr("Top-p"), self.tr("Choose among the likeliest with this share; 1 is off"),
                         ("sampling", "top_p"), sampling.top_p, 0, 1, 0.05)
        self._add_number(group, self.tr("Min-p"), self.tr("Leave out what is less likely than this share of the best"),
                         ("sampling", "min_p"), sampling.min_p, 0, 1, 0.01)
        self._add_number(group, self.tr("Repeat penalty"), self.tr("Above 1 makes repetition less likely; 1 is off"),
                         ("sampling", "repeat_penalty"), sampling.repeat_penalty, 0.1, 10, 0.05)
        self._add_seed(group)
        self._add_number(group, self.tr("Answer length"), self.tr("An answer is cut after this many tokens"),
                         ("max_tokens",), self._settings.max_tokens, 1, 1_000_000)
        self.system_prompt = QPlainTextEdit(self._settings.system_prompt)
        self.system_prompt.setFixedHeight(88)
        self.system_prompt.setTabChangesFocus(True)
        self.system_prompt.setPlaceholderText(self.tr("Instructions that every chat begins with"))
        self.system_prompt.textChanged.connect(
            lambda: self._set(("system_prompt",), self.system_prompt.toPlainText())
        )
        group.add_wide(self.tr("System prompt"), self.tr("System prompt: said to the model before every chat"),
                       self.system_prompt)

    def _fill_loading(self) -> None:
        group = self.form.add_group(self.tr("Loading"))
        load = self._settings.load
        self._add_number(group, self.tr("Context"), self.tr("Tokens that the model sees at once; 0 takes its longest"),
                         ("load", "ctx_tokens"), load.ctx_tokens, 0, 16_777_216, 1024)
        self._add_number(group, self.tr("Threads"), self.tr("Processor cores to use; 0 takes all physical ones"),
                         ("load", "threads"), load.threads, 0, 1024)
        self._add_number(group, self.tr("GPU layers"), self.tr("Layers on the graphics card; −1 takes as many as fit"),
                         ("load", "gpu_layers"), load.gpu_layers, -1, 9999)
        caches = [(kind, kind) for kind in _CACHE_TYPES]
        self._add_choice(group, self.tr("Key cache"), self.tr("Smaller types save memory on long chats"),
                         ("load", "cache_type_k"), caches, load.cache_type_k)
        self._add_choice(group, self.tr("Value cache"), self.tr("Smaller types need flash attention"),
                         ("load", "cache_type_v"), caches, load.cache_type_v)
        self._add_choice(group, self.tr("Flash attention"), self.tr("Faster with long contexts, where supported"),
                         ("load", "flash_attn"),
                         [("auto", self.tr("Auto")), ("on", self.tr("On")), ("off", self.tr("Off"))], load.flash_attn)

    def _fill_appearance(self) -> None:
        group = self.form.add_group(self.tr("Appearance"))
        themes = Segments(
            [("system", self.tr("System"), self.tr("As the system is set")),
             ("light", self.tr("Light"), self.tr("Always light")), ("dark", self.tr("Dark"), self.tr("Always dark"))],
            self.tr("Theme"),
        )
        themes.choose(self._settings.theme)
        themes.chosen.connect(lambda key: self._set(("theme",), key))
        self.themes = themes
        group.add(self.tr("Theme"), self.tr("Light, dark, or as the system is set"), themes)
        themes.setFixedWidth(220)
        self._add_choice(group, self.tr("Mark drafted text"),
                         self.tr("Tint the words that the draft guessed and the target accepted"), ("tint_drafted",),
                         [("no", self.tr("Off")), ("yes", self.tr("On"))],
                         "yes" if self._settings.tint_drafted else "no")

    def _add_number(self, group: SettingsGroup, label: str, words: str, place: tuple[str, ...], value: float,
                    low: float, high: float, step: float = 1) -> None:
        control: QSpinBox | QDoubleSpinBox
        if isinstance(value, int):
            control = QSpinBox()
            control.setRange(int(low), int(high))
            control.setSingleStep(int(step))
            control.setValue(value)
        else:
            control = QDoubleSpinBox()
            control.setRange(low, high)
            control.setSingleStep(step)
            control.setDecimals(2)
            control.setValue(value)
        control.setKeyboardTracking(False)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.setObjectName("-".join(place))
        control.valueChanged.connect(lambda number: self._set(place, number))
        group.add(label, words, control)

    def _add_seed(self, group: SettingsGroup) -> None:
        control = QLineEdit()
        seed = self._settings.sampling.seed
        control.setText("" if seed is None else str(seed))
        control.setPlaceholderText(self.tr("random"))
        control.setObjectName("sampling-seed")

        def read() -> None:
            text = control.text().strip()
            if text.isdecimal() and int(text) < 2**32:
                self._set(("sampling", "seed"), int(text))
            else:
                control.clear()
                self._set(("sampling", "seed"), None)

        control.editingFinished.connect(read)
        group.add(self.tr("Seed"), self.tr("The same seed gives the same answer; empty draws a new one"), control)

    def _add_choice(self, group: SettingsGroup, label: str, words: str, place: tuple[str, ...],
                    choices: list[tuple[str, str]], value: str) -> None:
        control = QComboBox()
        for key, shown in choices:
            control.addItem(shown, key)
        control.setCurrentIndex(max(0, control.findData(value)))
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.setObjectName("-".join(place))

        def read() -> None:
            key = control.currentData()
            self._set(place, {"yes": True, "no": False}.get(key, key))

        control.activated.connect(read)
        group.add(label, words, control)

    def _set(self, place: tuple[str, ...], value: Any) -> None:
        settings = self._settings
        if len(place) == 2:
            part = msgspec.structs.replace(getattr(settings, place[0]), **{place[1]: value})
            settings = msgspec.structs.replace(settings, **{place[0]: part})
        else:
            settings = msgspec.structs.replace(settings, **{place[0]: value})
        if settings != self._settings:
            self._settings = settings
            self.changed.emit(settings)

    def _go_to(self, row: int) -> None:
        if row >= 0:
            self.search.clear()
            self._area.ensureWidgetVisible(self.form.groups[row].card, 0, 0)
            top = self.form.groups[row].card.y()
            self._area.verticalScrollBar().setValue(min(top, self._area.verticalScrollBar().maximum()))
