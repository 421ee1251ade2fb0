"""Beside the chat: this chat's speculation switch, the live plot and the figures of the last answer."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.chat.answer import Answer, ChatTurn
from app.chat.speed_series import SpeedSeries
from app.gui.controllers.chat import ChatController
from app.gui.controllers.exactness_meter import ExactnessMeter
from app.gui.controllers.pair import PairController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look import theme
from app.gui.look.theme import Colours
from app.gui.method.speculation_controls import SpeculationControls
from app.gui.speed.plot import SpeedPlot
from app.gui.words import figures
from app.gui.words.answers import other_programs
from app.gui.words.messages import localise
from app.settings.settings import Speculation

WIDTH = 300
_REDRAWS_PER_FIGURES = 8


class SpeedPanel(QScrollArea):
    settings_requested = Signal()
    """All that is set for this chat."""

    def __init__(self, chat: ChatController, pairs: PairController, keeper: SettingsKeeper, exactness: ExactnessMeter,
                 colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat, self._pairs, self._keeper, self._meter = chat, pairs, keeper, exactness
        self.setObjectName("speedPanel")
        self.setFixedWidth(WIDTH)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._plain_rate = 0.0
        self._answer: Answer | None = None
        self._redraws = 0
        body = QWidget(self)
        body.setObjectName("speedPanelBody")
        title = QLabel(self.tr("Speculative decoding"), body)
        title.setProperty("role", "strong")
        self.controls = SpeculationControls(body)
        self.more = QPushButton(self.tr("Settings of this chat…"), body)
        self.more.setToolTip(self.tr("System prompt, preset, sampling and more, for this chat alone"))
        self.more.clicked.connect(self.settings_requested)
        self.hint = self._small_label(body)
        self.hint.setProperty("role", "warning")
        self.hint.hide()
        self.notice = self._small_label(body)
        self.notice.hide()
        self.others = self._small_label(body)
        self.others.setProperty("role", "warning")
        self.others.hide()
        self.plot = SpeedPlot(colours, body)
        self.plot.hovered.connect(self._show_hover)
        self.hover = self._small_label(body)
        self.hover.setMinimumHeight(18)
        self.tint = QCheckBox(self.tr("Mark drafted text"), body)
        self.tint.setToolTip(self.tr("Tint the words that the draft guessed and the target accepted"))
        self.tint.toggled.connect(self._keep_tint)
        self.exactness = self._small_label(body)
        self.measure_exactness = QPushButton(self.tr("Measure exactness"), body)
        self.measure_exactness.setToolTip(
            self.tr("Find out whether drafting can change a word with this model and settings; takes some seconds")
        )
        self.measure_exactness.clicked.connect(exactness.measure)
        self.legend = self._small_label(body)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addWidget(title)
        column.addWidget(self.controls)
        column.addWidget(self.more)
        column.addWidget(self.hint)
        column.addWidget(self._line(body))
        column.addWidget(self.plot)
        column.addWidget(self.hover)
        column.addLayout(self._figure_grid(body))
        column.addWidget(self.others)
        column.addWidget(self.notice)
        column.addWidget(self._line(body))
        column.addWidget(self.tint)
        column.addWidget(self.legend)
        column.addWidget(self._line(body))
        column.addWidget(self.exactness)
        column.addWidget(self.measure_exactness)
        column.addStretch(1)
        self.setWidget(body)
        self.set_colours(colours)
        self.controls.changed.connect(chat.set_speculation)
        chat.speculation_changed.connect(self._show_speculation)
        chat.turns_changed.connect(self._show_last)
        chat.turn_added.connect(self._show_turn)
        chat.answer_changed.connect(self._show_growth)
        pairs.pair_changed.connect(self._show_hint)
        exactness.changed.connect(self._show_exactness)
        self._show_speculation(chat.speculation)
        self._show_last()
        self._show_exactness()

    def set_colours(self, colours: Colours) -> None:
        self.plot.set_colours(colours)
        guessed = self.tr("guessed by the draft")
        written = self.tr("rest: target")
        self.legend.setText(
            f'<span style="background-color:{colours.drafted}; color:{colours.text};'
            f' text-decoration: underline;">&nbsp;{guessed}&nbsp;</span>&nbsp;&nbsp; {written}'
        )

    def show_series(self, series: SpeedSeries, plain_rate: float) -> None:
        """Draw ``series``."""
        self._plain_rate = plain_rate
        self.plot.show_series(series, plain_rate)
        self._redraws += 1
        if self._redraws % _REDRAWS_PER_FIGURES == 0:
            self._show_figures(self._answer)

    def show_tint(self, on: bool) -> None:
        self.tint.blockSignals(True)
        self.tint.setChecked(on)
        self.tint.blockSignals(False)
        self.legend.setVisible(on)

    def _keep_tint(self, on: bool) -> None:
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, tint_drafted=on))

    def _show_speculation(self, speculation: Speculation) -> None:
        self.controls.show_value(speculation)
        self._show_hint()

    def _show_hint(self) -> None:
        """Why the switch has no effect now, if it has none."""
        needs = self._chat.speculation.needs_draft and not self._pairs.draft_path and bool(self._pairs.target_path)
        self.hint.setText(
            self.tr("No draft model is loaded, so nothing is drafted. Choose one, or guess with N-gram lookup.")
            if needs else "")
        self.hint.setVisible(needs)

    def _show_last(self) -> None:
        self._show_growth(self._chat.last_answer)

    def _show_turn(self, turn: ChatTurn) -> None:
        self._show_growth(turn.answer)

    def _show_growth(self, answer: Answer | None) -> None:
        self.show_series(self._chat.series, self._chat.plain_rate.tokens_per_second)
        self.show_answer(answer)

    def _show_exactness(self) -> None:
        """What was measured of the loaded model, and whether it can be measured now."""
        found, measuring = self._meter.found, self._meter.is_measuring
        if measuring:
            words = self.tr("Measuring how exact drafting is …")
        elif found is None:
            words = ""
        elif found.is_bit_exact:
            words = self.tr("Bit-exact in this configuration: drafting changes no word.")
        elif found.noise:
            words = self.tr(
                "Not bit-exact in this configuration: where two words are nearly equally likely (logits within {gap} "
                "of each other), drafting can take the other one. Both are the model's own."
            ).format(gap=f"{2 * max(each.gap for each in found.noise):.1g}")
        else:
            words = self.tr("The context is too short to measure how exact drafting is.")
        self.exactness.setText(words)
        self.exactness.setVisible(bool(words))
        self.measure_exactness.setEnabled(self._meter.can_measure)
        self.measure_exactness.setVisible(not words or found is None)

    def show_answer(self, answer: Answer | None) -> None:
        """The figures of ``answer``: at once when it is over, else at the next redraw that is due for them."""
        self._answer = answer
        if answer is None or answer.is_over or not answer.emitted_tokens:
            self._show_figures(answer)

    def _show_figures(self, answer: Answer | None) -> None:
        empty = answer is None or not answer.emitted_tokens
        known = answer if answer is not None else Answer()
        drafted = known.num_draft_tokens > 0
        first = known.time_to_first_token_s
        mean = known.mean_acceptance_length if drafted else 0.0
        values = {
            "speed": "—" if empty else figures.rate(known.tokens_per_second),
            "gain": figures.gain(known.speed_up) or "—",
            "plain": figures.rate(self._plain_rate),
            "accepted": figures.share(known.accepted_share) if drafted else "—",
            "length": f"{mean:.1f}" if mean > 1 else "—",
            "first": figures.duration(first) if first > 0 else "—",
            "tokens": f"{known.emitted_tokens:,}" if not empty else "—",
        }
        for key, label in self._values.items():
            if label.text() != values[key]:
                label.setText(values[key])
        busy = other_programs(answer)
        if busy != self.others.text():
            self.others.setText(busy)
            self.others.setVisible(bool(busy))
        notice = localise(known.notices[-1]) if known.notices else ""
        self.notice.setText(notice)
        self.notice.setVisible(bool(notice))

    def _figure_grid(self, body: QWidget) -> QGridLayout:
        rows = [
            ("speed", self.tr("Speed"), self.tr("Tokens written per second of decoding")),
            ("plain", self.tr("Without drafting"), self.tr("What this model did here when nothing was drafted")),
            ("gain", self.tr("Speed-up"), self.tr("Speed divided by the speed without drafting")),
            ("accepted", self.tr("Drafts accepted"), self.tr("Share of the guessed tokens that the target kept")),
            ("length", self.tr("Tokens per step"), self.tr("Mean tokens that one pass of the target yields")),
            ("first", self.tr("First token after"), self.tr("Time from sending to the first token")),
            ("tokens", self.tr("Tokens"), self.tr("Tokens in this answer")),
        ]
        grid = QGridLayout()
        grid.setVerticalSpacing(4)
        self._values: dict[str, QLabel] = {}
        for index, (key, name, words) in enumerate(rows):
            caption = QLabel(name, body)
            caption.setProperty("role", "secondary")
            caption.setToolTip(words)
            value = QLabel("—", body)
            value.setFont(theme.tabular_font())
            value.setProperty("role", "figure" if key in ("speed", "gain") else "")
            value.setToolTip(words)
            value.setAccessibleName(name)
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(caption, index, 0)
            grid.addWidget(value, index, 1)
            self._values[key] = value
        grid.setColumnStretch(0, 1)
        return grid

    def _show_hover(self, words: str) -> None:
        self.hover.setText(words)

    @staticmethod
    def _small_label(parent: QWidget) -> QLabel:
        label = QLabel(parent)
        label.setProperty("role", "secondary")
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    @staticmethod
    def _line(parent: QWidget) -> QFrame:
        line = QFrame(parent)
        line.setProperty("role", "line")
        line.setFixedHeight(1)
        return line
