"""What users of other debuggers are used to."""

import json

import pytest
from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

LOOP = "do main() {\n    temp x int = 0\n    for i in range(0, 1000000) {\n        x += i\n    }\n}\n"


def press_f10(window, count=1, is_held=False):
    for number in range(count):
        repeats = is_held and number > 0
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_F10, Qt.KeyboardModifier.NoModifier, "", repeats)
        QApplication.sendEvent(window.editor, event)


def test_each_press_is_a_step(window):
    window.program(LOOP)
    window.press("start")
    first = window.until_stop().step
    press_f10(window, 20)
    window.until(lambda: window.step() == first + 20)
    window.settle()
    assert window.until_stop().step == first + 20


def test_a_key_that_is_held_down_does_not_pile_up_steps(window):
    window.program(LOOP)
    window.press("start")
    first = window.until_stop().step
    press_f10(window, 20, is_held=True)
    window.until(lambda: window.step() > first)
    window.settle()
    assert window.until_stop().step == first + 1


def test_a_breakpoint_ends_the_steps_that_wait(window):
    statements = "    x += 1\n" * 6
    window.program(f"do main() {{\n    temp x int = 1\n{statements}}}\n", stop_on_entry=True)
    window.click_margin(6)
    window.press("start")
    window.until_stop(4)
    press_f10(window, 5)
    window.until(lambda: window.session.state.stop and window.session.state.stop.reason == "breakpoint")
    window.settle()
    assert window.until_stop(6).reason == "breakpoint"


def test_tool_tips_have_the_keys(window):
    actions = window.panel.actions_of_debugger
    keys = {name: action.shortcut().toString() for name, action in actions.by_name.items()}
    actions.without_keys("start", "over", "stop")
    for name, action in actions.by_name.items():
        assert keys[name] and f"({keys[name]})" in action.toolTip()


RECURSION = """do down(n int, name string) -> int {
    if n == 0 {
        return 0
    }
    return down(n - 1, name) + 1
}
do main() {
    println(down(2000, "a very long text that does not fit into the list of calls"))
}
"""


def test_the_calls_have_their_arguments(window):
    window.program(RECURSION)
    window.click_margin(5)
    window.press("start")
    window.until_stop(5)
    calls = window.panel.calls.list
    asked = []
    send = window.session.send
    window.session.send = lambda command, *rest, **params: asked.append((command, params)) or send(command, *rest, **params)
    window.press("over"), window.until_stop(7)

    def text(row):
        return calls.topLevelItem(row).text(0)

    window.until(lambda: text(0).startswith("down(n = 1, name = "))
    window.until(lambda: text(1) == 'down(n = 2, name = "a very long text that …)')
    assert text(90) == "down"
    asked_frames = {params["frame_index"] for command, params in asked if command == "getVariables"}
    assert len(asked_frames) < 30
    calls.scrollToItem(calls.topLevelItem(90))
    window.until(lambda: text(90).startswith("down(n = 91, "))
    window.press("back"), window.until_stop(5)
    window.until(lambda: text(1).startswith("down(n = 1, "))


def test_a_function_without_arguments(window):
    window.program("do go() {\n    println(1)\n}\ndo main() {\n    go()\n}\n")
    window.click_margin(4)
    window.press("start")
    window.until_stop(4)
    calls = window.panel.calls.list
    window.until(lambda: [calls.topLevelItem(row).text(0) for row in (0, 1)] == ["go()", "main()"])


def test_an_error_of_the_program_is_shown_once(window):
    window.program("do main() {\n    temp l [int] = {1}\n    println(l[5])\n}\n")
    for _ in range(2):
        window.press("start")
        window.until_stop(4)
        window.press("continue")
        assert window.until_stop(5).reason == "exception"
        window.press("back")
        assert window.until_stop(5).reason == "step"
        window.press("over")
        window.until_stop(5)
        window.press("continue")
        window.until_end()
        assert window.output().count("E9001") == 1
        assert "p.ez:5:" in window.output()


def test_the_same_error_of_the_check_is_shown_at_each_start(window):
    window.program("do main() {\n    nothing()\n}\n")
    for count in (1, 2):
        window.press("start")
        window.until(lambda: window.enabled() == {"start"} and window.session.process_id == 0)
        window.until(lambda count=count: window.output().count("p.ez:4:") == count)


def test_statements_have_no_value(window):
    window.program("do say() {\n    println(7)\n}\ndo main() {\n    temp t int = 1\n    println(t)\n}\n")
    window.click_margin(8)
    window.press("start")
    window.until_stop(8)
    for text in ("println(3)", "t += 5", "t = 4", "say()", "t", "nil"):
        window.panel.console.evaluate(text)
        window.settle()
    assert window.output() == ("› println(3)\n3\n› t += 5\n› t = 4\n› say()\n7\n› t\n4\n› nil\nnil\n")


