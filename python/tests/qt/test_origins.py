"""Where values, lines and texts come from."""

import pytest

TEXT = """do twice(x int) -> int {
    return x * 2
}
do main() {
    temp a int = 1
    a = twice(a) + twice(3)
    println("é ${a}")
    a += 5
    print("b")
    println("c")
}
"""


@pytest.fixture
def late(window):
    """Stopped before the last statement."""
    window.program(TEXT)
    window.click_margin(12)
    window.press("start")
    window.until_stop(12)
    return window


def choose(window, view, index, text):
    view.setCurrentIndex(index)
    action = next(one for one in view.menu().actions() if one.text() == text)
    assert action.isEnabled()
    action.trigger()


def choose_line(window, line, text="How was this computed?"):
    action = next(one for one in window.panel._link.menu(window.file, line).actions() if one.text() == text)
    assert action.isEnabled()
    action.trigger()


def lines(window):
    window.until(window.panel.origins.computed.isVisible)
    return window.panel.origins.computed.text.toPlainText().splitlines()


def test_how_a_value_was_computed(late):
    view = late.panel.variables.view
    choose(late, view, late.row("Locals", "a"), "How was this computed?")
    assert lines(late) == ["a += 5", "a: 8 → 13"]
    late.panel.origins.computed.close()
    late.panel.session.go_to_step(late.step() - 3)
    late.until_stop(9)
    choose(late, view, late.row("Locals", "a"), "How was this computed?")
    assert lines(late) == ["a = twice(a) + twice(3)", "= twice(1) + twice(3)", "= 2 + twice(3)", "= 2 + 6", "= 8",
                           "a: 1 → 8"]
    assert late.until_stop().past and late.session.state.stop.location.line == 9, "nothing has moved"
    computed = late.panel.origins.computed
    assert computed.place.text().startswith("Line 8, step ")
    marked = [selection.cursor.selectedText() for selection in computed.text.extraSelections()]
    assert marked == ["1", "2", "6", "8"]
    cursor = computed.text.textCursor()
    cursor.setPosition(computed.text.document().findBlockByNumber(3).position())
    computed.text.setTextCursor(cursor)
    assert late.editor.textCursor().selectedText() == "twice(3)"


def test_how_a_line_was_computed(late):
    late.press("back"), late.until_stop(11)
    choose_line(late, 10)
    assert lines(late) == ["a += 5", "a: 8 → 13"]
    late.panel.origins.computed.close()
    choose_line(late, 11)
    assert lines(late)[0] == 'print("b")'
    late.panel.origins.computed.close()
    choose_line(late, 7)
    late.until(late.panel.notices.message.isVisible)
    assert late.panel.notices.message.label.text().startswith("Line 7 is neither ")
    assert not late.panel.origins.computed.isVisible()
    late.panel.computed_action.trigger()
    assert lines(late)[0] == "a += 5"


def test_where_a_value_was_changed(late):
    choose(late, late.panel.variables.view, late.row("Locals", "a"), "Where was this changed?")
    (window,) = late.panel.origins.changes
    late.until(lambda: window.list.topLevelItemCount() == 3)
    rows = [[window.list.topLevelItem(row).text(column) for column in range(1, 5)] for row in range(3)]
    assert rows == [["p.ez:10", "8", "13", "changed"], ["p.ez:8", "1", "8", "changed"], ["p.ez:7", "", "1", "declared"]]
    window.list.itemActivated.emit(window.list.topLevelItem(1), 0)
    late.until(lambda: late.session.state.stop is not None and late.session.state.stop.location.line == 8)
    assert late.session.state.stop.past
    window.list.itemActivated.emit(window.list.topLevelItem(0), 0)
    late.until(lambda: late.session.state.stop is not None and late.session.state.stop.location.line == 10)


