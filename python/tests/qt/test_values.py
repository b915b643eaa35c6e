"""Variables and watches."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

POINTS = """const Point struct {
    x int
    y int
}
const limit int = 3
temp total int = 0
do move(p Point, by int) -> int {
    temp moved int = p.x + by
    total += moved
    return moved
}
do main() {
    temp p Point = Point{x: 1, y: 2}
    temp items [int] = {1, 2, 3}
    temp ages map[string:int] = {"Ann": 30}
    items[1] = 20
    p.x = 5
    ages["Bob"] = 31
    p.x = move(p, 2)
    println(p.x)
}
"""
FIRST = 18  # The line of `items[1] = 20`.


@pytest.fixture
def stopped(window):
    window.program(POINTS)
    window.click_margin(FIRST)
    window.press("start")
    window.until_stop(FIRST)
    return window


def marks(window, *names):
    index = window.row(*names).siblingAtColumn(1)
    return index.data(Qt.ItemDataRole.FontRole).bold()


def edit(window, index, text):
    """Opens the field of a value by key, and types."""
    view = window.panel.variables.view
    view.setCurrentIndex(index.siblingAtColumn(1))
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_F2)
    window.until(lambda: view.delegate.field is not None)
    field = view.delegate.field
    field.selectAll()
    QTest.keyClicks(field, text)
    return field


def test_scopes_types_and_parts(stopped):
    window = stopped
    assert window.value("Locals", "p") == "Point{x: 1, y: 2}"
    assert window.value("Locals", "p", "y") == "2"
    assert window.value("Locals", "ages", '["Ann"]') == "30"
    assert window.row("Locals", "ages").siblingAtColumn(2).data() == "map[string:int]"
    assert window.value("Globals", "total") == "0"
    window.press("over"), window.until_stop(FIRST + 1)
    window.press("over"), window.until_stop(FIRST + 2)
    window.press("over"), window.until_stop(FIRST + 3)
    window.press("into"), window.until_stop()
    assert window.value("Arguments", "by") == "2"
    window.press("out"), window.until_stop(FIRST + 3)
    assert window.value("Returned", "move()") == "7"


def test_changes_are_marked_and_what_is_open_stays_open(stopped):
    window = stopped
    view = window.panel.variables.view
    view.expand(window.row("Locals", "items"))
    window.row("Locals", "items", "[1]")
    view.setCurrentIndex(window.row("Locals", "items", "[2]"))
    window.press("over")
    window.until_stop(FIRST + 1)
    assert view.isExpanded(window.row("Locals", "items"))
    assert window.value("Locals", "items", "[1]") == "20"
    assert marks(window, "Locals", "items") and marks(window, "Locals", "items", "[1]")
    assert not marks(window, "Locals", "items", "[0]") and not marks(window, "Locals", "p")
    assert view.currentIndex().data() == "[2]"
    window.press("over")
    window.until_stop(FIRST + 2)
    assert not marks(window, "Locals", "items") and not marks(window, "Locals", "items", "[1]")
    assert marks(window, "Locals", "p")
    window.press("over"), window.until_stop(FIRST + 3)
    assert window.value("Locals", "ages", '["Bob"]') == "31"
    window.press("into"), window.until_stop()
    assert window.panel.variables.view.values.index(0, 0).data() == "Arguments"
    window.press("out"), window.until_stop(FIRST + 3)
    assert view.isExpanded(window.row("Locals", "items"))


def test_a_value_is_edited_in_place(stopped):
    window = stopped
    edit(window, window.row("Locals", "items", "[0]"), "7 * 6")
    field = window.panel.variables.view.delegate.field
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.until(lambda: window.panel.variables.view.delegate.field is None)
    window.settle()
    assert window.value("Locals", "items", "[0]") == "42"
    assert window.value("Locals", "items") == "[42, 2, 3]"
    assert marks(window, "Locals", "items")


def test_a_wrong_value_shows_the_servers_words_below_the_field(stopped):
    window = stopped
    view = window.panel.variables.view
    field = edit(window, window.row("Locals", "items", "[0]"), '"text"')
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.until(lambda: field.problem.isVisible())
    assert "string" in field.problem.text() and view.delegate.field is field
    assert field.problem.geometry().top() >= field.geometry().bottom()
    field.selectAll()
    QTest.keyClicks(field, "9")
    assert not field.problem.isVisible()
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.until(lambda: view.delegate.field is None)
    window.settle()
    assert window.value("Locals", "items", "[0]") == "9"


def test_escape_leaves_a_value_and_nothing_is_edited_in_the_past(stopped):
    window = stopped
    view = window.panel.variables.view
    field = edit(window, window.row("Locals", "p", "x"), "100")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    window.until(lambda: view.delegate.field is None)
    assert window.value("Locals", "p", "x") == "1"
    index = window.row("Locals", "p", "x").siblingAtColumn(1)
    assert view.values.flags(index) & Qt.ItemFlag.ItemIsEditable
    window.press("back"), window.until_stop()
    index = window.row("Locals", "p", "x").siblingAtColumn(1)
    assert not view.values.flags(index) & Qt.ItemFlag.ItemIsEditable
    constant = window.row("Globals", "limit").siblingAtColumn(1)
    assert not view.values.flags(constant) & Qt.ItemFlag.ItemIsEditable


def choose(window, index, text):
    view = window.panel.variables.view
    view.setCurrentIndex(index)
    action = next(one for one in view.menu().actions() if one.text() == text)
    assert action.isEnabled(), text
    action.trigger()


def test_the_menu_stops_when_a_part_changes(stopped):
    window = stopped
    choose(window, window.row("Locals", "p", "x"), "Stop when it changes")
    window.settle()
    shown = window.panel.breakpoints.list
    assert shown.topLevelItem(1).text(0).startswith("writes: ") and "x" in shown.topLevelItem(1).text(0)
    window.press("continue")
    stop = window.until_stop()
    assert (stop.reason, stop.old_value, stop.new_value) == ("data breakpoint", "1", "5")
    assert shown.topLevelItem(1).text(1) == "1"
    window.press("continue")
    assert window.until_stop().new_value == "7"
    window.press("stop")
    window.until_end()
    assert shown.topLevelItemCount() == 1


def test_the_menu_goes_to_where_a_value_came_from(stopped):
    window = stopped
    window.press("over"), window.until_stop()
    choose(window, window.row("Locals", "items", "[1]"), "Where did it get this value?")
    stop = window.until_stop(FIRST)
    assert stop.past
    assert "items[1] was changed in line 18, from 2 to 20" in window.panel.notices.message.label.text()


def test_the_menu_watches_and_copies(stopped):
    window = stopped
    choose(window, window.row("Locals", "items", "[2]"), "Watch")
    window.settle()
    assert window.value("items[2]", view=window.panel.watches.view) == "3"
    choose(window, window.row("Locals", "p"), "Copy value")
    assert QApplication.clipboard().text() == "Point{x: 1, y: 2}"
    choose(window, window.row("Locals", "items", "[2]"), "Copy expression")
    assert QApplication.clipboard().text() == "items[2]"


def test_a_value_is_drawn_as_a_tree(window):
    window.program("const Node struct {\n    key int\n    left Node\n    right Node\n}\ndo main() {\n"
                   "    temp a Node = Node{key: 1, left: nil, right: nil}\n"
                   "    temp b Node = Node{key: 2, left: a, right: nil}\n    println(b.key)\n}\n")
    window.click_margin(11)
    window.press("start")
    window.until_stop(11)
    choose(window, window.row("Locals", "b"), "Show as a tree")
    drawn = window.panel._windows[0]
    window.until(lambda: drawn.scene.items())
    assert drawn.box.lines == ["key = 2", "right = nil"]
    (name, child), = drawn.box.children
    assert (name, child.lines) == ("left", ["key = 1", "left = nil", "right = nil"])
    drawn.close()


def test_watches_follow_stops_and_outlive_the_program(stopped):
    window = stopped
    watches = window.panel.watches
    window.panel.pages.show_page(watches)
    for expression in ("p.x * 10", "items", "nothing", "items"):
        watches.field.setText(expression)
        QTest.keyClick(watches.field, Qt.Key.Key_Return)
    window.settle()
    assert watches.expressions == ["p.x * 10", "items", "nothing"]
    assert window.value("p.x * 10", view=watches.view) == "10"
    assert "nothing" in window.value("nothing", view=watches.view)
    assert window.value("items", "[1]", view=watches.view) == "2"
    window.press("over"), window.until_stop()
    window.press("over"), window.until_stop()
    assert window.value("p.x * 10", view=watches.view) == "50"
    # Its value is the same as at the stop before, but it can still be opened.
    assert window.value("items", "[1]", view=watches.view) == "20"
    watches.view.setCurrentIndex(window.row("nothing", view=watches.view))
    watches.view.setFocus()
    QTest.keyClick(watches.view, Qt.Key.Key_Delete)
    assert watches.expressions == ["p.x * 10", "items"]
    window.press("stop")
    window.until_end()
    assert window.value("items", view=watches.view) == ""
    window.press("start")
    window.until_stop(FIRST)
    assert window.value("p.x * 10", view=watches.view) == "10"


def test_a_list_that_grows_over_a_page_while_it_is_open(window):
    window.program("import @arrays\ndo main() {\n    temp items [int] = {}\n    for i in range(0, 300) {\n"
                   "        arrays.append(items, i)\n        temp n int = len(items)\n    }\n    println(1)\n}\n")
    window.click_margin(8)
    window.panel.store.change(window.panel.store.breakpoints[0], condition="i == 2 || i == 99 || i == 100 || i == 250")
    window.press("start")
    window.until_stop(8)
    view = window.panel.variables.view
    view.expand(window.row("Locals", "items"))
    assert window.value("Locals", "items", "[2]") == "2"
    for shown in (100, 2, 3):
        window.press("continue")
        window.until_stop(8)
        assert view.values.rowCount(window.row("Locals", "items")) == shown
        assert view.isExpanded(window.row("Locals", "items"))
    assert window.value("Locals", "items", "[200 … 250]", "[250]") == "250"


@pytest.mark.parametrize("key", [Qt.Key.Key_F2, Qt.Key.Key_Return])
def test_the_key_that_edits_works_in_every_cell_of_the_row(stopped, key):
    view = stopped.panel.variables.view
    for column in range(3):
        view.setCurrentIndex(stopped.row("Locals", "items").siblingAtColumn(column))
        view.setFocus()
        QTest.keyClick(view, key)
        field = view.delegate.field
        assert field is not None, column
        field.setText("{1}")
        QTest.keyClick(field, Qt.Key.Key_Return)
        stopped.until(lambda: view.delegate.field is None)
        stopped.settle()
        assert stopped.value("Locals", "items") == "[1]"
    # There is nothing to edit in a title.
    view.setCurrentIndex(stopped.row("Locals"))
    QTest.keyClick(view, key)
    assert view.delegate.field is None


def test_the_key_that_copies_belongs_to_the_view_that_has_the_focus(stopped):
    """Also where the window has an action with this key."""
    window, panel = stopped, stopped.panel
    copied = []
    action = QAction("Copy", window)
    action.setShortcut(QKeySequence("Ctrl+C"))
    action.triggered.connect(lambda: copied.append("by the window"))
    window.addAction(action)
    clipboard = QApplication.clipboard()
    panel.watches.add("len(items)")
    window.settle()
    view, watches = panel.variables.view, panel.watches.view
    view.setCurrentIndex(window.row("Locals", "items"))
    watches.setCurrentIndex(watches.values.index(0, 0))
    calls = panel.calls.list
    calls.setCurrentItem(calls.topLevelItem(0))
    for page, widget, wanted in ((panel.variables, view, "[1, 2, 3]"), (panel.watches, watches, "3"),
                                 (panel.calls, calls, "main()")):
        panel.pages.show_page(page)
        clipboard.setText("nothing")
        widget.setFocus()
        window.until(widget.hasFocus)
        QTest.keyClick(widget, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert clipboard.text() == wanted
    assert not copied
    window.editor.setReadOnly(True)
    panel.tool_bar.button("over").setFocus()
    QTest.keyClick(panel.tool_bar.button("over"), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied == ["by the window"]


def test_the_key_that_opens_everything_below_opens_one_row(window):
    window.program("do main() {\n    temp list [[int]] = {{1, 2}, {3}}\n    println(len(list))\n}\n")
    window.press("start")
    window.until_stop(4)
    window.press("over")
    window.until_stop(5)
    view = window.panel.variables.view
    view.setFocus()
    row = window.row("Locals", "list")
    view.setCurrentIndex(row)
    QTest.keyClick(view, Qt.Key.Key_Asterisk)
    window.until(lambda: view.isExpanded(row) and view.values.rowCount(row) == 2)
    window.settle()
    assert not any(view.isExpanded(view.values.index(number, 0, row)) for number in range(2))


def test_a_tree_says_when_it_is_that_of_another_step(window):
    window.program("do main() {\n    temp list [int] = {1, 2}\n    list[0] = 5\n    list[1] = 6\n    println(len(list))\n}\n")
    window.press("start")
    window.until_stop(4)
    window.press("over")
    window.until_stop(5)
    choose(window, window.row("Locals", "list"), "Show as a tree")
    drawn = window.panel._windows[0]
    window.until(lambda: drawn.scene.items())
    # The keys are those of the window.
    window.activateWindow()
    window.until(lambda: QApplication.activeWindow() is window)
    assert drawn.windowTitle() == "list, in step 2" and not drawn.age.isVisible()
    window.press("over")
    window.until_stop(6)
    assert drawn.age.isVisible() and drawn.age.text() == "This is the value that it had in step 2."
    window.press("back")
    window.until_stop(5)
    assert not drawn.age.isVisible(), "it is the same value again"
    window.press("present")
    window.until_stop(6)
    window.press("back_over")
    window.until_stop(5)
    window.press("restart")
    window.until(lambda: window.session.state.stop is not None and window.session.state.stop.location.line == 4)
    window.until_stop(4)
    window.press("over")
    window.until_stop(5)
    assert drawn.age.isVisible(), "it is another run"
    drawn.close()
