"""The time bar, progress, and servers that die."""

import os
import signal
import sys

import project
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QStyle, QStyleOptionSlider

COUNT = """do main() {
    temp sum int = 0
    for i in range(0, 1000) {
        sum += i
    }
    println(sum)
}
"""


@pytest.fixture
def counted(window):
    window.program(COUNT)
    window.click_margin(8)
    window.press("start")
    window.until_stop(8)
    window.slider = window.panel.time_bar.slider
    return window


def handle(slider):
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    style = slider.style()
    return style.subControlRect(QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider)


def test_the_bar_shows_where_the_program_is(counted):
    bar = counted.panel.time_bar
    last = counted.session.state.stop.present
    assert bar.isVisible() and (counted.slider.minimum(), counted.slider.maximum()) == (1, last)
    assert counted.slider.value() == last and bar.label.text() == f"step {last:,} of {last:,}"
    counted.press("back"), counted.until_stop()
    assert counted.slider.value() == last - 1


def test_keys_go_through_time(counted):
    last = counted.slider.maximum()
    counted.slider.setFocus()
    QTest.keyClick(counted.slider, Qt.Key.Key_Left)
    counted.until(lambda: counted.step() == last - 1)
    QTest.keyClick(counted.slider, Qt.Key.Key_Home)
    counted.until(lambda: counted.step() == 1)
    QTest.keyClick(counted.slider, Qt.Key.Key_End)
    counted.until(lambda: counted.step() == last)
    counted.until_stop(8)


