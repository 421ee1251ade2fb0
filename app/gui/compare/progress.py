"""How far a comparison is, how long it still takes, and the button that ends it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from app.compare.run import Progress
from app.gui.compare.look import breakable
from app.gui.look import layout
from app.gui.words import figures


class ProgressCard(QFrame):
    stop_pressed = Signal()

    def __init__(self, kinds: list[str], parent: QWidget | None = None) -> None:
        """``kinds`` of the shipped prompts, whose ids mean something to a person."""
        super().__init__(parent)
        self.setObjectName("card")
        self._kinds = kinds
        self.state = layout.label(self, role="secondary", wraps=True)
        self.how = layout.label(self, role="secondary", wraps=True)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.stop = layout.button(self, self.tr("Stop"), self._stop, tip=self.tr("End now and keep what is finished"))
        row = layout.row(None, (self.bar, 1), self.stop, spacing=12)
        layout.column(self, row, self.state, self.how, margins=(16, 12, 16, 12), spacing=8)

    def start(self, how: str) -> None:
        """``how`` says how the sides are run."""
        self.stop.setEnabled(True)
        self.bar.setRange(0, 0)
        self.state.setText(self.tr("Starting…"))
        self.how.setText(how)
        self.how.setVisible(bool(how))

    def show_loading(self, names: list[str]) -> None:
        self.state.setText(breakable(self.tr("Loading {names}…").format(names=self.tr(" and ").join(names))))

    def show_progress(self, progress: Progress) -> None:
        if not self.stop.isEnabled():
            return
        if progress.stage == "texts":
            self.bar.setRange(0, progress.total)
            self.bar.setValue(progress.done)
            self.state.setText(self.tr("Looking at where the texts part: {done} of {total}")
                               .format(done=progress.done + 1, total=progress.total))
            return
        if progress.stage == "probe":
            self.bar.setRange(0, 0)
            self.state.setText(self.tr("No side is faster, so drafting from the text alone is tried: {done} of {total}")
                               .format(done=progress.done + 1, total=progress.total))
            return
        self.bar.setRange(0, max(1, progress.total))
        self.bar.setValue(progress.done)
        left = self.tr("{time} left").format(time=figures.duration(progress.left_s)) if progress.left_s else ""
        words = self.tr("{done} of {total} answers").format(done=progress.done, total=progress.total)
        now = self.tr("now {side}, round {n}").format(side=progress.side, n=progress.turn.run + 1)
        prompt = progress.turn.prompt
        if prompt.kind in self._kinds:
            now += self.tr(", prompt “{prompt}”").format(prompt=prompt.id)
        self.state.setText(breakable("  ·  ".join(filter(None, (words, left, now)))))

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self.state.setText(self.tr("Stopping; what is finished is kept."))
        self.stop_pressed.emit()
