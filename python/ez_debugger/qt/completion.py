"""A list of names that can be written at the cursor of a QPlainTextEdit."""

from __future__ import annotations

import re
from typing import Callable, List, Optional

from PyQt6.QtCore import QEvent, QModelIndex, QObject, QStringListModel, Qt, QTimer
from PyQt6.QtGui import QKeyEvent, QTextCursor
from PyQt6.QtWidgets import QCompleter, QPlainTextEdit

from .code_font import use_code_font
from .offer import Offer
from .text_edit import apply_edits
from .utf16 import text_before

#: How long after a key names are asked for, in milliseconds.
_ASK_AFTER_MS = 80

#: So many letters of a name have to be there before names are offered without being asked for.
_SHORTEST = 2

#: At most so many names are shown.
_MOST = 200

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
_COMMENT = re.compile(r'^(?:[^"`/]|"(?:[^"\\]|\\.)*"|`[^`]*`|/(?!/))*//')

#: Line and column of the cursor, from 1, the column in code points; and who takes the names.
Ask = Callable[[int, int, Callable[[List[Offer]], None]], None]


class CompletionList(QObject):
    """Offers names while one types, after a `.`, and with Ctrl+Space.

    Tab takes the first or the selected one, Return only one that is selected: it ends lines as before.
    """

    def __init__(self, editor: QPlainTextEdit, ask: Ask) -> None:
        super().__init__(editor)
        self._editor = editor
        self._ask = ask
        self._offers: List[Offer] = []
        #: The answer to an older question is of no interest.
        self._asked = 0
        self._labels = QStringListModel(self)
        self.completer = QCompleter(self._labels, self)
        self.completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer.setWidget(editor)
        self.completer.activated[str].connect(self._take_label)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_ASK_AFTER_MS)
        self._timer.timeout.connect(self.ask)
        editor.installEventFilter(self)
        popup = self.completer.popup()
        if popup is not None:
            # While the list is shown, it gets the keys, and passes them on to the editor past the filter there.
            popup.installEventFilter(self)

    @property
    def is_open(self) -> bool:
        """Whether names are shown."""
        popup = self.completer.popup()
        return popup is not None and popup.isVisible()

    def ask(self) -> None:
        """Asks for the names at the cursor, and shows them."""
        self._asked += 1
        number, cursor = self._asked, self._editor.textCursor()
        position = cursor.position()
        before = self._before()

        def take(offers: List[Offer]) -> None:
            if number == self._asked and self._editor.textCursor().position() == position:
                self._show(offers)

        self._ask(cursor.blockNumber() + 1, len(before) + 1, take)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Keys of the editor, and of the list."""
        if event is not None and event.type() == QEvent.Type.FocusOut and not self.is_open:
            self._timer.stop()
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if event.key() == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.ask()
            return True
        if self.is_open and self._take_key(event.key()):
            return True
        # After the editor has done what the key does.
        text, key, asked = event.text(), event.key(), self._asked
        QTimer.singleShot(0, lambda: self._after(text, key) if self._asked == asked else None)
        return False

    def _take_key(self, key: int) -> bool:
        if key == Qt.Key.Key_Escape:
            self.hide()
            return True
        chosen = self._chosen()
        if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) or chosen and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(chosen or self._offers[0])
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._forget()
        return False

    def _after(self, text: str, key: int) -> None:
        before = self._before()
        name = _NAME.search(before)
        is_typed = bool(text) and (text.isalnum() or text == "_") or key == Qt.Key.Key_Backspace and self.is_open
        if _COMMENT.match(before) or not (text == "." or is_typed and name is not None):
            if text or key not in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Shift, Qt.Key.Key_Control):
                self._forget()
        elif text == "." or self.is_open or name is not None and len(name.group()) >= _SHORTEST:
            self._timer.start()

    def _before(self) -> str:
        """The text of the line before the cursor."""
        cursor = self._editor.textCursor()
        return text_before(cursor.block().text(), cursor.positionInBlock())

    def _show(self, offers: List[Offer]) -> None:
        found = _NAME.search(self._before())
        name = found.group() if found is not None else ""
        fitting = [one for one in offers if one.label.lower().startswith(name.lower())][:_MOST]
        if not fitting or [one.label for one in fitting] == [name] or not self._editor.hasFocus():
            self.hide()
            return
        self._offers = fitting
        self._labels.setStringList([one.label for one in fitting])
        place = self._editor.cursorRect()
        popup = self.completer.popup()
        if popup is not None and popup.font() != self._editor.font():
            use_code_font(popup, self._editor.font())
        bar = popup.verticalScrollBar() if popup is not None else None
        if popup is not None:
            place.setWidth(popup.sizeHintForColumn(0) + 24 + (bar.sizeHint().width() if bar is not None else 0))
        self.completer.complete(place)
        if popup is not None:
            # Qt selects the first.
            popup.setCurrentIndex(QModelIndex())

    def _forget(self) -> None:
        """Shows no names, and takes none that were asked for."""
        self._timer.stop()
        self._asked += 1
        self.hide()

    def hide(self) -> None:
        """Shows no names."""
        popup = self.completer.popup()
        if popup is not None:
            popup.hide()

    def _chosen(self) -> Optional[Offer]:
        popup = self.completer.popup()
        index = popup.currentIndex() if popup is not None else None
        if index is None or not index.isValid() or index.row() >= len(self._offers):
            return None
        return self._offers[index.row()]

    def _take_label(self, label: str) -> None:
        offer = next((one for one in self._offers if one.label == label), None)
        if offer is not None:
            self._take(offer)

    def _take(self, offer: Offer) -> None:
        """Writes a name in the place of the part that is there, in one step for undo."""
        self.hide()
        found = _NAME.search(self._before())
        cursor = self._editor.textCursor()
        cursor.beginEditBlock()
        length = len(found.group()) if found is not None else 0
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, length)
        cursor.insertText(offer.text)
        document = self._editor.document()
        if document is not None:
            apply_edits(document, offer.edits)
        cursor.endEditBlock()
        self._editor.setTextCursor(cursor)
