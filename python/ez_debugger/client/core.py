"""A session without names for its commands: the process, time limits, and what has been told."""

from __future__ import annotations

import time
from collections import deque
from types import TracebackType
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Type, TypeVar, Union

from ..protocol import RUNS, Command, Connection, Ended, Error, Event, Exited, InputRequested, Output, Stopped
from .errors import CommandError, DebuggerError, InputRequired, ProgramError, ServerGone, TimeLimitError
from .server import Server
from .values import Stop

E = TypeVar("E", bound=Event)

#: Says a line of input, or None where there is no more.
Answerer = Callable[[], Optional[str]]


class Core:
    """The process of a session, and the commands that were sent to it."""

    def __init__(self, command: Sequence[str], timeout: float, on_event: Optional[Callable[[Event], None]]) -> None:
        self._command = list(command)
        self._timeout = timeout
        self._on_event = on_event
        self._answerer: Optional[Answerer] = None
        self._connection = Connection()
        self._server: Optional[Server] = None
        self._arrived: Deque[Event] = deque()
        self._texts: Dict[str, List[str]] = {}
        self._run: Optional[Command] = None
        self._waits_for_input = False
        self._program_errors: List[Error] = []
        #: The last stop or end.
        self.stop: Optional[Stop] = None
        #: Counts the commands that let the program go on.
        self.moment = 0

    # Beginning and end

    def open(self) -> None:
        """Starts the server."""
        if self._server is not None:
            raise DebuggerError("the session has been opened already")
        self._server = Server(self._command)

    def close(self, at_once: bool = False) -> None:
        """Ends the program and the server."""
        if self._server is None:
            return
        if not at_once:
            self._server.write(self._connection.send("terminate"))
        self._server.close(at_once)

    def __enter__(self: S) -> S:
        try:
            self.open()
        except BaseException:
            self.close(at_once=True)
            raise
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close(at_once=kind is not None)

    # What was told

    @property
    def output(self) -> str:
        """What the program has written to standard output."""
        return self.text_of("stdout")

    @property
    def error_output(self) -> str:
        """What the program has written to standard error."""
        return self.text_of("stderr")

    @property
    def console(self) -> str:
        """What the debugger has said: the texts of log points."""
        return self.text_of("console")

    def text_of(self, category: str) -> str:
        """The output of a category."""
        pieces = self._texts.get(category)
        if not pieces:
            return ""
        pieces[:] = ["".join(pieces)]
        return pieces[0]

    @property
    def waits_for_input(self) -> bool:
        """Whether the program waits for input."""
        return self._waits_for_input

    @property
    def server(self) -> Server:
        """The process of the server."""
        if self._server is None:
            raise DebuggerError("the session has not been opened: use it in a 'with' statement")
        return self._server

    # Commands

    def send(self, command: str, **params: Any) -> Command:
        """Sends a command of SPEC.md, and does not wait for its answer.

        Names of parameters may be in snake_case; those that are None are left out.
        """
        given = {name: value for name, value in params.items() if value is not None}
        return self._send(command, given)

    def request(self, command: str, *, timeout: Optional[float] = None, **params: Any) -> Event:
        """Sends a command of SPEC.md, and waits for its answer."""
        return self.wait_for(self.send(command, **params), timeout)

    def ask(self, kind: Type[E], command: str, **params: Any) -> E:
        """As `request`, for an answer of a class."""
        return self.expect(kind, self.request(command, **params))

    def expect(self, kind: Type[E], answer: Event) -> E:
        """An answer, if it is of a class."""
        if not isinstance(answer, kind):
            raise DebuggerError(f"the answer is the event '{answer.event}'")
        return answer

    def _send(self, command: str, params: Dict[str, Any]) -> Command:
        server = self.server
        data = self._connection.send(command, **params)
        sent = self._connection.last_command
        assert sent is not None
        if command in RUNS:
            self._run = sent
            self.moment += 1
        server.write(data)
        return sent

    def wait_for(self, command: Command, timeout: Optional[float] = None) -> Event:
        """Waits for the answer of a command."""
        deadline = self._deadline(timeout)
        errors: List[Error] = []
        while True:
            event = self._next(deadline, command)
            if isinstance(event, InputRequested) and command is self._run:
                self._answer_input()
            elif isinstance(event, Error):
                errors.append(event)
            if event.answers is None or event.answers.id != command.id or not event.completes:
                continue
            if not isinstance(event, Error):
                return event
            if event.command is not None:
                raise CommandError(event)
            raise ProgramError([error for error in errors if error.command is None])

    # Runs

    def run(self, command: str, timeout: Optional[float] = None, **params: Any) -> Stop:
        """Sends a command that lets the program go on, and waits until it has stopped or ended."""
        self.send(command, **params)
        return self.wait(timeout)

    def wait(self, timeout: Optional[float] = None) -> Stop:
        """Waits for the next stop, or the end, of a program that goes on: after `InputRequired` or `TimeLimitError`."""
        if self._run is None:
            if self.stop is None:
                raise DebuggerError("the program has not been started")
            return self.stop
        if self._waits_for_input:
            self._answer_input()
        self.wait_for(self._run, timeout)
        assert self.stop is not None
        return self.stop

    def pause(self, timeout: Optional[float] = None) -> Stop:
        """Stops a program that runs."""
        # The stop answers the command that has made it run.
        sent = self.send("pause")
        self._waits_for_input = False
        return self.wait(timeout) if self._run is not None else self._stop_after(sent, timeout)

    def end_program(self, timeout: Optional[float] = None) -> Stop:
        """Ends the program; the session stays."""
        deadline = self._deadline(timeout)
        sent = self.send("kill")
        self.wait_for(sent, timeout)
        while self.stop is None or not self.stop.has_ended:
            self._next(deadline, sent)
        return self.stop

    def _stop_after(self, command: Command, timeout: Optional[float]) -> Stop:
        self.wait_for(command, timeout)
        assert self.stop is not None
        return self.stop

    def send_input(self, text: str, end: bool = False) -> None:
        """Gives the program lines of input; with `end` nothing comes after them."""
        self._waits_for_input = False
        self.request("input", text=text, eof=True if end else None)

    def end_input(self) -> None:
        """Says that no input comes any more."""
        self._waits_for_input = False
        self.request("input", eof=True)

    def _answer_input(self) -> None:
        if self._answerer is None:
            raise InputRequired
        self._waits_for_input = False
        line = self._answerer()
        if line is None:
            self.send("input", eof=True)
        else:
            self.send("input", text=line)

    # Events

    def _deadline(self, timeout: Optional[float]) -> float:
        return time.monotonic() + (self._timeout if timeout is None else timeout)

    def _next(self, deadline: float, command: Command) -> Event:
        while not self._arrived:
            data = self.server.read(deadline)
            if data is None:
                raise TimeLimitError(f"the debug server has not answered '{command.name}' in time")
            self._arrived.extend(self._connection.receive(data) if data else self._connection.end())
        event = self._arrived.popleft()
        if isinstance(event, Ended):
            # Whoever asks again is to hear it again.
            self._arrived.append(event)
            self.server.wait()
            raise ServerGone(self.server.status, self.server.stderr())
        self._note(event)
        return event

    def _note(self, event: Event) -> None:
        if isinstance(event, Output):
            self._texts.setdefault(event.category, []).append(event.text)
        elif isinstance(event, InputRequested):
            self._waits_for_input = True
        elif isinstance(event, Error) and event.command is None:
            self._program_errors.append(event)
        elif isinstance(event, (Stopped, Exited)):
            self._note_stop(event)
        if self._run is not None and event.completes and event.answers == self._run:
            self._run = None
        if self._on_event is not None:
            self._on_event(event)

    def _note_stop(self, event: Union[Stopped, Exited]) -> None:
        errors, self._program_errors = self._program_errors, []
        self._waits_for_input = False
        is_end = isinstance(event, Exited)
        if is_end:
            self.moment += 1
        self.stop = Stop(self, event, errors[-1] if errors and is_end else None)


S = TypeVar("S", bound=Core)
