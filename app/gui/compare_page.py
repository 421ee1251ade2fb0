"""The Compare page: what to compare, how far it is, and what came out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.compare.history import KeptSummary
from app.compare.plan import Plan
from app.compare.report import describe_load
from app.compare.side import ModelSetup
from app.errors import Code, SlipstreamError
from app.gui import figures
from app.gui.banner import Banner
from app.gui.compare_answers import CompareAnswers
from app.gui.compare_charts import CompareCharts
from app.gui.compare_choice import (
    Comparison,
    make_sides,
    make_title,
    pick_prompts,
    shipped_kinds,
    stopping_rule,
)
from app.gui.compare_controller import CompareController, Outcome, winner
from app.gui.compare_export import FILTERS, write_report
from app.gui.compare_kept import KeptList
from app.gui.compare_run import Step
from app.gui.compare_setup import CompareSetup
from app.gui.compare_verdict import VerdictCard
from app.gui.models_controller import ModelsController
from app.gui.settings_keeper import SettingsKeeper
from app.gui.theme import Colours
from app.terms import Sampling

_WIDE = 1080
_NARROW = 560
_KEPT_WIDTH = 264

AskPath = Callable[[str, str], str]
"""(suggested name, filter) → the path a person chose, "" for none."""


class ComparePage(QWidget):
    def __init__(self, controller: CompareController, models: ModelsController, keeper: SettingsKeeper,
                 colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._controller, self._models, self._keeper = controller, models, keeper
        self._outcome: Outcome | None = None
        self._filled = self._touched = False
        self.ask_path: AskPath = self._ask_path
        self.banner = Banner(colours, self)
        self.title = QLabel(self.tr("Compare"), self)
        self.title.setProperty("role", "title")
        self.title.setWordWrap(True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.words = QLabel(self)
        self.words.setProperty("role", "secondary")
        self.words.setWordWrap(True)
        self.again = QPushButton(self.tr("New comparison"), self)
        self._kinds = shipped_kinds()
        self.setup = CompareSetup(self._kinds, self)
        self.progress = self._progress_card()
        self.verdict = VerdictCard(colours, self)
        self.charts = CompareCharts(colours, self)
        self.answers = CompareAnswers(colours, self)
        self.exports = self._export_row()
        self.kept = KeptList(self)
        self._lay_out()
        self._connect()
        self._show_setup()

    def set_colours(self, colours: Colours) -> None:
        for part in (self.banner, self.verdict, self.charts, self.answers):
            part.set_colours(colours)

    def refresh(self) -> None:
        """The page comes to the front: offer what the chat uses now, unless a person has changed it."""
        self.setup.show_question(self._controller.last_question())
        current = self._controller.current_side()
        if current.target_path and not (self._filled and self._touched):
            self._filled = True
            self.setup.show_sides(current, self._models.entries)
        self._check()
        self._controller.list_kept()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width()
        wide = width >= _WIDE
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._columns.direction() is not direction:
            self._columns.setDirection(direction)
        self.kept.setFixedWidth(_KEPT_WIDTH if wide else max(_KEPT_WIDTH, width - 64))
        narrow = width < _NARROW
        self.setup.set_narrow(narrow)
        self.answers.set_narrow(narrow)
        self.charts.fit(width - 48 - (_KEPT_WIDTH + 24 if wide else 0))

    def make_comparison(self) -> Comparison:
        """What the form says. Raises ``SlipstreamError`` where something is missing."""
        settings = self._keeper.settings
        choice = self.setup.prompts
        greedy = self.setup.choosing.currentData() == "greedy"
        sampling = Sampling(temperature=0.0) if greedy else settings.sampling
        sides = make_sides(self.setup.choices, settings.load, sampling, self.setup.tokens.value(), self._name)
        prompts = pick_prompts(choice)
        rule = stopping_rule(len(prompts), bool(self.setup.rounds.currentData()))
        plan = Plan(prompts, sides, rule)
        beside = self._controller.fits_side_by_side([side.setup for side in sides])
        return Comparison(plan, make_title(prompts, choice), beside)

    def _lay_out(self) -> None:
        main = QVBoxLayout()
        main.setSpacing(12)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.again)
        main.addLayout(head)
        main.addWidget(self.words)
        for part in (self.banner, self.progress, self.verdict, self.exports, self.setup, self.charts, self.answers):
            main.addWidget(part)
        main.addStretch(1)
        self._body = body = QWidget(self)
        body.setObjectName("page")
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, body)
        self._columns.setContentsMargins(24, 24, 24, 24)
        self._columns.setSpacing(24)
        self._columns.addLayout(main, 1)
        self._columns.addWidget(self.kept, 0, Qt.AlignmentFlag.AlignTop)
        self.area = QScrollArea(self)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(body)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.area)

    def _progress_card(self) -> QFrame:
        card = QFrame(self)
        card.setObjectName("card")
        self.state = QLabel(card)
        self.state.setProperty("role", "secondary")
        self.state.setWordWrap(True)
        self.bar = QProgressBar(card)
        self.bar.setTextVisible(False)
        self.stop = QPushButton(self.tr("Stop"), card)
        self.stop.setToolTip(self.tr("End now and keep what is finished"))
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.bar, 1)
        row.addWidget(self.stop)
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.state)
        return card

    def _export_row(self) -> QWidget:
        box = QWidget(self)
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        caption = QLabel(self.tr("Save as"), box)
        caption.setProperty("role", "secondary")
        row.addWidget(caption)
        self.export_buttons: dict[str, QPushButton] = {}
        for form, label in (("md", "Markdown"), ("csv", "CSV"), ("json", "JSON"), ("png", "PNG")):
            button = QPushButton(label, box)
            button.setToolTip(self.tr("Write this result to a {form} file").format(form=label))
            button.clicked.connect(lambda _=False, form=form: self._export(form))
            row.addWidget(button)
            self.export_buttons[form] = button
        row.addStretch(1)
        return box

    def _connect(self) -> None:
        controller = self._controller
        self.setup.changed.connect(self._check)
        for card in self.setup.sides:
            card.changed.connect(self._touch)
        self.setup.start_requested.connect(self._start)
        self.stop.clicked.connect(self._stop)
        self.again.clicked.connect(self._show_setup)
        self.verdict.apply_pressed.connect(self._apply)
        self.kept.show_requested.connect(controller.show_kept)
        self.kept.delete_requested.connect(controller.delete_kept)
        controller.running_changed.connect(self._show_running)
        controller.loading.connect(self._show_loading)
        controller.stepped.connect(self._show_step)
        controller.finished.connect(self._show_outcome)
        controller.failed.connect(self._show_failure)
        controller.kept_changed.connect(self._show_kept)
        controller.applied.connect(lambda side: self.verdict.show_applied(side.name))
        self._models.entries_changed.connect(self._take_entries)

    def _take_entries(self) -> None:
        if self._filled:
            for card in self.setup.sides:
                card.show_value(card.value, self._models.entries)

    def _touch(self) -> None:
        self._touched = True

    def _check(self) -> None:
        """Say what is missing, or what will happen."""
        try:
            comparison = self.make_comparison()
        except SlipstreamError as error:
            self.setup.show_trouble(f"{error.message} {error.hint}".strip(), ready=False)
            return
        self.setup.show_trouble(self._foretell(comparison), ready=not self._controller.is_running)

    def _foretell(self, comparison: Comparison) -> str:
        sides = comparison.plan.sides
        words = [self.tr("The chat’s models are unloaded while this runs, and come back afterwards.")]
        if comparison.in_blocks:
            words.append(self.tr("The two sides need different models and are loaded in turns, which takes longer."))
        elif comparison.side_by_side:
            words.append(self.tr("The models of both sides fit into memory together and stay loaded."))
        if sides[0].setup == sides[1].setup and sides[0].method == sides[1].method:
            words.append(self.tr("Both sides are the same, so this shows how much the machine itself scatters."))
        return " ".join(words)

    def _start(self) -> None:
        try:
            comparison = self.make_comparison()
        except SlipstreamError as error:
            self._show_failure(error)
            return
        self.banner.hide()
        names = [side.name for side in comparison.plan.sides]
        self.title.setText(comparison.title)
        self.charts.show_names(names)
        self.charts.show_live({})
        self._controller.start(comparison)

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self.state.setText(self.tr("Stopping; what is finished is kept."))
        self._controller.stop()

    def _show_running(self, running: bool) -> None:
        self.kept.setEnabled(not running)
        if not running:
            return
        self._show_parts(progress=True)
        self.stop.setEnabled(True)
        self.bar.setRange(0, 0)
        self.state.setText(self.tr("Starting…"))

    def _show_loading(self, setup: ModelSetup) -> None:
        names = [self._name(path) for path in (setup.target, setup.draft) if path]
        self.state.setText(self.tr("Loading {names}…").format(names=self.tr(" and ").join(names)))

    def _show_step(self, step: Step) -> None:
        progress = step.progress
        self.bar.setRange(0, max(1, progress.total))
        self.bar.setValue(progress.done)
        left = self.tr("{time} left").format(time=figures.duration(progress.left_s)) if progress.left_s else ""
        words = self.tr("{done} of {total} answers").format(done=progress.done, total=progress.total)
        now = self.tr("now {side}, round {n}").format(side=progress.side, n=progress.turn.run + 1)
        prompt = progress.turn.prompt
        if prompt.kind in self._kinds:
            now += self.tr(", prompt “{prompt}”").format(prompt=prompt.id)
        if self.stop.isEnabled():
            self.state.setText("  ·  ".join(filter(None, (words, left, now))))
        # Drawn between answers only: a window that draws would slow the answer that is being timed.
        if progress.trial is not None:
            self.charts.show_live(step.series)

    def _show_outcome(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.banner.hide()
        self.title.setText(outcome.title)
        self.verdict.show_report(outcome.report, outcome.stopped)
        self.charts.show_report(outcome.report, outcome.series)
        self.answers.show_report(outcome.report)
        self.kept.choose(outcome.kept_id)
        self._show_parts(outcome=True)
        self.area.verticalScrollBar().setValue(0)
        remarks = [*filter(None, [outcome.trouble]), *describe_load(outcome.report.trials)]
        if outcome.report.failures:
            words = self.tr("{n} answers failed and are left out. {reason}")
            remarks.append(words.format(n=len(outcome.report.failures), reason=outcome.report.failures[0].message))
        if remarks:
            self.banner.say("warning", " ".join(remarks))

    def _show_failure(self, error: SlipstreamError) -> None:
        if self.progress.isVisibleTo(self):
            self._show_setup()
        self.banner.say("info" if error.code == Code.ABORTED else "error", f"{error.message} {error.hint}".strip())
        self.area.verticalScrollBar().setValue(0)

    def _show_setup(self) -> None:
        self._outcome = None
        self.title.setText(self.tr("Compare"))
        self._show_parts(setup=True)
        self._check()

    def _show_kept(self, kept: list[KeptSummary]) -> None:
        self.kept.show_kept(kept)
        outcome = self._outcome
        if outcome is None or not outcome.kept_id:
            return
        self.kept.choose(outcome.kept_id)
        if not any(summary.id == outcome.kept_id for summary in kept):
            self._show_setup()

    def _show_parts(self, setup: bool = False, progress: bool = False, outcome: bool = False) -> None:
        self.setup.setVisible(setup)
        self.words.setVisible(setup)
        self.words.setText(self.tr("The same prompt, answered by both sides in turns: is B faster than A, by how much, "
                                   "and how sure is that? Choose the sides and a prompt, then press Start."))
        self.progress.setVisible(progress)
        self.charts.setVisible(progress or outcome)
        self.charts.show_only_speed(progress)
        for part in (self.verdict, self.answers, self.exports, self.again):
            part.setVisible(outcome)

    def _apply(self) -> None:
        if self._outcome is not None:
            self._controller.apply(winner(self._outcome.report))

    def _export(self, form: str) -> None:
        outcome = self._outcome
        if outcome is None:
            return
        chosen = self.ask_path(f"comparison.{form}", FILTERS[form])
        if not chosen:
            return
        path = Path(chosen)
        if path.suffix.lower() != f".{form}":
            path = path.with_name(f"{path.name}.{form}")
        try:
            write_report(outcome.report, self._body.grab(), path, form)
        except SlipstreamError as error:
            self.banner.say("error", f"{error.message} {error.hint}")
            return
        self.banner.say("info", self.tr("Written to {path}.").format(path=path))

    def _ask_path(self, name: str, kinds: str) -> str:
        return QFileDialog.getSaveFileName(self, self.tr("Save the comparison"), name, kinds)[0]

    def _name(self, path: str) -> str:
        facts = self._models.facts(path)
        return facts.name if facts is not None and facts.name else figures.short_name(path)
