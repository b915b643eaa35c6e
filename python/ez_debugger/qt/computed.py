"""How a statement was computed."""

from __future__ import annotations

from typing import List, Optional, Tuple

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QFont, QTextCursor
from PyQt6.QtWidgets import QDialog, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from ..protocol import Unfolded, UnfoldedPart
from . import colors
from .code_font import use_code_font
from .plain import PlainLabel
from .utf16 import units

#: A line: its text, where what is new in it begins and how long that is, and the part that it shows.
Line = Tuple[str, int, int, Optional[UnfoldedPart]]


class ComputedWindow(QDialog):
    """The stages of a statement's expression, from its source to its value, and what the statement has written.

    The part of the line with the cursor is shown in the editor.
    """

    #: The part of the line with the cursor: an `UnfoldedPart`.
    part_chosen = pyqtSignal(object)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self.setWindowTitle("How it was computed")
        self.resize(560, 300)
        self.place = PlainLabel(self)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("How it was computed")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.cursorPositionChanged.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.addWidget(self.place)
        layout.addWidget(self.text, 1)
        self._lines: List[Line] = []
        self._row = -1

    def show_unfolded(self, unfolded: Unfolded, font: QFont) -> None:
        """Shows the answer of `unfold`."""
        use_code_font(self.text, font)
        place = unfolded.location
        self.place.setText(f"Line {place.line}, step {unfolded.step:,}")
        self._lines = lines_of(unfolded)
        self._row = 0
        self.text.setPlainText("\n".join(text for text, *_ in self._lines))
        self._mark()
        self.show()
        self.raise_()

    def _mark(self) -> None:
        document = self.text.document()
        marks = []
        for row, (text, start, length, _) in enumerate(self._lines):
            if length == 0 or document is None:
                continue
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(document.findBlockByNumber(row))
            begin = mark.cursor.position() + units(text[:start])
            mark.cursor.setPosition(begin)
            mark.cursor.setPosition(begin + units(text[start:start + length]), QTextCursor.MoveMode.KeepAnchor)
            mark.format.setBackground(colors.new(self.text.palette()))
            marks.append(mark)
        self.text.setExtraSelections(marks)

    def _choose(self) -> None:
        row = self.text.textCursor().blockNumber()
        if row != self._row and row < len(self._lines):
            self._row = row
            part = self._lines[row][3]
            if part is not None:
                self.part_chosen.emit(part)


def lines_of(unfolded: Unfolded) -> List[Line]:
    """The stages, what was not computed, what was written, and the error that ended it."""
    parts = unfolded.parts
    lines: List[Line] = []
    for number, line in enumerate(unfolded.lines):
        before = unfolded.prefix if number == 0 else "= "
        part = parts[line.part] if line.part is not None and line.part < len(parts) else None
        lines.append((before + line.text, len(before) + line.start, line.length, part))
    for part in parts:
        if part.skipped:
            lines.append((f"{part.text} was not computed: {part.skipped}", 0, 0, part))
        elif part.kind == "write" and part.new_value is not None:
            old = f"{part.old_value} → " if part.old_value is not None else ""
            lines.append((f"{part.target}: {old}{part.new_value}", 0, 0, part))
        elif part.kind == "error":
            lines.append((f"{part.message} [{part.code}]" if part.code else f"{part.message}", 0, 0, part))
    if unfolded.incomplete:
        lines.append((f"Not finished: {unfolded.incomplete}", 0, 0, None))
    return lines
