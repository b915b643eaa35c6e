"""The real EZ IDE with the panels in it, if `EZ_IDE` names its folder."""

import gc
import importlib
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import project
import pytest
from ez_debugger.qt import DebuggerPanel
from PyQt6.QtCore import QEvent, QProcess, Qt
from PyQt6.QtGui import QColor, QFontInfo
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QStyle, QStyleOptionFrame

IDE = os.environ.get("EZ_IDE")
EXAMPLES = project.ROOT / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.ez")) + ["project/main.ez"]
LONG_MS = 60_000
# The interpreter of the environment that .ci/mcp makes.
AGENT = project.ROOT / "target/mcp/bin/python"

needs_the_ide = pytest.mark.skipif(not IDE, reason="EZ_IDE does not name the folder of the EZ IDE")


def run_module(*arguments, **environment):
    command = [sys.executable, "-m", "ez_debugger.ez_ide", *arguments]
    env = {**os.environ, "PYTHONPATH": str(project.ROOT / "python"), "QT_QPA_PLATFORM": "offscreen", **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)


class TestIsAnotherFolder:
    def test_a_folder_without_an_ide(self, tmp_path):
        run = run_module(str(tmp_path), "--ez", project.EZ)
        assert run.returncode == 1
        assert run.stderr == (f"{tmp_path} has no app/main_window.py, so it is not version 1.0.0 of the EZ IDE "
                              "(PyQt6).\n")

    def test_another_version(self, tmp_path):
        (tmp_path / "app").mkdir()
        (tmp_path / "app" / "main_window.py").write_text("class EZIDEMainWindow:\n    pass\n")
        run = run_module(EZ_IDE=str(tmp_path))
        assert run.returncode == 1
        assert run.stderr == (f"{tmp_path} is not version 1.0.0 of the EZ IDE (PyQt6): app/main_window.py has no "
                              "'GoDebugSession'.\n")


@needs_the_ide
@pytest.mark.parametrize("ez", ["/nope/ez", str(project.ROOT)])
def test_what_is_no_program(ez):
    run = run_module(IDE, "--ez", ez)
    assert run.returncode == 1
    assert run.stderr == f"{ez} is not a program that can be run: --ez names the program ez of ez-debugger.\n"


@pytest.fixture
def exceptions(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "excepthook", lambda *what: seen.append(what))
    yield seen
    assert not seen


def use_style(text):
    """Gives the application a style sheet. Windows of tests before must not be collected while Qt goes through all."""
    gc.collect()
    gc.disable()
    QApplication.instance().setStyleSheet(text)
    gc.enable()


@pytest.fixture
def make_ide(qtbot, tmp_path, monkeypatch, exceptions):
    """Makes windows of the IDE as its main.py does, with settings of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path))
    made = []

    def make(theme="dark", prepare=None):
        if prepare is None:
            from ez_debugger.ez_ide.replace import replace_debugger

            module = replace_debugger(IDE, project.EZ)
        else:
            module = prepare()
        settings = importlib.import_module("app.settings").SettingsManager()
        settings.settings.theme.current_theme = theme
        themes = importlib.import_module("app.themes").ThemeManager(settings)
        use_style(themes.get_current_stylesheet())
        window = module.EZIDEMainWindow(settings, themes)
        window.show()
        made.append(window)
        return window

    yield make
    for window in made:
        window.debug_session.stop()
        if isinstance(window.debug_panel, DebuggerPanel):
            window.debug_panel.session.close()
        for editor in window.editor_tabs.editors.values():
            editor.document().setModified(False)
        window.close()
        # Each style sheet is applied to all windows that there are.
        window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    use_style("")
    for name in [name for name in sys.modules if name == "app" or name.startswith("app.")]:
        del sys.modules[name]


class Ide:
    """What a user does."""

    def __init__(self, qtbot, window):
        self.qtbot = qtbot
        self.window = window
        self.panel = window.debug_panel
        self.session = self.panel.session

    def until(self, condition):
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=LONG_MS)

    def open(self, file):
        self.window.file_browser.navigate_to(str(EXAMPLES))
        self.window.editor_tabs.open_file(str(file))
        self.file = str(file)
        QTest.qWait(20)

    def margin(self, file=None):
        return self.panel._link.editor.adapter(file or self.file).margin

    def click_margin(self, line):
        editor = self.window.editor_tabs.get_current_editor()
        editor.verticalScrollBar().setValue(max(0, line - 5))
        QTest.qWait(5)
        QTest.mouseClick(self.margin(), Qt.MouseButton.LeftButton, pos=self.margin().place_of(line).toPoint())

    def settle(self):
        for _ in range(2):
            done = []
            QTest.qWait(20)
            if self.session.send("getThreads", done.append):
                self.until(lambda: done)

    def answer_questions_until(self, condition):
        console = self.panel.console
        self.until(lambda: console.input_row.isVisible() or condition())
        while not condition():
            QTest.keyClicks(console.input, "5")
            QTest.keyClick(console.input, Qt.Key.Key_Return)
            self.until(lambda: not console.input_row.isVisible())
            self.until(lambda: console.input_row.isVisible() or condition())

    def until_stop(self):
        self.answer_questions_until(lambda: self.session.state.stop is not None and not self.session.is_moving)
        self.settle()
        return self.session.state.stop


def last_statement(file):
    """A line in `main` that is reached."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("do main()"))
    return start + 2


