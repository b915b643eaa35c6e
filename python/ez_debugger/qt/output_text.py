"""The text that a program has written."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import deque
from typing import Deque, Iterator, List, Optional, Tuple

from PyQt6.QtCore import QEvent, QTimer, pyqtSignal
from PyQt6.QtGui import QFontDatabase, QTextCharFormat, QTextCursor
from PyQt6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from . import ansi, colors

#: How long texts are put into the document before the event loop gets its turn, in seconds.
_SLICE = 0.008

#: How many characters are put there at once.
_PIECE = 2000

#: How many characters a line has at most, in the window.
_LONGEST_LINE = 4000

#: How many lines are kept.
MOST_LINES = 100_000

#: How many lines are taken away at once, above that.
_CUT = 2000

#: Kinds of text: what the program wrote to each stream, what the debugger says,
#: what it says of errors, what the user typed, and the values of expressions.
STDOUT, STDERR, CONSOLE, PROBLEM, ECHO, RESULT = "stdout", "stderr", "console", "problem", "echo", "result"


class OutputText(QPlainTextEdit):
    """What a program has written: standard error is red, what the debugger says is grey, and what the program
    colours with escape sequences has those colours.

    Texts are put in place in slices of 8 ms, so that a program that writes much does not stop the window. In the
    past (`show_up_to`), what was not written yet is grey.
    """

    #: Everything that was added is in place.
    settled = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setAccessibleName("Output")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._waiting: Deque[Tuple[str, str]] = deque()
        self._waiting_lines = 0
        self._slice = QTimer(self)
        self._slice.setSingleShot(True)
        self._slice.timeout.connect(self._put_slice)
        #: Of the program's own texts: the bytes before each, its position in the document when it was put there,
        #: and the text.
        self._bytes: List[int] = []
        self._places: List[int] = []
        self._texts: List[str] = []
        self._written = 0
        #: Of each stream, the style that the program has chosen, and the beginning of an escape sequence.
        self._styles = {STDOUT: ansi.Style(), STDERR: ansi.Style()}
        self._begun = {STDOUT: "", STDERR: ""}
        #: How many characters were taken away at the beginning of the document.
        self._cut = 0
        self._limit: Optional[int] = None

    def add(self, kind: str, text: str) -> None:
        """Adds a text of a kind."""
        if self._waiting and self._waiting[-1][0] == kind and len(self._waiting[-1][1]) < _PIECE:
            self._waiting[-1] = (kind, self._waiting[-1][1] + text)
        else:
            self._waiting.extend((kind, text[start:start + _PIECE]) for start in range(0, len(text), _PIECE))
        self._waiting_lines += text.count("\n")
        while self._waiting_lines > MOST_LINES:
            self._skip()
        if not self._slice.isActive():
            self._slice.start(0)

    @property
    def is_settled(self) -> bool:
        """Whether everything that was added is in place."""
        return not self._waiting

    def start_anew(self) -> None:
        """Takes all texts away: a program begins."""
        self._waiting.clear()
        self._waiting_lines = 0
        self.clear()
        self._bytes, self._places, self._texts = [], [], []
        self._written = self._cut = 0
        self._styles = {STDOUT: ansi.Style(), STDERR: ansi.Style()}
        self._begun = {STDOUT: "", STDERR: ""}
        self._limit = None
        self.setExtraSelections([])

    def show_up_to(self, length: Optional[int]) -> None:
        """What the program has written after `length` bytes is shown as not written yet; None: all is written."""
        self._limit = length
        self._mark()

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            self._mark()

    def _put_slice(self) -> None:
        end = time.monotonic() + _SLICE
        bar = self.verticalScrollBar()
        follows = bar is None or bar.value() >= bar.maximum() - 1
        while self._waiting:
            kind, text = self._waiting.popleft()
            self._waiting_lines -= text.count("\n")
            self._put(kind, text)
            if time.monotonic() >= end:
                break
        self._cut_off()
        if follows and bar is not None:
            bar.setValue(bar.maximum())
        if self._limit is not None:
            self._mark()
        if self._waiting:
            self._slice.start(0)
        else:
            self.settled.emit()

    def _skip(self) -> None:
        """A text that would be taken away again at once, since so many others come after it."""
        kind, text = self._waiting.popleft()
        self._waiting_lines -= text.count("\n")
        if kind in (STDOUT, STDERR):
            self._written += len(text.encode("utf-8", "replace"))

    def _put(self, kind: str, text: str) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if kind not in (STDOUT, STDERR):
            cursor.insertText(text, self._format(kind))
            return
        text, self._begun[kind] = ansi.whole_part(self._begun[kind] + text)
        for part, is_sequence in ansi.divide(text):
            if is_sequence:
                self._styles[kind] = self._styles[kind].after(part)
                self._written += len(part)
            else:
                format = self._format(kind)
                self._styles[kind].apply(format, self.palette())
                self._insert(cursor, part, format)

    def _insert(self, cursor: QTextCursor, text: str, format: QTextCharFormat) -> None:
        """A text of the program; a very long line is broken, since the time for showing it grows with its length."""
        for piece in _broken(text, _LONGEST_LINE - cursor.positionInBlock()):
            if cursor.positionInBlock() >= _LONGEST_LINE:
                cursor.insertText("\n")
            self._bytes.append(self._written)
            self._places.append(cursor.position() + self._cut)
            self._texts.append(piece)
            self._written += len(piece.encode("utf-8", "replace"))
            cursor.insertText(piece, format)

    def _format(self, kind: str) -> QTextCharFormat:
        made = QTextCharFormat()
        if kind in (STDERR, PROBLEM):
            made.setForeground(colors.error(self.palette()))
        elif kind == CONSOLE:
            made.setForeground(colors.faint(self.palette()))
        elif kind == ECHO:
            made.setForeground(colors.accent(self.palette()))
        return made

    def _cut_off(self) -> None:
        extra = self.blockCount() - MOST_LINES
        if extra < _CUT:
            return
        document = self.document()
        block = document.findBlockByNumber(extra) if document is not None else None
        if block is not None and block.isValid():
            cursor = QTextCursor(document)
            cursor.setPosition(block.position(), QTextCursor.MoveMode.KeepAnchor)
            self._cut += block.position()
            cursor.removeSelectedText()
            gone = bisect_right(self._places, self._cut) - 1
            if gone > 0:
                del self._bytes[:gone], self._places[:gone], self._texts[:gone]

    def _mark(self) -> None:
        if self._limit is None or self._limit >= self._written:
            self.setExtraSelections([])
            return
        later = QTextEdit.ExtraSelection()
        later.cursor = QTextCursor(self.document())
        later.cursor.setPosition(max(0, self._position(self._limit)))
        later.cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        later.format.setForeground(colors.faint(self.palette()))
        later.format.setFontItalic(True)
        self.setExtraSelections([later])

    def _position(self, length: int) -> int:
        """Where in the document the program had written so many bytes."""
        found = bisect_right(self._bytes, length) - 1
        if found < 0:
            return 0
        before = self._texts[found].encode("utf-8", "replace")[:length - self._bytes[found]]
        shown = before.decode("utf-8", "ignore").replace("\r\n", "\n")
        # Positions in the document are counted in UTF-16.
        return self._places[found] - self._cut + len(shown.encode("utf-16-le")) // 2


def _broken(text: str, room: int) -> Iterator[str]:
    """The parts of a text such that no line in one of them is longer than allowed; the first has less room."""
    if len(text) <= room:
        yield text
        return
    start, column = 0, _LONGEST_LINE - room
    for at, character in enumerate(text):
        column = 0 if character == "\n" else column + 1
        if column > _LONGEST_LINE:
            yield text[start:at]
            start, column = at, 1
    yield text[start:]
