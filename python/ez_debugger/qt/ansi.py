"""The colours that programs write with escape sequences, as terminals understand them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Iterator, Optional, Tuple

from PyQt6.QtGui import QColor, QFont, QPalette, QTextCharFormat

from .colors import is_dark

_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_BEGINNING = re.compile(r"\x1b(\[[0-?]*[ -/]*)?\Z")

#: Black, red, green, yellow, blue, magenta, cyan, white; on a light ground and on a dark one.
_ON_LIGHT = ("#000000", "#b3261e", "#2c8a3d", "#8a6100", "#1f66b8", "#8f3a9c", "#0b7a83", "#5f5f5f")
_ON_DARK = ("#7a7a7a", "#f2857c", "#7fd18c", "#e6c55c", "#74b0ff", "#d58fe0", "#62cfd8", "#f2f2f2")


@dataclass(frozen=True)
class Style:
    """How a text is written: the state that the sequences have left."""

    color: Optional[int] = None
    bold: bool = False
    italic: bool = False
    underline: bool = False

    def after(self, sequence: str) -> "Style":
        """The style after a sequence; only those that end in `m` change it, the others are left out."""
        style = self
        if sequence.endswith("m"):
            for number in sequence[2:-1].split(";"):
                style = style._set(int(number) if number.isdigit() else 0)
        return style

    def _set(self, number: int) -> "Style":
        if number == 0:
            return Style()
        if 30 <= number <= 37 or 90 <= number <= 97:
            return replace(self, color=number % 10)
        changes = {1: {"bold": True}, 3: {"italic": True}, 4: {"underline": True}, 22: {"bold": False},
                   23: {"italic": False}, 24: {"underline": False}}
        if number == 39:
            return replace(self, color=None)
        return replace(self, **changes.get(number, {}))

    def apply(self, format: QTextCharFormat, palette: QPalette) -> None:
        """Changes the format of a text."""
        if self.color is not None:
            format.setForeground(QColor((_ON_DARK if is_dark(palette) else _ON_LIGHT)[self.color]))
        if self.bold:
            format.setFontWeight(QFont.Weight.Bold)
        format.setFontItalic(self.italic)
        format.setFontUnderline(self.underline)


def divide(text: str) -> Iterator[Tuple[str, bool]]:
    """The parts of a text, and whether each is a sequence."""
    at = 0
    for found in _SEQUENCE.finditer(text):
        if found.start() > at:
            yield text[at:found.start()], False
        yield found.group(), True
        at = found.end()
    if at < len(text):
        yield text[at:], False


def whole_part(text: str) -> Tuple[str, str]:
    """A text, and the beginning of a sequence at its end whose rest has not come yet."""
    found = _BEGINNING.search(text)
    return (text[:found.start()], found.group()) if found is not None else (text, "")
