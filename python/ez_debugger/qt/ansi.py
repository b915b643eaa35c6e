"""The colours that programs write with escape sequences, as terminals understand them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from PyQt6.QtGui import QColor, QFont, QPalette, QTextCharFormat

from .colors import is_dark, readable

#: Those of colours and the cursor, and those that tell a terminal its title or a link.
_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)")
_BEGINNING = re.compile(r"\x1b(\[[0-?]*[ -/]*|\][^\x07\x1b\n]*\x1b?)?\Z")

#: How long the beginning of a sequence is at most; what is longer is a text.
_LONGEST = 128

#: Black, red, green, yellow, blue, magenta, cyan, white; on a light ground and on a dark one.
_ON_LIGHT = ("#000000", "#b3261e", "#1e7a2e", "#7d5800", "#1f66b8", "#8f3a9c", "#08707a", "#5f5f5f")
_ON_DARK = ("#a6a6a6", "#f2857c", "#7fd18c", "#e6c55c", "#74b0ff", "#d58fe0", "#62cfd8", "#f2f2f2")

#: The steps of each part of a colour in the 216 ones after the first 16.
_STEPS = (0, 95, 135, 175, 215, 255)

#: One of the eight colours, which depend on the palette, or red, green and blue.
Color = Union[int, Tuple[int, int, int]]

_CHANGES: Dict[int, Dict[str, Any]] = {
    1: {"bold": True}, 3: {"italic": True}, 4: {"underline": True}, 22: {"bold": False}, 23: {"italic": False},
    24: {"underline": False}, 39: {"color": None},
}


@dataclass(frozen=True)
class Style:
    """How a text is written: the state that the sequences have left."""

    color: Optional[Color] = None
    bold: bool = False
    italic: bool = False
    underline: bool = False

    def after(self, sequence: str) -> "Style":
        """The style after a sequence; only those that end in `m` change it, the others are left out."""
        style = self
        if not sequence.startswith("\x1b[") or not sequence.endswith("m"):
            return style
        # Numbers after a colon belong to the one before.
        groups = [[int(number) if number.isdigit() else 0 for number in group.split(":")]
                  for group in sequence[2:-1].split(";")]
        while groups:
            group = groups.pop(0)
            if group[0] not in (38, 48):
                style = style._set(group[0])
                continue
            numbers = group[1:2] + group[-3:] if group[1:2] == [2] else group[1:]
            if len(group) == 1:
                count = {5: 2, 2: 4}.get(groups[0][0] if groups else 0, 1)
                numbers = [one[0] for one in groups[:count]]
                del groups[:count]
            color = _color(numbers)
            # 48 is the colour of the ground, which is left as it is.
            if group[0] == 38 and color is not None:
                style = replace(style, color=color)
        return style

    def _set(self, number: int) -> "Style":
        if number == 0:
            return Style()
        if 30 <= number <= 37 or 90 <= number <= 97:
            return replace(self, color=number % 10)
        return replace(self, **_CHANGES.get(number, {}))

    def apply(self, format: QTextCharFormat, palette: QPalette) -> None:
        """Changes the format of a text."""
        if self.color is not None:
            format.setForeground(_made(self.color, palette))
        if self.bold:
            format.setFontWeight(QFont.Weight.Bold)
        format.setFontItalic(self.italic)
        format.setFontUnderline(self.underline)


def _color(numbers: List[int]) -> Optional[Color]:
    """The colour that 38 or 48 takes: `5` and one of 256, or `2` and red, green, blue."""
    if len(numbers) == 4 and numbers[0] == 2:
        red, green, blue = (min(255, number) for number in numbers[1:])
        return red, green, blue
    if len(numbers) != 2 or numbers[0] != 5 or numbers[1] > 255:
        return None
    number = numbers[1]
    if number < 16:
        return number % 8
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return grey, grey, grey
    number -= 16
    return _STEPS[number // 36], _STEPS[number // 6 % 6], _STEPS[number % 6]


def _made(color: Color, palette: QPalette) -> QColor:
    if isinstance(color, int):
        made = QColor((_ON_DARK if is_dark(palette) else _ON_LIGHT)[color])
        return readable(made, palette.color(QPalette.ColorRole.Base))
    return QColor(*color)


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
    found = _BEGINNING.search(text, max(0, len(text) - _LONGEST))
    return (text[:found.start()], found.group()) if found is not None else (text, "")
