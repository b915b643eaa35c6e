"""The events of SPEC.md, each a class."""

# Made from the description of the protocol by make_protocol.py.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional, Tuple, Type

from .base import Event
from .values import (
    Breakpoint, ByClient, Change, Completion, Condition, Diagnostic, Difference, ExceptionFilter, Frame, Guest,
    Location, Module, OutputState, PartArgument, Process, ReturnValue, RewrittenLine, StateFields, StepTarget, Thread,
    Tokens, UnfoldedPart, Variable, Watch,
)

__all__ = [
    "EVENTS", "Attached", "BreakpointChanged", "BreakpointCleared", "BreakpointLocations", "BreakpointSet",
    "Breakpoints", "Changes", "ChildEnded", "ChildReleased", "ChildStarted", "Children", "Completions", "Continued",
    "DataBreakpoints", "Disconnected", "Dismissed", "Error", "EvaluateResult", "ExceptionBreakpoints", "Exited",
    "FunctionBreakpoints", "GuestJoined", "GuestLeft", "Guests", "Initialized", "InputRequested", "InputTaken",
    "Killed", "LastChange", "Listening", "Modules", "Output", "OutputExpected", "OutputStep", "Paused", "Processes",
    "Progress", "Restarted", "Shared", "Source", "StackTrace", "Started", "State", "StepTargets", "Stopped",
    "Terminated", "Threads", "Unfolded", "Unshared", "ValuesChanged", "VariableSet", "VariableUpdate", "Variables",
    "Warnings", "WatchAdded", "WatchRemoved", "WatchUpdate", "Watches",
]


@dataclass(frozen=True)
class Started(Event):
    """The program has begun."""


@dataclass(frozen=True)
class Stopped(Event):
    """The program is stopped."""

    #: Why the program stopped. One of `entry`, `step`, `breakpoint`, `pause`, `function breakpoint`, `data breakpoint`,
    #: `exception`, `runTo`, `restart`, `present`, `end`, `output`.
    reason: str = ""
    #: The place before which it is stopped.
    location: Location = Location()
    #: The breakpoint; of several, the lowest id.
    breakpoint_id: Optional[int] = None
    #: What there is more to say, such as why a condition failed.
    text: Optional[str] = None
    #: The reason as a sentence.
    description: str = ""
    #: The thread: 1.
    thread_id: int = 1
    #: How many calls are in progress.
    frame_count: int = 0
    #: How many places the program has come to, this one included: statements, and loop headers before each round.
    step: int = 0
    #: The step of the present.
    present: Optional[int] = None
    #: Whether the stop is before the present.
    past: bool = False
    #: How many bytes the program had written by then.
    output_length: Optional[int] = None
    #: In a shared session, the client that has resumed or paused the program.
    by: Optional[str] = None
    #: The hits of the breakpoint.
    hits: Optional[int] = None
    #: The result of the function that has just returned.
    return_value: Optional[ReturnValue] = None
    #: The value before the write, at a data breakpoint.
    old_value: Optional[str] = None
    #: The value after the write, at a data breakpoint.
    new_value: Optional[str] = None
    #: The statement that has written, at a data breakpoint.
    written_at: Optional[Location] = None
    #: The code of the error, at an exception.
    code: Optional[str] = None
    #: What might be meant, at an exception.
    help: Optional[str] = None
    #: The calls in progress, at an exception.
    stack: Tuple[Frame, ...] = ()
    #: All breakpoints that were hit here.
    breakpoint_ids: Tuple[int, ...] = ()
    #: The first difference between the output and what is expected, where the program is stopped for it.
    difference: Optional[Difference] = None


@dataclass(frozen=True)
class VariableUpdate(Variable, Event):
    """A variable that is new or has changed."""

    #: The frame: 0.
    frame_index: int = 0


@dataclass(frozen=True)
class Output(Event):
    """What the program, or the debugger, has written."""

    #: Where it is written; `console` is what the debugger says. One of `stdout`, `stderr`, `console`.
    category: str = ""
    #: The text, with its line end if it is finished.
    text: str = ""
    #: Whether something has written it that a client has evaluated, and not the program itself.
    client: bool = False


@dataclass(frozen=True)
class InputRequested(Event):
    """The program waits for input."""

    #: The call that reads the line.
    location: Optional[Location] = None
    #: The step of its statement.
    step: Optional[int] = None


@dataclass(frozen=True)
class InputTaken(Event):
    """Answers an `input` with an `id`."""


@dataclass(frozen=True)
class Paused(Event):
    """Answers a `pause` that no stop answers."""


@dataclass(frozen=True)
class Error(Diagnostic, Event):
    """A command has failed, or the program has an error."""


@dataclass(frozen=True)
class Exited(Event):
    """The program has ended."""

    #: The program's exit code.
    exit_code: int = 0
    #: How far the output was as it is expected.
    output: Optional[OutputState] = None


