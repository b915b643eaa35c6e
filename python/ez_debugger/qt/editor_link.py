"""Connects an editor with a session and its breakpoints."""

from __future__ import annotations

import re
from typing import Callable, List, Optional, Tuple

from PyQt6.QtCore import QObject, QPoint, pyqtSignal
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu, QWidget

from ..protocol import EvaluateResult, Event, Stopped, Variable, Variables
from .breakpoint_dialog import BreakpointDialog
from .breakpoint_store import LINE, BreakpointStore, UserBreakpoint
from .breakpoints import breakpoint_menu
from .code_font import size_beside
from .editor import EditorAdapter
from .language_server import LanguageServer
from .paths import absolute
from .plain import show_tip
from .program_text import ProgramTexts
from .session import DebugSession

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")

#: So much of a value is shown beside a line, in characters.
_VALUE_LENGTH = 40


class EditorLink(QObject):
    """Shows stops and breakpoints in an editor, and does what the user does in its margin."""

    #: The user wants to know how a line was computed: file, and line of the program.
    computed_requested = pyqtSignal(str, int)
    #: What the user wants cannot be done: a sentence.
    refused = pyqtSignal(str)

    def __init__(self, session: DebugSession, store: BreakpointStore, editor: EditorAdapter, texts: ProgramTexts,
                 window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._store = store
        self._texts = texts
        self._window = window
        #: What is marked: a line of the program, and where it is in the text.
        self._place: Optional[Tuple[str, int]] = None
        self._shown_line = 0
        self._is_past, self._error = False, ""
        #: Whether the user has typed since the program was let run.
        self._is_typing = False
        self.editor = editor
        #: What says what a name means, while no program is stopped.
        self.language_server: Optional[LanguageServer] = None
        editor.text_changed.connect(self._on_text_changed)
        texts.changed.connect(self._move_line)
        editor.breakpoint_toggled.connect(self._toggle)
        editor.menu_requested.connect(self._show_menu)
        editor.hovered.connect(self._show_value)
        editor.name_hovered.connect(self._show_meaning)
        editor.breakpoints_moved.connect(store.move)
        editor.breakpoints_lost.connect(store.lose)
        editor.file_shown.connect(self._on_file_shown)
        store.changed.connect(self._show_breakpoints)
        session.stopped.connect(self._on_stopped)
        session.resumed.connect(self._clear)
        session.input_requested.connect(self._on_waiting)
        session.input_done.connect(self._clear)
        session.started.connect(self._clear)
        session.ended.connect(lambda _: self._clear())
        session.event_received.connect(self._on_event)
        self._show_breakpoints()

    def toggle_at_cursor(self) -> None:
        """Sets a breakpoint in the line of the cursor, or takes it away."""
        place = self.editor.cursor_place()
        if place is not None:
            self._store.toggle(*place)

    def edit_at_cursor(self) -> None:
        """The options of the breakpoint in the line of the cursor, or of a new one."""
        place = self.editor.cursor_place()
        if place is not None:
            breakpoint = self._store.at(*place)
            if breakpoint is not None:
                BreakpointDialog(self._store, breakpoint, self._window).open()
            else:
                self._add(*place)

    def run_to_cursor(self) -> None:
        """Runs to the line of the cursor."""
        place = self.editor.cursor_place()
        if place is not None:
            self._run_to(*place)

    def show_frame(self, file: str, line: int, is_innermost: bool) -> None:
        """Shows where a call is."""
        stop = self._session.state.stop
        error = _error(stop) if stop is not None and is_innermost else ""
        self._show(file, line, self._session.state.is_past or not is_innermost, error)

    def show_program_place(self, file: str, line: int, column: int = 0, is_written: bool = False) -> None:
        """Brings a line of the program into view; `is_written`: the user wants to write there."""
        self._in_text(file, line, lambda there: self.editor.show_place(file, there, column, is_written))

    def menu(self, file: str, line: int) -> QMenu:
        """The menu of a line."""
        breakpoint = self._store.at(file, line)
        menu = breakpoint_menu(self._store, breakpoint, self._window)
        first = menu.actions()[0]
        if breakpoint is None:
            self._insert(menu, first, "Add a breakpoint", lambda: self._toggle(file, line))
            self._insert(menu, first, "Add one with a condition, hits, message …", lambda: self._add(file, line))
        program_line = self._texts.to_program(file, line)
        here = self._insert(menu, first, "Run to here", lambda: self._run_to(absolute(file), line))
        here.setEnabled("runTo" in self._session.state.possible and program_line > 0)
        computed = self._insert(menu, first, "How was this computed?",
                                lambda: self.computed_requested.emit(absolute(file), program_line))
        computed.setEnabled("goToStep" in self._session.state.possible and program_line > 0)
        return menu

    def _insert(self, menu: QMenu, before: QAction, text: str, slot: Callable[[], object]) -> QAction:
        action = QAction(text, menu)
        action.triggered.connect(slot)
        menu.insertAction(before, action)
        return action

    def _add(self, file: str, line: int) -> None:
        breakpoint = UserBreakpoint(LINE, file=absolute(file), line=line)
        dialog = BreakpointDialog(self._store, breakpoint, self._window)
        dialog.accepted.connect(lambda: self._store.add(breakpoint))
        dialog.open()

    def _run_to(self, file: str, line: int) -> None:
        there = self._texts.to_program(file, line)
        if there:
            self._session.run_to(file, there)
        else:
            self.refused.emit("The program that runs does not have this line; it was written after the start.")

    def _toggle(self, file: str, line: int) -> None:
        if file:
            self._store.toggle(file, line)

    def _show_menu(self, file: str, line: int, place: QPoint) -> None:
        if file:
            self.menu(file, line).popup(place)

    def _show_value(self, file: str, expression: str, place: QPoint) -> None:
        if "evaluate" not in self._session.state.possible or self._session.is_moving:
            return

        def take(event: Event) -> None:
            if isinstance(event, EvaluateResult) and self._session.state.stop is not None:
                self._tell(place, f"{expression} = {event.result}")

        self._session.evaluate(take, expression, self._session.frame_index, context="hover")

    def _show_meaning(self, file: str, line: int, column: int, place: QPoint) -> None:
        if self.language_server is None or "evaluate" in self._session.state.possible:
            return

        def take(text: str) -> None:
            if text and "evaluate" not in self._session.state.possible:
                self._tell(place, text)

        self.language_server.hover(file, line, column, take)

    def _tell(self, place: QPoint, text: str) -> None:
        font = self.editor.code_font()
        show_tip(place, text, self._window, size_beside(font) if font is not None else 0.0)

    def _show_breakpoints(self) -> None:
        for file in self.editor.open_files():
            self._show_breakpoints_of(file)

    def _show_breakpoints_of(self, file: str) -> None:
        self.editor.set_breakpoints(file, self._store.in_file(file))

    def _on_stopped(self, stop: Stopped) -> None:
        self._show(stop.location.file, stop.location.line, stop.past, _error(stop))
        self._is_typing = False

    def _on_text_changed(self) -> None:
        self._is_typing = self._session.is_moving

    def _on_waiting(self) -> None:
        """Shows the statement that waits for input."""
        place = self._session.state.waits_at
        if place is not None:
            self._show(place.file, place.line, False, "")
        else:
            self._clear()

    def _on_file_shown(self, file: str) -> None:
        self._show_breakpoints_of(file)
        if self._place is not None and self._place[0] == absolute(file):
            self._show(*self._place, self._is_past, self._error)

    def _show(self, file: str, line: int, is_past: bool, error: str) -> None:
        self._place, self._is_past, self._error = (absolute(file), line), is_past, error
        self._in_text(file, line, lambda there: self.editor.show_line(
            file, there, is_past, error, not self._is_typing))
        self._shown_line = self._texts.to_text(file, line)

    def _in_text(self, file: str, line: int, show: Callable[[int], None]) -> None:
        """Shows a line of the program. A file that was opened for it may have another text than the program."""
        before = self._texts.to_text(file, line)
        show(before)
        after = self._texts.to_text(file, line)
        if after != before:
            show(after)

    def _move_line(self) -> None:
        if self._place is not None:
            line = self._texts.to_text(*self._place)
            if line != self._shown_line:
                self._shown_line = line
                self.editor.move_line(self._place[0], line)

    def _clear(self) -> None:
        self._place = None
        self.editor.clear_line()

    def _on_event(self, event: Event) -> None:
        # The variables panel asks for them; here they are for the line.
        if isinstance(event, Variables) and self._place is not None and event.frame_index == self._session.frame_index:
            file, line = self._place[0], self._shown_line
            self.editor.set_values(file, line, values_of_line(self.editor.line_text(file, line), event.variables))


def _error(stop: Stopped) -> str:
    """The run-time error of a stop, on one line."""
    if stop.reason != "exception" or stop.past:
        return ""
    first = (stop.description.splitlines() or [""])[0]
    return f"{stop.code}: {first}" if stop.code else first


def values_of_line(text: str, variables: Tuple[Variable, ...]) -> str:
    """The values of the variables that are named in a line, in the order in which they are named."""
    by_name = {variable.name: variable for variable in variables}
    parts: List[str] = []
    for name in dict.fromkeys(_NAME.findall(text.split("//")[0])):
        variable = by_name.get(name)
        if variable is not None:
            value = variable.value
            parts.append(f"{name} = {value if len(value) <= _VALUE_LENGTH else value[:_VALUE_LENGTH - 1] + '…'}")
    return "   ".join(parts)
