"""The texts of a program and its cases, for machines that do not have the files."""

from __future__ import annotations

import os
from typing import Dict, Iterable, Mapping, Optional

from .results import CaseFiles

#: Where the copies are.
_PROGRAM, _CASES = "program", "cases"


def copies_of_program(program: str, files: Iterable[str]) -> Optional[Mapping[str, bytes]]:
    """The files that a program is made of, by the names of their copies.

    None if one of them cannot be read, or is not below the program's folder.
    """
    copies = {}
    folder = os.path.dirname(os.path.abspath(program))
    try:
        # An import of what is not there fails with the copies, too.
        for file in filter(os.path.isfile, files):
            if not is_in_reach(program, os.path.realpath(file)):
                return None
            copies[f"{_PROGRAM}/{os.path.relpath(file, folder).replace(os.sep, '/')}"] = _content(file)
    except (OSError, ValueError):
        return None
    return copies if copy_of(program) in copies else None


def copy_of(program: str) -> str:
    """The name of the copy of a program's file."""
    return f"{_PROGRAM}/{os.path.basename(program)}"


def is_in_reach(program: str, file: str) -> bool:
    """Whether a program that is run where it is could change a file: it reaches all that is in its folder."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(program)))
    try:
        return os.path.commonpath([folder, os.path.realpath(os.path.dirname(file))]) == folder
    except ValueError:
        # It is on another drive.
        return False


def add_case(case: CaseFiles, copies: Dict[str, bytes]) -> str:
    """Adds the files of a case; returns the name of one of them. Raises OSError if one cannot be read."""
    name = f"{_CASES}/{case.case}"
    if case.input is not None:
        copies[f"{name}.in"] = _content(case.input)
    if case.output is not None:
        copies[f"{name}.out"] = _content(case.output)
    copies[f"{name}.args"] = "".join(f"{argument}\n" for argument in case.arguments).encode()
    copies[f"{name}.status"] = str(case.status).encode()
    return f"{name}.status"


def _content(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()
