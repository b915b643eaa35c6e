"""The events of SPEC.md, and three that a `Connection` makes itself: `Unknown`, `Malformed` and `Ended`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional, Tuple, Type

from .commands import Command
from .values import (
    Breakpoint,
    Change,
    Completion,
    Condition,
    Diagnostic,
    ExceptionFilter,
    Frame,
    Location,
    Module,
    Process,
    Record,
    ReturnValue,
    RewrittenLine,
    StateFields,
    StepTarget,
    Thread,
    UnfoldedPart,
    Variable,
    Watch,
)


@dataclass(frozen=True)
class Event(Record):
    """What a server tells.

    Answers in several parts are one event. `started` and `restarted` do not complete their command: the stop or
    the end that follows them does.
    """

    #: The name in SPEC.md.
    event: str = ""
    #: The command of this connection that the event answers.
    answers: Optional[Command] = None
    #: Whether the command has no other answer after this one.
    completes: bool = False


@dataclass(frozen=True)
class Unknown(Event):
    """An event of a newer server: its data is in `extra`."""


@dataclass(frozen=True)
class Malformed(Event):
    """Bytes that are no event, or only the beginning of one. What follows them is not affected."""

    line: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class Ended(Event):
    """The server's output has ended. `unanswered` are the commands that got no answer."""

    unanswered: Tuple[Command, ...] = ()


@dataclass(frozen=True)
class Initialized(Event):
    """The program is loaded."""

    file: str = ""
    warnings: Tuple[Diagnostic, ...] = ()
    protocol_version: int = 1
    capabilities: Mapping[str, bool] = field(default_factory=dict, hash=False)
    version: Optional[str] = None


@dataclass(frozen=True)
class Warnings(Event):
    """More warnings, after `initialized`."""

    warnings: Tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Started(Event):
    """The program has begun."""


@dataclass(frozen=True)
class Restarted(Event):
    """The program has begun anew."""

    file: str = ""
    warnings: Tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Stopped(Event):
    """The program stands before the statement at `location`."""

    reason: str = ""
    location: Location = Location()
    breakpoint_id: Optional[int] = None
    text: Optional[str] = None
    description: str = ""
    thread_id: int = 1
    frame_count: int = 0
    step: int = 0
    #: The step of the present. This and the next two only with a history.
    present: Optional[int] = None
    past: bool = False
    output_length: Optional[int] = None
    hits: Optional[int] = None
    return_value: Optional[ReturnValue] = None
    old_value: Optional[str] = None
    new_value: Optional[str] = None
    written_at: Optional[Location] = None
    code: Optional[str] = None
    help: Optional[str] = None
    stack: Tuple[Frame, ...] = ()
    breakpoint_ids: Tuple[int, ...] = ()


@dataclass(frozen=True)
class VariableUpdate(Variable, Event):
    """A variable that is new or has changed since the last stop."""

    frame_index: int = 0


@dataclass(frozen=True)
class Output(Event):
    """What the program has written (`stdout`, `stderr`), or what the debugger says (`console`)."""

    category: str = ""
    text: str = ""


@dataclass(frozen=True)
class InputRequested(Event):
    """The program waits for input. `location` is the call that reads it."""

    location: Optional[Location] = None


@dataclass(frozen=True)
class InputTaken(Event):
    """Answers `input`."""


@dataclass(frozen=True)
class Paused(Event):
    """Answers a `pause` that no stop answers."""


@dataclass(frozen=True)
class Error(Diagnostic, Event):
    """A command has failed (its name is in `command`), or the program has an error."""


@dataclass(frozen=True)
class Exited(Event):
    """The program has ended."""

    exit_code: int = 0


@dataclass(frozen=True)
class Terminated(Event):
    """The server ends; nothing follows."""


@dataclass(frozen=True)
class Killed(Event):
    """Answers `kill`; `exited` follows."""


@dataclass(frozen=True)
class Progress(Event):
    """How far long work has come."""

    title: str = ""
    percentage: int = 0
    done: bool = False


@dataclass(frozen=True)
class State(StateFields, Event):
    """What the session is at."""


@dataclass(frozen=True)
class Attached(StateFields, Event):
    """What the session was at when this client came."""

    dropped_output: Optional[int] = None
    protocol_version: int = 1
    capabilities: Mapping[str, bool] = field(default_factory=dict, hash=False)
    version: Optional[str] = None


@dataclass(frozen=True)
class Disconnected(Event):
    """The last event of a connection; the session stays."""


@dataclass(frozen=True)
class Listening(Event):
    """Where a server with `--listen` is reached."""

    host: str = ""
    port: int = 0
    token: str = ""


@dataclass(frozen=True)
class Threads(Event):
    """The thread of the program."""

    threads: Tuple[Thread, ...] = ()


@dataclass(frozen=True)
class Modules(Event):
    """The modules of the program."""

    modules: Tuple[Module, ...] = ()


@dataclass(frozen=True)
class Source(Event):
    """The text of a file as the program was loaded from it."""

    file: str = ""
    text: str = ""


@dataclass(frozen=True)
class Variables(Event):
    """The variables of a frame."""

    frame_index: int = 0
    variables: Tuple[Variable, ...] = ()
    truncated: bool = False


@dataclass(frozen=True)
class Children(Event):
    """Parts of a value, from `start` on; `total` is how many there are."""

    reference: int = 0
    start: int = 0
    total: int = 0
    children: Tuple[Variable, ...] = ()
    truncated: bool = False


@dataclass(frozen=True)
class VariableSet(Variable, Event):
    """A variable with its new value."""


