"""Which files a run of cases has read, and whether these are still the same."""

from __future__ import annotations

import os
from typing import Dict, Iterable, List, Optional, Tuple

from ..cases.results import CaseFiles

#: When each file was changed last, in nanoseconds, and its size in bytes; None: there is none.
Stamps = Dict[str, Optional[Tuple[int, int]]]


def stamps_of(files: Iterable[str]) -> Stamps:
    """The stamps of files now."""
    return {file: _stamp(file) for file in files}


def are_same(stamps: Stamps) -> bool:
    """Whether the files are as they were."""
    return all(_stamp(file) == stamp for file, stamp in stamps.items())


def files_of_case(case: CaseFiles) -> List[str]:
    """The files of a case, also those that it does not have."""
    name = os.path.splitext(os.path.abspath(case.file))[0]
    usual = [f"{name}.{ending}" for ending in ("in", "out", "ans", "args", "status")]
    return list(dict.fromkeys([*usual, *(os.path.abspath(file) for file in (case.input, case.output) if file is not None)]))


def _stamp(file: str) -> Optional[Tuple[int, int]]:
    try:
        known = os.stat(file)
    except (OSError, ValueError):
        return None
    return known.st_mtime_ns, known.st_size
