"""A debug session in a Qt program."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence, Union

from PyQt6.QtCore import QCoreApplication, QObject

from ..client import DebuggerError, find_ez
from ..protocol import Malformed, Process
from .foreign import VersionQuestion, unsuited
from .launch import Launch
from .launch_options import LaunchOptions
from .process import Server, ServerProcess, ServerSocket
from .session_events import Answer, SessionEvents
from .state import SessionState


class DebugSession(SessionEvents):
    """Debugs programs with `ez debugserver`, one after the other. Lives in the thread of its event loop.

    Nothing here waits: a command is queued, its answer comes to a function, what happens is a signal.
    """

    def __init__(self, ez: Union[None, str, Sequence[str]] = None, parent: Optional[QObject] = None) -> None:
        """`ez`: the program, or the program and its first arguments; without it the one in the wheel, or else on the
        path.
        """
        super().__init__(parent)
        self.ez = ez
        #: What the user has changed of `launch`, and of each other one from now on.
        self.options = LaunchOptions()
        self._started: Optional[Launch] = None
        self._process: Optional[Server] = None
        self._program: List[str] = []
        self._question: Optional[VersionQuestion] = None
        #: What is started when the server before it is gone.
        self._next_launch: Optional[Launch] = None
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.close)

    @property
    def process_id(self) -> int:
        """The id of the server's process, 0 if there is none."""
        return self._process.process_id if self._process is not None else 0

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
        self._use(ServerProcess(program, self._started.directory, self, self._started.root))
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
        self._forget_server()
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
        self._note_sent(sent, on_answer)
        return True

    def run(self, command: str, on_answer: Optional[Answer] = None, **params: Any) -> bool:
        """Queues a command that lets the program run, unless another one has not been answered yet.

        Keys that are held down do not pile up commands in this way. `restart` is always sent.
        """
        if self.is_moving and command != "restart":
            return False
        return self.send(command, on_answer, **params)

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

    def _refuse_program(self, event: Malformed) -> bool:
        process = self._process
        if not isinstance(process, ServerProcess):
            # Of several such lines, the first has ended it.
            return process is None
        if process.has_ended:
            # It says by itself how.
            return True
        self.close()
        sentence = f"It sent a line that is not an event: {event.problem}."
        self._question = VersionQuestion(self._program, sentence, self._on_explained, self)
        return True

    def _refuse_server(self, problem: str) -> None:
        self.close()
        self.server_died.emit(unsuited(self._program[0], problem))
