"""What the user has typed for the last run, and what the program has printed."""

from __future__ import annotations

from typing import List, Optional, Sequence

from PyQt6.QtCore import QObject

from ..protocol import Output, Stopped
from .case_stamps import Stamps, are_same, stamps_of
from .output_text import STDOUT
from .paths import resolved
from .session import DebugSession

#: How much is kept of each, in characters; longer ones are no case that somebody has looked at.
_MOST = 200_000


class LastRun(QObject):
    """Keeps the texts of a run that has come to its end."""

    def __init__(self, session: DebugSession) -> None:
        super().__init__(session)
        self._session = session
        self._input: List[str] = []
        self._output: List[str] = []
        self._length = 0
        #: The program's file; empty as long as the run is not over, or if it was too long.
        self.program = ""
        #: With which status it has ended; None at the stop before its end, where that is not known yet.
        self.status: Optional[int] = 0
        #: The files of the program when it was started, and whether one of them is edited since.
        self._read: Stamps = {}
        self._is_edited = False
        session.state_changed.connect(self._on_state)
        session.restarting.connect(self._begin_anew)
        session.started.connect(self._on_started)
        session.files_changed.connect(self._look)
        session.input_sent.connect(self._on_input)
        session.output_received.connect(self._on_output)
        session.stopped.connect(self._on_stopped)
        session.ended.connect(self._on_ended)

    @property
    def input(self) -> str:
        """What was typed."""
        launch = self._session.launch
        return launch.input if launch is not None and launch.input is not None else "".join(self._input)

    @property
    def output(self) -> str:
        """What the program itself has written to standard output."""
        return "".join(self._output)

    @property
    def arguments(self) -> Sequence[str]:
        """With which arguments it was started."""
        launch = self._session.launch
        return self._session.options.apply(launch).args if launch is not None else ()

    @property
    def is_old(self) -> bool:
        """Whether the program's text is another one since."""
        return self._is_edited or not are_same(self._read)

    def note_edit(self, file: str) -> None:
        """A file is edited."""
        self._is_edited = self._is_edited or resolved(file) in self._read

    def _on_state(self) -> None:
        if self._session.state.status == "starting":
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._forget()
        self._input = []

    def _on_started(self) -> None:
        self._forget()
        self._is_edited = False
        self._look()

    def _look(self) -> None:
        self._read = stamps_of(file for file in self._session.files or () if not file.startswith("<"))

    def _forget(self) -> None:
        # What was typed before the program has begun is for it.
        self._output, self._length, self.program = [], 0, ""

    def _on_input(self, text: Optional[str]) -> None:
        if text is not None and self._session.launch is not None and self._session.launch.input is None:
            self._add(self._input, text)

    def _on_output(self, outputs: List[Output]) -> None:
        for output in outputs:
            if output.category == STDOUT and not output.client:
                self._add(self._output, output.text)

    def _add(self, texts: List[str], text: str) -> None:
        self._length += len(text)
        if self._length <= _MOST:
            texts.append(text)

    def _on_stopped(self, stop: Stopped) -> None:
        if stop.reason == "end":
            self._keep(None)

    def _on_ended(self, exit_code: Optional[int]) -> None:
        if exit_code is not None:
            self._keep(exit_code)

    def _keep(self, status: Optional[int]) -> None:
        launch = self._session.launch
        if launch is not None and launch.source is None and self._length <= _MOST:
            self.program, self.status = launch.file, status
