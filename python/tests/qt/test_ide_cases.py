"""The cases of the program in front, in the real EZ IDE, if `EZ_IDE` names its folder."""

import os

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from test_ide import Ide, exceptions, make_ide, needs_the_ide  # noqa: F401  (fixtures)

from ez_debugger.qt import colors

AVERAGE = """import @std
using std

do main() {
    println("How many?")
    temp n int = cast(input(), int)
    temp sum int = 0
    for i in range(1, n) {
        sum += cast(input(), int)
    }
    println("average ${sum / n}")
}
"""


def write(folder):
    (folder / "average.cases").mkdir()
    (folder / "average.ez").write_text(AVERAGE)
    (folder / "other.ez").write_text("import @std\nusing std\ndo main() {\n    println(1)\n}\n")
    for name, given, wanted in (("one", "1\n4\n", "average 0"), ("two", "2\n3\n5\n", "average 4")):
        (folder / f"average.cases/{name}.in").write_text(given)
        (folder / f"average.cases/{name}.out").write_text(f"How many?\n{wanted}\n")


@needs_the_ide
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_cases_of_the_tab_in_front(qtbot, make_ide, tmp_path, theme):  # noqa: F811
    write(tmp_path)
    ide = Ide(qtbot, make_ide(theme))
    window, cases = ide.window, ide.panel.cases
    window.resize(1024, 740)
    window.file_browser.navigate_to(str(tmp_path))
    ide.open(tmp_path / "average.ez")
    window.activateWindow()
    ide.panel.show()
    QTest.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    ide.until(lambda: cases.list.topLevelItemCount() == 2)
    ide.open(tmp_path / "other.ez")
    ide.until(lambda: cases.list.topLevelItemCount() == 0 and not cases.runner.is_running)
    window.editor_tabs.open_file(str(tmp_path / "average.ez"))
    ide.until(lambda: cases.list.topLevelItemCount() == 2 and not cases.runner.is_running)
    QTest.mouseClick(cases.run_button, Qt.MouseButton.LeftButton)
    ide.until(lambda: cases.summary.text() == "1 of 2 passed")
    cases.list.setFocus()
    QTest.keyClick(cases.list, Qt.Key.Key_Return)
    ide.until(lambda: ide.session.state.is_past)
    ide.settle()
    adapter = ide.panel._link.editor.adapter(str(tmp_path / "average.ez"))
    assert adapter.overlay.line == 11 and cases.isVisible()
    assert os.path.samefile(ide.session.launch.directory, tmp_path)
    # What is known of a program is kept, while another one is in front.
    ide.open(tmp_path / "other.ez")
    ide.until(lambda: cases.list.topLevelItemCount() == 0 and not cases.runner.is_running)
    ide.open(tmp_path / "average.ez")
    ide.until(lambda: cases.summary.text() == "1 of 2 passed" and not cases.runner.is_running)
    # It is no program of its own: F5 at its end starts the one in front, with what is typed.
    window.debug_stop_action.trigger()
    ide.until(lambda: ide.session.process_id == 0)
    window.debug_start_action.trigger()
    ide.until(lambda: ide.session.state.stop is not None)
    assert ide.session.launch.input is None
    # All of it can be read, and nothing is cut off.
    cases.list.select("two")
    QTest.qWait(50)
    for row in range(2):
        item = cases.list.topLevelItem(row)
        ground = cases.list.palette().base().color()
        assert colors.contrast(item.foreground(0).color(), ground) >= colors.CONTRAST
        assert colors.contrast(item.foreground(1).color(), ground) >= colors.CONTRAST
    for text in (cases.difference.expected, cases.difference.printed):
        text.setFocus()
        for key in (Qt.Key.Key_A, Qt.Key.Key_C):
            QTest.keyClick(text, key, Qt.KeyboardModifier.ControlModifier)
        assert QApplication.clipboard().text() == text.toPlainText()
        assert text.viewport().visibleRegion().boundingRect().contains(text.cursorRect())
    for widget in (cases.add_button, cases.difference.printed, cases.difference.cause):
        assert cases.rect().contains(widget.mapTo(cases, widget.rect().bottomRight())), widget


@needs_the_ide
def test_large_letters_leave_room_for_the_cases(qtbot, make_ide, tmp_path):  # noqa: F811
    write(tmp_path)
    ide = Ide(qtbot, make_ide())
    window, cases = ide.window, ide.panel.cases
    window.resize(1024, 768)
    window.file_browser.navigate_to(str(tmp_path))
    ide.open(tmp_path / "average.ez")
    ide.panel.show()
    ide.panel.pages.show_page(cases)
    ide.until(lambda: cases.list.topLevelItemCount() == 2 and not cases.runner.is_running)
    QTest.mouseClick(cases.run_button, Qt.MouseButton.LeftButton)
    ide.until(lambda: cases.summary.text() == "1 of 2 passed" and not cases.runner.is_running)
    before = cases.list.fontMetrics().lineSpacing()
    window.settings.settings.editor.font_size = 24
    window.editor_tabs.get_current_editor().refresh_settings()
    ide.until(lambda: cases.list.fontMetrics().lineSpacing() > before)
    shown = (cases.list, cases.difference.expected, cases.difference.printed, cases.difference.cause)
    ide.until(lambda: all(cases.rect().contains(one.mapTo(cases, one.rect().bottomRight())) for one in shown))
    assert cases.list.height() >= 2 * cases.list.fontMetrics().lineSpacing()
