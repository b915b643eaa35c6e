"""What the panels need of an editor."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple

from PyQt6.QtCore import QObject, QPoint, pyqtSignal
from PyQt6.QtGui import QFont

from .breakpoint_store import UserBreakpoint
from .offer import Offer
from .problem import Problem
from .text_edit import TextEdit

#: Asks for the names that can be written at a place: file, line, column in code points, and who takes them.
Complete = Callable[[str, int, int, Callable[[List[Offer]], None]], None]


class EditorAdapter(QObject):
    """An editor, or several of them in tabs, as the panels see it. Lines count from 1, files are absolute paths.

    `PlainTextAdapter` is one for `QPlainTextEdit`. For another editor, write the methods and emit the signals.
    """

    #: The user wants a breakpoint at a line, or not any more: file and line.
    breakpoint_toggled = pyqtSignal(str, int)
    #: The user wants the menu of a line: file, line, and the place on the screen (a `QPoint`).
    menu_requested = pyqtSignal(str, int, object)
    #: Breakpoints have moved with the text: file, and a list of pairs of `UserBreakpoint` and new line.
    breakpoints_moved = pyqtSignal(str, list)
    #: The lines of breakpoints were deleted: file, and a list of `UserBreakpoint`. They come back by `breakpoints_moved`.
    breakpoints_lost = pyqtSignal(str, list)
    #: The text of a file was edited.
    text_changed = pyqtSignal(str)
    #: The mouse rests over a name: file, expression, and the place on the screen (a `QPoint`).
    hovered = pyqtSignal(str, str, object)
    #: The mouse rests over a name: file, line, column in code points from 1, and the place on the screen.
    name_hovered = pyqtSignal(str, int, int, object)
    #: The menu of what is marked as wrong is about to be shown: file, line, column in code points from 1, and the
    #: `QMenu`, to which can be added what helps there.
    text_menu_opened = pyqtSignal(str, int, int, object)
    #: The text has another font, or another size (a `QFont`).
    font_changed = pyqtSignal(object)
    #: Another file is shown, which needs its breakpoints.
    file_shown = pyqtSignal(str)

    def show_line(self, file: str, line: int, is_past: bool = False, error: str = "", moves_cursor: bool = True
                  ) -> None:
        """Brings a line into view and marks it: the program is stopped before it, now or in the past.

        `error`: the run-time error that has happened there. A line 0 was deleted: nothing is marked. `moves_cursor`:
        False while the user types.
        """

    def move_line(self, file: str, line: int) -> None:
        """The text was edited: the marked line is this one now. Neither the view nor the cursor moves."""

    def clear_line(self) -> None:
        """Takes that mark, and the values beside it, away."""

    def show_place(self, file: str, line: int, column: int = 0, is_written: bool = False) -> None:
        """Brings a line into view without a mark; `is_written`: the user wants to write there."""

    def show_range(self, file: str, line: int, column: int, end_line: int, end_column: int) -> None:
        """Brings a part of the text into view and selects it. Columns count code points from 1, the last is not in it."""
        self.show_place(file, line)

    def set_values(self, file: str, line: int, text: str) -> None:
        """Shows values beside a line."""

    def line_text(self, file: str, line: int) -> str:
        """The text of a line, empty if the file is not open."""
        return ""

    def text_lines(self, file: str) -> Optional[List[str]]:
        """The text of a file as it is in the editor, without line ends; None if the file is not open.

        Where it has changed since the program was started, lines are translated. With None they never are.
        """
        return None

    def set_problems(self, file: str, problems: Sequence[Problem]) -> None:
        """Marks what is wrong in a file."""

    def set_breakpoints(self, file: str, breakpoints: Sequence[UserBreakpoint]) -> None:
        """Shows the breakpoints of a file."""

    def cursor_place(self) -> Optional[Tuple[str, int]]:
        """File and line of the cursor."""
        return None

    def cursor_on_screen(self) -> Optional[Tuple[str, int, int, QPoint]]:
        """File, line and column of the cursor, the column in code points from 1, and the place below it on the screen."""
        return None

    def apply_edits(self, file: str, lines: Sequence[str], edits: Sequence[TextEdit]) -> bool:
        """Makes replacements in a file, in one step for undo. False if it cannot be changed, or its text is not `lines`
        any more."""
        return False

    def offer_names(self, complete: Complete) -> None:
        """From now on, names are offered while the user types; `complete` asks for them."""

    def code_font(self) -> Optional[QFont]:
        """The font of the text."""
        return None

    def open_files(self) -> Sequence[str]:
        """The files that are open."""
        return ()
