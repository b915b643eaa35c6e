"""The breakpoints that the user has set: they outlive servers and runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from ..protocol import (Breakpoint, BreakpointChanged, Breakpoints, DataBreakpoints, Error, Event, ExceptionBreakpoints,
                        FunctionBreakpoints, State)
from .lines import Lines, SameLines
from .paths import absolute, resolved
from .session import DebugSession

LINE, FUNCTION, WRITE = "line", "function", "write"


@dataclass
class UserBreakpoint:
    """A breakpoint as the user wants it, and what the engine says of it."""

    #: `line`, `function` or `write`.
    kind: str
    #: The file of one at a line.
    file: str = ""
    #: In the editor's text: where it was set, or where the engine has put it.
    line: int = 0
    #: The function, or what is watched.
    name: str = ""
    condition: Optional[str] = None
    hit_condition: Optional[str] = None
    log_message: Optional[str] = None
    enabled: bool = True
    #: Of a write: the object that `name` is a part of, or 0; only to set it for the first time.
    reference: int = 0
    frame_index: int = 0
    #: What the engine has reported of it last; None before it is set there.
    reported: Optional[Breakpoint] = None
    #: The line in the program that runs for which the engine was asked, 0 if it was not.
    asked_line: int = 0
    #: Why the engine was not asked.
    note: str = ""
    #: The client of a shared session that has set it; empty: this one.
    set_by: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether it cannot be hit in the program that runs."""
        return bool(self.note) or self.reported is not None and not self.reported.verified

    @property
    def message(self) -> str:
        """Why it cannot be hit, or that it has moved."""
        return self.note or (self.reported.message or "" if self.reported is not None else "")

    @property
    def has_options(self) -> bool:
        """Whether it does more, or less, than to stop each time."""
        return bool(self.condition or self.hit_condition or self.log_message)

    def options(self) -> Dict[str, Any]:
        """The parameters that all kinds have."""
        options: Dict[str, Any] = {"enabled": self.enabled}
        if self.condition:
            options["condition"] = self.condition
        if self.hit_condition:
            options["hitCondition"] = self.hit_condition
        if self.log_message and self.kind != WRITE:
            options["logMessage"] = self.log_message
        return options

    def parameters(self) -> Dict[str, Any]:
        """The object of a list of breakpoints in SPEC.md."""
        options = self.options()
        if self.kind == LINE:
            return {"line": self.asked_line or self.line, **options}
        if self.kind == FUNCTION:
            return {"name": self.name, **options}
        if self.reported is not None:
            return {"id": self.reported.id, **options}
        where = {"reference": self.reference} if self.reference else {"frameIndex": self.frame_index}
        return {"name": self.name, **where, **options}


@dataclass
class ErrorStop:
    """Whether the program stops at one kind of errors: `uncaught` or `errorValue`."""

    filter_id: str
    enabled: bool = False
    condition: Optional[str] = None
    #: Why the condition is wrong.
    message: Optional[str] = None
    #: Whether a guest of a shared session has set it, and this client has not; known since the last stop.
    by_guest: bool = False


#: What is said of a breakpoint in a line that was written after the start.
NOT_IN_PROGRAM = "set when the program starts again: the program that runs does not have this line"

#: What is said of one in a file of another program.
NOT_USED = "the program does not use this file"


