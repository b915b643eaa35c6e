"""Cases: run, looked at, debugged, and made of runs."""

import os
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QProcess, Qt
from PyQt6.QtGui import QKeyEvent, QPalette
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialogButtonBox

from ez_debugger.qt import colors
from ez_debugger.qt.case_dialog import CaseDialog

AVERAGE = """do main() {
    println("How many?")
    temp n int = cast(input(), int)
    temp sum int = 0
    for i in range(1, n) {
        sum += cast(input(), int)
    }
    println("average ${sum / n}")
}
"""


class Cases:
    """What a user does with the panel."""

    def __init__(self, window):
        self.window = window
        self.panel = window.panel.cases
        self.folder = window.folder / "p.cases"

    def write(self, **texts):
        self.folder.mkdir(exist_ok=True)
        for name, (given, wanted) in texts.items():
            (self.folder / f"{name}.in").write_bytes(given.encode())
            (self.folder / f"{name}.out").write_bytes(wanted.encode())

    def rows(self):
        shown = self.panel.list
        return [(shown.topLevelItem(row).text(0), shown.topLevelItem(row).text(1))
                for row in range(shown.topLevelItemCount())]

    def until_idle(self):
        self.window.until(lambda: not self.panel.runner.is_running)

    def open(self):
        self.window.panel.pages.show_page(self.panel)
        self.until_idle()

    def run(self):
        self.open()
        QTest.mouseClick(self.panel.run_button, Qt.MouseButton.LeftButton)
        self.until_idle()

    def activate(self, row):
        self.panel.list.setCurrentItem(self.panel.list.topLevelItem(row))
        self.panel.list.setFocus()
        QTest.keyClick(self.panel.list, Qt.Key.Key_Return)


@pytest.fixture
def cases(window):
    made = Cases(window)
    window.program(AVERAGE)
    made.write(one=("1\n4\n", "How many?\naverage 0\n"), two=("2\n3\n5\n", "How many?\naverage 4\n"))
    return made


def marked(edit):
    return edit.extraSelections()[0].cursor.selectedText()


def test_cases_are_listed_run_and_shown(cases):
    cases.open()
    assert cases.rows() == [("· one", ""), ("· two", "")]
    assert cases.panel.summary.text() == "2 not run yet (p.cases)"
    cases.run()
    assert cases.rows() == [("✓ one", ""), ("✗ two", 'line 2: expected "average 4", printed "average 1"')]
    assert cases.panel.summary.text() == "1 of 2 passed"
    # The first that has failed is looked at.
    difference = cases.panel.difference
    assert difference.isVisible() and cases.panel.list.currentItem().text(0) == "✗ two"
    assert difference.expected.toPlainText() == "How many?\naverage 4"
    assert difference.printed.toPlainText() == "How many?\naverage 1"
    assert (marked(difference.expected), marked(difference.printed)) == ("4", "1")
    assert difference.cause.topLevelItem(0).text(0).startswith("printed in p.ez:10, step 7:  println(")
    cases.panel.list.setCurrentItem(cases.panel.list.topLevelItem(0))
    assert not difference.isVisible()


def test_a_click_while_cases_are_looked_for_is_not_lost(cases):
    cases.open()
    cases.panel.refresh()
    assert cases.panel.runner.is_running
    cases.panel.run_button.click()
    cases.until_idle()
    assert cases.panel.summary.text() == "1 of 2 passed"
    cases.panel.refresh()
    cases.panel.run_case("one")
    cases.until_idle()
    assert cases.panel.summary.text() == "1 of 2 passed" and cases.rows()[0] == ("✓ one", "")


