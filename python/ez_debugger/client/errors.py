"""What can go wrong in a session."""

from __future__ import annotations

from typing import Optional, Sequence

from ..protocol import Diagnostic, Location


class DebuggerError(Exception):
    """Any failure of a session."""


class CommandError(DebuggerError):
    """The server has refused a command, or it failed there: the server's words, and the code if there is one."""

    def __init__(self, error: Diagnostic) -> None:
        super().__init__(error.message if error.code is None else f"{error.message} [{error.code}]")
        self.error = error

    @property
    def message(self) -> str:
        return self.error.message

    @property
    def code(self) -> Optional[str]:
        return self.error.code

    @property
    def command(self) -> Optional[str]:
        """The command, under its name in SPEC.md."""
        return self.error.command

    @property
    def location(self) -> Optional[Location]:
        """Where in the expression (or in the program) the error is."""
        return self.error.location


class ProgramError(DebuggerError):
    """The program cannot be read or does not check; `diagnostics` are its errors."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(map(_report, diagnostics)))
        self.diagnostics = tuple(diagnostics)


class TimeLimitError(DebuggerError, TimeoutError):
    """There is no answer within the time limit. A program that runs can still be paused, or waited for."""


class InputRequired(DebuggerError):
    """The program waits for input that the session was not given.

    `send_input` gives it, and `wait` goes on.
    """

    def __init__(self) -> None:
        super().__init__("the program waits for input: send_input() gives it, and wait() goes on")


class StaleError(DebuggerError):
    """A value of a stop was asked for that had not been fetched before the program went on."""


class ServerGone(DebuggerError):
    """The server has ended: `status` is its exit status, `stderr` the end of what it wrote to standard error."""

    def __init__(self, status: Optional[int], stderr: str) -> None:
        said = f":\n{stderr.rstrip()}" if stderr.strip() else ""
        super().__init__(f"the debug server has ended with status {status}{said}")
        self.status = status
        self.stderr = stderr


def _report(error: Diagnostic) -> str:
    place = error.location
    where = "" if place is None else f"{place.file}:{place.line}:{place.column}: "
    code = "" if error.code is None else f" [{error.code}]"
    return f"{where}{error.message}{code}"
