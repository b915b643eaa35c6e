"""What a case expects and what was printed, side by side, and where that comes from."""

from __future__ import annotations

from typing import List, Optional, Tuple

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QFontMetrics, QResizeEvent, QTextCursor
from PyQt6.QtWidgets import (QBoxLayout, QFrame, QPlainTextEdit, QSizePolicy, QTextEdit, QTreeWidget, QTreeWidgetItem,
                             QVBoxLayout, QWidget)

from ..cases.results import CaseResult
from . import colors
from .code_font import use_code_font
from .copy_key import CopyKey
from .least_rows import LeastRows
from .plain import PlainLabel, tip
from .utf16 import units

#: How many lines are shown before the one that differs, and after it.
_BEFORE, _AFTER = 50, 50

#: How much of these is shown, in characters.
_LONG = 1000

#: Below this width, in pixels, the texts are one below the other.
_NARROW = 380

#: What a text needs besides its lines, in pixels.
_MARGINS = 12

#: What is shown for what is not seen, where that is what differs.
_UNSEEN = {" ": "·", "\t": "→", "\u00a0": "⍽", "\r": "␍"}


class _Text(QPlainTextEdit):
    """A text whose cursor stays in view."""

    def bring_cursor(self) -> None:
        """The line with the cursor is in the middle, or at least in view: there may be room for less than two."""
        self.centerCursor()
        self.ensureCursorVisible()

    def resizeEvent(self, event: Optional[QResizeEvent]) -> None:
        """There is more room, or less."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self.bring_cursor)


class CaseDifference(QWidget):
    """Both texts with the first character marked that differs, and below them the statements that lead to it.

    A statement is chosen with Return or a double click.
    """

    #: A statement was chosen: its file, its line, and its step, or None.
    place_chosen = pyqtSignal(str, int, object)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.label = PlainLabel(self)
        self.label.setWordWrap(True)
        self.label.setContentsMargins(6, 2, 6, 2)
        self.expected, wanted = self._text("Expected")
        self.printed, come = self._text("Printed")
        self._sides = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._sides.setSpacing(4)
        self._sides.addLayout(wanted, 1)
        self._sides.addLayout(come, 1)
        self.cause = QTreeWidget(self)
        self.cause.setAccessibleName("Where it comes from")
        self.cause.setHeaderHidden(True)
        self.cause.setRootIsDecorated(False)
        LeastRows(self.cause, 1, _MARGINS)
        self.cause.setFrameShape(QFrame.Shape.NoFrame)
        self.cause.itemActivated.connect(self._choose)
        self._copy_key = CopyKey(self.cause)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.label)
        layout.addLayout(self._sides, 3)
        layout.addWidget(self.cause, 2)
        self.hide()

    def show_result(self, result: Optional[CaseResult], expected: Optional[str]) -> None:
        """Shows why a case has failed. `expected`: all that it expects, if that is known."""
        self.setVisible(result is not None and not result.is_passed)
        if result is None or result.is_passed:
            return
        has_lines = result.line is not None and result.column is not None
        # With both texts below it, it need not be said in a sentence.
        said = [*([] if has_lines else [result.message]), *result.remarks, *([f"Then {result.then}"] if result.then else [])]
        self.label.setText(". ".join(said))
        self.label.setVisible(bool(said))
        for text in (self.expected, self.printed):
            _parent_of(text).setVisible(has_lines)
        if has_lines:
            before, after = _around(result, expected)
            self._fill(self.expected, before, result.expected, result, after)
            self._fill(self.printed, before, result.printed, result, [])
        self._fill_cause(result)

    def set_code_font(self, font: QFont) -> None:
        """The texts have the letters of programs."""
        for text in (self.expected, self.printed):
            use_code_font(text, font)
            text.setMinimumHeight(2 * QFontMetrics(font).lineSpacing() + _MARGINS)

    def resizeEvent(self, event: Optional[QResizeEvent]) -> None:
        """The texts are side by side where there is room."""
        kind = QBoxLayout.Direction.TopToBottom if self.width() < _NARROW else QBoxLayout.Direction.LeftToRight
        self._sides.setDirection(kind)
        super().resizeEvent(event)

    def _text(self, name: str) -> Tuple[_Text, QVBoxLayout]:
        side = QWidget(self)
        text = _Text(side)
        text.setReadOnly(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse
                                     | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        text.setTabChangesFocus(True)
        text.setAccessibleName(name)
        CopyKey(text)
        text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        label = PlainLabel(side, name)
        label.setBuddy(text)
        label.setContentsMargins(6, 0, 6, 0)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(label)
        column.addWidget(text, 1)
        outer = QVBoxLayout()
        outer.addWidget(side)
        return text, outer

    def _fill(self, edit: _Text, before: List[str], line: Optional[str], result: CaseResult,
              after: List[str]) -> None:
        at = max(0, (result.column or 1) - 1 - result.left_out)
        shown = line or ""
        # What is not there can only be marked in the place of something.
        mark = shown[at:at + 1]
        visible = _UNSEEN.get(mark, mark) or ("⏎" if line is not None else "∎")
        shown = shown[:at] + visible + shown[at + 1:]
        edit.setPlainText("\n".join([*before, shown, *after]))
        document = edit.document()
        if document is None:
            return
        cursor = QTextCursor(document.findBlockByNumber(len(before)))
        begin = cursor.position() + units(shown[:at])
        cursor.setPosition(begin)
        edit.setTextCursor(cursor)
        cursor.setPosition(begin + units(visible), QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        selection.format.setBackground(colors.new(edit.palette()))
        selection.format.setForeground(colors.readable(colors.error(edit.palette()), colors.new(edit.palette())))
        edit.setExtraSelections([selection])
        edit.bring_cursor()

    def _fill_cause(self, result: CaseResult) -> None:
        self.cause.clear()
        if result.at is not None:
            at = result.at
            place = f"{at.file}:{at.line}"
            text = f"printed in {place}, step {at.step:,}:  {at.text}" if at.step is not None else f"in {place}:  {at.text}"
            self._add_cause(text, at.file, at.line, at.step)
        for line in result.cause:
            self._add_cause("    " * line.indent + line.text, line.file, line.line, line.step)
        for error in result.errors.splitlines():
            self._add_cause(error, "", 0, None)
        self.cause.setVisible(self.cause.topLevelItemCount() > 0)

    def _add_cause(self, text: str, file: str, line: int, step: Optional[int]) -> None:
        item = QTreeWidgetItem([text])
        item.setToolTip(0, tip(f"{text}\nReturn or a double click goes there" if line else text))
        item.setData(0, Qt.ItemDataRole.UserRole, (file, line, step))
        self.cause.addTopLevelItem(item)

    def _choose(self, item: QTreeWidgetItem) -> None:
        file, line, step = item.data(0, Qt.ItemDataRole.UserRole)
        if line:
            self.place_chosen.emit(file, line, step)


def _parent_of(widget: QWidget) -> QWidget:
    parent = widget.parentWidget()
    return widget if parent is None else parent


def _around(result: CaseResult, expected: Optional[str]) -> Tuple[List[str], List[str]]:
    """The lines before the one that differs, which are alike, and what is expected after it; nothing, where the text is
    not the one that the case was run with."""
    lines = [] if expected is None else expected.replace("\r\n", "\n").split("\n")
    number = (result.line or 1) - 1
    if result.left_out or number >= len(lines) or not lines[number].startswith((result.expected or "").rstrip("…")):
        return [], []
    last = len(lines) - 1 if lines[-1] == "" else len(lines)
    before, after = lines[max(0, number - _BEFORE):number], lines[number + 1:min(last, number + 1 + _AFTER)]
    return [line[:_LONG] for line in before], [line[:_LONG] for line in after]
