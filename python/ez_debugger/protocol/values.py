"""What the fields of events are made of.

A field that an object does not have is None, or what says that there is none: an empty text or tuple, False,
and 0 for the numbers that are positive where they exist (`reference`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Record:
    """An object of the protocol."""

    #: What the object has besides the known fields, under the names of SPEC.md, and known fields of a wrong type.
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Location(Record):
    """A place in a file; without `file` one in the client's own expression. Counted from 1."""

    file: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class Variable(Record):
    """A variable, or a part of one."""

    name: str = ""
    value: str = ""
    type: str = ""
    declared_type: Optional[str] = None
    #: `parameter`, `local` or `global`; parts have none.
    scope: Optional[str] = None
    mutable: bool = False
    #: What `getChildren` takes; 0 if there are no parts. Valid until the program goes on.
    reference: int = 0
    #: How many parts there are.
    children: int = 0
    object_id: Optional[int] = None
    evaluate_name: Optional[str] = None
    truncated: bool = False
    changed: bool = False


@dataclass(frozen=True)
class Frame(Record):
    """A call in progress; the innermost has the index 0."""

    index: int = 0
    function: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    #: Counted from the outermost frame. Missing in the `stack` of an error.
    id: Optional[int] = None
    module: Optional[str] = None
    is_main: bool = False
    end_line: Optional[int] = None
    end_column: Optional[int] = None


@dataclass(frozen=True)
class Diagnostic(Record):
    """An error or a warning: of the program, or of a command, whose name is in `command` then.

    `kind` is `"unreadable"` or `"noProgram"` if the command failed because of the program.
    """

    message: str = ""
    code: Optional[str] = None
    severity: Optional[str] = None
    location: Optional[Location] = None
    command: Optional[str] = None
    help: Optional[str] = None
    stack: Tuple[Frame, ...] = ()
    breakpoint_id: Optional[int] = None
    kind: Optional[str] = None


@dataclass(frozen=True)
class Breakpoint(Record):
    """A breakpoint of any kind."""

    id: int = 0
    verified: bool = False
    #: The function, for one at a function.
    name: Optional[str] = None
    #: What is watched, for one on writes.
    description: Optional[str] = None
    file: Optional[str] = None
    #: As asked for.
    line: Optional[int] = None
    #: Where it is.
    actual_line: Optional[int] = None
    column: Optional[int] = None
    enabled: bool = True
    condition: Optional[str] = None
    hit_condition: Optional[str] = None
    log_message: Optional[str] = None
    hits: Optional[int] = None
    #: Why it is not verified, or that it has moved.
    message: Optional[str] = None


@dataclass(frozen=True)
class ExceptionFilter(Record):
    """Which errors stop the program: `uncaught` or `errorValue`."""

    filter_id: str = ""
    condition: Optional[str] = None
    #: Why the condition is wrong.
    message: Optional[str] = None


@dataclass(frozen=True)
class ReturnValue(Record):
    """What a function has given."""

    function: str = ""
    value: str = ""
    type: str = ""
    declared_type: str = ""
    reference: int = 0


@dataclass(frozen=True)
class Watch(Record):
    """An expression that is evaluated after each stop; it has a `value` or an `error`."""

    id: int = 0
    expression: str = ""
    value: Optional[str] = None
    error: Optional[str] = None
    type: Optional[str] = None
    changed: bool = False
    declared_type: Optional[str] = None
    reference: int = 0
    children: int = 0
    object_id: Optional[int] = None
    truncated: bool = False


@dataclass(frozen=True)
class StepTarget(Record):
    """A call that `stepInto` can go into."""

    id: int = 0
    label: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True)
class Completion(Record):
    """What may stand in a text from the code point `start` on."""

    label: str = ""
    kind: str = ""
    start: int = 0
    length: int = 0
    detail: Optional[str] = None


@dataclass(frozen=True)
class Thread(Record):
    """The thread of the program."""

    id: int = 0
    name: str = ""
    status: str = ""


@dataclass(frozen=True)
class Module(Record):
    """A module: `kind` is `main`, `user` or `library`."""

    name: str = ""
    file: Optional[str] = None
    kind: str = ""


@dataclass(frozen=True)
class Process(Record):
    """A child process: an EZ program that the program has started."""

    pid: int = 0
    file: str = ""
    args: Tuple[str, ...] = ()
    #: Where clients can attach to it, if they can.
    host: Optional[str] = None
    port: Optional[int] = None
    token: Optional[str] = None
    #: Whether it waits before its first statement.
    held: bool = False
    #: The process id of its parent.
    parent: int = 0
    working_dir: str = ""
    #: Whether arguments are left out.
    truncated: bool = False


@dataclass(frozen=True)
class Change(Record):
    """A write to a variable or a part, or what began its life."""

    step: int = 0
    #: `written`, `client`, `declared`, `passed` or `created`.
    cause: str = ""
    location: Location = Location()
    old_value: Optional[str] = None
    new_value: Optional[str] = None
    type: Optional[str] = None


@dataclass(frozen=True)
class RewrittenLine(Record):
    """A line of `unfolded`: what is new begins at the character `start`."""

    text: str = ""
    start: int = 0
    length: int = 0
    part: Optional[int] = None


@dataclass(frozen=True)
class Condition(Record):
    """The place of a head that decided that a statement is executed."""

    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class PartArgument(Record):
    """An argument of a call of a function of the program: without `text`, it has its default value."""

    text: Optional[str] = None
    part: Optional[int] = None
    by_reference: bool = False


@dataclass(frozen=True)
class UnfoldedPart(Record):
    """An expression of a statement and what it computed."""

    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    text: str = ""
    kind: str = ""
    parent: Optional[int] = None
    value: Optional[str] = None
    type: Optional[str] = None
    declared_type: Optional[str] = None
    children: int = 0
    object_id: Optional[int] = None
    truncated: bool = False
    step_in: Optional[int] = None
    step_out: Optional[int] = None
    arguments: Tuple[PartArgument, ...] = ()
    #: `input` or `change`.
    effect: Optional[str] = None
    target: Optional[str] = None
    old_value: Optional[str] = None
    new_value: Optional[str] = None
    skipped: Optional[str] = None
    message: Optional[str] = None
    code: Optional[str] = None


@dataclass(frozen=True)
class StateFields(Record):
    """What `state` and `attached` have in common."""

    #: `notInitialized`, `ready`, `running`, `stopped` or `exited`.
    status: str = ""
    file: Optional[str] = None
    location: Optional[Location] = None
    reason: Optional[str] = None
    description: Optional[str] = None
    step: Optional[int] = None
    frame_count: Optional[int] = None
    exit_code: Optional[int] = None
    breakpoints: Tuple[Breakpoint, ...] = ()
    function_breakpoints: Tuple[Breakpoint, ...] = ()
    data_breakpoints: Tuple[Breakpoint, ...] = ()
    exception_filters: Tuple[ExceptionFilter, ...] = ()
    watches: Tuple[Watch, ...] = ()
    truncated: bool = False
    history: bool = False
    present: Optional[int] = None
    past: bool = False
    output_length: Optional[int] = None
