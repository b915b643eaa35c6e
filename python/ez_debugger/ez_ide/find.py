"""Finds the IDE, and makes sure that it is the expected one."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import Optional, Tuple

#: What this package was written for.
EXPECTED = "version 1.0.0 of the EZ IDE (PyQt6)"

#: What `app.main_window` has to have, and its window.
_NAMES = ("EZIDEMainWindow", "GoDebugSession", "DebugSession", "DebugPanel", "detect_debugger_support")
_METHODS = ("_setup_ui", "_setup_menus", "_setup_debug", "_debug_start", "_debug_step", "_debug_stop",
            "_on_debug_started", "_on_debug_ended")


class NotTheIde(Exception):
    """There is no IDE, or another one than expected; the message is a sentence."""


def find_folder(argument: Optional[str]) -> str:
    """The folder of the IDE: the argument, the environment variable `EZ_IDE`, or the current folder."""
    named = argument or os.environ.get("EZ_IDE")
    folder = os.path.abspath(named or os.getcwd())
    if not os.path.isfile(os.path.join(folder, "app", "main_window.py")):
        hint = "" if named else "; name its folder, or set EZ_IDE"
        raise NotTheIde(f"{folder} has no app/main_window.py, so it is not {EXPECTED}{hint}.")
    return folder


def load(folder: str) -> ModuleType:
    """The IDE's module `app.main_window`, with everything in it that is replaced."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module("app.main_window")
    except (ImportError, SyntaxError) as error:
        raise NotTheIde(f"{folder} cannot be loaded as {EXPECTED}: {error}.") from error
    missing = _missing(module)
    if missing is not None:
        raise NotTheIde(f"{folder} is not {EXPECTED}: {missing[0]} has no {missing[1]!r}.")
    return module


def _missing(module: ModuleType) -> Optional[Tuple[str, str]]:
    for name in _NAMES:
        if not hasattr(module, name):
            return "app/main_window.py", name
    for name in _METHODS:
        if not hasattr(module.EZIDEMainWindow, name):
            return "EZIDEMainWindow", name
    return None
