"""All panels of a debugger in one widget."""

from __future__ import annotations

import os
from typing import Callable, List, Optional

from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QCloseEvent, QFont, QKeySequence
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from ..protocol import Diagnostic, Error, Event, LastChange, Location, Stopped
from .actions import DebugActions
from .breakpoint_store import WRITE, BreakpointStore, UserBreakpoint
from .breakpoints import BreakpointsPanel, title
from .calls import CallsPanel
from .cases import CasesPanel
from .code_font import size_beside, use_size
from .console import ConsolePanel
from .console_links import ConsoleLinks
from .editor import EditorAdapter
from .editor_link import EditorLink
from .focus import FocusKeeper
from .focus_keys import FocusKeys
from .language_server import LanguageServer
from .launch import Launch
from .launch_dialog import LaunchDialog
from .notices import Notices
from .origins import Origins
from .pages import Pages
from .plain import ElidedLabel, tip
from .problems import ProblemsPanel
from .program_text import ProgramTexts
from .session import DebugSession
from .sharing import SharingDialog
from .time_bar import TimeBar
from .tool_bar import DebugToolBar
from .value_node import Node
from .value_tree import ValueTreeWindow
from .value_view import ValueView
from .variables import VariablesPanel
from .watches import WatchesPanel
from .writing import Writing


