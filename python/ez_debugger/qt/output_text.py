"""The text that a program has written."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import deque
from typing import Deque, Iterator, List, Optional, Tuple

from PyQt6.QtCore import QEvent, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QFontDatabase, QTextCharFormat, QTextCursor
from PyQt6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit, QWidget

from . import ansi, colors

#: How long texts are put into the document before the event loop gets its turn, in seconds.
_SLICE = 0.008

#: How long nothing is put there while the program goes on writing, in milliseconds: reading what it writes comes first.
_PAUSE_MS = 20

#: How many characters are put there at once.
_PIECE = 2000

#: How many characters a line has at most, in the window.
_LONGEST_LINE = 4000

#: How many lines, and how many characters, are kept.
MOST_LINES = 10_000
MOST_CHARACTERS = 4_000_000

#: How many lines, and how many characters, are taken away at once, above that.
_CUT = 1000
_CUT_CHARACTERS = 400_000

#: Kinds of text: what the program wrote to each stream, what the debugger says,
#: what it says of errors, what the user typed, and the values of expressions.
STDOUT, STDERR, CONSOLE, PROBLEM, ECHO, RESULT = "stdout", "stderr", "console", "problem", "echo", "result"


class OutputText(QPlainTextEdit):
    """What a program has written: standard error is red, what the debugger says is grey, and what the program
    colours with escape sequences has those colours.

    Texts are put in place in slices of 8 ms, so that a program that writes much does not stop the window. As in a
    terminal, only the last lines are kept: what is older is skipped, even before it was shown. In the past
    (`show_up_to`), what was not written yet is grey.
    """

    #: Everything that was added is in place.
    settled = pyqtSignal()
    #: How many of the first lines are not kept.
    skipped_changed = pyqtSignal(int)
    #: The user wants to know what has written the byte of the program's output with this number.
    origin_requested = pyqtSignal(int)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setAccessibleName("Output")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        #: Whether the menu offers to show what has written a text.
        self.can_show_origins = False
        #: How many lines are not kept.
        self.skipped = 0
        self._waiting: Deque[Tuple[str, str]] = deque()
        self._waiting_lines = 0
        self._waiting_characters = 0
        #: Whether texts have come since the last slice.
        self._grows = False
        #: Whether texts were skipped that come after everything that is in the document.
        self._has_gap = False
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
        if self._waiting and self._waiting[-1][0] == kind and len(self._waiting[-1][1]) + len(text) <= _PIECE:
            self._waiting[-1] = (kind, self._waiting[-1][1] + text)
        else:
            self._waiting.extend((kind, piece) for piece in _pieces(text))
        self._waiting_lines += text.count("\n")
        self._waiting_characters += len(text)
        self._grows = True
        while self._has_too_much_waiting():
            self._skip()
        if not self._slice.isActive():
            self._slice.start(0)

    @property
    def is_settled(self) -> bool:
        """Whether everything that was added is in place."""
        return not self._waiting

    def start_anew(self) -> None:
        """Takes all texts away: a program begins."""
        self.clear_texts()
        self._written = self._cut = 0
        self._styles = {STDOUT: ansi.Style(), STDERR: ansi.Style()}
        self._begun = {STDOUT: "", STDERR: ""}
        self._limit = None

    def clear_texts(self) -> None:
        """Takes all texts away; the program goes on."""
        while self._waiting:
            self._skip()
        self._has_gap = False
        self.clear()
        self._bytes, self._places, self._texts = [], [], []
        self._cut = 0
        self._count_skipped(-self.skipped)
        self.setExtraSelections([])

    def offset_at(self, position: int) -> Optional[int]:
        """Which byte of the program's output is at a position of the document; None if that is another text."""
        found = bisect_right(self._places, position + self._cut) - 1
        if found < 0:
            return None
        inside = 2 * (position + self._cut - self._places[found])
        text = self._texts[found].replace("\r\n", "\n").encode("utf-16-le", "replace")
        if inside >= len(text):
            return None
        shown = len(text[:inside].decode("utf-16-le", "ignore"))
        length = shown
        while length != shown + self._texts[found].count("\r\n", 0, length):
            length = shown + self._texts[found].count("\r\n", 0, length)
        return self._bytes[found] + len(self._texts[found][:length].encode("utf-8", "replace"))

    def menu(self, position: int) -> QMenu:
        """The menu of a place in the document."""
        menu = self.createStandardContextMenu() or QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        offset = self.offset_at(position) if self.can_show_origins else None
        origin = menu.addAction("Who printed this?")
        clear = menu.addAction("Clear")
        if origin is not None and clear is not None:
            origin.setEnabled(offset is not None)
            origin.triggered.connect(lambda: self.origin_requested.emit(offset))
            clear.setEnabled(self.blockCount() > 1 or bool(self.toPlainText()))
            clear.triggered.connect(self.clear_texts)
        return menu

    def contextMenuEvent(self, event: Optional[QContextMenuEvent]) -> None:
        """The menu of the text that was clicked, or of that at the cursor."""
        if event is not None:
            is_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
            cursor = self.cursorForPosition(event.pos()) if is_mouse else self.textCursor()
            self.menu(cursor.position()).popup(event.globalPos())

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
        cursor = QTextCursor(self.document())
        # One edit: the document is laid out once for all that is put there.
        cursor.beginEditBlock()
        if self._has_gap:
            self._has_gap = False
            self._cut_off(cursor, self.blockCount())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        while self._waiting:
            self._put(cursor, *self._next())
            if time.monotonic() >= end:
                break
        self._cut_off(cursor, self._surplus())
        cursor.endEditBlock()
        if follows and bar is not None:
            bar.setValue(bar.maximum())
        if self._limit is not None:
            self._mark()
        if self._waiting:
            self._slice.start(_PAUSE_MS if self._grows else 0)
            self._grows = False
        else:
            self.settled.emit()

    def _next(self) -> Tuple[str, str]:
        kind, text = self._waiting.popleft()
        self._waiting_lines -= text.count("\n")
        self._waiting_characters -= len(text)
        return kind, text

    def _has_too_much_waiting(self) -> bool:
        if self._waiting_characters - len(self._waiting[0][1]) > MOST_CHARACTERS:
            return True
        return self._waiting_lines > MOST_LINES and self._waiting_lines - self._waiting[0][1].count("\n") >= MOST_LINES

    def _skip(self) -> None:
        """A text that would be taken away again at once, since so many others come after it."""
        kind, text = self._next()
        self._has_gap = True
        self._count_skipped(text.count("\n"))
        if kind in (STDOUT, STDERR):
            for part, is_sequence in self._parts(kind, text):
                self._written += len(part.encode("utf-8", "replace"))

    def _count_skipped(self, lines: int) -> None:
        if lines:
            self.skipped += lines
            self.skipped_changed.emit(self.skipped)

    def _parts(self, kind: str, text: str) -> Iterator[Tuple[str, bool]]:
        """What a text of the program is made of, and whether that is an escape sequence; follows its styles."""
        text, self._begun[kind] = ansi.whole_part(self._begun[kind] + text)
        for part, is_sequence in ansi.divide(text):
            if is_sequence:
                self._styles[kind] = self._styles[kind].after(part)
            yield part, is_sequence

    def _put(self, cursor: QTextCursor, kind: str, text: str) -> None:
        if kind not in (STDOUT, STDERR):
            cursor.insertText(text, self._format(kind))
            return
        for part, is_sequence in self._parts(kind, text):
            if is_sequence:
                self._written += len(part.encode("utf-8", "replace"))
            else:
                format = self._format(kind)
                self._styles[kind].apply(format, self.palette())
                self._insert(cursor, part, format)

    def _insert(self, cursor: QTextCursor, text: str, format: QTextCharFormat) -> None:
        """A text of the program; a very long line is broken, since the time for showing it grows with its length."""
        for piece in _broken(text, max(0, _LONGEST_LINE - cursor.positionInBlock())):
            if cursor.positionInBlock() >= _LONGEST_LINE and not piece.startswith("\n"):
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

    def _surplus(self) -> int:
        """How many lines are to be taken away."""
        document = self.document()
        # The last one is empty, after the end of the line before it.
        lines = self.blockCount() - 1 - MOST_LINES
        surplus = lines if lines >= _CUT else 0
        characters = document.characterCount() - MOST_CHARACTERS if document is not None else 0
        if document is not None and characters >= _CUT_CHARACTERS:
            surplus = max(surplus, document.findBlock(characters).blockNumber())
        return surplus

    def _cut_off(self, cursor: QTextCursor, lines: int) -> None:
        """Takes the first lines away, or everything."""
        document = self.document()
        if lines <= 0 or document is None:
            return
        block = document.findBlockByNumber(lines)
        end = block.position() if block.isValid() else document.characterCount() - 1
        self._count_skipped(lines if block.isValid() else self.blockCount() - 1)
        cursor.setPosition(0)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._cut += end
        gone = bisect_right(self._places, self._cut) - (1 if block.isValid() else 0)
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


def _pieces(text: str) -> Iterator[str]:
    """The parts of a text that are put into the document at once: whole lines, as far as they fit."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        yield text[start:end]
        start = end


def _broken(text: str, room: int) -> Iterator[str]:
    """The parts of a text such that no line in one of them is longer than allowed; the first has less room."""
    start = at = 0
    while len(text) - at > room:
        end = text.find("\n", at)
        if end < 0 or end - at > room:
            at += room
            yield text[start:at]
            start = at
        else:
            at = end + 1
        room = _LONGEST_LINE
    yield text[start:]