@dataclass(frozen=True)
class StackTrace(Event):
    """The calls in progress, innermost first."""

    frames: Tuple[Frame, ...] = ()
    total: int = 0


@dataclass(frozen=True)
class StepTargets(Event):
    """The calls in the statement."""

    targets: Tuple[StepTarget, ...] = ()


@dataclass(frozen=True)
class EvaluateResult(Event):
    """The value of an expression."""

    expression: str = ""
    result: str = ""
    type: str = ""
    declared_type: Optional[str] = None
    reference: int = 0
    children: int = 0
    object_id: Optional[int] = None
    truncated: bool = False


@dataclass(frozen=True)
class Completions(Event):
    """What may stand at a place of a text."""

    targets: Tuple[Completion, ...] = ()


@dataclass(frozen=True)
class BreakpointSet(Breakpoint, Event):
    """Answers `setBreakpoint`."""


@dataclass(frozen=True)
class BreakpointCleared(Event):
    """Answers `clearBreakpoint`."""

    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Breakpoints(Event):
    """The breakpoints of a file, or all at lines."""

    file: Optional[str] = None
    breakpoints: Tuple[Breakpoint, ...] = ()


@dataclass(frozen=True)
class BreakpointChanged(Event):
    """A breakpoint has become something else: `reason` is `changed` or `removed`."""

    reason: str = ""
    breakpoint: Breakpoint = Breakpoint()


@dataclass(frozen=True)
class BreakpointLocations(Event):
    """Where breakpoints may be; the locations have no `file`."""

    file: str = ""
    locations: Tuple[Location, ...] = ()


@dataclass(frozen=True)
class FunctionBreakpoints(Event):
    """All breakpoints at functions."""

    breakpoints: Tuple[Breakpoint, ...] = ()


@dataclass(frozen=True)
class DataBreakpoints(Event):
    """All breakpoints on writes."""

    breakpoints: Tuple[Breakpoint, ...] = ()


@dataclass(frozen=True)
class ExceptionBreakpoints(Event):
    """Which errors stop the program."""

    filters: Tuple[ExceptionFilter, ...] = ()


@dataclass(frozen=True)
class WatchAdded(Event):
    """Answers `addWatch`."""

    id: int = 0
    expression: str = ""


@dataclass(frozen=True)
class WatchRemoved(Event):
    """Answers `removeWatch`."""

    id: int = 0


@dataclass(frozen=True)
class WatchUpdate(Watch, Event):
    """A watch that shows something else than before."""


@dataclass(frozen=True)
class Watches(Event):
    """All watches."""

    watches: Tuple[Watch, ...] = ()


@dataclass(frozen=True)
class LastChange(Event):
    """Where a variable or a part got the value that it has."""

    expression: str = ""
    #: `written`, `client`, `declared`, `passed` or `created`.
    cause: str = ""
    description: str = ""
    step: int = 0
    location: Location = Location()
    old_value: Optional[str] = None
    value: Optional[str] = None
    type: Optional[str] = None
    declared_type: Optional[str] = None
    reference: int = 0
    children: int = 0
    object_id: Optional[int] = None
    truncated: bool = False


@dataclass(frozen=True)
class Changes(Event):
    """What was written to a variable or a part, the latest first."""

    expression: str = ""
    changes: Tuple[Change, ...] = ()
    #: The parameter `before` for earlier ones; none if there are none.
    next: Optional[int] = None


@dataclass(frozen=True)
class OutputStep(Event):
    """What has printed a byte of the output."""

    offset: int = 0
    step: int = 0
    location: Location = Location()
    #: Whether an evaluation by the client has printed it.
    client: bool = False


@dataclass(frozen=True)
class Unfolded(Event):
    """What the expressions of a statement computed."""

    step: int = 0
    location: Location = Location()
    end_line: int = 0
    end_column: int = 0
    #: The kind of the statement.
    statement: str = ""
    #: The heads that decided that it is executed.
    conditions: Tuple[Condition, ...] = ()
    prefix: str = ""
    lines: Tuple[RewrittenLine, ...] = ()
    parts: Tuple[UnfoldedPart, ...] = ()
    incomplete: Optional[str] = None
    truncated: bool = False


@dataclass(frozen=True)
class ChildStarted(Process, Event):
    """A child process has started, or, after `attached`, has not ended."""


@dataclass(frozen=True)
class ChildEnded(Event):
    """A child process has ended; without `exit_code` it was killed."""

    pid: int = 0
    exit_code: Optional[int] = None


@dataclass(frozen=True)
class ChildReleased(Event):
    """Answers `releaseChild`: the process waits no longer."""

    pid: int = 0


@dataclass(frozen=True)
class Processes(Event):
    """The child processes that have not ended."""

    processes: Tuple[Process, ...] = ()


#: The class of each event, under its name in SPEC.md.
EVENTS: Dict[str, Type[Event]] = {
    kind.__name__[0].lower() + kind.__name__[1:]: kind
    for kind in (
        Initialized, Warnings, Started, Restarted, Stopped, VariableUpdate, Output, InputRequested, InputTaken, Paused,
        Error, Exited, Terminated, Killed, Progress, State, Attached, Disconnected, Listening, Threads, Modules, Source,
        Variables, Children, VariableSet, StackTrace, StepTargets, EvaluateResult, Completions, BreakpointSet,
        BreakpointCleared, Breakpoints, BreakpointChanged, BreakpointLocations, FunctionBreakpoints, DataBreakpoints,
        ExceptionBreakpoints, WatchAdded, WatchRemoved, WatchUpdate, Watches, LastChange, Changes,
        OutputStep, Unfolded, ChildStarted, ChildEnded, ChildReleased, Processes,
    )
}