def test_return_debugs_at_the_difference_and_the_cause_is_a_link(cases):
    cases.run()
    cases.activate(1)
    window = cases.window
    window.until(lambda: window.step() == 7 and window.session.state.is_past)
    stop = window.until_stop(10)
    assert stop.past and window.panel.cases.isVisible()
    assert window.adapter.overlay.line == 10
    assert cases.panel.note.isHidden()
    cause = cases.panel.difference.cause
    steps = [cause.topLevelItem(row).data(0, Qt.ItemDataRole.UserRole)[2] for row in range(cause.topLevelItemCount())]
    cause.setFocus()
    cause.setCurrentItem(cause.topLevelItem(1))
    QTest.keyClick(cause, Qt.Key.Key_Return)
    window.until(lambda: window.step() == steps[1])
    # Started again, it reads the same.
    window.press("restart")
    window.until(lambda: window.step() == 7 and window.session.state.is_past)
    window.until_stop(10)
    assert not window.session.state.wants_input


def test_a_statement_that_has_made_calls(window):
    window.program("do f() -> int {\n    return 1\n}\ndo main() {\n    println(\"a\")\n    println(\"${f()}\")\n}\n")
    made = Cases(window)
    made.write(one=("", "a\n2\n"))
    made.run()
    made.activate(0)
    window.until(lambda: window.session.state.is_past)
    window.until_stop(8)


def test_a_debugged_case_reaches_no_file_out_of_its_folder(window):
    window.program("import @io\ndo main() {\n    temp text, e = io.read_file(\"../outside.txt\")\n    println(e == nil)\n}\n")
    (window.folder.parent / "outside.txt").write_text("it")
    made = Cases(window)
    made.write(one=("", "x\n"))
    made.run()
    assert made.rows() == [("✗ one", 'line 1: expected "x", printed "false"')]
    made.activate(0)
    window.until(lambda: window.session.state.is_past)
    assert "false" in window.output()


def test_a_link_starts_the_run_that_it_belongs_to(cases):
    cases.run()
    cause = cases.panel.difference.cause
    item = cause.topLevelItem(1)
    step = item.data(0, Qt.ItemDataRole.UserRole)[2]
    cause.itemActivated.emit(item, 0)
    cases.window.until(lambda: cases.window.step() == step)
    cases.window.until_stop()


def test_a_breakpoint_before_the_difference_is_said(cases):
    cases.run()
    cases.window.click_margin(6)
    cases.activate(1)
    cases.window.until_stop(6)
    assert cases.panel.note_label.text() == "This is before the difference: F5 goes on to it."
    cases.window.press("continue")
    cases.window.until(lambda: cases.window.step() == 7 and cases.window.session.state.is_past)
    assert cases.panel.note.isHidden()


def test_a_case_that_has_passed_is_debugged_from_its_beginning(cases):
    cases.run()
    cases.activate(0)
    cases.window.until_stop(4)
    cases.window.press("continue")
    cases.window.until(lambda: "average 0" in cases.window.output())


def test_what_is_not_saved_is_said_and_not_saved(cases):
    window = cases.window
    window.panel.before_start = lambda: Path(window.file).write_text(window.editor.toPlainText()) and ""
    cases.run()
    before = Path(window.file).read_text()
    cursor = window.editor.textCursor()
    cursor.setPosition(window.editor.toPlainText().index("1, n"))
    window.editor.setTextCursor(cursor)
    QTest.keyClick(window.editor, Qt.Key.Key_Delete)
    QTest.keyClicks(window.editor, "0")
    assert cases.panel.summary.text() == "1 of 2 passed, with the text before"
    faint = colors.faint(cases.panel.palette())
    assert cases.panel.list.topLevelItem(0).foreground(0).color() == faint
    cases.run()
    assert Path(window.file).read_text() == before
    assert cases.panel.note_label.text() == "p.ez is not saved: what runs is the text that was saved last."
    assert cases.rows()[1][0] == "✗ two"
    QTest.mouseClick(cases.panel.save_button, Qt.MouseButton.LeftButton)
    cases.until_idle()
    assert Path(window.file).read_text() != before
    assert [name for name, _ in cases.rows()] == ["✗ one", "✓ two"] and cases.panel.note.isHidden()


