"""A program that is debugged with a case."""

from __future__ import annotations

import os
from typing import Optional

from PyQt6.QtCore import QObject, pyqtSignal

from ..cases.results import CaseFiles, CaseResult
from ..protocol import Stopped
from .case_files import text_of
from .launch import Launch
from .session import DebugSession

#: As `ez test` has it.
_DENY, _MEMORY = ("net", "exec"), "512M"

#: Where a case leads to, by the kind of its failure.
_PLACES = {"output": "the difference", "error": "the error"}

#: Longer input is not given, in bytes: the window would wait for it.
_MOST = 16 << 20


class CaseSession(QObject):
    """Starts a program with what a case has it read, and brings it to where it prints something else than it has to."""

    #: What there is to say of the run; empty: nothing any more.
    said = pyqtSignal(str)

    def __init__(self, session: DebugSession, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._session = session
        self._launch: Optional[Launch] = None
        self._case = CaseFiles()
        self._result: Optional[CaseResult] = None
        #: Where the user wants to go from the difference.
        self._step: Optional[int] = None
        #: Whether it has come to the difference, or to another end; and whether that is the one of the result.
        self._is_there = self._is_same = False
        session.started.connect(self._on_started)
        session.stopped.connect(self._on_stopped)
        session.ended.connect(lambda _: self._on_ended())

    def start(self, program: str, case: CaseFiles, result: Optional[CaseResult], step: Optional[int] = None) -> str:
        """Starts a program with a case, whose last result may be known; goes to a step of that run, or to the statement
        that has printed the difference. A sentence if that is not possible.
        """
        try:
            given = text_of(case.input, _MOST) if case.input is not None else ""
        except (OSError, ValueError) as error:
            return f"{case.input} cannot be read: {_reason(error)}."
        has_failed = result is not None and not result.is_passed
        self._case, self._result, self._step = case, result, step
        expected = None if case.output is None else os.path.abspath(case.output)
        self._launch = Launch(file=program, args=case.arguments, input=given, expected_output=expected, deny=_DENY,
                              memory=_MEMORY, root=os.path.dirname(os.path.abspath(program)),
                              stop_on_entry=False if has_failed else None)
        self._session.start(self._launch)
        return ""

    def go_to(self, case: str, step: int) -> bool:
        """Goes to a step of the run of a case; False if it is not the one that is debugged, or not as it was."""
        is_here = self._is_mine() and self._is_there and self._is_same and self._case.case == case
        return is_here and "goToStep" in self._session.state.possible and self._session.go_to_step(step)

    @property
    def is_live(self) -> bool:
        """Whether the program that runs was started with a case."""
        return self._is_mine() and self._session.state.is_live

    def _is_mine(self) -> bool:
        return self._launch is not None and self._session.launch is self._launch

    def _on_started(self) -> None:
        self._is_there = self._is_same = False
        self.said.emit("")

    def _on_stopped(self, stop: Stopped) -> None:
        if not self._is_mine() or self._is_there or self._result is None or self._result.kind not in _PLACES:
            return
        difference = stop.difference if stop.reason == "output" else None
        if stop.reason == "end" and difference is None:
            self._on_ended()
            return
        if difference is None and stop.reason != "exception":
            self.said.emit(f"This is before {_PLACES[self._result.kind]}: F5 goes on to it.")
            return
        self._is_there = True
        result = self._result
        self._is_same = difference is None or (difference.line, difference.column) == (result.line, result.column)
        if not self._is_same:
            self.said.emit("This run prints something else than the one below, as programs do with random numbers or the "
                           "time: the steps below are not those of this run.")
            return
        self.said.emit("")
        # The stop does not know it of a statement that has made calls.
        step = self._step if self._step is not None else result.at.step if result.at is not None else None
        # Where a call has returned, the step is still that of the statement.
        if step is not None and "goToStep" in self._session.state.possible:
            self._session.go_to_step(step)

    def _on_ended(self) -> None:
        if self._is_mine() and not self._is_there and self._result is not None and self._result.kind in _PLACES:
            self._is_there = True
            self.said.emit(f"This run has ended, and has not come to {_PLACES[self._result.kind]} of the result below.")


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8, so that it can be run, but not debugged"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
