"""What is wrong while one types, names that are offered, and what a name means."""

import sys
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QPoint, Qt
from PyQt6.QtGui import QContextMenuEvent, QHelpEvent, QTextCursor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu, QToolTip

from ez_debugger.qt.language_server import _first_message
from test_problems import marked, problems, script

pytestmark = pytest.mark.parametrize("window", [True], indirect=True)

MAIN = 'do main() {\n    temp size int = 3\n    println("ä", size)\n}\n'


def go(window, text, after=True):
    """Puts the cursor behind a text."""
    cursor = window.editor.document().find(text)
    assert not cursor.isNull()
    cursor.setPosition(cursor.selectionEnd() if after else cursor.selectionStart())
    window.editor.setTextCursor(cursor)
    window.editor.setFocus()


def press(window, *keys):
    """Keys, or texts, which go where a user's would: to the list, if one is shown."""
    for one in keys:
        for key in one if isinstance(one, str) else [one]:
            popup = window.adapter.completion.completer.popup()
            target = popup if popup.isVisible() else window.editor
            (QTest.keyClicks if isinstance(key, str) else QTest.keyClick)(target, key)
            QApplication.processEvents()


def offered(window):
    completion = window.adapter.completion
    return [one.label for one in completion._offers] if completion.is_open else []


def test_errors_are_there_before_a_start_and_go_when_they_are_mended(window):
    window.program('do main() {\n    temp x int = "😀"\n    println(x, nope)\n}\n')
    window.until(lambda: len(problems(window)) == 2)
    assert [(one.kind, one.code, one.line, one.column) for one in window.panel.problems.problems] == [
        ("error", "E3001", 4, 10), ("error", "E4001", 5, 16)]
    assert marked(window) == [(4, 10), (5, 16)]
    assert window.panel.pages.groups[2].tabText(1) == "Problems (2)" and window.panel.console.isVisible()
    go(window, "nope", after=False)
    press(window, "x ")
    for _ in range(5):
        press(window, Qt.Key.Key_Delete)
    press(window, Qt.Key.Key_ParenRight)
    window.until(lambda: [one.code for one in window.panel.problems.problems] == ["E3001"])
    window.panel.problems.list.itemActivated.emit(window.panel.problems.list.topLevelItem(0), 0)
    cursor = window.editor.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (3, 9)


def test_a_program_that_is_refused_and_one_that_fails_are_reported_once(window):
    window.program('do main() {\n    temp x int = "a"\n    println(x)\n}\n')
    window.until(lambda: problems(window))
    window.press("start")
    window.until(window.panel.notices.message.isVisible)
    window.until_end()
    assert [one.code for one in window.panel.problems.problems] == ["E3001"]
    assert not window.panel.console.isVisible()
    text = "import @std\nusing std\ndo main() {\n    temp a [int] = {1}\n    temp i int = 3\n    println(a[i])\n}\n"
    Path(window.file).write_text(text, encoding="utf-8")
    window.open(window.file)
    window.until(lambda: not problems(window))
    window.press("start")
    window.until_stop(4)
    assert window.panel.console.isVisible()
    window.press("continue")
    window.until_stop(6)
    assert [one.kind for one in window.panel.problems.problems] == ["run-time error"]


def test_errors_of_imported_files_are_in_them(window):
    (window.folder / "lib.ez").write_text("module lib\ndo half(n int) -> int {\n    return n /\n}\n", encoding="utf-8")
    window.program('import "./lib"\ndo main() {\n    println(lib.half(4))\n}\n')
    window.until(lambda: problems(window))
    assert {Path(one.file).name for one in window.panel.problems.problems} == {"lib.ez"}
    window.panel.problems.list.itemClicked.emit(window.panel.problems.list.topLevelItem(0), 0)
    window.open(str(window.folder / "lib.ez"))
    window.until(lambda: marked(window))


def test_names_are_offered_while_one_types_and_tab_takes_one(window):
    window.program(MAIN)
    go(window, 'println("ä", size)')
    press(window, Qt.Key.Key_Return)
    press(window, "pri")
    window.until(lambda: "println" in offered(window))
    press(window, "ntl")
    window.until(lambda: offered(window) == ["println"])
    press(window, Qt.Key.Key_Tab)
    assert window.adapter.line_text(window.file, 6).strip() == "println" and not offered(window)
    window.editor.undo()
    assert window.adapter.line_text(window.file, 6).strip() == "printl"


