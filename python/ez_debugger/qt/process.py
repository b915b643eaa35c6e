"""Debug servers: the process of `ez debugserver` and its pipes, and a server that is connected over a socket."""

from __future__ import annotations

import time
from typing import Any, List, Optional, Sequence

from PyQt6.QtCore import QIODevice, QObject, QProcess, QTimer, pyqtSignal
from PyQt6.QtNetwork import QHostAddress, QTcpSocket

from ..protocol import Command, Connection, Process
from .fast_output import FastOutput

#: How long events are handled before the event loop gets its turn, in seconds.
_SLICE = 0.015

#: How many bytes are taken apart at once: about a millisecond's worth.
_PIECE = 64 * 1024

#: How much of the end of standard error is kept, in bytes: it is a part of a sentence.
_ERROR_TEXT = 300

#: How long a server that was asked to end may take, in milliseconds: somebody who presses "Stop" waits for it.
_GRACE_MS = 250

#: How long a server may take that has child processes to end first.
_GRACE_WITH_CHILDREN_MS = 1000

#: How long the system may take to end a process that is killed.
_KILL_MS = 2000


class Server(QObject):
    """A debug server: takes commands, and emits its events in the order in which they came.

    Commands are queued, never waited for. Events are handled for at most 15 ms per turn of the event loop. That is
    enough for everything that a program prints, so that answers do not stand behind it; whoever shows it has to keep
    it in bounds. What the server sends in the meantime stays in the pipe or socket.
    """

    #: A list of events (`ez_debugger.protocol.Event`).
    received = pyqtSignal(list)
    #: The server has ended, and all that it sent was received: a sentence that says how.
    ended = pyqtSignal(str)

    def __init__(self, device: QIODevice, parent: Optional[QObject] = None) -> None:
        """`device` has the bytes of both directions."""
        super().__init__(parent)
        self._device = device
        self._connection = Connection()
        self._incoming = FastOutput(self._connection)
        self._has_finished = False
        self._is_reading = False
        self._has_ended = False
        self._grace = QTimer(self)
        self._grace.setSingleShot(True)
        self._grace.timeout.connect(self._give_up)
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.timeout.connect(self._read)

    def start(self) -> None:
        """Starts or connects the server; a failure is reported by `ended`."""
        raise NotImplementedError

    @property
    def has_ended(self) -> bool:
        """Whether it has ended, or was told to; all that it sent was read."""
        return self._has_ended

    @property
    def process_id(self) -> int:
        """The id of the server's process, 0 if it does not run."""
        raise NotImplementedError

    def send(self, command: str, **params: Any) -> Command:
        """Queues a command."""
        data = self._connection.send(command, **params)
        sent = self._connection.last_command
        assert sent is not None
        if self._device.isOpen():
            self._device.write(data)
        return sent

    def close_later(self, has_children: bool = False) -> None:
        """Ends the server if it has not ended by itself within a quarter of a second, or one with child processes."""
        self._grace.start(_GRACE_WITH_CHILDREN_MS if has_children else _GRACE_MS)

    def close_now(self) -> None:
        """Ends the server; `ended` follows."""
        self._grace.stop()
        self._give_up()

    def kill(self) -> None:
        """Ends the server, or the connection to it, at once; nothing is emitted any more."""
        self._has_ended = True

    def _give_up(self) -> None:
        raise NotImplementedError

    def _how_it_finished(self) -> str:
        raise NotImplementedError

    def _read(self) -> None:
        # A slot that runs an event loop (a dialog) may get here again: the events wait for their turn.
        if self._is_reading or self._has_ended:
            return
        self._is_reading = True
        end = time.monotonic() + _SLICE
        try:
            while not self._has_ended and self._device.isOpen():
                data = self._device.read(_PIECE)
                if data:
                    self._pass_on(self._incoming.receive(bytes(data)))
                if time.monotonic() >= end or not data and not self._has_more():
                    break
        finally:
            self._is_reading = False
        if self._has_ended:
            return
        if self._device.bytesAvailable():
            self._next.start(0)
        elif self._has_finished:
            self._end(self._how_it_finished())

    def _has_more(self) -> bool:
        """Whether there are bytes that the device has got, or can get now."""
        return self._device.bytesAvailable() > 0

    def _pass_on(self, events: List[Any]) -> None:
        if events:
            self.received.emit(events)

    def _finish(self) -> None:
        self._has_finished = True
        self._read()

    def _end(self, sentence: str) -> None:
        if not self._has_ended:
            self._has_ended = True
            self._pass_on(self._incoming.end())
            self.ended.emit(sentence)


class ServerProcess(Server):
    """A debug server in a process of its own."""

    def __init__(self, program: Sequence[str], working_dir: str, parent: Optional[QObject] = None,
                 root: Optional[str] = None) -> None:
        """`program`: the program and the arguments that come before `debugserver`. `root`: out of which no file is reached."""
        process = QProcess()
        super().__init__(process, parent)
        process.setParent(self)
        self._command = [*program, "debugserver", *([] if root is None else ["--root", root])]
        self._stderr = b""
        self._process = process
        if working_dir:
            self._process.setWorkingDirectory(working_dir)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.readyReadStandardError.connect(self._read_stderr)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._fail)

    def start(self) -> None:
        self._process.start(self._command[0], self._command[1:])

    @property
    def process_id(self) -> int:
        return self._process.processId()

    def kill(self) -> None:
        super().kill()
        self._process.kill()
        self._process.waitForFinished(_KILL_MS)

    def _give_up(self) -> None:
        self._process.kill()

    def _has_more(self) -> bool:
        # In a turn of the event loop, Qt takes no more out of the pipe than what fits in there at once.
        return self._process.waitForReadyRead(0)

    def _read_stderr(self) -> None:
        self._stderr = (self._stderr + self._process.readAllStandardError().data())[-_ERROR_TEXT:]

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._end(f"The debug server cannot be started: {self._command[0]}: {self._process.errorString()}.")

    def _how_it_finished(self) -> str:
        self._read_stderr()
        code = self._process.exitCode()
        if self._process.exitStatus() == QProcess.ExitStatus.CrashExit:
            how = f"The debug server was ended by the system (signal {code})."
        else:
            how = f"The debug server has ended with status {code}."
        said = self._stderr.decode("utf-8", "replace").strip()
        return f"{how} It wrote: {said}" if said else how


class ServerSocket(Server):
    """A debug server that listens: a child process of a program (`childStarted` in SPEC.md)."""

    def __init__(self, process: Process, parent: Optional[QObject] = None) -> None:
        socket = QTcpSocket()
        super().__init__(socket, parent)
        socket.setParent(self)
        self._socket = socket
        self._child = process
        socket.readyRead.connect(self._read)
        socket.disconnected.connect(self._finish)
        socket.errorOccurred.connect(self._fail)

    def start(self) -> None:
        self._socket.connectToHost(QHostAddress(self._child.host or ""), self._child.port or 0)

    @property
    def process_id(self) -> int:
        return 0 if self._has_ended else self._child.pid

    def kill(self) -> None:
        super().kill()
        self._socket.abort()

    def _give_up(self) -> None:
        self._socket.abort()
        self._finish()

    def _fail(self, error: QTcpSocket.SocketError) -> None:
        if error != QTcpSocket.SocketError.RemoteHostClosedError:
            self._end(f"The process {self._child.pid} cannot be reached: {self._socket.errorString()}.")

    def _how_it_finished(self) -> str:
        return f"The process {self._child.pid} has closed the connection."
