"""The adapter for QPlainTextEdit."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple

from PyQt6.QtCore import QObject, QPoint, Qt, QTimer
from PyQt6.QtGui import QFont, QTextBlock, QTextCursor
from PyQt6.QtWidgets import QPlainTextEdit, QWidget

from .anchors import BreakpointAnchors
from .breakpoint_store import UserBreakpoint
from .code_font import FontWatch
from .completion import CompletionList
from .editor import Complete, EditorAdapter
from .hover import HoverWatch
from .line_overlay import LineOverlay, block_rect
from .margin import BreakpointMargin
from .paths import absolute
from .problem import Problem
from .problem_marks import ProblemMarks
from .program_text import lines_of, lines_of_file
from .text_edit import TextEdit, apply_edits, block_at, line_afterwards
from .utf16 import text_before, units


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
        self._anchors = BreakpointAnchors()
        self.overlay = LineOverlay(editor)
        self.margin = BreakpointMargin(editor, beside)
        self.margin.clicked.connect(lambda line: self.breakpoint_toggled.emit(self.file, line))
        self.margin.menu_requested.connect(lambda line, place: self.menu_requested.emit(self.file, line, place))
        self._fonts = FontWatch(editor)
        self._fonts.changed.connect(self.font_changed)
        self._hover = HoverWatch(editor)
        self._hover.hovered.connect(lambda expression, place: self.hovered.emit(self.file, expression, place))
        self._hover.name_hovered.connect(
            lambda line, column, place: self.name_hovered.emit(self.file, line, column, place))
        #: The list of names, once they are offered.
        self.completion: Optional[CompletionList] = None
        self._problems = ProblemMarks(editor)
        self._problems.menu_requested.connect(self._show_menu)
        self._anchors.set_text(self._text())
        self._replaced = QTimer(self)
        self._replaced.setSingleShot(True)
        self._replaced.timeout.connect(self._take_text)
        document = editor.document()
        if document is not None:
            document.contentsChanged.connect(self._on_edited)

    def set_file(self, file: str) -> None:
        """The editor shows another file now."""
        self._replaced.stop()
        self.file = absolute(file)
        self._anchors.set_text(self._text())
        self._problems.set_problems([])
        self.clear_line()
        self.file_shown.emit(self.file)

    def show_line(self, file: str, line: int, is_past: bool = False, error: str = "", moves_cursor: bool = True
                  ) -> None:
        """Brings a line into view and marks it."""
        if self._bring(file):
            self.overlay.mark(line, is_past, error)
            self.margin.mark(line, is_past, bool(error))
            if moves_cursor:
                self._go(line)
            else:
                self._scroll_to(line)

    def move_line(self, file: str, line: int) -> None:
        """Marks another line instead."""
        if absolute(file) == self.file:
            self.overlay.move_mark(line)
            self.margin.move_mark(line)

    def clear_line(self) -> None:
        """Takes the mark away."""
        self.overlay.mark(0, False)
        self.margin.mark(0, False)

    def show_place(self, file: str, line: int, column: int = 0, is_written: bool = False) -> None:
        """Brings a line into view."""
        if self._bring(file):
            self._go(line, column)
            if is_written:
                self.editor.setFocus()

    def show_range(self, file: str, line: int, column: int, end_line: int, end_column: int) -> None:
        """Brings a part of the text into view and selects it."""
        self.show_place(file, line)
        document = self.editor.document()
        if document is None or absolute(file) != self.file:
            return
        start, end = (block_at(document, number) for number in (line, end_line))
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
        return block_at(document, line).text()

    def set_breakpoints(self, file: str, breakpoints: Sequence[UserBreakpoint]) -> None:
        """Shows the breakpoints of the file."""
        document = self.editor.document()
        if absolute(file) != self.file or document is None:
            return
        self.margin.set_breakpoints(list(breakpoints))
        self._anchors.set_breakpoints(breakpoints)

    def text_lines(self, file: str) -> Optional[List[str]]:
        """The text of the file."""
        return self._text() if absolute(file) == self.file else None

    def set_problems(self, file: str, problems: Sequence[Problem]) -> None:
        """Marks what is wrong."""
        if absolute(file) == self.file:
            self._problems.set_problems(problems)
            self.margin.set_problems(problems)

    def cursor_place(self) -> Optional[Tuple[str, int]]:
        """File and line of the cursor."""
        return (self.file, self.editor.textCursor().blockNumber() + 1) if self.file else None

    def cursor_on_screen(self) -> Optional[Tuple[str, int, int, QPoint]]:
        """File, line and column of the cursor, and the place below it on the screen."""
        viewport = self.editor.viewport()
        if not self.file or viewport is None:
            return None
        cursor = self.editor.textCursor()
        column = len(text_before(cursor.block().text(), cursor.positionInBlock())) + 1
        below = viewport.mapToGlobal(self.editor.cursorRect().bottomLeft())
        return self.file, cursor.blockNumber() + 1, column, below

    def apply_edits(self, file: str, lines: Sequence[str], edits: Sequence[TextEdit]) -> bool:
        """Makes replacements, unless the text is another one meanwhile. The cursor stays in its line and column."""
        document = self.editor.document()
        if document is None or self.editor.isReadOnly() or self.text_lines(file) != list(lines):
            return False
        kept = self.editor.textCursor()
        line, column = kept.blockNumber(), kept.positionInBlock()
        kept.beginEditBlock()
        apply_edits(document, edits)
        kept.endEditBlock()
        block = block_at(document, min(line_afterwards(edits, line) + 1, document.blockCount()))
        kept.setPosition(block.position() + min(column, block.length() - 1))
        self.editor.setTextCursor(kept)
        return True

    def offer_names(self, complete: Complete) -> None:
        """Offers names in a list at the cursor."""
        if self.completion is None and not self.editor.isReadOnly():
            self.completion = CompletionList(
                self.editor, lambda line, column, take: complete(self.file, line, column, take))

    def code_font(self) -> Optional[QFont]:
        """The font of the text."""
        return self.editor.font()

    def open_files(self) -> Sequence[str]:
        """The file, if there is one."""
        return (self.file,) if self.file else ()

    def _show_menu(self, line: int, column: int, place: QPoint) -> None:
        """The editor's own menu, with what others add."""
        menu = self.editor.createStandardContextMenu()
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.text_menu_opened.emit(self.file, line, column, menu)
            menu.popup(place)

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
                self.editor.setPlainText(stream.read())
        except OSError:
            return
        self.set_file(file)

    def _go(self, line: int, column: int = 0) -> None:
        document = self.editor.document()
        viewport = self.editor.viewport()
        block = block_at(document, line) if document is not None else None
        if block is None or not block.isValid() or viewport is None:
            return
        cursor = QTextCursor(block)
        before = block.text().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")[:max(0, column - 1)]
        cursor.setPosition(block.position() + len(before.encode("utf-16-le")) // 2)
        self.editor.setTextCursor(cursor)
        rect = block_rect(self.editor, block)
        if rect.top() < 0 or rect.bottom() > viewport.height() - rect.height():
            self.editor.centerCursor()

    def _text(self) -> List[str]:
        return lines_of(self.editor.toPlainText())

    def _scroll_to(self, line: int) -> None:
        """Brings a line into view, and leaves the cursor where it is."""
        document, viewport, bar = self.editor.document(), self.editor.viewport(), self.editor.verticalScrollBar()
        block = block_at(document, line) if document is not None else None
        if block is None or not block.isValid() or viewport is None or bar is None:
            return
        rect = block_rect(self.editor, block)
        if rect.top() < 0 or rect.bottom() > viewport.height():
            lines = int(viewport.height() / max(1.0, rect.height()))
            bar.setValue(max(0, block.firstLineNumber() - lines // 2))

    def _on_edited(self) -> None:
        document = self.editor.document()
        if document is not None and (document.isUndoAvailable() or document.isRedoAvailable()):
            self._take_text()
        else:
            # The text was replaced as a whole. If it is that of another file, `set_file` comes next.
            self._replaced.start(0)

    def leave(self) -> None:
        """The file is closed: its text is what is saved, whatever was in the editor."""
        lines = lines_of_file(self.file)
        if lines is not None:
            self._take(lines)

    def _take_text(self) -> None:
        self._take(self._text())

    def _take(self, lines: List[str]) -> None:
        if not self.file or lines == self._anchors.lines:
            return
        moved, lost = self._anchors.edit(lines)
        # First the text: lines are translated with it. Then what is gone: with what has moved the store tells all that
        # there is.
        self.text_changed.emit(self.file)
        if lost:
            self.breakpoints_lost.emit(self.file, lost)
        if moved:
            self.breakpoints_moved.emit(self.file, moved)


def _position(block: QTextBlock, column: int) -> int:
    """Where a column is in the document, which counts in UTF-16."""
    return block.position() + units(block.text()[:column - 1])
