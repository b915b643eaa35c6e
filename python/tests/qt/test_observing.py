"""Looking at a program changes nothing: neither what it writes, nor how many steps it makes, nor its calls."""

import subprocess

import project
import pytest
from PyQt6.QtCore import QPoint

from ez_debugger.protocol import Changes, EvaluateResult, Unfolded
from ez_debugger.qt.breakpoint_store import LINE, UserBreakpoint

#: Ways to write a statement, each with calls that count themselves, and what depends on chance and on input.
PROGRAM = """import @random

const Point struct {
    x int
    items [int]
}

temp calls int = 0
temp log [string] = {}

do next(word string) -> int {
    calls++
    log = {word, "${len(log)}"}
    print(word, calls, " ")
    return calls
}

do pair() -> (int, string) {
    return next("pair"), "p"
}

do main() {
    temp p Point = Point{x: next("field"), items: {next("a"), next("b"), 0, 0, 0, 0}}
    temp places map[string:int] = {"a": next("entry")}
    p.items[next("index") % 3] += next("added")
    p.x = p.items[next("read") % 2] + p.x
    places["b${next("key")}"] = next("value")
    temp n, word = pair()
    if next("if") > 100 || next("or") > 0 {
        println(word, n)
    }
    for i in range(0, next("range") % 3 + 1) {
        places["a"] += i
    }
    for_each one in {next("one"), next("two")} {
        p.x += one
    }
    temp line string = "${input()}${next("after input")}"
    when next("when") % 2 {
        is 0 { println("even") }
        default { println("odd") }
    }
    println(line, p, places, calls, log)
    println("same ", random.int(0, 2) < 2)
}
"""

LINES = {15: "next(\"condition\") > 0 || calls == 3", 16: "len(log) > 2", 27: "calls > 1", 44: ""}

WATCHES = ["calls", "p.items[0]", "next(\"watch\")", "len(places)", "p", "nothing", "places[\"b\"]", "random.int(0, 5)"]


def run(window, look):
    """Steps through the program to its end; the last step, and what was written."""
    written = []
    window.session.output_received.connect(written.extend)
    window.press("start")
    while True:
        window.until(lambda: window.panel.console.input_row.isVisible()
                     or window.session.state.stop is not None and not window.session.is_moving)
        if window.panel.console.input_row.isVisible():
            window.panel.console.input.setText("Ann")
            window.panel.console.input.returnPressed.emit()
            window.until(lambda: not window.panel.console.input_row.isVisible())
            continue
        stop = window.session.state.stop
        if stop.reason == "end":
            window.settle()
            window.session.output_received.disconnect(written.extend)
            return stop.step, "".join(one.text for one in written if one.category == "stdout")
        look(stop)
        window.press("into")
        window.until(lambda: window.session.state.stop is not stop)


@pytest.fixture
def observed(window):
    """A function that looks at a stop in every way that the panels have, and what it was told."""
    told = []

    def look(stop):
        window.settle()
        for name in ("p", "places", "log", "calls", 'next("hover")'):
            window.session.evaluate(told.append, name, context="hover")
        window.adapter.hovered.emit(window.file, "p.items", QPoint(5, 5))
        window.session.send("unfold", told.append)
        window.session.send("unfold", told.append, next=True)
        window.session.send("changes", told.append, expression="calls")
        if stop.step % 5 == 0 and "stepBack" in window.session.state.possible:
            window.press("back")
            window.until(lambda: window.session.state.is_past and not window.session.is_moving)
            window.settle()
            window.press("present")
            window.until(lambda: not window.session.state.is_past and not window.session.is_moving)
        window.settle()

    look.told = told
    return look


def test_the_same_program(window, observed):
    window.program(PROGRAM)
    plain = subprocess.run([project.EZ, window.file], input="Ann\n", capture_output=True, text=True, timeout=60)
    assert plain.returncode == 0, plain.stderr
    alone = run(window, lambda stop: None)
    window.press("continue")
    window.until_end()
    assert alone[1] == plain.stdout
    for expression in WATCHES:
        window.panel.watches.add(expression)
    for line, condition in LINES.items():
        window.panel.store.add(UserBreakpoint(LINE, file=window.file, line=line, condition=condition))
    assert run(window, observed) == alone
    assert {Unfolded, Changes, EvaluateResult} <= set(map(type, observed.told))
