"""What the fields of events are made of."""

# Made from the description of the protocol by make_protocol.py.

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from .base import Record

__all__ = [
    "Breakpoint", "ByClient", "Change", "Completion", "Condition", "Diagnostic", "Difference", "ExceptionFilter",
    "Frame", "Guest", "Location", "Module", "OutputState", "PartArgument", "Process", "ReturnValue", "RewrittenLine",
    "StateFields", "StepTarget", "Thread", "Tokens", "UnfoldedPart", "Variable", "Watch",
]


@dataclass(frozen=True)
class Location(Record):
    """A place. Without `file` it is in a text of the client (an expression, a value, a condition), or in the file that
    the event names.
    """

    #: The absolute path.
    file: str = ""
    #: The line, from 1.
    line: int = 0
    #: The column in code points, from 1.
    column: int = 0


@dataclass(frozen=True)
class ReturnValue(Record):
    """The result of a function that has just returned."""

    #: The function.
    function: str = ""
    #: The value, as it is shown.
    value: str = ""
    #: The type of the value.
    type: str = ""
    #: The type of the function's result.
    declared_type: str = ""
    #: With it, the parts can be asked for; missing if there are none.
    reference: int = 0


@dataclass(frozen=True)
class Frame(Record):
    """A frame in `stackTrace` and in the `stack` of an error."""

    #: The place in the stack, from 0, the innermost.
    index: int = 0
    #: The function's name, with its module if that is not the main one.
    function: str = ""
    #: The file.
    file: str = ""
    #: The line of the place, or of the call in progress.
    line: int = 0
    #: The column.
    column: int = 0
    #: Counted from the outermost frame, from 1.
    id: Optional[int] = None
    #: The module.
    module: Optional[str] = None
    #: Whether it is `main`.
    is_main: bool = False
    #: The line in which the statement ends.
    end_line: Optional[int] = None
    #: The column in which the statement ends.
    end_column: Optional[int] = None


@dataclass(frozen=True)
class Difference(Record):
    """The first difference between what the program has written to standard output and what is expected."""

    #: How many bytes the program has written to standard output before it.
    offset: int = 0
    #: The line of the output.
    line: int = 0
    #: The column, in characters.
    column: int = 0
    #: The character that is expected there; missing: nothing more.
    expected: Optional[str] = None
    #: The character that was written there; missing: nothing more.
    actual: Optional[str] = None
    #: The line that is expected.
    expected_line: str = ""
    #: The line that was written.
    actual_line: str = ""
    #: How many characters of both lines are left out at their beginning.
    left_out: Optional[int] = None
    #: How many characters are left out at the end of `expectedLine`.
    expected_more: Optional[int] = None
    #: How many characters are left out at the end of `actualLine`.
    actual_more: Optional[int] = None
    #: Whether `actualLine` was not written to its end.
    unfinished: bool = False
    #: The statement that has written it.
    written_at: Optional[Location] = None
    #: The step of that statement; missing if it has made calls, or is an `ensure`.
    step: Optional[int] = None
    #: How many bytes the same call has written before it.
    within: Optional[int] = None
    #: The statement of the call that has written before that one, or last.
    before_at: Optional[Location] = None
    #: The step of that statement, as `step`.
    before_step: Optional[int] = None


@dataclass(frozen=True)
class Variable(Record):
    """A variable in a list, and the data of `variableSet`."""

    #: The name; of a part `[0]`, `["key"]` or the field.
    name: str = ""
    #: The value, as it is shown.
    value: str = ""
    #: The type of the value.
    type: str = ""
    #: The type with which it was declared.
    declared_type: Optional[str] = None
    #: Where it belongs; missing for parts. One of `parameter`, `local`, `global`.
    scope: Optional[str] = None
    #: Whether `setVariable` can set it.
    mutable: bool = False
    #: With it, the parts can be asked for; missing if there are none.
    reference: int = 0
    #: How many parts there are.
    children: int = 0
    #: The number of the array, map or struct.
    object_id: Optional[int] = None
    #: An expression for it.
    evaluate_name: Optional[str] = None
    #: Whether the value is cut.
    truncated: bool = False
    #: Whether it has changed since the last stop.
    changed: bool = False


@dataclass(frozen=True)
class Diagnostic(Record):
    """The data of `error`, and an item of `warnings`."""

    #: What is wrong.
    message: str = ""
    #: The code of the diagnostic, such as `E4001`.
    code: Optional[str] = None
    #: How serious it is. One of `error`, `warning`.
    severity: Optional[str] = None
    #: Where it is.
    location: Optional[Location] = None
    #: The command that has failed.
    command: Optional[str] = None
    #: What might be meant.
    help: Optional[str] = None
    #: The calls in progress, innermost first.
    stack: Tuple[Frame, ...] = ()
    #: The breakpoint whose condition is wrong.
    breakpoint_id: Optional[int] = None
    #: Why the program of an `initialize` or `restart` cannot be run. One of `unreadable`, `noProgram`.
    kind: Optional[str] = None


