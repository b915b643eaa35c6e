"""`ez test` beside the windows."""

from __future__ import annotations

import os
from typing import Callable, Optional, Sequence

from PyQt6.QtCore import QCoreApplication, QObject, QProcess, pyqtSignal

from ..cases.results import CaseList, CaseResult, record
from ..client import DebuggerError
from .session import DebugSession

#: How much of the end of standard error is kept, in bytes.
_ERROR_TEXT = 4096

#: How long it may take to end when it is told to, in milliseconds: it removes what it has written.
_GRACE_MS = 500


class CaseRunner(QObject):
    """Finds and runs the cases of a program, one of both at a time. Nothing here waits."""

    #: The cases of the program: a `CaseList`.
    listed = pyqtSignal(object)
    #: A `CaseResult`, as soon as it is there.
    result_received = pyqtSignal(object)
    #: It is over; a sentence if something could not be done. Nothing is emitted after `stop`.
    finished = pyqtSignal(str)

    def __init__(self, session: DebugSession, parent: Optional[QObject] = None) -> None:
        """`session` knows the program `ez`."""
        super().__init__(parent)
        self._session = session
        self._process: Optional[QProcess] = None
        self._line = self._errors = b""
        self._take: Callable[[bytes], None] = lambda _: None
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.stop)

    @property
    def is_running(self) -> bool:
        """Whether it is at work."""
        return self._process is not None

    def find(self, program: str) -> None:
        """Finds the cases of a program."""
        self._start(["--json", "--list"], program, lambda line: self.listed.emit(record(CaseList, line)))

    def run(self, program: str, files: Sequence[str] = ()) -> None:
        """Runs all cases of a program, or those to which files belong."""
        flags = ["--json", "--each", *(f"--cases={file}" for file in files)]
        self._start(flags, program, lambda line: self.result_received.emit(record(CaseResult, line)))

    def stop(self) -> None:
        """Ends what is under way."""
        process, self._process = self._process, None
        if process is None:
            return
        process.blockSignals(True)
        process.terminate()
        if not process.waitForFinished(_GRACE_MS):
            process.kill()
            process.waitForFinished(_GRACE_MS)
        process.deleteLater()

    def _start(self, flags: Sequence[str], program: str, take: Callable[[bytes], None]) -> None:
        self.stop()
        try:
            ez = self._session.program()
        except DebuggerError as error:
            self.finished.emit(f"The cases cannot be run: {error}.")
            return
        self._line = self._errors = b""
        self._take = take
        process = self._process = QProcess(self)
        process.setWorkingDirectory(os.path.dirname(program))
        process.setStandardInputFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(lambda: self._read(process))
        process.readyReadStandardError.connect(lambda: self._read_errors(process))
        process.finished.connect(lambda *_: self._finish(process))
        process.errorOccurred.connect(lambda error: self._fail(process, error))
        process.start(ez[0], [*ez[1:], "--color", "never", "test", *flags, "--", program])

    def _read(self, process: QProcess) -> None:
        *lines, self._line = (self._line + process.readAllStandardOutput().data()).split(b"\n")
        for line in lines:
            if process is self._process:
                try:
                    self._take(line)
                except ValueError:
                    self._end(process, f"{process.program()} is no ez of this package: it does not know cases.")

    def _read_errors(self, process: QProcess) -> None:
        self._errors = (self._errors + process.readAllStandardError().data())[-_ERROR_TEXT:]

    def _finish(self, process: QProcess) -> None:
        self._read(process)
        self._read_errors(process)
        said = self._errors.decode("utf-8", "replace").strip()
        sentence = ""
        if process.exitStatus() == QProcess.ExitStatus.CrashExit:
            sentence = "The process that runs the cases was ended by the system."
        elif process.exitCode() not in (0, 1):
            sentence = said[len("Error: "):] if said.startswith("Error: ") else said or "The cases cannot be run."
        self._end(process, sentence)

    def _fail(self, process: QProcess, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._end(process, f"The cases cannot be run: {process.program()}: {process.errorString()}.")

    def _end(self, process: QProcess, sentence: str) -> None:
        if process is self._process:
            self._process = None
            # It may still run when it is deleted, and would tell its end then.
            process.blockSignals(True)
            process.kill()
            process.deleteLater()
            self.finished.emit(sentence)
