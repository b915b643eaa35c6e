"""The session in the place of the IDE's own."""

from __future__ import annotations

import os
from typing import Any, List, Optional

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMenu

from ..qt.launch import Launch
from ..qt.remembered import Remembered
from ..qt.session import DebugSession
from .editors import TabsAdapter
from .panel import IdePanel

#: What the panels add to the IDE's Debug menu.
_MENU = ("continue", "pause", "into", "into_call", "out", None, "back", "back_over", "back_out", "reverse", "present",
         None, "here", "restart")

#: Actions whose keys belong to the IDE's own actions.
_KEYS_OF_THE_IDE = ("start", "over", "stop")

#: How the IDE begins what its status bar says of a program.
_DEBUGGING = "Debugging: "


class IdeSession(QObject):
    """What the IDE's window asks of a debug session, done by that of the panel.

    It is the last thing that the window makes, so it also connects panel, editors, menu and keys.
    """

    line_changed = pyqtSignal(int)
    variable_updated = pyqtSignal(str, str)
    output_received = pyqtSignal(str)
    error_received = pyqtSignal(str)
    session_started = pyqtSignal()
    session_ended = pyqtSignal()
    ready_for_step = pyqtSignal()

    def __init__(self, settings_manager: Any, parent: Any = None) -> None:
        """`parent`: the IDE's window."""
        super().__init__(parent)
        self.settings_manager = settings_manager
        self._window = parent
        self._panel: IdePanel = parent.debug_panel
        self._session: DebugSession = self._panel.session
        self._is_told = False
        self.filepath = ""
        self.working_dir = ""
        editors = TabsAdapter(parent.editor_tabs, self)
        self._panel.attach_editor(editors, while_typing=True)
        self._panel.before_start = editors.save_all
        self._session.stopped.connect(lambda _: self.ready_for_step.emit())
        self._session.state_changed.connect(self._on_state)
        self._session.server_died.connect(lambda _: self._panel.show())
        self._panel.cases.program = lambda: parent.editor_tabs.get_current_filepath() or ""
        parent.editor_tabs.current_file_changed.connect(lambda _: self._panel.cases.refresh())
        self._share_keys()
        self._fill_menu()
        self._remember(editors)
        parent.destroyed.connect(self._session.close)
        parent.destroyed.connect(self._panel.cases.close_processes)
        server = self._panel.language_server
        if server is not None:
            parent.destroyed.connect(server.close)

    @property
    def is_running(self) -> bool:
        """Whether there is a program that has not ended."""
        return self._session.state.is_live

    def supports_step(self) -> bool:
        """Always."""
        return True

    def start(self, filepath: str, working_dir: Optional[str] = None) -> bool:
        """Starts a file, in a working directory: the IDE gives that of its file browser."""
        self.filepath = filepath
        self.working_dir = working_dir or os.path.dirname(filepath)
        self._panel.launch = Launch(file=filepath, working_dir=self.working_dir)
        return self._panel.prepare_start() and self._session.start(self._panel.launch)

    def has_program(self) -> bool:
        """Whether the tab in front is an EZ program in a file: a text without one is saved under a name that is asked
        for. If there is none, a bar says what to do.
        """
        tabs = self._window.editor_tabs
        if tabs.get_current_editor() is not None and tabs.get_current_filepath() is None:
            tabs.save_current_as()
        file = tabs.get_current_filepath()
        if file is not None and file.endswith(".ez"):
            return True
        if file is not None:
            problem = f"{os.path.basename(file)} is not an EZ program: its name does not end in .ez"
        elif tabs.get_current_editor() is not None:
            problem = "The program is in no file yet: save it under a name that ends in .ez"
        else:
            problem = "No program is open"
        self._panel.show()
        self._panel.notices.message.show_problem(f"{problem}.")
        return False

    def step(self) -> bool:
        """Steps over; True, since the program is not over by that (the window ends the session otherwise)."""
        if "stepOver" in self._session.state.possible:
            self._panel.actions_of_debugger.steps.press("stepOver")
        return True

    def stop(self) -> None:
        """Ends the program."""
        self._session.stop()

    def _on_state(self) -> None:
        # Also when the panel starts the program again by itself.
        is_live = self._session.state.is_live
        if self._is_told != is_live:
            self._is_told = is_live
            self._show_in_status_bar(is_live)
            (self.session_started if is_live else self.session_ended).emit()
        self._enable_step()

    def _show_in_status_bar(self, is_live: bool) -> None:
        """The IDE writes there what is debugged, and leaves it there."""
        bar, launch = self._window.statusBar(), self._session.launch
        if is_live and launch is not None:
            bar.showMessage(f"{_DEBUGGING}{os.path.basename(launch.file)}")
        elif bar.currentMessage().startswith(_DEBUGGING):
            bar.clearMessage()

    def _enable_step(self) -> None:
        possible = self._session.state.possible
        self._window.debug_step_action.setEnabled("stepOver" in possible)
        if self._session.state.status == "ending":
            self._window.debug_start_action.setEnabled("start" in possible)
            self._window.debug_stop_action.setEnabled("terminate" in possible)

    def _remember(self, editors: TabsAdapter) -> None:
        """Beside the IDE's own settings."""
        path = os.path.join(str(self.settings_manager.config_dir), "ez-debugger.json")
        panel, browser = self._panel, self._window.file_browser
        remembered = Remembered(path, panel.store, panel.watches, editors, lambda: self.is_running, self._window)
        remembered.open_folder(browser.current_root or os.getcwd())
        browser.folder_changed.connect(remembered.open_folder)

    def _share_keys(self) -> None:
        """The IDE gives F5 to two of its actions, so that neither gets it: running without a debugger is Ctrl+F5."""
        window, actions = self._window, self._panel.actions_of_debugger
        f5 = QKeySequence("F5")
        for action in _actions_of_menus(window):
            if action is not window.debug_start_action and action.shortcut() == f5:
                action.setShortcut(QKeySequence("Ctrl+F5"))
        for action in window.findChildren(QAction):
            if action.toolTip() == "Run Current File (F5)":
                action.setToolTip("Run Current File (Ctrl+F5)")
        actions.without_keys(*_KEYS_OF_THE_IDE)
        window.addActions([*actions.by_name.values(), *actions.late_keys.values(), self._panel.toggle_action,
                           self._panel.edit_action, self._panel.computed_action, *self._panel.focus_keys.actions,
                           *self._panel.writing.actions])

    def _fill_menu(self) -> None:
        menu = _menu_with(self._window, self._window.debug_step_action)
        if menu is None:
            return
        menu.addSeparator()
        for name in _MENU:
            if name is None:
                menu.addSeparator()
            else:
                menu.addAction(self._panel.actions_of_debugger.by_name[name])
        menu.addSeparator()
        menu.addActions([self._panel.options_action, self._panel.share_action, self._panel.computed_action,
                         self._panel.toggle_action, self._panel.edit_action])
        menu.addSeparator()
        menu.addActions(self._panel.focus_keys.actions)
        edit = next((one for one in _menus(self._window) if one.title().replace("&", "") == "Edit"), menu)
        edit.addSeparator()
        edit.addActions(self._panel.writing.actions)


def _menus(window: Any) -> List[QMenu]:
    found = [action.menu() for action in window.menuBar().actions()]
    return [menu for menu in found if menu is not None]


def _actions_of_menus(window: Any) -> List[QAction]:
    return [action for menu in _menus(window) for action in menu.actions()]


def _menu_with(window: Any, wanted: QAction) -> Optional[QMenu]:
    for menu in _menus(window):
        if wanted in menu.actions():
            return menu
    return None
