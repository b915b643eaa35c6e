"""Where the program `ez` is."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from .errors import DebuggerError

_NAME = "ez.exe" if sys.platform == "win32" else "ez"


def find_ez() -> str:
    """The `ez` that was installed with this package, or else the one on the path."""
    schemes = (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"))
    # The last is the folder of `pip install --target`.
    for folder in (*schemes, str(Path(__file__).parents[2] / "bin")):
        program = os.path.join(folder, _NAME)
        if os.path.isfile(program):
            return program
    found = shutil.which("ez")
    if found is None:
        raise DebuggerError("there is no program 'ez': install ez-debugger, or name the program with ez=...")
    return found