class BreakpointStore(QObject):
    """All breakpoints of a session, in the order in which they were set.

    What is changed here is sent to the server, if there is one, and again to each new one. What a write
    breakpoint watches ends with its function or with the program, and the breakpoint with it.
    """

    #: Something has changed.
    changed = pyqtSignal()
    #: The user has removed breakpoints that are some work to set again: a list of `UserBreakpoint`.
    removed = pyqtSignal(list)
    #: The engine refused something: a sentence.
    refused = pyqtSignal(str)

    def __init__(self, session: DebugSession, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        #: The session whose breakpoints these are.
        self.session = session
        self.lines: Lines = SameLines()
        self.breakpoints: List[UserBreakpoint] = []
        self.error_stops = [ErrorStop("uncaught", enabled=True), ErrorStop("errorValue")]
        #: How often each list was sent: an answer to an older one does not count.
        self._sent: Dict[str, int] = {}
        #: What has come through edits of the text and is sent before the next run.
        self._moved_files: set[str] = set()
        #: Whose lines were deleted; they may come back, also when another program runs.
        self._lost: List[UserBreakpoint] = []
        self._look = QTimer(self)
        self._look.setSingleShot(True)
        self._look.timeout.connect(self._look_at_hits)
        session.initialized.connect(self._send_all)
        session.files_changed.connect(self._send_files)
        session.breakpoint_changed.connect(self._on_changed)
        session.stopped.connect(lambda _: self._look.start(30))
        session.ended.connect(self._forget)
        session.program_refused.connect(self._forget)
        session.server_died.connect(self._forget)

    def at(self, file: str, line: int) -> Optional[UserBreakpoint]:
        """The breakpoint at a line of the editor's text."""
        return next((one for one in self.in_file(file) if one.line == line), None)

    def in_file(self, file: str) -> List[UserBreakpoint]:
        """The breakpoints at lines of a file."""
        file = absolute(file)
        return [one for one in self.breakpoints if one.kind == LINE and one.file == file]

    def toggle(self, file: str, line: int) -> None:
        """Sets a breakpoint at a line, or takes it away."""
        found = self.at(file, line)
        if found is not None:
            self.remove(found)
        else:
            self.add(UserBreakpoint(LINE, file=absolute(file), line=line))

    def add(self, breakpoint: UserBreakpoint) -> None:
        """Adds a breakpoint."""
        self.breakpoints.append(breakpoint)
        self._send(breakpoint)

    def remove(self, breakpoint: UserBreakpoint) -> None:
        """Takes a breakpoint away."""
        if breakpoint in self.breakpoints:
            self.breakpoints.remove(breakpoint)
            self._send(breakpoint)
            if breakpoint.has_options:
                self.removed.emit([breakpoint])

    def remove_all(self) -> None:
        """Takes all breakpoints away."""
        removed, self.breakpoints = self.breakpoints, []
        for breakpoint in {(one.kind, one.file): one for one in removed}.values():
            self._send(breakpoint)
        if len(removed) > 1 or any(one.has_options for one in removed):
            self.removed.emit(removed)

    def put_back(self, removed: Sequence[UserBreakpoint]) -> None:
        """Sets breakpoints again that were removed, where their text is unless it has changed meanwhile."""
        for breakpoint in removed:
            if breakpoint.kind != WRITE and (breakpoint.kind != LINE or self.at(breakpoint.file, breakpoint.line) is None):
                breakpoint.asked_line, breakpoint.reported = 0, None
                self.add(breakpoint)

    def change(self, breakpoint: UserBreakpoint, **options: Any) -> None:
        """Changes `condition`, `hit_condition`, `log_message` or `enabled`."""
        for name, value in options.items():
            setattr(breakpoint, name, value)
        self._send(breakpoint)

    def move(self, file: str, lines: Sequence[Tuple[UserBreakpoint, int]]) -> None:
        """The text was edited: breakpoints are at other lines now, or their lines have come back."""
        file = absolute(file)
        back = [breakpoint for breakpoint, _ in lines if not any(breakpoint is one for one in self.breakpoints)]
        for breakpoint, line in lines:
            breakpoint.line = line
        self.breakpoints += back
        self._lost = [one for one in self._lost if not any(one is other for other in back)]
        self._moved_files.add(file)
        if self._merge(file) or back:
            self._send_file(file)
        self.changed.emit()

    def lose(self, file: str, lost: Sequence[UserBreakpoint]) -> None:
        """The text was edited: the lines of these breakpoints are not there any more."""
        self.breakpoints = [one for one in self.breakpoints if not any(one is other for other in lost)]
        self._lost += lost
        self._send_file(absolute(file))
        self.changed.emit()

    def send_again(self, file: str) -> None:
        """The lines of the program are not those that were sent."""
        for breakpoint in self.in_file(file):
            breakpoint.asked_line = 0
        if self.in_file(file):
            self._send_file(absolute(file))
            self.changed.emit()

    def set_error_stop(self, filter_id: str, enabled: bool, condition: Optional[str] = None) -> None:
        """Whether the program stops at one kind of errors, and under which condition."""
        for stop in self.error_stops:
            if stop.filter_id == filter_id:
                stop.enabled, stop.condition, stop.message = enabled, condition, None
                stop.by_guest &= not enabled
        self._send_error_stops()
        self.changed.emit()

    def prepare_restart(self) -> None:
        """The program is about to be read again by the same server: sends where breakpoints are now."""
        files, self._moved_files = self._moved_files, set()
        self._forget_lost()
        for file in files:
            for breakpoint in self.in_file(file):
                breakpoint.asked_line = breakpoint.line
            self._send_file(file)

    def _send_all(self) -> None:
        self._moved_files = set()
        self._forget_lines()
        self._send_files()
        if any(one.kind == FUNCTION for one in self.breakpoints):
            self._send_functions()
        self._send_error_stops()

    def _send(self, breakpoint: UserBreakpoint) -> None:
        if breakpoint.kind == LINE:
            self._send_file(breakpoint.file)
        elif breakpoint.kind == FUNCTION:
            self._send_functions()
        else:
            self._send_writes()
        self.changed.emit()

    def _send_files(self) -> None:
        for file in dict.fromkeys(one.file for one in self.breakpoints if one.kind == LINE):
            self._send_file(file)

    def _send_file(self, file: str) -> None:
        if self.session.state.status in ("none", "starting", "exited"):
            # No program has lines yet: all is sent when one is loaded.
            return
        asked = []
        files = self.session.files
        is_used = files is None or resolved(file) in files
        for breakpoint in self.in_file(file):
            if not is_used:
                # The engine would not stop at the first statement for it.
                breakpoint.note, breakpoint.reported = NOT_USED, None
                continue
            breakpoint.asked_line = breakpoint.asked_line or self.lines.to_program(file, breakpoint.line)
            if breakpoint.asked_line:
                breakpoint.note = ""
                asked.append(breakpoint)
            else:
                breakpoint.note, breakpoint.reported = NOT_IN_PROGRAM, None
        if is_used:
            self._ask("setBreakpoints", file, asked, file=file, breakpoints=[one.parameters() for one in asked])

    def _send_functions(self) -> None:
        asked = [one for one in self.breakpoints if one.kind == FUNCTION]
        self._ask("setFunctionBreakpoints", FUNCTION, asked, breakpoints=[one.parameters() for one in asked])

    def _send_writes(self) -> None:
        asked = [one for one in self.breakpoints if one.kind == WRITE]
        self._ask("setDataBreakpoints", WRITE, asked, breakpoints=[one.parameters() for one in asked])

    def _ask(self, command: str, key: str, asked: List[UserBreakpoint], **params: Any) -> None:
        number = self._sent[key] = self._sent.get(key, 0) + 1

        def take(event: Event) -> None:
            if isinstance(event, Error):
                self._take_back(asked, event.message)
            elif self._sent[key] == number and isinstance(event, (Breakpoints, FunctionBreakpoints, DataBreakpoints)):
                for breakpoint, answer in zip(asked, event.breakpoints):
                    self._take(breakpoint, answer)
                self._drop_wrong_writes(asked)
                if command == "setBreakpoints" and self._merge(key):
                    self._send_file(key)
                self.changed.emit()

        self.session.send(command, take, **params)

    def _take(self, breakpoint: UserBreakpoint, reported: Breakpoint) -> None:
        """What the engine says of a breakpoint: it is shown where the engine has put it."""
        before, breakpoint.reported = breakpoint.reported, reported
        if breakpoint.has_options and not reported.verified and (before is None or before.message != reported.message):
            place = breakpoint.name or f"{os.path.basename(breakpoint.file)}:{breakpoint.line}"
            self.refused.emit(f"The breakpoint at {place} does not stop the program: {reported.message}")
        if breakpoint.kind == LINE and reported.verified and reported.actual_line not in (None, breakpoint.asked_line):
            breakpoint.line = self.lines.to_text(breakpoint.file, reported.actual_line or 0) or breakpoint.line

    def _merge(self, file: str) -> bool:
        """Leaves one breakpoint at each line: the first with options, or else the first. Whether there were more."""
        kept: Dict[int, UserBreakpoint] = {}
        in_file = self.in_file(file)
        for breakpoint in in_file:
            other = kept.setdefault(breakpoint.line, breakpoint)
            if breakpoint.has_options and not other.has_options:
                kept[breakpoint.line] = breakpoint
        self.breakpoints = [one for one in self.breakpoints
                            if one.kind != LINE or one.file != file or kept[one.line] is one]
        return len(kept) < len(in_file)

    def _forget_lines(self) -> None:
        """There is another program, or none."""
        self._forget_lost()
        for breakpoint in self.breakpoints:
            breakpoint.asked_line, breakpoint.note = 0, ""

    def _forget_lost(self) -> None:
        lost, self._lost = self._lost, []
        for breakpoint in lost:
            breakpoint.asked_line, breakpoint.note, breakpoint.reported = 0, "", None

    def _take_back(self, asked: List[UserBreakpoint], message: str) -> None:
        """The engine has set none of them; one on a write that it has never known cannot be set later either."""
        lost = [one for one in asked if one.kind == WRITE and one.reported is None]
        self.breakpoints = [one for one in self.breakpoints if not any(one is other for other in lost)]
        self.refused.emit(message)
        self.changed.emit()

    def _drop_wrong_writes(self, asked: List[UserBreakpoint]) -> None:
        for breakpoint in [one for one in asked if one.kind == WRITE and one.is_wrong]:
            if breakpoint.condition or breakpoint.hit_condition:
                continue
            self.breakpoints = [one for one in self.breakpoints if one is not breakpoint]
            self.refused.emit(breakpoint.reported.message if breakpoint.reported and breakpoint.reported.message
                              else f"{breakpoint.name} cannot be watched")

    def _send_error_stops(self) -> None:
        wanted = [one for one in self.error_stops if one.enabled]

        def take(event: Event) -> None:
            if isinstance(event, ExceptionBreakpoints):
                # Those with conditions come last, and a guest's are not this client's.
                reported = {one.filter_id: one.message for one in event.filters}
                for stop in wanted:
                    stop.message = reported.get(stop.filter_id)
                self.changed.emit()
            elif isinstance(event, Error):
                self.refused.emit(event.message)

        self.session.send(
            "setExceptionBreakpoints", take,
            filters=[one.filter_id for one in wanted if not one.condition],
            filterOptions=[{"filterId": one.filter_id, "condition": one.condition} for one in wanted if one.condition])

    def _on_changed(self, event: BreakpointChanged) -> None:
        if event.answers is None and event.by:
            self._take_from_other(event, event.by)
            return
        for breakpoint in self.breakpoints:
            if breakpoint.reported is not None and breakpoint.reported.id == event.breakpoint.id:
                if event.reason != "removed":
                    self._take(breakpoint, event.breakpoint)
                    if self._merge(breakpoint.file):
                        self._send_file(breakpoint.file)
                elif breakpoint.kind == WRITE:
                    self.breakpoints = [one for one in self.breakpoints if one is not breakpoint]
                self.changed.emit()
                return

    def _take_from_other(self, event: BreakpointChanged, by: str) -> None:
        """Another client has set, changed or removed a breakpoint."""
        reported = event.breakpoint
        known = next((one for one in self.breakpoints if one.reported is not None and one.reported.id == reported.id), None)
        if event.reason == "removed":
            self.breakpoints = [one for one in self.breakpoints if one is not known]
        else:
            if known is None:
                known = self._made_by_other(reported, by)
                self.breakpoints.append(known)
            known.condition, known.hit_condition = reported.condition, reported.hit_condition
            known.log_message, known.enabled = reported.log_message, reported.enabled
            self._take(known, reported)
        self.changed.emit()

    def _made_by_other(self, reported: Breakpoint, by: str) -> UserBreakpoint:
        if reported.name:
            return UserBreakpoint(FUNCTION, name=reported.name, set_by=by)
        if not reported.line:
            return UserBreakpoint(WRITE, name=reported.description or "", set_by=by)
        directory = self.session.launch.directory if self.session.launch is not None else ""
        file = absolute(os.path.join(directory, reported.file or ""))
        line = self.lines.to_text(file, reported.line) or reported.line
        return UserBreakpoint(LINE, file=file, line=line, asked_line=reported.line, set_by=by)

    def _look_at_hits(self) -> None:
        if self.session.state.stop is not None:
            asked = [stop.enabled for stop in self.error_stops]
            self.session.state_of_server(lambda event: self._take_state(event, asked))

    def _take_state(self, event: Event, asked: List[bool]) -> None:
        """Hits, and what a guest has set. `asked`: which errors stopped the program for this client at the question."""
        if not isinstance(event, State):
            return
        reported = {one.id: one for one in (*event.breakpoints, *event.function_breakpoints, *event.data_breakpoints)}
        in_force = {one.filter_id for one in event.exception_filters}
        has_news = False
        for stop, was_enabled in zip(self.error_stops, asked):
            by_guest = stop.filter_id in in_force and not was_enabled and not stop.enabled
            has_news |= by_guest != stop.by_guest
            stop.by_guest = by_guest
        for breakpoint in self.breakpoints:
            new = reported.get(breakpoint.reported.id) if breakpoint.reported is not None else None
            if new is not None and new != breakpoint.reported:
                breakpoint.reported = new
                has_news = True
        if has_news:
            self.changed.emit()

    def _forget(self) -> None:
        """The program has ended, and with it what was watched. Hits stay to be looked at."""
        self.breakpoints = [one for one in self.breakpoints if one.kind != WRITE]
        self._forget_lines()
        self.changed.emit()
