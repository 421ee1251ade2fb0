"""The strip above the chat that says how far the build of the first engine is."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QDesktopServices
from PySide6.QtWidgets import QProgressBar, QWidget

from app.building import Building
from app.gui.controllers.build_watch import BuildWatch, Phase
from app.gui.look.banner import Banner, Level
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.gui.words.messages import localise
from app.safe_text import one_line
from app.sentences import mapped

_FOLDERS = re.compile(r"(?:/[^\s/:]+)+/(?=[^\s/])")
_MOST_REASON = 240
"""Characters of a compiler's sentence that are shown; the rest is in the log."""


class BuildStrip(Banner):
    """Comes and goes by itself, and never takes the focus."""

    restart_requested = Signal()

    def __init__(self, watch: BuildWatch, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(colours, parent)
        self._watch = watch
        self._shown: Phase = "unknown"
        self._is_answering = self._is_comparing = False
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the build"))
        self.column.addWidget(self.bar)
        self.pressed.connect(self._help)
        self.dismissed.connect(self._close_it)
        watch.changed.connect(self.refresh)
        self.refresh()

    def set_answering(self, answering: bool) -> None:
        """While an answer is written, nothing here ends it."""
        self._is_answering = answering
        self._show_help()

    def set_comparing(self, comparing: bool) -> None:
        self._is_comparing = comparing
        self._show_help()

    def refresh(self) -> None:
        phase = self._watch.phase
        if phase == "unknown" or phase == self._watch.closed_in:
            return
        text, button, level = self._words(phase)
        is_new = phase != self._shown
        self._shown = phase
        self.bar.setVisible(phase == "running")
        if self._watch.now is not None:
            self.bar.setValue(round(self._watch.now.fraction * 100))
        if not is_new and text == self.text.text():
            return
        self.say(level, text, button)
        self._show_help()
        if is_new:
            # Not each percent.
            announce(self, self.text.text())

    def _words(self, phase: Phase) -> tuple[str, str, Level]:
        """What is said, the label of the button, and how it looks."""
        now = self._watch.now
        log = self.tr("Show log") if now is not None and now.log else ""
        if phase == "running" and now is not None:
            meanwhile = self.tr("Answers come from ik_llama.cpp meanwhile.")
            return f"{self._stage_words(now)} {meanwhile}", "", "info"
        if phase == "done":
            words = self.tr("llama.cpp is built. Start the program again to use both engines.")
            return words, self.tr("Restart now"), "info"
        if phase == "failed":
            return self._failure_words(now), log, "warning"
        if phase == "stopped":
            words = self.tr("The build of llama.cpp was stopped before it was done. ik_llama.cpp goes on answering; "
                            "close the window and run “python3 dev.py run” again to go on with it.")
            return words, log, "warning"
        words = self.tr("How far the build of llama.cpp is cannot be read any more. ik_llama.cpp goes on answering; "
                        "the terminal says when both engines are there.")
        return words, log, "warning"

    def _stage_words(self, now: Building) -> str:
        share, minutes = figures.share(now.fraction), self._watch.minutes_left()
        if now.stage == "starting":
            return self.tr("The build of llama.cpp, the first engine, begins.")
        if now.stage == "fetching source":
            return self.tr("Fetching the source of llama.cpp, the first engine: {share}.").format(share=share)
        if now.stage == "trying it on this processor":
            return self.tr("Trying llama.cpp, the first engine, on this processor: {share}.").format(share=share)
        if now.stage == "installing":
            return self.tr("Installing llama.cpp, the first engine: {share}.").format(share=share)
        if minutes is None:
            return self.tr("Building llama.cpp, the first engine: {share}.").format(share=share)
        if minutes == 1:
            return self.tr("Building llama.cpp, the first engine: {share}, about a minute left.").format(share=share)
        words = self.tr("Building llama.cpp, the first engine: {share}, about {count} minutes left.")
        return words.format(share=share, count=minutes)

    def _failure_words(self, now: Building | None) -> str:
        goes_on = self.tr("ik_llama.cpp goes on answering; the next start tries to build llama.cpp again.")
        if now is None or not now.reason:
            words = self.tr("llama.cpp could not be built.")
            return f"{words} {goes_on}"
        # A compiler names its files by folders that are gone by now.
        reason = localise(mapped(now.reason, lambda text: one_line(_FOLDERS.sub("", text), _MOST_REASON)))
        reason += "" if reason.endswith((".", "!", "?", "…")) else "."
        # Where the log is stands on the button.
        hint = "" if now.log and now.log in now.hint else mapped(now.hint, lambda text: one_line(text, _MOST_REASON))
        return " ".join(filter(None, [reason, localise(hint), goes_on]))

    def _show_help(self) -> None:
        """What the button would do, and whether it may."""
        waits = self._shown == "done" and (self._is_answering or self._is_comparing)
        log = self._watch.now.log if self._watch.now is not None else ""
        self.button.setEnabled(not waits)
        if waits:
            self.button.setToolTip(self.tr("When the answer or the comparison is done"))
        else:
            self.button.setToolTip("" if self._shown == "done" else log)

    def _help(self) -> None:
        if self._shown == "done":
            self.restart_requested.emit()
            return
        log = self._watch.now.log if self._watch.now is not None else ""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(log)):
            words = self.tr("No program here opens the log. It is in {path}.")
            self.say("warning", words.format(path=log))

    def _close_it(self) -> None:
        self._watch.closed_in = self._watch.phase


def announce(widget: QWidget, words: str) -> None:
    """Have a screen reader say ``words`` when it has nothing else to say."""
    if not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, words)
    event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
    QAccessible.updateAccessibility(event)
