"""Runs programs with their cases, and tells the results as they come: `ez test`.

    for result in run_cases("average.ez"):
        print(result.case, result.result, result.message)

`run_cases` takes one program or many, and runs them itself or by an executor of `concurrent.futures`; `by_program` puts
the results of each program together. What a case is, and how it is judged, is said by `ez test --help`.
"""

from __future__ import annotations

from .results import CaseResult, CauseLine, Statement
from .run import by_program, run_cases

__all__ = ["CaseResult", "CauseLine", "Statement", "by_program", "run_cases"]
