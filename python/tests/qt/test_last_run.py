"""What a new case gets from the last run."""

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from test_cases_panel import Cases, dialog, run_by_hand

TWO = """do main() {
    temp a string = input()
    temp b string = input()
    println(a + b)
}
"""


def type_line(window, text):
    field = window.panel.console.input
    window.until(lambda: window.panel.console.input_row.isVisible())
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.until(lambda: not window.panel.console.input_row.isVisible() or field.text() == "")


def at_end(window):
    window.until(lambda: window.session.state.stop is not None and window.session.state.stop.reason == "end")


def offered(cases):
    cases.open()
    cases.panel.add_button.click()
    shown = dialog()
    said = shown.input.toPlainText(), shown.output.toPlainText(), shown.note.text()
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    return said


def test_what_was_typed_before_a_restart_is_not_read(window):
    window.program(TWO)
    window.press("start")
    window.until_stop()
    window.press("continue")
    type_line(window, "old")
    window.until(lambda: window.panel.console.input_row.isVisible())
    window.press("restart")
    window.until_stop()
    window.press("continue")
    type_line(window, "7")
    type_line(window, "8")
    at_end(window)
    # It stops where it ends, too.
    given, printed, note = offered(Cases(window))
    assert (given, printed) == ("7\n8\n", "78\n")
    assert note.startswith("This is what the last run was given to read, and has printed. Is it right?")


def test_the_status_is_not_guessed(window):
    window.program("do main() {\n    println(1)\n    exit(3)\n}\n")
    window.editor.setFocus()
    window.press("start")
    window.until_stop()
    window.press("continue")
    at_end(window)
    assert offered(Cases(window))[2].endswith("It has not ended (F5): the case expects the status 0.")
    window.editor.setFocus()
    window.press("continue")
    window.until_end()
    assert offered(Cases(window))[2].endswith("It has to end with the status 3.")


def test_a_text_that_was_changed_since(window):
    window.program("do main() {\n    println(1)\n}\n")
    run_by_hand(window)
    assert "changed since" not in offered(Cases(window))[2]
    text = window.editor.toPlainText().replace("println(1)", "println(2)")
    Path(window.file).write_text(text + "\n")
    assert "The text of the program was changed since." in offered(Cases(window))[2]


def test_a_text_that_is_edited_since(window):
    window.program("do main() {\n    println(1)\n}\n")
    run_by_hand(window)
    QTest.keyClicks(window.editor, " ")
    QTest.qWait(50)
    assert "The text of the program was changed since." in offered(Cases(window))[2]


@pytest.mark.parametrize("is_restarted", [False, True])
def test_an_import_in_a_second_line_that_was_changed_since(window, is_restarted):
    part = window.folder / "part.ez"
    part.write_text("module part\ndo f() -> int {\n    return 1\n}\n")
    body = "using std\ndo main() {\n    println(part.f())\n}\n".replace("part.f()", "1" if is_restarted else "part.f()")
    window.program("")
    Path(window.file).write_text(('import @std\n' if is_restarted else 'import @std,\n    "./part"\n') + body)
    window.open(window.file)
    if is_restarted:
        window.press("start")
        window.until_stop()
        Path(window.file).write_text('import @std,\n    "./part"\n' + body.replace("1", "part.f()"))
        window.press("restart")
        window.until_stop()
        window.press("continue")
        at_end(window)
    else:
        run_by_hand(window)
    assert "changed since" not in offered(Cases(window))[2]
    part.write_text(part.read_text() + "\n")
    assert "The text of the program was changed since." in offered(Cases(window))[2]