def test_all_breakpoints_are_switched_at_once(window):
    window.program("do main() {\n    println(1)\n    println(2)\n}\n")
    window.click_margin(4), window.click_margin(5)

    def choose(text):
        menu = window.panel.breakpoints.menu()
        action = next(one for one in menu.actions() if one.text() == text)
        assert action.isEnabled()
        action.trigger()

    choose("Disable all breakpoints")
    assert [one.enabled for one in window.panel.store.breakpoints] == [False, False]
    window.press("start")
    assert window.until_stop(4).reason == "entry"
    choose("Enable all breakpoints")
    window.settle()
    assert [one.enabled for one in window.panel.store.breakpoints] == [True, True]
    window.press("continue")
    assert window.until_stop(5).reason == "breakpoint"


def test_the_console_is_cleared(window):
    window.program('do main() {\n    println("one")\n    println("two")\n    println("three")\n}\n')
    window.press("start")
    window.until_stop(4)
    window.press("over"), window.until_stop(5)
    menu = window.panel.console.output.menu(0)
    next(one for one in menu.actions() if one.text() == "Clear").trigger()
    assert window.output() == ""
    window.press("over"), window.until_stop(6)
    window.press("over"), window.until_stop()
    assert window.output() == "two\nthree\n"
    window.press("back"), window.until_stop(6)
    (later,) = window.panel.console.output.extraSelections()
    assert later.cursor.selectedText().strip("\u2029") == "three"


#: Each call goes on when there is a file of this name.
SLOW = """import @io
do wait_for(name string) -> int {
    as_long_as !io.exists(name) {
        sleep_milliseconds(5)
    }
    return 1
}
do main() {
    temp a int = wait_for("A")
    temp b int = wait_for("B")
    temp c int = wait_for("B")
    println(a + b + c)
}
"""


@pytest.fixture
def slow(window):
    """A program that is stopped before its first long step."""
    window.program(SLOW.replace('"A"', json.dumps(str(window.folder / "A"))).replace(
        '"B"', json.dumps(str(window.folder / "B"))))
    window.press("start")
    window.until_stop(11)
    return window


def test_presses_in_a_long_step_are_steps(slow):
    slow.press("over")
    slow.until(lambda: slow.session.state.status == "running")
    assert not slow.panel.actions_of_debugger.by_name["over"].isEnabled()
    for _ in range(2):
        slow.press("over")
    (slow.folder / "A").touch()
    (slow.folder / "B").touch()
    slow.until(lambda: slow.session.state.stop and slow.session.state.stop.location.line == 14)
    slow.settle()
    assert slow.until_stop(14).reason == "step"


def test_a_step_that_is_pressed_while_the_program_runs_does_not_wait(slow):
    slow.click_margin(13)
    slow.press("continue")
    slow.until(lambda: slow.session.state.status == "running")
    slow.press("over")
    (slow.folder / "A").touch()
    (slow.folder / "B").touch()
    slow.until(lambda: slow.session.state.stop)
    slow.settle()
    assert slow.until_stop(13).reason == "breakpoint"


def test_a_pause_ends_the_steps_that_wait(slow):
    slow.press("over")
    slow.until(lambda: slow.session.state.status == "running")
    for _ in range(2):
        slow.press("over")
    slow.press("pause")
    assert slow.until_stop().reason == "pause"
    slow.settle()
    assert slow.until_stop().reason == "pause" and not slow.session.is_moving


def test_pause_right_after_continue_pauses(window):
    window.program("do main() {\n    temp n int = 0\n    loop {\n        n += 1\n    }\n}\n")
    window.press("start")
    window.until_stop(4)
    for _ in range(2):
        window.press("continue")
        assert window.session.state.status == "stopped" and window.session.is_moving
        window.press("pause")
        assert window.until_stop().reason == "pause"
    window.press("pause")
    window.settle()
    assert not window.panel.notices.message.isVisible()


def test_pause_ends_an_evaluation(window):
    window.program("do f() -> int {\n    temp n int = 0\n    loop {\n        n = 1 - n\n    }\n    return n\n}\n"
                   "do main() {\n    println(1)\n}\n")
    window.press("start")
    window.until_stop()
    answers = []
    window.session.evaluate(answers.append, "f()")
    window.press("pause")
    window.until(lambda: answers)
    assert answers[0].event == "error" and "took longer" not in answers[0].message