@needs_the_ide
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_session_in_the_ide(qtbot, make_ide, name):
    ide = Ide(qtbot, make_ide())
    window, panel = ide.window, ide.panel
    file = EXAMPLES / name
    ide.open(file)
    line = last_statement(file)
    ide.click_margin(line)
    assert [(one.file, one.line) for one in panel.store.breakpoints] == [(str(file), line)]
    window.debug_start_action.trigger()
    stop = ide.until_stop()
    assert stop.reason == "breakpoint" and stop.location.file == str(file)
    assert not window.debug_start_action.isEnabled() and window.debug_stop_action.isEnabled()
    window.debug_step_action.trigger()
    after = ide.until_stop()
    assert after.step > stop.step
    assert panel._link.editor.adapter(after.location.file).overlay.line == after.location.line
    panel.actions_of_debugger.by_name["back"].trigger()
    assert ide.until_stop().past
    panel.actions_of_debugger.by_name["present"].trigger()
    assert not ide.until_stop().past
    panel.console.evaluate("1 + 2")
    ide.until(lambda: panel.console.output.toPlainText().endswith("› 1 + 2\n3\n"))
    edit_a_variable(ide)
    panel.actions_of_debugger.by_name["continue"].trigger()
    ide.until(lambda: not ide.session.is_moving or panel.console.input_row.isVisible())
    if ide.session.state.is_live:
        window.debug_stop_action.trigger()
    ide.until(lambda: ide.session.process_id == 0)
    assert window.debug_start_action.isEnabled() and not window.debug_stop_action.isEnabled()
    assert not window.debug_step_action.isEnabled()
    assert window.editor_tabs.get_editor_for_file(str(file)).toPlainText() == file.read_text(encoding="utf-8")


def edit_a_variable(ide):
    """The first number, text or truth that can be changed, gets the value that it has."""
    model = ide.panel.variables.view.values
    for group in range(model.rowCount()):
        parent = model.index(group, 0)
        for row in range(model.rowCount(parent)):
            index = model.index(row, 1, parent)
            if model.flags(index) & Qt.ItemFlag.ItemIsEditable and index.data(Qt.ItemDataRole.EditRole):
                refused = []
                model.refused.connect(lambda _, message, refused=refused: refused.append(message))
                answers = []
                ide.session.event_received.connect(
                    lambda event, answers=answers: answers.append(event) if event.event == "variableSet" else None)
                assert model.setData(index, index.data(Qt.ItemDataRole.EditRole))
                ide.until(lambda: answers or refused)
                assert not refused
                return


