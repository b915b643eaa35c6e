"""Tool bar, keys, calls, editor: going through a program."""

import os

import project
from ez_debugger.qt import Launch
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

SORT = str(project.ROOT / "examples" / "bubble_sort.ez")
CALLS = """do twice(x int) -> int {
    return x * 2
}
do main() {
    temp a int = 1
    a = twice(a) + twice(3)
    println(a)
}
"""


def test_keys_and_buttons_step_and_are_enabled_as_the_engine_allows(window):
    window.program(CALLS)
    assert window.enabled() == {"start"}
    window.press("start")
    assert window.until_stop(7).reason == "entry"
    assert {"continue", "over", "into", "out", "here", "restart", "stop"} <= window.enabled()
    assert not {"start", "pause", "present", "back"} & window.enabled()
    window.press("over")
    window.until_stop(8)
    assert {"back", "reverse"} <= window.enabled()
    window.press("into")
    window.until_stop(4)
    window.click("out")
    window.until_stop(8)
    assert window.panel.status.text() == "Returned from twice: 2  (p.ez:8)"
    window.click("over")
    window.until_stop(9)
    window.click("back")
    window.until_stop()
    assert window.panel.status.text().startswith("In the past") and "present" in window.enabled()
    window.press("reverse")
    assert window.until_stop().past
    QTest.mouseClick(window.panel.time_bar.present, Qt.MouseButton.LeftButton)
    assert window.until_stop(9).reason == "present"
    window.press("continue")
    assert window.until_stop().reason == "end"
    window.press("continue")
    window.until_end()
    assert window.enabled() == {"start"}
    assert window.panel.status.text() == "Ended with status 0"
    assert window.output().endswith("8\nThe program has ended with status 0.\n")


def test_a_statement_with_several_calls_offers_each_of_them(window):
    window.program(CALLS)
    window.press("start")
    window.until_stop(7)
    assert window.panel.tool_bar.button("into").menu() is None
    window.press("over")
    window.until_stop(8)
    targets = window.panel.actions_of_debugger.targets
    window.until(lambda: len(targets.actions()) == 2)
    assert window.panel.tool_bar.button("into").menu() is targets
    assert [action.text() for action in targets.actions()] == ["twice(a)", "twice(3)"]
    window.press("into_call")
    window.until(targets.isVisible)
    QTest.keyClick(targets, Qt.Key.Key_Down)
    QTest.keyClick(targets, Qt.Key.Key_Down)
    QTest.keyClick(targets, Qt.Key.Key_Return)
    window.until_stop(4)
    assert window.value("Arguments", "x") == "3"


def test_the_editor_shows_the_line_its_values_and_runs_to_the_cursor(window):
    window.use(SORT)
    window.press("start")
    window.until_stop(21)
    assert window.adapter.overlay.line == 21
    cursor = window.editor.textCursor()
    cursor.setPosition(window.editor.document().findBlockByNumber(11).position())
    window.editor.setTextCursor(cursor)
    window.press("here")
    assert window.until_stop(12).reason == "runTo"
    assert window.adapter.overlay.values == "list = [5, 2, 9, 1, 7]   i = 0"
    window.click("stop")
    window.until_end()
    assert window.adapter.overlay.line == 0


def test_the_calls_choose_the_frame_that_is_looked_at(window):
    window.use(SORT)
    window.click_margin(13)
    window.press("start")
    window.until_stop(13)
    calls = window.panel.calls
    assert [calls.frame(row).function for row in range(2)] == ["sort", "main"]
    assert window.value("Locals", "kept") == "5"
    calls.list.setFocus()
    QTest.keyClick(calls.list, Qt.Key.Key_Down)
    window.settle()
    assert window.session.frame_index == 1
    assert window.adapter.overlay.line == 22
    assert window.value("Locals", "list") == "[2, 2, 9, 1, 7]"
    window.panel.console.evaluate("len(list)")
    window.settle()
    assert window.output().endswith("› len(list)\n5\n")
    calls.list.setCurrentItem(calls.list.topLevelItem(0))
    calls.menu().actions()[0].trigger()
    assert window.until_stop(6).reason == "restart"


def test_a_stop_in_another_file_opens_it(window):
    main = str(project.ROOT / "examples" / "project" / "main.ez")
    window.use(main)
    window.press("start")
    window.until_stop()
    while window.session.state.stop.location.file == main:
        window.press("into")
        window.until_stop()
        assert window.session.state.status == "stopped"
    assert os.path.basename(window.adapter.file) in ("vector.ez", "change.ez")
    assert window.adapter.overlay.line == window.session.state.stop.location.line


