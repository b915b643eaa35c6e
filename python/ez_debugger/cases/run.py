"""Runs cases, here or by an executor."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from ..client.errors import DebuggerError
from .command import Settings, paths
from .pool import Pool
from .results import CaseResult

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]

#: How many programs are named in one command.
_PROGRAMS = 500


def run_cases(
    programs: Paths,
    cases: Union[None, Paths] = None,
    *,
    only: Optional[str] = None,
    mode: str = "lines",
    float_error: Optional[float] = None,
    time: float = 10.0,
    memory: Union[int, str] = "512M",
    deny: Sequence[str] = (),
    allow_net: bool = False,
    jobs: Optional[int] = None,
    executor: Optional[Executor] = None,
    copies: bool = False,
    ez: Optional[Path] = None,
) -> Iterator[CaseResult]:
    """Runs programs with their cases; gives each result as soon as it is there.

    `programs` are files, or folders of programs; `cases` the folders or files of cases for all of them, without it each
    has its own. The limits are for each case: `time` in seconds, `memory`, what it is kept from besides `net` and `exec`.

    Without an `executor` they are run by one `ez test`, `jobs` at a time. With one, each of its tasks runs a few cases of
    a program by an `ez test` where the task is; with `copies` it gets the texts of program and cases, for a folder of its
    own, else their paths.
    A task that fails is tried again once, a case at a time; what fails then is a result of the kind `notRun`.
    The executor stays open. When the iterator is closed, what has not begun is cancelled.

    Raises DebuggerError if there is nothing to run, and at the end if something else than a case was wrong: one of the
    programs has no cases, or cannot be read.
    """
    if executor is not None and jobs is not None:
        raise ValueError("with an executor, that decides how many cases are run at a time: jobs is for runs without one")
    if isinstance(deny, str):
        raise TypeError("deny is a text: expected a list of texts")
    settings = Settings(mode, float_error, time, memory, tuple(deny), allow_net, None if ez is None else os.fspath(ez))
    files, places = paths(programs), [] if cases is None else paths(cases)
    if executor is None:
        return _in_groups(settings, files, places, only, jobs)
    return Pool(executor, settings, copies).run(_groups(files), places, only)


def by_program(results: Iterable[CaseResult]) -> Iterator[Tuple[str, List[CaseResult]]]:
    """Each program with the results of all of its cases, in the order of these, as soon as all are there."""
    begun: Dict[str, List[CaseResult]] = {}
    for result in results:
        of_program = begun.setdefault(result.program, [])
        of_program.append(result)
        if len(of_program) == result.of:
            yield result.program, sorted(begun.pop(result.program), key=lambda one: one.number)


def _groups(files: Sequence[str]) -> Iterator[Sequence[str]]:
    return (files[at:at + _PROGRAMS] for at in range(0, max(1, len(files)), _PROGRAMS))


def _in_groups(settings: Settings, files: Sequence[str], places: Sequence[str], only: Optional[str],
               jobs: Optional[int]) -> Iterator[CaseResult]:
    problems = []
    for group in _groups(files):
        try:
            yield from settings.run(group, places, only, jobs)
        except DebuggerError as error:
            problems.append(str(error))
    if problems:
        raise DebuggerError("\n".join(dict.fromkeys(problems)))
