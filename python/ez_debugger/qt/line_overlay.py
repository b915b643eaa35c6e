"""Marks over the text of a QPlainTextEdit."""

from __future__ import annotations

from typing import Optional

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QPainter, QPaintEvent, QTextBlock
from PyQt6.QtWidgets import QPlainTextEdit

from . import colors
from .text_edit import block_at
from .viewport_overlay import ViewportOverlay


class LineOverlay(ViewportOverlay):
    """Tints the line where the program is and writes values beside it. Needs nothing of the editor's own marks."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        #: The marked line, 0 for none.
        self.line = 0
        self.is_past = False
        self.values = ""
        #: The run-time error that has happened in the line.
        self.error = ""
        super().__init__(editor)

    def mark(self, line: int, is_past: bool, error: str = "") -> None:
        """Marks a line, 0 for none."""
        self.line, self.is_past, self.values, self.error = line, is_past, "", error
        self.update()

    def move_mark(self, line: int) -> None:
        """Marks another line in the same way."""
        self.line = line
        self.update()

    def set_values(self, text: str) -> None:
        """Writes a text beside the marked line."""
        self.values = text
        self.update()

    def paintEvent(self, event: Optional[QPaintEvent]) -> None:
        """Paints the marks."""
        document = self._editor.document()
        if self.line <= 0 or document is None:
            return
        block = block_at(document, self.line)
        if not block.isValid() or not block.isVisible():
            return
        rect = block_rect(self._editor, block)
        if rect.bottom() < 0 or rect.top() > self.height():
            return
        painter = QPainter(self)
        palette = self._editor.palette()
        color = colors.past_line(palette) if self.is_past else colors.present_line(palette)
        if self.error:
            color = colors.error_line(palette)
        painter.fillRect(QRectF(0, rect.top(), self.width(), rect.height()), color)
        color.setAlpha(255)
        painter.fillRect(QRectF(0, rect.top(), 3, rect.height()), color)
        self._paint_values(painter, block, rect)

    def _paint_values(self, painter: QPainter, block: QTextBlock, rect: QRectF) -> None:
        layout = block.layout()
        beside = self.error or self.values
        if not beside or layout is None or layout.lineCount() == 0:
            return
        last = layout.lineAt(layout.lineCount() - 1)
        left = rect.left() + last.x() + last.naturalTextWidth() + 28
        font = self._editor.font()
        font.setItalic(True)
        painter.setFont(font)
        palette = self._editor.palette()
        painter.setPen(colors.error(palette) if self.error else colors.faint(palette))
        place = QRectF(left, rect.top() + last.y(), max(0.0, self.width() - left - 6), last.height())
        text = painter.fontMetrics().elidedText(beside, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def block_rect(editor: QPlainTextEdit, block: QTextBlock) -> QRectF:
    """Where a block is in the viewport."""
    return editor.blockBoundingGeometry(block).translated(editor.contentOffset())