def test_return_ends_a_line_unless_a_name_is_selected(window):
    window.program(MAIN)
    go(window, "size)", after=True)
    press(window, Qt.Key.Key_Return)
    press(window, "pri")
    window.until(lambda: offered(window))
    press(window, Qt.Key.Key_Return)
    assert window.adapter.line_text(window.file, 6).strip() == "pri"
    press(window, "pri")
    window.until(lambda: offered(window))
    first = offered(window)[0]
    press(window, Qt.Key.Key_Down)
    press(window, Qt.Key.Key_Return)
    window.until(lambda: not offered(window))
    assert window.adapter.line_text(window.file, 7).strip() == first


def test_members_are_offered_after_a_point_but_nothing_in_comments(window):
    window.program("import @math\n" + MAIN)
    go(window, 'println("ä", size)')
    press(window, Qt.Key.Key_Return)
    press(window, "math.")
    window.until(lambda: "sqrt" in offered(window))
    press(window, Qt.Key.Key_Escape)
    assert not offered(window) and "math." in window.editor.toPlainText()
    press(window, "pi // printl")
    QTest.qWait(200)
    assert not offered(window)
    press(window, Qt.Key.Key_Return)
    QTest.keyClick(window.editor, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    window.until(lambda: "println" in offered(window))


def test_the_mouse_over_a_name_says_what_it_means(window):
    window.program(MAIN)
    window.until(lambda: window.panel.language_server._texts)
    cursor = QTextCursor(window.editor.document().find(", size"))
    place = window.editor.cursorRect(cursor).center() - QPoint(12, 0)
    viewport = window.editor.viewport()
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place)))
    window.until(lambda: "temp size int" in QToolTip.text())


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
@pytest.mark.parametrize("text", [
    "import sys\nsys.exit(1)\n", "import sys\nsys.stdin.read()\n",
    'import sys\nwhile True:\n    sys.stdout.write("x" * 65536)\n',
    'import sys\nprint("Content-Length: 99999999999999999999\\r\\n\\r\\n", end="", flush=True)\nsys.stdin.read()\n'])
def test_a_program_without_a_language_server_changes_nothing(window, tmp_path, text):
    window.session.ez = script(tmp_path / "ez", text)
    window.program(MAIN)
    go(window, "size)")
    for letter in "abcdefgh":
        press(window, letter)
        QTest.qWait(60)
    assert problems(window) == [] and offered(window) == []
    assert "size)abcdefgh" in window.editor.toPlainText()
    assert window.panel.language_server._starts <= 3


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_a_server_that_ends_is_started_again(window):
    window.program(MAIN.replace("size)", "nope)"))
    window.until(lambda: problems(window))
    window.panel.language_server._process.kill()
    window.until(lambda: not problems(window))
    go(window, "nope")
    press(window, "e")
    window.until(lambda: problems(window))
    assert "nopee" in window.panel.problems.problems[0].message


def test_messages_are_taken_apart(window):
    whole = b"Content-Length: 2\r\nX: y\r\n\r\n{}"
    for end in range(len(whole)):
        assert _first_message(whole[:end])[0] is None
    assert _first_message(whole + b"Con") == (b"{}", b"Con")
    for wrong in (b"X: y\r\n\r\n", b"Content-Length: x\r\n\r\n", b"x" * 5000, b"a\r\n\r\n"):
        with pytest.raises(ValueError):
            _first_message(wrong)


def shown_menu(window):
    """The menu that is shown, when its fixes are known."""
    found = []

    def look():
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu) and not any(one.text().startswith("Looking") for one in menu.actions()):
            found[:] = [menu]
        return found

    window.until(look)
    return found[0]


def titles(menu):
    return [one.text() for one in menu.actions() if one.text()]


WRONG = 'do main() {\n    temp width int = 3\n    prinln("😀", width)\n}\n'