@dataclass(frozen=True)
class Terminated(Event):
    """The session ends; nothing follows."""


@dataclass(frozen=True)
class Killed(Event):
    """Answers `kill`."""


@dataclass(frozen=True)
class Disconnected(Event):
    """The last event of a connection; the session stays."""


@dataclass(frozen=True)
class Progress(Event):
    """How far a long command has come."""

    #: What is done, in words.
    title: str = ""
    #: How much is done, from 0 to 100.
    percentage: int = 0
    #: Whether it is over.
    done: bool = False


@dataclass(frozen=True)
class BreakpointChanged(Event):
    """A breakpoint has changed, or is removed."""

    #: What has happened to it. One of `new`, `changed`, `removed`.
    reason: str = ""
    #: The breakpoint.
    breakpoint: Breakpoint = Breakpoint()
    #: The client that has changed it, if another one has.
    by: Optional[str] = None


@dataclass(frozen=True)
class WatchUpdate(Watch, Event):
    """A watch whose value has changed."""


@dataclass(frozen=True)
class ChildStarted(Process, Event):
    """A child process has started."""


@dataclass(frozen=True)
class ChildEnded(Event):
    """A child process has ended."""

    #: The process id.
    pid: int = 0
    #: Its exit code; missing if it was killed.
    exit_code: Optional[int] = None


@dataclass(frozen=True)
class GuestJoined(Guest, Event):
    """A guest has joined the session."""


@dataclass(frozen=True)
class GuestLeft(Guest, Event):
    """A guest has left the session."""


@dataclass(frozen=True)
class Continued(Event):
    """Another client has resumed or started the program."""

    #: The name of that client.
    by: str = ""
    #: Whether it has started the program again, whose text was read again.
    restarted: bool = False


@dataclass(frozen=True)
class ValuesChanged(ByClient, Event):
    """Another client has evaluated or assigned something."""


@dataclass(frozen=True)
class Dismissed(Event):
    """The guest is sent away; nothing follows."""

    #: Why.
    message: str = ""


@dataclass(frozen=True)
class Initialized(Event):
    """The program is loaded."""

    #: The program's file as the client named it.
    file: str = ""
    #: Warnings about the program; more can follow in `warnings`.
    warnings: Tuple[Diagnostic, ...] = ()
    #: The version in use, for a client that asked for one.
    protocol_version: int = 1
    #: What the server can do, for a client that asked for a version.
    capabilities: Mapping[str, bool] = field(default_factory=dict, hash=False)
    #: The version of the server, as `ez --version` prints it in brackets.
    version: Optional[str] = None


@dataclass(frozen=True)
class Restarted(Event):
    """The program has begun anew."""

    #: The program's file as the client named it.
    file: str = ""
    #: Warnings about the program; more can follow in `warnings`.
    warnings: Tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Warnings(Event):
    """More warnings, after `initialized` or `restarted`."""

    #: More warnings.
    warnings: Tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class OutputExpected(Event):
    """Answers `setExpectedOutput`."""


@dataclass(frozen=True)
class State(StateFields, Event):
    """All that a client needs to show the session."""


@dataclass(frozen=True)
class Attached(StateFields, Event):
    """The session that the client has taken over."""

    #: Bytes of output that were discarded while no client was connected.
    dropped_output: Optional[int] = None
    #: The version in use, for a client that asked for one.
    protocol_version: int = 1
    #: What the server can do, for a client that asked for a version.
    capabilities: Mapping[str, bool] = field(default_factory=dict, hash=False)
    #: The version of the server, as `ez --version` prints it in brackets.
    version: Optional[str] = None
    #: What this client is, if it is a guest.
    guest: Optional[Guest] = None


@dataclass(frozen=True)
class Threads(Event):
    """The thread of the program."""

    #: The thread of the program.
    threads: Tuple[Thread, ...] = ()


@dataclass(frozen=True)
class Modules(Event):
    """The modules of the program."""

    #: The modules.
    modules: Tuple[Module, ...] = ()


@dataclass(frozen=True)
class Source(Event):
    """The text of a file as it was loaded."""

    #: The file.
    file: str = ""
    #: Its text.
    text: str = ""


@dataclass(frozen=True)
class BreakpointSet(Breakpoint, Event):
    """Answers `setBreakpoint`."""


@dataclass(frozen=True)
class BreakpointCleared(Event):
    """Answers `clearBreakpoint`."""

    #: The file as it was requested.
    file: str = ""
    #: The line as it was requested.
    line: int = 0


@dataclass(frozen=True)
class Breakpoints(Event):
    """The breakpoints of a file, or all at lines."""

    #: The file as it was requested.
    file: Optional[str] = None
    #: The breakpoints, in the order of the request.
    breakpoints: Tuple[Breakpoint, ...] = ()


