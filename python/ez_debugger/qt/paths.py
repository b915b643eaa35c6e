"""Names of files."""

from __future__ import annotations

import os


def absolute(file: str) -> str:
    """The absolute path of a file; the name of a program that is in none (`<source>`) stays as it is."""
    return file if file.startswith("<") else os.path.abspath(file)
