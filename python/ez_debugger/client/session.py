"""A session, with a method for each command that scripts use."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ..protocol import (
    Change,
    Changes,
    ChildReleased,
    Completion,
    Completions,
    EvaluateResult,
    Event,
    Initialized,
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
from .breakpoints import BreakpointCommands
from .core import Answerer
from .find import find_ez
from .values import Moment, Names, Stop, StopFrame, Value, fetch_frames, fetch_variables

Path = Union[str, "os.PathLike[str]"]


class Session(BreakpointCommands):
    """A program under the debugger; to be used in a `with` statement.

    `input` is all that the program reads, or a function that gives a line each time when the program waits for one,
    and None at the end. Without it such a wait is the exception `InputRequired`.
    `timeout` is how many seconds a call may take if it does not say otherwise.
    `ez` is the program to use, or the beginning of a command line; see `find_ez`.
    `on_event` is called with each event of the protocol when it is read.
    """

    def __init__(
        self,
        file: Optional[Path] = None,
        *,
        source: Optional[str] = None,
        replay: Optional[Path] = None,
        args: Optional[Sequence[str]] = None,
        env: Optional[Mapping[str, Optional[str]]] = None,
        input: Union[None, str, Answerer] = None,
        working_dir: Optional[Path] = None,
        history: bool = False,
        children: bool = False,
        stop_on_entry: Optional[bool] = None,
        deny: Union[None, str, Sequence[str]] = None,
        memory: Union[None, int, str] = None,
        timeout: float = 10.0,
        ez: Union[None, Path, Sequence[str]] = None,
        on_event: Optional[Callable[[Event], None]] = None,
    ) -> None:
        super().__init__([*_command(ez), "debugserver", "--protocol", "ez"], timeout, on_event)
        self._answerer = input if callable(input) else None
        self._input = input if isinstance(input, str) else None
        self._parameters = {
            "file": None if file is None else os.path.abspath(file),
            "source": None if source is None else {"text": source},
            "replay": None if replay is None else os.path.abspath(replay),
            "args": None if args is None else list(args),
            "env": None if env is None else dict(env),
            "working_dir": os.path.abspath(working_dir or "."),
            "history": history,
            "children": children,
            "stop_on_entry": stop_on_entry,
            "deny": deny if deny is None or isinstance(deny, str) else list(deny),
            "memory_limit": memory,
            "keep_alive": True,
            "protocol_version": 2,
        }
        #: What the server says about itself and the program; None before `open`.
        self.initialized: Optional[Initialized] = None

    def open(self) -> None:
        """Starts the server and loads the program."""
        super().open()
        self.initialized = self.ask(Initialized, "initialize", **self._parameters)
        if self._input is not None:
            self.send_input(self._input, end=True)

    # Forward

    def start(self, timeout: Optional[float] = None) -> Stop:
        """Starts the program: to its first statement, or to a breakpoint if there are any."""
        return self.run("start", timeout)

    def continue_(self, timeout: Optional[float] = None) -> Stop:
        """On to the next breakpoint, or the end."""
        return self.run("continue", timeout)

    def step_into(self, target: Optional[int] = None, timeout: Optional[float] = None) -> Stop:
        """A step, into functions too; `target` is the `id` of one of the `step_targets`."""
        return self.run("stepInto", timeout, target_id=target)

    def step_over(self, timeout: Optional[float] = None) -> Stop:
        """A step, over the functions that are called."""
        return self.run("stepOver", timeout)

    def step_out(self, timeout: Optional[float] = None) -> Stop:
        """Out of the function."""
        return self.run("stepOut", timeout)

    def run_to(self, file: Path, line: int, column: Optional[int] = None, timeout: Optional[float] = None) -> Stop:
        """On to a line, or a breakpoint before it."""
        return self.run("runTo", timeout, file=self.path(file), line=line, column=column)

    def steps(self, timeout: Optional[float] = None) -> Iterator[Stop]:
        """Starts the program if need be, and gives each stop of steps into functions; not the end."""
        stop = self.stop or self.start(timeout)
        while stop:
            yield stop
            stop = self.step_into(timeout=timeout)

    def restart(
        self,
        args: Optional[Sequence[str]] = None,
        env: Optional[Mapping[str, Optional[str]]] = None,
        timeout: Optional[float] = None,
    ) -> Stop:
        """Reads the program again and starts it."""
        given = None if args is None else list(args)
        return self.run("restart", timeout, args=given, env=None if env is None else dict(env))

    def kill(self, timeout: Optional[float] = None) -> Stop:
        """Ends the program; the session stays."""
        return self.end_program(timeout)

    # Back, with a history

    def back(self, timeout: Optional[float] = None) -> Stop:
        """The step before, in called functions too."""
        return self.run("stepBack", timeout)

    def back_over(self, timeout: Optional[float] = None) -> Stop:
        """The step before in this call, or the call itself."""
        return self.run("stepBackOver", timeout)

    def back_out(self, timeout: Optional[float] = None) -> Stop:
        """The call of this function."""
        return self.run("stepBackOut", timeout)

    def reverse(self, timeout: Optional[float] = None) -> Stop:
        """Back to the breakpoint before, or the first statement."""
        return self.run("reverseContinue", timeout)

    def restart_frame(self, frame: int = 0, timeout: Optional[float] = None) -> Stop:
        """Back to the beginning of a call."""
        return self.run("restartFrame", timeout, frame_index=frame)

    def go_to_step(self, step: int, timeout: Optional[float] = None) -> Stop:
        """To a step, back or forward."""
        return self.run("goToStep", timeout, step=step)

    def go_to_present(self, timeout: Optional[float] = None) -> Stop:
        """To where the program really stands."""
        return self.run("goToPresent", timeout)

    def last_change(self, expression: str, frame: int = 0) -> LastChange:
        """Where a variable, an element, an entry or a field got its value."""
        return self.ask(LastChange, "lastChange", expression=expression, frame_index=frame)

    def changes(self, expression: str, frame: int = 0, before: Optional[int] = None) -> Iterator[Change]:
        """What was written to a variable, an element, an entry or a field, the latest first; with `before`, only
        before that step. More is asked for as it is needed: valid until the program resumes."""
        while True:
            page = self.ask(Changes, "changes", expression=expression, frame_index=frame, before=before)
            yield from page.changes
            if page.next is None:
                return
            before = page.next

    def output_step(self, offset: int) -> OutputStep:
        """What has printed a byte of the output, counted from 0 in both streams."""
        return self.ask(OutputStep, "outputStep", offset=offset)

    def unfold(self, frame: int = 0, step: Optional[int] = None, next: bool = False) -> Unfolded:
        """What the expressions of a statement computed: of the last one, that of a step, or the next one."""
        return self.ask(Unfolded, "unfold", frame_index=frame, step=step, next=next or None)

    # Looking and changing

    def variables(self, frame: int = 0, scope: Optional[str] = None) -> Names:
        """The variables of a frame; of one `scope`: `parameter`, `local` or `global`."""
        return fetch_variables(Moment(self), frame, scope)

    def frames(self) -> List[StopFrame]:
        """The calls in progress, the innermost first."""
        return list(fetch_frames(Moment(self)))

    def evaluate(
        self, expression: str, frame: int = 0, full: bool = False, context: Optional[str] = None, **options: Any
    ) -> Value:
        """The value of an expression; with `full` it is not cut. In the context `watch` it may have no effect."""
        answer = self.ask(
            EvaluateResult, "evaluate", expression=expression, frame_index=frame, context=context,
            format="full" if full else None, **options)
        return Value(Moment(self), Variable(
            name=expression, value=answer.result, type=answer.type, declared_type=answer.declared_type,
            reference=answer.reference, children=answer.children, object_id=answer.object_id,
            truncated=answer.truncated, extra=answer.extra))

    def set_variable(self, name: str, value: str, frame: int = 0) -> Value:
        """Gives a variable the value of an expression."""
        answer = self.ask(VariableSet, "setVariable", name=name, value=value, frame_index=frame)
        return Value(Moment(self), answer)

    def watch(self, expression: str) -> WatchAdded:
        """Has an expression evaluated at each stop; `watches` has the values."""
        return self.ask(WatchAdded, "addWatch", expression=expression)

    def watches(self) -> Tuple[Watch, ...]:
        """The watched expressions and their values."""
        return self.ask(Watches, "getWatches").watches

    def unwatch(self, watch: Union[int, Watch, WatchAdded]) -> None:
        """Ends a watch."""
        self.request("removeWatch", id=watch if isinstance(watch, int) else watch.id)

    def step_targets(self, frame: int = 0) -> Tuple[StepTarget, ...]:
        """The calls in the statement, which `step_into` can choose from."""
        return self.ask(StepTargets, "getStepTargets", frame_index=frame).targets

    def completions(self, text: str, column: Optional[int] = None, frame: int = 0) -> Tuple[Completion, ...]:
        """What may stand at a column of a text (at its end, if there is none)."""
        column = len(text) + 1 if column is None else column
        return self.ask(Completions, "completions", text=text, column=column, frame_index=frame).targets

    def state(self) -> State:
        """What the session is at."""
        return self.ask(State, "getState")

    def processes(self) -> Tuple[Process, ...]:
        """The child processes that have not ended (with `children`)."""
        return self.ask(Processes, "getProcesses").processes

    def release_child(self, pid: int) -> None:
        """Lets a child process run that is held."""
        self.ask(ChildReleased, "releaseChild", pid=pid)

    def modules(self) -> Tuple[Module, ...]:
        """The modules of the program."""
        return self.ask(Modules, "getModules").modules

    def source_of(self, file: Path) -> str:
        """The text of a file as the program was loaded from it."""
        return self.ask(Source, "getSource", file=self.path(file)).text


def _command(ez: Union[None, Path, Sequence[str]]) -> List[str]:
    if ez is None:
        return [find_ez()]
    if isinstance(ez, (str, os.PathLike)):
        return [os.fspath(ez)]
    return list(ez)
