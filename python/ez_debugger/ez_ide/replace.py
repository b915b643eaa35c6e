"""Replaces what the IDE's main window is made of."""

from __future__ import annotations

import os
import shutil
from types import ModuleType
from typing import Any, Optional

from ..client import DebuggerError, find_ez
from .find import load
from .panel import IdePanel
from .session import IdeSession


def replace_debugger(folder: str, ez: Optional[str] = None) -> ModuleType:
    """Loads the IDE's module `app.main_window`, with this debugger in it. Its window is not made yet.

    `ez`: the program to debug with; without it the one in the wheel, or else on the path.
    """
    module: Any = load(folder)
    program = _program(ez) if ez else find_ez()
    panel = type("DebugPanel", (IdePanel,), {"ez": program})
    module.DebugPanel = panel
    module.GoDebugSession = module.DebugSession = IdeSession
    _ask_for_a_file(module.EZIDEMainWindow)
    find_support = module.detect_debugger_support
    # The IDE asks what the interpreter of its settings can do; programs are debugged with this one.
    module.detect_debugger_support = lambda _: find_support(program)
    # Where the IDE finds an interpreter for its Run button, if there is no other.
    os.environ["PATH"] = os.environ.get("PATH", "") + os.pathsep + os.path.dirname(program)
    loaded: ModuleType = module
    return loaded


def _ask_for_a_file(window: Any) -> None:
    """Before the IDE starts the file in front, there has to be one."""
    start = window._debug_start

    def start_file(self: Any) -> None:
        if self.debug_session.has_program():
            start(self)

    window._debug_start = start_file


def _program(ez: str) -> str:
    """The path of a program that the user names."""
    found = shutil.which(ez)
    if found is None:
        raise DebuggerError(f"{ez} is not a program that can be run: --ez names the program ez of ez-debugger.")
    return os.path.abspath(found)
