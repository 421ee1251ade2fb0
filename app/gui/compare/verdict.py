"""The verdict: which side won, by how much, how sure that is, and the button that uses it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from app.compare.interval import Estimate
from app.compare.report import Report
from app.compare.result import SideResult, compare_two
from app.compare.side import LETTERS, MOST_SIDES
from app.compare.verdict import Verdict, estimates_of, find_winner, format_estimate, format_factor, judge
from app.gui.compare.charts.bars import IntervalBars
from app.gui.compare.look import breakable, side_colour
from app.gui.controllers.compare_choice import speculation_of
from app.gui.controllers.compare_names import describe_speculation
from app.gui.look import layout, theme
from app.gui.look.theme import Colours
from app.gui.words import figures
from app.gui.words.messages import localise, localise_clauses

_SURE = ("faster", "slower")


class VerdictCard(QFrame):
    apply_pressed = Signal()

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._colours = colours
        self.headline = QLabel(self)
        self.headline.setFont(theme.tabular_font(24, bold=True))
        self.sentence = QLabel(self)
        for label in (self.headline, self.sentence):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.basis = layout.label(self, role="secondary", wraps=True)
        self.bar = IntervalBars(colours, self)
        self.rows: list[list[QLabel]] = []
        self._table = self._make_table()
        self.apply = layout.button(self, "", self.apply_pressed, kind="primary")
        self.applied = layout.label(self, role="good", wraps=True)
        foot = layout.row(None, self.apply, (self.applied, 1))
        layout.column(self, self.headline, self.sentence, self.bar, self._table, self.basis, foot,
                      margins=(16, 16, 16, 16), spacing=12)

    def set_colours(self, colours: Colours) -> None:
        self._colours = colours
        self.bar.set_colours(colours)
        self._colour_letters()

    def show_report(self, report: Report, stopped: bool) -> None:
        sides = report.result.overall.sides
        winner = find_winner(report.result)
        estimates = estimates_of(report.result)
        if report.sweep is not None:
            self._show_sweep(report, winner)
        else:
            self._show_sides(report, winner, estimates)
        self.basis.setText(breakable(self._basis(report, estimates, stopped)))
        sure = winner != sides[0].side or all(verdict.kind in _SURE for verdict in report.verdicts)
        self._show_apply(report, winner, sure)

    def show_applied(self, name: str) -> None:
        self.applied.setText(breakable(self.tr("In use now: {name}").format(name=name)))
        self.apply.setEnabled(False)

    def _show_sides(self, report: Report, winner: str, estimates: dict[str, Estimate]) -> None:
        sides = report.result.overall.sides
        letters = {side.side: letter for letter, side in zip(LETTERS, sides, strict=False)}
        if len(sides) == 2:
            verdict = report.verdicts[0]
            self.headline.setText(self._headline(verdict.kind, estimates.get(verdict.side)))
            self.sentence.setText(breakable(_rest(verdict)))
        else:
            self.headline.setText(self._headline_of_many(report, winner, letters, estimates))
            self.sentence.setText(breakable(self._sentence_of_many(report, winner, letters)))
        self.bar.show_estimates([estimates.get(side.side) for side in sides[1:]])
        decided = any(verdict.kind in _SURE for verdict in report.verdicts)
        for row, labels in enumerate(self.rows[1:]):
            for label in labels:
                label.setVisible(row < len(sides))
            if row < len(sides):
                self._show_side(LETTERS[row], labels, sides[row], estimates, decided and sides[row].side == winner)
        self._table.show()
        self._colour_letters()

    def _show_sweep(self, report: Report, winner: str) -> None:
        sweep = report.sweep
        assert sweep is not None
        side = next(side for side in report.result.overall.sides if side.side == winner)
        name = describe_speculation(speculation_of(side.method or "off"))
        if winner == report.result.overall.sides[0].side:
            self.headline.setText(self.tr("Best: speculation off. Nothing that was tried is faster for sure"))
        else:
            estimate = estimates_of(report.result)[winner]
            words = self.tr("Best: {name}, {factor} times as fast as without")
            self.headline.setText(words.format(name=name, factor=format_factor(estimate.factor)) + _brackets(estimate))
        words = self.tr("{best} against {plain} tokens/s; {n} settings were tried.")
        text = words.format(best=figures.rate_number(side.tokens_per_second), n=len(report.sides),
                            plain=figures.rate_number(report.result.overall.sides[0].tokens_per_second))
        if sweep.acceptance is not None and sweep.draft_cost is not None:
            more = self.tr(" A drafted token is accepted with {share} and costs {cost} plain steps.")
            text += more.format(share=figures.share(sweep.acceptance), cost=f"{sweep.draft_cost:.2f}")
        self.sentence.setText(text)
        self.bar.show_estimates([])
        self._table.hide()

    def _show_apply(self, report: Report, winner: str, sure: bool) -> None:
        place = [side.name for side in report.sides].index(winner)
        if report.sweep is not None:
            name = describe_speculation(speculation_of(report.sides[place].method))
            words = self.tr("Use {name}")
        else:
            name = f"{LETTERS[place]}: {winner}"
            words = self.tr("Use {name}") if sure else self.tr("Stay with {name}")
        text = words.format(name=name)
        self.apply.setText(text if len(text) <= 60 else text[:59].rstrip() + "…")
        self.apply.setProperty("kind", "primary" if sure else "")
        self.apply.style().unpolish(self.apply)
        self.apply.style().polish(self.apply)
        self.apply.setEnabled(True)
        self.apply.setToolTip(f"{text}\n" + self.tr("This model’s chats use it from now on"))
        self.applied.clear()

    def _make_table(self) -> QWidget:
        box = QWidget(self)
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        heads = ("", "", self.tr("tokens/s"), self.tr("speed-up"), self.tr("first token"), self.tr("accepted"),
                 self.tr("memory"))
        for row in range(MOST_SIDES + 1):
            labels = [QLabel(box) for _ in heads]
            for place, label in enumerate(labels):
                label.setTextFormat(Qt.TextFormat.PlainText)
                side = Qt.AlignmentFlag.AlignRight if place >= 2 else Qt.AlignmentFlag.AlignLeft
                label.setAlignment(side | Qt.AlignmentFlag.AlignTop)
                if place >= 2:
                    label.setFont(theme.tabular_font())
                grid.addWidget(label, row, place)
            labels[1].setWordWrap(True)
            self.rows.append(labels)
        for label, text in zip(self.rows[0], heads, strict=True):
            label.setText(text)
            label.setProperty("role", "secondary")
        return box

    def _basis(self, report: Report, estimates: dict[str, Estimate], stopped: bool) -> str:
        """What was measured, and how much."""
        answered = len({trial.prompt_id for trial in report.trials})
        prompts = self.tr("one prompt") if answered == 1 else self.tr("{n} prompts").format(n=answered)
        if report.sweep is not None:
            words = self.tr("{answers} answers to {prompts}, the leading settings in {rounds} rounds; up to {tokens} "
                            "tokens each.")
        else:
            words = self.tr("{answers} answers to {prompts}, in {rounds} rounds by turns; up to {tokens} tokens each.")
        basis = words.format(answers=len(report.trials), prompts=prompts, rounds=report.rounds,
                             tokens=max(side.max_tokens for side in report.sides))
        targets = {side.setup.target for side in report.sides}
        if len(targets) == 1:
            basis = f"{figures.short_name(targets.pop())}: {basis}"
        if stopped:
            basis = self.tr("Stopped early; this is what was finished.") + " " + basis
        known = [estimate for estimate in estimates.values() if estimate.low is not None]
        if known and len(estimates) > 1:
            basis += " " + self.tr("Brackets are intervals that hold together with 95%.")
        elif known:
            basis += " " + self.tr("Brackets and bar are the 95% interval.")
        return basis

    def _show_side(self, letter: str, labels: list[QLabel], side: SideResult, estimates: dict[str, Estimate],
                   won: bool) -> None:
        accepted = side.draft_acceptance_rate
        peak = side.worker_peak_rss_bytes
        estimate = estimates.get(side.side)
        fastest = self.tr("faster") if len(self.bar.estimates) == 1 else self.tr("fastest")
        texts = (
            letter, breakable(side.side) + ("\u00a0·\u00a0" + fastest if won else ""),
            figures.rate_number(side.tokens_per_second),
            format_estimate(estimate) if estimate is not None else "—",
            figures.duration(side.time_to_first_token_s) if side.trials else "—",
            figures.share(accepted) if accepted is not None else "—", figures.size(peak) if peak else "—",
        )
        for label, text in zip(labels, texts, strict=True):
            label.setText(text)
        for label in labels[1:]:
            label.setProperty("role", "strong" if won else "")
            label.style().unpolish(label)
            label.style().polish(label)

    def _colour_letters(self) -> None:
        for side, labels in enumerate(self.rows[1:]):
            colour = side_colour(self._colours, side)
            labels[0].setStyleSheet(f"color: {colour}; font-weight: 600; font-size: 16px;")

    def _headline(self, kind: str, estimate: Estimate | None) -> str:
        if estimate is None:
            return self.tr("Nothing to compare yet: no pair of answers was finished.")
        words = {
            "faster": self.tr("B is {factor} times as fast as A"),
            "slower": self.tr("B is slower: {factor} times as fast as A"),
            "same": self.tr("B is no faster: {factor} times as fast as A"),
            "undecided": self.tr("Not sure: B is about {factor} times as fast as A"),
        }[kind].format(factor=format_factor(estimate.factor))
        return words + _brackets(estimate)

    def _headline_of_many(self, report: Report, winner: str, letters: dict[str, str],
                          estimates: dict[str, Estimate]) -> str:
        if not estimates:
            return self._headline("", None)
        if winner in estimates:
            words = self.tr("{letter} is fastest: {factor} times as fast as A")
            return words.format(letter=letters[winner], factor=format_factor(estimates[winner].factor)) \
                + _brackets(estimates[winner])
        if all(verdict.kind == "slower" for verdict in report.verdicts):
            return self.tr("A is fastest; every other side is slower")
        if any(verdict.kind == "undecided" for verdict in report.verdicts):
            return self.tr("Not sure: no side is faster than A beyond doubt")
        return self.tr("No side is faster than A")

    def _sentence_of_many(self, report: Report, winner: str, letters: dict[str, str]) -> str:
        """The winner's verdict, and how it stands against the next; or that of every side."""
        by_side = {verdict.side: verdict for verdict in report.verdicts}
        if winner not in by_side:
            return " ".join(f"{letters[side]}: {localise(verdict.headline)}, {_rest(verdict)}"
                            for side, verdict in by_side.items())
        text = _rest(by_side[winner])
        others = [side for side in report.result.overall.sides[1:] if side.side != winner and side.speedup is not None]
        if not others:
            return text
        following = max(others, key=lambda side: side.speedup.factor if side.speedup is not None else 0.0).side
        against = compare_two(report.trials, following, winner, report.rule.first_rounds)
        if against is None:
            return text
        words = self.tr(" Against {letter}, the next, it is {factor} times as fast{interval}")
        text += words.format(letter=letters[following], factor=format_factor(against.factor),
                             interval=_brackets(against))
        return text + (self.tr(".") if judge(against) == "faster" else self.tr(": the two cannot be told apart."))


def _rest(verdict: Verdict) -> str:
    """The sentence without what the headline says already."""
    return localise_clauses(verdict.sentence.removeprefix(verdict.headline).lstrip(", "))


def _brackets(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    words = QCoreApplication.translate("VerdictCard", " ({low} to {high})")
    return words.format(low=format_factor(estimate.low), high=format_factor(estimate.high))
