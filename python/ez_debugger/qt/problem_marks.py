"""Wavy lines under what is wrong in a QPlainTextEdit."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence

from PyQt6.QtCore import QEvent, QObject, QPointF, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF, QTextBlock, QTextCursor
from PyQt6.QtWidgets import QPlainTextEdit

from . import colors
from .code_font import size_beside
from .line_overlay import block_rect
from .plain import show_tip
from .problem import WARNING, Problem
from .text_edit import block_at
from .utf16 import text_before, units
from .viewport_overlay import ViewportOverlay

#: What is underlined from a column on: a text, a name or number, or else one character.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|\w+|\S')


class ProblemMarks(ViewportOverlay):
    """Draws the lines over the text, since the editor may have marks of its own; says what is wrong as a tool tip."""

    #: The menu of a mark was asked for: line, column in code points from 1, and the place on the screen.
    menu_requested = pyqtSignal(int, int, object)

    def __init__(self, editor: QPlainTextEdit) -> None:
        self._problems: List[Problem] = []
        super().__init__(editor)

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Marks problems at lines of the text."""
        self._problems = list(problems)
        self.update()

    def at(self, block: QTextBlock, column: int) -> List[Problem]:
        """The problems at a place, whose column is counted from 0 in UTF-16."""
        line = block.blockNumber() + 1
        return [one for one in self._problems if one.line == line and _span(block.text(), one)[0] <= column
                <= _span(block.text(), one)[1]]

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Follows the viewport; a mouse that rests over a mark is told what is wrong, and a right click has a menu."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cursor = self._editor.cursorForPosition(event.pos())
            found = self.at(cursor.block(), cursor.positionInBlock())
            if found:
                show_tip(event.globalPos(), "\n".join(one.explained for one in found), self._editor,
                         size_beside(self._editor.font()))
                return True
        elif isinstance(event, QContextMenuEvent):
            cursor = self._editor.cursorForPosition(event.pos())
            if self.at(cursor.block(), cursor.positionInBlock()):
                column = len(text_before(cursor.block().text(), cursor.positionInBlock())) + 1
                self.menu_requested.emit(cursor.blockNumber() + 1, column, event.globalPos())
                return True
        return super().eventFilter(watched, event)

    def paintEvent(self, event: Optional[QPaintEvent]) -> None:
        """Paints the lines in view."""
        document = self._editor.document()
        if not self._problems or document is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self._editor.palette()
        for problem in self._problems:
            block = block_at(document, problem.line)
            if not block.isValid() or not block.isVisible():
                continue
            rect = block_rect(self._editor, block)
            if rect.bottom() >= 0 and rect.top() <= self.height():
                color = colors.warning(palette) if problem.kind == WARNING else colors.error(palette)
                painter.setPen(QPen(color, 1.3))
                self._paint(painter, block, problem)

    def _paint(self, painter: QPainter, block: QTextBlock, problem: Problem) -> None:
        start, end = _span(block.text(), problem)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + start)
        first = self._editor.cursorRect(cursor)
        cursor.setPosition(block.position() + end)
        last = self._editor.cursorRect(cursor)
        right = last.left() if last.top() == first.top() and last.left() > first.left() else first.left() + 8
        bottom = first.bottom() - 1.0
        steps = max(3, (right - first.left()) // 3)
        painter.drawPolyline(QPolygonF(
            [QPointF(first.left() + 3 * step, bottom - (2 if step % 2 else 0)) for step in range(steps + 1)]))


def _span(text: str, problem: Problem) -> tuple[int, int]:
    """Where the mark begins and ends in its line, counted from 0 in UTF-16."""
    column = max(0, min(problem.column - 1, len(text)))
    found = _TOKEN.match(text, column)
    start, end = found.span() if found is not None else (column, column)
    if start == end:
        # Nothing is there: what is missing comes after the text before.
        before = text.rstrip()
        start, end = max(0, len(before) - 1), len(before)
    return units(text[:start]), units(text[:end])
