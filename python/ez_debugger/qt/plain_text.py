"""The adapter for QPlainTextEdit."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple

from PyQt6.QtCore import QObject
from PyQt6.QtGui import QFont, QTextBlock, QTextCursor
from PyQt6.QtWidgets import QPlainTextEdit, QWidget

from .breakpoint_store import UserBreakpoint
from .code_font import FontWatch
from .editor import EditorAdapter
from .hover import HoverWatch
from .line_overlay import LineOverlay, block_rect
from .margin import BreakpointMargin
from .paths import absolute


class PlainTextAdapter(EditorAdapter):
    """One `QPlainTextEdit` that shows one file at a time.

    It gets a margin with breakpoints, which move with the text that is edited; the line where the program is, and
    values beside it.
    """

    def __init__(self, editor: QPlainTextEdit, file: str = "", beside: Optional[QWidget] = None,
                 open_file: Optional[Callable[[str], None]] = None, parent: Optional[QObject] = None) -> None:
        """`file`: what the editor shows. `beside`: the editor's own widget for line numbers, if it has one.

        `open_file` is called when another file is to be shown, and then calls `set_file`; without it a read-only
        editor loads the file, and one that can be edited keeps its own.
        """
        super().__init__(parent if parent is not None else editor)
        self.editor = editor
        self.file = absolute(file) if file else ""
        self._open_file = open_file if open_file is not None else self._load
        self._anchors: List[Tuple[UserBreakpoint, QTextCursor]] = []
        self.overlay = LineOverlay(editor)
        self.margin = BreakpointMargin(editor, beside)
        self.margin.clicked.connect(lambda line: self.breakpoint_toggled.emit(self.file, line))
        self.margin.menu_requested.connect(lambda line, place: self.menu_requested.emit(self.file, line, place))
        self._fonts = FontWatch(editor)
        self._fonts.changed.connect(self.font_changed)
        self._hover = HoverWatch(editor)
        self._hover.hovered.connect(lambda expression, place: self.hovered.emit(self.file, expression, place))
        editor.blockCountChanged.connect(lambda _: self._move_breakpoints())

    def set_file(self, file: str) -> None:
        """The editor shows another file now."""
        self._anchors = []
        self.file = absolute(file)
        self.clear_line()
        self.file_shown.emit(self.file)

    def show_line(self, file: str, line: int, is_past: bool = False) -> None:
        """Brings a line into view and marks it."""
        if self._bring(file):
            self.overlay.mark(line, is_past)
            self.margin.mark(line, is_past)
            self._go(line)

    def clear_line(self) -> None:
        """Takes the mark away."""
        self.overlay.mark(0, False)
        self.margin.mark(0, False)

    def show_place(self, file: str, line: int) -> None:
        """Brings a line into view."""
        if self._bring(file):
            self._go(line)

    def show_range(self, file: str, line: int, column: int, end_line: int, end_column: int) -> None:
        """Brings a part of the text into view and selects it."""
        self.show_place(file, line)
        document = self.editor.document()
        if document is None or absolute(file) != self.file:
            return
        start, end = (document.findBlockByNumber(number - 1) for number in (line, end_line))
        if start.isValid() and end.isValid():
            cursor = QTextCursor(start)
            cursor.setPosition(_position(start, column))
            cursor.setPosition(_position(end, end_column), QTextCursor.MoveMode.KeepAnchor)
            self.editor.setTextCursor(cursor)

    def set_values(self, file: str, line: int, text: str) -> None:
        """Writes values beside the marked line."""
        if absolute(file) == self.file and line == self.overlay.line:
            self.overlay.set_values(text)

    def line_text(self, file: str, line: int) -> str:
        """The text of a line."""
        document = self.editor.document()
        if document is None or absolute(file) != self.file:
            return ""
        return document.findBlockByNumber(line - 1).text()

    def set_breakpoints(self, file: str, breakpoints: Sequence[UserBreakpoint]) -> None:
        """Shows the breakpoints of the file."""
        document = self.editor.document()
        if absolute(file) != self.file or document is None:
            return
        self.margin.set_breakpoints(list(breakpoints))
        self._anchors = []
        for breakpoint in breakpoints:
            block = document.findBlockByNumber(breakpoint.line - 1)
            if block.isValid():
                self._anchors.append((breakpoint, QTextCursor(block)))

    def cursor_place(self) -> Optional[Tuple[str, int]]:
        """File and line of the cursor."""
        return (self.file, self.editor.textCursor().blockNumber() + 1) if self.file else None

    def code_font(self) -> Optional[QFont]:
        """The font of the text."""
        return self.editor.font()

    def open_files(self) -> Sequence[str]:
        """The file, if there is one."""
        return (self.file,) if self.file else ()

    def _bring(self, file: str) -> bool:
        file = absolute(file)
        if file != self.file:
            self._open_file(file)
        return file == self.file

    def _load(self, file: str) -> None:
        if not self.editor.isReadOnly():
            return
        try:
            with open(file, encoding="utf-8", errors="replace") as stream:
                self._anchors = []
                self.editor.setPlainText(stream.read())
        except OSError:
            return
        self.set_file(file)

    def _go(self, line: int) -> None:
        document = self.editor.document()
        viewport = self.editor.viewport()
        block = document.findBlockByNumber(line - 1) if document is not None else None
        if block is None or not block.isValid() or viewport is None:
            return
        self.editor.setTextCursor(QTextCursor(block))
        rect = block_rect(self.editor, block)
        if rect.top() < 0 or rect.bottom() > viewport.height() - rect.height():
            self.editor.centerCursor()

    def _move_breakpoints(self) -> None:
        moved = [(breakpoint, cursor.blockNumber() + 1) for breakpoint, cursor in self._anchors
                 if cursor.blockNumber() + 1 != breakpoint.line]
        if moved:
            self.breakpoints_moved.emit(self.file, moved)


def _position(block: QTextBlock, column: int) -> int:
    """Where a column is in the document, which counts in UTF-16."""
    return block.position() + len(block.text()[:column - 1].encode("utf-16-le", "replace")) // 2
