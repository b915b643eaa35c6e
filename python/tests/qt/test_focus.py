"""The keyboard focus stays where the user has it, whatever is hidden or disabled."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QComboBox, QVBoxLayout, QWidget

ASKS = """do main() {
    for i in range(0, 3) {
        print("Number ${i}? ")
        temp s string = input()
        println("got ${s}")
    }
}
"""
ENDLESS = "do main() {\n    temp n int = 0\n    loop {\n        n += 1\n    }\n}\n"


@pytest.fixture
def beside(window):
    """The window with another widget behind the panel, as the shells of the EZ IDE's terminal are."""
    window.choice = QComboBox()
    window.choice.addItems(["bash", "zsh", "fish"])
    below = QWidget()
    QVBoxLayout(below).addWidget(window.choice)
    window.addWidget(below)
    QWidget.setTabOrder(window.panel.console.prompt, window.choice)
    window.activateWindow()
    window.editor.setFocus()
    window.until(window.editor.hasFocus)
    yield window
    assert window.choice.currentText() == "bash"


def type_into_focus(keys):
    for key in keys:
        QTest.keyClick(QApplication.focusWidget(), key)


def within(window, widget):
    return widget is window.panel or window.panel.isAncestorOf(widget)


def test_answers_that_are_typed_ahead_go_nowhere_else(beside):
    beside.program(ASKS, stop_on_entry=False)
    text = beside.editor.toPlainText()
    field = beside.panel.console.input
    beside.press("start")
    for _ in range(3):
        beside.until(field.hasFocus)
        type_into_focus(["f", Qt.Key.Key_Return])
        assert within(beside, QApplication.focusWidget())
        type_into_focus(["z", Qt.Key.Key_Down])
    beside.until_stop()
    beside.until(beside.editor.hasFocus)
    assert beside.editor.toPlainText() == text


