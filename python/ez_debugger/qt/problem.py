"""What is wrong with a program, and where."""

from __future__ import annotations

from dataclasses import dataclass

ERROR, WARNING, RUN_TIME = "error", "warning", "run-time error"


@dataclass(frozen=True)
class Problem:
    """A report of the check, or a run-time error. Lines and columns count from 1, columns in code points."""

    #: `error`, `warning` or `run-time error`.
    kind: str
    message: str
    #: Empty, and 0, if it is nowhere.
    file: str = ""
    line: int = 0
    column: int = 0
    code: str = ""
    help: str = ""
    #: Whether the line is one of the text in the editor, as it is now, and not of the program that was read.
    is_in_text: bool = False

    @property
    def text(self) -> str:
        """Code and message."""
        return f"{self.code}: {self.message}" if self.code else self.message

    @property
    def explained(self) -> str:
        """The same, and on a line of its own what can be done."""
        return f"{self.text}\nhelp: {self.help}" if self.help else self.text
