"""A few cases of a program, wherever they are run."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from typing import Mapping, Sequence, Tuple

from .command import Settings
from .results import CaseResult


@dataclass(frozen=True)
class Task:
    """Cases of a program, by their files. Can be pickled."""

    settings: Settings
    program: str
    #: A file of each case.
    files: Tuple[str, ...]
    #: The contents of the files that are names of copies; the others are paths, and read where they are.
    copies: Mapping[str, bytes]

    def each_alone(self) -> Sequence["Task"]:
        """A task for each case."""
        return [replace(self, files=(file,)) for file in self.files]


def carry_out(task: Task) -> Sequence[CaseResult]:
    """Runs the cases of a task. This is what an executor calls, in any process or on any machine."""
    if not task.copies:
        return list(task.settings.run([task.program], task.files, jobs=1))
    with tempfile.TemporaryDirectory(prefix="ez-cases-") as folder:
        for name, content in task.copies.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
        files = [os.path.join(folder, name) for name in task.files]
        return list(task.settings.run([os.path.join(folder, task.program)], files, jobs=1))