@pytest.mark.parametrize("end", ["Ctrl+D", "button", "pause", "stop"])
def test_the_field_that_is_hidden_gives_the_focus_back(beside, end):
    beside.program(ASKS, stop_on_entry=False)
    console = beside.panel.console
    beside.press("start")
    beside.until(console.input.hasFocus)
    if end == "Ctrl+D":
        QTest.keyClick(console.input, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    elif end == "button":
        console.end_button.setFocus()
        QTest.keyClick(console.end_button, Qt.Key.Key_Space)
    else:
        beside.press(end)
    beside.until(lambda: not console.input_row.isVisible())
    beside.until(beside.editor.hasFocus)


def test_a_message_that_is_hidden_gives_the_focus_back(beside):
    message = beside.panel.notices.message
    message.show_problem("Something is wrong.", can_start=True)
    message.close_button.setFocus()
    QTest.keyClick(message.close_button, Qt.Key.Key_Space)
    assert not message.isVisible() and beside.editor.hasFocus()


def test_what_is_disabled_while_the_program_runs_has_the_focus_again_at_the_stop(beside):
    beside.program(ENDLESS)
    beside.press("start")
    beside.until_stop()
    panel = beside.panel
    for widget in (panel.variables.view, panel.calls.list, panel.console.prompt, panel.time_bar.slider,
                   panel.tool_bar.button("over")):
        widget.setFocus()
        beside.until(widget.hasFocus)
        beside.press("continue")
        beside.until(lambda: not widget.isEnabled())
        assert QApplication.focusWidget() is panel
        type_into_focus(["x", Qt.Key.Key_Down])
        beside.press("pause")
        beside.until_stop()
        beside.until(widget.hasFocus)


def test_a_focus_that_the_user_moves_while_the_program_runs_stays_there(beside):
    beside.program(ENDLESS)
    beside.press("start")
    beside.until_stop()
    view = beside.panel.variables.view
    view.setFocus()
    beside.press("continue")
    beside.until(lambda: not view.isEnabled())
    beside.editor.setFocus()
    beside.press("pause")
    beside.until_stop()
    QTest.qWait(20)
    assert beside.editor.hasFocus()


def test_every_widget_that_is_hidden_or_disabled_keeps_the_focus_from_the_next_one(beside):
    beside.program(ENDLESS)
    beside.press("start")
    beside.until_stop()
    panel = beside.panel
    panel.console.input_row.show()
    panel.notices.message.show_problem("Something is wrong.", can_start=True)
    panel.notices.progress.show_evaluation(True)
    panel.notices.changed.show()
    widgets = [one for one in panel.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus
               and one.window() is beside and one.isVisible() and one.isEnabled()]
    assert len(widgets) > 10
    for widget in widgets:
        for take in (widget.hide, lambda: widget.setEnabled(False)):
            beside.editor.setFocus()
            widget.setFocus()
            focus = QApplication.focusWidget()
            if focus is not widget:
                continue
            take()
            assert beside.editor.hasFocus() or within(beside, QApplication.focusWidget()), widget
            assert not beside.choice.hasFocus(), (widget, take)
            widget.setEnabled(True)
            widget.show()


def test_a_field_that_is_hidden_while_another_window_is_active(beside):
    beside.program(ASKS, stop_on_entry=False)
    field = beside.panel.console.input
    beside.press("start")
    beside.until(field.hasFocus)
    other = QWidget()
    other.show()
    other.activateWindow()
    beside.until(lambda: QApplication.activeWindow() is other)
    beside.session.stop()
    beside.until_end()
    beside.activateWindow()
    beside.until(lambda: QApplication.activeWindow() is beside)
    beside.until(beside.editor.hasFocus)
    other.close()


def test_a_panel_that_is_hidden_gives_the_focus_back_at_once(beside):
    beside.program(ASKS, stop_on_entry=False)
    field = beside.panel.console.input
    beside.press("start")
    beside.until(field.hasFocus)
    beside.panel.hide()
    assert beside.editor.hasFocus()


def test_another_page_gets_the_focus_of_the_one_before(beside):
    beside.program(ENDLESS)
    beside.press("start")
    beside.until_stop()
    panel = beside.panel
    panel.variables.view.setFocus()
    panel.pages.show_page(panel.watches)
    beside.until(lambda: panel.watches.isAncestorOf(QApplication.focusWidget()))


def test_a_key_goes_to_the_variables_and_back(beside):
    beside.program("do main() {\n    temp n int = 0\n    n += 1\n    println(n)\n}\n")
    beside.press("start")
    beside.until_stop()
    beside.press("over")
    beside.until_stop()
    panel = beside.panel
    panel.pages.show_page(panel.watches)
    beside.editor.setFocus()
    beside.press_keys("Ctrl+Shift+V")
    view = panel.variables.view
    assert view.isVisible() and view.hasFocus()
    # A row is chosen, so that the next keys change, open or copy it.
    assert view.current_node().variable.name == "n"
    type_into_focus([Qt.Key.Key_F2])
    beside.until(lambda: view.delegate.field is not None and view.delegate.field.hasFocus())
    QTest.keyClicks(QApplication.focusWidget(), "7")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    beside.until(lambda: beside.value("Locals", "n") == "7")
    beside.until(view.hasFocus)
    beside.press_keys("Ctrl+Shift+V")
    assert beside.editor.hasFocus()


def test_a_key_goes_to_where_one_can_type_in_the_console(beside):
    beside.program(ASKS)
    beside.press("start")
    beside.until_stop()
    console, pages = beside.panel.console, beside.panel.pages
    pages.show_page(beside.panel.problems)
    beside.editor.setFocus()
    beside.press_keys("Ctrl+Shift+Y")
    assert console.isVisible() and console.prompt.hasFocus()
    beside.press_keys("Ctrl+Shift+Y")
    assert beside.editor.hasFocus()
    beside.press("continue")
    beside.until(console.input.hasFocus)
    beside.editor.setFocus()
    beside.press_keys("Ctrl+Shift+Y")
    assert console.input.hasFocus()
    # Between two questions, and while a program runs, there is only what it has written.
    beside.session.stop()
    beside.until_end()
    beside.until(beside.editor.hasFocus)
    beside.press_keys("Ctrl+Shift+Y")
    assert console.output.hasFocus()
