"""A session whose methods block."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Deque, Iterator, Optional, Type, TypeVar

from ..protocol import Change, Event
from .base import BaseSession
from .commands import SessionCommands
from .errors import DebuggerError, ServerGone, TimeLimitError
from .plan import DEFAULT, InputWanted, Plan, Timeout, Wait, like
from .server import Server
from .values import Stop

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")
E = TypeVar("E", bound=Event)

#: How long a thread waits that another one informs, in seconds.
_SLICE = 0.1


def _blocking(plan: "Callable[Concatenate[SessionCommands, P], Plan[T]]") -> "Callable[Concatenate[Session, P], T]":
    """The method that carries out a plan, and returns when it is done."""

    @like(plan, "{}")
    def call(self: Session, /, *args: Any, **options: Any) -> Any:
        return self._carry_out(plan(self._core, *args, **options))

    return call


class Session(BaseSession):
    """A program under the debugger; to be used in a `with` statement.

    Its methods may be called on any thread: `pause`, `kill` and `close` also while another one waits. Only `on_event`
    and `input` are called on that of the threads which reads at the moment.
    """

    _server: Optional[Server] = None

    def open(self) -> None:
        """Starts the server and loads the program."""
        with self._core.lock:
            if self._server is not None:
                raise DebuggerError("the session has been opened already")
            self._news = threading.Condition(self._core.lock)
            self._reader: Optional[int] = None
            self._untold: Deque[Event] = deque()
            self._server = Server(self._command())
            self._core.write = self._server.write
            self._core.carry_out = self._carry_out
        self.initialized = self._carry_out(self._core.initialize(self._input, self._parameters))

    def close(self, at_once: bool = False) -> None:
        """Ends the program and the server. Whoever waits on another thread gets a `ServerGone`."""
        if self._server is None:
            return
        if not (at_once or self._server.is_closed):
            self._core.send("terminate")
        self._server.close(at_once)

    @property
    def closed(self) -> bool:
        """Whether the session has been closed, or its server has ended by itself."""
        return self._server is not None and (self._server.is_closed or self._core.has_ended)

    @property
    def server(self) -> Server:
        """The process of the server."""
        if self._server is None:
            raise DebuggerError("the session has not been opened: use it in a 'with' statement")
        return self._server

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

    def __del__(self) -> None:
        if self._server is not None and not self._server.is_closed:
            warnings.warn(f"unclosed session {self!r}", ResourceWarning, stacklevel=2, source=self)
            self._server.abandon()

    # How a plan is carried out

    def _carry_out(self, plan: Plan[T]) -> T:
        try:
            wanted = next(plan)
            while True:
                try:
                    found = self._get(wanted)
                except BaseException as error:
                    wanted = plan.throw(error)
                else:
                    wanted = plan.send(found)
        except StopIteration as done:
            result: T = done.value
            return result

    def _get(self, wanted: Any) -> Any:
        if isinstance(wanted, InputWanted):
            assert self._answerer is not None
            return self._answerer()
        return self._wait(wanted)

    def _wait(self, wanted: Wait) -> Any:
        server, me = self.server, threading.get_ident()
        while True:
            with self._news:
                found = wanted.ready()
                if found is not None:
                    return found
                left = wanted.seconds_left()
                if self._core.has_ended:
                    break
                if left is not None and left <= 0:
                    raise TimeLimitError(f"the debug server has not {wanted.what} in time")
                if self._reader not in (None, me):
                    self._news.wait(_SLICE if left is None else min(left, _SLICE))
                    continue
                # `on_event` may have been called by the reader, and call back.
                before, self._reader = self._reader, me
            try:
                self._read(server, left)
            finally:
                with self._news:
                    self._reader = before
                    self._news.notify_all()
        server.wait()
        raise ServerGone(server.status, server.stderr())

    def _read(self, server: Server, seconds: Optional[float]) -> None:
        data = server.read(seconds)
        if data is not None:
            with self._news:
                self._untold.extend(self._core.receive(data))
                self._news.notify_all()
        while self._untold:
            event = self._untold.popleft()
            if self._on_event is not None:
                self._on_event(event)

    # Any command

    def ask(self, kind: Type[E], command: str, *, timeout: Timeout = DEFAULT, **params: Any) -> E:
        """As `request`, for an answer of a class."""
        return self._carry_out(self._core.ask(kind, command, timeout=timeout, **params))

    request = _blocking(SessionCommands.request)
    wait_for = _blocking(SessionCommands.wait_for)
    run = _blocking(SessionCommands.run)

    # Forward

    start = _blocking(SessionCommands.start)
    continue_ = _blocking(SessionCommands.continue_)
    step_into = _blocking(SessionCommands.step_into)
    step_over = _blocking(SessionCommands.step_over)
    step_out = _blocking(SessionCommands.step_out)
    run_to = _blocking(SessionCommands.run_to)
    restart = _blocking(SessionCommands.restart)
    wait = _blocking(SessionCommands.wait)
    pause = _blocking(SessionCommands.pause)
    kill = _blocking(SessionCommands.kill)
    send_input = _blocking(SessionCommands.send_input)
    end_input = _blocking(SessionCommands.end_input)

    def steps(self, timeout: Timeout = DEFAULT) -> Iterator[Stop]:
        """Starts the program if need be, and gives each stop of steps into functions; not the end."""
        stop = self.stop or self.start(timeout)
        while stop:
            yield stop
            stop = self.step_into(timeout=timeout)

    # Back, with a history

    back = _blocking(SessionCommands.back)
    back_over = _blocking(SessionCommands.back_over)
    back_out = _blocking(SessionCommands.back_out)
    reverse = _blocking(SessionCommands.reverse)
    restart_frame = _blocking(SessionCommands.restart_frame)
    go_to_step = _blocking(SessionCommands.go_to_step)
    go_to_present = _blocking(SessionCommands.go_to_present)
    last_change = _blocking(SessionCommands.last_change)
    output_step = _blocking(SessionCommands.output_step)
    unfold = _blocking(SessionCommands.unfold)
    _changes_before = _blocking(SessionCommands.changes_before)

    def changes(self, expression: str, frame: int = 0, before: Optional[int] = None) -> Iterator[Change]:
        """What was written to a variable, an element, an entry or a field, the latest first; with `before`, only
        before that step. More is asked for as it is needed: valid until the program resumes."""
        while True:
            page = self._changes_before(expression, frame, before)
            yield from page.changes
            if page.next is None:
                return
            before = page.next

    # Breakpoints

    break_at = _blocking(SessionCommands.break_at)
    set_breakpoints = _blocking(SessionCommands.set_breakpoints)
    break_in = _blocking(SessionCommands.break_in)
    break_on_write = _blocking(SessionCommands.break_on_write)
    break_on_errors = _blocking(SessionCommands.break_on_errors)
    breakpoints = _blocking(SessionCommands.breakpoints)
    breakpoint_locations = _blocking(SessionCommands.breakpoint_locations)
    enable = _blocking(SessionCommands.enable)
    disable = _blocking(SessionCommands.disable)
    remove = _blocking(SessionCommands.remove)
    set_condition = _blocking(SessionCommands.set_condition)

    # Looking and changing

    variables = _blocking(SessionCommands.variables)
    frames = _blocking(SessionCommands.frames)
    fetch = _blocking(SessionCommands.fetch)
    evaluate = _blocking(SessionCommands.evaluate)
    set_variable = _blocking(SessionCommands.set_variable)
    watch = _blocking(SessionCommands.watch)
    watches = _blocking(SessionCommands.watches)
    unwatch = _blocking(SessionCommands.unwatch)
    step_targets = _blocking(SessionCommands.step_targets)
    completions = _blocking(SessionCommands.completions)
    state = _blocking(SessionCommands.state)
    processes = _blocking(SessionCommands.processes)
    release_child = _blocking(SessionCommands.release_child)
    modules = _blocking(SessionCommands.modules)
    source_of = _blocking(SessionCommands.source_of)


S = TypeVar("S", bound=Session)
