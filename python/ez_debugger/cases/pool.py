"""Cases that an executor of `concurrent.futures` runs."""

from __future__ import annotations

import os
import queue
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, replace
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

from ..client.errors import DebuggerError
from .command import Settings
from .copies import add_case, copies_of_program, copy_of, is_in_reach
from .results import NOT_RUN, CaseList, CaseResult
from .task import Task, carry_out

#: How many cases are in a task.
_CASES = 10
#: How many tasks are given to an executor before the first of them is done: nobody knows how many it can do at a time.
_TASKS = 1000
#: Waiting for a lock cannot be interrupted on Windows: it is done in slices, in seconds.
_SLICE = 0.1

Results = Sequence[CaseResult]


@dataclass(frozen=True)
class _Work:
    """A task with the cases that it is for."""

    listed: CaseList
    #: The numbers of the cases, from 1 on.
    numbers: Sequence[int]
    task: Task
    #: Whether it has failed before.
    is_again: bool = False
    #: What is begun when it is over.
    then: Optional["_Work"] = None
    #: Why it cannot be done; empty if it can.
    problem: str = ""

    def results(self, found: Results) -> Iterator[CaseResult]:
        """The results of its cases, as they are told here."""
        by_name = {one.case: one for one in found}
        for number in self.numbers:
            case = self.listed.list[number - 1].case
            result = by_name.get(case) or _not_run(case, "its task has given no result for it")
            yield replace(result, program=self.listed.program, number=number, of=len(self.listed.list))

    def failed(self, sentence: str) -> Iterator[CaseResult]:
        """What is told if it could not be done."""
        return self.results([_not_run(self.listed.list[number - 1].case, sentence) for number in self.numbers])

    def again(self) -> Optional["_Work"]:
        """A second time, one case after the other: one of them may end the worker, and what else that has to do."""
        work = None
        for number, task in reversed(list(zip(self.numbers, self.task.each_alone()))):
            work = _Work(self.listed, [number], task, True, work)
        return work


class Pool:
    """Gives tasks to an executor, and takes their results as they come."""

    def __init__(self, executor: Executor, settings: Settings, copies: bool) -> None:
        self._executor = executor
        self._settings = settings
        self._copies = copies
        self._begun: Dict["Future[Results]", _Work] = {}
        self._done: "queue.SimpleQueue[Future[Results]]" = queue.SimpleQueue()

    def run(self, groups: Iterable[Sequence[str]], places: Sequence[str], only: Optional[str]) -> Iterator[CaseResult]:
        """The results of the cases of programs. Raises DebuggerError, at the end, if something else was wrong."""
        problems: List[str] = []
        try:
            for group in groups:
                try:
                    for listed in self._settings.cases_of(group, places, only):
                        yield from self._begin(listed)
                except DebuggerError as error:
                    problems.append(str(error))
            while self._begun:
                yield from self._take()
        finally:
            for future in list(self._begun):
                future.cancel()
        if problems:
            raise DebuggerError("\n".join(dict.fromkeys(problems)))

    def _begin(self, listed: CaseList) -> Iterator[CaseResult]:
        program = copies_of_program(listed.program, listed.files) if self._copies else None
        works = self._works(listed, program)
        # A program that runs where its cases are may change those that are read after it.
        for work in works if program is not None else list(works):
            if work.problem:
                yield from work.failed(work.problem)
            elif self._copies and program is None:
                # What cannot be sent is not run, or would not be run there as it is here: its errors are told here.
                yield from _here(work)
            else:
                yield from self._submit(work)
            while len(self._begun) >= _TASKS or not self._done.empty():
                yield from self._take()

    def _works(self, listed: CaseList, program: Optional[Mapping[str, bytes]]) -> Iterator[_Work]:
        """The tasks for the cases of a program, with copies of it, or where it is."""
        name = os.path.abspath(listed.program) if program is None else copy_of(listed.program)
        for at in range(0, len(listed.list), _CASES):
            numbers, files, copies = [], [], dict(program or {})
            for number, case in enumerate(listed.list[at:at + _CASES], at + 1):
                file = os.path.abspath(case.file)
                try:
                    if program is not None or is_in_reach(listed.program, file):
                        file = add_case(case, copies)
                except OSError as error:
                    why = f"{error.filename or case.file}: {error.strerror or error}"
                    yield _Work(listed, [number], Task(self._settings, name, (file,), {}), problem=why)
                else:
                    numbers.append(number)
                    files.append(file)
            if numbers:
                yield _Work(listed, numbers, Task(self._settings, name, tuple(files), copies))

    def _submit(self, work: Optional[_Work]) -> Iterator[CaseResult]:
        while work is not None:
            try:
                future = self._executor.submit(carry_out, work.task)
            except Exception as error:  # noqa: BLE001  (each executor has its own)
                why = "is broken" if isinstance(error, BrokenExecutor) else "takes no tasks"
                yield from work.failed(f"the executor {why}: {_reason(error)}")
                work = work.then
            else:
                self._begun[future] = work
                future.add_done_callback(self._done.put)
                return

    def _take(self) -> Iterator[CaseResult]:
        """Waits for a task."""
        future = None
        while future is None:
            try:
                future = self._done.get(timeout=_SLICE)
            except queue.Empty:
                pass
        work = self._begun.pop(future)
        try:
            found = future.result()
        except CancelledError:
            yield from work.failed("its task was cancelled")
        except Exception as error:  # noqa: BLE001  (what an executor says of a worker that is gone is its own)
            if not work.is_again:
                yield from self._submit(work.again())
                return
            yield from work.failed(f"it was tried twice, the second time: {_reason(error)}")
        else:
            yield from work.results(found)
        yield from self._submit(work.then)


def _here(work: _Work) -> Iterator[CaseResult]:
    try:
        found = carry_out(work.task)
    except (DebuggerError, OSError) as error:
        return work.failed(str(error))
    return work.results(found)


def _not_run(case: str, sentence: str) -> CaseResult:
    return CaseResult(case=case, result="failed", kind=NOT_RUN, message=sentence)


def _reason(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{lines[0]} ({type(error).__name__})" if lines else type(error).__name__
