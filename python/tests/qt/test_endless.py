"""Programs that print without end: the window stays alive, and the program can be paused and stopped at once.

Times are those of the window's own thread, so that a busy machine does not change them.
"""

import sys
import time

import project
import pytest
from PyQt6.QtTest import QTest

from ez_debugger.qt import DebugSession, Launch, output_text
from ez_debugger.qt.output_text import OutputText

ENDLESS = 'do main() {\n    temp n int = 0\n    loop {\n        n += 1\n        println("line ${n}")\n    }\n}\n'


@pytest.fixture(params=[True, False], ids=["history", "plain"])
def printing(window, request):
    """A program that prints lines with numbers, after the button "Continue" was pressed."""
    window.program(ENDLESS, history=request.param)
    window.press("start")
    window.until_stop(4)
    window.press("continue")
    window.until(lambda: window.panel.console.output.skipped > 20_000)
    return window


def last_number(window):
    lines = [line for line in window.output().splitlines() if line.startswith("line ")]
    return int(lines[-1].split()[1])


def test_a_program_that_prints_runs_from_the_start(window):
    window.program(ENDLESS)
    window.press("start")
    window.until_stop(4)
    events = []
    window.session.event_received.connect(lambda event: events.append(event.event))
    window.press("continue")
    window.until(lambda: window.session.state.status == "running")
    assert "state" not in events, "known without asking"
    assert window.panel.status.text() == "Running"
    assert window.enabled() == {"pause", "restart", "stop"}
    assert window.adapter.overlay.line == 0


def test_it_is_paused_at_once(printing, turns, measure):
    stops = []
    printing.session.stopped.connect(lambda stop: stops.append(time.thread_time()))
    with turns:
        QTest.qWait(1)
        pressed, clock = time.thread_time(), time.monotonic()
        printing.click("pause")
        printing.until(lambda: stops)
        measure("paused after", f"{(time.monotonic() - clock) * 1000:.0f} ms")
        took = stops[0] - pressed
        assert printing.until_stop().reason == "pause"
    assert took < 0.3
    measure("longest turn", f"{turns.longest * 1000:.0f} ms of {turns.count} turns")
    assert turns.longest < 0.1
    # All that was printed before the stop is there.
    n = int(printing.value("Locals", "n"))
    assert last_number(printing) in (n, n - 1)


def test_it_is_stopped_at_once(printing, turns, measure):
    ends = []
    printing.session.ended.connect(lambda _: ends.append(time.monotonic()))
    with turns:
        clock = time.monotonic()
        printing.click("stop")
        assert printing.panel.status.text() == "The program is being ended"
        assert printing.enabled() == {"start"}
        printing.until(lambda: ends)
        measure("stopped after", f"{(ends[0] - clock) * 1000:.0f} ms")
        printing.until_end()
    assert turns.longest < 0.1
    assert printing.output().endswith("\nThe program was ended.\n")


def test_start_after_stop_starts_when_the_old_program_is_gone(printing):
    first = printing.session.process_id
    printing.press("stop")
    assert printing.session.process_id == first
    printing.press("start")
    printing.until_stop(4)
    assert printing.session.process_id not in (0, first)
    assert printing.output() == ""
    assert not printing.last_words and not printing.panel.notices.message.isVisible()


def test_start_after_stop_while_the_program_is_being_read(window):
    window.program(ENDLESS)
    window.press("start")
    assert window.session.state.status == "starting"
    window.press("stop")
    window.press("start")
    window.until_stop(4)
    window.press("stop")
    window.press("start")
    window.until_stop(4)


def test_what_is_kept_is_bounded_and_what_is_not_is_counted(printing):
    output, console = printing.panel.console.output, printing.panel.console
    for _ in range(3):
        before = output.skipped
        printing.until(lambda before=before: output.skipped > before + 30_000)
        assert output.blockCount() <= output_text.MOST_LINES + output_text._CUT + 1
        assert output._waiting_lines <= output_text.MOST_LINES + output_text._PIECE
        assert len(output._texts) <= output_text.MOST_LINES + output_text._CUT + 1
    printing.press("pause")
    printing.until_stop()
    numbers = [int(line.split()[1]) for line in printing.output().splitlines()]
    assert len(numbers) >= output_text.MOST_LINES
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert output.skipped == numbers[0] - 1
    assert console.skipped.isVisible()
    assert console.skipped.text() == f"{output.skipped:,} earlier lines are left out."
    printing.press("restart")
    printing.until_stop()
    assert not console.skipped.isVisible()


