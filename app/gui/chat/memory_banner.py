"""The warning that a pair does not fit into memory, with all that helps."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.look.banner import Banner
from app.gui.look.theme import Colours
from app.gui.words.memory import tight_words
from app.gui.words.messages import localise
from app.models.memory_check import MemoryJudgement
from app.models.remedies import Remedy


class MemoryBanner(Banner):
    """``button`` is the way that costs no memory, ``second`` goes on anyway, ``ways`` are the ways between."""

    def __init__(self, models: ModelsController, pairs: PairController, colours: Colours,
                 parent: QWidget | None = None) -> None:
        super().__init__(colours, parent)
        self._models, self._pairs = models, pairs
        self.ways = QPushButton(self.tr("Other ways"), self)
        self.menu = QMenu(self.ways)
        self.ways.setMenu(self.menu)
        self.buttons.insertWidget(1, self.ways)
        self.ways.hide()
        self.pressed.connect(pairs.use_ngram)
        self.second_pressed.connect(pairs.use_held_back)
        pairs.memory_tight.connect(self._show_tight)
        pairs.memory_settled.connect(self.hide)

    def _show_tight(self, judgement: MemoryJudgement) -> None:
        path = self._pairs.target_path
        ways = self._models.remedies(path, self._pairs.held_back, *self._models.loads(path))
        self.show_ways([way for way in ways if way.kind != "ngram"])
        self.say("warning", tight_words(judgement), self.tr("Use N-gram lookup"), self.tr("Load anyway"))

    def show_ways(self, remedies: list[Remedy]) -> None:
        """Offer these besides, in this order."""
        self.menu.clear()
        for remedy in remedies:
            action = self.menu.addAction(localise(remedy.text))
            action.triggered.connect(lambda _=False, chosen=remedy: self._pairs.use_held_back_with(chosen))
        self.ways.setVisible(bool(remedies))
        self.arrange()
