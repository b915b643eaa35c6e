"""What is wrong with a program is said where one looks: in the text, in a list, in the console."""

import os
import sys
from pathlib import Path

import project
import pytest
from PyQt6.QtCore import QEvent, QPoint, Qt
from PyQt6.QtGui import QHelpEvent, QTextCursor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QToolTip

from ez_debugger.qt import colors
from ez_debugger.qt.foreign import explanation

TWO = 'do main() {\n    temp x int = "a"\n    println(x)\n    println(nope)\n}\n'
FAILS = "do main() {\n    temp list [int] = {1, 2}\n    temp i int = 5\n    println(list[i])\n}\n"


def problems(window):
    shown = window.panel.problems.list
    return [(shown.topLevelItem(row).text(0), shown.topLevelItem(row).text(1))
            for row in range(shown.topLevelItemCount())]


def marked(window):
    return [(one.line, one.column) for one in window.adapter._problems._problems]


def pixels(widget):
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


@pytest.fixture
def refused(window):
    window.program(TWO)
    window.editor.setFocus()
    window.press("start")
    window.until(window.panel.notices.message.isVisible)
    return window


def test_all_errors_are_listed_and_marked(refused):
    assert [place for _, place in problems(refused)] == ["p.ez:4", "p.ez:6"]
    assert all(code in text for (text, _), code in zip(problems(refused), ("E3001", "E4001")))
    assert marked(refused) == [(4, 10), (6, 13)]
    assert refused.panel.pages.groups[2].currentWidget() is refused.panel.problems
    assert refused.panel.pages.groups[2].tabText(refused.panel.pages.groups[2].currentIndex()) == "Problems (2)"
    red = colors.error(refused.editor.palette()).name()
    assert red in pixels(refused.editor) and red in pixels(refused.adapter.margin)
    assert "E4001" in refused.adapter.margin.text_at(6)
    assert refused.panel.status.text() == "Not started" and refused.enabled() == {"start"}
    assert "was ended" not in refused.output()
    assert refused.editor.hasFocus() and refused.editor.textCursor().blockNumber() == 3


def test_the_mouse_over_an_error_says_what_it_is(refused):
    cursor = QTextCursor(refused.editor.document().find("nope"))
    place = refused.editor.cursorRect(cursor).center() - QPoint(2, 0)
    viewport = refused.editor.viewport()
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place)))
    refused.until(lambda: "undefined variable" in QToolTip.text())
    QToolTip.hideText()


def test_a_click_goes_to_the_error(refused):
    shown = refused.panel.problems.list
    row = shown.visualItemRect(shown.topLevelItem(1))
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    cursor = refused.editor.textCursor()
    assert (cursor.blockNumber(), cursor.columnNumber()) == (5, 12)
    shown.setFocus()
    shown.setCurrentItem(shown.topLevelItem(0))
    shown.itemActivated.emit(shown.topLevelItem(0), 0)
    assert refused.editor.textCursor().blockNumber() == 3 and refused.editor.hasFocus()


def test_marks_follow_the_text_and_go_with_the_mistake(refused):
    QTextCursor(refused.editor.document()).insertText("// one\n")
    assert marked(refused) == [(5, 10), (7, 13)] and problems(refused)[1][1] == "p.ez:7"
    refused.editor.document().find('"a"').insertText("5")
    assert marked(refused) == [(7, 13)] and len(problems(refused)) == 2
    refused.editor.undo()
    assert marked(refused) == [(5, 10), (7, 13)]


def test_the_next_start_forgets_the_problems(refused):
    text = refused.editor.toPlainText().replace('"a"', "5").replace("nope", "x")
    Path(refused.file).write_text(text, encoding="utf-8")
    refused.editor.setPlainText(text)
    refused.panel.notices.message.start.click()
    refused.until_stop(4)
    assert problems(refused) == [] and marked(refused) == []
    assert refused.panel.pages.groups[2].tabText(1) == "Problems" and refused.panel.console.isVisible()


def test_all_errors_of_a_program_that_cannot_be_started_anew(window):
    window.program("do main() {\n    println(1)\n}\n")
    window.press("start")
    window.until_stop(4)
    Path(window.file).write_text(f"import @std\nusing std\n{TWO}", encoding="utf-8")
    window.press("restart")
    window.until(window.panel.notices.message.isVisible)
    window.until_end()
    assert "2 errors" in window.panel.notices.message.label.text()
    assert [(one.kind, one.code, one.line) for one in window.panel.problems.problems] == [
        ("error", "E3001", 4), ("error", "E4001", 6)]