@needs_the_ide
def test_the_keys_of_the_ide(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    window = ide.window
    ide.open(EXAMPLES / "bubble_sort.ez")
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert ide.until_stop().reason == "entry"
    QTest.keyClick(window, Qt.Key.Key_F10)
    first = ide.until_stop()
    QTest.keyClick(window, Qt.Key.Key_F11)
    assert ide.until_stop().step > first.step
    QTest.keyClick(window, Qt.Key.Key_F11, Qt.KeyboardModifier.ShiftModifier)
    ide.until_stop()
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert ide.until_stop().reason == "end"
    QTest.keyClick(window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    ide.until(lambda: ide.session.process_id == 0)
    QTest.keyClick(window, Qt.Key.Key_F5)
    ide.until_stop()


@needs_the_ide
def test_steps_of_the_ide_that_come_too_early_do_not_end_the_session(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    ide.open(EXAMPLES / "guess.ez")
    ide.window._debug_start()
    for _ in range(5):
        ide.window._debug_step()
    ide.until_stop()
    for _ in range(5):
        ide.window._debug_step()
    assert ide.window.debug_session.is_running
    ide.until_stop()


@needs_the_ide
def test_the_program_runs_in_the_folder_of_the_file_browser(qtbot, make_ide, tmp_path):
    inner = tmp_path / "work" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "work" / "data.txt").write_text("here")
    program = inner / "p.ez"
    program.write_text('import @std, @io\nusing std\n\ndo main() {\n    println(io.exists("data.txt"))\n}\n')
    ide = Ide(qtbot, make_ide())
    ide.window.file_browser.navigate_to(str(tmp_path / "work"))
    ide.window.editor_tabs.open_file(str(program))
    ide.window._debug_start()
    ide.until_stop()
    ide.panel.actions_of_debugger.by_name["over"].trigger()
    ide.until_stop()
    ide.until(lambda: ide.panel.console.output.toPlainText() == "true\n")


@needs_the_ide
@pytest.mark.parametrize("theme", ["dark", "light", "solarized_light", "dracula"])
def test_the_theme_of_the_ide_is_followed(qtbot, make_ide, theme):
    ide = Ide(qtbot, make_ide("dark"))
    names = ide.window.theme_manager.get_available_themes()
    wanted = next(name for name in names if name.lower().replace(" ", "_").replace("-", "_") == theme)
    ide.open(EXAMPLES / "hello.ez")
    ide.window.debug_panel.show()
    ide.window._set_theme(wanted)
    QTest.qWait(20)
    colors = ide.window.theme_manager.get_current_theme()
    output = ide.panel.console.output
    assert output.palette().text().color().name() == colors.foreground.lower()
    from ez_debugger.qt.colors import is_dark

    assert is_dark(ide.panel.variables.view.palette()) == colors.is_dark


@needs_the_ide
def test_files_that_are_saved_under_another_name_keep_their_margin(qtbot, make_ide, tmp_path, monkeypatch):
    ide = Ide(qtbot, make_ide())
    window = ide.window
    window.editor_tabs.new_file("import @std\nusing std\n\ndo main() {\n    println(1)\n}\n")
    saved = str(tmp_path / "saved.ez")
    dialogs = importlib.import_module("app.editor").QFileDialog
    monkeypatch.setattr(dialogs, "getSaveFileName", lambda *_: (saved, ""))
    window.editor_tabs.save_current()
    ide.file = saved
    ide.click_margin(5)
    assert [(one.file, one.line) for one in ide.panel.store.breakpoints] == [(saved, 5)]
    window.editor_tabs.close_tab(0)
    assert ide.panel._link.editor.adapter(saved) is None


@needs_the_ide
def test_a_killed_server_leaves_the_ide_ready(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    ide.open(EXAMPLES / "primes.ez")
    ide.window._debug_start()
    ide.until_stop()
    os.kill(ide.session.process_id, 9)
    ide.until(lambda: ide.panel.notices.message.isVisible())
    assert ide.window.debug_start_action.isEnabled() and not ide.window.debug_session.is_running
    ide.panel.notices.message.start.click()
    ide.until_stop()
    assert not ide.window.debug_start_action.isEnabled() and ide.window.debug_stop_action.isEnabled()


@needs_the_ide
def test_the_two_lines_of_the_guide_make_the_ides_own_panel_step(qtbot, make_ide):
    """docs/ide.md says which lines of the IDE's own session its maintainers would add."""
    guide = (project.ROOT / "docs" / "ide.md").read_text(encoding="utf-8")
    added = guide.split("after two lines have been added")[1].split("```python\n")[1].split("```")[0].splitlines()

    def mended():
        if IDE not in sys.path:
            sys.path.insert(0, IDE)
        module = importlib.import_module("app.main_window")
        path = Path(IDE, "app", "go_debug_session.py")
        lines = path.read_text(encoding="utf-8").splitlines()
        last_signal = max(number for number, line in enumerate(lines) if "= pyqtSignal(" in line)
        step = next(number for number, line in enumerate(lines) if "'stepInto'" in line)
        lines.insert(step + 1, added[1])
        lines.insert(last_signal + 1, added[0])
        source = "\n".join(lines)
        namespace = importlib.import_module("app.go_debug_session").__dict__
        exec(compile(source, str(path), "exec"), namespace)
        module.GoDebugSession = namespace["GoDebugSession"]
        return module

    os.environ["PATH"] = str(Path(project.EZ).parent) + os.pathsep + os.environ["PATH"]
    window = make_ide(prepare=mended)
    assert window.debugger_capabilities.type == "native"
    window.editor_tabs.open_file(str(EXAMPLES / "bubble_sort.ez"))
    lines = []
    window.debug_session.line_changed.connect(lines.append)
    window._debug_start()
    qtbot.waitUntil(lambda: lines == [21], timeout=LONG_MS)
    for count in (2, 3, 4):
        window._debug_step()
        qtbot.waitUntil(lambda count=count: len(lines) == count, timeout=LONG_MS)
    assert lines == [21, 22, 6, 7]
    window._debug_stop()
    assert window.debug_session.process is None or window.debug_session.process.state() == QProcess.ProcessState.NotRunning


@needs_the_ide
def test_the_command_starts_the_ide(tmp_path):
    """Its main.py runs as it is; the window is looked at, and closed, when the event loop would begin."""
    script = tmp_path / "start.py"
    script.write_text(f"""
import sys
from PyQt6.QtWidgets import QApplication

def look(*_):
    window, = [one for one in QApplication.topLevelWidgets() if type(one).__name__ == "EZIDEMainWindow"]
    print(type(window.debug_panel).__mro__[1].__name__, type(window.debug_session).__name__, window.isVisible())
    QApplication.processEvents()
    window.close()
    return 0

QApplication.exec = look
sys.argv = ["ez_ide", {IDE!r}, "--ez", {project.EZ!r}]
from ez_debugger.ez_ide.__main__ import main
main()
""")
    env = {**os.environ, "PYTHONPATH": str(project.ROOT / "python"), "HOME": str(tmp_path), "APPDATA": str(tmp_path)}
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, env=env)
    assert (run.returncode, run.stdout) == (0, "IdePanel IdeSession True\n"), run.stderr


@needs_the_ide
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_what_is_drawn_in_the_ide_can_be_read(qtbot, make_ide, theme):
    from ez_debugger.qt.colors import contrast

    ide = Ide(qtbot, make_ide(theme))
    ide.open(EXAMPLES / "bubble_sort.ez")
    ide.click_margin(13)
    ide.window._debug_start()
    ide.until_stop()
    panel = ide.panel
    widgets = (panel.variables.view, panel.calls.list, panel.breakpoints.list, panel.console.output,
               panel.console.prompt, panel.status)
    for widget in widgets:
        palette = widget.palette()
        ground = palette.window() if widget is panel.status else palette.base()
        assert contrast(palette.text().color(), ground.color()) >= 4.5
    style = panel.styleSheet()
    chosen = re.search(r"item:selected \{ color: (#\w+); background-color: (#\w+);", style)
    assert contrast(QColor(chosen[1]), QColor(chosen[2])) >= 4.5
    faint = re.search("placeholder-text-color: (#[0-9a-f]+)", style)
    assert contrast(QColor(faint[1]), panel.console.prompt.palette().base().color()) >= 4.5
    image = panel.calls.list.grab().toImage()
    row = panel.calls.list.visualItemRect(panel.calls.list.topLevelItem(0))
    drawn = {image.pixelColor(x, row.center().y() + panel.calls.list.viewport().y()).name() for x in range(5, 150)}
    assert chosen[2] in drawn, "the selected row"


@needs_the_ide
def test_the_console_has_letters_of_one_width_and_follows_the_editor(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    ide.open(EXAMPLES / "bubble_sort.ez")
    ide.window.debug_panel.show()
    editor = ide.window.editor_tabs.get_current_editor()
    console = ide.panel.console
    widgets = (console.output, console.input, console.prompt)

    def sizes():
        return {QFontInfo(widget.font()).pointSizeF() for widget in widgets}

    assert all(QFontInfo(widget.font()).fixedPitch() for widget in widgets)
    assert sizes() == {QFontInfo(editor.font()).pointSizeF()}
    # The IDE's own zooming changes nothing: its style sheet is stronger.
    for zoom in (ide.window._zoom_in, ide.window._zoom_out, ide.window._zoom_reset):
        zoom()
        QTest.qWait(1)
        ide.until(lambda: sizes() == {QFontInfo(editor.font()).pointSizeF()})
    ide.window.settings.settings.editor.font_size += 3
    editor.refresh_settings()
    ide.until(lambda: sizes() == {QFontInfo(editor.font()).pointSizeF()} == {15})
    ide.window._set_theme("light")
    QTest.qWait(20)
    assert all(QFontInfo(widget.font()).fixedPitch() for widget in widgets)
    assert len(sizes()) == 1


@needs_the_ide
@pytest.mark.parametrize(("width", "height"), [(800, 600), (1024, 600), (1280, 800)])
def test_everything_can_be_reached_in_a_small_window(qtbot, make_ide, width, height):
    ide = Ide(qtbot, make_ide())
    window, panel = ide.window, ide.panel
    window.resize(width, height)
    ide.open(EXAMPLES / "guess.ez")
    window._debug_start()
    ide.until(lambda: ide.session.state.stop is not None)
    ide.settle()
    panel.actions_of_debugger.by_name["continue"].trigger()
    ide.until(panel.console.input_row.isVisible)
    QTest.qWait(20)
    assert (window.width(), window.height()) == (width, height), "no larger than the screen"
    assert panel.width() <= 0.4 * width
    bar = panel.tool_bar
    inside = panel.rect().adjusted(0, 0, 1, 1)
    pages = (panel.variables, panel.watches, panel.calls, panel.breakpoints, panel.console)
    for page in pages:
        panel.pages.show_page(page)
        QTest.qWait(1)
        assert page.isVisible() and page.height() >= 80
        assert inside.contains(page.rect().translated(page.mapTo(panel, page.rect().topLeft())))
    for widget in (panel.console.prompt, panel.console.input, panel.console.end_button, panel.time_bar.slider, bar):
        assert widget.isVisible() and widget.height() >= 14
        assert inside.contains(widget.rect().translated(widget.mapTo(panel, widget.rect().topLeft())))
    for tabs in panel.pages.groups:
        names = tabs.tabBar()
        if tabs.isVisible():
            assert names.tabRect(names.count() - 1).right() <= names.width()
    buttons = [bar.button(name) for name in ("pause", "over", "stop")]
    assert all(button.isVisible() and button.geometry().right() <= bar.width() for button in buttons)


@needs_the_ide
def test_a_window_that_becomes_smaller_leaves_the_editor_its_part(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    ide.window.resize(1280, 800)
    ide.window.debug_panel.show()
    QTest.qWait(20)
    assert ide.panel.width() == pytest.approx(430, abs=3)
    assert len([tabs for tabs in ide.panel.pages.groups if tabs.isVisible()]) == 3
    ide.window.resize(800, 600)
    QTest.qWait(20)
    assert ide.panel.width() <= 320
    assert len([tabs for tabs in ide.panel.pages.groups if tabs.isVisible()]) == 2
    ide.window.resize(1280, 800)
    QTest.qWait(20)
    assert len([tabs for tabs in ide.panel.pages.groups if tabs.isVisible()]) == 3


@needs_the_ide
def test_the_field_that_edits_a_value_shows_whole_letters(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    ide.open(EXAMPLES / "bubble_sort.ez")
    ide.click_margin(13)
    ide.window._debug_start()
    ide.until_stop()
    view = ide.panel.variables.view
    group = view.values.index(1, 0)
    view.edit(view.values.index(0, 1, group))
    field = view.delegate.field
    assert field is not None
    option = QStyleOptionFrame()
    field.initStyleOption(option)
    inner = field.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, field)
    assert inner.height() >= field.fontMetrics().height()


@needs_the_ide
def test_the_keys_of_the_tool_tips_in_the_ide(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    for name, key in (("start", "F5"), ("over", "F10"), ("stop", "Shift+F5"), ("into", "F11")):
        assert f"({key})" in ide.panel.tool_bar.button(name).toolTip()


@needs_the_ide
def test_f5_after_stop_in_the_ide(qtbot, make_ide, tmp_path):
    file = tmp_path / "endless.ez"
    file.write_text('import @std\nusing std\n\ndo main() {\n    loop {\n        println("again")\n    }\n}\n')
    ide = Ide(qtbot, make_ide())
    window = ide.window
    ide.open(file)
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_F5)
    ide.until_stop()
    for _ in range(3):
        first = ide.session.process_id
        QTest.keyClick(window, Qt.Key.Key_F5)
        ide.until(lambda: ide.session.state.status == "running")
        assert ide.panel.status.text() == "Running" and ide.panel.tool_bar.button("pause").isEnabled()
        QTest.keyClick(window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClick(window, Qt.Key.Key_F5)
        ide.until_stop()
        assert ide.session.process_id not in (0, first)
    assert not window.debug_start_action.isEnabled() and window.debug_stop_action.isEnabled()
    assert ide.panel.console.output.toPlainText() == ""


@needs_the_ide
def test_each_press_of_f10_is_a_step_in_the_ide(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    ide.open(EXAMPLES / "bubble_sort.ez")
    ide.window.activateWindow()
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    ide.until_stop()
    QTest.keyClick(ide.window, Qt.Key.Key_F11)
    QTest.keyClick(ide.window, Qt.Key.Key_F11)
    first = ide.until_stop()
    seen = []
    ide.session.stopped.connect(lambda stop: seen.append(stop.step))
    for _ in range(10):
        QTest.keyClick(ide.window, Qt.Key.Key_F10)
    ide.until(lambda: len(seen) == 10)
    ide.settle()
    assert len(seen) == 10 and seen == sorted(set(seen)) and seen[0] > first.step


@needs_the_ide
def test_keys_that_are_pressed_in_a_long_step_count_without_the_panel_too(qtbot, make_ide, tmp_path):
    ide = Ide(qtbot, make_ide())
    file, gate = tmp_path / "p.ez", tmp_path / "gate"
    wait = f"    as_long_as !io.exists({json.dumps(str(gate))}) {{ sleep_milliseconds(5) }}\n"
    file.write_text(f"import @std, @io\nusing std\ndo wait() {{\n{wait}}}\ndo main() {{\n    wait()\n    wait()\n    wait()\n"
                    "    wait()\n}\n", encoding="utf-8")
    ide.open(file)
    ide.window.activateWindow()
    ide.window.debug_start_action.trigger()
    assert ide.until_stop().location.line == 7
    ide.panel.hide()
    QTest.keyClick(ide.window, Qt.Key.Key_F10)
    ide.until(lambda: ide.session.state.status == "running")
    QTest.keyClick(ide.window, Qt.Key.Key_F10)
    QTest.keyClick(ide.window, Qt.Key.Key_F10)
    gate.touch()
    ide.until(lambda: ide.session.state.stop and ide.session.state.stop.location.line == 10)
    assert ide.until_stop().location.line == 10
    gate.unlink()
    QTest.keyClick(ide.window, Qt.Key.Key_F10)
    assert ide.session.is_moving
    QTest.keyClick(ide.window, Qt.Key.Key_F6)
    assert ide.until_stop().reason == "pause"


@needs_the_ide
def test_errors_are_reported_and_names_offered_while_one_types(qtbot, make_ide, tmp_path):
    ide = Ide(qtbot, make_ide())
    (tmp_path / "shapes.ez").write_text("module shapes\n\nconst Point struct {\n    x int\n}\n", encoding="utf-8")
    file = tmp_path / "main.ez"
    file.write_text('import @std\nimport "./shapes"\nusing std\n\ndo main() {\n}\n', encoding="utf-8")
    ide.open(file)
    editor = ide.window.editor_tabs.get_current_editor()
    editor.setFocus()
    cursor = editor.textCursor()
    cursor.setPosition(editor.document().findBlockByNumber(4).position() + len("do main() {"))
    editor.setTextCursor(cursor)
    completion = ide.panel._link.editor.adapter(str(file)).completion
    popup = completion.completer.popup()

    def press(*keys):
        for one in keys:
            for key in one if isinstance(one, str) else [one]:
                target = popup if popup.isVisible() else editor
                (QTest.keyClicks if isinstance(key, str) else QTest.keyClick)(target, key)
                QApplication.processEvents()

    # The IDE indents the line, and closes brackets.
    press(Qt.Key.Key_Return, "temp p shapes.")
    ide.until(lambda: completion.is_open and [one.label for one in completion._offers] == ["Point"])
    press(Qt.Key.Key_Tab, " = ", "shapes.Point{", "x: 1", Qt.Key.Key_End, Qt.Key.Key_Return, "printl")
    ide.until(lambda: completion.is_open)
    press(Qt.Key.Key_Tab, "(", "q")
    ide.until(lambda: [one.code for one in ide.panel.problems.problems] == ["E4001"])
    press(Qt.Key.Key_Backspace, "p")
    ide.until(lambda: not ide.panel.problems.problems)
    expected = "do main() {\n    temp p shapes.Point = shapes.Point{x: 1}\n    println(p)\n}\n"
    assert editor.toPlainText().endswith(expected)
    # A file that is closed has what is on the disk.
    (tmp_path / "shapes.ez").write_text("module shapes\n\nconst Point struct {\n    x in\n}\n", encoding="utf-8")
    ide.window.editor_tabs.open_file(str(tmp_path / "shapes.ez"))
    ide.until(lambda: any(one.file.endswith("shapes.ez") for one in ide.panel.problems.problems))


@needs_the_ide
@pytest.mark.skipif(not AGENT.exists(), reason=".ci/mcp has not installed the client of the Model Context Protocol")
def test_an_agent_sets_a_breakpoint_in_the_ide_and_is_told_that_the_person_disables_it(qtbot, make_ide):
    ide = Ide(qtbot, make_ide())
    file = EXAMPLES / "bubble_sort.ez"
    ide.open(file)
    ide.window.activateWindow()
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    ide.until_stop()
    ide.panel.share_action.trigger()
    ide.panel.sharing.share_button.click()
    ide.until(lambda: ide.panel.sharing.commands["participant"].text())
    _, _, _, address, _, token = ide.panel.sharing.commands["participant"].text().split()
    agent = subprocess.Popen(
        [AGENT, project.ROOT / "testdata/mcp/joins.py", project.EZ, file.parent, address, token, file, "13", "i == 1"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        shown = ide.panel.breakpoints.list
        ide.until(lambda: shown.topLevelItemCount() == 1)
        item = shown.topLevelItem(0)
        assert (item.text(0), item.text(2)) == ("bubble_sort.ez:13, set by agent", "i == 1")
        item.setCheckState(0, Qt.CheckState.Unchecked)
        ide.until(lambda: not shown.topLevelItem(0).checkState(0) == Qt.CheckState.Checked)
        told = []
        reader = threading.Thread(target=lambda: told.append(agent.communicate("go on\n", timeout=60)[0]))
        reader.start()
        ide.until(lambda: told)
        assert agent.returncode == 0
        assert told[0].splitlines() == ["set", "owner changed breakpoint 1 at bubble_sort.ez:13 if i == 1, disabled."]
        ide.until(lambda: not ide.panel.sharing.guests)
    finally:
        agent.kill()
