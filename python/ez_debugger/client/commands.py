"""The commands that scripts use, as plans."""

from __future__ import annotations

from typing import List, Mapping, Optional, Sequence, Tuple, Union

from ..protocol import (
    Changes,
    ChildReleased,
    Completion,
    Completions,
    EvaluateResult,
    LastChange,
    Module,
    Modules,
    OutputStep,
    Process,
    Processes,
    Source,
    State,
    StepTarget,
    StepTargets,
    Unfolded,
    Variable,
    VariableSet,
    Watch,
    WatchAdded,
    Watches,
)
from .breakpoints import BreakpointCommands, Path
from .errors import CommandError, ServerGone, TimeLimitError
from .plan import DEFAULT, Limit, Plan, Timeout
from .values import PAGE, Moment, Names, Parts, Stop, StopFrame, Value, fetch_frames, fetch_variables

#: The longest time limit of an evaluation that the server knows, in seconds.
_LONGEST = 600.0

#: How long a server may take to say that an evaluation has reached its time limit, in seconds.
_GRACE = 1.0


class SessionCommands(BreakpointCommands):
    """A method for each command, which makes its plan."""

    # Forward

    def start(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """Starts the program: to its first statement, or to a breakpoint if there are any."""
        return (yield from self.run("start", timeout))

    def continue_(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """On to the next breakpoint, or the end."""
        return (yield from self.run("continue", timeout))

    def step_into(self, target: Optional[int] = None, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """A step, into functions too; `target` is the `id` of one of the `step_targets`."""
        return (yield from self.run("stepInto", timeout, target_id=target))

    def step_over(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """A step, over the functions that are called."""
        return (yield from self.run("stepOver", timeout))

    def step_out(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """Out of the function."""
        return (yield from self.run("stepOut", timeout))

    def run_to(self, file: Path, line: int, column: Optional[int] = None, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """On to a line, or a breakpoint before it."""
        return (yield from self.run("runTo", timeout, file=self.path(file), line=line, column=column))

    def restart(
        self,
        args: Optional[Sequence[str]] = None,
        env: Optional[Mapping[str, Optional[str]]] = None,
        timeout: Timeout = DEFAULT,
    ) -> Plan[Stop]:
        """Reads the program again and starts it."""
        given = None if args is None else list(args)
        return (yield from self.run("restart", timeout, args=given, env=None if env is None else dict(env)))

    # Back, with a history

    def back(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """The step before, in called functions too."""
        return (yield from self.run("stepBack", timeout))

    def back_over(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """The step before in this call, or the call itself."""
        return (yield from self.run("stepBackOver", timeout))

    def back_out(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """The call of this function."""
        return (yield from self.run("stepBackOut", timeout))

    def reverse(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """Back to the breakpoint before, or the first statement."""
        return (yield from self.run("reverseContinue", timeout))

    def restart_frame(self, frame: int = 0, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """Back to the beginning of a call."""
        return (yield from self.run("restartFrame", timeout, frame_index=frame))

    def go_to_step(self, step: int, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """To a step, back or forward."""
        return (yield from self.run("goToStep", timeout, step=step))

    def go_to_present(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """To where the program really stands."""
        return (yield from self.run("goToPresent", timeout))

    def last_change(self, expression: str, frame: int = 0) -> Plan[LastChange]:
        """Where a variable, an element, an entry or a field got its value."""
        return (yield from self.ask(LastChange, "lastChange", expression=expression, frame_index=frame))

    def output_step(self, offset: int) -> Plan[OutputStep]:
        """What has printed a byte of the output, counted from 0 in both streams."""
        return (yield from self.ask(OutputStep, "outputStep", offset=offset))

    def unfold(self, frame: int = 0, step: Optional[int] = None, next: bool = False) -> Plan[Unfolded]:
        """What the expressions of a statement computed: of the last one, that of a step, or the next one."""
        return (yield from self.ask(Unfolded, "unfold", frame_index=frame, step=step, next=next or None))

    def watch(self, expression: str) -> Plan[WatchAdded]:
        """Has an expression evaluated at each stop; `watches` has the values."""
        return (yield from self.ask(WatchAdded, "addWatch", expression=expression))

    def watches(self) -> Plan[Tuple[Watch, ...]]:
        """The watched expressions and their values."""
        return (yield from self.ask(Watches, "getWatches")).watches

    def step_targets(self, frame: int = 0) -> Plan[Tuple[StepTarget, ...]]:
        """The calls in the statement, which `step_into` can choose from."""
        return (yield from self.ask(StepTargets, "getStepTargets", frame_index=frame)).targets

    def completions(self, text: str, column: Optional[int] = None, frame: int = 0) -> Plan[Tuple[Completion, ...]]:
        """What may stand at a column of a text (at its end, if there is none)."""
        column = len(text) + 1 if column is None else column
        return (yield from self.ask(Completions, "completions", text=text, column=column, frame_index=frame)).targets

    def state(self) -> Plan[State]:
        """What the session is at."""
        return (yield from self.ask(State, "getState"))

    def processes(self) -> Plan[Tuple[Process, ...]]:
        """The child processes that have not ended (with `children`)."""
        return (yield from self.ask(Processes, "getProcesses")).processes

    def modules(self) -> Plan[Tuple[Module, ...]]:
        """The modules of the program."""
        return (yield from self.ask(Modules, "getModules")).modules

    def source_of(self, file: Path) -> Plan[str]:
        """The text of a file as the program was loaded from it."""
        return (yield from self.ask(Source, "getSource", file=self.path(file))).text

    def changes_before(self, expression: str, frame: int = 0, before: Optional[int] = None) -> Plan[Changes]:
        """A page of what was written to a variable, an element, an entry or a field, the latest first; with `before`,
        only before that step. The page's `next` is the `before` of the page that follows."""
        return (yield from self.ask(Changes, "changes", expression=expression, frame_index=frame, before=before))

    # Looking and changing

    def variables(self, frame: int = 0, scope: Optional[str] = None) -> Plan[Names]:
        """The variables of a frame; of one `scope`: `parameter`, `local` or `global`."""
        return (yield from fetch_variables(Moment(self), frame, scope))

    def frames(self) -> Plan[List[StopFrame]]:
        """The calls in progress, the innermost first."""
        return (yield from fetch_frames(Moment(self)))

    def fetch(self, value: Union[Value, Parts], start: int = 0, count: int = PAGE) -> Plan[List[Value]]:
        """Parts of a value, which need not be fetched any more when they are asked for."""
        parts = value.children if isinstance(value, Value) else value
        return (yield from parts.fetch(min(start, len(parts)), min(start + count, len(parts))))

    def evaluate(
        self,
        expression: str,
        frame: int = 0,
        full: bool = False,
        context: Optional[str] = None,
        timeout: Timeout = DEFAULT,
        radix: Optional[int] = None,
    ) -> Plan[Value]:
        """The value of an expression; with `full` it is not cut. In the context `watch` it may have no effect.

        The server ends an evaluation that takes longer than `timeout` (at most ten minutes): after a `TimeLimitError`
        the session can be used for something else. In the contexts `watch` and `hover` that is half a second, if
        nothing else is said.
        """
        seconds = self.seconds(timeout)
        seconds = _LONGEST if seconds is None else min(seconds, _LONGEST)
        limit = None if isinstance(timeout, Limit) and context is not None else max(1, int(seconds * 1000))
        try:
            answer = yield from self.ask(
                EvaluateResult, "evaluate", timeout=seconds + _GRACE, expression=expression, frame_index=frame,
                context=context, format="full" if full else None, timeout_ms=limit, radix=radix)
        except CommandError as error:
            if "took longer than" in error.message and error.code is None:
                raise TimeLimitError(error.message) from error
            raise
        except ServerGone:
            raise
        except BaseException:
            # Nobody waits for it any more: a time limit, Ctrl-C, a task that was cancelled.
            self.send("pause")
            raise
        return Value(Moment(self), Variable(
            name=expression, value=answer.result, type=answer.type, declared_type=answer.declared_type,
            reference=answer.reference, children=answer.children, object_id=answer.object_id,
            truncated=answer.truncated, extra=answer.extra))

    def set_variable(self, name: str, value: str, frame: int = 0) -> Plan[Value]:
        """Gives a variable the value of an expression."""
        answer = yield from self.ask(VariableSet, "setVariable", name=name, value=value, frame_index=frame)
        return Value(Moment(self), answer)

    def unwatch(self, watch: Union[int, Watch, WatchAdded]) -> Plan[None]:
        """Ends a watch."""
        yield from self.request("removeWatch", id=watch if isinstance(watch, int) else watch.id)

    def release_child(self, pid: int) -> Plan[None]:
        """Lets a child process run that is held."""
        yield from self.ask(ChildReleased, "releaseChild", pid=pid)