def test_the_past_knows_how_much_was_skipped(window):
    window.program('do main() {\n    for i in range(0, 30000) {\n        println("é ${i}")\n    }\n    println("end")\n'
                   '    println("!")\n}\n')
    window.click_margin(8)
    window.press("start")
    window.until_stop(8)
    assert window.panel.console.output.skipped > 10_000
    window.press("over"), window.until_stop()
    window.press("back"), window.until_stop(8)
    (later,) = window.panel.console.output.extraSelections()
    assert later.cursor.selectedText().strip("\u2029") == "!"


def test_one_line_of_three_million_characters(window, turns, measure):
    window.program('import @strings\ndo main() {\n    print(strings.repeat("x", 3000000))\n    println("")\n'
                   '    println("END")\n    temp x int = 1\n    println(x)\n}\n')
    window.click_margin(8)
    with turns:
        window.press("start")
        window.until_stop(8)
    measure("longest turn", f"{turns.longest * 1000:.0f} ms of {turns.count} turns")
    text = window.output()
    assert text.endswith("\nEND\n") and text.replace("\n", "") == "x" * 3_000_000 + "END"
    assert turns.longest < 0.3


@pytest.mark.parametrize("beginning", ["\x1b[", "\x1b]0;", "\x1b", ""])
def test_a_sequence_without_end_is_a_text(qtbot, turns, beginning):
    output = OutputText()
    qtbot.addWidget(output)
    with turns:
        for _ in range(1500):
            output.add("stdout", beginning + "1" * 1000)
            QTest.qWait(0)
        output.add("stdout", "END\n")
        qtbot.waitUntil(lambda: output.is_settled, timeout=60_000)
    assert output.toPlainText().endswith("END\n")
    assert len(output.toPlainText()) > 1_000_000
    assert turns.longest < 0.1


def test_the_characters_that_are_kept_are_bounded(qtbot, monkeypatch):
    monkeypatch.setattr(output_text, "MOST_CHARACTERS", 50_000)
    monkeypatch.setattr(output_text, "_CUT_CHARACTERS", 5_000)
    output = OutputText()
    qtbot.addWidget(output)
    for number in range(200):
        output.add("stdout", f"{number} " + "é" * 1990 + "\n")
        if number % 30 == 0:
            qtbot.waitUntil(lambda: output.is_settled, timeout=60_000)
    qtbot.waitUntil(lambda: output.is_settled, timeout=60_000)
    assert 45_000 < len(output.toPlainText()) < 60_000
    lines = output.toPlainText().splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(200 - len(lines), 200))
    assert output.skipped == 200 - len(lines)


def test_a_server_that_does_not_end_is_killed_soon(qtbot, tmp_path):
    server = project.ROOT / "python" / "tests" / "fake_server.py"
    session = DebugSession([sys.executable, str(server), "hang_later"])
    session.start(Launch(file=str(tmp_path / "x.ez")))
    qtbot.waitUntil(lambda: session.state.status == "ready", timeout=60_000)
    deaths = []
    session.server_died.connect(deaths.append)
    session.stop()
    assert session.state.status == "ending" and session.state.possible == {"start"}
    # It would answer after 600 seconds.
    qtbot.waitUntil(lambda: session.process_id == 0, timeout=30_000)
    assert not deaths and not session.state.is_live


def test_what_was_printed_is_handled_before_the_stop_that_follows(window):
    """The console has got everything when the stop is told, also of a program that prints much."""
    window.program('do main() {\n    for i in range(0, 5000) {\n        println("line ${i}")\n    }\n    println("end")\n}\n')
    window.click_margin(7)
    seen = []
    window.session.output_received.connect(lambda outputs: seen.extend(one.text for one in outputs))
    counts = []
    window.session.stopped.connect(lambda _: counts.append("".join(seen).count("\n")))
    window.press("start")
    window.until_stop(7)
    assert counts == [5000]
    assert window.output().splitlines() == [f"line {i}" for i in range(5000)]
    assert not window.panel.console.skipped.isVisible()