@dataclass(frozen=True)
class FunctionBreakpoints(Event):
    """All breakpoints at functions."""

    #: The breakpoints, in the order of the request.
    breakpoints: Tuple[Breakpoint, ...] = ()


@dataclass(frozen=True)
class DataBreakpoints(Event):
    """All breakpoints at writes."""

    #: The breakpoints, in the order of the request.
    breakpoints: Tuple[Breakpoint, ...] = ()


@dataclass(frozen=True)
class BreakpointLocations(Event):
    """Where breakpoints can be set."""

    #: The file as it was requested.
    file: str = ""
    #: Where breakpoints can be set.
    locations: Tuple[Location, ...] = ()


@dataclass(frozen=True)
class ExceptionBreakpoints(Event):
    """The errors at which the program stops."""

    #: The filters that stop the program.
    filters: Tuple[ExceptionFilter, ...] = ()


@dataclass(frozen=True)
class WatchAdded(Event):
    """Answers `addWatch`."""

    #: The watch.
    id: int = 0
    #: The expression.
    expression: str = ""


@dataclass(frozen=True)
class WatchRemoved(Event):
    """Answers `removeWatch`."""

    #: The watch.
    id: int = 0


@dataclass(frozen=True)
class Watches(Event):
    """All watches."""

    #: The watches.
    watches: Tuple[Watch, ...] = ()


@dataclass(frozen=True)
class Variables(Event):
    """The variables of a frame."""

    #: The frame.
    frame_index: int = 0
    #: The variables, in order of declaration.
    variables: Tuple[Variable, ...] = ()
    #: Whether variables are left out, in version 1.
    truncated: bool = False


@dataclass(frozen=True)
class Children(Event):
    """Parts of a value."""

    #: The value.
    reference: int = 0
    #: The first part.
    start: int = 0
    #: How many parts the value has.
    total: int = 0
    #: The parts.
    children: Tuple[Variable, ...] = ()
    #: Whether requested parts are left out.
    truncated: bool = False


@dataclass(frozen=True)
class VariableSet(Variable, Event):
    """The variable with its new value."""


@dataclass(frozen=True)
class StackTrace(Event):
    """The calls in progress."""

    #: The frames, innermost first.
    frames: Tuple[Frame, ...] = ()
    #: How many frames there are.
    total: int = 0


@dataclass(frozen=True)
class StepTargets(Event):
    """The calls in the statement."""

    #: The calls, in the order in which they run.
    targets: Tuple[StepTarget, ...] = ()


@dataclass(frozen=True)
class EvaluateResult(Event):
    """The value of an expression."""

    #: The expression.
    expression: str = ""
    #: The value, as it is shown.
    result: str = ""
    #: The type of the value; `void` if there is none.
    type: str = ""
    #: The type with which it was declared.
    declared_type: Optional[str] = None
    #: With it, the parts can be asked for; missing if there are none.
    reference: int = 0
    #: How many parts there are.
    children: int = 0
    #: The number of the array, map or struct.
    object_id: Optional[int] = None
    #: Whether the value is cut.
    truncated: bool = False


@dataclass(frozen=True)
class Completions(Event):
    """How a text can go on."""

    #: What can follow.
    targets: Tuple[Completion, ...] = ()


@dataclass(frozen=True)
class Unfolded(Event):
    """What the expressions of a statement computed."""

    #: The step of the statement.
    step: int = 0
    #: The statement.
    location: Location = Location()
    #: The line in which it ends.
    end_line: int = 0
    #: The column in which it ends.
    end_column: int = 0
    #: The kind of the statement. One of `declaration`, `assignment`, `update`, `expression`, `return`, `if`, `when`,
    #: `for`, `for_each`, `as_long_as`, `other`.
    statement: str = ""
    #: The heads that decided that it is executed.
    conditions: Tuple[Condition, ...] = ()
    #: The text of the statement before the expression.
    prefix: str = ""
    #: The expression, rewritten step by step.
    lines: Tuple[RewrittenLine, ...] = ()
    #: What was computed, in this order.
    parts: Tuple[UnfoldedPart, ...] = ()
    #: Why not everything was computed.
    incomplete: Optional[str] = None
    #: Whether parts are left out.
    truncated: bool = False


@dataclass(frozen=True)
class LastChange(Event):
    """Where a variable or a part got its value."""

    #: The expression.
    expression: str = ""
    #: What gave it the value. One of `written`, `client`, `declared`, `passed`, `created`.
    cause: str = ""
    #: The cause as a sentence.
    description: str = ""
    #: The step of the statement that changed it.
    step: int = 0
    #: That statement.
    location: Location = Location()
    #: The value before.
    old_value: Optional[str] = None
    #: The value now.
    value: Optional[str] = None
    #: The type of the value.
    type: Optional[str] = None
    #: The type with which it was declared.
    declared_type: Optional[str] = None
    #: With it, the parts can be asked for; missing if there are none.
    reference: int = 0
    #: How many parts there are.
    children: int = 0
    #: The number of the array, map or struct.
    object_id: Optional[int] = None
    #: Whether the value is cut.
    truncated: bool = False


