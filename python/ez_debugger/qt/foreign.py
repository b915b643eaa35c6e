"""What a program is that does not answer as a debug server does."""

from __future__ import annotations

import re
from typing import Callable, Optional, Sequence

from PyQt6.QtCore import QObject, QProcess, QTimer

#: How long the program may take to say what it is, in milliseconds.
_LONGEST_MS = 3000

#: How much of what it says is looked at, in bytes.
_LONGEST = 4096

_VERSION = re.compile(r"\bEZ\b\D*(\d+(?:\.\d+)+)")

_WHAT_TO_DO = "install ez-debugger, or name its program ez with --ez"


class VersionQuestion(QObject):
    """Asks a program for its version, and says in a sentence why it is no debug server."""

    def __init__(self, program: Sequence[str], ending: str, on_answer: Callable[[str], None], parent: QObject) -> None:
        """`ending`: the sentence that says how it has ended."""
        super().__init__(parent)
        self._program = list(program)
        self._ending = ending
        self._on_answer = on_answer
        self._process = QProcess(self)
        self._said = b""
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._fail)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._process.kill)
        self._timer.start(_LONGEST_MS)
        self._process.start(self._program[0], [*self._program[1:], "version"])
        self._process.closeWriteChannel()

    def drop(self) -> None:
        """The answer is not of interest any more."""
        self._on_answer = lambda _: None
        self._process.kill()
        self._process.waitForFinished(_LONGEST_MS)
        self.deleteLater()

    def _read(self) -> None:
        self._said += self._process.readAllStandardOutput().data()
        if len(self._said) > _LONGEST:
            # It may be one that does not end.
            self._process.kill()

    def _finish(self) -> None:
        self._read()
        self._answer(self._said[:_LONGEST])

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._answer(None)

    def _answer(self, output: object) -> None:
        self._timer.stop()
        text = output.decode("utf-8", "replace") if isinstance(output, bytes) else None
        self._on_answer(explanation(self._program[0], text, self._ending))
        self.deleteLater()


def explanation(program: str, version: Optional[str], ending: str) -> str:
    """Why a program is no debug server. `version`: what it says of itself, None if it cannot be started."""
    if version is None or "ez-debugger" in version:
        return ending
    found = _VERSION.search(version)
    if found is not None:
        return f"{program} is EZ {found.group(1)} without a debugger; {_WHAT_TO_DO}."
    return f"{program} is not the program ez of ez-debugger; {_WHAT_TO_DO}. {ending}"


def unsuited(program: str, problem: str) -> str:
    """What is said of a server of another version, with what `misfit` says of it."""
    return f"{program} is an ez-debugger that is {problem}; {_WHAT_TO_DO}."
