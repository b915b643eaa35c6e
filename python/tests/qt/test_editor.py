"""The adapter for QPlainTextEdit: what is under the mouse, and what is painted."""

import pytest
from PyQt6.QtCore import QEvent, QPoint, Qt
from PyQt6.QtGui import QColor, QHelpEvent, QPalette, QTextCursor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QToolTip

from ez_debugger.qt import colors
from ez_debugger.qt.editor_link import values_of_line
from ez_debugger.qt.hover import expression_at
from ez_debugger.protocol import Variable
from ez_debugger.qt.code_font import size_beside
from ez_debugger.qt.plain import tip

PROGRAM = """const Point struct {
    x int
}
do main() {
    temp points [Point] = {Point{x: 3}}
    temp i int = 0
    println(points[i].x)
}
"""


@pytest.mark.parametrize(("marked", "expected"), [
    ("|abc", "abc"), ("f(ab|c)", "abc"), ("abc|", "abc"), ("a.b|", "a.b"), ("a|.b", "a"), ("x + a.b|.c", "a.b"),
    ("a[i].x|", "a[i].x"), ("a[i|].x", "i"), ("m.a[b[1]].c|", "m.a[b[1]].c"), ("f()[1].x|", "x"), ("  |  ", ""),
    ("1 |+ 2", ""), ("]].x|", "x"), (".x|", "x"),
])
def test_the_expression_at_a_column(marked, expected):
    assert expression_at(marked.replace("|", ""), marked.index("|")) == expected


def test_values_of_a_line():
    variables = (Variable(name="a", value="1"), Variable(name="long", value="x" * 100), Variable(name="b", value="2"))
    assert values_of_line("b = a + a // long", variables) == "b = 2   a = 1"
    assert len(values_of_line("long", variables)) == len("long = ") + 40


def test_the_mouse_over_a_name_shows_its_value(window):
    window.program(PROGRAM)
    window.click_margin(9)
    window.press("start")
    window.until_stop(9)
    viewport = window.editor.viewport()
    cursor = QTextCursor(window.editor.document().find("].x"))
    place = window.editor.cursorRect(cursor).center() - QPoint(2, 0)
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place)))
    window.until(lambda: QToolTip.text() == tip("points[i].x = 3", size_beside(window.editor.font())))
    window.adapter._hover.hovered.disconnect()
    assert window.adapter._hover.expression_at(QPoint(viewport.width() - 5, place.y())) == ""
    QToolTip.hideText()


def pixels(widget):
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(0, image.width()) for y in range(0, image.height(), 2)}


@pytest.mark.parametrize("ground", ["#ffffff", "#1e1e1e"])
def test_marks_are_painted_in_the_colours_of_the_palette(window, ground):
    palette = QPalette(QColor(ground))
    palette.setColor(QPalette.ColorRole.Base, QColor(ground))
    window.setPalette(palette)
    window.editor.setPalette(palette)
    window.program(PROGRAM)
    window.click_margin(9)
    margin = window.adapter.margin
    QTest.mouseMove(window.panel)
    assert colors.breakpoint(palette).name() in pixels(margin)
    window.press("start")
    window.until_stop(9)
    line = colors.present_line(palette)
    line.setAlpha(255)
    assert line.name() in pixels(window.editor)
    window.press("back"), window.until_stop()
    line = colors.past_line(palette)
    line.setAlpha(255)
    assert line.name() in pixels(window.editor)


def test_a_right_click_opens_the_menu_of_the_line(window):
    window.program(PROGRAM)
    asked = []
    window.adapter.menu_requested.disconnect()
    window.adapter.menu_requested.connect(lambda *what: asked.append(what[:2]))
    margin = window.adapter.margin
    QTest.mouseClick(margin, Qt.MouseButton.RightButton, pos=margin.place_of(8).toPoint())
    assert asked == [(window.file, 8)]
    QTest.mouseClick(margin, Qt.MouseButton.LeftButton, pos=QPoint(5, margin.height() - 3))
    assert window.panel.store.breakpoints == []
