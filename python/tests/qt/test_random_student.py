"""A student who does anything at any time, in the real EZ IDE: what is shown is always what is.

    EZ_STUDENT_ACTIONS   how many actions (default 300)
    EZ_STUDENT_SEED      which ones (default 1)
"""

import importlib
import os
import random
import signal
import sys

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeySequence, QTextCursor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QDialog, QApplication

from test_ide import Ide, exceptions, make_ide, needs_the_ide  # noqa: F401

pytestmark = [needs_the_ide, pytest.mark.skipif(sys.platform == "win32", reason="kills servers by signal")]

ACTIONS = int(os.environ.get("EZ_STUDENT_ACTIONS", "300"))
SEED = int(os.environ.get("EZ_STUDENT_SEED", "1"))

MAIN = """import @std
import "./lib.ez"
using std

const Point struct {
    x int
    y int
}

do sum(items [int]) -> int {
    temp total int = 0
    for_each one in items {
        total += one
    }
    return total
}

do main() {
    temp p Point = Point{x: 1, y: 2}
    temp items [int] = {1, 2, 3}
    for i in range(0, 5) {
        p.x += lib.twice(i)
        println("x is ${p.x}")
    }
    println(sum(items))
    temp name string = input()
    println(name)
    temp zero int = p.y - 2
    println(items[zero + 1])
    temp n int = 0
    as_long_as n < 300000 {
        n += 1
    }
    println(10 / zero)
}
"""

LIB = """module lib

do twice(x int) -> int {
    temp result int = x
    result += x
    return result
}
"""

KEYS = ("F5", "F5", "F10", "F10", "F10", "F11", "Shift+F11", "F9", "Ctrl+F10", "F6", "Alt+F10", "Alt+F11",
        "Alt+Shift+F11", "Alt+F5", "Alt+F6", "Ctrl+Shift+F5", "Shift+F5")

EXPRESSIONS = ("p.x", "items", "items[0] + 1", "nope", "1 +", "total", "p.y = 2", "lib.twice(4)")


