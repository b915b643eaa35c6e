"""Lets this process become `ez`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Sequence

from .client.errors import DebuggerError
from .client.find import find_ez


def become_ez(arguments: Sequence[str]) -> int:
    """Runs the installed `ez`. Returns its status, or does not return."""
    try:
        command = [find_ez(), *arguments]
    except DebuggerError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if sys.platform == "win32":
        # A process cannot become another one. Ctrl+C reaches both, and is for the other.
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return subprocess.call(command)
    try:
        os.execv(command[0], command)
    except OSError as error:
        print(f"Error: cannot start {command[0]}: {error}", file=sys.stderr)
        return 1
