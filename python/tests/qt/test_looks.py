"""Colours that can be read."""

import pytest
from PyQt6.QtGui import QColor, QPalette

from ez_debugger.qt import ansi, colors

#: Grounds of texts, and the texts on them: light ones, dark ones, and such as themes of editors have.
GROUNDS = [("#ffffff", "#000000"), ("#eff1f5", "#4c4f69"), ("#e6e9ef", "#4c4f69"), ("#fbf1c7", "#3c3836"),
           ("#000000", "#ffffff"), ("#1e1e2e", "#cdd6f4"), ("#181825", "#cdd6f4"), ("#11111b", "#cdd6f4"),
           ("#282c34", "#c8ccd4"), ("#002b36", "#eee8d5")]
#: Every function of `colors` that gives the colour of a text or an icon.
TEXTS = ("error", "faint", "outdated", "changed", "breakpoint", "accent", "go", "warning")
#: Every one that gives a ground, and what is written on it.
WRITTEN_ON = {"soft": ("text", "faint", "accent"), "notice": ("text",), "new": ("text",), "selected": ("text",),
              "present_line": ("text", "faint"), "past_line": ("text", "faint"),
              "error_line": ("text", "error")}


@pytest.fixture(params=GROUNDS, ids=[ground for ground, _ in GROUNDS])
def palette(request):
    ground, text = map(QColor, request.param)
    made = QPalette()
    for role in (QPalette.ColorRole.Base, QPalette.ColorRole.Window):
        made.setColor(role, ground)
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText):
        made.setColor(role, text)
    return made


def base(palette):
    return palette.color(QPalette.ColorRole.Base)


def test_the_contrast_is_that_of_wcag():
    assert colors.contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert colors.contrast(QColor("white"), QColor("white")) == pytest.approx(1)
    assert colors.contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.48, abs=0.01)
    assert colors.mixed(QColor("white"), QColor("black"), 0.2).name() == "#333333"


def test_no_colour_is_left_out():
    functions = {name for name, one in vars(colors).items() if getattr(one, "__module__", "") == colors.__name__
                 and not name.startswith("_")}
    assert functions == {*TEXTS, *WRITTEN_ON, "is_dark", "contrast", "readable", "mixed"}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_can_be_read(palette, name):
    assert colors.contrast(getattr(colors, name)(palette), base(palette)) >= 4.5


@pytest.mark.parametrize("number", range(8))
def test_the_colours_of_programs_can_be_read(palette, number):
    assert colors.contrast(ansi._made(number, palette), base(palette)) >= 4.5


@pytest.mark.parametrize("name", WRITTEN_ON)
def test_texts_can_be_read_on_other_grounds(palette, name):
    ground = getattr(colors, name)(palette)
    if ground.alpha() < 255:
        # Painted over the text, too.
        tint, ground = ground, colors.mixed(ground, base(palette), ground.alphaF())
    else:
        tint = None
    for kind in WRITTEN_ON[name]:
        text = palette.color(QPalette.ColorRole.Text) if kind == "text" else getattr(colors, kind)(palette)
        if tint is not None and kind == "text":
            text = colors.mixed(tint, text, tint.alphaF())
        assert colors.contrast(text, ground) >= 4.5, (kind, text.name(), ground.name())


def test_the_colours_differ(palette):
    names = {getattr(colors, name)(palette).name() for name in ("error", "faint", "changed", "accent", "go")}
    assert len(names) == 5