def dialog():
    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, CaseDialog) and one.isVisible())


def press(dialog, button):
    QTest.mouseClick(dialog.findChild(QDialogButtonBox).button(button), Qt.MouseButton.LeftButton)


def run_by_hand(window, *lines):
    window.editor.setFocus()
    window.press("start")
    window.until_stop()
    # That is no output of the program.
    answers = []
    window.session.evaluate(answers.append, 'println("mine")')
    window.until(lambda: answers)
    window.press("continue")
    for line in lines:
        window.until(lambda: window.panel.console.input_row.isVisible())
        QTest.keyClicks(window.panel.console.input, line)
        QTest.keyClick(window.panel.console.input, Qt.Key.Key_Return)
        window.until(lambda: not window.panel.console.input_row.isVisible() or window.panel.console.input.text() == "")
    window.until(lambda: window.session.state.stop is not None and window.session.state.stop.reason == "end")
    window.press("continue")
    window.until_end()


def test_a_run_becomes_a_case_after_a_look(cases):
    window = cases.window
    run_by_hand(window, "2", "8", )
    cases.open()
    QTest.mouseClick(cases.panel.add_button, Qt.MouseButton.LeftButton)
    shown = dialog()
    assert (shown.name.text(), shown.input.toPlainText()) == ("1", "2\n8\n")
    assert shown.output.toPlainText() == "How many?\naverage 4\n"
    assert shown.note.text() == "This is what the last run was given to read, and has printed. Is it right?"
    shown.name.setText("two")
    press(shown, QDialogButtonBox.StandardButton.Ok)
    assert shown.problem.text() == "There is a case two already." and shown.isVisible()
    shown.name.setText("../x")
    press(shown, QDialogButtonBox.StandardButton.Ok)
    assert shown.problem.text().startswith("A file cannot have that name")
    shown.name.setText("ün 3")
    press(shown, QDialogButtonBox.StandardButton.Ok)
    cases.until_idle()
    assert (cases.folder / "ün 3.in").read_bytes() == b"2\n8\n"
    assert (cases.folder / "ün 3.out").read_bytes() == b"How many?\naverage 4\n"
    assert [name for name, _ in cases.rows()] == ["· one", "· two", "· ün 3"]
    assert cases.panel.list.currentItem().text(0) == "· ün 3"
    message = window.panel.notices.message
    assert message.label.text() == "The case ün 3 was added to p.cases."
    QTest.mouseClick(message.undo, Qt.MouseButton.LeftButton)
    cases.until_idle()
    assert sorted(os.listdir(cases.folder)) == ["one.in", "one.out", "two.in", "two.out"]
    assert [name for name, _ in cases.rows()] == ["· one", "· two"]


def test_the_first_case_makes_the_folder(window):
    window.program("do main() {\n    println(\"a\u00a0b\")\n}\n")
    made = Cases(window)
    made.open()
    assert "there are no cases" in made.panel.problem.text() and made.rows() == []
    run_by_hand(window)
    made.open()
    made.panel.add_button.click()
    press(dialog(), QDialogButtonBox.StandardButton.Ok)
    made.until_idle()
    assert (made.folder / "1.out").read_text(encoding="utf-8") == "a\u00a0b\n"
    assert made.rows() == [("· 1", "")]
    made.panel.add_button.click()
    shown = dialog()
    shown.output.appendPlainText("x\u00a0y")
    press(shown, QDialogButtonBox.StandardButton.Ok)
    assert (made.folder / "2.out").read_text(encoding="utf-8") == "a\u00a0b\n\nx\u00a0y"