def test_many_changes_are_shown_a_page_at_a_time(window):
    window.program("do main() {\n    temp a int = 0\n    for i in range(0, 250) {\n        a = i\n    }\n    println(a)\n}\n")
    window.click_margin(8)
    window.press("start")
    window.until_stop(8)
    window.panel.origins.show_changes("a")
    (changes,) = window.panel.origins.changes
    window.until(lambda: changes.list.topLevelItemCount() == 101)
    while changes.list.topLevelItem(changes.list.topLevelItemCount() - 1).text(0) == "earlier ones …":
        before = changes.list.topLevelItemCount()
        changes.list.itemActivated.emit(changes.list.topLevelItem(before - 1), 0)
        window.until(lambda before=before: changes.list.topLevelItemCount() > before)
    assert changes.list.topLevelItemCount() == 250, "the first round writes what is there"
    assert changes.list.topLevelItem(249).text(4) == "declared"


@pytest.mark.parametrize(("text", "line"), [("é", 9), ("8", 9), ("b", 11)])
def test_who_printed_a_text(late, text, line):
    output = late.panel.console.output
    cursor = output.document().find(text)
    action = next(one for one in output.menu(cursor.selectionStart()).actions() if one.text() == "Who printed this?")
    assert action.isEnabled()
    action.trigger()
    late.until(late.panel.notices.message.isVisible)
    assert late.panel.notices.message.label.text().startswith(f"Line {line} of p.ez has written this, in step ")
    late.until(lambda: late.session.state.stop is not None and late.session.state.stop.location.line == line)


def test_what_an_evaluation_has_printed(late):
    late.panel.console.evaluate('println("mine")')
    late.settle()
    output = late.panel.console.output
    at = output.document().find("mine\n")
    at = at if not at.isNull() else output.document().find("mine", output.toPlainText().rindex("mine"))
    next(one for one in output.menu(at.selectionStart()).actions() if one.text() == "Who printed this?").trigger()
    late.until(late.panel.notices.message.isVisible)
    assert late.panel.notices.message.label.text() == "An evaluation of yours has written this."
    echo = output.document().find("› ")
    action = next(one for one in output.menu(echo.selectionStart()).actions() if one.text() == "Who printed this?")
    assert not action.isEnabled()


def test_nothing_of_it_is_offered_without_history(window):
    window.program(TEXT, history=False)
    window.click_margin(10)
    window.press("start")
    window.until_stop(10)
    view = window.panel.variables.view
    view.setCurrentIndex(window.row("Locals", "a"))
    actions = {one.text(): one.isEnabled() for one in view.menu().actions()}
    assert not actions["How was this computed?"] and not actions["Where was this changed?"]
    assert not window.panel.computed_action.isEnabled()
    menu = window.panel.console.output.menu(0)
    assert not next(one for one in menu.actions() if one.text() == "Who printed this?").isEnabled()


def test_the_text_has_changed_meanwhile(late):
    cursor = late.editor.textCursor()
    cursor.setPosition(0)
    cursor.insertText("// one\n// two\n")
    late.until(lambda: late.panel.texts.differs)
    late.press("back"), late.until_stop(11)
    choose_line(late, 12)
    assert lines(late) == ["a += 5", "a: 8 → 13"], "line 10 of the program"
    computed = late.panel.origins.computed
    choose = computed.text.textCursor()
    choose.setPosition(computed.text.document().findBlockByNumber(1).position())
    computed.text.setTextCursor(choose)
    assert late.editor.textCursor().selectedText() == "a"
    assert late.editor.textCursor().blockNumber() + 1 == 12
    action = next(one for one in late.panel._link.menu(late.file, 1).actions() if one.text() == "How was this computed?")
    assert not action.isEnabled(), "the program does not have that line"


def test_at_the_first_statement_nothing_has_been_computed(window):
    window.program(TEXT)
    window.press("start")
    window.until_stop(7)
    window.press_keys("Alt+F12")
    window.until(window.panel.notices.message.isVisible)
    said = window.panel.notices.message.label.text()
    assert said == "Cannot unfold a statement: nothing has been computed in this call yet"
