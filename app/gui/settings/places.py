"""In the settings: devices that the engine found, how to get an engine for a graphics card, where things lie."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app import paths, state_files
from app.gui.look import layout, theme
from app.gui.words import figures
from app.gui.words.messages import localise
from app.protocol import Device

_translate = QCoreApplication.translate

GPU_BUILDS = (("CUDA", "NVIDIA", "cuda"), ("Vulkan", "AMD, Intel, NVIDIA", "vulkan"), ("ROCm", "AMD", "rocm"),
              ("Metal", "Apple", "metal"))
"""Kind of build, whose cards, and what ``dev.py run --gpu`` calls it."""


class DeviceTable(QWidget):
    """What the engine can compute on."""

    def __init__(self, devices: Sequence[Device], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self.labels: list[QLabel] = []
        self.show_devices(devices)

    def show_devices(self, devices: Sequence[Device]) -> None:
        for label in self.labels:
            self._grid.removeWidget(label)
            label.deleteLater()
        self.labels = []
        if not devices:
            self._put(0, 0, self.tr("The engine has not been asked yet. Load a model and open the settings again."))
            return
        kinds = {"cpu": self.tr("Processor"), "gpu": self.tr("Graphics card"), "igpu": self.tr("Built-in graphics"),
                 "accelerator": self.tr("Accelerator")}
        for row, device in enumerate(devices):
            self._put(row, 0, device.description or device.name)
            self._put(row, 1, kinds.get(device.kind, device.kind), secondary=True)
            memory = self.tr("{free} of {total} free").format(
                free=figures.size(device.free_bytes), total=figures.size(device.total_bytes))
            self._put(row, 2, memory if device.total_bytes else "", secondary=True)

    def _put(self, row: int, column: int, text: str, secondary: bool = False) -> None:
        label = layout.label(self, text, plain=True)
        label.setWordWrap(column == 0)
        if secondary:
            label.setProperty("role", "secondary")
            label.setFont(theme.tabular_font(theme.SMALL_PX))
        if column == 2:
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(label, row, column)
        self.labels.append(label)


class GpuHowTo(QWidget):
    """One line for each kind of build, to copy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (title, makers, kind) in enumerate(GPU_BUILDS):
            command = f"python3 dev.py run --gpu {kind}"
            name = QLabel(self.tr("{kind} ({makers})").format(kind=title, makers=makers), self)
            line = QLabel(command, self)
            line.setFont(theme.code_font(theme.SMALL_PX))
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            copy = QPushButton(self.tr("Copy"), self)
            copy.setAccessibleName(self.tr("Copy the command for {kind}").format(kind=title))
            copy.clicked.connect(lambda _=False, text=command: QGuiApplication.clipboard().setText(text))
            grid.addWidget(name, row, 0)
            grid.addWidget(line, row, 1)
            grid.addWidget(copy, row, 2)


class PlaceTable(QWidget):
    """Folders, each with a button that opens it."""

    opened = Signal(str)

    def __init__(self, places: Sequence[tuple[str, Path]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = layout.column(self, margins=(0, 0, 0, 0), spacing=8)
        self.opened.connect(lambda path: QDesktopServices.openUrl(QUrl.fromLocalFile(path)))
        for name, path in places:
            where = layout.label(self, str(path), role="secondary", plain=True)
            where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            where.setToolTip(str(path))
            words = layout.column(None, QLabel(name, self), where, spacing=0)
            button = layout.button(self, self.tr("Open"), lambda _=False, target=str(path): self.opened.emit(target))
            button.setAccessibleName(self.tr("Open the folder: {name}").format(name=name))
            button.setEnabled(path.is_dir())
            row = layout.row(None, (words, 1), (button, 0, Qt.AlignmentFlag.AlignVCenter), spacing=12)
            column.addLayout(row)


def known_places() -> list[tuple[str, Path]]:
    return [
        (_translate("PlaceTable", "Conversations and measurements"), paths.data_dir()),
        (_translate("PlaceTable", "Settings"), paths.config_dir()),
        (_translate("PlaceTable", "Models that were downloaded"), paths.models_dir()),
        (_translate("PlaceTable", "Kept states of chats"), state_files.states_dir()),
        (_translate("PlaceTable", "Log, without prompts and answers"), paths.log_dir()),
    ]


class EngineRow(QWidget):
    """Which engine runs the model in use and why, and a button that measures anew."""

    measure_pressed = Signal()

    def __init__(self, sentence: str, can_measure: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = layout.label(self, wraps=True, plain=True)
        self.button = layout.button(self, self.tr("Measure again"), self._press)
        layout.row(self, (self.words, 1), (self.button, 0, Qt.AlignmentFlag.AlignTop), margins=(0, 0, 0, 0), spacing=12)
        self.show_choice(sentence, can_measure)

    def show_choice(self, sentence: str, can_measure: bool) -> None:
        """``sentence`` is the engine process's own, "" where no model is loaded."""
        self.words.setText(localise(sentence) or self.tr("Load a model to see which engine runs it, and why."))
        self.button.setEnabled(can_measure)

    def _press(self) -> None:
        self.show_choice(self.tr("Measuring…"), False)
        self.measure_pressed.emit()
