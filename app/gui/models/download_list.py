"""The downloads: how far each is, how fast, how long it will take, and the buttons that steer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.errors import Code
from app.gui.look import layout
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.gui.words.messages import localise

if TYPE_CHECKING:
    from app.models.download import DownloadState

_MOST_HEIGHT = 216
_BUSY = ("waiting", "checking", "running", "retrying")


class DownloadRow(QWidget):
    """One download. ``pause``, ``resume`` and ``cancel`` are its buttons; only those that make sense are seen."""

    pause_pressed = Signal(str)
    resume_pressed = Signal(str)
    cancel_pressed = Signal(str)
    use_pressed = Signal(str)
    """The path of a model that is whole."""
    token_pressed = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: DownloadState | None = None
        self.name = layout.label(self, role="strong", plain=True)
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words = layout.label(self, role="secondary", wraps=True, plain=True)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.use = self._push(self.tr("Use"))
        self.use.clicked.connect(lambda: self._state and self.use_pressed.emit(self._state.path))
        self.token = self._push(self.tr("Access token…"))
        self.token.clicked.connect(self.token_pressed)
        self.pause = self._tool(self.tr("Pause"))
        self.pause.clicked.connect(lambda: self._emit(self.pause_pressed))
        self.resume = self._tool(self.tr("Resume"))
        self.resume.clicked.connect(lambda: self._emit(self.resume_pressed))
        self.cancel = self._tool(self.tr("Cancel"))
        self.cancel.clicked.connect(lambda: self._emit(self.cancel_pressed))
        words = layout.column(None, self.name, self.bar, self.words, spacing=2)
        layout.row(self, (words, 1), (self.use, 0, Qt.AlignmentFlag.AlignVCenter),
                   (self.token, 0, Qt.AlignmentFlag.AlignVCenter), (self.pause, 0, Qt.AlignmentFlag.AlignVCenter),
                   (self.resume, 0, Qt.AlignmentFlag.AlignVCenter), (self.cancel, 0, Qt.AlignmentFlag.AlignVCenter),
                   margins=(0, 4, 0, 4), spacing=8)
        self.set_colours(colours)

    def set_colours(self, colours: Colours) -> None:
        self.pause.setIcon(icon("pause", colours))
        self.resume.setIcon(icon("play", colours))
        self.cancel.setIcon(icon("x", colours))

    def show_state(self, state: DownloadState) -> None:
        self._state = state
        name = figures.short_name(state.file)
        self.name.setText(name)
        self.name.setToolTip(f"{state.repo}/{state.file}")
        share = state.done_bytes / state.total_bytes if state.total_bytes else 0.0
        self.bar.setValue(round(1000 * share))
        self.bar.setVisible(state.status != "done")
        text = self._describe(state)
        self.words.setText(text)
        role = "error" if state.status == "failed" else "secondary"
        if self.words.property("role") != role:
            self.words.setProperty("role", role)
            self.words.style().unpolish(self.words)
            self.words.style().polish(self.words)
        self.setAccessibleName(f"{name}. {text}")
        self.pause.setVisible(state.status in _BUSY)
        self.resume.setVisible(state.status in ("paused", "failed"))
        self.use.setVisible(state.status == "done")
        self.token.setVisible(state.code == Code.GATED)
        self.cancel.show()
        words = self.tr("Take off the list") if state.status == "done" else self.tr("Cancel and remove what arrived")
        self.cancel.setToolTip(words)
        self.cancel.setAccessibleName(f"{words}: {name}")
        self.pause.setAccessibleName(self.tr("Pause {name}").format(name=name))
        self.resume.setAccessibleName(self.tr("Resume {name}").format(name=name))

    def _describe(self, state: DownloadState) -> str:
        sizes = self.tr("{done} of {total}").format(done=figures.size(state.done_bytes),
                                                    total=figures.size(state.total_bytes))
        if state.status == "done":
            return self.tr("{total}, whole and checked").format(total=figures.size(state.total_bytes))
        if state.status == "failed":
            return localise(f"{state.message} {state.hint}".strip())
        parts = [sizes]
        if state.status == "waiting":
            parts.append(self.tr("waits for its turn"))
        elif state.status == "checking":
            parts.append(self.tr("checking what is there"))
        elif state.status == "paused":
            parts.append(self.tr("paused"))
        elif state.status == "retrying":
            parts.append(localise(state.message))
        elif state.bytes_per_second > 0:
            parts.append(self.tr("{speed}/s").format(speed=figures.size(state.bytes_per_second)))
            if state.seconds_left is not None:
                parts.append(self.tr("{time} left").format(time=figures.duration(max(state.seconds_left, 1.0))))
        return "  ·  ".join(parts)

    def _emit(self, signal: object) -> None:
        if self._state is not None:
            signal.emit(self._state.id)  # type: ignore[attr-defined]

    def _push(self, label: str) -> QPushButton:
        button = QPushButton(label, self)
        button.hide()
        return button

    def _tool(self, words: str) -> QToolButton:
        button = layout.tool_button(self, words)
        button.setIconSize(QSize(16, 16))
        button.hide()
        return button


class DownloadList(QFrame):
    """Hidden while there is none. Signals are those of its rows."""

    pause_pressed = Signal(str)
    resume_pressed = Signal(str)
    cancel_pressed = Signal(str)
    use_pressed = Signal(str)
    token_pressed = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._colours = colours
        self.rows: dict[str, DownloadRow] = {}
        self._body = QWidget(self)
        self._column = layout.column(self._body, margins=(12, 4, 12, 4), spacing=0)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._body)
        self._body.setAutoFillBackground(False)
        self._area.viewport().setAutoFillBackground(False)
        layout.column(self, self._area, margins=(0, 4, 0, 4))
        self.hide()

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        for row in self.rows.values():
            row.set_colours(colours)

    def show_states(self, states: list[DownloadState]) -> None:
        gone = self.rows.keys() - {state.id for state in states}
        for job_id in gone:
            row = self.rows.pop(job_id)
            self._column.removeWidget(row)
            row.deleteLater()
        for state in states:
            row = self.rows.get(state.id) or self._add(state.id)
            row.show_state(state)
        self.setVisible(bool(states))
        if states:
            # Wrapped lines ask for their height only once the width is known.
            wanted = self._body.heightForWidth(max(self._area.viewport().width(), 200)) if self._body.hasHeightForWidth(
            ) else self._body.sizeHint().height()
            self._area.setFixedHeight(min(wanted, _MOST_HEIGHT))

    def _add(self, job_id: str) -> DownloadRow:
        row = DownloadRow(self._colours, self._body)
        row.pause_pressed.connect(self.pause_pressed)
        row.resume_pressed.connect(self.resume_pressed)
        row.cancel_pressed.connect(self.cancel_pressed)
        row.use_pressed.connect(self.use_pressed)
        row.token_pressed.connect(self.token_pressed)
        self._column.addWidget(row)
        self.rows[job_id] = row
        return row