@dataclass(frozen=True)
class OutputState(Record):
    """How far the output is as it is expected."""

    #: How many lines have come as they are expected.
    matched: int = 0
    #: The first difference, once the program was stopped there, or has ended.
    difference: Optional[Difference] = None


@dataclass(frozen=True)
class Breakpoint(Record):
    """A breakpoint of any kind."""

    #: The breakpoint.
    id: int = 0
    #: Whether it can be hit.
    verified: bool = False
    #: The function's name, for a function breakpoint.
    name: Optional[str] = None
    #: What is watched, for a data breakpoint.
    description: Optional[str] = None
    #: The file as it was requested; of a function breakpoint, the function's.
    file: Optional[str] = None
    #: The line as it was requested.
    line: Optional[int] = None
    #: The line where it is.
    actual_line: Optional[int] = None
    #: The column where it is.
    column: Optional[int] = None
    #: Whether it is hit.
    enabled: bool = True
    #: The condition.
    condition: Optional[str] = None
    #: At which hits it stops.
    hit_condition: Optional[str] = None
    #: What is written instead of stopping.
    log_message: Optional[str] = None
    #: How often it was hit.
    hits: Optional[int] = None
    #: Why it is not verified, or that it has moved.
    message: Optional[str] = None


@dataclass(frozen=True)
class Watch(Record):
    """The data of `watchUpdate`, and an item of `watches`."""

    #: The watch.
    id: int = 0
    #: The expression.
    expression: str = ""
    #: The value, as it is shown.
    value: Optional[str] = None
    #: Why there is no value.
    error: Optional[str] = None
    #: The type of the value.
    type: Optional[str] = None
    #: Whether it has changed since the last stop.
    changed: bool = False
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
class Process(Record):
    """The data of `childStarted`, and an item of `processes`."""

    #: The process id.
    pid: int = 0
    #: The file, as on its command line.
    file: str = ""
    #: The arguments.
    args: Tuple[str, ...] = ()
    #: Where clients can attach, if they can.
    host: Optional[str] = None
    #: The port for clients.
    port: Optional[int] = None
    #: The token for clients.
    token: Optional[str] = None
    #: Whether it waits before its first statement.
    held: bool = False
    #: The process id of its parent.
    parent: int = 0
    #: Its working directory.
    working_dir: str = ""
    #: Whether arguments are left out.
    truncated: bool = False


@dataclass(frozen=True)
class Guest(Record):
    """A guest of the session."""

    #: Its name.
    name: str = ""
    #: What it may do. One of `participant`, `observer`.
    role: str = ""


@dataclass(frozen=True)
class ByClient(Record):
    """What another client has done."""

    #: The name of that client.
    by: str = ""


@dataclass(frozen=True)
class ExceptionFilter(Record):
    """Errors at which the program stops."""

    #: The filter. One of `uncaught`, `errorValue`.
    filter_id: str = ""
    #: Its condition.
    condition: Optional[str] = None
    #: What is wrong with the condition.
    message: Optional[str] = None


@dataclass(frozen=True)
class StateFields(Record):
    """What the session is doing, and what it has."""

    #: What the session is doing. One of `notInitialized`, `ready`, `running`, `stopped`, `exited`.
    status: str = ""
    #: The program's file.
    file: Optional[str] = None
    #: Where the program is stopped.
    location: Optional[Location] = None
    #: Why it stopped. One of `entry`, `step`, `breakpoint`, `pause`, `function breakpoint`, `data breakpoint`,
    #: `exception`, `runTo`, `restart`, `present`, `end`, `output`.
    reason: Optional[str] = None
    #: The reason as a sentence.
    description: Optional[str] = None
    #: How many places the program has come to, this one included: statements, and loop headers before each round.
    step: Optional[int] = None
    #: How many calls are in progress.
    frame_count: Optional[int] = None
    #: The exit code of the program that has ended.
    exit_code: Optional[int] = None
    #: The breakpoints at lines.
    breakpoints: Tuple[Breakpoint, ...] = ()
    #: The breakpoints at functions.
    function_breakpoints: Tuple[Breakpoint, ...] = ()
    #: The breakpoints at writes.
    data_breakpoints: Tuple[Breakpoint, ...] = ()
    #: The errors at which the program stops.
    exception_filters: Tuple[ExceptionFilter, ...] = ()
    #: The watches.
    watches: Tuple[Watch, ...] = ()
    #: Whether items of a list are left out.
    truncated: bool = False
    #: Whether the program's history is kept.
    history: bool = False
    #: The step of the present.
    present: Optional[int] = None
    #: Whether the stop is before the present.
    past: bool = False
    #: How many bytes the program had written by then.
    output_length: Optional[int] = None
    #: How far the output is as it is expected.
    output: Optional[OutputState] = None


@dataclass(frozen=True)
class Thread(Record):
    """A thread."""

    #: The thread: 1.
    id: int = 0
    #: Its name: `main`.
    name: str = ""
    #: What it is doing. One of `notInitialized`, `ready`, `running`, `stopped`, `exited`.
    status: str = ""


