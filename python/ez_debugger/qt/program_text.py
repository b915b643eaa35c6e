"""The text that the running program was made from, and the text in the editor."""

from __future__ import annotations

from typing import Dict, List, Optional

from PyQt6.QtCore import QObject, pyqtSignal

from ..protocol import Ended, Event, Source
from .anchors import LineMap
from .editor import EditorAdapter
from .paths import absolute
from .session import DebugSession


class ProgramTexts(QObject):
    """Translates lines between the program that runs and the text in the editor, which may have changed since.

    The engine counts lines in the files as it has read them; whoever looks at the editor counts in what is there
    now. A file that the program does not use has the same lines in both.
    """

    #: Lines are somewhere else, or a text has become different or the same again.
    changed = pyqtSignal()
    #: The engine has read another text of a file than the one that was in the editor at the start.
    other_text_read = pyqtSignal(str)

    def __init__(self, session: DebugSession, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._session = session
        self._editor: Optional[EditorAdapter] = None
        #: The lines of each file of the program.
        self._programs: Dict[str, List[str]] = {}
        self._maps: Dict[str, LineMap] = {}
        self._is_starting = False
        session.state_changed.connect(self._on_state)
        session.initialized.connect(self._ask_for_all)
        session.started.connect(self._ask_for_all)

    def attach(self, editor: EditorAdapter) -> None:
        """Follows the texts of an editor."""
        self._editor = editor
        editor.text_changed.connect(self._on_edited)
        editor.file_shown.connect(self._on_shown)

    @property
    def differs(self) -> bool:
        """Whether a text has changed since the program that runs was started."""
        return self._session.state.is_live and any(not self._map(file).is_same for file in self._programs)

    def to_text(self, file: str, line: int) -> int:
        """The line in the editor of a line of the program; 0 if it was deleted."""
        file = absolute(file)
        return self._map(file).forward(line) if file in self._programs else line

    def to_program(self, file: str, line: int) -> int:
        """The line of the program that runs of one in the editor; 0 if the program does not have it."""
        file = absolute(file)
        if not self._session.state.is_live or file not in self._programs:
            return line
        return self._map(file).backward(line)

    def is_changed(self, file: str, line: int) -> bool:
        """Whether a line of the program has another text in the editor, or is not there any more."""
        file = absolute(file)
        if file not in self._programs or self._map(file).is_same:
            return False
        program, now = self._programs[file], self.text(file)
        there = self._map(file).forward(line)
        return not (now is not None and 0 < there <= len(now) and line <= len(program)
                    and now[there - 1].strip() == program[line - 1].strip())

    def _map(self, file: str) -> LineMap:
        found = self._maps.get(file)
        if found is None:
            lines = self.text(file)
            program = self._programs[file]
            found = self._maps[file] = LineMap(program, program if lines is None else lines)
        return found

    def text(self, file: str) -> Optional[List[str]]:
        """What is in the editor, or in the file if that is not open; None if it cannot be read."""
        lines = self._editor.text_lines(file) if self._editor is not None else None
        return lines if lines is not None else lines_of_file(file)

    def _on_state(self) -> None:
        is_starting = self._session.state.status == "starting"
        if is_starting and not self._is_starting:
            # Until the engine says what it has read, it is what the editor has, which was saved just now.
            self._programs, self._maps = {}, {}
            for file in self._open_files():
                lines = self.text(file)
                if lines is not None:
                    self._programs[file] = lines
        self._is_starting = is_starting
        self.changed.emit()

    def _open_files(self) -> List[str]:
        return [absolute(file) for file in self._editor.open_files()] if self._editor is not None else []

    def _ask_for_all(self) -> None:
        for file in self._open_files():
            self._ask_for(file)

    def _ask_for(self, file: str) -> None:
        if self._session.state.status in ("none", "starting", "exited"):
            return
        file = absolute(file)

        def take(event: Event) -> None:
            if isinstance(event, Source):
                self._take(file, event.text)
            elif not isinstance(event, Ended):
                self._take(file, None)

        self._session.source(take, file)

    def _take(self, file: str, text: Optional[str]) -> None:
        lines = None if text is None else lines_of(text)
        if lines == self._programs.get(file):
            return
        was_known = file in self._programs
        if lines is None:
            del self._programs[file]
        else:
            self._programs[file] = lines
        self._maps.pop(file, None)
        if was_known:
            self.other_text_read.emit(file)
        self.changed.emit()

    def _on_shown(self, file: str) -> None:
        self._on_edited(file)
        self._ask_for(file)

    def _on_edited(self, file: str) -> None:
        file = absolute(file)
        if file in self._programs:
            self._maps.pop(file, None)
            self.changed.emit()


def lines_of(text: str) -> List[str]:
    """The lines of a text, as the engine counts them."""
    return text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")


def lines_of_file(file: str) -> Optional[List[str]]:
    """The lines of a file, None if it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return lines_of(stream.read())
    except OSError:
        return None
