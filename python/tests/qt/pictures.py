"""Makes the pictures of docs/ide.md: pictures.py FOLDER_OF_THE_IDE FOLDER_FOR_PICTURES"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import project
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from ez_debugger.ez_ide.replace import replace_debugger


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit("nothing happens")
        QTest.qWait(10)


class Pictures:
    """The IDE, with a session in it."""

    def __init__(self, ide, folder, work):
        self.folder = folder
        self.work = work
        self.module = replace_debugger(ide, project.EZ)
        self.app = QApplication(sys.argv)
        self.window = None

    def open(self, theme, name):
        """The IDE with a program in a theme."""
        # Nothing is remembered of the picture before.
        home = self.work / f"{theme} {name}"
        home.mkdir()
        os.environ["HOME"] = os.environ["APPDATA"] = str(home)
        from app.settings import SettingsManager
        from app.themes import ThemeManager

        settings = SettingsManager()
        # What the window before has left.
        (Path(settings.config_dir) / "ez-debugger.json").unlink(missing_ok=True)
        settings.settings.theme.current_theme = theme
        settings.settings.terminal.visible = False
        settings.settings.editor.font_family = "DejaVu Sans Mono"
        themes = ThemeManager(settings)
        self.app.setStyleSheet(themes.get_current_stylesheet())
        self.window = self.module.EZIDEMainWindow(settings, themes)
        self.window.resize(1280, 800)
        self.window.show()
        file = self.work / "examples" / name
        self.window.file_browser.navigate_to(str(file.parent))
        self.window.editor_tabs.open_file(str(file))
        QTest.qWait(100)
        self.panel = self.window.debug_panel
        self.adapter = self.panel._link.editor.adapter(str(file))

    def click_margin(self, line):
        margin = self.adapter.margin
        QTest.mouseClick(margin, Qt.MouseButton.LeftButton, pos=margin.place_of(line).toPoint())

    def act(self, name):
        """Does something and waits for the stop after it."""
        self.panel.actions_of_debugger.by_name[name].trigger()
        self.until_stop()

    def until_stop(self):
        session = self.panel.session
        until(lambda: session.state.stop is not None and not session.is_moving)
        QTest.qWait(300)

    def save(self, name):
        # Not where it happens to be on this machine.
        self.window.file_browser.path_bar.setText("~/course/examples")
        QTest.qWait(200)
        path = self.folder / f"{name}.png"
        if not self.window.grab().save(str(path)):
            sys.exit(f"cannot write {path}")
        print(path)

    def close(self):
        self.panel.session.close()
        self.window.close()


def expand(view, *names):
    model, index = view.values, view.values.index(-1, 0)
    for name in names:
        view.expand(index) if index.isValid() else None
        found = []
        until(lambda: found.extend(model.index(row, 0, index) for row in range(model.rowCount(index))
                                   if model.index(row, 0, index).data() == name) or found)
        index = found[0]
    view.expand(index)


def main():
    ide, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(project.ROOT / "examples", Path(work) / "examples", ignore=shutil.ignore_patterns("*.py", "*.rs",
                                                                                                         "*.sh"))
        pictures = Pictures(ide, folder, Path(work))

        pictures.open("dark", "bubble_sort.ez")
        pictures.click_margin(13)
        pictures.window.debug_start_action.trigger()
        pictures.until_stop()
        expand(pictures.panel.variables.view, "Arguments", "list")
        pictures.act("over")
        pictures.panel.console.evaluate("list[0] + list[1]")
        pictures.save("ide-stopped")
        pictures.close()

        pictures.open("light", "bubble_sort.ez")
        pictures.click_margin(13)
        pictures.panel.store.change(pictures.panel.store.breakpoints[0], condition="i == 3")
        pictures.click_margin(23)
        pictures.window.debug_start_action.trigger()
        pictures.until_stop()
        pictures.act("continue")
        pictures.act("over")
        pictures.act("reverse")
        pictures.act("reverse")
        pictures.panel.watches.add("list[i] > list[i + 1]")
        pictures.panel.watches.add("list[i + 1]")
        pictures.panel.pages.show_page(pictures.panel.breakpoints)
        pictures.panel.pages.show_page(pictures.panel.watches)
        pictures.save("ide-past")
        pictures.close()

        pictures.open("dark", "average.ez")
        panel = pictures.panel.cases
        pictures.panel.show()
        pictures.panel.pages.show_page(panel)
        until(lambda: panel.list.topLevelItemCount() == 1 and not panel.runner.is_running)
        panel.run_button.click()
        until(lambda: panel.summary.text() == "0 of 1 passed")
        panel.list.itemActivated.emit(panel.list.currentItem(), 0)
        until(lambda: pictures.panel.session.state.is_past)
        pictures.until_stop()
        pictures.save("ide-cases")
        pictures.close()


if __name__ == "__main__":
    main()
    # All is written. Python would take windows and application apart in any order, which Qt does not survive always.
    sys.stdout.flush()
    os._exit(0)
