"""The one window: the rail, its pages, and what each signal means to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec
from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from app.chat.answer import Answer, AnswerState, ChatTurn
from app.gui.chat.context_meter import ContextMeter
from app.gui.chat.conversations_presenter import ConversationsPresenter
from app.gui.chat.page import ChatPage
from app.gui.controllers.archive import Archive
from app.gui.controllers.chat import ChatController
from app.gui.controllers.compare import CompareController
from app.gui.controllers.engine import EngineController, EngineState
from app.gui.controllers.model_sources import ModelSources
from app.gui.controllers.models import ModelsController
from app.gui.controllers.pair import PairController
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.gui.look.theme import Colours, ThemeController
from app.gui.models.welcome import Welcome
from app.gui.settings.presenter import SettingsPresenter
from app.gui.transcript.links import ask_to_open
from app.gui.window.rail import Rail
from app.gui.window.shortcuts import Shortcut, ShortcutsDialog, add_shortcuts, writing_shortcuts
from app.gui.window.side_panels import SidePanels
from app.gui.words import figures
from app.gui.words.memory import tight_words
from app.gui.words.names import pair_title
from app.models.memory_check import MemoryJudgement
from app.models.remedies import Remedy
from app.protocol import Failed
from app.records import REMOTE
from app.settings.draft import Scope
from app.settings.settings import Settings, Speculation

if TYPE_CHECKING:
    from app.gui.compare.page import ComparePage
    from app.gui.models.page import ModelsPage

_FRAME_PX = 40
"""What a window manager may put around a window, which is not known before it has."""
_PAINT_MS = 50
"""From being shown to being on the screen."""


@dataclass(frozen=True)
class WindowPlace:
    """Where a window was and what it showed. ``settings_scope`` "" when the settings were not open."""

    geometry: QRect
    state: Qt.WindowState
    visible: bool
    page: int
    settings_scope: Scope | Literal[""]


class MainWindow(QMainWindow):
    closing = Signal()
    painted = Signal()
    """The window is on the screen for the first time."""

    def __init__(self, engine: EngineController, models: ModelsController, chat: ChatController,
                 pairs: PairController, keeper: SettingsKeeper, theme: ThemeController, archive: Archive,
                 market: ModelSources) -> None:
        super().__init__()
        self._engine, self._models, self._chat = engine, models, chat
        self._pairs, self._keeper, self._theme = pairs, keeper, theme
        self._help: Callable[[], None] = self.open_picker
        self._archive = archive
        # What is asked for then waits behind the picture; a window that begins minimised is never painted.
        self._paint = QTimer(self)
        self._paint.setSingleShot(True)
        self._paint.setInterval(_PAINT_MS)
        self._paint.timeout.connect(self.painted)
        self._shown = False
        self.setWindowTitle("Slipstream")
        self.setMinimumSize(QSize(640, 480))
        colours = theme.colours
        self.rail = Rail(colours, self)
        self.page = ChatPage(colours, self)
        self.chats = ConversationsPresenter(chat, archive, self.page.listing, self.page.composer, self.page.reader,
                                            self)
        self.folds = SidePanels(self.page, keeper.settings.window, self)
        self._market = market
        self.welcome = Welcome(models, market, colours, self)
        self.page.show_below_welcome(self.welcome)
        self.settings = SettingsPresenter(keeper, pairs, chat, models, engine, theme, self)
        self.pages = QStackedWidget(self)
        self.compare = CompareController(engine, models, chat, pairs, keeper, self)
        self._compare_page: ComparePage | None = None
        self._models_page: ModelsPage | None = None
        self._compare_place, self._models_place = QWidget(self), QWidget(self)
        for each in (self.page, self._compare_place, self._models_place):
            self.pages.addWidget(each)
        whole = QWidget(self)
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self.pages, 1)
        self.setCentralWidget(whole)
        self._connect()
        self._add_shortcuts()
        self._set_look(theme.colours)
        size = keeper.settings.window
        self.resize(size.width, min(size.height, self.screen().availableGeometry().height() - _FRAME_PX))
        self._show_empty()
        self._show_engine()
        self.page.composer.edit.setFocus()
        if keeper.trouble:
            self.page.problem_banner.say("warning", keeper.trouble)

    def _connect(self) -> None:
        page, engine, chat, pairs = self.page, self._engine, self._chat, self._pairs
        self.rail.page_chosen.connect(self.show_page)
        self.rail.settings_requested.connect(self.open_settings)
        page.header.pick_requested.connect(self.open_picker)
        page.pick_requested.connect(self._get_first_model)
        self.welcome.more_requested.connect(self._get_any_model)
        self.welcome.file_requested.connect(self.open_picker)
        self.welcome.found.connect(pairs.use_first)
        self.welcome.use_requested.connect(self._use_pair)
        page.header.cancel_requested.connect(engine.stop)
        page.header.skip_requested.connect(engine.skip)
        page.transcript.skip_requested.connect(engine.skip)
        page.header.new_chat_requested.connect(self.new_chat)
        page.composer.send_requested.connect(self._send)
        page.composer.stop_requested.connect(chat.stop)
        page.transcript.link_requested.connect(lambda address: ask_to_open(self, address))
        page.transcript.help_pressed.connect(engine.start_again)
        page.transcript.again_requested.connect(chat.answer_again)
        page.transcript.go_on_requested.connect(chat.go_on)
        if chat.counter is not None:
            ContextMeter(chat, page.composer, chat.counter, self).changed.connect(page.show_context)
        page.transcript.edit_requested.connect(self.chats.edit)
        page.transcript.branch_chosen.connect(chat.show_branch)
        page.listing.new_requested.connect(self.new_chat)
        self.chats.opened.connect(lambda: self.show_page(0))
        self._archive.failed.connect(self._say_failed)
        self._archive.recovered.connect(
            lambda: page.problem_banner.say("info", self.tr("The conversations are saved again.")))
        self._archive.exported.connect(self._say_exported)
        self._archive.imported.connect(self._say_imported)
        self._archive.noticed.connect(self._say_noticed)
        page.panel.controls.changed.connect(chat.set_speculation)
        page.panel.tint_toggled.connect(self._set_tint)
        page.panel.settings_requested.connect(self.settings.open_for_chat)
        page.listing.deleted.connect(engine.states.forget)
        page.memory_banner.pressed.connect(pairs.use_ngram)
        page.memory_banner.second_pressed.connect(pairs.use_held_back)
        page.memory_banner.way_chosen.connect(pairs.use_held_back_with)
        page.problem_banner.pressed.connect(self._help_with_problem)
        self.compare.running_changed.connect(self._show_comparing)
        engine.state_changed.connect(self._show_engine)
        engine.load_progressed.connect(page.header.show_progress)
        engine.load_noticed.connect(page.header.show_notice)
        engine.load_failed.connect(self._show_load_failure)
        engine.draft_failed.connect(self._show_draft_failure)
        engine.stopped_idle.connect(self._show_stop)
        chat.turns_changed.connect(self._show_turns)
        chat.turn_added.connect(self._add_turn)
        chat.answer_changed.connect(self._show_answer)
        chat.answering_changed.connect(page.composer.set_answering)
        chat.speculation_changed.connect(self._show_speculation)
        pairs.memory_tight.connect(self._show_memory)
        pairs.memory_settled.connect(page.memory_banner.hide)
        pairs.nothing_found.connect(self._show_empty)
        pairs.draft_missing.connect(self._show_missing_draft)
        pairs.pair_changed.connect(self._show_pair)
        self._keeper.changed.connect(self._take_settings)
        self._keeper.save_failed.connect(self._say_noticed)
        self._theme.changed.connect(self._set_look)

    def _add_shortcuts(self) -> None:
        chats, page = self.tr("Chats"), self.page
        window = self.tr("Window")
        self._shortcuts = [
            Shortcut("Ctrl+N", self.tr("New chat"), self.new_chat, chats),
            Shortcut("Ctrl+L", self.tr("Go to the message"), lambda: self.show_page(0), chats),
            Shortcut("Ctrl+F", self.tr("Find in this chat"), page.begin_find, chats),
            Shortcut("Ctrl+Shift+F", self.tr("Search all conversations"), self._search, chats),
            Shortcut("Ctrl+Shift+A", self.tr("Attach files"), page.composer.choose_files, chats),
            Shortcut("Esc", self.tr("Stop the answer, or stop editing"), self._escape, chats),
            Shortcut("Ctrl+Return", self.tr("Go on with a cut answer"), self._go_on, chats),
            Shortcut("Ctrl+R", self.tr("Answer again"), self._answer_again, chats),
            Shortcut("Ctrl+Shift+C", self.tr("Copy the last answer"), page.transcript.copy_last, chats),
            Shortcut("Ctrl+Shift+D", self.tr("Mark drafted text"), page.panel.tint.click, chats),
            Shortcut("Ctrl+M", self.tr("Choose target and draft"), self.open_picker, window),
            Shortcut("Ctrl+1", self.tr("Chat"), lambda: self.show_page(0), window),
            Shortcut("Ctrl+2", self.tr("Compare"), lambda: self.show_page(1), window),
            Shortcut("Ctrl+3", self.tr("Models"), lambda: self.show_page(2), window),
            Shortcut("Ctrl+,", self.tr("Settings"), self.open_settings, window),
            Shortcut("Ctrl+Shift+L", self.tr("Show or hide the conversations"), page.header.listing.toggle, window),
            Shortcut("Ctrl+Shift+S", self.tr("Show or hide the speed panel"), page.header.panel.toggle, window),
            Shortcut("F1", self.tr("This list"), self.open_shortcuts, window),
            Shortcut("Ctrl+/", self.tr("This list"), self.open_shortcuts, window),
            Shortcut("Ctrl+Q", self.tr("Quit"), self.close, window),
        ]
        add_shortcuts(self, self._shortcuts)

    def open_shortcuts(self) -> None:
        dialog = ShortcutsDialog([*writing_shortcuts(), *self._shortcuts], self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _go_on(self) -> None:
        if self._chat.turns:
            self._chat.go_on(self._chat.turns[-1])

    def _answer_again(self) -> None:
        if self._chat.turns:
            self._chat.answer_again(self._chat.turns[-1])

    @property
    def compare_page(self) -> ComparePage:
        return self._compare_page or self._make_compare_page()

    def _make_compare_page(self) -> ComparePage:
        """When it is first wanted: what draws its charts takes longer to load than the rest of the window."""
        if self._compare_page is None:
            from app.gui.compare.page import ComparePage

            page = self._compare_page = ComparePage(self.compare, self._models, self._keeper, self._theme.colours, self)
            _fill(self._compare_place, page)
        return self._compare_page

    @property
    def models_page(self) -> ModelsPage:
        return self._models_page or self._make_models_page()

    def _make_models_page(self) -> ModelsPage:
        """When it is first wanted: it is not what the window begins with."""
        from app.gui.models.page import ModelsPage

        page = ModelsPage(self._models, self._market, self._keeper.settings.load, self._theme.colours, self)
        self._models_page = page
        page.use_requested.connect(self._use_pair)
        page.remedy_requested.connect(self._use_remedy)
        _fill(self._models_place, page)
        return page

    def show_page(self, index: int) -> None:
        if index == 1:
            self._make_compare_page()
        self.pages.setCurrentIndex(index)
        self.rail.show_page(index)
        if index == 2:
            self.models_page.choose(self._pairs.target_path, self._pairs.draft_path,
                                    self._keeper.settings.load_for(self._pairs.target_path))
        elif index == 0:
            self.page.composer.edit.setFocus()

    def new_chat(self) -> None:
        """An empty chat, with the switch as the target's default has it."""
        self.chats.keep_unsent()
        self._chat.new_chat()
        self.show_page(0)

    def open_picker(self) -> None:
        from app.gui.models.picker import ModelPicker

        dialog = ModelPicker(self._models, self._keeper.settings.load, self._theme.colours, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.known_remotes = [path for path in self._keeper.settings.targets if path.startswith(REMOTE)]
        dialog.choose(self._pairs.target_path, self._pairs.draft_path)
        dialog.accepted.connect(lambda: self._use_pair(dialog.target_path, dialog.draft_path))
        dialog.chooser.get_requested.connect(lambda wanted: self.models_page.get_draft(wanted))
        dialog.more_requested.connect(self._get_more)
        dialog.remedy_chosen.connect(self._use_remedy)
        dialog.open()

    def open_settings(self) -> None:
        self.settings.open()

    def come_forward(self) -> None:
        """Another start of the program asks for this window."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def restore_chat(self) -> None:
        """Open the conversation in which something was left unsent."""
        if self._keeper.settings.window.conversation:
            self.chats.open(self._keeper.settings.window.conversation)

    def keep_all(self) -> None:
        """Keep the window's shape, what is written, and what there is of an answer."""
        self.compare.close()
        self.page.close_helpers()
        self.chats.keep_unsent()
        self._chat.close()
        conversation = self._chat.conversation
        window = msgspec.structs.replace(
            self.folds.wanted, width=self.width(), height=self.height(),
            conversation=conversation.id if conversation.unsent or conversation.unsent_files else "",
        )
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, window=window))

    def leave(self) -> WindowPlace:
        """Put everything aside for a window that takes this one's place; it is not to be shown again."""
        settings = self.settings.dialog
        place = WindowPlace(self.geometry(), self.windowState(), self.isVisible(), self.pages.currentIndex(),
                            settings.scope if settings is not None else "")
        self.chats.keep_unsent()
        self.compare.close()
        self.page.close_helpers()
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, window=self.folds.wanted))
        self.hide()
        return place

    def take_place(self, place: WindowPlace) -> None:
        """Show what the window before showed, where it was."""
        self.setGeometry(place.geometry)
        self._models.entries_changed.emit()
        self._archive.refresh()
        self._show_turns()
        self._show_speculation(self._chat.speculation)
        self.page.composer.set_answering(self._chat.is_answering)
        self.page.composer.set_attachments(self._chat.conversation.unsent_files)
        self.page.composer.show_text(self._chat.conversation.unsent)
        self.show_page(place.page)
        if place.visible:
            self.setWindowState(place.state)
            self.show()
        if place.settings_scope:
            self.settings.open(place.settings_scope).show_group("appearance")

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        super().closeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shown:
            self._shown = True
            self._paint.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.folds.fit(event.size().width())

    def _search(self) -> None:
        self.page.header.listing.setChecked(True)
        self.page.listing.search.setFocus()
        self.page.listing.search.selectAll()

    def _escape(self) -> None:
        if self.page.find_bar.edit.hasFocus():
            self.page.find_bar.leave()
        elif self._chat.is_answering:
            self._chat.stop()
        else:
            self.chats.stop_editing()

    def _send(self, text: str) -> None:
        if not self._pairs.target_path:
            self.open_picker()
            return
        self.page.problem_banner.hide()
        self.chats.send(text)

    def _use_pair(self, target_path: str, draft_path: str) -> None:
        self.page.problem_banner.hide()
        self._pairs.use(target_path, draft_path, anyway=True)
        self.show_page(0)

    def _use_remedy(self, target_path: str, draft_path: str, remedy: Remedy) -> None:
        self.page.problem_banner.hide()
        self._pairs.use_remedy(target_path, draft_path, remedy)
        self.show_page(0)

    def _get_more(self, words: str) -> None:
        self.show_page(2)
        self.models_page.show_view("more")
        if words:
            self.models_page.search_hub(words)

    def _get_any_model(self) -> None:
        self._get_more("")

    def _get_first_model(self) -> None:
        """The button of the empty chat: choose of what is here, or get something."""
        if any(entry.offered for entry in self._models.entries):
            self.open_picker()
        else:
            self._get_more("")

    def _add_turn(self, turn: ChatTurn) -> None:
        self.page.show_transcript()
        self.page.transcript.add_turn(turn)
        self.page.panel.show_series(self._chat.series, self._chat.plain_rate.tokens_per_second)
        self.page.panel.show_answer(turn.answer)

    def _show_answer(self, answer: Answer) -> None:
        self.page.transcript.refresh(answer)
        self.page.panel.show_series(self._chat.series, self._chat.plain_rate.tokens_per_second)
        self.page.panel.show_answer(answer)
        if answer.state is AnswerState.DONE:
            self._show_pair()

    def _show_speculation(self, speculation: Speculation) -> None:
        self.page.panel.controls.show_value(speculation)
        self._show_hint()

    def _show_hint(self) -> None:
        needs = self._chat.speculation.needs_draft and not self._pairs.draft_path
        self.page.panel.show_hint(
            self.tr("No draft model is loaded, so nothing is drafted. Choose one, or guess with N-gram lookup.")
            if needs and self._pairs.target_path else ""
        )

    def _show_engine(self) -> None:
        state = self._engine.state
        words = {
            EngineState.EMPTY: "",
            EngineState.LOADING_TARGET: self.tr("Loading the target…"),
            EngineState.LOADING_DRAFT: self.tr("Loading the draft…"),
            EngineState.READY: self.tr("Ready"),
            EngineState.ANSWERING: self.tr("Answering"),
            EngineState.DOWN: self.tr("Not loaded"),
        }[state]
        header = self.page.header
        self._show_pair(words)
        header.show_progress(0.0 if self._engine.is_loading else None)
        if state is not EngineState.ANSWERING:
            # An answer's first frame has enough to do, and the bar measures by itself soon.
            header.memory.watch(self._engine.worker_pid)
        self._models.held_bytes = header.memory.returned_bytes
        if state is EngineState.READY:
            self._show_empty_if_unused()

    def _show_pair(self, state: str | None = None) -> None:
        header = self.page.header
        if not self._pairs.target_path:
            header.show_pair(self.tr("Choose a model"), "")
            return
        answer = self._chat.last_answer
        gain = answer.speed_up if answer is not None and answer.state is AnswerState.DONE else 0.0
        draft = self._pairs.draft_path
        header.show_pair(pair_title(self._target_name(), self._name(draft) if draft else "", gain),
                         header.state.text() if state is None else state)
        header.show_engine(self._engine.engine_sentence)
        self._show_hint()
        self._show_empty_if_unused()

    def _target_name(self) -> str:
        return self._name(self._pairs.target_path)

    def _name(self, path: str) -> str:
        facts = self._models.facts(path)
        return facts.name if facts is not None and facts.name else path

    def _show_empty_if_unused(self) -> None:
        if not self._chat.turns:
            self._show_empty()

    def _show_turns(self) -> None:
        """Another chat or branch."""
        self.page.panel.show_series(self._chat.series, self._chat.plain_rate.tokens_per_second)
        self.page.panel.show_answer(self._chat.last_answer)
        self.page.transcript.show_turns(self._chat.turns)
        if self._chat.turns:
            self.page.show_transcript()
        self._show_pair()

    def _show_empty(self) -> None:
        if self._chat.turns:
            return
        self.page.transcript.clear()
        self.page.panel.show_series(self._chat.series, self._chat.plain_rate.tokens_per_second)
        self.page.panel.show_answer(None)
        if self._pairs.target_path:
            words = self.tr("Your messages stay on this computer.")
            self.page.show_empty(self.tr("What shall we work on?"), words, "")
        elif self._models.scanned:
            self.page.show_empty(
                self.tr("Welcome to Slipstream"),
                self.tr("No model was found on this computer. Get one here to begin: it is kept on this computer, and "
                        "so is all that you write. (From a source folder, “python3 dev.py models” gets the same.)"), "",
            )
        else:
            self.page.show_empty(self.tr("Welcome to Slipstream"), self.tr("Looking for models…"), "")

    def _show_load_failure(self, failed: Failed) -> None:
        self.page.problem_banner.say("error", failed.words, self.tr("Choose models…"))
        self._help = self.open_picker

    def _show_draft_failure(self, failed: Failed) -> None:
        words = self.tr("The draft could not be loaded, so the target answers alone. {reason}")
        self.page.problem_banner.say("warning", words.format(reason=failed.message), self.tr("Choose models…"))
        self._help = self.open_picker

    def _show_missing_draft(self, path: str) -> None:
        words = self.tr("The draft {name} is not there any more, so the target answers alone.")
        self.page.problem_banner.say("warning", words.format(name=figures.short_name(path)), self.tr("Choose models…"))
        self._help = self.open_picker

    def _say_failed(self, words: str) -> None:
        self.page.problem_banner.say("error", words)

    def _say_noticed(self, words: str) -> None:
        self.page.problem_banner.say("warning", words)

    def _say_exported(self, count: int, name: str) -> None:
        words = self.tr("{count} conversations were written to {name}.").format(count=count, name=name)
        self.page.problem_banner.say("info", words)

    def _say_imported(self, count: int) -> None:
        words = self.tr("{count} conversations were brought in.").format(count=count)
        self.page.problem_banner.say("info", words)

    def _show_stop(self) -> None:
        words = self.tr("The engine stopped. It starts again with your next message.")
        self.page.problem_banner.say("warning", words, self.tr("Start again"))
        self._help = self._engine.start_again

    def _show_comparing(self, running: bool) -> None:
        if not running:
            self.page.problem_banner.hide()
            return
        words = self.tr("A comparison is running, so the chat's models are unloaded. They come back when it ends; "
                        "messages wait until then.")
        self.page.problem_banner.say("info", words, self.tr("Show it"))
        self._help = lambda: self.show_page(1)

    def _help_with_problem(self) -> None:
        self.page.problem_banner.hide()
        self._help()

    def _show_memory(self, judgement: MemoryJudgement) -> None:
        words = tight_words(judgement)
        ways = self._models.remedies(self._pairs.target_path, self._pairs.held_back,
                                     *self._models.loads(self._pairs.target_path))
        self.page.memory_banner.show_ways([way for way in ways if way.kind != "ngram"])
        self.page.memory_banner.say("warning", words, self.tr("Use N-gram lookup"), self.tr("Load anyway"))

    def _take_settings(self, settings: Settings) -> None:
        self._theme.choose(settings.theme)
        self.page.set_look(self._theme.colours, settings.tint_drafted)

    def _set_tint(self, on: bool) -> None:
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, tint_drafted=on))

    def _set_look(self, colours: Colours) -> None:
        self.rail.set_colours(colours)
        self.welcome.set_colours(colours)
        if self._compare_page is not None:
            self._compare_page.set_colours(colours)
        if self._models_page is not None:
            self._models_page.set_colours(colours)
        self.page.set_look(colours, self._keeper.settings.tint_drafted)


def _fill(place: QWidget, page: QWidget) -> None:
    column = QVBoxLayout(place)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(page)
    # The layout would show it only in the next turn of the event loop.
    page.show()
