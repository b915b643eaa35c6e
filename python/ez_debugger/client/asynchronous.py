"""A session for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import time
import warnings
from asyncio.subprocess import PIPE, Process
from collections import deque
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Deque,
    List,
    NoReturn,
    Optional,
    Type,
    TypeVar,
)

from ..protocol import Change, Event
from .base import BaseSession
from .commands import SessionCommands
from .errors import DebuggerError, ServerGone, TimeLimitError
from .plan import DEFAULT, InputWanted, Plan, Timeout, Wait, like
from .server import ERROR_PIECES, GRACE, NO_WINDOW, PIECE
from .values import Stop

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")
E = TypeVar("E", bound=Event)


def _awaited(
    plan: "Callable[Concatenate[SessionCommands, P], Plan[T]]",
) -> "Callable[Concatenate[AsyncSession, P], Coroutine[Any, Any, T]]":
    """The coroutine that carries out a plan."""

    @like(plan, "{}")
    async def call(self: AsyncSession, /, *args: Any, **options: Any) -> Any:
        return await self._carry_out(plan(self._core, *args, **options))

    return call


class _Server:
    """The process of the server, with tasks that read its pipes. They do not keep a session alive."""

    def __init__(self, process: Process, core: SessionCommands, on_event: Optional[Callable[[Event], None]]) -> None:
        self.process = process
        self.is_closed = False
        self._core = core
        self._on_event = on_event
        self._waiting: List["asyncio.Future[None]"] = []
        self._errors: Deque[bytes] = deque(maxlen=ERROR_PIECES)
        self._tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._read_errors())]

    def write(self, data: bytes) -> None:
        """Passes bytes on; what cannot be written any more is dropped."""
        stream = self.process.stdin
        if stream is not None and not (self.is_closed or self._core.has_ended or stream.is_closing()):
            stream.write(data)

    async def news(self, seconds: Optional[float]) -> None:
        """Waits until something has come, at most for so many seconds."""
        news: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
        self._waiting.append(news)
        try:
            await asyncio.wait([news], timeout=seconds)
        finally:
            if news in self._waiting:
                self._waiting.remove(news)

    def stderr(self) -> str:
        """The end of what the process wrote to standard error."""
        return b"".join(self._errors).decode("utf-8", "replace")

    async def close(self, at_once: bool) -> None:
        """Ends the process, if it does not end by itself now that its input does."""
        self.is_closed = True
        ended = asyncio.ensure_future(self.process.wait())
        try:
            if not at_once:
                assert self.process.stdin is not None
                self.process.stdin.close()
                await asyncio.wait([ended], timeout=GRACE)
        finally:
            self.kill()
            # They read to the end, with which the pipes are closed.
            await asyncio.wait([*self._tasks, ended], timeout=GRACE)

    def kill(self) -> None:
        """Ends the process at once."""
        self.is_closed = True
        try:
            self.process.kill()
        except ProcessLookupError:
            pass

    async def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        data = b"begin"
        while data:
            data = await stream.read(PIECE)
            events = [] if self.is_closed and data else self._core.receive(data)
            waiting, self._waiting = self._waiting, []
            for news in waiting:
                if not news.done():
                    news.set_result(None)
            for event in events:
                self._tell(event)

    def _tell(self, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception as error:
            # As with all that the event loop calls.
            asyncio.get_running_loop().call_exception_handler({"message": "on_event failed", "exception": error})

    async def _read_errors(self) -> None:
        stream = self.process.stderr
        assert stream is not None
        while True:
            data = await stream.read(4096)
            if not data:
                return
            self._errors.append(data)


class AsyncSession(BaseSession):
    """A program under the debugger; to be used in an `async with` statement.

    It has the methods of `Session`, to be awaited, in the thread of one event loop. Values fetch nothing by
    themselves: `await session.variables()`, `frames()`, and `fetch(value)` for the parts of a value. `input` may be a
    coroutine function. A call that is cancelled ends an evaluation; a program goes on running until it is paused or
    killed, or the block is left, after which server and program are gone.
    """

    _server: Optional[_Server] = None

    async def open(self) -> None:
        """Starts the server and loads the program."""
        if self._server is not None:
            raise DebuggerError("the session has been opened already")
        command = self._command()
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=PIECE, creationflags=NO_WINDOW)
        except (OSError, ValueError) as error:
            raise DebuggerError(f"cannot start {command[0]}: {error}") from error
        self._server = _Server(process, self._core, self._on_event)
        self._core.write = self._server.write
        self._core.carry_out = _fetches_nothing
        self.initialized = await self._carry_out(self._core.initialize(self._input, self._parameters))

    async def close(self, at_once: bool = False) -> None:
        """Ends the program and the server. Whoever waits in another task gets a `ServerGone`."""
        if self._server is None:
            return
        if not (at_once or self._server.is_closed):
            self._core.send("terminate")
        await self._server.close(at_once)

    @property
    def closed(self) -> bool:
        """Whether the session has been closed, or its server has ended by itself."""
        return self._server is not None and (self._server.is_closed or self._core.has_ended)

    @property
    def process(self) -> Process:
        """The process of the server."""
        return self._opened().process

    def _opened(self) -> _Server:
        if self._server is None:
            raise DebuggerError("the session has not been opened: use it in an 'async with' statement")
        return self._server

    async def __aenter__(self: S) -> S:
        try:
            await self.open()
        except BaseException:
            await self.close(at_once=True)
            raise
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close(at_once=kind is not None)

    def __del__(self) -> None:
        if self._server is not None and not self._server.is_closed:
            warnings.warn(f"unclosed session {self!r}", ResourceWarning, stacklevel=2, source=self)
            self._server.kill()

    # How a plan is carried out

    async def _carry_out(self, plan: Plan[T]) -> T:
        try:
            wanted = next(plan)
            while True:
                try:
                    found = await self._get(wanted)
                except BaseException as error:
                    wanted = plan.throw(error)
                else:
                    wanted = plan.send(found)
        except StopIteration as done:
            result: T = done.value
            return result

    async def _get(self, wanted: Any) -> Any:
        if isinstance(wanted, InputWanted):
            assert self._answerer is not None
            line = self._answerer()
            return await _in_time(line, wanted.deadline) if inspect.isawaitable(line) else line
        return await self._wait(wanted)

    async def _wait(self, wanted: Wait) -> Any:
        server = self._opened()
        while True:
            found = wanted.ready()
            if found is not None:
                return found
            left = wanted.seconds_left()
            if self._core.has_ended:
                break
            if left is not None and left <= 0:
                raise TimeLimitError(f"the debug server has not {wanted.what} in time")
            await server.news(left)
        raise ServerGone(await server.process.wait(), server.stderr())

    # Any command

    async def ask(self, kind: Type[E], command: str, *, timeout: Timeout = DEFAULT, **params: Any) -> E:
        """As `request`, for an answer of a class."""
        return await self._carry_out(self._core.ask(kind, command, timeout=timeout, **params))

    request = _awaited(SessionCommands.request)
    wait_for = _awaited(SessionCommands.wait_for)
    run = _awaited(SessionCommands.run)

    # Forward

    start = _awaited(SessionCommands.start)
    continue_ = _awaited(SessionCommands.continue_)
    step_into = _awaited(SessionCommands.step_into)
    step_over = _awaited(SessionCommands.step_over)
    step_out = _awaited(SessionCommands.step_out)
    run_to = _awaited(SessionCommands.run_to)
    restart = _awaited(SessionCommands.restart)
    wait = _awaited(SessionCommands.wait)
    pause = _awaited(SessionCommands.pause)
    kill = _awaited(SessionCommands.kill)
    send_input = _awaited(SessionCommands.send_input)
    end_input = _awaited(SessionCommands.end_input)

    # Back, with a history

    back = _awaited(SessionCommands.back)
    back_over = _awaited(SessionCommands.back_over)
    back_out = _awaited(SessionCommands.back_out)
    reverse = _awaited(SessionCommands.reverse)
    restart_frame = _awaited(SessionCommands.restart_frame)
    go_to_step = _awaited(SessionCommands.go_to_step)
    go_to_present = _awaited(SessionCommands.go_to_present)
    last_change = _awaited(SessionCommands.last_change)
    output_step = _awaited(SessionCommands.output_step)
    unfold = _awaited(SessionCommands.unfold)
    _changes_before = _awaited(SessionCommands.changes_before)

    # Breakpoints

    break_at = _awaited(SessionCommands.break_at)
    set_breakpoints = _awaited(SessionCommands.set_breakpoints)
    break_in = _awaited(SessionCommands.break_in)
    break_on_write = _awaited(SessionCommands.break_on_write)
    break_on_errors = _awaited(SessionCommands.break_on_errors)
    breakpoints = _awaited(SessionCommands.breakpoints)
    breakpoint_locations = _awaited(SessionCommands.breakpoint_locations)
    enable = _awaited(SessionCommands.enable)
    disable = _awaited(SessionCommands.disable)
    remove = _awaited(SessionCommands.remove)
    set_condition = _awaited(SessionCommands.set_condition)

    # Looking and changing

    variables = _awaited(SessionCommands.variables)
    frames = _awaited(SessionCommands.frames)
    fetch = _awaited(SessionCommands.fetch)
    evaluate = _awaited(SessionCommands.evaluate)
    set_variable = _awaited(SessionCommands.set_variable)
    watch = _awaited(SessionCommands.watch)
    watches = _awaited(SessionCommands.watches)
    unwatch = _awaited(SessionCommands.unwatch)
    step_targets = _awaited(SessionCommands.step_targets)
    completions = _awaited(SessionCommands.completions)
    state = _awaited(SessionCommands.state)
    processes = _awaited(SessionCommands.processes)
    release_child = _awaited(SessionCommands.release_child)
    modules = _awaited(SessionCommands.modules)
    source_of = _awaited(SessionCommands.source_of)

    async def steps(self, timeout: Timeout = DEFAULT) -> AsyncIterator[Stop]:
        """Starts the program if need be, and gives each stop of steps into functions; not the end."""
        stop = self.stop or await self.start(timeout)
        while stop:
            yield stop
            stop = await self.step_into(timeout=timeout)

    async def changes(self, expression: str, frame: int = 0, before: Optional[int] = None) -> AsyncIterator[Change]:
        """What was written to a variable, an element, an entry or a field, the latest first; with `before`, only
        before that step. More is asked for as it is needed: valid until the program resumes."""
        while True:
            page = await self._changes_before(expression, frame, before)
            for change in page.changes:
                yield change
            if page.next is None:
                return
            before = page.next


async def _in_time(line: Awaitable[Any], deadline: Optional[float]) -> Any:
    """What the function `input` gives; it is cancelled at the deadline."""
    task = asyncio.ensure_future(line)
    try:
        await asyncio.wait([task], timeout=None if deadline is None else max(0.0, deadline - time.monotonic()))
        if not task.done():
            raise TimeLimitError("the function 'input' has not given a line in time")
        return task.result()
    finally:
        task.cancel()


def _fetches_nothing(plan: Plan[Any]) -> NoReturn:
    plan.close()
    raise DebuggerError("it has not been fetched: await variables(), frames() or fetch() of the AsyncSession")


S = TypeVar("S", bound=AsyncSession)