def test_places_in_the_console_are_links(refused):
    refused.panel.pages.groups[2].setCurrentWidget(refused.panel.console)
    output = refused.panel.console.output
    refused.until(lambda: output.is_settled)
    cursor = output.document().find(":6:13")
    place = output.cursorRect(cursor).center() - QPoint(4, 0)
    QTest.mouseMove(output.viewport(), place)
    refused.until(lambda: output.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor)
    QTest.mouseClick(output.viewport(), Qt.MouseButton.LeftButton, pos=place)
    cursor = refused.editor.textCursor()
    assert (cursor.blockNumber(), cursor.columnNumber()) == (5, 12)
    refused.adapter.show_place(refused.file, 1)
    QTest.mouseClick(output.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(output.viewport().width() - 3, 3))
    assert refused.editor.textCursor().blockNumber() == 0


def test_warnings_are_marked(window):
    window.program("import @math\ndo main() {\n    println(1)\n}\n")
    window.press("start")
    window.until_stop(5)
    assert [(one.kind, one.code, one.line) for one in window.panel.problems.problems] == [("warning", "W1002", 3)]
    assert marked(window) == [(3, 1)]
    assert colors.warning(window.editor.palette()).name() in pixels(window.editor)
    window.press("restart")
    window.until_stop(5)
    assert len(problems(window)) == 1


def test_a_run_time_error_is_red_at_its_line(window):
    window.program(FAILS)
    window.press("start")
    window.until_stop()
    window.press("continue")
    assert window.until_stop(6).reason == "exception"
    overlay = window.adapter.overlay
    assert overlay.line == 6 and "index out of bounds" in overlay.error and "\n" not in overlay.error
    assert colors.error(window.editor.palette()).name() in pixels(window.editor)
    assert [place for _, place in problems(window)] == ["p.ez:6"]
    assert marked(window)[0][0] == 6
    window.press("continue")
    window.until_end()
    assert len(problems(window)) == 1 and marked(window)[0][0] == 6
    assert overlay.line == 0


def test_only_the_first_line_of_an_error_is_in_the_status_line(window):
    window.program('do main() {\n    temp n int = cast("xyz", int)\n    println(n)\n}\n')
    window.press("start")
    window.until_stop()
    window.press("continue")
    stop = window.until_stop()
    assert stop.reason == "exception" and len(stop.description.splitlines()) > 1
    assert "\n" not in window.panel.status.text() and "\n" in window.panel.status.toolTip()
    assert stop.description.splitlines()[0] in window.panel.status.text()


ASKS = ("do ask() -> string {\n    temp answer string = input()\n    return answer\n}\n"
        "do main() {\n    temp a int = 1\n    temp name string = ask()\n    println(name, a)\n}\n")


@pytest.mark.parametrize(("keys", "line", "after"), [
    (["continue"], 4, 11), (["over", "over"], 4, 10), (["over", "into", "into"], 4, 5),
    (["over", "into", "out"], 4, 9), (["here"], 4, 10)])
def test_the_statement_that_waits_for_input_is_marked(window, keys, line, after):
    window.program(ASKS)
    window.press("start")
    window.until_stop(8)
    console = window.panel.console
    window.adapter.show_place(window.file, 10)
    for key in keys:
        window.until(lambda: not window.session.is_moving)
        window.press(key)
    window.until(console.input_row.isVisible)
    assert window.adapter.overlay.line == window.adapter.margin._line == line
    assert f"waits for input  (p.ez:{line})" in window.panel.status.text()
    assert window.panel.calls.list.topLevelItemCount() == 0
    assert window.panel.variables.view.values.rowCount() == 0
    assert window.session.state.status == "running" and window.session.is_moving
    QTest.keyClicks(console.input, "Bob")
    QTest.keyClick(console.input, Qt.Key.Key_Return)
    window.until_stop()
    assert window.session.state.stop.location.line == after


