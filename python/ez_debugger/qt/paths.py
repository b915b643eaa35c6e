"""Names of files."""

from __future__ import annotations

import os


def absolute(file: str) -> str:
    """The absolute path of a file; the name of a program that is in none (`<source>`) stays as it is."""
    return file if file.startswith("<") else os.path.abspath(file)


def resolved(file: str, directory: str = "") -> str:
    """The path of a file without links; a relative one is in a directory."""
    return file if file.startswith("<") else os.path.realpath(os.path.join(directory, file))
