"""Colors that fit the application's palette, light or dark. Those of texts can be read on its ground."""

from __future__ import annotations

from PyQt6.QtGui import QColor, QPalette


def is_dark(palette: QPalette) -> bool:
    """Whether texts are light on a dark ground."""
    return palette.color(QPalette.ColorRole.Base).lightness() < 128


#: The least contrast of a text with its ground (WCAG 2, level AA).
CONTRAST = 4.5


def contrast(color: QColor, ground: QColor) -> float:
    """How much a color differs from a ground, from 1 to 21, as WCAG 2 defines it."""
    dark, light = sorted((_luminance(color), _luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def readable(color: QColor, ground: QColor) -> QColor:
    """A color, as much darker or lighter as a text on a ground has to be."""
    is_on_dark = _luminance(ground) < 0.18
    for _ in range(40):
        if contrast(color, ground) >= CONTRAST:
            break
        color = color.lighter(108) if is_on_dark else color.darker(108)
    return color


def mixed(color: QColor, ground: QColor, share: float) -> QColor:
    """A ground with a translucent color over it."""
    parts = zip((color.redF(), color.greenF(), color.blueF()), (ground.redF(), ground.greenF(), ground.blueF()))
    return QColor.fromRgbF(*(over * share + under * (1 - share) for over, under in parts))


def _luminance(color: QColor) -> float:
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
             for part in (color.redF(), color.greenF(), color.blueF())]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _ground(palette: QPalette, light: str, dark: str) -> QColor:
    return QColor(dark if is_dark(palette) else light)


def _pick(palette: QPalette, light: str, dark: str) -> QColor:
    return readable(_ground(palette, light, dark), palette.color(QPalette.ColorRole.Base))


def error(palette: QPalette) -> QColor:
    """What was written to standard error, and what is wrong."""
    line, base = error_line(palette), palette.color(QPalette.ColorRole.Base)
    return readable(_pick(palette, "#b3261e", "#f2857c"), mixed(line, base, line.alphaF()))


def faint(palette: QPalette) -> QColor:
    """Log points, what is not printed yet, and values beside the line where the program is."""
    color = _pick(palette, "#5c5c5c", "#a6a6a6")
    for line in (present_line(palette), past_line(palette)):
        color = readable(color, mixed(line, palette.color(QPalette.ColorRole.Base), line.alphaF()))
    return color


def outdated(palette: QPalette) -> QColor:
    """What was so at the stop before, while the program runs: as faint as a text may be."""
    text, base = palette.color(QPalette.ColorRole.Text), palette.color(QPalette.ColorRole.Base)
    return readable(mixed(text, base, 0.4), base)


def changed(palette: QPalette) -> QColor:
    """Values that have changed."""
    return _pick(palette, "#9a4a00", "#ffb763")


def breakpoint(palette: QPalette) -> QColor:
    """Breakpoints in a margin."""
    return _pick(palette, "#d02f26", "#ee5f56")


def present_line(palette: QPalette) -> QColor:
    """The line where the program is; translucent."""
    color = _ground(palette, "#f5c400", "#ffd84a")
    color.setAlpha(40 if not is_dark(palette) else 36)
    return color


def error_line(palette: QPalette) -> QColor:
    """The line where a run-time error has happened; translucent."""
    color = _ground(palette, "#b3261e", "#f2857c")
    color.setAlpha(36)
    return color


def warning(palette: QPalette) -> QColor:
    """What is doubtful."""
    return _pick(palette, "#b06000", "#e0a030")


def past_line(palette: QPalette) -> QColor:
    """The line where the program was, in the past; translucent."""
    color = _ground(palette, "#3d7fd9", "#74a8ff")
    color.setAlpha(40)
    return color


def accent(palette: QPalette) -> QColor:
    """Icons of what goes forward, and marks."""
    return _pick(palette, "#1d5fae", "#74b0ff")


def go(palette: QPalette) -> QColor:
    """The icon of starting and going on."""
    return _pick(palette, "#2c8a3d", "#7fd18c")


def soft(palette: QPalette) -> QColor:
    """A ground that differs a little from that of texts; style sheets do not set the palette's own."""
    base = palette.color(QPalette.ColorRole.Base)
    return base.lighter(125) if is_dark(palette) else base.darker(104)


def new(palette: QPalette) -> QColor:
    """The ground of what is new in a text."""
    return _ground(palette, "#ffe9a8", "#4a3d10")


def notice(palette: QPalette) -> QColor:
    """The ground of a bar that says that something is wrong."""
    return _ground(palette, "#fbe3e1", "#4d2522")


def selected(palette: QPalette) -> QColor:
    """The ground of the row that is selected."""
    return mixed(accent(palette), palette.color(QPalette.ColorRole.Base), 0.2)
