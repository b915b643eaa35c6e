"""What `ez test` tells: results, and lists of cases."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Optional, Tuple, Type, TypeVar

from ..protocol.base import Record
from ..protocol.decode import decode

__all__ = ["CaseFiles", "CaseList", "CaseResult", "CauseLine", "Statement"]

#: The kind of a failure that is none of the program: it could not be run.
NOT_RUN = "notRun"

R = TypeVar("R", bound=Record)

#: What no line can be without.
_REQUIRED = ("program", "case", "result")


@dataclass(frozen=True)
class Statement(Record):
    """A statement of the program."""

    #: Its file, from the folder of the program on.
    file: str = ""
    line: int = 0
    #: Its step, if it has printed the difference.
    step: Optional[int] = None
    text: str = ""


@dataclass(frozen=True)
class CauseLine(Record):
    """Where something that was printed wrong comes from: a statement, and what it has done."""

    text: str = ""
    #: How far it is from the output: what a line at a depth comes from is below it, one deeper.
    indent: int = 0
    file: str = ""
    line: int = 0
    step: Optional[int] = None


@dataclass(frozen=True)
class CaseResult(Record):
    """What has become of a case of a program."""

    #: The program's file, as it was given or found in a folder.
    program: str = ""
    #: The name of the case.
    case: str = ""
    #: Which of the program's cases it is, from 1 on, and how many were asked for.
    number: int = 0
    of: int = 0
    #: `passed` or `failed`.
    result: str = ""
    seconds: float = 0.0
    #: In which way it has failed: `output`, `error`, `limit`, `signal`, `status`, or `notRun` if it could not be run.
    kind: str = ""
    #: What is wrong, in one line.
    message: str = ""
    #: What else there is to say.
    remarks: Tuple[str, ...] = ()
    #: How it has ended besides.
    then: str = ""
    #: Where the output differs: its line, and the column in characters.
    line: Optional[int] = None
    column: Optional[int] = None
    #: How many characters of the two lines are left out at their beginning.
    left_out: int = 0
    #: The line that is expected there, and the one that was printed; None: no more.
    expected: Optional[str] = None
    printed: Optional[str] = None
    #: The statement that has printed the difference, or where the run-time error is.
    at: Optional[Statement] = None
    cause: Tuple[CauseLine, ...] = ()
    #: The reports, if the program has errors and cannot be run.
    errors: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether the program has done what it has to."""
        return self.result == "passed"

    @property
    def was_run(self) -> bool:
        """Whether the result says something of the program: it could be run."""
        return self.kind != NOT_RUN


@dataclass(frozen=True)
class CaseFiles(Record):
    """A case, before it is run."""

    case: str = ""
    #: One of its files, which names it for `ez test --cases`.
    file: str = ""
    #: The files with what the program reads and has to print; None: nothing, and anything.
    input: Optional[str] = None
    output: Optional[str] = None
    arguments: Tuple[str, ...] = ()
    #: The exit status with which it has to end.
    status: int = 0


@dataclass(frozen=True)
class CaseList(Record):
    """A program with its cases."""

    program: str = ""
    #: The files and folders that decide which program it is: its own, and those that its imports name or may mean.
    files: Tuple[str, ...] = ()
    #: Where they are.
    cases: str = ""
    list: Tuple[CaseFiles, ...] = ()


def record(kind: Type[R], line: bytes) -> R:
    """What a line of `ez test --json` says. Raises ValueError if it is none of these."""
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("no object")
    made = decode(kind, value)
    if not all(getattr(made, name) for name in _REQUIRED if hasattr(made, name)):
        raise ValueError("another object")
    return made