def test_restart_reads_the_program_again(window):
    file = window.program('do main() {\n    println("one")\n}\n')
    window.press("start")
    window.until_stop(4)
    with open(file, "w", encoding="utf-8") as stream:
        stream.write('import @std\nusing std\n\ndo main() {\n    println("two")\n}\n')
    window.press("restart")
    window.until_stop(5)
    window.press("continue")
    window.until_stop()
    window.press("continue")
    window.until_end()
    assert window.output().startswith("two\n")
    window.press("start")
    window.until_stop(5)


def test_a_program_with_errors_says_so_and_can_be_started_when_it_has_none(window):
    window.program("do main() {\n    temp x int = \"a\"\n    nothing()\n}\n")
    window.press("start")
    window.until(lambda: window.panel.notices.message.isVisible())
    assert "2 errors" in window.panel.notices.message.label.text()
    assert window.editor.textCursor().blockNumber() + 1 in (4, 5)
    assert "p.ez:4" in window.output() and "p.ez:5" in window.output()
    assert window.enabled() == {"start"} and not window.last_words
    window.program("do main() {\n    println(1)\n}\n")
    window.panel.notices.message.start.click()
    window.until_stop(4)
    assert not window.panel.notices.message.isVisible()


def test_a_file_that_is_not_there(window):
    window.panel.launch = Launch(file=str(window.folder / "missing.ez"))
    window.press("start")
    window.until(lambda: window.panel.notices.message.isVisible())
    assert "missing.ez" in window.panel.notices.message.label.text()
    window.until(lambda: window.enabled() == {"start"})


def test_keys_that_are_held_down_do_not_pile_up(window):
    window.program("do main() {\n    for i in range(0, 1000000) {\n        temp x int = i\n    }\n}\n")
    window.press("start")
    first = window.until_stop().step
    sent = [window.session.step_over() for _ in range(20)]
    assert sent == [True] + [False] * 19
    assert window.until_stop().step == first + 1


def test_a_long_run_is_paused(window):
    window.program("do main() {\n    temp x int = 0\n    loop {\n        x += 1\n    }\n}\n", history=False)
    window.press("start")
    window.until_stop(4)
    window.press("continue")
    window.until(lambda: window.enabled() >= {"pause", "stop"})
    assert not {"continue", "over", "into", "out"} & window.enabled()
    assert not window.panel.calls.list.isEnabled()
    window.press("pause")
    assert window.until_stop().reason == "pause"
    assert int(window.value("Locals", "x")) > 0
    assert window.panel.calls.list.isEnabled()


def test_everything_has_a_name_for_screen_readers(window):
    for name in ("start", "over", "into", "out", "stop", "back"):
        assert window.panel.tool_bar.button(name).accessibleName()
    panel = window.panel
    widgets = (panel.variables.view, panel.watches.view, panel.watches.field, panel.calls.list, panel.breakpoints.list,
               panel.console.output, panel.console.prompt, panel.console.input, panel.time_bar.slider, panel.status)
    assert all(widget.accessibleName() for widget in widgets)
    assert window.adapter.margin.accessibleName()


def test_a_restart_of_a_program_that_has_an_error_now(window):
    file = window.program("do main() {\n    println(1)\n}\n")
    window.press("start")
    window.until_stop(4)
    with open(file, "w", encoding="utf-8") as stream:
        stream.write("do main() {\n    nothing()\n}\n")
    window.press("restart")
    window.until(window.panel.notices.message.isVisible)
    assert window.panel.notices.message.label.text().startswith("p.ez cannot be run: ")
    window.until(lambda: window.enabled() == {"start"})
    window.program("do main() {\n    println(1)\n}\n")
    window.press("start")
    window.until_stop(4)


def test_stop_and_restart_while_the_program_runs_are_no_errors(window):
    window.program("do main() {\n    temp x int = 0\n    loop {\n        x += 1\n    }\n}\n", history=False)
    window.press("start")
    window.until_stop(4)
    for _ in range(2):
        window.press("continue")
        window.until(lambda: "pause" in window.enabled())
        window.press("restart")
        window.until_stop(4)
    window.press("continue")
    window.until(lambda: "pause" in window.enabled())
    window.press("stop")
    window.until_end()
    assert not window.panel.notices.message.isVisible() and not window.last_words
    assert window.output() == "The program was ended.\n"


def test_a_message_is_gone_two_stops_later(window):
    window.program("do main() {\n    println(1)\n    println(2)\n    println(3)\n}\n")
    window.press("start")
    window.until_stop(4)
    window.session.send("setVariable", name="nothing", value="1")
    window.until(window.panel.notices.message.isVisible)
    window.press("over"), window.until_stop(5)
    assert window.panel.notices.message.isVisible()
    window.press("over"), window.until_stop(6)
    assert not window.panel.notices.message.isVisible()
