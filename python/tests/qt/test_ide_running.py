"""The real EZ IDE while a program runs, if `EZ_IDE` names its folder: focus, colours, what is in front."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QColor, QFontInfo
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QComboBox, QToolButton

from ez_debugger.qt import colors

from test_ide import EXAMPLES, Ide, exceptions, make_ide, needs_the_ide  # noqa: F401

pytestmark = needs_the_ide

ASKS = """import @std
using std
do main() {
    for i in range(0, 4) {
        print("Number ${i}? ")
        temp s string = input()
        println("got ${s}")
    }
}
"""
COUNTS = "import @std\nusing std\ndo main() {\n    temp n int = 0\n    loop {\n        n += 1\n    }\n}\n"


def grabbed(widget):
    image = widget.grab().toImage()
    return image, {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}


def different(one, other):
    return sum(one.pixel(x, y) != other.pixel(x, y) for x in range(one.width()) for y in range(one.height()))


def press(*keys):
    for key in keys:
        QTest.keyClick(QApplication.focusWidget(), key)


def test_answers_change_nothing_else_in_the_ide(qtbot, make_ide, tmp_path):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    file = tmp_path / "asks.ez"
    file.write_text(ASKS, encoding="utf-8")
    ide.open(file)
    editor, field = ide.window.editor_tabs.get_current_editor(), ide.panel.console.input
    shells = {box: box.currentText() for box in ide.window.findChildren(QComboBox)}
    assert shells
    editor.setFocus()
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    ide.until(lambda: ide.session.state.stop is not None and not ide.session.is_moving)
    ide.settle()
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    for _ in range(4):
        ide.until(field.hasFocus)
        press("a", "1", Qt.Key.Key_Return, "z", Qt.Key.Key_Down)
    ide.until_stop()
    ide.until(editor.hasFocus)
    assert {box: box.currentText() for box in shells} == shells
    assert editor.toPlainText() == ASKS


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_what_is_old_is_grey_in_the_ide(qtbot, make_ide, tmp_path, theme):  # noqa: F811
    ide = Ide(qtbot, make_ide(theme))
    file = tmp_path / "counts.ez"
    file.write_text(COUNTS, encoding="utf-8")
    ide.open(file)
    actions, panel = ide.panel.actions_of_debugger.by_name, ide.panel
    ide.window._debug_start()
    ide.until_stop()
    panel.watches.add("n + 1")
    actions["continue"].trigger()
    ide.until(lambda: ide.session.state.status == "running")
    actions["pause"].trigger()
    ide.until_stop()
    panel.pages.show_page(panel.watches)
    ide.settle()
    views = {}
    for page, view in ((panel.watches, panel.watches.view), (panel.variables, panel.variables.view),
                       (panel.calls, panel.calls.list)):
        panel.pages.show_page(page)
        QTest.qWait(20)
        views[view] = (page, *grabbed(view))
    actions["continue"].trigger()
    ide.until(lambda: not panel.variables.view.isEnabled())
    for view, (page, before, colours) in views.items():
        panel.pages.show_page(page)
        QTest.qWait(20)
        now, grey = grabbed(view)
        assert different(before, now) > 50, view.accessibleName()
        lively = {colour for colour in colours if _liveliness(colour) > 90}
        assert not any(_liveliness(colour) > 90 for colour in grey), (view.accessibleName(), lively)
    assert any(_liveliness(colour) > 90 for colour in views[panel.variables.view][2])


def _liveliness(pixel):
    """How far a colour is from grey, from 0 to 255."""
    parts = (pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)
    return max(parts) - min(parts)


def test_the_console_is_in_front_after_a_start_that_was_refused_in_the_ide(qtbot, make_ide, tmp_path):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    wrong, right = tmp_path / "errors.ez", tmp_path / "hello.ez"
    wrong.write_text('import @std\nusing std\ndo main() {\n    temp x int = "five"\n}\n', encoding="utf-8")
    right.write_text('import @std\nusing std\ndo main() {\n    println("Hello!")\n}\n', encoding="utf-8")
    front = ide.panel.pages.groups[-1]
    ide.open(wrong)
    ide.until(lambda: ide.panel.problems.problems)
    ide.window._debug_start()
    ide.until(lambda: front.currentWidget() is ide.panel.problems)
    ide.open(right)
    ide.window._debug_start()
    ide.until_stop()
    assert ide.panel.problems.problems and front.currentWidget() is ide.panel.console


def test_f5_in_a_text_without_a_file_asks_for_its_name(qtbot, make_ide, tmp_path, monkeypatch):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    tabs, message = ide.window.editor_tabs, ide.panel.notices.message
    names = []
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (names.pop(0), ""))
    tabs.new_file('import @std\nusing std\ndo main() {\n    println("Hello!")\n}\n')
    ide.window.activateWindow()
    ide.until(ide.window.isActiveWindow)
    for name, problem in (("", "The program is in no file yet: save it under a name that ends in .ez."),
                          (str(tmp_path / "prog.txt"), "prog.txt is not an EZ program: its name does not end in .ez.")):
        names.append(name)
        QTest.keyClick(ide.window, Qt.Key.Key_F5)
        ide.until(lambda: message.isVisible() and message.label.text() == problem)
        assert not names and not ide.session.state.is_live
    tabs.new_file('import @std\nusing std\ndo main() {\n    println("Hello!")\n}\n')
    names.append(str(tmp_path / "prog.ez"))
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    assert ide.until_stop().location.file == str(tmp_path / "prog.ez") and not message.isVisible()


def test_f5_without_a_program_says_so(qtbot, make_ide):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    while ide.window.editor_tabs.count():
        ide.window.editor_tabs.close_tab(0)
    for start in (ide.window.debug_start_action.trigger, ide.panel.start):
        ide.panel.notices.message.hide()
        start()
        assert ide.panel.notices.message.label.text() == "No program is open."


def test_the_status_bar_says_what_is_debugged(qtbot, make_ide, tmp_path):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    wrong, right = tmp_path / "errors.ez", tmp_path / "hello.ez"
    wrong.write_text('import @std\nusing std\ndo main() {\n    temp x int = "five"\n}\n', encoding="utf-8")
    right.write_text('import @std\nusing std\ndo main() {\n    println("Hello!")\n}\n', encoding="utf-8")
    bar = ide.window.statusBar()
    ide.open(wrong)
    ide.window._debug_start()
    ide.until(lambda: ide.panel.status.text() == "Not started")
    ide.until(lambda: bar.currentMessage() == "")
    ide.open(right)
    ide.window._debug_start()
    ide.until_stop()
    assert bar.currentMessage() == "Debugging: hello.ez"
    ide.panel.actions_of_debugger.by_name["continue"].trigger()
    ide.until_stop()
    ide.panel.actions_of_debugger.by_name["continue"].trigger()
    ide.until(lambda: ide.session.process_id == 0)
    assert bar.currentMessage() == ""


def test_the_key_that_copies_in_the_ide(qtbot, make_ide, tmp_path):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    file = tmp_path / "counts.ez"
    file.write_text(COUNTS, encoding="utf-8")
    ide.open(file)
    ide.window._debug_start()
    ide.until_stop()
    ide.panel.actions_of_debugger.by_name["over"].trigger()
    ide.until_stop()
    view = ide.panel.variables.view
    view.setCurrentIndex(view.values.index(0, 0, view.values.index(0, 0)))
    view.setFocus()
    ide.until(view.hasFocus)
    QApplication.clipboard().setText("nothing")
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "0"
    # The texts that are only read, too: not that of the editor.
    output = ide.panel.console.output
    ide.panel.console.say("said")
    ide.until(lambda: output.is_settled)
    output.setFocus()
    for key in (Qt.Key.Key_A, Qt.Key.Key_C):
        QTest.keyClick(output, key, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == output.toPlainText()
    assert not ide.window.editor_tabs.get_current_editor().textCursor().hasSelection()


@pytest.mark.parametrize("theme", ["dark", "monokai", "nord", "light"])
def test_the_session_can_be_shared_with_a_button_and_in_the_menu(qtbot, make_ide, theme):  # noqa: F811
    ide = Ide(qtbot, make_ide(theme))
    share, bar = ide.panel.share_action, ide.panel.tool_bar
    assert any(share in menu.menu().actions() for menu in ide.window.menuBar().actions() if menu.menu())
    ide.window.resize(1400, 900)
    ide.panel.show()
    QTest.qWait(20)
    button = bar.widgetForAction(share)
    assert button.isVisible() and bar.rect().contains(button.geometry()) and not share.icon().isNull()
    # In a narrow panel there is another button, which can be seen.
    ide.window.resize(700, 600)
    QTest.qWait(20)
    more = bar.findChild(QToolButton, "qt_toolbar_ext_button")
    assert more.isVisible() and more.accessibleName() and more.toolTip()
    _, found = grabbed(more)
    ground = bar.palette().window().color()
    assert max(colors.contrast(QColor(colour), ground) for colour in found) >= 3


def test_views_in_the_ide_are_as_large_as_the_settings_want(qtbot, make_ide):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    ide.open(EXAMPLES / "bubble_sort.ez")
    ide.panel.show()
    panel = ide.panel
    views = (panel.variables.view, panel.variables.view.header(), panel.watches.view, panel.calls.list,
             panel.breakpoints.list, panel.problems.list, panel.status, panel.pages.groups[0].tabBar())

    def sizes():
        return {QFontInfo(one.font()).pixelSize() for one in views}

    ide.until(lambda: sizes() == {13})
    editor = ide.window.editor_tabs.get_current_editor()
    for size, expected in ((24, 26), (6, 13)):
        ide.window.settings.settings.editor.font_size = size
        editor.refresh_settings()
        ide.until(lambda expected=expected: sizes() == {expected})


def test_a_fix_and_the_declaration_with_keys_in_the_ide(qtbot, make_ide, tmp_path):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    (tmp_path / "lib.ez").write_text("module lib\n\ndo half(n int) -> int {\n    return n / 2\n}\n", encoding="utf-8")
    file = tmp_path / "main.ez"
    file.write_text('import @std\nimport "./lib"\nusing std\n\ndo main() {\n    prinln(lib.half(4))\n}\n', encoding="utf-8")
    ide.open(file)
    ide.window.activateWindow()
    editor = ide.window.editor_tabs.get_current_editor()
    editor.setFocus()
    ide.until(lambda: ide.panel.problems.problems)
    editor.setTextCursor(editor.document().find("half"))
    QTest.keyClick(ide.window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    ide.until(lambda: QApplication.activePopupWidget() is not None
              and "println" in QApplication.activePopupWidget().actions()[0].text())
    QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Return)
    ide.until(lambda: not ide.panel.problems.problems)
    assert "    println(lib.half(4))\n" in editor.toPlainText() and editor.hasFocus()
    QTest.keyClick(ide.window, Qt.Key.Key_F12)
    ide.until(lambda: ide.window.editor_tabs.get_current_filepath() == str(tmp_path / "lib.ez"))
    other = ide.window.editor_tabs.get_current_editor()
    assert other.textCursor().blockNumber() == 2 and other.hasFocus()
    edit = next(one.menu() for one in ide.window.menuBar().actions() if one.text() == "&Edit")
    assert [one.text() for one in edit.actions()][-3:] == ["Fix …", "Go to the declaration", "Format the file"]


def test_no_key_of_the_panels_belongs_to_two_actions_of_the_ide(qtbot, make_ide):  # noqa: F811
    ide = Ide(qtbot, make_ide())
    ide.open(EXAMPLES / "bubble_sort.ez")
    ide.window._debug_start()
    ide.until_stop()
    by_key = {}
    for action in {*ide.window.actions(), *ide.window.findChildren(QAction)}:
        if action.isEnabled() and action.shortcutContext() == Qt.ShortcutContext.WindowShortcut:
            for key in action.shortcuts():
                by_key.setdefault(key.toString(), []).append(action.text())
    # The IDE itself has this one twice.
    by_key.pop("Ctrl+Shift+S")
    assert {key: texts for key, texts in by_key.items() if len(texts) > 1} == {}
    assert {"Ctrl+.", "F12", "Ctrl+Shift+I", "Ctrl+Shift+V", "Ctrl+Shift+Y"} <= by_key.keys()