@dataclass(frozen=True)
class Module(Record):
    """A module of the program."""

    #: Its name.
    name: str = ""
    #: Its file; missing for libraries.
    file: Optional[str] = None
    #: What it is. One of `main`, `user`, `library`.
    kind: str = ""


@dataclass(frozen=True)
class StepTarget(Record):
    """A call that `stepInto` can step into."""

    #: The `targetId` of `stepInto`.
    id: int = 0
    #: The call as it is written.
    label: str = ""
    #: The line, from 1.
    line: int = 0
    #: The column, from 1.
    column: int = 0
    #: The line in which it ends.
    end_line: int = 0
    #: The column in which it ends.
    end_column: int = 0


@dataclass(frozen=True)
class Completion(Record):
    """A way in which a text can go on."""

    #: The text to insert.
    label: str = ""
    #: What it is. One of `variable`, `constant`, `function`, `field`, `member`, `type`, `module`, `keyword`.
    kind: str = ""
    #: The first code point of the text that it replaces, from 1.
    start: int = 0
    #: How many code points it replaces.
    length: int = 0
    #: The type, or what else describes it.
    detail: Optional[str] = None


@dataclass(frozen=True)
class Condition(Record):
    """The place of a head that decided that a statement is executed."""

    #: The line, from 1.
    line: int = 0
    #: The column, from 1.
    column: int = 0
    #: What the condition was; missing for `when`, `for` and `for_each`.
    value: bool = False
    #: The step at which it was computed last before the statement, with `conditionSteps`.
    step: Optional[int] = None


@dataclass(frozen=True)
class RewrittenLine(Record):
    """The expression with one more part replaced by its value."""

    #: The rewritten expression.
    text: str = ""
    #: The first character that is new, from 0.
    start: int = 0
    #: How many characters are new.
    length: int = 0
    #: The index of the part whose value is new.
    part: Optional[int] = None


@dataclass(frozen=True)
class PartArgument(Record):
    """An argument of a call of a function of the program."""

    #: The argument as it is written; missing if the parameter has its default value.
    text: Optional[str] = None
    #: The index of the part that has its value.
    part: Optional[int] = None
    #: Whether the parameter has a `&`.
    by_reference: bool = False


@dataclass(frozen=True)
class UnfoldedPart(Record):
    """An expression of a statement, and what it computed."""

    #: The line, from 1.
    line: int = 0
    #: The column, from 1.
    column: int = 0
    #: The line in which it ends.
    end_line: int = 0
    #: The column in which it ends.
    end_column: int = 0
    #: The expression as it is written.
    text: str = ""
    #: What it is. One of `variable`, `element`, `field`, `call`, `operator`, `conversion`, `interpolation`, `range`,
    #: `literal`, `write`, `error`.
    kind: str = ""
    #: The index of the part to which it belongs.
    parent: Optional[int] = None
    #: The value, as it is shown.
    value: Optional[str] = None
    #: The type of the value.
    type: Optional[str] = None
    #: The type with which it was declared.
    declared_type: Optional[str] = None
    #: How many parts the value has.
    children: int = 0
    #: The number of the array, map or struct.
    object_id: Optional[int] = None
    #: Whether the value is cut.
    truncated: bool = False
    #: The first step in the body of the called function.
    step_in: Optional[int] = None
    #: The last step in the body of the called function.
    step_out: Optional[int] = None
    #: The arguments of a call, one for each parameter.
    arguments: Tuple[PartArgument, ...] = ()
    #: What a call does beside its result. One of `input`, `change`.
    effect: Optional[str] = None
    #: Where the text of the value begins in the text that the part makes, or prints, to which it belongs, in bytes.
    text_start: Optional[int] = None
    #: Where it ends there.
    text_end: Optional[int] = None
    #: What is written to.
    target: Optional[str] = None
    #: The value before a write.
    old_value: Optional[str] = None
    #: The value after a write.
    new_value: Optional[str] = None
    #: Why it was not computed.
    skipped: Optional[str] = None
    #: What the error is.
    message: Optional[str] = None
    #: The code of the error.
    code: Optional[str] = None


@dataclass(frozen=True)
class Change(Record):
    """A write, or what began the life of a variable or part."""

    #: The step of the statement.
    step: int = 0
    #: What it was. One of `written`, `client`, `declared`, `passed`, `created`.
    cause: str = ""
    #: The statement.
    location: Location = Location()
    #: Whether it is an `ensure`, whose call was executed after this step, when the function ended.
    ensure: bool = False
    #: The value before.
    old_value: Optional[str] = None
    #: The value after.
    new_value: Optional[str] = None
    #: The type of the value.
    type: Optional[str] = None


@dataclass(frozen=True)
class Tokens(Record):
    """The tokens of guests."""

    #: The token of participants.
    participant: Optional[str] = None
    #: The token of observers.
    observer: Optional[str] = None
