"""Breakpoints of all kinds: in the margin, in their panel, in dialogs."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel

from ez_debugger.qt.breakpoint_dialog import BreakpointDialog

LOOP = """do twice(x int) -> int {
    return x * 2
}
do main() {
    temp sum int = 0
    for i in range(0, 5) {
        sum += twice(i)
    }
    println(sum)
    temp zero int = sum - sum
    println(1 / zero)
}
"""


@pytest.fixture
def looped(window):
    window.program(LOOP)
    window.panel.pages.show_page(window.panel.breakpoints)
    return window


def rows(window):
    shown = window.panel.breakpoints.list
    return [tuple(shown.topLevelItem(row).text(column) for column in range(3))
            for row in range(shown.topLevelItemCount())]


def dialog():
    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, BreakpointDialog) and one.isVisible())


def accept(window, **texts):
    """Fills the fields of the dialog, and presses OK; it closes when the engine has nothing against them."""
    shown = dialog()
    for name, text in texts.items():
        getattr(shown, name).setText(text)
    shown.accept()
    window.until(lambda: not shown.isVisible())
    window.activateWindow()
    window.until(window.isActiveWindow)


def choose(menu, text):
    action = next(one for one in menu.actions() if one.text().startswith(text))
    assert action.isEnabled(), text
    action.trigger()


def test_a_click_in_the_margin_sets_a_breakpoint_and_the_next_one_takes_it_away(looped):
    looped.click_margin(9)
    assert rows(looped) == [("p.ez:9", "", "")]
    looped.click_margin(9)
    assert rows(looped) == []
    looped.click_margin(9)
    looped.press("start")
    looped.until_stop(9)
    assert rows(looped) == [("p.ez:9", "1", "")]
    looped.press("continue")
    looped.until_stop(9)
    assert rows(looped) == [("p.ez:9", "2", "")]
    looped.click_margin(9)
    looped.press("continue")
    assert looped.until_stop(13).reason == "exception"


def test_a_line_without_a_statement_moves_the_breakpoint(looped):
    looped.press("start")
    looped.until_stop(7)
    looped.click_margin(1)
    looped.settle()
    (breakpoint,) = looped.panel.store.breakpoints
    assert breakpoint.line == breakpoint.reported.actual_line == 4 and breakpoint.reported.message
    assert rows(looped)[0][0] == "p.ez:4"
    looped.click_margin(4)
    assert rows(looped) == []


def test_the_menu_of_the_margin_adds_a_condition(looped):
    link = looped.panel._link
    choose(link.menu(looped.file, 9), "Add one with a condition")
    accept(looped, condition="i == 3")
    assert rows(looped) == [("p.ez:9", "", "i == 3")]
    looped.press("start")
    looped.until_stop(9)
    assert looped.value("Locals", "i") == "3"
    choose(link.menu(looped.file, 9), "Disable")
    looped.settle()
    assert not looped.panel.store.breakpoints[0].reported.enabled
    choose(link.menu(looped.file, 9), "Condition, hits")
    dialog().switch.setChecked(True)
    accept(looped, condition="i == 4")
    looped.panel.store.change(looped.panel.store.breakpoints[0], condition="i ==")
    looped.settle()
    assert looped.panel.store.breakpoints[0].is_wrong
    assert rows(looped)[0][2] == looped.panel.store.breakpoints[0].reported.message != ""
    choose(link.menu(looped.file, 11), "Run to here")
    assert looped.until_stop(11).reason == "runTo"


def test_hits_and_messages(looped):
    looped.click_margin(9)
    looped.click_margin(4)
    first, second = looped.panel.store.breakpoints
    looped.panel.store.change(first, hit_condition=">= 4")
    looped.panel.store.change(second, log_message="x is {x}")
    looped.press("start")
    looped.until_stop(9)
    assert looped.output() == "x is 0\nx is 1\nx is 2\n"
    assert rows(looped) == [("p.ez:9", "4", "hit >= 4"), ("p.ez:4", "3", "writes “x is {x}”")]


def test_switches_in_the_panel(looped):
    looped.click_margin(9)
    looped.click_margin(11)
    item = looped.panel.breakpoints.list.topLevelItem(0)
    item.setCheckState(0, Qt.CheckState.Unchecked)
    looped.press("start")
    looped.until_stop(11)
    looped.panel.breakpoints.list.itemActivated.emit(item, 0)
    assert looped.editor.textCursor().blockNumber() == 8
    looped.panel.breakpoints.list.setCurrentItem(item)
    looped.panel.breakpoints.list.setFocus()
    QTest.keyClick(looped.panel.breakpoints.list, Qt.Key.Key_Delete)
    assert [row[0] for row in rows(looped)] == ["p.ez:11"]
    choose(looped.panel.breakpoints.menu(), "Remove all")
    looped.settle()
    assert rows(looped) == []


def test_functions(looped):
    field = looped.panel.breakpoints.function
    for name in ("twice", "nothing"):
        field.setText(name)
        QTest.keyClick(field, Qt.Key.Key_Return)
    looped.press("start")
    assert looped.until_stop(4).reason == "function breakpoint"
    assert rows(looped)[0] == ("twice()", "1", "")
    assert "nothing" in rows(looped)[1][2]


def test_errors_stop_the_program_as_the_boxes_say(looped):
    looped.program('do fails() -> (int, Error) {\n    return 0, error("bad")\n}\n'
                   "do main() {\n    temp n, e = fails()\n    println(1 / n)\n}\n", stop_on_entry=False)
    boxes = looped.panel.breakpoints.error_boxes
    assert boxes["uncaught"].isChecked() and not boxes["errorValue"].isChecked()
    looped.press("start")
    assert looped.until_stop(8).reason == "exception"
    assert "E5001" in looped.output()
    looped.press("stop")
    looped.until_end()
    boxes["errorValue"].click()
    boxes["uncaught"].click()
    looped.press("start")
    assert looped.until_stop(4).reason == "exception"
    looped.press("continue")
    assert looped.until_stop().reason == "exception"
    looped.press("continue")
    looped.until_end()
    assert looped.panel.status.text() == "Ended with status 1"


def test_breakpoints_move_with_the_text_and_are_set_anew_at_a_restart(looped):
    looped.click_margin(9)
    looped.press("start")
    looped.until_stop(9)
    cursor = looped.editor.textCursor()
    cursor.setPosition(looped.editor.document().findBlockByNumber(2).position())
    cursor.insertText("// a line\n// another\n")
    assert looped.panel.store.breakpoints[0].line == 11
    with open(looped.file, "w", encoding="utf-8") as stream:
        stream.write(looped.editor.toPlainText())
    looped.press("restart")
    looped.until_stop(11)


def test_a_key_toggles_the_breakpoint_of_the_cursor(looped):
    looped.adapter.show_place(looped.file, 9)
    QTest.keyClick(looped, Qt.Key.Key_F9)
    assert rows(looped) == [("p.ez:9", "", "")]
    QTest.keyClick(looped, Qt.Key.Key_F9)
    assert rows(looped) == []


def test_a_key_edits_the_breakpoint_of_the_cursor(looped):
    looped.adapter.show_place(looped.file, 9)
    for condition in ("i == 1", "i == 2"):
        QTest.keyClick(looped, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
        accept(looped, condition=condition)
        assert rows(looped) == [("p.ez:9", "", condition)]


def test_breakpoints_outlive_the_server(looped):
    looped.click_margin(9)
    for _ in range(2):
        looped.press("start")
        looped.until_stop(9)
        looped.press("stop")
        looped.until_end()
    assert [row[0] for row in rows(looped)] == ["p.ez:9"]


@pytest.mark.parametrize(("texts", "message", "field"), [
    ({"condition": "i =="}, "expected an expression", "condition"),
    ({"condition": "nope > 3"}, "undefined variable 'nope'", "condition"),
    ({"condition": "i + 1"}, "condition must be bool", "condition"),
    ({"condition": "i == 1", "hit_condition": "abc"}, "wrong hit condition 'abc'", "hit_condition"),
    ({"log_message": "{i +}"}, "expected an expression", "log_message"),
])
@pytest.mark.parametrize("runs", [False, True])
def test_wrong_options_are_refused_in_the_dialog(looped, texts, message, field, runs):
    if runs:
        looped.press("start")
        looped.until_stop(7)
    looped.adapter.show_place(looped.file, 9)
    looped.press_keys("Shift+F9")
    shown = dialog()
    for name, text in texts.items():
        getattr(shown, name).setText(text)
    shown.accept()
    looped.until(lambda: message in shown.problem.text())
    assert shown.isVisible() and looped.panel.store.breakpoints == []
    looped.until(getattr(shown, field).hasFocus)
    accept(looped, condition="i == 1", hit_condition="", log_message="")
    (breakpoint,) = looped.panel.store.breakpoints
    looped.settle()
    assert breakpoint.condition == "i == 1" and not breakpoint.is_wrong


@pytest.mark.parametrize(("text", "condition", "refused"), [
    ("do main() {\n    temp i int = nope\n    println(i)\n}\n", "i == 3", ""),
    ("do main() {\n    temp i int = nope\n    println(i)\n}\n", "i ==", "expected an expression"),
    ("do main() {\n    temp i int = 3\n    println(i)\n}\n\n", "nope ==", "expected an expression"),
])
def test_only_what_can_be_known_is_refused(window, text, condition, refused):
    window.program(text)
    window.adapter.show_place(window.file, 5 if "nope\n" in text else 7)
    window.press_keys("Shift+F9")
    shown = dialog()
    shown.condition.setText(condition)
    shown.accept()
    window.until(lambda: not shown.isVisible() or shown.problem.text())
    assert refused in shown.problem.text() and shown.isVisible() == bool(refused)
    shown.reject()


def test_the_options_of_functions_in_the_dialog(looped):
    looped.press("start")
    looped.until_stop(7)
    field = looped.panel.breakpoints.function
    field.setText("twice")
    QTest.keyClick(field, Qt.Key.Key_Return)
    looped.panel.breakpoints.list.setCurrentItem(looped.panel.breakpoints.list.topLevelItem(0))
    choose(looped.panel.breakpoints.menu(), "Condition, hits")
    shown = dialog()
    shown.condition.setText("y == 3")
    shown.accept()
    looped.until(lambda: "undefined variable 'y'" in shown.problem.text())
    accept(looped, condition="x == 3")
    looped.press("continue")
    looped.until_stop(4)
    assert looped.value("Arguments", "x") == "3"


@pytest.mark.parametrize("option", [{"condition": "i =="}, {"condition": "nope > 3"}, {"hit_condition": "abc"},
                                    {"log_message": "{i +}"}])
def test_wrong_options_are_said_at_the_start_and_while_the_program_runs(looped, option):
    message = looped.panel.notices.message
    looped.click_margin(9)
    looped.panel.store.change(looped.panel.store.breakpoints[0], **option)
    looped.press("start")
    looped.until_stop()
    assert message.isVisible() and "breakpoint at p.ez:9" in message.label.text()
    looped.panel.store.change(looped.panel.store.breakpoints[0], condition=None, hit_condition=None, log_message=None)
    message.hide()
    looped.settle()
    assert not message.isVisible()
    looped.panel.store.change(looped.panel.store.breakpoints[0], **option)
    looped.settle()
    assert message.isVisible()


def test_what_is_wrong_with_one_kind_of_errors_is_said_of_that_kind(window):
    window.program("do main() {\n    println(1)\n}\n")
    store = window.panel.store
    store.set_error_stop("uncaught", True, "error.nope")
    store.set_error_stop("errorValue", True)
    window.press("start")
    window.until_stop(4)
    uncaught, values = store.error_stops
    assert uncaught.message and "nope" in uncaught.message and values.message is None


def test_breakpoints_that_are_work_to_set_can_be_taken_back(window):
    window.program("do main() {\n    println(1)\n    println(2)\n}\n")
    store, message = window.panel.store, window.panel.notices.message
    window.click_margin(4)
    window.click_margin(4)
    assert not message.isVisible() and not store.breakpoints
    window.click_margin(5)
    store.change(store.breakpoints[0], condition="1 == 1")
    window.press("start")
    window.until_stop(5)
    window.click_margin(5)
    assert message.label.text() == "The breakpoint p.ez:5 was removed." and message.undo.isVisible()
    message.undo.click()
    assert not message.isVisible()
    window.settle()
    assert [(one.line, one.condition) for one in store.breakpoints] == [(5, "1 == 1")]
    assert store.breakpoints[0].reported.verified
    window.click_margin(4)
    store.remove_all()
    assert message.label.text() == "2 breakpoints were removed."
    # One that was set there meanwhile stays the only one.
    store.toggle(window.file, 4)
    message.undo.click()
    window.settle()
    assert sorted(one.line for one in store.breakpoints) == [4, 5]
    message.show_message("Something else.")
    assert not message.undo.isVisible()


def test_names_of_functions_that_are_pasted_are_as_many_as_they_are(window):
    window.program("do one() {\n}\ndo two() {\n}\ndo main() {\n    one()\n    two()\n}\n")
    field = window.panel.breakpoints.function
    window.panel.pages.show_page(window.panel.breakpoints)
    QApplication.clipboard().setText("one\ntwo\n")
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert [one.name for one in window.panel.store.breakpoints] == ["one", "two"] and field.text() == ""


@pytest.mark.parametrize("shown", ["breakpoint", "launch", "sharing", "computed"])
def test_dialogs_have_letters_as_large_as_the_panels(window, shown):
    font = window.editor.font()
    font.setPointSize(32)
    window.editor.setFont(font)
    panel = window.panel
    window.until(lambda: panel.font().pointSizeF() == pytest.approx(26, abs=0.5))
    window.program("do main() {\n    println(1)\n    println(2)\n}\n")
    if shown == "computed":
        window.press("start")
        window.until_stop(4)
        window.press("over")
        window.until_stop(5)
        window.press_keys("Alt+F12")
        window.until(panel.origins.computed.isVisible)
        dialog = panel.origins.computed
    else:
        action = {"breakpoint": panel.edit_action, "launch": panel.options_action, "sharing": panel.share_action}[shown]
        action.trigger()
        dialog = panel.sharing if shown == "sharing" else QApplication.activeModalWidget()
    assert dialog.findChildren(QLabel)[0].font().pointSizeF() == panel.font().pointSizeF()
    dialog.close()


def test_a_file_that_the_program_uses_after_a_restart_has_its_breakpoints(window):
    part = window.folder / "part.ez"
    part.write_text("module part\ndo f() -> int {\n    return 1\n}\n")
    window.use(str(part))
    window.click_margin(3)
    file = window.program('do main() {\n    println("before")\n    println("1")\n}\n')
    window.open(file)
    window.click_margin(5)
    window.press("start")
    window.until_stop(5)
    assert "does not use this file" in str(rows(window))
    text = (window.folder / "p.ez").read_text()
    (window.folder / "p.ez").write_text(text.replace("import @std\n", 'import @std, "./part"\n').replace('println("1")', "println(part.f())"))
    window.press("restart")
    window.until(lambda: "does not use this file" not in str(rows(window)))
    window.until_stop(5)
    window.press("continue")
    window.until(lambda: window.session.state.stop is None or window.session.state.stop.location.line == 3)
    assert window.until_stop(3).location.file.endswith("part.ez")