def test_what_was_typed_for_a_case_is_not_lost(cases):
    cases.open()
    cases.panel.add_button.click()
    shown = dialog()
    assert shown.note.text().startswith("No run of this program has come to its end yet")
    QTest.keyClicks(shown.input, "12")
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    message = cases.window.panel.notices.message
    assert message.label.text() == "The case was not added." and not shown.isVisible()
    QTest.mouseClick(message.undo, Qt.MouseButton.LeftButton)
    assert dialog() is shown and shown.input.toPlainText() == "12"
    press(shown, QDialogButtonBox.StandardButton.Ok)
    assert (cases.folder / "1.in").read_text() == "12"


def test_a_program_that_runs_is_not_ended_for_a_case(cases):
    window = cases.window
    cases.run()
    window.editor.setFocus()
    window.press("start")
    window.until_stop()
    cases.activate(1)
    assert window.panel.notices.message.label.text() == (
        "A program is running: stop it (Shift+F5), then debug the case.")
    assert window.session.state.stop.reason == "entry"
    window.press("stop")
    window.until_end()
    cases.activate(1)
    window.until(lambda: window.session.state.is_past)
    cases.activate(0)
    window.until_stop(4)


def test_names_that_need_quotes_and_texts_that_are_markup(window):
    window.program("do main() {\n    println(\"<b>it's</b>\\u{7}\")\n}\n".replace("\\u{7}", ""))
    made = Cases(window)
    made.write(**{"a [*] 'b' \"c\" <i>": ("", "<b>it is</b>\n"), "--x": ("", "x\n")})
    made.open()
    made.panel.run_case("a [*] 'b' \"c\" <i>")
    made.until_idle()
    assert [name for name, _ in made.rows()] == ["· --x", "✗ a [*] 'b' \"c\" <i>"]
    made.activate(1)
    window.until(lambda: window.session.state.is_past)
    assert made.panel.difference.printed.toPlainText() == "<b>it's</b>"
    assert marked(made.panel.difference.expected) == "·"


def test_the_program_is_gone(cases):
    cases.run()
    os.remove(cases.window.file)
    cases.run()
    assert "no such file" in cases.panel.problem.text() and cases.rows() == []


def test_a_wrong_status_and_a_run_that_ends_elsewhere(window):
    window.program("import @os\ndo main() {\n    os.exit(3)\n}\n")
    made = Cases(window)
    made.write(one=("", ""))
    made.run()
    assert made.rows() == [("✗ one", "it ended with status 3, not 0")]
    made.activate(0)
    window.until(lambda: window.session.state.stop is not None and window.session.state.stop.reason == "end")
    window.press("continue")
    window.until_end()
    assert made.panel.note.isHidden()
    # Random numbers, for example, may lead to another end.
    window.program("do main() {\n    println(1)\n}\n", "q.ez")
    made.folder = window.folder / "q.cases"
    made.write(one=("", "2\n"))
    made.run()
    (made.folder / "one.out").write_text("1\n")
    made.activate(0)
    window.until(lambda: window.session.state.stop is not None and window.session.state.stop.reason == "end")
    window.press("continue")
    window.until_end()
    assert made.panel.note_label.text() == "This run has ended, and has not come to the difference of the result below."


def test_stop_ends_what_prints_for_ever(window):
    window.program("do main() {\n    loop {\n        temp x int = 1\n    }\n}\n")
    made = Cases(window)
    made.write(one=("", "x\n"))
    made.open()
    made.panel.run_button.click()
    window.until(made.panel.stop_button.isVisible)
    window.until(lambda: made.rows() == [("… one", "")])
    QTest.qWait(200)
    QTest.mouseClick(made.panel.stop_button, Qt.MouseButton.LeftButton)
    assert made.rows() == [("· one", "")] and not made.panel.runner.is_running
    assert made.panel.run_button.isVisible()


def test_a_program_with_errors(window):
    window.program("do main() {\n    println(nope)\n}\n")
    made = Cases(window)
    made.write(one=("", "x\n"))
    made.run()
    assert made.rows() == [("! one", "the program has errors")]
    assert "undefined variable" in made.panel.difference.cause.topLevelItem(0).text(0)
    made.activate(0)
    assert "has errors" in window.panel.notices.message.label.text()


