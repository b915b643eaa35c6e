"""Where values, lines and texts come from."""

from __future__ import annotations

import os
from typing import Callable, List, Optional

from PyQt6.QtCore import QObject
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QDialog, QWidget

from ..protocol import Error, Event, LastChange, OutputStep, Unfolded, UnfoldedPart
from .changes import ChangesWindow
from .computed import ComputedWindow
from .editor import EditorAdapter
from .notices import MessageNotice
from .paths import absolute
from .program_text import ProgramTexts
from .session import DebugSession


class Origins(QObject):
    """Answers "How was this computed?", "Where was this changed?" and "Who printed this?". Needs the history."""

    def __init__(self, session: DebugSession, message: MessageNotice, texts: ProgramTexts, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._message = message
        self._window = window
        self._file = ""
        self._texts = texts
        self.editor: Optional[EditorAdapter] = None
        self.computed = ComputedWindow(window)
        self.computed.part_chosen.connect(self._show_part)
        #: The lists of changes that are open.
        self.changes: List[ChangesWindow] = []

    @property
    def is_possible(self) -> bool:
        """Whether the past is known."""
        return "goToStep" in self._session.state.possible

    def show_computed(self, expression: str) -> None:
        """How the value of a variable or a part was computed: by the statement that wrote it last."""
        def take(event: Event) -> None:
            if isinstance(event, LastChange) and event.cause == "client":
                self._message.show_message(f"{event.description}: you have given it this value.")
            elif isinstance(event, LastChange):
                self._unfold(lambda _: True, step=event.step)
            else:
                self._refuse(event)

        self._session.last_change(take, expression, self._session.frame_index)

    def show_line(self, file: str, line: int) -> None:
        """How a line was computed that was carried out last, or what the one will compute that comes next."""
        def is_here(event: Unfolded) -> bool:
            return absolute(event.location.file) == absolute(file) and event.location.line <= line <= event.end_line

        def sorry() -> None:
            self._message.show_message(
                f"Line {line} is neither the one that was carried out last nor the one that comes next.")

        frame_index = self._session.frame_index
        self._unfold(is_here, lambda: self._unfold(is_here, sorry, frame_index=frame_index, next=True),
                     frame_index=frame_index)

    def show_statement(self) -> None:
        """How the statement that was carried out last was computed."""
        self._unfold(lambda _: True, frame_index=self._session.frame_index)

    def show_changes(self, expression: str) -> None:
        """Where a variable or a part was changed."""
        window = ChangesWindow(self._session, expression, self._window)
        window.step_chosen.connect(self._session.go_to_step)
        self.changes = [one for one in self.changes if one.isVisible()] + [window]
        _show(window)

    def show_printer(self, offset: int) -> None:
        """Which statement has written the byte of the output with a number; goes there."""
        def take(event: Event) -> None:
            if not isinstance(event, OutputStep):
                self._refuse(event)
            elif event.client:
                self._message.show_message("An evaluation of yours has written this.")
            else:
                place = event.location
                self._message.show_message(
                    f"Line {place.line} of {os.path.basename(place.file)} has written this, in step {event.step:,}.")
                stop = self._session.state.stop
                if stop is not None and stop.step != event.step:
                    self._session.go_to_step(event.step)

        self._session.send("outputStep", take, offset=offset)

    def _unfold(self, is_wanted: Callable[[Unfolded], bool], otherwise: Optional[Callable[[], object]] = None,
                **which: object) -> None:
        def take(event: Event) -> None:
            if isinstance(event, Unfolded) and is_wanted(event):
                self._file = event.location.file
                self.computed.show_unfolded(event, self._font())
            elif otherwise is not None:
                otherwise()
            else:
                self._refuse(event)

        self._session.send("unfold", take, **which)

    def _font(self) -> QFont:
        font = self.editor.code_font() if self.editor is not None else None
        return font if font is not None else self._window.font()

    def _refuse(self, event: Event) -> None:
        if isinstance(event, Error):
            self._message.show_problem(event.message)

    def _show_part(self, part: UnfoldedPart) -> None:
        line, end_line = (self._texts.to_text(self._file, number) for number in (part.line, part.end_line))
        if self.editor is None or not self._file or line == 0:
            return
        if any(self._texts.is_changed(self._file, number) for number in (part.line, part.end_line)):
            self.editor.show_place(self._file, line)
        else:
            self.editor.show_range(self._file, line, part.column, end_line, part.end_column)


def _show(window: QDialog) -> None:
    window.show()
    window.raise_()
