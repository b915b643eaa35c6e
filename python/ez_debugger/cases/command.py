"""`ez test` as a process."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO, Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from ..client.errors import DebuggerError
from ..client.find import find_ez
from ..client.server import GRACE, NO_WINDOW
from ..protocol.base import Record
from .results import CaseList, CaseResult, record

R = TypeVar("R", bound=Record)

#: How much is told of what `ez test` has written to standard error, in bytes.
_ERRORS = 64 * 1024

#: The statuses with which it has done what it was asked to: all have passed, or some have not.
_DONE = (0, 1)


@dataclass(frozen=True)
class Settings:
    """How cases are run and judged: the flags of `ez test`."""

    mode: str = "lines"
    float_error: Optional[float] = None
    time: float = 10.0
    memory: Union[int, str] = "512M"
    deny: Tuple[str, ...] = ()
    allow_net: bool = False
    #: The program `ez`; None: the one that is found where it runs.
    ez: Optional[str] = None

    def run(self, programs: Sequence[str], cases: Sequence[str], only: Optional[str] = None, jobs: Optional[int] = None
            ) -> Iterator[CaseResult]:
        """Runs programs with their cases, or those in `cases`; gives each result as soon as it is there.

        Raises DebuggerError, at the end, if something could not be run.
        """
        given = {"--mode": self.mode, "--float-error": self.float_error, "--time": self.time, "--memory": self.memory,
                 "--deny": ",".join(self.deny) or None, "--jobs": jobs}
        flags = ["--json", "--each", *(["--allow-net"] if self.allow_net else []), *_flags(given)]
        come: Dict[Tuple[str, int], int] = {}
        for result in self._objects(CaseResult, flags, programs, cases, only):
            of_program = result.program, result.of
            come[of_program] = come.get(of_program, 0) + 1
            yield result
        # A program that is named twice has them twice.
        if not come or any(of < 1 or number % of for (_, of), number in come.items()):
            raise DebuggerError("ez test has ended without a result for each case")

    def cases_of(self, programs: Sequence[str], cases: Sequence[str], only: Optional[str] = None) -> Iterator[CaseList]:
        """The cases of programs. Raises DebuggerError, at the end, if there are none for one of them."""
        return self._objects(CaseList, ["--json", "--list"], programs, cases, only)

    def _objects(self, kind: Type[R], flags: Sequence[str], programs: Sequence[str], cases: Sequence[str],
                 only: Optional[str]) -> Iterator[R]:
        where = [f"--cases={place}" for place in cases]
        command = [self.ez or find_ez(), "--color", "never", "test", *flags, *where, *_flags({"--only": only}), "--",
                   *programs]
        with tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                           creationflags=NO_WINDOW)
            except (OSError, ValueError) as error:
                raise DebuggerError(f"cannot start {command[0]}: {error}") from error
            assert process.stdout is not None
            try:
                with process.stdout:
                    for line in process.stdout:
                        yield _record(kind, line, command[0])
                status = process.wait()
            finally:
                _end(process)
            if status not in _DONE:
                raise DebuggerError(_said(errors) or f"ez test has ended with status {status}")


def paths(given: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]) -> Sequence[str]:
    """One path, or several, as texts."""
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(one) for one in given]


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends it, if it has not ended. It removes what it has written; programs end at their limits."""
    process.terminate()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _flags(given: Mapping[str, Any]) -> Sequence[str]:
    return [f"{name}={value}" for name, value in given.items() if value is not None]


def _record(kind: Type[R], line: bytes, ez: str) -> R:
    try:
        return record(kind, line)
    except ValueError:
        said = line[:80].decode("utf-8", "replace")
        raise DebuggerError(f"{ez} is no ez of this package: {said!r} is no result") from None


def _said(errors: IO[bytes]) -> str:
    errors.seek(0)
    said = errors.read(_ERRORS).decode("utf-8", "replace").strip()
    return said[len("Error: "):] if said.startswith("Error: ") else said
