"""Much of everything: the window stays alive. Times are printed, and asserted with much room."""

import time

from ez_debugger.cases.results import CaseFiles, CaseList
from ez_debugger.qt import colors
from PyQt6.QtTest import QTest

BIG = """import @arrays
do main() {
    temp big [int] = {}
    for i in range(0, 1000000) {
        arrays.append(big, i)
    }
    println("done")
}
"""


def test_a_list_of_a_million_opens_at_once_and_each_element_can_be_reached(window, turns, measure):
    window.program(BIG)
    window.click_margin(9)
    window.press("start")
    window.until_stop(9)
    big = window.row("Locals", "big")
    view = window.panel.variables.view
    with turns:
        begun = time.monotonic()
        view.expand(big)
        window.until(lambda: view.values.rowCount(big) == 100)
        opened = time.monotonic() - begun
        assert view.values.index(0, 0, big).data() == "[0 … 9999]"
        bar = view.verticalScrollBar()
        for value in range(0, bar.maximum() + 1, 7):
            bar.setValue(value)
            QTest.qWait(1)
        names = ("Locals", "big", "[990000 … 999999]", "[999900 … 999999]", "[999999]")
        assert window.value(*names) == "999999"
        bar.setValue(bar.maximum())
        QTest.qWait(5)
    measure("a list of a million opens in", f"{opened * 1000:.1f} ms")
    measure("longest turn with it", f"{turns.longest * 1000:.1f} ms of {turns.count} turns")
    assert opened < 5
    assert turns.longest < 0.5


def test_many_lines_of_output_do_not_stop_the_window(window, turns, measure):
    window.program('do main() {\n    for i in range(0, 100000) {\n        println("line ${i} of many")\n    }\n}\n',
                   stop_on_entry=False, history=False)
    with turns:
        begun = time.monotonic()
        window.press("start")
        window.until_end()
        took = time.monotonic() - begun
    measure("100,000 lines take", f"{took:.2f} s")
    measure("longest turn with 100,000 lines", f"{turns.longest * 1000:.1f} ms of {turns.count} turns")
    lines = window.output().splitlines()
    numbers = [line for line in lines if line.startswith("line ")]
    # The last of them, as in a terminal.
    assert numbers == [f"line {i} of many" for i in range(100000 - len(numbers), 100000)] and len(numbers) > 9_990
    assert turns.count > 20 and turns.longest < 0.5


def test_a_program_that_prints_without_end_can_be_paused_and_stopped(window, turns):
    window.program('do main() {\n    loop {\n        println("again and again")\n    }\n}\n', history=False)
    window.press("start")
    window.until_stop(4)
    with turns:
        window.press("continue")
        window.until(lambda: "pause" in window.enabled() and len(window.output()) > 100_000)
        window.click("pause")
        assert window.until_stop().reason == "pause"
        window.press("continue")
        window.until(lambda: "pause" in window.enabled())
        window.click("stop")
        window.until_end()
    assert turns.longest < 0.5


def test_many_calls_are_shown_a_hundred_at_a_time(window):
    window.program("do down(n int) -> int {\n    if n == 0 {\n        return 0\n    }\n    return down(n - 1) + 1\n}\n"
                   "do main() {\n    println(down(2000))\n}\n")
    window.click_margin(5)
    window.press("start")
    window.until_stop(5)
    calls = window.panel.calls.list
    assert calls.topLevelItemCount() == 101
    assert calls.topLevelItem(100).text(0) == "1,902 more calls …"
    calls.setCurrentItem(calls.topLevelItem(100))
    window.until(lambda: calls.topLevelItemCount() == 201)
    assert window.panel.calls.frame(150).index == 150


def test_a_line_without_end_is_broken(window, turns):
    window.program('import @strings\ndo main() {\n    temp part string = strings.repeat("é", 5000)\n'
                   '    for i in range(0, 100) {\n        print(part)\n    }\n    println("!")\n    println("end")\n}\n')
    window.click_margin(10)
    with turns:
        window.press("start")
        window.until_stop(10)
    text = window.output()
    assert text.replace("\n", "") == "é" * 500_000 + "!"
    assert max(map(len, text.splitlines())) <= 4000
    assert turns.longest < 0.5
    window.press("back"), window.until_stop(9)
    (later,) = window.panel.console.output.extraSelections()
    assert later.cursor.selectedText().strip("\u2029") == "!"


def test_a_thousand_variables_at_each_stop(window, turns, measure):
    declarations = "".join(f"    temp v{number} int = {number}\n" for number in range(1000))
    window.program(f"temp last int = 7\ndo main() {{\n{declarations}    v1 += 1\n    v2 += 1\n    v3 += 1\n    println(v1 + v2)\n}}\n")
    window.click_margin(1005)
    window.press("start")
    window.until_stop(1005)
    assert window.value("Locals", "v150") == "150" and window.value("Locals", "v999") == "999"
    assert window.value("Globals", "last") == "7"
    with turns:
        for line in (1006, 1007, 1008):
            window.press("over")
            window.until_stop(line)
    assert window.value("Locals", "v2") == "3"
    measure("longest turn with 1,000 variables", f"{turns.longest * 1000:.1f} ms of {turns.count} turns")
    assert turns.longest < 0.5


def test_ten_thousand_cases_are_shown_at_once(window, monkeypatch, measure):
    folder = window.folder / "p.cases"
    cases = tuple(CaseFiles(case=f"c{n}", file=str(folder / f"c{n}.out"), output=str(folder / f"c{n}.out")) for n in range(10_000))
    window.program("do main() {\n}\n")
    panel = window.panel.cases
    window.panel.pages.show_page(panel)
    window.until(lambda: not panel.runner.is_running)
    mixed, calls = colors.mixed, []
    monkeypatch.setattr(colors, "mixed", lambda *what: calls.append(what) or mixed(*what))
    begun = time.thread_time()
    panel.runner.listed.emit(CaseList(program=window.file, cases=str(folder), list=cases))
    shown = time.thread_time() - begun
    measure("10,000 cases are shown in", f"{shown * 1000:.0f} ms")
    assert panel.list.topLevelItemCount() == 10_000 and panel.list.topLevelItem(9_999).text(0) == "· c9999"
    # Colours are sought for all rows, not for each.
    assert len(calls) < 100 and shown < 2
