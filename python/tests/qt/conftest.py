"""What the tests of the panels share: windows on a platform without a screen, and programs to debug."""

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import project  # noqa: E402  (finds the package)
import pytest  # noqa: E402
from PyQt6.QtCore import Qt, QTimer  # noqa: E402
from PyQt6.QtGui import QFontDatabase, QKeySequence  # noqa: E402
from PyQt6.QtTest import QTest  # noqa: E402
from PyQt6.QtWidgets import QApplication, QPlainTextEdit, QSplitter  # noqa: E402

from ez_debugger.qt import DebuggerPanel, DebugSession, Launch, PlainTextAdapter  # noqa: E402

#: Nothing takes so long; a test that waits for something that does not come ends then.
LONG_MS = 20_000


class Window(QSplitter):
    """An editor with the panels beside it, and what a user does with them."""

    def __init__(self, qtbot, folder, while_typing=False):
        super().__init__()
        self.qtbot = qtbot
        self.folder = folder
        self.session = DebugSession(project.EZ)
        self.panel = DebuggerPanel(self.session, window=self)
        self.editor = QPlainTextEdit()
        self.editor.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.adapter = PlainTextAdapter(self.editor, open_file=self.open)
        self.panel.attach_editor(self.adapter, while_typing)
        self.addWidget(self.editor)
        self.addWidget(self.panel)
        self.resize(1100, 750)
        self.file = ""
        self.last_words = []
        self.session.server_died.connect(self.last_words.append)

    def open(self, file):
        self.editor.setPlainText(Path(file).read_text(encoding="utf-8"))
        self.adapter.set_file(file)

    def program(self, text, name="p.ez", **options):
        """Writes a program and opens it."""
        path = self.folder / name
        path.write_text(f"import @std\nusing std\n{text}", encoding="utf-8")
        return self.use(str(path), **options)

    def use(self, file, **options):
        self.file = file
        self.panel.launch = Launch(file=file, **options)
        self.adapter.show_place(file, 1)
        return file

    def until(self, condition):
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=LONG_MS)

    def until_stop(self, line=None):
        """Waits for a stop, and for all answers to what the panels ask there."""
        self.until(lambda: self.session.state.stop is not None and not self.session.is_moving)
        self.settle()
        if line is not None:
            assert self.session.state.stop.location.line == line
        return self.session.state.stop

    def step(self):
        """The step at which the program is stopped, 0 while it runs."""
        stop = self.session.state.stop
        return stop.step if stop is not None else 0

    def until_end(self):
        self.until(lambda: self.session.state.status in ("none", "exited") and self.session.process_id == 0)
        self.until(lambda: self.panel.console.output.is_settled)

    def settle(self):
        """Waits until the server has answered everything, and the panels show it."""
        done = []
        QTest.qWait(40)
        if self.session.send("getThreads", done.append):
            self.until(lambda: done)
        QTest.qWait(10)
        done.clear()
        if self.session.send("getThreads", done.append):
            self.until(lambda: done)
        self.until(lambda: self.panel.console.output.is_settled)

    def press(self, name):
        """A key of an action, wherever the focus is."""
        keys = self.panel.actions_of_debugger.by_name[name].shortcut()[0]
        QTest.keyClick(self, keys.key(), keys.keyboardModifiers())

    def press_keys(self, keys):
        """Keys by their names, such as Shift+F9."""
        pressed = QKeySequence(keys)[0]
        QTest.keyClick(self, pressed.key(), pressed.keyboardModifiers())

    def click(self, name):
        button = self.panel.tool_bar.button(name)
        self.until(lambda: button.isEnabled() and button.isVisible())
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def click_margin(self, line):
        margin = self.adapter.margin
        self.adapter.show_place(self.file, line)
        QTest.mouseClick(margin, Qt.MouseButton.LeftButton, pos=margin.place_of(line).toPoint())

    def enabled(self):
        return {name for name, action in self.panel.actions_of_debugger.by_name.items() if action.isEnabled()}

    def output(self):
        return self.panel.console.output.toPlainText()

    def row(self, *names, view=None):
        """The index of a row of the variables, by the names from the top; opens what is above it."""
        view = view or self.panel.variables.view
        model = view.values
        index = model.index(-1, 0)
        for name in names:
            if index.isValid() and not view.isExpanded(index):
                view.expand(index)
            found = []

            def look(parent=index, name=name):
                found[:] = [model.index(row, 0, parent) for row in range(model.rowCount(parent))
                            if model.index(row, 0, parent).data() == name]
                return found

            self.until(look)
            index = found[0]
        return index

    def value(self, *names, view=None):
        index = self.row(*names, view=view)
        return index.siblingAtColumn(1).data()


class Turns:
    """Measures how much processor time each turn of the event loop takes."""

    def __init__(self):
        self.longest = 0.0
        self.count = 0
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)

    def __enter__(self):
        self._last = time.thread_time()
        self._timer.start(0)
        return self

    def __exit__(self, *_):
        self._timer.stop()

    def _tick(self):
        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self.count += 1
        self._last = now


@pytest.fixture(params=[False])
def window(request, qtbot, tmp_path):
    """A parameter says whether errors are reported while one types."""
    made = Window(qtbot, tmp_path, request.param)
    made.show()
    made.activateWindow()
    QApplication.processEvents()
    yield made
    made.panel.close()
    made.close()


@pytest.fixture
def turns():
    return Turns()


@pytest.fixture
def measure(record_property, capsys):
    """Says what was measured: `pytest -s` shows it."""

    def say(what, value):
        record_property(what, value)
        with capsys.disabled():
            print(f"\n    {what}: {value}")

    return say
