"""The text in the editor is not the one that runs: lines are translated, nothing wrong is sent, and a bar says so."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QTextCursor
from PyQt6.QtTest import QTest

from ez_debugger.protocol import Command
from ez_debugger.qt.anchors import BreakpointAnchors, LineMap
from ez_debugger.qt.breakpoint_store import LINE, NOT_IN_PROGRAM, UserBreakpoint

#: Its first statement is in line 4.
EIGHT = """do main() {
    temp a int = 1
    temp b int = 2
    temp c int = 3
    temp d int = 4
    println(a)
    println(b)
    println(c)
    println(d)
}
"""


def mapped(old, new):
    """For each line of the old text where it is in the new one."""
    lines = LineMap(old.split("\n"), new.split("\n"))
    forward = [lines.forward(line + 1) for line in range(len(old.split("\n")))]
    for before, after in enumerate(forward, 1):
        assert after == 0 or lines.backward(after) == before
    return forward


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("a\nb\nc", "a\nb\nc", [1, 2, 3]),
    ("a\nb\nc", "x\ny\na\nb\nc", [3, 4, 5]),
    ("a\nb\nc", "a\nc", [1, 0, 2]),
    ("a\nb\nc", "", [0, 0, 0]),
    ("a\nfoo(1)\nc", "a\nfoo(2)\nc", [1, 2, 3]),
    ("a\nfoo(1)\nc", "a\n// new\nfoo(2)\nc", [1, 3, 4]),
    ("a\nfoo(1)\nc", "a\nfoo(2)\n// new\nc", [1, 2, 4]),
    ("a\nfoo(bar)\nc", "a\nfoo(\nbar)\nc", [1, 2, 4]),
    ("a\nfoo\nbar\nc", "a\nfoobar\nc", [1, 2, 0, 3]),
    ("    if x {\n    y\n    }", "        if x {\n        y\n        z\n        }", [1, 2, 4]),
    ("x\nx\nx", "x\nx\nx\nx", [1, 2, 3]),
])
def test_lines_of_a_changed_text(old, new, expected):
    assert mapped(old, new) == expected


def test_large_texts_are_compared_fast(measure):
    import time

    old = [f"line {number % 700}" for number in range(20_000)]
    new = [f"other {number % 900}" for number in range(21_000)]
    start = time.process_time()
    LineMap(old, new)
    taken = time.process_time() - start
    measure("lines of two texts of 20,000 lines without anything in common", f"{taken:.2f} s")
    assert taken < 2


def test_a_breakpoint_whose_line_is_deleted_comes_back_with_its_line():
    anchors = BreakpointAnchors()
    anchors.set_text(list("abcdef"))
    first, second = UserBreakpoint(LINE, line=4), UserBreakpoint(LINE, line=5)
    anchors.set_breakpoints([first, second])
    assert anchors.edit(list("abcef")) == ([(second, 4)], [first])
    second.line = 4
    anchors.set_breakpoints([second])
    assert anchors.edit(list("abcdef")) == ([(second, 5), (first, 4)], [])
    assert anchors.edit([""]) == ([], [first, second])
    assert sorted(line for _, line in anchors.edit(list("abcdef"))[0]) == [4, 5]


class Sent:
    """The commands that a session has sent."""

    def __init__(self, session):
        self.all = []
        send = session.send

        def watched(command, on_answer=None, **params):
            self.all.append((command, params))
            return send(command, on_answer, **params)

        session.send = watched

    def take(self, name):
        found = [params for command, params in self.all if command == name]
        self.all.clear()
        return found


@pytest.fixture
def eight(window):
    window.program(EIGHT)
    window.panel.before_start = lambda: save(window)
    return window


def save(window):
    with open(window.file, "w", encoding="utf-8") as stream:
        stream.write(window.editor.toPlainText())
    return ""


def insert(window, line, text):
    """Before a line."""
    cursor = QTextCursor(window.editor.document().findBlockByNumber(line - 1))
    cursor.insertText(text)


def delete_line(window, line):
    cursor = QTextCursor(window.editor.document().findBlockByNumber(line - 1))
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()


def text_of(window, line):
    return window.editor.document().findBlockByNumber(line - 1).text().strip()


def lines(window):
    return [one.line for one in window.panel.store.breakpoints]


def test_marks_stay_at_their_statements(eight):
    eight.press("start")
    eight.until_stop(4)
    overlay, notice = eight.adapter.overlay, eight.panel.notices.changed
    assert not notice.isVisible()
    insert(eight, 4, "    // one\n    // two\n    // three\n")
    assert overlay.line == eight.adapter.margin._line == 7
    assert notice.isVisible() and "The text has changed since the program was started" in notice.label.text()
    assert "now line 7" in eight.panel.status.text()
    for line in range(5, 12):
        eight.press("over")
        eight.until_stop(line)
        assert overlay.line == line + 3
        assert text_of(eight, overlay.line) == EIGHT.split("\n")[line - 3].strip()
    eight.until(lambda: overlay.values == "d = 4")
    for _ in range(4):
        eight.editor.undo()
    assert overlay.line == 11 and not notice.isVisible()


def test_an_edit_moves_neither_the_cursor_nor_the_focus(eight):
    eight.press("start")
    eight.until_stop(4)
    eight.editor.setFocus()
    cursor = eight.editor.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.Start)
    eight.editor.setTextCursor(cursor)
    QTest.keyClicks(eight.editor, "//")
    QTest.keyClick(eight.editor, Qt.Key.Key_Return)
    QTest.keyClicks(eight.editor, "x")
    assert eight.editor.toPlainText().startswith("//\nximport")
    assert eight.editor.hasFocus() and eight.adapter.overlay.line == 5


def test_breakpoints_are_sent_with_the_lines_of_the_program(eight):
    eight.click_margin(11)
    eight.press("start")
    eight.until_stop(11)
    sent = Sent(eight.session)
    insert(eight, 5, "    // one\n    // two\n    // three\n")
    assert lines(eight) == [14] and sent.take("setBreakpoints") == []
    eight.click_margin(13)
    (asked,) = sent.take("setBreakpoints")
    assert [one["line"] for one in asked["breakpoints"]] == [11, 10]
    eight.settle()
    assert lines(eight) == [14, 13]
    assert not any(one.is_wrong for one in eight.panel.store.breakpoints)
    eight.press("reverse")
    eight.until_stop(10)
    assert eight.adapter.overlay.line == 13 and text_of(eight, 13) == "println(c)"


def test_a_breakpoint_in_a_new_line_waits_for_the_next_start(eight):
    eight.press("start")
    eight.until_stop(4)
    insert(eight, 6, "    println(100)\n    println(200)\n")
    sent = Sent(eight.session)
    eight.click_margin(6)
    (asked,) = sent.take("setBreakpoints")
    assert asked["breakpoints"] == []
    (breakpoint,) = eight.panel.store.breakpoints
    assert breakpoint.is_wrong and breakpoint.message == NOT_IN_PROGRAM
    assert eight.panel.breakpoints.list.topLevelItem(0).text(2) == NOT_IN_PROGRAM
    QTest.mouseClick(eight.panel.notices.changed.start, Qt.MouseButton.LeftButton)
    eight.until_stop(6)
    assert not breakpoint.is_wrong and eight.adapter.overlay.line == 6
    assert not eight.panel.notices.changed.isVisible()


def test_a_line_that_was_moved_by_the_engine_is_shown_in_the_changed_text(eight):
    eight.press("start")
    eight.until_stop(4)
    insert(eight, 4, "// one\n// two\n")
    eight.click_margin(1)
    eight.settle()
    assert lines(eight) == [6]
    assert text_of(eight, 6) == "temp a int = 1"


def test_the_cursor_runs_to_its_statement(eight):
    eight.press("start")
    eight.until_stop(4)
    insert(eight, 5, "    // one\n    // two\n")
    eight.adapter.show_place(eight.file, 10)
    eight.press("here")
    eight.until_stop(8)
    assert eight.adapter.overlay.line == 10
    eight.adapter.show_place(eight.file, 5)
    eight.press("here")
    assert "does not have this line" in eight.panel.notices.message.label.text()
    here = next(one for one in eight.panel._link.menu(eight.file, 5).actions() if one.text() == "Run to here")
    assert not here.isEnabled()


def test_the_line_of_the_program_is_deleted(eight):
    eight.press("start")
    eight.until_stop(4)
    delete_line(eight, 4)
    assert eight.adapter.overlay.line == 0 and "now deleted" in eight.panel.status.text()
    eight.press("over")
    eight.until_stop(5)
    assert eight.adapter.overlay.line == 4
    eight.press("back")
    eight.until_stop(4)
    eight.editor.undo()
    assert eight.adapter.overlay.line == 4


def test_calls_are_shown_where_they_are_now(window):
    window.program("do inner(x int) -> int {\n    return x\n}\n"
                   "do main() {\n    temp y int = inner(3)\n    println(y)\n}\n")
    window.click_margin(4)
    window.press("start")
    window.until_stop(4)
    insert(window, 1, "// one\n")
    assert window.panel.calls.list.topLevelItem(1).text(1) == "p.ez:8"
    window.panel.calls.list.setCurrentItem(window.panel.calls.list.topLevelItem(1))
    window.settle()
    assert window.adapter.overlay.line == 8
    window.press("over")
    window.until_stop(7)
    assert window.panel.calls.list.topLevelItem(0).text(1) == "p.ez:8"


def test_breakpoints_of_deleted_lines_go_and_come_back(eight):
    for line in (5, 4):
        eight.click_margin(line)
    delete_line(eight, 4)
    assert lines(eight) == [4]
    eight.editor.undo()
    assert sorted(lines(eight)) == [4, 5]
    eight.editor.redo()
    assert lines(eight) == [4]
    eight.editor.undo()
    eight.editor.selectAll()
    QTest.keyClick(eight.editor, Qt.Key.Key_Delete)
    assert lines(eight) == []
    eight.editor.undo()
    assert sorted(lines(eight)) == [4, 5]
    eight.click_margin(4)
    assert lines(eight) == [5]


def test_a_deleted_breakpoint_does_not_stop_the_program_that_runs(eight):
    for line in (6, 8, 10):
        eight.click_margin(line)
    eight.press("start")
    eight.until_stop(6)
    delete_line(eight, 8)
    delete_line(eight, 9)
    assert lines(eight) == [6]
    eight.editor.undo()
    assert lines(eight) == [6, 9]
    eight.press("continue")
    eight.until_stop(10)
    assert eight.adapter.overlay.line == 9
    eight.editor.undo()
    assert sorted(lines(eight)) == [6, 8, 10]
    eight.settle()
    eight.press("reverse")
    eight.until_stop(8)


def test_one_breakpoint_at_each_line(eight):
    for line in (1, 2, 3, 4):
        eight.click_margin(line)
    eight.panel.store.change(eight.panel.store.breakpoints[1], hit_condition="1")
    eight.press("start")
    eight.until_stop(4)
    (breakpoint,) = eight.panel.store.breakpoints
    assert breakpoint.line == 4 and breakpoint.hit_condition == "1"
    assert eight.panel.breakpoints.list.topLevelItemCount() == 1
    eight.click_margin(4)
    assert lines(eight) == []


def test_another_file_in_the_same_editor_does_not_delete_breakpoints(eight):
    eight.click_margin(8)
    first = eight.file
    eight.program("do main() {\n}\n", "other.ez")
    QTest.qWait(5)
    assert lines(eight) == [8]
    eight.use(first)
    QTest.qWait(5)
    assert lines(eight) == [8]


def test_nothing_is_sent_of_a_program_that_is_not_read_yet(eight):
    eight.click_margin(8)
    insert(eight, 4, "    // one\n")
    sent = Sent(eight.session)
    eight.press("start")
    assert eight.session.state.status == "starting"
    eight.click_margin(11)
    assert sent.take("setBreakpoints") == []
    eight.until_stop(9)
    assert sorted(lines(eight)) == [9, 11]
    assert not any(one.is_wrong for one in eight.panel.store.breakpoints)


def test_a_text_that_is_not_saved_is_not_the_one_that_runs(window):
    window.program(EIGHT)
    insert(window, 4, "    // one\n    // two\n")
    window.click_margin(12)
    window.press("start")
    window.until(lambda: window.panel.notices.changed.isVisible())
    window.until_stop()
    window.settle()
    (breakpoint,) = window.panel.store.breakpoints
    assert breakpoint.line == 12 and breakpoint.asked_line == breakpoint.reported.actual_line == 10
    assert text_of(window, window.adapter.overlay.line) == window_text(window, window.session.state.stop.location.line)


def window_text(window, line):
    """A line of the file."""
    with open(window.file, encoding="utf-8") as stream:
        return stream.read().split("\n")[line - 1].strip()


def test_restart_and_start_again_read_the_saved_text(eight):
    eight.press("start")
    eight.until_stop(4)
    insert(eight, 4, "    println(7)\n")
    eight.press("restart")
    eight.until(lambda: not eight.panel.notices.changed.isVisible())
    eight.until_stop(4)
    eight.press("over")
    eight.until_stop(5)
    eight.until(lambda: eight.output() == "7\n")


def test_who_types_while_the_program_runs_types_on_at_the_stop(window):
    window.program("do main() {\n    temp n int = 0\n    as_long_as n < 3000000 {\n        n += 1\n    }\n"
                   "    println(n)\n" + "    println(1)\n" * 100 + "}\n", stop_on_entry=False)
    window.click_margin(90)
    window.adapter.show_place(window.file, 1)
    window.editor.setFocus()
    window.press("start")
    window.until(lambda: window.session.state.status == "running")
    QTest.keyClicks(window.editor, "//")
    assert window.session.is_moving
    window.until_stop(90)
    assert window.editor.textCursor().blockNumber() == 0 and window.editor.hasFocus()
    assert window.adapter.overlay.line == 90 and window.adapter.margin.place_of(90).y() < window.editor.height()
    window.press("over")
    window.until_stop(91)
    assert window.editor.textCursor().blockNumber() == 90


def test_calls_of_the_stop_before_are_not_chosen(window):
    window.program("do inner(x int) -> int {\n    return x\n}\n"
                   "do main() {\n    temp y int = inner(3)\n    println(y)\n}\n")
    window.click_margin(4)
    window.press("start")
    window.until_stop(4)
    shown = window.panel.calls.list
    stops = []
    window.session.stopped.connect(lambda stop: stops.append(shown.setCurrentItem(shown.topLevelItem(1))))
    window.press("over")
    window.until(lambda: stops)
    assert window.session.frame_index == 0
    assert window.adapter.overlay.line == window.session.state.stop.location.line == 7


def test_a_breakpoint_that_comes_back_into_another_program_is_not_in_its_old_line(eight):
    sent = Sent(eight.session)
    eight.click_margin(11)
    eight.press("start")
    assert eight.until_stop(11).reason == "breakpoint"
    for _ in range(2):
        delete_line(eight, 10)
    assert lines(eight) == []
    delete_line(eight, 9)
    eight.press("restart")
    eight.until_stop(4)
    sent.take("setBreakpoints")
    for _ in range(3):
        eight.editor.undo()
    assert lines(eight) == [11]
    eight.settle()
    program = len(eight.panel.texts._programs[eight.file])
    asked = [one["line"] for params in sent.take("setBreakpoints") for one in params["breakpoints"]]
    assert all(line <= program for line in asked) and asked == []
    assert eight.panel.store.breakpoints[0].note == NOT_IN_PROGRAM
