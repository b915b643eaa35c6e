"""The texts of a program and its cases, for machines that do not have the files."""

from __future__ import annotations

import os
from typing import Dict, Mapping, Optional

from ..client import DebuggerError, Session
from ..protocol import Modules
from .results import CaseFiles

#: Where the copies are.
_PROGRAM, _CASES = "program", "cases"


def copies_of_program(program: str, ez: Optional[str]) -> Optional[Mapping[str, bytes]]:
    """The files that a program is made of, by the names of their copies.

    None if that is not known: it has errors, or a module that is not below its folder.
    """
    copies = {}
    folder = os.path.dirname(os.path.abspath(program))
    try:
        with Session(program, ez=ez) as session:
            answer = session.request("getModules")
        files = [one.file for one in answer.modules if one.file] if isinstance(answer, Modules) else []
        for file in files:
            name = os.path.relpath(os.path.realpath(os.path.join(folder, file)), os.path.realpath(folder))
            if os.path.isabs(name) or name.split(os.sep)[0] == os.pardir:
                return None
            copies[f"{_PROGRAM}/{name.replace(os.sep, '/')}"] = _content(os.path.join(folder, name))
    except (DebuggerError, OSError, ValueError):
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
