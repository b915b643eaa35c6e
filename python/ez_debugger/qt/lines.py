"""Where lines of the editor's text are in the program that runs."""

from __future__ import annotations

from typing import List, Optional, Protocol


class Lines(Protocol):
    """Translates lines between the editor's text and the program that runs (`ProgramTexts`)."""

    def to_text(self, file: str, line: int) -> int:
        """The line in the editor, 0 if it is not there."""

    def to_program(self, file: str, line: int) -> int:
        """The line in the program, 0 if it is not there."""

    def text(self, file: str) -> Optional[List[str]]:
        """The text of a file, None if it is not known."""


class SameLines:
    """Where the text cannot be edited: the program has its lines."""

    def to_text(self, file: str, line: int) -> int:
        """The same line."""
        return line

    def to_program(self, file: str, line: int) -> int:
        """The same line."""
        return line

    def text(self, file: str) -> Optional[List[str]]:
        """Not known."""
        return None
