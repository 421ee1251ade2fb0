"""The conversations at the left: search, choose, rename, pin, delete with undo."""

from __future__ import annotations

from PySide6.QtCore import (
    QDateTime,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QInputDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.chat.store import Summary
from app.gui.look import layout, theme
from app.gui.look.icons import icon
from app.gui.look.theme import Colours
from app.gui.words.translation import date_locale

WIDTH = 260
_ROW = Qt.ItemDataRole.UserRole + 1
_FOLDER = _ROW + 1
"""Its name, what is shown of it, whether it is folded."""
_ROW_PX, _FOLDER_PX = 44, 28
_LONGEST_FOLDER = 60
_SEARCH_MS = 40
"""A pause in typing before the search; searches that others have overtaken are not made."""
_UNDO_MS = 20_000
_WEEK_DAYS = 7


class ConversationList(QFrame):
    open_requested = Signal(str)
    new_requested = Signal()
    search_changed = Signal(str)
    renamed = Signal(str, str)
    pinned = Signal(str, bool)
    moved = Signal(str, str)
    """An id and the folder it goes to, "" for none."""
    deleted = Signal(str)
    restored = Signal(str)
    copy_requested = Signal(str)
    """The whole conversation of this id is wanted on the clipboard."""
    export_requested = Signal(list, str)
    """Ids (none for all) and the file to write."""
    import_requested = Signal(str)

    def __init__(self, colours: Colours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversations")
        self.setFixedWidth(WIDTH)
        self._colours = colours
        self._current = ""
        self._last_deleted = ""
        self._folded: set[str] = set()
        self._shown: list[Summary] = []
        self._search = ""
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search conversations"))
        self.search.setAccessibleName(self.tr("Search conversations"))
        self.search.setClearButtonEnabled(True)
        self.new = layout.button(self, tip=self.tr("New chat (Ctrl+N)"))
        self.new.setAccessibleName(self.tr("New chat"))
        self.new.setText(self.tr("New chat"))
        self.more = layout.tool_button(self, self.tr("Import and export"), self._show_more)
        self.list = _List(self)
        self.list.setAccessibleName(self.tr("Conversations"))
        self._delegate = _Delegate(self.list, colours)
        self.list.setItemDelegate(self._delegate)
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.empty = layout.label(self, role="secondary", wraps=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._undo_bar = QFrame(self)
        self._undo_bar.setObjectName("card")
        self._undo_text = layout.label(self._undo_bar, role="secondary", plain=True)
        self.undo = QPushButton(self.tr("Undo"), self._undo_bar)
        layout.row(self._undo_bar, (self._undo_text, 1), self.undo, margins=(8, 4, 4, 4))
        self._undo_bar.hide()
        head = layout.row(None, (self.new, 1), self.more, spacing=4)
        layout.column(self, head, self.search, self.empty, (self.list, 1), self._undo_bar, margins=(8, 8, 8, 8),
                      spacing=8)
        self._search_timer = _single_shot(self, _SEARCH_MS)
        self._search_timer.timeout.connect(lambda: self.search_changed.emit(self.search.text().strip()))
        self._undo_timer = _single_shot(self, _UNDO_MS)
        self._undo_timer.timeout.connect(self._undo_bar.hide)
        self.search.textChanged.connect(lambda: self._search_timer.start())
        self.new.clicked.connect(self.new_requested)
        self.list.itemClicked.connect(self._open)
        self.list.itemActivated.connect(self._open)
        self.list.delete_pressed.connect(self._ask_delete)
        self.list.rename_pressed.connect(self._ask_rename)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.undo.clicked.connect(self._undo)
        self.set_colours(colours)

    def set_colours(self, colours: Colours) -> None:
        self._colours = self._delegate.colours = colours
        self.new.setIcon(icon("plus", colours))
        self.more.setIcon(icon("dots-three-vertical", colours))
        self.list.viewport().update()

    def show_summaries(self, summaries: list[Summary], search: str) -> None:
        """Show the list for ``search``; what was asked for meanwhile comes later."""
        if search != self.search.text().strip():
            return
        self._shown, self._search = summaries, search
        self.list.blockSignals(True)
        place = self.list.verticalScrollBar().value()
        self.list.clear()
        folders = [] if search else sorted({each.folder for each in summaries if each.folder}, key=str.casefold)
        # Rows of one height are laid out without being asked, which a thousand conversations need.
        self.list.setUniformItemSizes(not folders)
        for summary in summaries if not folders else [each for each in summaries if each.pinned]:
            self._add_row(summary)
        for folder in folders:
            within = [each for each in summaries if each.folder == folder and not each.pinned]
            self._add_folder(folder, len(within))
            for summary in within if folder not in self._folded else []:
                self._add_row(summary)
        if folders:
            self._add_folder("", 0)
            for summary in summaries:
                if not summary.folder and not summary.pinned:
                    self._add_row(summary)
        self.list.verticalScrollBar().setValue(place)
        self.list.blockSignals(False)
        self.empty.setVisible(not summaries)
        self.empty.setText(self.tr("Nothing found. Try fewer or shorter words.") if search
                           else self.tr("Your conversations will be listed here. Write a message to begin one."))

    def _add_row(self, summary: Summary) -> None:
        item = QListWidgetItem(self.list)
        item.setData(_ROW, summary)
        title = summary.title or self.tr("New chat")
        item.setData(Qt.ItemDataRole.AccessibleTextRole, title)
        item.setToolTip(title)
        if summary.id == self._current:
            self.list.setCurrentItem(item)

    def _add_folder(self, folder: str, count: int) -> None:
        item = QListWidgetItem(self.list)
        folded = folder in self._folded
        words = self.tr("Other conversations")
        if folder:
            words = self.tr("{name} ({count})").format(name=folder, count=count)
        item.setData(_FOLDER, (folder, words, folded))
        state = self.tr("folded") if folded else self.tr("open")
        spoken = self.tr("Folder {name}, {state}").format(name=words, state=state) if folder else words
        item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        if not folder:
            item.setFlags(Qt.ItemFlag.NoItemFlags)

    def _toggle_folder(self, folder: str) -> None:
        self._folded ^= {folder}
        self.show_summaries(self._shown, self._search)

    def show_current(self, conversation_id: str) -> None:
        """Mark the conversation that is on the screen."""
        self._current = conversation_id
        self.list.blockSignals(True)
        self.list.setCurrentRow(-1)
        for index in range(self.list.count()):
            item = self.list.item(index)
            summary: Summary | None = item.data(_ROW)
            if summary is not None and summary.id == conversation_id:
                self.list.setCurrentItem(item)
                break
        self.list.blockSignals(False)
        self.list.viewport().update()

    def summaries(self) -> list[Summary]:
        """Those that are in view or can be scrolled to, in order."""
        rows: list[Summary | None] = [self.list.item(i).data(_ROW) for i in range(self.list.count())]
        return [row for row in rows if row is not None]

    def remove(self, summary: Summary) -> None:
        """Delete ``summary`` now and offer to undo it."""
        self._last_deleted = summary.id
        words = self.tr("Deleted “{title}”").format(title=summary.title or self.tr("New chat"))
        metrics = QFontMetrics(theme.ui_font(theme.SMALL_PX))
        self._undo_text.setText(metrics.elidedText(words, Qt.TextElideMode.ElideRight, WIDTH - 110))
        self._undo_bar.show()
        self._undo_timer.start()
        self.deleted.emit(summary.id)

    def _undo(self) -> None:
        self._undo_bar.hide()
        if self._last_deleted:
            self.restored.emit(self._last_deleted)
            self._last_deleted = ""

    def _open(self, item: QListWidgetItem) -> None:
        summary: Summary | None = item.data(_ROW)
        if summary is not None:
            self.open_requested.emit(summary.id)
        elif item.data(_FOLDER) is not None and item.data(_FOLDER)[0]:
            self._toggle_folder(item.data(_FOLDER)[0])

    def _summary(self) -> Summary | None:
        item = self.list.currentItem()
        found: Summary | None = item.data(_ROW) if item is not None else None
        return found

    def _show_menu(self, place: QPoint) -> None:
        item = self.list.itemAt(place)
        if item is None:
            return
        summary: Summary | None = item.data(_ROW)
        if summary is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Rename…"), lambda: self._rename(summary))
        pin = self.tr("Unpin") if summary.pinned else self.tr("Pin to the top")
        menu.addAction(pin, lambda: self.pinned.emit(summary.id, not summary.pinned))
        self._add_folder_menu(menu, summary)
        menu.addAction(self.tr("Copy as Markdown"), lambda: self.copy_requested.emit(summary.id))
        menu.addAction(self.tr("Export…"), lambda: self._choose_export([summary.id], summary.title))
        menu.addSeparator()
        menu.addAction(self.tr("Delete…"), lambda: self._ask_before_removing(summary))
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _add_folder_menu(self, menu: QMenu, summary: Summary) -> None:
        folders = menu.addMenu(self.tr("Folder"))
        for folder in ["", *sorted({each.folder for each in self._shown if each.folder}, key=str.casefold)]:
            # A single & would be taken for a shortcut's mark.
            action = folders.addAction(folder.replace("&", "&&") or self.tr("None"))
            action.setCheckable(True)
            action.setChecked(folder == summary.folder)
            action.triggered.connect(lambda _on, name=folder: self.moved.emit(summary.id, name))
        folders.addSeparator()
        folders.addAction(self.tr("New folder…"), lambda: self._ask_folder(summary))

    def _ask_folder(self, summary: Summary) -> None:
        name, accepted = QInputDialog.getText(self, self.tr("New folder"), self.tr("Name"))
        if accepted and name.strip():
            self.moved.emit(summary.id, name.strip()[:_LONGEST_FOLDER])

    def _show_more(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Import conversations…"), self._choose_import)
        menu.addAction(self.tr("Export all conversations…"), lambda: self._choose_export([], "conversations"))
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _choose_export(self, ids: list[str], title: str) -> None:
        dialog = QFileDialog(self, self.tr("Export"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Markdown, to read (*.md)"), self.tr("JSON, to keep (*.json)")])
        if not ids:
            dialog.selectNameFilter(dialog.nameFilters()[1])
        dialog.setDefaultSuffix("json" if not ids else "md")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix("json" if "json" in chosen else "md"))
        dialog.selectFile("".join(c if c.isalnum() or c in " -_" else "_" for c in title)[:60].strip() or "chat")
        dialog.fileSelected.connect(lambda path: self.export_requested.emit(ids, path))
        dialog.open()

    def _choose_import(self) -> None:
        dialog = QFileDialog(self, self.tr("Import conversations"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(self.tr("Exports of Slipstream, ChatGPT and LM Studio (*.json)"))
        dialog.fileSelected.connect(self.import_requested)
        dialog.open()

    def _ask_rename(self) -> None:
        summary = self._summary()
        if summary is not None:
            self._rename(summary)

    def _rename(self, summary: Summary) -> None:
        title, accepted = QInputDialog.getText(self, self.tr("Rename"), self.tr("Title"), text=summary.title)
        if accepted and title.strip():
            self.renamed.emit(summary.id, title.strip()[:200])

    def _ask_delete(self) -> None:
        summary = self._summary()
        if summary is not None:
            self._ask_before_removing(summary)

    def _ask_before_removing(self, summary: Summary) -> None:
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.tr("Delete this conversation?"))
        box.setText(self.tr("Delete “{title}”?").format(title=summary.title or self.tr("New chat")))
        box.addButton(QMessageBox.StandardButton.Cancel)
        delete = box.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        delete.clicked.connect(lambda: self.remove(summary))
        box.open()


class _List(QListWidget):
    delete_pressed = Signal()
    rename_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        elif event.key() == Qt.Key.Key_F2:
            self.rename_pressed.emit()
        else:
            super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QListWidget, colours: Colours) -> None:
        super().__init__(view)
        self.colours = colours

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, _ROW_PX if index.data(_ROW) is not None else _FOLDER_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
              ) -> None:
        summary: Summary | None = index.data(_ROW)
        if summary is None:
            self._paint_folder(painter, option, index)
            return
        colours = self.colours
        area: QRect = option.rect.adjusted(0, 1, 0, -1)
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.accent_soft if selected else colours.hover))
            painter.drawRoundedRect(area, 6, 6)
        inner = area.adjusted(8, 4, -8, -4)
        title = summary.title or self.tr("New chat")
        font = theme.ui_font(bold=selected)
        self._line(painter, font, colours.text, title, QRect(inner.left(), inner.top(), inner.width(), 18))
        when = moment(summary.updated_s)
        small = summary.snippet or (self.tr("Pinned · {when}").format(when=when) if summary.pinned else when)
        below = QRect(inner.left(), inner.top() + 18, inner.width(), 16)
        self._line(painter, theme.ui_font(theme.SMALL_PX), colours.secondary, small, below)
        painter.restore()

    def _paint_folder(self, painter: QPainter, option: QStyleOptionViewItem,
                      index: QModelIndex | QPersistentModelIndex) -> None:
        folder, words, folded = index.data(_FOLDER)
        area: QRect = option.rect.adjusted(8, 6, -8, 0)
        painter.save()
        if option.state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected) and folder:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.colours.hover))
            painter.drawRoundedRect(option.rect.adjusted(0, 4, 0, 0), 6, 6)
        if folder:
            picture = icon("caret-right" if folded else "caret-down", self.colours)
            picture.paint(painter, QRect(area.left() - 2, area.top() + 3, 14, 14))
            area.setLeft(area.left() + 16)
        self._line(painter, theme.ui_font(theme.SMALL_PX, bold=True), self.colours.secondary, words, area)
        painter.restore()

    @staticmethod
    def _line(painter: QPainter, font: QFont, colour: str, text: str, place: QRect) -> None:
        painter.setFont(font)
        painter.setPen(QColor(colour))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def moment(seconds: float) -> str:
    """The time of a day for today, else the date, as the locale writes them."""
    then, now = QDateTime.fromSecsSinceEpoch(int(seconds)), QDateTime.currentDateTime()
    locale = date_locale()
    time = locale.toString(then.time(), QLocale.FormatType.ShortFormat)
    days = then.date().daysTo(now.date())
    if days == 0:
        return time
    if 0 < days < _WEEK_DAYS:
        return f"{locale.dayName(then.date().dayOfWeek())}, {time}"
    return locale.toString(then.date(), QLocale.FormatType.ShortFormat)


def _single_shot(parent: QWidget, milliseconds: int) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    return timer
