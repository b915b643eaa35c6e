"""Which files a run of cases has read, and whether these are still the same."""

from __future__ import annotations

import glob
import os
import re
from typing import Dict, Iterable, List, Optional, Tuple

from ..cases.results import CaseFiles

#: When each file was changed last, in nanoseconds, and its size in bytes; None: there is none.
Stamps = Dict[str, Optional[Tuple[int, int]]]

_IMPORT = re.compile(r"^\s*import\b.*", re.MULTILINE)
_TEXT = re.compile(r'"([^"\n]+)"')

#: How many files of a program are looked at, and how much of each, in characters.
_MOST_FILES, _MOST = 200, 1 << 20


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
    return [*usual, *(os.path.abspath(file) for file in (case.input, case.output) if file is not None)]


def files_of(program: str) -> List[str]:
    """The file of a program, and those of what it imports by their paths."""
    files = [program]
    for file in files:
        for imported in _imports(file):
            if imported not in files and len(files) < _MOST_FILES:
                files.append(imported)
    return files


def _imports(file: str) -> List[str]:
    try:
        if not os.path.isfile(file):
            return []
        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read(_MOST)
    except OSError:
        return []
    found = []
    for path in (path for line in _IMPORT.findall(text) for path in _TEXT.findall(line)):
        place = os.path.normpath(os.path.join(os.path.dirname(file), path))
        # It is a file, or a folder with files of one module.
        inside = sorted(glob.glob(os.path.join(glob.escape(place), "*.ez"))) if os.path.isdir(place) else []
        found += [place if place.endswith(".ez") else f"{place}.ez", *inside]
    return found


def _stamp(file: str) -> Optional[Tuple[int, int]]:
    try:
        known = os.stat(file)
    except (OSError, ValueError):
        return None
    return known.st_mtime_ns, known.st_size
