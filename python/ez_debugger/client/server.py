"""A server in a process of its own.

Threads read and write its pipes, so that nothing here blocks longer than it is told to, on any system.
"""

from __future__ import annotations

import queue
import subprocess
import threading
import time
from collections import deque
from typing import IO, Deque, Optional, Sequence

from .errors import DebuggerError

#: Reading stops when this many pieces wait, and with it, after a while, the program that writes.
_PIECES = 4
#: How much is read at once.
PIECE = 64 * 1024
#: How much is kept of standard error, in pieces of at most 4 KiB.
ERROR_PIECES = 16
#: Waiting for a lock cannot be interrupted on Windows: it is done in slices, in seconds.
_SLICE = 0.1
#: How long a server that is told to end may take, in seconds.
GRACE = 2.0

#: Of `subprocess.Popen`: servers have no window.
NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)


class Server:
    """The process, its input and its outputs."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                creationflags=NO_WINDOW)
        except (OSError, ValueError) as error:
            raise DebuggerError(f"cannot start {command[0]}: {error}") from error
        process = self._process
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._commands: "queue.SimpleQueue[Optional[bytes]]" = queue.SimpleQueue()
        self._pieces: "queue.Queue[bytes]" = queue.Queue(_PIECES)
        self._errors: Deque[bytes] = deque(maxlen=ERROR_PIECES)
        #: Whether `close` has been called.
        self.is_closed = False
        self._closing = threading.Lock()
        self._threads = [
            threading.Thread(target=target, args=(stream,), daemon=True)
            for target, stream in (
                (self._write_commands, process.stdin), (self._read_pieces, process.stdout),
                (self._read_errors, process.stderr))
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self._give_up()
            raise DebuggerError(f"cannot start {command[0]}: {error}") from error

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def status(self) -> Optional[int]:
        """The exit status, if the process has ended."""
        return self._process.poll()

    def write(self, data: bytes) -> None:
        """Passes bytes on; what cannot be written any more is dropped."""
        self._commands.put(data)

    def read(self, seconds: Optional[float]) -> Optional[bytes]:
        """What has come, nothing (`b""`) at the end; None if nothing has come in so many seconds, or in a moment."""
        if self.is_closed:
            return b""
        try:
            return self._pieces.get(timeout=_SLICE if seconds is None else max(0.0, min(seconds, _SLICE)))
        except queue.Empty:
            return None

    def stderr(self) -> str:
        """The end of what the process wrote to standard error; of one that has ended, to its last byte."""
        if self.status is not None:
            self._threads[2].join(GRACE)
        return b"".join(self._errors).decode("utf-8", "replace")

    def wait(self, seconds: float = GRACE) -> bool:
        """Whether the process has ended, at last when some seconds have passed."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self, at_once: bool) -> None:
        """Ends the process, if it does not end by itself now that its input does."""
        self.is_closed = True
        with self._closing:
            try:
                self._commands.put(None)
                if not at_once:
                    self.wait()
            finally:
                self._process.kill()
                self._process.wait()
                deadline = time.monotonic() + GRACE
                for thread in self._threads:
                    thread.join(max(0.0, deadline - time.monotonic()))

    def abandon(self) -> None:
        """Ends the process at once, and waits for nothing else."""
        self.is_closed = True
        self._commands.put(None)
        self._process.kill()
        self._process.wait()

    def _give_up(self) -> None:
        """Not all threads could be started."""
        self.abandon()
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        for thread, stream in zip(self._threads, streams):
            if thread.ident is None and stream is not None:
                stream.close()

    def _write_commands(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                while True:
                    data = self._commands.get()
                    if data is None:
                        return
                    rest = memoryview(data)
                    while rest:
                        rest = rest[stream.write(rest):]
        except OSError:
            # The process has ended: the reader says so.
            pass

    def _read_pieces(self, stream: IO[bytes]) -> None:
        with stream:
            while True:
                piece = _read(stream, PIECE)
                self._keep(piece)
                if not piece:
                    return

    def _keep(self, piece: bytes) -> None:
        # When nobody reads any more, it is dropped.
        while not self.is_closed:
            try:
                return self._pieces.put(piece, timeout=_SLICE)
            except queue.Full:
                pass

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            while True:
                piece = _read(stream, 4096)
                if not piece:
                    return
                self._errors.append(piece)


def _read(stream: IO[bytes], most: int) -> bytes:
    try:
        return stream.read(most) or b""
    except OSError:
        return b""