@dataclass(frozen=True)
class Changes(Event):
    """The writes to a variable or a part."""

    #: The expression.
    expression: str = ""
    #: The writes, the latest first.
    changes: Tuple[Change, ...] = ()
    #: The parameter `before` for earlier ones; missing if there are none.
    next: Optional[int] = None


@dataclass(frozen=True)
class OutputStep(Event):
    """The statement that has written a byte of the output."""

    #: The number of the byte.
    offset: int = 0
    #: The step of the statement that wrote it.
    step: int = 0
    #: That statement.
    location: Location = Location()
    #: Whether that is an `ensure`, whose call was executed after this step, when the function ended.
    ensure: bool = False
    #: Whether an evaluation by the client has written it.
    client: bool = False


@dataclass(frozen=True)
class Processes(Event):
    """The child processes that have not ended."""

    #: The processes, in the order in which they announced themselves.
    processes: Tuple[Process, ...] = ()


@dataclass(frozen=True)
class ChildReleased(Event):
    """Answers `releaseChild`."""

    #: The process id.
    pid: int = 0


@dataclass(frozen=True)
class Shared(Event):
    """Where guests join the session."""

    #: The address.
    host: str = ""
    #: The port.
    port: int = 0
    #: What guests show, for each role.
    tokens: Tokens = Tokens()
    #: Why the list of the user's shared sessions does not have it, if so.
    message: Optional[str] = None


@dataclass(frozen=True)
class Unshared(Event):
    """Answers `unshare`."""


@dataclass(frozen=True)
class Guests(Event):
    """The guests of the session."""

    #: The guests, in the order in which they joined.
    guests: Tuple[Guest, ...] = ()


@dataclass(frozen=True)
class Listening(Event):
    """Where a server is reached that serves a socket."""

    #: The address.
    host: str = ""
    #: The port.
    port: int = 0
    #: The token that the first command of a connection has among its parameters.
    token: str = ""


#: The class of each event, under its name in SPEC.md.
EVENTS: Dict[str, Type[Event]] = {
    "started": Started,
    "stopped": Stopped,
    "variableUpdate": VariableUpdate,
    "output": Output,
    "inputRequested": InputRequested,
    "inputTaken": InputTaken,
    "paused": Paused,
    "error": Error,
    "exited": Exited,
    "terminated": Terminated,
    "killed": Killed,
    "disconnected": Disconnected,
    "progress": Progress,
    "breakpointChanged": BreakpointChanged,
    "watchUpdate": WatchUpdate,
    "childStarted": ChildStarted,
    "childEnded": ChildEnded,
    "guestJoined": GuestJoined,
    "guestLeft": GuestLeft,
    "continued": Continued,
    "valuesChanged": ValuesChanged,
    "dismissed": Dismissed,
    "initialized": Initialized,
    "restarted": Restarted,
    "warnings": Warnings,
    "outputExpected": OutputExpected,
    "state": State,
    "attached": Attached,
    "threads": Threads,
    "modules": Modules,
    "source": Source,
    "breakpointSet": BreakpointSet,
    "breakpointCleared": BreakpointCleared,
    "breakpoints": Breakpoints,
    "functionBreakpoints": FunctionBreakpoints,
    "dataBreakpoints": DataBreakpoints,
    "breakpointLocations": BreakpointLocations,
    "exceptionBreakpoints": ExceptionBreakpoints,
    "watchAdded": WatchAdded,
    "watchRemoved": WatchRemoved,
    "watches": Watches,
    "variables": Variables,
    "children": Children,
    "variableSet": VariableSet,
    "stackTrace": StackTrace,
    "stepTargets": StepTargets,
    "evaluateResult": EvaluateResult,
    "completions": Completions,
    "unfolded": Unfolded,
    "lastChange": LastChange,
    "changes": Changes,
    "outputStep": OutputStep,
    "processes": Processes,
    "childReleased": ChildReleased,
    "shared": Shared,
    "unshared": Unshared,
    "guests": Guests,
    "listening": Listening,
}

#: The field in which an answer in several parts is divided, under its name in SPEC.md.
DIVIDED: Dict[str, str] = {
    "modules": "modules",
    "source": "text",
    "breakpoints": "breakpoints",
    "functionBreakpoints": "breakpoints",
    "dataBreakpoints": "breakpoints",
    "breakpointLocations": "locations",
    "watches": "watches",
    "variables": "variables",
    "stepTargets": "targets",
    "evaluateResult": "result",
    "completions": "targets",
    "changes": "changes",
    "processes": "processes",
}
