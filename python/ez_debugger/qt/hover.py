"""The expression under the mouse in a QPlainTextEdit."""

from __future__ import annotations

import re
from typing import Optional

from PyQt6.QtCore import QEvent, QObject, QPoint, pyqtSignal
from PyQt6.QtGui import QHelpEvent
from PyQt6.QtWidgets import QPlainTextEdit

from .line_overlay import block_rect
from .utf16 import text_before

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_BEFORE_DOT = re.compile(r"([A-Za-z_][A-Za-z_0-9]*|\])\Z")


class HoverWatch(QObject):
    """Reports the expression over which the mouse rests."""

    #: The expression, and the place on the screen.
    hovered = pyqtSignal(str, object)
    #: Line and column of the name, from 1, the column in code points, and the place on the screen.
    name_hovered = pyqtSignal(int, int, object)

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        viewport = editor.viewport()
        if viewport is not None:
            viewport.installEventFilter(self)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """The mouse rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            expression = self.expression_at(event.pos())
            if expression:
                self.hovered.emit(expression, event.globalPos())
                cursor = self._editor.cursorForPosition(event.pos())
                column = len(text_before(cursor.block().text(), cursor.positionInBlock())) + 1
                self.name_hovered.emit(cursor.blockNumber() + 1, column, event.globalPos())
                return True
        return False

    def expression_at(self, place: QPoint) -> str:
        """The expression at a place of the viewport, empty if there is none."""
        cursor = self._editor.cursorForPosition(place)
        block = cursor.block()
        layout = block.layout()
        rect = block_rect(self._editor, block)
        if layout is None or not rect.top() <= place.y() < rect.bottom():
            return ""
        line = layout.lineForTextPosition(cursor.positionInBlock())
        if line.isValid() and place.x() > rect.left() + line.x() + line.naturalTextWidth():
            return ""
        return expression_at(block.text(), cursor.positionInBlock())


def expression_at(text: str, column: int) -> str:
    """The name at a column, counted from 0, with what it is a part of: of `a.b[i].c`, `a.b` at the `b`."""
    for found in _NAME.finditer(text):
        if found.start() <= column <= found.end():
            return text[_start_of(text, found.start()):found.end()]
    return ""


def _start_of(text: str, start: int) -> int:
    """Where the expression begins to which a name at `start` belongs."""
    while start > 0 and text[start - 1] == ".":
        before = _BEFORE_DOT.search(text, 0, start - 1)
        if before is None:
            break
        start = before.start()
        if text[start] == "]":
            opening = _opening(text, start)
            owner = _BEFORE_DOT.search(text, 0, opening)
            if opening < 0 or owner is None or owner.group() == "]":
                return start + 2
            start = owner.start()
    return start


def _opening(text: str, closing: int) -> int:
    """Where the bracket is that is closed at `closing`, -1 if there is none."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += {"]": 1, "[": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return -1
