"""Output, input, evaluation."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFont, QFontInfo
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from ez_debugger.qt import colors

WRITES = """do main() {
    println("to é stdout")
    eprintln("to stderr")
    temp x int = 1
    println("end")
}
"""
ASKS = """do main() {
    print("Your name? ")
    temp name string = input()
    println("Hello, ${name}!")
    temp other string = input()
    println("and ${other}!")
}
"""


def color_of(window, text):
    output = window.panel.console.output
    cursor = output.document().find(text)
    assert not cursor.isNull(), output.toPlainText()
    return cursor.charFormat().foreground().color()


def test_each_stream_has_its_colour(window):
    window.program(WRITES)
    window.click_margin(6)
    window.panel.store.change(window.panel.store.breakpoints[0], log_message="logged")
    window.press("start")
    assert window.until_stop().reason == "end"
    palette = window.palette()
    assert color_of(window, "to stderr") == colors.error(palette)
    assert color_of(window, "logged") == colors.faint(palette)
    assert color_of(window, "to é stdout") not in (colors.error(palette), colors.faint(palette))


def test_typing_answers_the_program(window):
    window.program(ASKS, stop_on_entry=False)
    console = window.panel.console
    assert not console.input_row.isVisible()
    window.press("start")
    window.until(lambda: console.input_row.isVisible())
    window.until(lambda: console.output.is_settled)
    assert window.output() == "Your name? "
    assert window.panel.status.text() == "The program waits for input  (p.ez:5)"
    assert console.input.placeholderText()
    console.input.setText("Än")
    QTest.keyClicks(console.input, "n")
    QTest.keyClick(console.input, Qt.Key.Key_Return)
    window.until(lambda: "Hello, Änn!" in window.output())
    window.until(lambda: console.input_row.isVisible())
    QTest.mouseClick(console.end_button, Qt.MouseButton.LeftButton)
    window.until(lambda: window.session.state.stop is not None or not window.session.state.is_live)
    assert not console.input_row.isVisible()
    assert window.output().startswith("Your name? Änn\nHello, Änn!\n")


def test_a_step_over_a_question_asks_and_then_stops(window):
    window.program(ASKS)
    window.press("start")
    window.until_stop(4)
    window.press("over"), window.until_stop(5)
    window.press("over")
    window.until(lambda: window.panel.console.input_row.isVisible())
    assert window.enabled() == {"pause", "restart", "stop"}
    QTest.keyClicks(window.panel.console.input, "Bob")
    QTest.keyClick(window.panel.console.input, Qt.Key.Key_Return)
    window.until_stop(6)
    assert window.value("Locals", "name") == '"Bob"'


@pytest.fixture
def stopped(window):
    window.program("do grow(by int) -> int {\n    println(\"growing\")\n    return by + 1\n}\n"
                   "do main() {\n    temp count int = 1\n    temp cover int = 2\n    println(count + cover)\n}\n")
    window.click_margin(10)
    window.press("start")
    window.until_stop(10)
    window.prompt = window.panel.console.prompt
    window.prompt.setFocus()
    return window


def enter(window, text):
    window.prompt.clear()
    QTest.keyClicks(window.prompt, text)
    QTest.keyClick(window.prompt, Qt.Key.Key_Return)
    window.settle()


def test_expressions_assignments_and_errors(stopped):
    enter(stopped, "grow(count)")
    assert stopped.output() == "› grow(count)\ngrowing\n2\n"
    enter(stopped, "count = 41")
    assert stopped.value("Locals", "count") == "41"
    enter(stopped, "nothing")
    assert "nothing" in stopped.output().splitlines()[-1]
    assert color_of(stopped, stopped.output().splitlines()[-1]) == colors.error(stopped.palette())
    assert not stopped.panel.notices.message.isVisible()


def test_the_history_of_expressions(stopped):
    enter(stopped, "count")
    enter(stopped, "cover")
    QTest.keyClick(stopped.prompt, Qt.Key.Key_Up)
    assert stopped.prompt.text() == "cover"
    QTest.keyClick(stopped.prompt, Qt.Key.Key_Up)
    QTest.keyClick(stopped.prompt, Qt.Key.Key_Up)
    assert stopped.prompt.text() == "count"
    QTest.keyClick(stopped.prompt, Qt.Key.Key_Down)
    QTest.keyClick(stopped.prompt, Qt.Key.Key_Down)
    assert stopped.prompt.text() == ""


def test_completions_come_from_the_server(stopped):
    stopped.prompt.setText('"é" + c')
    QTest.keyClicks(stopped.prompt, "o")
    popup = stopped.prompt.offers.popup()
    stopped.until(lambda: popup.isVisible())
    labels = stopped.prompt._labels.stringList()
    assert "count" in labels and "cover" in labels
    stopped.prompt.take("cover")
    assert stopped.prompt.text() == '"é" + cover'
    assert not popup.isVisible()
    stopped.prompt.clear()
    QTest.keyClick(stopped.prompt, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    stopped.until(popup.isVisible)
    assert {"count", "cover", "grow"} <= set(stopped.prompt._labels.stringList())


def test_a_long_evaluation_can_be_ended(window):
    window.program("do spin() -> int {\n    temp n int = 0\n    loop {\n        n += 1\n    }\n    return n\n}\n"
                   "do main() {\n    println(1)\n}\n")
    window.press("start")
    window.until_stop(11)
    progress = window.panel.notices.progress
    window.panel.console.evaluate("spin()")
    window.until(progress.isVisible)
    QTest.mouseClick(progress.cancel, Qt.MouseButton.LeftButton)
    window.until(lambda: not progress.isVisible())
    window.until(lambda: len(window.output().splitlines()) == 2)
    assert window.session.state.status == "stopped"


def test_colours_of_the_program(window):
    window.program('do main() {\n    println("\\x1b[1;32mgreen\\x1b[0m and plain")\n    print("\\x1b")\n'
                   '    println("[31mred\\x1b[m")\n    println("é")\n    println("last")\n}\n')
    window.press("start")
    window.until_stop(4)
    for line in (5, 6, 7, 8):
        window.press("over"), window.until_stop(line)
    assert window.output() == "green and plain\nred\né\n"
    assert color_of(window, "green").green() > color_of(window, "green").red()
    assert color_of(window, "red").red() > color_of(window, "red").green()
    assert window.panel.console.output.document().find("green").charFormat().fontWeight() == 700
    window.press("back"), window.until_stop(7)
    (later,) = window.panel.console.output.extraSelections()
    assert later.cursor.selectedText().strip("\u2029") == "é"


def test_nothing_is_evaluated_while_no_program_is_stopped(window):
    assert not window.panel.console.prompt.isEnabled()
    window.program(WRITES)
    window.press("start")
    window.until_stop()
    assert window.panel.console.prompt.isEnabled()


def test_in_the_past_what_is_not_printed_yet_is_grey(window):
    window.program('do main() {\n    println("é1")\n    println("2")\n    println("3")\n}\n')
    window.press("start")
    window.until_stop(4)
    window.press("over"), window.until_stop(5)
    window.press("over"), window.until_stop(6)
    output = window.panel.console.output
    assert output.toPlainText() == "é1\n2\n" and not output.extraSelections()
    window.press("back"), window.until_stop(5)
    (later,) = output.extraSelections()
    assert later.cursor.selectedText().strip("\u2029") == "2"
    window.press("present"), window.until_stop(6)
    assert not output.extraSelections()


def test_many_lines_are_cut_at_the_beginning(qtbot, monkeypatch):
    from ez_debugger.qt import output_text

    monkeypatch.setattr(output_text, "MOST_LINES", 100)
    monkeypatch.setattr(output_text, "_CUT", 10)
    output = output_text.OutputText()
    qtbot.addWidget(output)
    for number in range(1000):
        output.add("stdout", f"é {number}\n")
        if number % 7 == 0:
            qtbot.waitUntil(lambda: output.is_settled, timeout=60_000)
    qtbot.waitUntil(lambda: output.is_settled, timeout=60_000)
    lines = output.toPlainText().splitlines()
    assert lines[-1] == "é 999" and 90 <= len(lines) <= 110
    written = sum(len(f"é {number}\n".encode()) for number in range(950))
    output.show_up_to(written)
    (later,) = output.extraSelections()
    assert later.cursor.selectedText().split("\u2029")[0] == "é 950"


def test_return_takes_the_completion_that_is_selected(stopped):
    QTest.keyClicks(stopped.prompt, "co")
    popup = stopped.prompt.offers.popup()
    stopped.until(popup.isVisible)
    QTest.keyClick(popup, Qt.Key.Key_Down)
    chosen = popup.currentIndex().data()
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert stopped.prompt.text() == chosen and not popup.isVisible()
    assert stopped.output() == ""
    QTest.keyClick(stopped.prompt, Qt.Key.Key_Return)
    stopped.until(lambda: stopped.output().startswith(f"› {chosen}\n"))


def test_letters_have_the_width_and_the_size_of_the_editors(window):
    console = window.panel.console
    widgets = (console.output, console.input, console.prompt)
    assert all(QFontInfo(widget.font()).fixedPitch() for widget in widgets)
    for size in (9, 17):
        font = window.editor.font()
        font.setPointSize(size)
        window.editor.setFont(font)
        window.until(lambda size=size: {QFontInfo(widget.font()).pointSize() for widget in widgets} == {size})
    window.editor.zoomIn(2)
    window.until(lambda: {QFontInfo(widget.font()).pointSize() for widget in widgets} == {19})
    # Letters of different widths are for an editor of texts.
    window.editor.setFont(QFont("DejaVu Sans", 11))
    window.until(lambda: {QFontInfo(widget.font()).pointSize() for widget in widgets} == {11})
    assert all(QFontInfo(widget.font()).fixedPitch() for widget in widgets)


@pytest.mark.parametrize("pasted", ["one\ntwo\n", "one\ntwo", "one\r\ntwo\r\n"])
def test_whole_lines_that_are_pasted_are_as_many_as_they_are(window, pasted):
    window.program(ASKS, stop_on_entry=False)
    field = window.panel.console.input
    window.press("start")
    window.until(field.isVisible)
    QApplication.clipboard().setText(pasted)
    field.paste()
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.until_stop()
    assert window.output() == "Your name? one\ntwo\nHello, one!\nand two!\n"
    window.press("continue")
    window.until_end()


def test_a_line_end_more_is_a_line_more(window):
    window.program(ASKS, stop_on_entry=False)
    field = window.panel.console.input
    window.press("start")
    window.until(field.isVisible)
    QApplication.clipboard().setText("one\n\n")
    field.paste()
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.until_stop()
    assert window.output().endswith("Hello, one!\nand !\n")


def test_all_views_follow_the_size_of_the_editor_and_none_is_smaller_than_in_other_windows(window):
    panel = window.panel
    own = QFontInfo(QApplication.font()).pointSizeF()
    views = (panel.variables.view, panel.watches.view, panel.calls.list, panel.breakpoints.list, panel.problems.list,
             panel.status, panel.time_bar.label, panel.notices.message.label, panel.pages.groups[0].tabBar(),
             panel.variables.view.header())
    for size in (32, 20, 6):
        font = window.editor.font()
        font.setPointSize(size)
        window.editor.setFont(font)
        expected = max(own, size * 13 / 16)
        window.until(lambda expected=expected: all(
            QFontInfo(one.font()).pointSizeF() == pytest.approx(expected, abs=0.5) for one in views))
    assert own > 6 * 13 / 16


def test_the_state_of_the_program_ends_with_dots_where_there_is_no_room(window):
    label = window.panel.status
    label.setText("Stopped " * 100)
    label.setText("Breakpoint 1, second hit  (a_file_with_a_long_name.ez:13)" * 4)
    whole = label.grab().toImage()
    label.setText("Breakpoint 1, second hit  (a_file_with_a_long_name.ez:13)" * 5)
    # What is seen is the same, and ends before the edge.
    assert label.grab().toImage() == whole
    ground = whole.pixelColor(0, 0)
    edge = range(whole.width() - label.contentsMargins().right(), whole.width())
    assert all(whole.pixelColor(x, y) == ground for x in edge for y in range(whole.height()))


def test_a_program_whose_input_has_ended_says_so_where_it_is_about_to_end(window):
    window.program("do main() {\n    temp a string = input()\n    temp b string = input()\n    println(a, b)\n}\n",
                   stop_on_entry=False)
    window.press("start")
    window.until(window.panel.console.input.hasFocus)
    QTest.keyClick(window.panel.console.input, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    window.until_stop()
    assert window.panel.status.text() == "The program is about to end: its input has ended  (p.ez:5)"
