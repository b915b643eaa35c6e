"""Checks the options of a breakpoint before the program runs with them."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional

from PyQt6.QtCore import QObject, QTimer

from ..client import DebuggerError
from ..protocol import BreakpointSet, Breakpoints, Error, Event, FunctionBreakpoints, Initialized
from .breakpoint_store import FUNCTION, BreakpointStore, UserBreakpoint
from .process import ServerProcess

#: After so many milliseconds without an answer the options count as right; the engine will say it later.
_LONGEST_MS = 3000

#: What is appended to a file that is a module.
_MAIN = ["", "do main() {", "}", ""]

#: Where a program has errors, only what is no expression at all is found: the codes of such errors.
_NO_PROGRAM: Dict[str, str] = {"text": "do main() {\n    temp nothing int = 0\n}\n", "name": "<check>"}
_SYNTAX = "E2"

#: The options, each of which is asked about by itself.
OPTIONS = ("condition", "hitCondition", "logMessage")


class OptionsCheck(QObject):
    """Asks a server of its own, which runs nothing, what the engine would say of a breakpoint.

    The answer is the name of an option (`OPTIONS`) and what is wrong with it, or two empty texts: nothing is wrong,
    or it cannot be known, such as what a name means in a program with errors.
    """

    def __init__(self, store: BreakpointStore, breakpoint: UserBreakpoint, on_answer: Callable[[str, str], None],
                 parent: QObject) -> None:
        super().__init__(parent)
        self._breakpoint = breakpoint
        self._on_answer: Optional[Callable[[str, str], None]] = on_answer
        self._server: Optional[ServerProcess] = None
        launch = store.session.launch
        self._file = breakpoint.file
        if breakpoint.kind == FUNCTION:
            self._file = os.path.abspath(launch.file) if launch is not None and launch.file else ""
        #: What is tried one after the other, until one can be loaded.
        self._programs = self._to_try(store.lines.text(self._file) if self._file else None)
        self._is_real = True
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._answer)
        self._timer.start(_LONGEST_MS)
        try:
            self._ez = store.session.program()
        except DebuggerError:
            self._timer.start(0)
            return
        self._try_next()

    def _to_try(self, text: Optional[List[str]]) -> List[Dict[str, str]]:
        found = [] if text is None else [{"text": "\n".join(lines), "name": self._file}
                                         for lines in (text, text + _MAIN)]
        return [*found, _NO_PROGRAM]

    def _try_next(self) -> None:
        """Loads the next program in a new server."""
        self._drop_server()
        if not self._programs:
            self._answer()
            return
        source = self._programs.pop(0)
        self._is_real = source is not _NO_PROGRAM
        folder = os.path.dirname(self._file)
        directory = folder if os.path.isdir(folder) else os.getcwd()
        self._server = ServerProcess(self._ez, directory, self)
        self._server.received.connect(self._receive)
        self._server.ended.connect(lambda _: self._answer())
        self._server.start()
        self._server.send("initialize", protocolVersion=2, history=True, workingDir=directory, source=source)

    def _receive(self, events: List[Event]) -> None:
        server = self._server
        for event in events:
            if self._server is not server or server is None:
                return
            if isinstance(event, Initialized):
                self._ask(server)
            elif isinstance(event, Error) and event.answers is not None:
                if event.answers.name == "initialize":
                    self._try_next()
                elif self._is_real or event.code is None or event.code.startswith(_SYNTAX):
                    self._answer(next((one for one in OPTIONS if one in event.answers.params), ""), event.message)
            elif isinstance(event, FunctionBreakpoints):
                self._on_functions(event)
            elif isinstance(event, BreakpointSet) and not event.verified and self._is_real:
                self._check_nothing_but_syntax()
            elif isinstance(event, Breakpoints):
                self._answer()

    def _check_nothing_but_syntax(self) -> None:
        """There is no such line, or function, so that the engine does not look at the options."""
        self._programs = [_NO_PROGRAM]
        self._try_next()

    def _ask(self, server: ServerProcess) -> None:
        options = self._breakpoint.options()
        asked = [{name: options[name]} for name in OPTIONS if name in options]
        file, line = (self._file, self._breakpoint.line) if self._is_real else (_NO_PROGRAM["name"], 2)
        if self._breakpoint.kind == FUNCTION and self._is_real:
            for one in [{}, *asked]:
                server.send("setFunctionBreakpoints", breakpoints=[{"name": self._breakpoint.name, **one}])
        else:
            for one in asked:
                server.send("setBreakpoint", file=file, line=line, **one)
        server.send("getBreakpoints", file=file)

    def _on_functions(self, event: FunctionBreakpoints) -> None:
        reported = event.breakpoints[0] if event.breakpoints else None
        if reported is None or reported.verified or event.answers is None:
            return
        asked: Dict[str, Any] = event.answers.params["breakpoints"][0]
        option = next((one for one in OPTIONS if one in asked), "")
        if option:
            self._answer(option, reported.message or "")
        else:
            self._check_nothing_but_syntax()

    def _answer(self, option: str = "", problem: str = "") -> None:
        on_answer, self._on_answer = self._on_answer, None
        self._timer.stop()
        self._drop_server()
        if on_answer is not None:
            on_answer(option, problem)
        self.deleteLater()

    def _drop_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.kill()
            server.deleteLater()
