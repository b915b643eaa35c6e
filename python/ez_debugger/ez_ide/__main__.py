"""Starts the EZ IDE with the panels of `ez_debugger.qt`."""

from __future__ import annotations

import argparse
import os
import runpy
import sys


def main() -> None:
    """Starts the IDE; says in a sentence what keeps it from starting."""
    parser = argparse.ArgumentParser(prog="python -m ez_debugger.ez_ide", description=__doc__)
    parser.add_argument("folder", nargs="?", help="the folder of the IDE (default: EZ_IDE, or the current folder)")
    parser.add_argument("--ez", help="the program ez (default: the one that came with this package)")
    arguments = parser.parse_args()
    try:
        import PyQt6.QtWidgets  # noqa: F401
    except ImportError as error:
        sys.exit(f"The EZ IDE needs PyQt6 (pip install PyQt6): {error}.")

    from ..client import DebuggerError
    from .find import NotTheIde, find_folder
    from .replace import replace_debugger

    try:
        folder = find_folder(arguments.folder)
        replace_debugger(folder, arguments.ez)
    except (NotTheIde, DebuggerError) as error:
        sys.exit(str(error))
    sys.argv = [os.path.join(folder, "main.py")]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
