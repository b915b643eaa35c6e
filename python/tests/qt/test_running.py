"""What is shown while the program runs: nothing old looks like something new."""

import pytest

from PyQt6.QtCore import Qt

from ez_debugger.qt import Launch, colors

COUNTS = "do main() {\n    temp n int = 0\n    loop {\n        n += 1\n    }\n}\n"
WRONG = 'do main() {\n    temp x int = "a"\n}\n'
RIGHT = 'do main() {\n    println("Hello!")\n}\n'


def colours(widget):
    """The colours of a widget that have something to say: each with the number of its pixels."""
    image = widget.grab().toImage()
    found = {}
    for x in range(image.width()):
        for y in range(image.height()):
            colour = image.pixel(x, y)
            found[colour] = found.get(colour, 0) + 1
    return found



@pytest.fixture
def counting(window):
    window.program(COUNTS)
    window.press("start")
    window.until_stop()
    window.panel.watches.add("n + 1")
    window.press("continue")
    window.until(lambda: window.session.state.status == "running")
    window.press("pause")
    window.until_stop()
    return window


def test_values_and_calls_of_the_stop_before_are_grey(counting):
    panel = counting.panel
    value = counting.row("Locals", "n").siblingAtColumn(1)
    changed = colors.changed(panel.palette())
    assert value.data(Qt.ItemDataRole.ForegroundRole).color() == changed
    assert value.data(Qt.ItemDataRole.FontRole).bold()
    views = {"Variables": panel.variables.view, "Calls": panel.calls.list}
    before = {name: colours(view.viewport()) for name, view in views.items()}
    counting.press("continue")
    counting.until(lambda: not panel.variables.view.isEnabled())
    grey = colors.outdated(panel.variables.view.values.palette)
    for view in (panel.variables.view, panel.watches.view):
        for row in range(view.values.rowCount()):
            for column in range(3):
                assert view.values.index(row, column).data(Qt.ItemDataRole.ForegroundRole).color() == grey
    for column in (0, 1, 2):
        index = counting.row("Locals", "n").siblingAtColumn(column)
        assert index.data(Qt.ItemDataRole.ForegroundRole).color() == grey
        assert not index.data(Qt.ItemDataRole.FontRole).bold()
    assert not panel.time_bar.label.isEnabled()
    for name, view in views.items():
        now = colours(view.viewport())
        assert now != before[name], name
    assert changed.rgb() in before["Variables"] and changed.rgb() not in colours(panel.variables.view.viewport())
    counting.press("pause")
    counting.until_stop()
    assert value.data(Qt.ItemDataRole.ForegroundRole).color() == changed and panel.time_bar.label.isEnabled()


@pytest.mark.parametrize("window", [True], indirect=True)
def test_the_console_is_in_front_again_after_a_start_that_was_refused(window):
    wrong = window.program(WRONG)
    panel, front = window.panel, window.panel.pages.groups[-1]
    window.until(lambda: panel.problems.problems)
    window.press("start")
    window.until(lambda: front.currentWidget() is panel.problems)
    right = window.folder / "right.ez"
    right.write_text(f"import @std\nusing std\n{RIGHT}", encoding="utf-8")
    panel.launch = Launch(file=str(right), stop_on_entry=False)
    window.press("start")
    window.until_stop()
    # The other file, which is in the editor, still has its error.
    assert [one.file for one in panel.problems.problems] == [wrong]
    assert front.currentWidget() is panel.console and window.output() == "Hello!\n"
    # Whoever chooses the problems sees them also when a program starts.
    front.setCurrentWidget(panel.problems)
    begun = []
    window.session.started.connect(lambda: begun.append(True))
    window.press("restart")
    window.until(lambda: begun)
    window.until_stop()
    assert front.currentWidget() is panel.problems
