"""What the events of a debug server mean for a session."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Type

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from ..protocol import (RUNS, Attached, BreakpointChanged, ChildEnded, ChildStarted, Command, Continued, Ended, Error,
                        EvaluateResult, Event, Exited, Initialized, InputRequested, InputTaken, Malformed, Modules, Output, Progress,
                        Restarted, Started, StateFields, Stopped, Terminated, ValuesChanged, VariableSet, Warnings,
                        WatchUpdate)
from ..protocol.versions import misfit
from .commands import Commands
from .given_input import pieces
from .launch import Launch
from .paths import resolved
from .state import SessionState

#: Gets the event that answers a command: its own, an `Error`, or `Ended` if the server ends first.
Answer = Callable[[Event], None]

#: How long a command that lets the program run may take before the program is said to run, in milliseconds: most
#: steps are over before, and what is shown of the stop does not flicker.
_RUNS_AFTER_MS = 100

#: What is no news of a program that is about to be ended.
_NEWS_OF_THE_RUN = (Initialized, Attached, Started, Restarted, Stopped, InputRequested, InputTaken)


class SessionEvents(Commands):
    """What is known of a session, as the events of its server tell it; each change is a signal."""

    #: Every event of the protocol, `output` excepted, before anything else is made of it.
    event_received = pyqtSignal(object)
    #: `state` has changed.
    state_changed = pyqtSignal()
    #: The program is loaded; what has to be set before it starts can be sent now.
    initialized = pyqtSignal()
    #: The program has begun, or begun anew.
    started = pyqtSignal()
    #: The program that has begun anew is made of other files than before.
    files_changed = pyqtSignal()
    #: A `Stopped`.
    stopped = pyqtSignal(object)
    #: Another frame is looked at: its index.
    frame_selected = pyqtSignal(int)
    #: The program goes on after a stop.
    resumed = pyqtSignal()
    #: The program, which has begun, is over; its exit code, or None if it was ended.
    ended = pyqtSignal(object)
    #: A list of `Output`, in the order in which it was written.
    output_received = pyqtSignal(list)
    #: The program waits for input.
    input_requested = pyqtSignal()
    #: What the user has typed for the program; None: that nothing follows.
    input_sent = pyqtSignal(object)
    #: The program is begun again: what was sent before is not for it.
    restarting = pyqtSignal()
    #: What the program waited for was sent, or it does not wait any more.
    input_done = pyqtSignal()
    #: An `Error`: of the program, or of a command whose sender has not asked for it.
    error_received = pyqtSignal(object)
    #: A list of `Diagnostic`: the program cannot be run.
    program_refused = pyqtSignal(list)
    #: Warnings of the program: a list of `Diagnostic`.
    warned = pyqtSignal(list)
    #: A `Progress`.
    progress_received = pyqtSignal(object)
    #: A `BreakpointChanged`.
    breakpoint_changed = pyqtSignal(object)
    #: A `WatchUpdate`.
    watch_updated = pyqtSignal(object)
    #: An evaluation or an assignment of the user's, or of another client, may have changed values.
    values_changed = pyqtSignal()
    #: A `Process`: an EZ program that the program has started, if `Launch.children` is set.
    child_started = pyqtSignal(object)
    #: A `ChildEnded`.
    child_ended = pyqtSignal(object)
    #: The server is gone although nobody asked it to; a sentence.
    server_died = pyqtSignal(str)

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self.state = SessionState()
        self.launch: Optional[Launch] = None
        #: The files of the program, links resolved; None if they are not known.
        self.files: Optional[FrozenSet[str]] = None
        #: The frame that panels look at; 0, the innermost, after each stop.
        self.frame_index = 0
        self._answers: Dict[int, Answer] = {}
        self._run: Optional[int] = None
        #: Runs that `restart` has ended.
        self._replaced_runs: Set[int] = set()
        self._forget_server()
        self._outputs: List[Output] = []
        self._runs = QTimer(self)
        self._runs.setSingleShot(True)
        self._runs.setInterval(_RUNS_AFTER_MS)
        self._runs.timeout.connect(self._go_on)
        self._handlers: Dict[Type[Event], Callable[[Any], None]] = {
            Initialized: self._on_initialized, Warnings: lambda event: self.warned.emit(list(event.warnings)),
            Started: self._on_started, Restarted: self._on_restarted, Stopped: self._on_stopped,
            Exited: self._on_exited, Error: self._on_error,
            InputRequested: self._on_input_requested, InputTaken: self._on_input_taken,
            Progress: self.progress_received.emit,
            BreakpointChanged: self.breakpoint_changed.emit, WatchUpdate: self.watch_updated.emit,
            VariableSet: self._on_values_changed, EvaluateResult: self._on_evaluated,
            Terminated: self._on_terminated, Malformed: self._on_malformed, Attached: self._on_attached,
            ChildStarted: self.child_started.emit, ChildEnded: self.child_ended.emit,
            Continued: lambda _: self._go_on(), ValuesChanged: self._on_values_changed,
        }

    @abstractmethod
    def stop(self) -> None:
        """Ends program and server."""

    @abstractmethod
    def _refuse_program(self, event: Malformed) -> bool:
        """What was started has begun with something that is no event. Whether it was ended for that."""

    @abstractmethod
    def _refuse_server(self, problem: str) -> None:
        """The server is of another version, as `misfit` says."""

    def _forget_server(self) -> None:
        """There is another server, or none yet."""
        self._is_ending = False
        #: Whether the server has said anything, and whether the program has begun.
        self._has_answered = self._has_begun = False
        self._is_restarting = False
        self.files = None
        self._replaced_runs = set()
        self._refusals: List[Error] = []

    @property
    def is_moving(self) -> bool:
        """Whether a command that lets the program run is not answered yet."""
        return self._run is not None

    @property
    def is_reading(self) -> bool:
        """Whether the program is being read, so that its errors are those of the check."""
        return self.state.status == "starting" or self._is_restarting

    def select_frame(self, index: int) -> None:
        """Panels look at another frame."""
        if self.state.stop is not None and index != self.frame_index:
            self.frame_index = index
            self.frame_selected.emit(index)

    def _note_sent(self, sent: Command, on_answer: Optional[Answer]) -> None:
        """A command was sent; `on_answer` gets the event that completes it."""
        if on_answer is not None:
            self._answers[sent.id] = on_answer
        if sent.name == "input":
            self.input_sent.emit(sent.params.get("text"))
        if sent.name in RUNS:
            if self._run is not None:
                self._replaced_runs.add(self._run)
            self._run = sent.id
            self._is_restarting = sent.name == "restart"
            if self._is_restarting:
                self.restarting.emit()
            self._runs.start()

    def _receive(self, events: Sequence[Event]) -> None:
        for event in events:
            self._has_answered = self._has_answered or not isinstance(event, (Malformed, Ended))
            if isinstance(event, Output):
                self._outputs.append(event)
            else:
                self._flush_output()
                self._handle(event)
        self._flush_output()

    def _flush_output(self) -> None:
        if self._outputs:
            outputs, self._outputs = self._outputs, []
            self.output_received.emit(outputs)

    def _handle(self, event: Event) -> None:
        self.event_received.emit(event)
        answer = None
        if event.answers is not None and event.completes:
            answer = self._answers.pop(event.answers.id, None)
            if event.answers.id == self._run:
                self._run = None
                self._runs.stop()
        if isinstance(event, Ended):
            self._abandon(event)
        elif answer is not None and isinstance(event, Error) and event.command is not None:
            self._after_refusal(event)
        else:
            handler = self._handlers.get(type(event))
            if handler is not None and (self.state.status != "ending" or not isinstance(event, _NEWS_OF_THE_RUN)):
                handler(event)
        if answer is not None:
            answer(event)

    def _abandon(self, event: Ended) -> None:
        answers, self._answers = self._answers, {}
        for answer in answers.values():
            answer(event)

    def _change(self, state: SessionState) -> None:
        self.state = state
        self.state_changed.emit()

    def _on_initialized(self, event: Initialized) -> None:
        problem = misfit(event)
        if problem is not None:
            self._refuse_server(problem)
            return
        history = self.launch is not None and self.launch.history and event.capabilities.get("history", False)
        self._change(SessionState(status="ready", has_history=history))
        if event.warnings:
            self.warned.emit(list(event.warnings))
        self.send("getModules", self._on_modules)

    def _take_files(self, event: Event) -> None:
        if isinstance(event, Modules):
            self.files = frozenset(
                resolved(one.file, self.launch.directory if self.launch is not None else "")
                for one in event.modules if one.file)

    def _on_new_modules(self, event: Event) -> None:
        before = self.files
        self._take_files(event)
        if self.files != before:
            self.files_changed.emit()

    def _on_modules(self, event: Event) -> None:
        self._take_files(event)
        if not isinstance(event, Ended):
            self.initialized.emit()
            if self.launch is not None and self.launch.expected_output is not None:
                self.send("setExpectedOutput", file=self.launch.expected_output)
            self._give_input()
            self.send("start")

    def _give_input(self) -> None:
        """Gives a program that has its own input all of it."""
        if self.launch is not None and self.launch.input is not None:
            for piece in pieces(self.launch.input):
                self.send("input", **piece)

    def _on_attached(self, event: Attached) -> None:
        problem = misfit(event)
        if problem is not None:
            self._refuse_server(problem)
            return
        self._has_begun = event.status != "ready"
        self._change(SessionState(status=event.status, has_history=event.history))
        self.initialized.emit()
        if event.status == "ready":
            self.send("start")
        elif event.status == "stopped":
            self._take_state(event)

    def _on_started(self, event: Started) -> None:
        if event.answers is None or event.answers.name == "start":
            self._begin()

    def _on_restarted(self, event: Restarted) -> None:
        self._is_restarting = False
        self._refusals = []
        self._input_is_done()
        if event.warnings:
            self.warned.emit(list(event.warnings))
        self._give_input()
        self._begin()
        self.send("getModules", self._on_new_modules)

    def _begin(self) -> None:
        self._has_begun = True
        self._change(SessionState(status="running", has_history=self.state.has_history))
        self.started.emit()

    def _on_stopped(self, event: Stopped) -> None:
        self._input_is_done()
        self.frame_index = 0
        history = self.state.has_history and event.present is not None
        self._change(SessionState(status="stopped", stop=event, has_history=history))
        self.stopped.emit(event)

    def _go_on(self) -> None:
        if self.state.status == "stopped":
            self._change(SessionState(status="running", has_history=self.state.has_history))
            self.resumed.emit()

    def _on_input_requested(self, event: InputRequested) -> None:
        self._go_on()
        self.state.wants_input, self.state.waits_at = True, event.location
        self.state_changed.emit()
        self.input_requested.emit()

    def _on_input_taken(self, event: InputTaken) -> None:
        self._input_is_done()
        self.state_changed.emit()

    def _input_is_done(self) -> None:
        if self.state.wants_input:
            self.state.wants_input, self.state.waits_at = False, None
            self.input_done.emit()

    def _on_values_changed(self, event: Event) -> None:
        self.values_changed.emit()

    def _on_evaluated(self, event: EvaluateResult) -> None:
        command = event.answers
        if command is not None and command.params.get("context", "repl") == "repl":
            self.values_changed.emit()

    def _on_error(self, event: Error) -> None:
        if event.command is not None and self._is_expected(event):
            return
        if self.state.status == "starting" or event.command is None and self.is_reading:
            self._refusals.append(event)
        self._after_refusal(event)
        self.error_received.emit(event)

    def _is_expected(self, event: Error) -> bool:
        """Whether a command failed since the user has ended the program, or started it anew."""
        command = event.answers
        return self._is_ending or command is not None and command.name in RUNS and command.id in self._replaced_runs

    def _after_refusal(self, event: Error) -> None:
        """A run that failed has left the program where it was: the engine says where."""
        if event.answers is not None and event.answers.name in RUNS and self.state.status == "running":
            self.send("getState", self._take_state)

    def _take_state(self, event: Event) -> None:
        if isinstance(event, StateFields) and event.status == "stopped" and event.location is not None:
            stop = Stopped(
                event="stopped", reason=event.reason or "", location=event.location,
                description=event.description or "", frame_count=event.frame_count or 0, step=event.step or 0,
                present=event.present, past=event.past, output_length=event.output_length)
            self._on_stopped(stop)

    def _on_exited(self, event: Exited) -> None:
        self._input_is_done()
        self._end(event.exit_code)
        self.stop()

    def _on_terminated(self, event: Terminated) -> None:
        self._is_ending = True

    def _on_malformed(self, event: Malformed) -> None:
        if not self._has_answered and self._refuse_program(event):
            return
        message = f"The debug server sent a line that is not an event: {event.problem}"
        self.error_received.emit(Error(event="error", message=message))

    def _end(self, exit_code: Optional[int]) -> None:
        self._run = None
        self._runs.stop()
        if self.state.is_live:
            self._input_is_done()
            if self._has_begun:
                self._change(SessionState(status="exited", exit_code=exit_code))
                self.ended.emit(exit_code)
            else:
                self._change(SessionState())
