"""Where the program `ez` is."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Iterator, List, Optional

from .errors import DebuggerError

_NAME = "ez.exe" if sys.platform == "win32" else "ez"

#: Where installers put programs, in the folder that they install to.
_FOLDERS = ("Scripts", "bin") if sys.platform == "win32" else ("bin",)

_lock = threading.Lock()
_found: List[Optional[str]] = []


def find_ez() -> str:
    """The `ez` that was installed with this package, or else the one on the path.

    May be called on any thread. What was installed with the package is looked for once. Raises DebuggerError if there is
    none, or if the one of the package cannot be executed: another one might be of another version, or of EZ itself.
    """
    with _lock:
        if not _found:
            _found.append(_installed())
        program = _found[0]
    program = program or shutil.which("ez")
    if program is None:
        raise DebuggerError("there is no program 'ez': install ez-debugger, or put the program into a folder of PATH")
    return program


def _installed() -> Optional[str]:
    package = Path(__file__).resolve().parents[1]
    files = [file for file in _candidates(package) if file.is_file()]
    for file in files:
        if os.access(file, os.X_OK):
            return str(file)
    if files:
        raise DebuggerError(f"{files[0]} is there, but cannot be executed: the file has no permission for that, or is "
                            "on a file system without (mounted with noexec)")
    return None


def _candidates(package: Path) -> Iterator[Path]:
    yield from _recorded(package)
    # The folder of `pip install --target`.
    site = package.parent
    folders = [site]
    if site.name in ("site-packages", "dist-packages"):
        # PREFIX/lib/python3.9/site-packages; on Windows PREFIX/Lib/site-packages, of a user Python39/site-packages.
        folders += list(site.parents)[:3]
    for folder in folders:
        for name in _FOLDERS:
            yield folder / name / _NAME
    if sys.prefix != sys.base_prefix:
        # In a virtual environment that has the program, but not this package.
        yield Path(sys.executable).parent / _NAME


def _recorded(package: Path) -> Iterator[Path]:
    """What the installer has written down, if it is still that file."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution("ez-debugger")
        files = installed.files or []
    except PackageNotFoundError:
        return
    if Path(str(installed.locate_file(package.name))).resolve() != package:
        return
    for file in files:
        if file.name == _NAME and file.parent.name in _FOLDERS:
            program = Path(os.path.normpath(str(file.locate())))
            # `pip install --target` moves the files, so that the record names others.
            if program.is_file() and file.size in (None, program.stat().st_size):
                yield program