def test_dragging_back_goes_only_where_the_mouse_rests(counted, measure):
    slider, bar = counted.slider, counted.panel.time_bar
    start = handle(slider).center()
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=start)
    rests = 0
    for number in range(1, 101):
        QTest.mouseMove(slider, QPoint(start.x() - number * start.x() // 110, start.y()))
        if number in (40, 70):
            begun, target = bar.journeys, bar.step
            counted.until(lambda: bar.journeys > begun)
            counted.until(lambda: counted.step() == target and not counted.session.is_moving)
            rests += 1
    wanted = bar.step
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(start.x() - 100 * start.x() // 110, start.y()))
    rests += 1
    counted.until(lambda: not counted.session.is_moving and counted.step() == wanted)
    counted.until_stop()
    measure("journeys of a drag over 1,000 steps", f"{bar.journeys}, the mouse rested {rests} times")
    assert counted.slider.maximum() - wanted > 800
    assert bar.journeys <= rests
    assert slider.value() == wanted


def test_of_many_wishes_the_last_one_counts(counted):
    slider, bar = counted.slider, counted.panel.time_bar
    slider.setFocus()
    for _ in range(30):
        QTest.keyClick(slider, Qt.Key.Key_Left, delay=1)
    wanted = slider.maximum() - 30
    counted.until(lambda: counted.step() == wanted and not counted.session.is_moving)
    assert 0 < bar.journeys <= 30 and slider.value() == wanted


def test_without_a_history_there_is_no_bar(window):
    window.program(COUNT, history=False)
    window.press("start")
    window.until_stop()
    assert not window.panel.time_bar.isVisible()
    names = window.panel.actions_of_debugger.by_name
    assert not names["back"].isVisible() and not names["back"].isEnabled()


def test_long_work_shows_how_far_it_has_come_and_can_be_ended(window):
    window.program("do main() {\n    temp sum int = 0\n    for i in range(0, 30000000) {\n        sum += i\n    }\n"
                   "    println(sum)\n}\n")
    window.click_margin(8)
    window.press("start")
    window.until_stop(8)
    window.panel.store.remove_all()
    progress = window.panel.notices.progress
    window.click_margin(4)
    window.panel.store.change(window.panel.store.breakpoints[0], condition="sum == -1")
    window.settle()
    window.press("reverse")
    window.until(progress.isVisible)
    assert progress.label.text() and 0 <= progress.bar.value() <= 100
    QTest.mouseClick(progress.cancel, Qt.MouseButton.LeftButton)
    window.until_stop()
    assert not progress.isVisible()
    assert window.session.state.stop.reason != "entry"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_server_that_is_killed_is_reported_and_started_again_by_the_button(counted):
    message = counted.panel.notices.message
    os.kill(counted.session.process_id, signal.SIGKILL)
    counted.until(lambda: message.isVisible())
    assert "signal 9" in message.label.text() and message.start.isVisible()
    assert counted.enabled() == {"start"} and counted.adapter.overlay.line == 0
    assert counted.panel.variables.view.values.rowCount() == 0
    QTest.mouseClick(message.start, Qt.MouseButton.LeftButton)
    counted.until_stop(8)
    assert not message.isVisible()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_server_that_is_killed_while_the_program_runs(window):
    window.program("do main() {\n    loop {\n        println(\"x\")\n    }\n}\n", stop_on_entry=False, history=False)
    window.press("start")
    window.until(lambda: "pause" in window.enabled() and window.output())
    os.kill(window.session.process_id, signal.SIGKILL)
    window.until(lambda: window.panel.notices.message.isVisible())
    assert "signal 9" in window.panel.notices.message.label.text()


def test_no_program_ez(window):
    window.session.ez = str(window.folder / "no-ez")
    window.program(COUNT)
    window.press("start")
    window.until(lambda: window.panel.notices.message.isVisible())
    assert "no-ez" in window.panel.notices.message.label.text()
    assert window.enabled() == {"start"}


def test_a_program_that_is_not_a_debug_server(window):
    window.session.ez = sys.executable
    window.program(COUNT)
    window.press("start")
    window.until(lambda: window.panel.notices.message.isVisible())
    assert "status 2" in window.panel.notices.message.label.text()


def fake(window, what):
    window.session.ez = [sys.executable, str(project.ROOT / "python" / "tests" / "fake_server.py"), what]
    window.program(COUNT)
    window.press("start")


@pytest.mark.parametrize(("what", "message"), [("fail", "status 3. It wrote: "), ("tear", "status 0")])
def test_servers_that_end_too_early(window, what, message):
    fake(window, what)
    window.until(window.panel.notices.message.isVisible)
    window.until(lambda: message in window.panel.notices.message.label.text())
    assert window.enabled() == {"start"}
    assert len(window.panel.notices.message.label.text()) < 500


@pytest.mark.parametrize("what", ["hang", "hang_later"])
def test_a_server_that_does_not_answer_is_ended_by_stop(window, what):
    fake(window, what)
    window.until(lambda: "stop" in window.enabled() and window.session.process_id)
    window.press("stop")
    window.until_end()
    assert window.enabled() == {"start"} and not window.last_words


def test_closing_the_window_ends_the_server(counted):
    process = counted.session.process_id
    counted.panel.close()
    assert counted.session.process_id == 0
    if sys.platform != "win32":
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_the_handle_can_be_moved_while_a_long_journey_is_under_way(window):
    window.program("do main() {\n    temp sum int = 0\n    for i in range(0, 20000000) {\n        sum += i\n    }\n"
                   "    println(sum)\n}\n")
    window.click_margin(8)
    window.press("start")
    window.until_stop(8)
    bar, slider = window.panel.time_bar, window.panel.time_bar.slider
    slider.setFocus()
    slider.setValue(slider.maximum() // 2)
    window.until(lambda: bar.journeys == 1)
    for wanted in (slider.maximum() // 3, slider.maximum() // 4, 5000):
        assert slider.isEnabled()
        slider.setValue(wanted)
        QTest.qWait(1)
    window.until(lambda: window.step() == 5000 and not window.session.is_moving)
    assert bar.journeys <= 3 and slider.isEnabled() and slider.value() == 5000


def test_in_the_past_of_a_statement_the_state_names_what_a_call_has_returned(window):
    window.program("do zero() -> int {\n    return 0\n}\ndo main() {\n    temp n int = zero() + 1\n    println(n)\n}\n")
    status, label = window.panel.status, window.panel.time_bar.label
    window.press("start")
    window.until_stop(7)
    for line in (4, 7):
        window.press("into")
        window.until_stop(line)
    assert (status.text(), label.text()) == ("Returned from zero: 0  (p.ez:7)", "step 2 of 2")
    # The step of the present has begun then, too.
    window.press("back")
    window.until_stop(4)
    assert (status.text(), label.text()) == ("In the past: Back at line 4  (p.ez:4)", "within step 2 of 2")
    window.press("present")
    window.until_stop(7)
    window.press("over")
    window.until_stop(8)
    window.press("back")
    window.until_stop(7)
    assert status.text() == "In the past: Back at line 7: zero() returned 0  (p.ez:7)"
    assert label.text() == "step 2 of 3"


@pytest.mark.parametrize("number", [-1, 0, 2**31 - 1, 2**31, 2**63, 2**80])
def test_whatever_a_server_counts_the_panels_stay(window, number):
    window.program(COUNT)
    window.panel.store.toggle(window.file, 5)
    window.session.ez = [sys.executable, str(project.ROOT / "python" / "tests" / "fake_server.py"), str(number)]
    window.press("start")
    window.until(lambda: window.session.state.stop is not None)
    window.settle()
    assert window.panel.status.text() == f"Weird  (p.ez:{number})"
    window.panel.variables.view.expand(window.row("Locals", "a"))
    for page in (window.panel.calls, window.panel.breakpoints, window.panel.problems):
        window.panel.pages.show_page(page)
    window.grab()
    window.settle()
    window.press("stop")
    window.until_end()


def test_a_message_has_its_buttons_below_it_where_there_is_little_room(window):
    message = window.panel.notices.message
    for width, is_below in ((700, False), (260, True), (700, False)):
        window.setSizes([window.width() - width, width])
        message.show_problem("The breakpoint does not stop the program: undefined variable 'nope'", can_start=True)
        window.until(lambda is_below=is_below: (message.start.y() >= message.label.geometry().bottom()) == is_below)
        assert message.label.width() > message.width() / 2
        assert message.label.height() >= message.label.heightForWidth(message.label.width())