def test_a_run_time_error_and_input_that_is_no_text(window):
    window.program("do main() {\n    temp list [int] = {1}\n    println(list[cast(input(), int)])\n}\n")
    made = Cases(window)
    made.write(one=("7\n", "x\n"), two=("7\n", "x\n"))
    (made.folder / "two.in").write_bytes(b"\xff\n")
    made.run()
    made.activate(0)
    assert window.until_stop(5).reason == "exception"
    made.activate(1)
    assert "two.in cannot be read: it is not UTF-8" in window.panel.notices.message.label.text()


def test_without_a_program_that_runs_cases(cases):
    cases.window.session.ez = "/nope/ez"
    cases.open()
    assert cases.panel.problem.text().startswith("The cases cannot be run: /nope/ez:")
    cases.window.session.ez = "/bin/echo"
    cases.panel.refresh()
    cases.until_idle()
    assert cases.panel.problem.text() == "/bin/echo is no ez of this package: it does not know cases."


def test_with_a_program_that_says_something_else_and_goes_on(cases, tmp_path):
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho something else\nexec sleep 100\n")
    other.chmod(0o755)
    cases.window.session.ez = str(other)
    cases.open()
    cases.until_idle()
    assert cases.panel.problem.text() == f"{other} is no ez of this package: it does not know cases."
    # It is ended, and nobody is told.
    cases.window.until(lambda: not cases.panel.runner.findChildren(QProcess))


def test_with_the_keyboard_alone(cases):
    window = cases.window
    window.editor.setFocus()
    window.press_keys("Ctrl+Shift+E")
    assert QApplication.focusWidget() is cases.panel.add_button
    cases.until_idle()
    window.press_keys("Ctrl+Shift+E")
    assert QApplication.focusWidget() is cases.panel.list
    for button in (cases.panel.add_button, cases.panel.run_button):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backtab)
        assert QApplication.focusWidget() is button
    QTest.keyClick(cases.panel.run_button, Qt.Key.Key_Space)
    window.until(cases.panel.stop_button.hasFocus)
    cases.until_idle()
    assert QApplication.focusWidget() is cases.panel.run_button
    QTest.keyClick(cases.panel.run_button, Qt.Key.Key_Tab)
    QTest.keyClick(cases.panel.add_button, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is cases.panel.list
    for widget in (cases.panel.difference.expected, cases.panel.difference.printed, cases.panel.difference.cause):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is widget
    cases.panel.list.setFocus()
    window.press_keys("Ctrl+Shift+E")
    assert window.editor.hasFocus()


@pytest.mark.parametrize("width", [375, 700, 1024])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits(cases, width, dark):
    window = cases.window
    palette = QPalette()
    if dark:
        palette = QPalette(Qt.GlobalColor.black)
        for role in (QPalette.ColorRole.Base, QPalette.ColorRole.Window):
            palette.setColor(role, Qt.GlobalColor.black)
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText):
            palette.setColor(role, Qt.GlobalColor.white)
    window.setPalette(palette)
    cases.run()
    window.editor.hide()
    window.resize(width, 700)
    QTest.qWait(50)
    assert window.width() == width and cases.panel.width() <= width
    difference = cases.panel.difference
    for widget in (cases.panel.run_button, cases.panel.add_button, difference.expected, difference.printed):
        right = widget.mapTo(cases.panel, widget.rect().bottomRight())
        assert cases.panel.rect().contains(right), (widget, right)
    side_by_side = difference.expected.mapTo(difference, difference.expected.rect().topLeft()).y() == \
        difference.printed.mapTo(difference, difference.printed.rect().topLeft()).y()
    assert side_by_side == (difference.width() >= 380)
    ground = cases.panel.list.palette().base().color()
    for row in range(2):
        assert colors.contrast(cases.panel.list.topLevelItem(row).foreground(0).color(), ground) >= colors.CONTRAST