def test_a_program_that_asks_at_once_shows_where(window):
    window.program(ASKS, stop_on_entry=False)
    window.press("start")
    window.until(window.panel.console.input_row.isVisible)
    assert window.adapter.overlay.line == 4
    window.press("pause")
    assert window.until_stop(4).reason == "pause"
    assert window.panel.calls.list.topLevelItemCount() == 2
    window.press("continue")
    window.until(window.panel.console.input_row.isVisible)
    window.press("stop")
    window.until_end()
    assert window.adapter.overlay.line == 0


def script(path, text):
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
@pytest.mark.parametrize(("text", "said"), [
    ('import sys\nprint("EZ v2.0.0" if sys.argv[1] == "version" else "")\n', "is EZ 2.0.0 without a debugger"),
    ('import sys\nsys.exit(1)\n', "is not the program ez of ez-debugger"),
    ('import sys, json\nif sys.argv[1] == "debugserver":\n    id = json.loads(sys.stdin.readline())["id"]\n'
     '    print(json.dumps({"type": "event", "event": "initialized", "data": {"file": "x"}, "id": id}), flush=True)\n'
     '    sys.stdin.read()\n', "too old"),
    ('import sys\nprint(sys.stdin.readline(), flush=True)\nsys.stdin.read()\n', "the line is not an event"),
    ('import sys\nsys.stdout.write("x\\n" * 50000)\nsys.stdout.flush()\nsys.stdin.read()\n', "not valid JSON"),
    ('import sys\nwhile True:\n    sys.stdout.write("x" * 65536)\n', "the line is longer than"),
])
def test_another_program_is_named_with_what_to_do(window, tmp_path, text, said):
    window.session.ez = script(tmp_path / "ez", text)
    window.program(FAILS)
    window.press("start")
    window.until(window.panel.notices.message.isVisible)
    label = window.panel.notices.message.label.text()
    assert f"{tmp_path / 'ez'} is" in label and said in label
    assert "install ez-debugger, or name its program ez with --ez" in label
    assert window.panel.status.text() == "Not started" and window.enabled() == {"start"}
    assert window.output() == ""


def test_what_is_said_of_other_programs():
    assert explanation("/usr/bin/ez", "EZ Language 2.0.0\n", "Ended.").startswith("/usr/bin/ez is EZ 2.0.0 without")
    assert explanation("ez", "EZ v2.0.0 (ez-debugger 0.1.0)\n", "It ended.") == "It ended."
    assert explanation("ez", None, "It ended.") == "It ended."


def test_a_folder_that_is_not_there(window, tmp_path):
    window.program(FAILS, working_dir=str(tmp_path / "gone"))
    window.press("start")
    assert f"The folder {tmp_path / 'gone'} does not exist" in window.panel.notices.message.label.text()
    assert window.enabled() == {"start"}


def test_the_help_of_an_error_is_where_one_looks(window):
    window.program("do main() {\n    prinln(1)\n}\n")
    window.press("start")
    label = window.panel.notices.message.label
    window.until(label.isVisible)
    first, second = label.text().splitlines()
    assert first == "p.ez cannot be run: undefined function 'prinln'" and "did you mean 'println'?" in second
    cursor = QTextCursor(window.editor.document().find("prinln"))
    place = window.editor.cursorRect(cursor).center() - QPoint(2, 0)
    viewport = window.editor.viewport()
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place)))
    window.until(lambda: "help: " in QToolTip.text() and "did you mean" in QToolTip.text())
    QToolTip.hideText()
    assert "did you mean" in window.adapter.margin.text_at(4)


@pytest.mark.parametrize("window", [True], indirect=True)
def test_a_module_that_is_started_is_named_and_no_empty_page_is_shown(window):
    path = window.folder / "helper.ez"
    path.write_text("module helper\n\ndo f() -> int {\n    return 1\n}\n", encoding="utf-8")
    window.use(str(path))
    # What is right is known when the server has said of something else that it is wrong.
    cursor = window.editor.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText("nope")
    window.until(lambda: window.panel.problems.problems)
    window.editor.undo()
    window.until(lambda: not window.panel.problems.problems)
    window.press("start")
    label = window.panel.notices.message.label
    window.until(label.isVisible)
    first, second = label.text().splitlines()
    assert first == "helper.ez cannot be run: program must define a main() function"
    assert "'module'" in second and "run the one that has main()" in second
    front = window.panel.pages.groups[-1].currentWidget()
    assert front is window.panel.console or window.panel.problems.list.topLevelItemCount()