def test_a_fix_is_in_the_menu_of_a_problem_and_can_be_undone(window):
    window.program(WRONG)
    window.until(lambda: problems(window))
    shown = window.panel.problems.list
    shown.setFocus()
    shown.setCurrentItem(shown.topLevelItem(0))
    place = shown.visualItemRect(shown.topLevelItem(0)).center()
    shown.customContextMenuRequested.emit(place)
    menu = shown_menu(window)
    assert titles(menu)[0] == "Replace 'prinln' by 'println'" and titles(menu)[-1] == "Go there"
    # The first one is chosen, so that Return applies it.
    QTest.keyClick(menu, Qt.Key.Key_Return)
    window.until(lambda: not problems(window))
    assert window.adapter.line_text(window.file, 5) == '    println("😀", width)'
    window.editor.undo()
    assert window.adapter.line_text(window.file, 5) == '    prinln("😀", width)'


def test_the_key_offers_the_fixes_of_the_line_and_leaves_the_cursor(window):
    window.program(WRONG.replace("width)", "widt)"))
    window.until(lambda: len(problems(window)) == 2)
    go(window, '"😀", ')
    before = window.editor.textCursor().position()
    window.press_keys("Ctrl+.")
    menu = shown_menu(window)
    assert titles(menu)[:2] == ["Replace 'prinln' by 'println'", "Replace 'widt' by 'width'"]
    menu.actions()[1].trigger()
    menu.close()
    assert window.adapter.line_text(window.file, 5) == '    prinln("😀", width)'
    assert window.editor.textCursor().position() == before and window.editor.hasFocus()
    window.press_keys("Ctrl+.")
    menu = shown_menu(window)
    menu.actions()[0].trigger()
    menu.close()
    window.until(lambda: not problems(window))
    window.press_keys("Ctrl+.")
    menu = shown_menu(window)
    assert [(one.text(), one.isEnabled()) for one in menu.actions()] == [("There is no fix for this", False)]
    menu.close()


def test_a_right_click_on_what_is_marked_offers_its_fix_and_what_the_editor_has(window):
    window.program(WRONG)
    window.until(lambda: marked(window))
    cursor = QTextCursor(window.editor.document().find("prinl"))
    viewport = window.editor.viewport()
    place = window.editor.cursorRect(cursor).center() - QPoint(2, 0)
    QApplication.sendEvent(viewport, QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place)))
    menu = shown_menu(window)
    assert titles(menu)[0] == "Replace 'prinln' by 'println'" and any("Paste" in one for one in titles(menu))
    menu.actions()[0].trigger()
    menu.close()
    window.until(lambda: not problems(window))


def test_a_fix_for_another_text_changes_nothing(window):
    window.program(WRONG)
    window.until(lambda: problems(window))
    go(window, "prinln")
    window.press_keys("Ctrl+.")
    menu = shown_menu(window)
    window.editor.appendPlainText("// more")
    text = window.editor.toPlainText()
    menu.actions()[0].trigger()
    menu.close()
    assert window.editor.toPlainText() == text
    window.until(lambda: "changed meanwhile" in QToolTip.text())
    QToolTip.hideText()


def test_a_key_goes_to_the_declaration(window):
    window.program(MAIN)
    go(window, ', size', after=True)
    window.press_keys("F12")
    window.until(lambda: window.editor.textCursor().blockNumber() == 3)
    assert window.editor.textCursor().positionInBlock() == len("    temp ")
    go(window, "println")
    window.press_keys("F12")
    window.until(lambda: "declares this" in QToolTip.text())
    QToolTip.hideText()


def test_a_key_formats_the_file_and_breakpoints_stay(window):
    text = 'do main() {\n  temp size   int=3\n\n\n\n      println("ä",size)\n}\n'
    window.program(text)
    window.panel.store.toggle(window.file, 8)
    go(window, "size)", after=False)
    window.press_keys("Ctrl+Shift+I")
    window.until(lambda: '    println("ä", size)' in window.editor.toPlainText())
    assert "    temp size int = 3\n" in window.editor.toPlainText()
    line = window.editor.toPlainText().splitlines().index('    println("ä", size)') + 1
    assert [one.line for one in window.panel.store.breakpoints] == [line]
    window.editor.undo()
    assert window.editor.toPlainText().endswith(text)
    assert [one.line for one in window.panel.store.breakpoints] == [8]
    go(window, "main(")
    press(window, "[")
    window.press_keys("Ctrl+Shift+I")
    window.until(lambda: "syntax errors" in QToolTip.text())
    QToolTip.hideText()