class Student:
    """Does things, and knows what has to be true after each."""

    def __init__(self, qtbot, window, folder, seed, exceptions):
        self.ide = Ide(qtbot, window)
        self.window, self.panel, self.session = window, self.ide.panel, self.ide.session
        self.folder = folder
        self.random = random.Random(seed)
        self.seed = seed
        self.exceptions = exceptions
        self.done = []
        self.processes = set()
        self.wrong_lines = []
        self._watch_sent_lines()
        self.actions = [(self.type, 12), (self.key, 30), (self.margin, 8), (self.button, 10), (self.wait, 20),
                        (self.wait_for_stop, 15), (self.answer, 10), (self.mend, 4), (self.open, 3), (self.close_tab, 1),
                        (self.kill, 1), (self.evaluate, 3), (self.watch, 2), (self.call, 3), (self.dialog, 2),
                        (self.browse, 1)]

    def _watch_sent_lines(self):
        """Lines that are sent have to be lines of the program, as the engine has read it."""
        send = self.session.send

        def watched(command, on_answer=None, **params):
            program = self.panel.texts._programs.get(str(params.get("file")))
            sent = [params["line"]] if command == "runTo" else [
                one["line"] for one in params.get("breakpoints", []) if command == "setBreakpoints"]
            if self.session.state.is_live and program is not None and any(not 1 <= line <= len(program) for line in sent):
                self.wrong_lines.append((command, params))
            return send(command, on_answer, **params)

        self.session.send = watched

    def run(self, count):
        functions, weights = zip(*self.actions)
        for number in range(count):
            action = self.random.choices(functions, weights)[0]
            self.done.append(action.__name__)
            try:
                self.done[-1] += f" {action() or ''}"
                self.check()
            except BaseException:
                print(f"\nEZ_STUDENT_SEED={self.seed}, action {number}; the last ones:\n  " +
                      "\n  ".join(self.done[-40:]))
                raise

    # What a student does

    def editor(self):
        return self.window.editor_tabs.get_current_editor()

    def type(self):
        editor = self.editor()
        if editor is None:
            return "nowhere"
        document = editor.document()
        cursor = QTextCursor(document.findBlockByNumber(self.random.randrange(document.blockCount())))
        kind = self.random.choice(("comment", "comment", "statement", "break", "delete", "delete two", "undo", "undo",
                                   "redo", "all", "letters", "join", "duplicate"))
        move, keep = QTextCursor.MoveOperation, QTextCursor.MoveMode.KeepAnchor
        editor.setFocus()
        if kind == "comment":
            cursor.insertText("// a comment\n")
        elif kind == "statement":
            cursor.insertText("    println(1)\n")
        elif kind == "break":
            cursor.movePosition(move.Right, n=self.random.randrange(cursor.block().length()))
            editor.setTextCursor(cursor)
            QTest.keyClick(editor, Qt.Key.Key_Return)
        elif kind in ("delete", "delete two"):
            cursor.movePosition(move.NextBlock, keep, 1 if kind == "delete" else 2)
            cursor.removeSelectedText()
        elif kind == "undo":
            for _ in range(self.random.randrange(1, 4)):
                editor.undo()
        elif kind == "redo":
            editor.redo()
        elif kind == "all":
            editor.selectAll()
            QTest.keyClick(editor, Qt.Key.Key_Delete)
            self.check()
            editor.undo()
        elif kind == "letters":
            cursor.movePosition(move.EndOfBlock)
            editor.setTextCursor(cursor)
            QTest.keyClicks(editor, self.random.choice((" // x", " ", "x")))
        elif kind == "join":
            editor.setTextCursor(cursor)
            QTest.keyClick(editor, Qt.Key.Key_Backspace)
        else:
            cursor.insertText(cursor.block().text() + "\n")
        return f"{kind} in line {cursor.blockNumber() + 1}"

    def mend(self):
        """The text is that of the beginning."""
        for name, text in (("p.ez", MAIN), ("lib.ez", LIB)):
            editor = self.window.editor_tabs.get_editor_for_file(str(self.folder / name))
            if editor is not None:
                cursor = QTextCursor(editor.document())
                cursor.select(QTextCursor.SelectionType.Document)
                cursor.insertText(text)

    def key(self):
        keys = self.random.choice(KEYS)
        pressed = QKeySequence(keys)[0]
        QTest.keyClick(self.window, pressed.key(), pressed.keyboardModifiers())
        return keys

    def margin(self):
        editor = self.editor()
        adapter = self.panel._link.editor._adapters.get(editor)
        if adapter is None:
            return "nowhere"
        first = editor.firstVisibleBlock().blockNumber() + 1
        line = min(first + self.random.randrange(20), editor.document().blockCount())
        QTest.mouseClick(adapter.margin, Qt.MouseButton.LeftButton, pos=adapter.margin.place_of(line).toPoint())
        return f"line {line}"

    def button(self):
        names = [name for name in self.panel.actions_of_debugger.by_name
                 if self.panel.tool_bar.widgetForAction(self.panel.actions_of_debugger.by_name[name]) is not None]
        buttons = {name: self.panel.tool_bar.button(name) for name in names}
        notices = self.panel.notices
        buttons.update({"changed": notices.changed.start, "again": notices.message.start,
                        "hide": notices.message.close_button})
        shown = sorted(name for name, button in buttons.items() if button.isVisible())
        if not shown:
            return "none"
        name = self.random.choice(shown)
        QTest.mouseClick(buttons[name], Qt.MouseButton.LeftButton)
        return name

    def wait(self):
        duration = self.random.choice((0, 1, 5, 20, 150))
        QTest.qWait(duration)
        return f"{duration} ms"

    def wait_for_stop(self):
        """Unless it is one that does not come: then for two seconds."""
        for _ in range(400):
            state = self.session.state
            if not state.is_live or state.wants_input or state.stop is not None and not self.session.is_moving:
                break
            QTest.qWait(5)
        return self.session.state.status

    def answer(self):
        console = self.panel.console
        if console.input_row.isVisible():
            QTest.keyClicks(console.input, "Ann")
            QTest.keyClick(console.input, Qt.Key.Key_Return)
            return "Ann"
        return "nobody asks"

    def open(self):
        name = self.random.choice(("p.ez", "lib.ez"))
        if (self.folder / name).exists():
            self.window.editor_tabs.open_file(str(self.folder / name))
        return name

    def close_tab(self):
        if self.window.editor_tabs.count():
            self.window.editor_tabs.close_tab(self.window.editor_tabs.currentIndex())

    def browse(self):
        folder = self.random.choice((self.folder, self.folder.parent))
        self.window.file_browser.navigate_to(str(folder))
        return folder.name

    def kill(self):
        if self.session.process_id:
            os.kill(self.session.process_id, signal.SIGKILL)
            return "the server"
        return "nothing"

    def evaluate(self):
        expression = self.random.choice(EXPRESSIONS)
        prompt = self.panel.console.prompt
        if prompt.isEnabled():
            prompt.setText(expression)
            QTest.keyClick(prompt, Qt.Key.Key_Return)
        return expression

    def watch(self):
        expression = self.random.choice(EXPRESSIONS)
        (self.panel.watches.remove if expression in self.panel.watches.expressions else self.panel.watches.add)(expression)
        return expression

    def call(self):
        shown = self.panel.calls.list
        if shown.topLevelItemCount():
            shown.setCurrentItem(shown.topLevelItem(self.random.randrange(shown.topLevelItemCount())))
        return str(shown.topLevelItemCount())

    def dialog(self):
        if not self.panel.store.breakpoints:
            return "no breakpoint"
        from ez_debugger.qt.breakpoint_dialog import BreakpointDialog

        condition = self.random.choice(("i == 3", "i ==", "nope", "", "true"))
        shown = BreakpointDialog(self.panel.store, self.random.choice(self.panel.store.breakpoints), self.panel)
        shown.open()
        shown.condition.setText(condition)
        shown.accept()
        self.ide.until(lambda: not shown.isVisible() or shown.problem.text())
        if shown.isVisible():
            shown.reject()
        self.window.activateWindow()
        return condition

    # What has to be true

    def check(self):
        assert not self.exceptions and not self.wrong_lines
        if self.session.process_id:
            self.processes.add(self.session.process_id)
        self._check_buttons()
        self._check_marks()
        self._check_breakpoints()
        assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible()]

    def _check_buttons(self):
        state = self.session.state
        actions = self.panel.actions_of_debugger
        for name, action in actions.by_name.items():
            possible = actions._commands[name] in state.possible
            assert action.isEnabled() == (possible and (name != "into_call" or not actions.targets.isEmpty())), name
        assert self.window.debug_start_action.isEnabled() == ("start" in state.possible)
        assert self.window.debug_stop_action.isEnabled() == ("terminate" in state.possible)
        assert self.window.debug_step_action.isEnabled() == ("stepOver" in state.possible)
        assert self.panel.notices.changed.isVisibleTo(self.panel.notices) == self.panel.texts.differs
        assert self.panel.console.input_row.isVisibleTo(self.panel.console) == state.wants_input

    def _check_marks(self):
        """The line is marked whose text is that of the program's, as long as it is there."""
        state, texts = self.session.state, self.panel.texts
        adapters = list(self.panel._link.editor._adapters.values())
        marked = [(one.file, one.overlay.line) for one in adapters if one.overlay.line]
        assert all(one.margin._line == one.overlay.line for one in adapters)
        place = self.panel._link._place
        if state.stop is None:
            assert place is None or state.waits_at is not None
        elif self.session.frame_index == 0:
            assert place == (state.stop.location.file, state.stop.location.line)
        if place is None:
            assert marked == []
            return
        file, line = place
        program, text = texts._programs.get(file), self.panel._link.editor.text_lines(file)
        if text is None:
            assert marked == []
            return
        if program is None:
            return
        if program == text:
            assert marked == [(file, line)]
        elif marked:
            ((shown_file, shown),) = marked
            assert shown_file == file and shown == texts.to_text(file, line)
            if is_in_order(program, text, line):
                assert text[shown - 1] == program[line - 1]
        else:
            assert texts.to_text(file, line) == 0

    def _check_breakpoints(self):
        store = self.panel.store
        for adapter in self.panel._link.editor._adapters.values():
            lines = [one.line for one in store.in_file(adapter.file)]
            assert len(set(lines)) == len(lines)
            assert all(1 <= line <= adapter.editor.document().blockCount() for line in lines), lines
            assert sorted(adapter.margin._breakpoints) == sorted(lines)
        assert self.panel.breakpoints.list.topLevelItemCount() == len(store.breakpoints)


def is_in_order(program, text, line):
    """Whether a line and those around it are once in both texts, one after the other."""
    around = program[max(0, line - 2):line + 1]
    if any(program.count(one) != 1 or text.count(one) != 1 for one in around):
        return False
    places = [text.index(one) for one in around]
    return places == list(range(places[0], places[0] + len(places)))


def test_a_student_does_anything(qtbot, make_ide, tmp_path, exceptions, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "p.ez").write_text(MAIN, encoding="utf-8")
    (folder / "lib.ez").write_text(LIB, encoding="utf-8")
    window = make_ide()
    dialogs = importlib.import_module("app.editor").QMessageBox
    monkeypatch.setattr(dialogs, "question", lambda *_: dialogs.StandardButton.Save)
    monkeypatch.setattr(dialogs, "critical", lambda *_: None)
    window.file_browser.navigate_to(str(folder))
    window.editor_tabs.open_file(str(folder / "lib.ez"))
    window.editor_tabs.open_file(str(folder / "p.ez"))
    window.activateWindow()
    student = Student(qtbot, window, folder, SEED, exceptions)
    student.run(ACTIONS)
    window.debug_session.stop()
    student.ide.until(lambda: student.session.process_id == 0)
    assert student.processes
    for process in student.processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
