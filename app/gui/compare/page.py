"""The Compare page: what to compare, how far it is, and what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.compare.history import KeptSummary
from app.compare.plan import Plan, StoppingRule
from app.compare.report import Report, describe_load
from app.compare.side import ModelSetup
from app.errors import Code, SlipstreamError
from app.gui.compare.answers import CompareAnswers
from app.gui.compare.charts.chart import Chart
from app.gui.compare.charts.charts import CompareCharts
from app.gui.compare.earlier import EarlierCard
from app.gui.compare.export import FILTERS, write_picture, write_report
from app.gui.compare.kept import KeptList
from app.gui.compare.look import breakable
from app.gui.compare.progress import ProgressCard
from app.gui.compare.setup import CompareSetup
from app.gui.compare.verdict import VerdictCard
from app.gui.controllers.compare import CompareController, Outcome, winner
from app.gui.controllers.compare_choice import (
    Comparison,
    make_sides,
    make_sweep_sides,
    make_title,
    pick_prompts,
    prompt_file,
    shipped_kinds,
    stopping_rule,
)
from app.gui.controllers.compare_names import ModelLabel
from app.gui.controllers.compare_run import Step
from app.gui.controllers.models import ModelsController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look import layout
from app.gui.look.banner import Banner
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.gui.words.messages import words_of
from app.records import Sampling

_WIDE = 1080
_NARROW = 760
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
        self._shown_remotes: list[str] = []
        self._kept: list[KeptSummary] = []
        self._way = ""
        self.ask_path: AskPath = self._ask_path
        self.banner = Banner(colours, self)
        self.title = layout.label(self, self.tr("Compare"), role="title", wraps=True, plain=True)
        self.words = layout.label(self, role="secondary", wraps=True)
        self.again = QPushButton(self.tr("New comparison"), self)
        self._kinds = shipped_kinds()
        self.setup = CompareSetup(self._kinds, colours, self)
        self.progress = ProgressCard(self._kinds, self)
        self.verdict = VerdictCard(colours, self)
        self.charts = CompareCharts(colours, self)
        self.answers = CompareAnswers(colours, self)
        self.earlier = EarlierCard(self)
        self.exports = self._export_row()
        self.kept = KeptList(self)
        self._lay_out()
        self._connect()
        self._show_setup()

    def set_colours(self, colours: Colours) -> None:
        for part in (self.banner, self.setup, self.verdict, self.charts, self.answers):
            part.set_colours(colours)

    def refresh(self) -> None:
        """The page comes to the front: offer what the chat uses now, unless a person has changed it."""
        self.setup.show_question(self._controller.last_question())
        current = self._controller.current_side()
        if current.target_path and not (self._filled and self._touched):
            self._filled = True
            self.setup.show_sides(current, self._models.entries, self._controller.remotes())
        elif self._filled and self._shown_remotes != self._controller.remotes():
            self.setup.show_entries(self._models.entries, self._controller.remotes())
        self._shown_remotes = self._controller.remotes()
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
        form = self.setup.prompts_card
        choice = self.setup.prompts
        greedy = form.choosing.currentData() == "greedy"
        sampling = Sampling(temperature=0.0) if greedy else settings.sampling
        if self.setup.is_sweep:
            sides = make_sweep_sides(self.setup.choices[0], settings, sampling, form.tokens.value())
            prompts = pick_prompts(choice)
            plan = Plan(prompts, sides, StoppingRule.fixed(1), prompt_file(choice))
            title = self.tr("Sweep: {title}").format(title=make_title(prompts, choice))
            return Comparison(plan, title, budget_s=60.0 * form.minutes.value())
        sides = make_sides(self.setup.choices, settings, sampling, form.tokens.value(), self._label)
        prompts = pick_prompts(choice)
        rule = stopping_rule(len(prompts), bool(form.rounds.currentData()))
        plan = Plan(prompts, sides, rule, prompt_file(choice))
        beside = self._controller.fits_side_by_side([side.setup for side in sides])
        return Comparison(plan, make_title(prompts, choice), beside, limit_s=60.0 * form.limit.value())

    def _lay_out(self) -> None:
        head = layout.row(None, (self.title, 1), self.again)
        main = layout.column(None, head, self.words, self.banner, self.progress, self.verdict, self.exports, self.setup,
                             self.charts, self.answers, self.earlier, 1, spacing=12)
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
        layout.column(self, self.area, margins=(0, 0, 0, 0))

    def _export_row(self) -> QWidget:
        box = QWidget(self)
        caption = layout.label(box, self.tr("Save as"), role="secondary")
        row = layout.row(box, caption, margins=(0, 0, 0, 0), spacing=8)
        self.export_buttons: dict[str, QPushButton] = {}
        for form, label in (("md", "Markdown"), ("csv", "CSV"), ("json", "JSON"), ("png", "PNG"), ("svg", "SVG")):
            button = layout.button(box, label, lambda _=False, form=form: self._export(form),
                                   tip=self.tr("Write this result to a {form} file").format(form=label))
            row.addWidget(button)
            self.export_buttons[form] = button
        row.addStretch(1)
        return box

    def _connect(self) -> None:
        controller = self._controller
        self.setup.changed.connect(self._check)
        for card in self.setup.all_sides:
            card.changed.connect(self._touch)
        self.setup.start_requested.connect(self._start)
        self.progress.stop_pressed.connect(controller.stop)
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
        self.charts.save_requested.connect(self._save_picture)
        self.earlier.chosen.connect(self._ask_beside)
        controller.set_beside.connect(self.earlier.show_beside)
        controller.deleted.connect(self._offer_undo)
        controller.hashed.connect(self._take_hashes)
        self.banner.pressed.connect(self._undo_delete)
        self._models.entries_changed.connect(self._take_entries)

    def _take_entries(self) -> None:
        if self._filled:
            self.setup.show_entries(self._models.entries, self._controller.remotes())

    def _touch(self) -> None:
        self._touched = True

    def _check(self) -> None:
        """Say what is missing, or what will happen."""
        try:
            comparison = self.make_comparison()
        except SlipstreamError as error:
            self.setup.show_trouble(words_of(error), ready=False)
            return
        self.setup.show_trouble(self._foretell(comparison), ready=not self._controller.is_running)

    def _foretell(self, comparison: Comparison) -> str:
        words = [self.tr("The chat’s models are unloaded while this runs, and come back afterwards.")]
        words += filter(None, [self._describe_way(comparison), self._describe_effort(comparison)])
        sides = comparison.plan.sides
        if len(sides) == 2 and sides[0].setup == sides[1].setup and sides[0].method == sides[1].method:
            words.append(self.tr("Both sides are the same, so this shows how much the machine itself scatters."))
        return " ".join(words)

    def _describe_way(self, comparison: Comparison) -> str:
        """How sides with different models are run; "" where there is one setup."""
        if comparison.in_blocks:
            return self.tr("The sides need different models and are loaded in turns, which takes longer.")
        if comparison.side_by_side:
            return self.tr("The models of all sides fit into memory together and stay loaded.")
        return ""

    def _describe_effort(self, comparison: Comparison) -> str:
        """How much there is to do, and how long it takes at the speed that is remembered for these models."""
        plan = comparison.plan
        answers = len(plan.sides) * len(plan.prompts) * plan.rule.first_rounds
        words = self.tr("{n} answers at least").format(n=answers)
        if comparison.is_sweep:
            words = self.tr("{sides} settings on {prompts}: {n} answers, then the fastest again").format(
                sides=len(plan.sides), n=answers, prompts=self.tr("one prompt") if len(plan.prompts) == 1
                else self.tr("{n} prompts").format(n=len(plan.prompts)))
        rates = [self._keeper.settings.for_target(side.setup.target).plain_tokens_per_second for side in plan.sides]
        if not all(rates):
            return words + self.tr("; the time is known after the first.")
        per_round = sum(side.max_tokens / rate for side, rate in zip(plan.sides, rates, strict=True))
        seconds = per_round * len(plan.prompts) * plan.rule.first_rounds
        if comparison.budget_s is not None:
            seconds = min(seconds, comparison.budget_s)
        return words + self.tr(", about {time}.").format(time=figures.duration(seconds))

    def _start(self) -> None:
        try:
            comparison = self.make_comparison()
        except SlipstreamError as error:
            self._show_failure(error)
            return
        self.banner.hide()
        names = [side.name for side in comparison.plan.sides]
        self.title.setText(breakable(comparison.title))
        self.charts.show_names([] if comparison.is_sweep else names)
        self.charts.show_live({})
        self._way = self._describe_way(comparison)
        self._controller.start(comparison)

    def _show_running(self, running: bool) -> None:
        self.kept.setEnabled(not running)
        if running:
            self._show_parts(progress=True)
            self.progress.start(self._way)

    def _show_loading(self, setup: ModelSetup) -> None:
        self.progress.show_loading([" ".join(filter(None, self._label(path)))
                                    for path in (setup.target, setup.draft) if path])

    def _show_step(self, step: Step) -> None:
        self.progress.show_progress(step.progress)
        # Drawn between answers only: a window that draws would slow the answer that is being timed.
        if step.progress.trial is not None:
            self.charts.show_live(step.series, step.progress.side)

    def _show_outcome(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.banner.hide()
        self.title.setText(breakable(outcome.title))
        self.verdict.show_report(outcome.report, outcome.stopped)
        parts = self._controller.memory_parts(outcome.report) if outcome.report.sweep is None else []
        self.charts.show_report(outcome.report, outcome.series, parts, self._controller.plain_rate(outcome.report))
        if outcome.report.sweep is None:
            self.answers.show_report(outcome.report)
        self.earlier.clear()
        self.earlier.offer(self._kept, outcome.kept_id)
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
        self._kept = kept
        self.kept.show_kept(kept)
        outcome = self._outcome
        self.earlier.offer(kept, outcome.kept_id if outcome is not None else "")
        if outcome is None or not outcome.kept_id:
            return
        self.kept.choose(outcome.kept_id)
        if not any(summary.id == outcome.kept_id for summary in kept):
            self._show_setup()

    def _show_parts(self, setup: bool = False, progress: bool = False, outcome: bool = False) -> None:
        self.setup.setVisible(setup)
        self.words.setVisible(setup)
        self.words.setText(self.tr("The same prompt, answered by all sides in turns: is B faster than A, by how much, "
                                   "and how sure is that? Choose the sides and a prompt, then press Start."))
        self.progress.setVisible(progress)
        self.charts.setVisible(progress or outcome)
        for part in (self.verdict, self.exports, self.again):
            part.setVisible(outcome)
        is_sweep = self._outcome is not None and self._outcome.report.sweep is not None
        for part in (self.answers, self.earlier):
            part.setVisible(outcome and not is_sweep)

    def _apply(self) -> None:
        if self._outcome is not None:
            self._controller.apply(winner(self._outcome.report))

    def _export(self, form: str) -> None:
        outcome = self._outcome
        if outcome is None:
            return
        self._write("comparison", form, lambda path: write_report(outcome.report, self._body, path, form))

    def _save_picture(self, chart: Chart, form: str) -> None:
        name = "".join(c if c.isalnum() else "-" for c in chart.title.text().lower()).strip("-")
        chart.save.hide()
        self._write(name, form, lambda path: write_picture(chart, path, form))
        chart.save.show()

    def _write(self, name: str, form: str, write: Callable[[Path], None]) -> None:
        chosen = self.ask_path(f"{name}.{form}", FILTERS[form])
        if not chosen:
            return
        path = Path(chosen)
        if path.suffix.lower() != f".{form}":
            path = path.with_name(f"{path.name}.{form}")
        try:
            write(path)
        except SlipstreamError as error:
            self.banner.say("error", f"{error.message} {error.hint}")
            return
        self.banner.say("info", self.tr("Written to {path}.").format(path=path))

    def _ask_beside(self, summary: KeptSummary) -> None:
        if self._outcome is not None:
            self._controller.ask_beside(self._outcome.report, summary)

    def _take_hashes(self, kept_id: str, report: Report) -> None:
        outcome = self._outcome
        if outcome is not None and outcome.kept_id == kept_id:
            self._outcome = replace(outcome, report=report)

    def _offer_undo(self, title: str) -> None:
        self.banner.say("info", self.tr("“{title}” was deleted.").format(title=title), self.tr("Undo"))

    def _undo_delete(self) -> None:
        self.banner.hide()
        self._controller.undo_delete()

    def _ask_path(self, name: str, kinds: str) -> str:
        return QFileDialog.getSaveFileName(self, self.tr("Save the comparison"), name, kinds)[0]

    def _label(self, path: str) -> ModelLabel:
        facts = self._models.facts(path)
        if facts is None:
            return ModelLabel(figures.short_name(path))
        return ModelLabel(facts.name or figures.short_name(path), facts.quantisation)
