"""The panel with the cases of a program."""

from __future__ import annotations

import os
from typing import Callable, Dict, List, Optional

from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QShowEvent
from PyQt6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSplitter, QTreeWidgetItem, QVBoxLayout, QWidget

from ..cases.results import CaseFiles, CaseList, CaseResult
from .case_dialog import CaseDialog
from .case_difference import CaseDifference
from .case_files import folder_of, names_in, remove, text_of, write_case
from .case_rows import CaseRows, KnownCases
from .case_runner import CaseRunner
from .case_session import CaseSession
from .editor import EditorAdapter
from .last_run import LastRun
from .least_rows import LeastRows
from .notices import MessageNotice, TextAndButtons
from .paths import absolute
from .plain import ElidedLabel, PlainLabel, tip
from .program_text import lines_of_file
from .session import DebugSession

#: Longer texts are not shown, in bytes.
_MOST = 1 << 20


class CasesPanel(QWidget):
    """The cases of a program, with what has become of them; runs and debugs them, and makes new ones of runs.

    What is run is what is saved; where that is not what the editor has, it is said.
    """

    #: A statement was chosen: file and line.
    place_chosen = pyqtSignal(str, int)

    def __init__(self, session: DebugSession, message: MessageNotice, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.session = session
        #: The file of the program whose cases are shown; empty if there is none.
        self.program: Callable[[], str] = lambda: ""
        #: Saves all files; a sentence if that is not possible.
        self.save: Callable[[], str] = lambda: ""
        self._message = message
        self._editor: Optional[EditorAdapter] = None
        self._font: Optional[QFont] = None
        self._program = ""
        #: The cases of all programs that were looked at, and those of this one.
        self._all: Dict[str, KnownCases] = {}
        self._known = KnownCases()
        #: Whether the cases are only looked for, and whether all are to be run afterwards.
        self._is_finding = self._runs_next = False
        #: Whether all are run.
        self._is_all = False
        #: The case that is to be selected when it is found.
        self._wanted = ""
        #: The dialogs with cases that are not written yet, by their programs.
        self._drafts: Dict[str, CaseDialog] = {}
        self.last_run = LastRun(session)
        self.runner = CaseRunner(session, self)
        self.debugging = CaseSession(session, self)
        self._make_widgets()
        self._lay_out()
        self.runner.listed.connect(self._on_listed)
        self.runner.result_received.connect(self._on_result)
        self.runner.finished.connect(self._on_finished)
        self.debugging.said.connect(self._say_of_run)
        self._show_state()

    def _make_widgets(self) -> None:
        self.run_button = QPushButton("Run all", self)
        self.run_button.clicked.connect(self.run_all)
        self.stop_button = QPushButton("Stop", self)
        self.stop_button.clicked.connect(self.stop)
        self.add_button = QPushButton("Add a case …", self)
        self.add_button.setToolTip(tip("With what the last run has read and printed"))
        self.add_button.clicked.connect(self.add)
        self.summary = ElidedLabel(self)
        self.summary.setAccessibleName("State of the cases")
        #: Why there are no cases, or why they cannot be run.
        self.problem = PlainLabel(self)
        self.problem.setWordWrap(True)
        self.problem.setContentsMargins(8, 2, 8, 2)
        self.note = QWidget(self)
        self.note_label = PlainLabel(self.note)
        self.note_label.setWordWrap(True)
        self.save_button = QPushButton("Save and run", self.note)
        self.save_button.clicked.connect(self._save_and_run)
        self._note_row = TextAndButtons(self.note, self.note_label, self.save_button)
        self._note("", False)
        self.list = CaseRows(self)
        LeastRows(self.list, 2)
        self.list.itemActivated.connect(lambda item, _: self._debug(self.list.name(item)))
        self.list.currentItemChanged.connect(lambda *_: self._show_difference())
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.difference = CaseDifference(self)
        self.difference.place_chosen.connect(self._go)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(4, 2, 4, 0)
        for button in (self.run_button, self.stop_button, self.add_button):
            row.addWidget(button)
        row.addWidget(self.summary, 1)
        parts = QSplitter(Qt.Orientation.Vertical, self)
        parts.addWidget(self.list)
        parts.addWidget(self.difference)
        parts.setStretchFactor(0, 2)
        parts.setStretchFactor(1, 3)
        parts.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.problem)
        layout.addWidget(self.note)
        layout.addWidget(parts, 1)
        # Those that were put into other widgets have lost their places.
        order = [self.list, self.difference.expected, self.difference.printed, self.difference.cause]
        for one, next_one in zip(order, order[1:]):
            QWidget.setTabOrder(one, next_one)

    def attach(self, editor: EditorAdapter) -> None:
        """Knows what is not saved."""
        self._editor = editor
        editor.text_changed.connect(self._on_edited)

    def set_code_font(self, font: QFont) -> None:
        """Texts of cases have the letters of programs."""
        self._font = font
        self.difference.set_code_font(font)

    def refresh(self) -> None:
        """Looks for the cases of the program that is in front, if somebody sees them."""
        if self.isVisible() and (self._is_finding or not self.runner.is_running):
            self._find(self._runs_next and self._program_now() == self._program)

    def run_all(self) -> None:
        """Runs all cases, with the files as they are saved."""
        if self._is_finding or not self.runner.is_running:
            self._find(runs_next=True)

    def run_case(self, name: str) -> None:
        """Runs one case."""
        case = self._known.case(name)
        if case is not None and (self._is_finding or not self.runner.is_running):
            self._is_finding = False
            self._run([case])

    def stop(self) -> None:
        """Ends the cases that are run."""
        self.runner.stop()
        self._on_finished("")

    def close_processes(self) -> None:
        """The window is closed."""
        self.runner.stop()

    def add(self) -> None:
        """Opens the dialog for a new case of the program in front, with what was typed for one before."""
        program = self._program_now()
        if not program:
            self._message.show_problem("A case belongs to a program in a file: save it under a name that ends in .ez.")
            return
        if program in self._drafts:
            self._drafts[program].open_again()
        else:
            self._add_to(program)

    def _add_to(self, program: str) -> None:
        run = self.last_run if absolute(self.last_run.program) == program and self.last_run.program else None
        # Another program may be in front, and another folder be there, when it is written.
        dialog = CaseDialog(lambda: names_in(folder_of(program)), run,
                            lambda name, texts: self._write(program, name, texts), self, self._font)
        self._drafts[program] = dialog
        dialog.accepted.connect(lambda: self._drop(program))
        dialog.rejected.connect(lambda: self._keep(program))
        dialog.started_over.connect(lambda: self._start_over(program))
        dialog.open()

    def _drop(self, program: str) -> None:
        draft = self._drafts.pop(program, None)
        if draft is not None:
            draft.deleteLater()

    def _keep(self, program: str) -> None:
        """A dialog was closed without a case."""
        draft = self._drafts[program]
        if draft.is_changed:
            self._message.show_message("The case was not added.", lambda: self._open_again(program))
        else:
            self._drop(program)

    def _open_again(self, program: str) -> None:
        if program in self._drafts:
            self._drafts[program].open_again()

    def _start_over(self, program: str) -> None:
        self._drop(program)
        self._add_to(program)

    def _program_now(self) -> str:
        file = self.program()
        return absolute(file) if file.endswith(".ez") else ""

    def _turn_to(self, program: str) -> None:
        self._program = program
        self._known = self.list.known = self._all.setdefault(program, KnownCases())
        self._show()

    def _find(self, runs_next: bool = False) -> None:
        program = self._program_now()
        if program != self._program:
            self._turn_to(program)
        if program:
            self._is_finding, self._runs_next = True, runs_next
            self.runner.find(program)
        self._show_state()

    def _run(self, cases: List[CaseFiles]) -> None:
        self._is_all = len(cases) == len(self._known.cases)
        self._known.begin([case.case for case in cases])
        self._show()
        self._say_what_is_not_saved()
        self.runner.run(self._program, [] if self._is_all else [os.path.abspath(case.file) for case in cases])
        self._show_state()

    def _on_listed(self, found: CaseList) -> None:
        self._known.files, self._known.place = found.files, found.cases
        if list(found.list) != self._known.cases:
            self._known.replace(list(found.list))
            self._known.look()
            self._show()
        elif self._known.look():
            self._show()

    def _on_result(self, result: CaseResult) -> None:
        known = self._all.get(result.program, self._known)
        known.results[result.case] = result
        known.waiting.discard(result.case)
        if known is self._known:
            self.list.show_result(result.case)
            if result.case == self.list.current:
                self._show_difference()
            self._show_state()

    def _on_finished(self, sentence: str) -> None:
        was_finding, self._is_finding = self._is_finding, False
        runs_next, self._runs_next = self._runs_next, False
        for known in self._all.values():
            known.waiting.clear()
        self._known.look()
        if sentence and was_finding:
            self._known.clear()
        if runs_next and not sentence and self._known.cases:
            self._run(self._known.cases)
            return
        self._show()
        self._show_state(sentence)
        if was_finding:
            self._wanted = ""
        if not was_finding and (self._wanted or self._program_now() != self._program):
            self.refresh()
            return
        failed = self._known.failed
        if not was_finding and self._is_all and failed and self.list.current not in failed:
            self.list.select(failed[0])

    def _show(self) -> None:
        self.list.show_all()
        if self._wanted and self.list.select(self._wanted):
            self._wanted = ""
        self._show_difference()

    def _show_state(self, problem: str = "") -> None:
        is_running = self.runner.is_running and not self._is_finding
        off, on = (self.run_button, self.stop_button) if is_running else (self.stop_button, self.run_button)
        had_focus = off.hasFocus()
        on.show()
        if had_focus:
            on.setFocus()
        off.hide()
        known = self._known
        number = len(known.cases)
        if not self._program_now():
            problem = "Cases belong to a program in a file: save it under a name that ends in .ez."
        self.problem.setText("\n".join(problem.splitlines()[:2]))
        self.problem.setVisible(bool(problem))
        text = ""
        if is_running:
            text = f"{known.started - len(known.waiting)} of {known.started} are run"
        elif number and not known.results:
            text = f"{number} not run yet ({os.path.basename(known.place)})"
        elif number:
            text = known.summary()
        self.summary.setText(text)
        self.summary.setToolTip(tip(text))

    def _show_difference(self) -> None:
        case, result = self._known.case(self.list.current), self._known.results.get(self.list.current)
        expected = None
        try:
            if case is not None and case.output is not None and self._known.has_same(case.case):
                expected = text_of(case.output, _MOST)
        except (OSError, ValueError):
            # It has gone, or has become something else: the result has the line.
            pass
        self.difference.show_result(result, expected)

    def _debug(self, name: str, step: Optional[int] = None) -> None:
        case = self._known.case(name)
        if case is None:
            return
        result = self._known.results.get(case.case)
        if result is not None and result.errors:
            self._message.show_problem("The program has errors: it can be debugged when they are gone.")
            return
        state = self.session.state
        if state.is_live and not self.debugging.is_live and not (state.stop is not None and state.stop.reason == "end"):
            self._message.show_problem("A program is running: stop it (Shift+F5), then debug the case.")
            return
        self._say_what_is_not_saved()
        problem = self.debugging.start(self._program, case, None if self._known.is_old else result, step)
        if problem:
            self._message.show_problem(problem)

    def _go(self, file: str, line: int, step: Optional[int]) -> None:
        name = self.list.current
        if self._known.is_old or step is None or not name:
            self.place_chosen.emit(os.path.join(os.path.dirname(self._program), file), line)
        elif not self.debugging.go_to(name, step):
            self._debug(name, step)

    def _show_menu(self, place: QPoint) -> None:
        item, viewport = self.list.itemAt(place), self.list.viewport()
        if item is not None and viewport is not None:
            self.menu(item).popup(viewport.mapToGlobal(place))

    def menu(self, item: QTreeWidgetItem) -> QMenu:
        """The menu of a row."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        run = menu.addAction("Run this case")
        debug = menu.addAction("Debug this case")
        if run is not None and debug is not None:
            run.setEnabled(self._is_finding or not self.runner.is_running)
            # The rows may be others when one of them is chosen.
            program, name = self._program, self.list.name(item)
            run.triggered.connect(lambda: self.run_case(name) if program == self._program else None)
            debug.triggered.connect(lambda: self._debug(name) if program == self._program else None)
        return menu

    def _not_saved(self) -> List[str]:
        if self._editor is None:
            return []
        return [file for file in self._editor.open_files()
                if self._editor.text_lines(file) not in (None, lines_of_file(file))]

    def _say_what_is_not_saved(self) -> None:
        files = self._not_saved()
        names = ", ".join(os.path.basename(file) for file in files)
        verb = "are" if len(files) > 1 else "is"
        self._note(f"{names} {verb} not saved: what runs is the text that was saved last." if files else "", bool(files))

    def _say_of_run(self, sentence: str) -> None:
        if not self.save_button.isVisibleTo(self.note):
            self._note(sentence, False)

    def _note(self, sentence: str, can_save: bool) -> None:
        self.note_label.setText(sentence)
        self.save_button.setVisible(can_save)
        self.note.setVisible(bool(sentence))

    def _save_and_run(self) -> None:
        problem = self.save()
        if problem:
            self._message.show_problem(problem)
        else:
            self.run_all()

    def _on_edited(self, file: str) -> None:
        edited = absolute(file)
        self.last_run.note_edit(edited)
        for known in self._all.values():
            if known is not self._known and edited in known.read:
                known.is_old = bool(known.results)
        # It may be a part of the program in front in a way that nobody knows.
        if (self._known.results or self._known.waiting) and not self._known.is_old:
            self._known.is_old = True
            self._show()
            self._show_state()

    def _write(self, program: str, name: str, texts: Dict[str, str]) -> str:
        folder = folder_of(program)
        try:
            made = write_case(folder, name, texts)
        except OSError as error:
            return f"The case cannot be written into {folder}: {error.strerror or error}."

        def undo() -> None:
            changed = [os.path.basename(file) for file in remove(made)]
            if changed:
                self._message.show_problem(f"The case {name} stays: {' and '.join(changed)} was changed since.")
            self.refresh()

        self._message.show_message(f"The case {name} was added to {os.path.basename(folder)}.", undo)
        if program == self._program_now():
            self._wanted = name
        self.refresh()
        return ""

    def showEvent(self, event: Optional[QShowEvent]) -> None:
        """Somebody looks: another program may write cases, too."""
        super().showEvent(event)
        self.refresh()
