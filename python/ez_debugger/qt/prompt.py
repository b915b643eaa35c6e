"""The line in which expressions are evaluated."""

from __future__ import annotations

from typing import List, Optional

from PyQt6.QtCore import QStringListModel, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent
from PyQt6.QtWidgets import QCompleter, QLineEdit, QWidget

from ..protocol import Completion, Completions, Event
from .session import DebugSession
from .utf16 import text_before, units

#: How long after a key the server is asked for completions, in milliseconds.
_COMPLETE_AFTER_MS = 80


class Prompt(QLineEdit):
    """A line with the server's completions (while one types, or with Ctrl+Space) and a history (Up, Down)."""

    #: An expression was entered.
    entered = pyqtSignal(str)

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        self.history: List[str] = []
        self._at = 0
        self._targets: List[Completion] = []
        self._asked = 0
        self.setPlaceholderText("Evaluate, or assign: x = 3")
        self.setAccessibleName("Expression to evaluate")
        self._labels = QStringListModel(self)
        self.offers = QCompleter(self._labels, self)
        self.offers.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.offers.setWidget(self)
        self.offers.activated[str].connect(self.take)
        self._ask = QTimer(self)
        self._ask.setSingleShot(True)
        self._ask.setInterval(_COMPLETE_AFTER_MS)
        self._ask.timeout.connect(self.complete)
        self.textEdited.connect(self._on_edited)

    def _on_edited(self, text: str) -> None:
        if text.strip():
            self._ask.start()
        else:
            self._ask.stop()
            self._hide()

    def complete(self) -> None:
        """Asks the server for the completions before the cursor, and offers them."""
        text, position = self.text(), self.cursorPosition()
        if "completions" not in self._session.state.possible:
            self._hide()
            return
        self._asked += 1
        number = self._asked

        def take(event: Event) -> None:
            if isinstance(event, Completions) and number == self._asked and self.text() == text:
                self._offer(list(event.targets))

        # Qt counts in UTF-16, the protocol in code points.
        column = len(text_before(text, position)) + 1
        self._session.completions(take, text, column, self._session.frame_index)

    def take(self, label: str) -> None:
        """Puts a completion in its place."""
        for target in self._targets:
            if target.label == label:
                start = target.start - 1
                text = self.text()
                self.setText(text[:start] + label + text[start + target.length:])
                self.setCursorPosition(units(text[:start] + label))
                break
        self._hide()

    def keyPressEvent(self, event: Optional[QKeyEvent]) -> None:
        """History, completions, and Return."""
        if event is None:
            return
        popup = self.offers.popup()
        is_open = popup is not None and popup.isVisible()
        if event.key() == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.complete()
        elif event.key() == Qt.Key.Key_Tab and is_open and self._targets:
            self.take(self._chosen() or self._targets[0].label)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and is_open and self._chosen():
            self.take(self._chosen())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
        elif event.key() == Qt.Key.Key_Up and not is_open:
            self._recall(-1)
        elif event.key() == Qt.Key.Key_Down and not is_open:
            self._recall(1)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: Optional[QFocusEvent]) -> None:
        """No offers without the focus."""
        if event is not None and event.reason() != Qt.FocusReason.PopupFocusReason:
            self._ask.stop()
        super().focusOutEvent(event)

    def _chosen(self) -> str:
        """The completion that is selected in the list."""
        popup = self.offers.popup()
        index = popup.currentIndex() if popup is not None else None
        return str(index.data()) if index is not None and index.isValid() else ""

    def _enter(self) -> None:
        text = self.text().strip()
        self._ask.stop()
        self._asked += 1
        self._hide()
        if not text or "evaluate" not in self._session.state.possible:
            return
        if not self.history or self.history[-1] != text:
            self.history.append(text)
        self._at = len(self.history)
        self.clear()
        self.entered.emit(text)

    def _recall(self, direction: int) -> None:
        at = self._at + direction
        if 0 <= at <= len(self.history):
            self._at = at
            self.setText(self.history[at] if at < len(self.history) else "")

    def _offer(self, targets: List[Completion]) -> None:
        self._targets = targets
        word = targets[0].length if targets else 0
        if not targets or not self.hasFocus() or len(targets) == 1 and len(targets[0].label) == word:
            self._hide()
            return
        self._labels.setStringList([target.label for target in targets])
        place = self.cursorRect()
        place.setWidth(max(180, self.width() // 2))
        self.offers.complete(place)

    def _hide(self) -> None:
        popup = self.offers.popup()
        if popup is not None:
            popup.hide()