class DebuggerPanel(QWidget):
    """Tool bar, variables, watches, calls, breakpoints, console and time bar of a session.

    `launch` is what the start button starts; without it, `start_requested` is emitted instead. The keys of the
    actions work in `window`, the panel itself if it is left out.
    """

    #: The user wants to start a program, and `launch` is not set.
    start_requested = pyqtSignal()

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None, window: Optional[QWidget] = None,
                 orientation: Qt.Orientation = Qt.Orientation.Vertical) -> None:
        super().__init__(parent)
        self.session = session
        self.launch: Optional[Launch] = None
        #: Saves what a program is made from, before it is started; a sentence if that is not possible.
        self.before_start: Callable[[], str] = lambda: ""
        self.texts = ProgramTexts(session, self)
        self.store = BreakpointStore(session, self)
        self.store.lines = self.texts
        self.actions_of_debugger = DebugActions(session, window if window is not None else self)
        self.tool_bar = DebugToolBar(self.actions_of_debugger, self)
        self.status = ElidedLabel(self)
        self.status.setAccessibleName("State of the program")
        self.status.setContentsMargins(8, 2, 8, 3)
        self.notices = Notices(session, self)
        self.variables = VariablesPanel(session, self)
        self.watches = WatchesPanel(session, self)
        self.calls = CallsPanel(session, self)
        self.calls.line_in_text = self.texts.to_text
        self.texts.changed.connect(self.calls.show_places)
        self.breakpoints = BreakpointsPanel(self.store, self)
        self.problems = ProblemsPanel(session, self.texts, self)
        self.console = ConsolePanel(session, self)
        self.cases = CasesPanel(session, self.notices.message, self)
        self.cases.program = lambda: self.launch.file if self.launch is not None else ""
        self.cases.save = lambda: self.before_start()
        self.links = ConsoleLinks(self.console.output)
        self.time_bar = TimeBar(session, self.actions_of_debugger, self)
        self.origins = Origins(session, self.notices.message, self.texts, self)
        self._link: Optional[EditorLink] = None
        #: What reports errors while the user types, if that is wanted.
        self.language_server: Optional[LanguageServer] = None
        self._windows: List[ValueTreeWindow] = []
        #: Whether problems are in front of the console because a start was refused, not because the user looks at them.
        self._shows_refusal = False
        self.toggle_action = QAction("Toggle breakpoint", self)
        self.toggle_action.setShortcut(QKeySequence("F9"))
        self.edit_action = QAction("Edit breakpoint …", self)
        self.edit_action.setShortcut(QKeySequence("Shift+F9"))
        self.computed_action = QAction("How was this computed?", self)
        self.computed_action.setShortcut(QKeySequence("Alt+F12"))
        where_keys_work = window if window is not None else self
        where_keys_work.addActions([self.toggle_action, self.edit_action, self.computed_action])
        #: What helps while one writes, once it is wanted.
        self.writing = Writing(where_keys_work)
        self.options_action = QAction("Arguments and folder …", self)
        #: Opens the dialog with which others are let in.
        self.share_action = QAction("Share this session …", self)
        self.sharing = SharingDialog(session, self)
        self.tool_bar.add_to_start(self.options_action)
        self.tool_bar.add_last(self.share_action, "share")
        self._focus = FocusKeeper(session, self)
        self._lay_out(orientation)
        self.focus_keys = FocusKeys(self, self.pages, self.variables, self.console, self.cases, where_keys_work)
        self._connect()
        self._show_state()

    def attach_editor(self, editor: EditorAdapter, while_typing: bool = False) -> None:
        """Shows stops and breakpoints in an editor, and takes its clicks.

        `while_typing`: also reports errors and offers names while the user types, and says what a name means over which
        the mouse rests (`ez lsp`).
        """
        self.texts.attach(editor)
        self._link = EditorLink(self.session, self.store, editor, self.texts, self)
        self._link.refused.connect(self.notices.message.show_problem)
        self.problems.attach(editor)
        self.problems.place_chosen.connect(self._link.show_program_place)
        self.links.place_chosen.connect(self._link.show_program_place)
        self.cases.attach(editor)
        self.cases.place_chosen.connect(self._link.show_program_place)
        editor.font_changed.connect(self.set_code_font)
        font = editor.code_font()
        if font is not None:
            self.set_code_font(font)
        self.toggle_action.triggered.connect(self._link.toggle_at_cursor)
        self.edit_action.triggered.connect(self._link.edit_at_cursor)
        self.actions_of_debugger.run_to_cursor_requested.connect(self._link.run_to_cursor)
        self.origins.editor = editor
        self._link.computed_requested.connect(self.origins.show_line)
        self.calls.place_chosen.connect(self._link.show_frame)
        self.breakpoints.place_chosen.connect(editor.show_place)
        if while_typing:
            self.language_server = LanguageServer(self.session.program, self)
            self.problems.follow(self.language_server)
            self._link.language_server = self.language_server
            editor.offer_names(self.language_server.complete)
            self.language_server.attach(editor)
            self.writing.attach(self.language_server, editor)
            self.problems.writing = self.writing

    def set_code_font(self, font: QFont) -> None:
        """The editor has another font, or another size: all letters here follow it."""
        self.console.set_code_font(font)
        self.cases.set_code_font(font)
        use_size(self, size_beside(font))

    def start(self) -> None:
        """Starts the program."""
        if self.launch is None:
            self.start_requested.emit()
        elif self.prepare_start():
            self.session.start(self.launch)

    def restart(self) -> None:
        """Starts the program anew, with the text that its files have now."""
        if not self.prepare_start():
            return
        # A server that has read another text cannot be asked for lines of the new one.
        if self.texts.differs and self.session.launch is not None:
            self.session.start(self.session.launch)
            return
        self.notices.message.hide()
        self.problems.clear()
        self.store.prepare_restart()
        if not self.session.start_again():
            self.start()

    def prepare_start(self) -> bool:
        """Saves the files. False, and a bar says why, if that is not possible."""
        problem = self.before_start()
        if problem:
            self.notices.message.show_problem(problem, can_start=True)
        return not problem

    def closeEvent(self, event: Optional[QCloseEvent]) -> None:
        """The server ends with the panel."""
        self.session.close()
        self.cases.close_processes()
        if self.language_server is not None:
            self.language_server.close()
        super().closeEvent(event)

    def _lay_out(self, orientation: Qt.Orientation) -> None:
        self.pages = Pages(orientation, (
            ("Values", ((self.variables, "Variables"), (self.watches, "Watches"))),
            ("Places", ((self.calls, "Calls"), (self.breakpoints, "Breakpoints"))),
            ("Console", ((self.console, "Console"), (self.problems, "Problems"), (self.cases, "Cases")))), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.tool_bar, self.status, self.notices, self.time_bar):
            layout.addWidget(widget)
        layout.addWidget(self.pages, 1)

    def _connect(self) -> None:
        session, message = self.session, self.notices.message
        self.actions_of_debugger.start_requested.connect(self.start)
        self.actions_of_debugger.restart_requested.connect(self.restart)
        message.start_requested.connect(self._start_again)
        self.notices.changed.start_requested.connect(self.restart)
        self.texts.other_text_read.connect(self.store.send_again)
        self.texts.changed.connect(self._show_difference)
        self.texts.changed.connect(self._show_state)
        self.problems.count_changed.connect(self._show_count)
        self.problems.cleared.connect(self._on_cleared)
        session.state_changed.connect(self._show_state)
        session.server_died.connect(lambda sentence: message.show_problem(sentence, can_start=True))
        session.program_refused.connect(self._on_refused)
        session.error_received.connect(self._on_error)
        session.input_requested.connect(lambda: self.pages.show_page(self.console))
        session.started.connect(self._show_console_again)
        self.pages.groups[-1].currentChanged.connect(self._on_page_chosen)
        self.store.refused.connect(message.show_problem)
        self.store.removed.connect(self._on_removed)
        self.options_action.triggered.connect(lambda: LaunchDialog(self.session, self._folder(), self).open())
        self.share_action.triggered.connect(self.sharing.show)
        self.sharing.news.connect(message.show_message)
        self.computed_action.triggered.connect(self.origins.show_statement)
        self.console.output.origin_requested.connect(self.origins.show_printer)
        self.console.evaluation_took_long.connect(self.notices.progress.show_evaluation)
        for view in (self.variables.view, self.watches.view):
            self._connect_view(view)

    def _connect_view(self, view: ValueView) -> None:
        view.stop_on_write_requested.connect(self._stop_on_write)
        view.last_change_requested.connect(self._show_last_change)
        view.computed_requested.connect(self.origins.show_computed)
        view.changes_requested.connect(self.origins.show_changes)
        view.watch_requested.connect(self._watch)
        view.tree_requested.connect(self._show_tree)

    def _folder(self) -> str:
        launch = self.session.launch or self.launch
        return launch.directory if launch is not None else "the folder of the program"

    def _start_again(self) -> None:
        if self.session.launch is None:
            self.start()
        elif self.prepare_start():
            self.session.start(self.session.launch)

    def _show_count(self, count: int) -> None:
        title = f"Problems ({count})" if count else "Problems"
        self.pages.set_title(self.problems, title)

    def _on_cleared(self) -> None:
        if not self.problems.problems:
            self.pages.show_page(self.console)

    def _show_console_again(self) -> None:
        if self._shows_refusal:
            self.pages.show_page(self.console)

    def _on_page_chosen(self, _: int) -> None:
        self._shows_refusal = False

    def _show_difference(self) -> None:
        self.notices.changed.setVisible(self.texts.differs)

    def _show_state(self) -> None:
        state = self.session.state
        self.computed_action.setEnabled(self.origins.is_possible)
        if state.status == "starting":
            self.notices.message.hide()
        text = {"none": "Not started", "starting": "The program is being read", "ready": "Ready",
                "ending": "The program is being ended",
                "running": "The program waits for input" if state.wants_input else "Running"}.get(state.status, "")
        if state.status == "exited":
            text = "Ended" if state.exit_code is None else f"Ended with status {state.exit_code}"
        elif state.stop is not None:
            text = f"{_description(state.stop)}  ({self._where(state.stop.location)})"
        elif state.waits_at is not None:
            text = f"{text}  ({self._where(state.waits_at)})"
        self.status.setText(_first_line(text))
        self.status.setToolTip(tip(text))

    def _where(self, place: Location) -> str:
        line = self.texts.to_text(place.file, place.line)
        now = "" if line == place.line else f", now line {line}" if line else ", now deleted"
        return f"{os.path.basename(place.file)}:{place.line}{now}"

    def _on_refused(self, errors: List[Diagnostic]) -> None:
        first = errors[0]
        launch = self.session.launch
        name = os.path.basename(launch.replay or launch.file) if launch is not None else ""
        name = name or "The program"
        what = f"{name} cannot be run" if len(errors) == 1 else f"{name} has {len(errors)} errors; the first"
        self.notices.message.show_problem(f"{what}: {_first_line(first.message)}", can_start=True, help=first.help or "")
        if self.problems.problems and not self.problems.isVisible():
            self.pages.show_page(self.problems)
            self._shows_refusal = True
        place = errors[0].location
        if place is not None and place.file and self._link is not None:
            self._link.show_program_place(place.file, place.line, place.column, is_written=True)

    def _on_removed(self, removed: List[UserBreakpoint]) -> None:
        what = f"{len(removed)} breakpoints were" if len(removed) > 1 else f"The breakpoint {title(removed[0])} was"
        self.notices.message.show_message(f"{what} removed.", undo=lambda: self.store.put_back(removed))

    def _on_error(self, error: Error) -> None:
        if error.command is not None:
            self.notices.message.show_problem(error.message)

    def _stop_on_write(self, node: Node) -> None:
        if node.variable is not None:
            name = node.variable.evaluate_name or node.variable.name
            self.store.add(UserBreakpoint(
                WRITE, name=node.variable.name, reference=node.container_reference,
                frame_index=self.session.frame_index))
            self.notices.message.show_message(f"The program will stop when {name} changes.")
            self.pages.show_page(self.breakpoints)

    def _watch(self, expression: str) -> None:
        self.watches.add(expression)
        self.pages.show_page(self.watches)

    def _show_last_change(self, expression: str) -> None:
        def take(event: Event) -> None:
            if isinstance(event, Error):
                self.notices.message.show_problem(event.message)
            elif isinstance(event, LastChange):
                self.notices.message.show_message(_sentence(event))
                stop = self.session.state.stop
                if stop is not None and stop.step != event.step:
                    self.session.go_to_step(event.step)

        self.session.last_change(take, expression, self.session.frame_index)

    def _show_tree(self, expression: str) -> None:
        window = ValueTreeWindow(self.session, expression, self)
        self._windows = [one for one in self._windows if one.isVisible()] + [window]
        window.show()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab, and Qt where the widget that has the focus is hidden or disabled."""
        return self._focus.keep() or super().focusNextPrevChild(next)

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            self.actions_of_debugger.set_palette(self.palette())


def _description(stop: Stopped) -> str:
    past = "In the past: " if stop.past else ""
    returned = stop.return_value
    if returned is None:
        gave = ""
    elif stop.past:
        gave = f": {returned.function}() returned {returned.value[:60]}"
    else:
        gave = f": {returned.value[:60]}"
    return f"{past}{stop.description}{gave}"


def _first_line(text: str) -> str:
    lines = text.splitlines()
    return f"{lines[0]} …" if len(lines) > 1 else text


def _sentence(change: LastChange) -> str:
    text = change.description
    if change.old_value is not None and change.value is not None:
        text += f", from {change.old_value[:60]} to {change.value[:60]}"
    elif change.value is not None:
        text += f": {change.value[:60]}"
    return f"{text}."
