"""A debug session in a Qt program."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Type, Union

from PyQt6.QtCore import QCoreApplication, QObject, QTimer, pyqtSignal

from ..client import DebuggerError, find_ez
from ..protocol import (RUNS, Attached, BreakpointChanged, ChildEnded, ChildStarted, Ended, Error, EvaluateResult, Event, Exited, Initialized,
                        InputRequested, InputTaken, Malformed, Modules, Output, Process, Progress, Restarted, Started,
                        StateFields, Stopped, Terminated, VariableSet, Warnings, WatchUpdate)
from .commands import Commands
from .foreign import VersionQuestion, too_old
from .launch import Launch
from .launch_options import LaunchOptions
from .paths import resolved
from .process import Server, ServerProcess, ServerSocket
from .state import SessionState
from .waiting import WaitPlace

#: Gets the event that answers a command: its own, an `Error`, or `Ended` if the server ends first.
Answer = Callable[[Event], None]

#: How long a command that lets the program run may take before the program is said to run, in milliseconds: most
#: steps are over before, and what is shown of the stop does not flicker.
_RUNS_AFTER_MS = 100

#: What is no news of a program that is about to be ended.
_NEWS_OF_THE_RUN = (Initialized, Attached, Started, Restarted, Stopped, InputRequested, InputTaken)

class DebugSession(Commands):
    """Debugs programs with `ez debugserver`, one after the other. Lives in the thread of its event loop.

    Nothing here waits: a command is queued, its answer comes to a function, what happens is a signal.
    """

    #: Every event of the protocol, `output` excepted, before anything else is made of it.
    event_received = pyqtSignal(object)
    #: `state` has changed.
    state_changed = pyqtSignal()
    #: The program is loaded; what has to be set before it starts can be sent now.
    initialized = pyqtSignal()
    #: The program has begun, or begun anew.
    started = pyqtSignal()
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
    #: An evaluation or an assignment of the user's may have changed values.
    values_changed = pyqtSignal()
    #: A `Process`: an EZ program that the program has started, if `Launch.children` is set.
    child_started = pyqtSignal(object)
    #: A `ChildEnded`.
    child_ended = pyqtSignal(object)
    #: The server is gone although nobody asked it to; a sentence.
    server_died = pyqtSignal(str)

    def __init__(self, ez: Union[None, str, Sequence[str]] = None, parent: Optional[QObject] = None) -> None:
        """`ez`: the program, or the program and its first arguments; without it the one in the wheel, or else on the
        path.
        """
        super().__init__(parent)
        self.ez = ez
        self.state = SessionState()
        self.launch: Optional[Launch] = None
        #: What the user has changed of it, and of each other one from now on.
        self.options = LaunchOptions()
        self._started: Optional[Launch] = None
        #: The files of the program, links resolved; None if they are not known.
        self.files: Optional[FrozenSet[str]] = None
        #: The frame that panels look at; 0, the innermost, after each stop.
        self.frame_index = 0
        self._process: Optional[Server] = None
        self._program: List[str] = []
        self._answers: Dict[int, Answer] = {}
        self._run: Optional[int] = None
        self._wait = WaitPlace(self.send)
        #: Runs that `restart` has ended.
        self._replaced_runs: Set[int] = set()
        self._is_ending = False
        #: Whether the server has said anything, and whether the program has begun.
        self._has_answered = False
        self._has_begun = False
        self._is_restarting = False
        self._question: Optional[VersionQuestion] = None
        self._refusals: List[Error] = []
        self._outputs: List[Output] = []
        #: What is started when the server before it is gone.
        self._next_launch: Optional[Launch] = None
        self._runs = QTimer(self)
        self._runs.setSingleShot(True)
        self._runs.setInterval(_RUNS_AFTER_MS)
        self._runs.timeout.connect(self._go_on)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.close)
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
        }

    @property
    def process_id(self) -> int:
        """The id of the server's process, 0 if there is none."""
        return self._process.process_id if self._process is not None else 0

    @property
    def is_moving(self) -> bool:
        """Whether a command that lets the program run is not answered yet."""
        return self._run is not None

    @property
    def is_reading(self) -> bool:
        """Whether the program is being read, so that its errors are those of the check."""
        return self.state.status == "starting" or self._is_restarting

    def start(self, launch: Launch) -> bool:
        """Starts a program, after the end of the one before. False if there is no program `ez`."""
        if self._process is not None and self.state.status == "ending":
            self.launch = self._next_launch = launch
            self._process.close_now()
            return True
        self.close()
        self.launch = launch
        try:
            program = self.program()
        except DebuggerError as error:
            self.server_died.emit(f"The debug server cannot be started: {error}.")
            return False
        self._started = self.options.apply(launch)
        if not os.path.isdir(self._started.directory):
            self.server_died.emit(
                f"The folder {self._started.directory} does not exist, so the program cannot be run there.")
            return False
        self._program = program
        self._use(ServerProcess(program, self._started.directory, self))
        self.send("initialize", **self._started.parameters())
        return self._process is not None

    def program(self) -> List[str]:
        """The program `ez`, and its first arguments. Raises `DebuggerError` if there is none."""
        ez = self.ez or find_ez()
        return [ez] if isinstance(ez, str) else list(ez)

    def attach(self, process: Process) -> bool:
        """Attaches to a child process of another session, and starts it. False if that is not possible.

        When this session is closed, the process runs on.
        """
        self.close()
        self.launch = None
        if process.port is None:
            return False
        self._use(ServerSocket(process, self))
        self.send("attach", token=process.token, protocolVersion=2)
        return self._process is not None

    def _use(self, server: Server) -> None:
        self._is_ending = self._has_answered = self._has_begun = self._is_restarting = False
        self._wait.reset()
        self.files = None
        self._replaced_runs = set()
        self._refusals = []
        self._process = server
        server.received.connect(self._receive)
        server.ended.connect(self._on_process_ended)
        self._change(SessionState(status="starting"))
        server.start()

    def start_again(self) -> bool:
        """Starts the same program anew: with `restart` where there is one, else with a new server."""
        is_changed = self.launch is not None and self.options.apply(self.launch) != self._started
        if self.state.is_live and self.state.status not in ("starting", "ending") and not is_changed:
            return self.run("restart")
        if self.launch is None:
            return False
        return self.start(self.launch)

    def stop(self) -> None:
        """Ends program and server. `ended` follows."""
        if self._process is not None and not self._is_ending:
            self._is_ending = True
            self._process.send("terminate")
            self._process.close_later(self.launch is not None and self.launch.children)
            if self.state.is_live:
                self._input_is_done()
                self._change(SessionState(status="ending", has_history=self.state.has_history))
                self.resumed.emit()

    def close(self) -> None:
        """Ends program and server at once, before this returns."""
        if self._question is not None:
            self._question.drop()
            self._question = None
        process, self._process = self._process, None
        self._next_launch = None
        if process is not None:
            process.kill()
            process.deleteLater()
            self._end(None)

    def send(self, command: str, on_answer: Optional[Answer] = None, **params: Any) -> bool:
        """Queues a command of SPEC.md; False if there is no server.

        `on_answer` gets the event that completes the command. Without it, an `Error` goes to `error_received`.
        """
        if self._process is None:
            return False
        sent = self._process.send(command, **params)
        if on_answer is not None:
            self._answers[sent.id] = on_answer
        if command in RUNS:
            if self._run is not None:
                self._replaced_runs.add(self._run)
            self._run = sent.id
            self._wait.begin(command, self.state.stop)
            self._is_restarting = command == "restart"
            self._runs.start()
        return True

    def run(self, command: str, on_answer: Optional[Answer] = None, **params: Any) -> bool:
        """Queues a command that lets the program run, unless another one has not been answered yet.

        Keys that are held down do not pile up commands in this way. `restart` is always sent.
        """
        if self.is_moving and command != "restart":
            return False
        return self.send(command, on_answer, **params)

    def select_frame(self, index: int) -> None:
        """Panels look at another frame."""
        if self.state.stop is not None and index != self.frame_index:
            self.frame_index = index
            self.frame_selected.emit(index)

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
        if event.protocol_version < 2:
            self.close()
            self.server_died.emit(too_old(self._program[0]))
            return
        history = self.launch is not None and self.launch.history and event.capabilities.get("history", False)
        self._change(SessionState(status="ready", has_history=history))
        if event.warnings:
            self.warned.emit(list(event.warnings))
        self.send("getModules", self._on_modules)

    def _on_modules(self, event: Event) -> None:
        if isinstance(event, Modules):
            self.files = frozenset(
                resolved(one.file, self.launch.directory if self.launch is not None else "")
                for one in event.modules if one.file)
        if not isinstance(event, Ended):
            self.initialized.emit()
            self.send("start")

    def _on_attached(self, event: Attached) -> None:
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
        self._begin()

    def _begin(self) -> None:
        self._has_begun = True
        self._change(SessionState(status="running", has_history=self.state.has_history))
        self.started.emit()

    def _on_stopped(self, event: Stopped) -> None:
        if self._wait.take(event):
            return
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
        if self._wait.ask():
            return
        self._go_on()
        self.state.wants_input = True
        self.state.waits_at = self._wait.place
        self.state_changed.emit()
        self.input_requested.emit()

    def _on_input_taken(self, event: InputTaken) -> None:
        self._input_is_done()
        self.state_changed.emit()

    def _input_is_done(self) -> None:
        self._wait.forget()
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
        if self._process is not None:
            self.stop()

    def _on_terminated(self, event: Terminated) -> None:
        self._is_ending = True

    def _on_malformed(self, event: Malformed) -> None:
        message = f"The debug server sent a line that is not an event: {event.problem}"
        self.error_received.emit(Error(event="error", message=message))

    def _on_process_ended(self, sentence: str) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        died = not self._is_ending
        self._end(None)
        refusals, self._refusals = self._refusals, []
        if refusals:
            self.program_refused.emit(refusals)
        elif died and not self._has_answered and isinstance(process, ServerProcess):
            self._question = VersionQuestion(self._program, sentence, self._on_explained, self)
        elif died:
            self.server_died.emit(sentence)
        launch, self._next_launch = self._next_launch, None
        if launch is not None:
            self.start(launch)

    def _on_explained(self, sentence: str) -> None:
        self._question = None
        self.server_died.emit(sentence)

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
