"""Colors that fit the application's palette, light or dark."""

from __future__ import annotations

from PyQt6.QtGui import QColor, QPalette


def is_dark(palette: QPalette) -> bool:
    """Whether texts are light on a dark ground."""
    return palette.color(QPalette.ColorRole.Base).lightness() < 128


def _pick(palette: QPalette, light: str, dark: str) -> QColor:
    return QColor(dark if is_dark(palette) else light)


def error(palette: QPalette) -> QColor:
    """What was written to standard error, and what is wrong."""
    return _pick(palette, "#b3261e", "#f2857c")


def faint(palette: QPalette) -> QColor:
    """Log points, and what is not printed yet."""
    return _pick(palette, "#6b6b6b", "#9a9a9a")


def changed(palette: QPalette) -> QColor:
    """Values that have changed."""
    return _pick(palette, "#9a4a00", "#ffb763")


def breakpoint(palette: QPalette) -> QColor:
    """Breakpoints in a margin."""
    return _pick(palette, "#d02f26", "#ee5f56")


def present_line(palette: QPalette) -> QColor:
    """The line where the program is; translucent."""
    color = _pick(palette, "#f5c400", "#ffd84a")
    color.setAlpha(70 if not is_dark(palette) else 50)
    return color


def error_line(palette: QPalette) -> QColor:
    """The line where a run-time error has happened; translucent."""
    color = error(palette)
    color.setAlpha(40)
    return color


def warning(palette: QPalette) -> QColor:
    """What is doubtful."""
    return _pick(palette, "#b06000", "#e0a030")


def past_line(palette: QPalette) -> QColor:
    """The line where the program was, in the past; translucent."""
    color = _pick(palette, "#3d7fd9", "#74a8ff")
    color.setAlpha(70)
    return color


def accent(palette: QPalette) -> QColor:
    """Icons of what goes forward, and marks."""
    return _pick(palette, "#1f66b8", "#74b0ff")


def go(palette: QPalette) -> QColor:
    """The icon of starting and going on."""
    return _pick(palette, "#2c8a3d", "#7fd18c")


def soft(palette: QPalette) -> QColor:
    """A ground that differs a little from that of texts; style sheets do not set the palette's own."""
    base = palette.color(QPalette.ColorRole.Base)
    return base.lighter(125) if is_dark(palette) else base.darker(104)


def notice(palette: QPalette) -> QColor:
    """The ground of a bar that says that something is wrong."""
    return _pick(palette, "#fbe3e1", "#4d2522")
