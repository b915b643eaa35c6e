"""The panel with the cases of a program."""

from __future__ import annotations

import os
from typing import Callable, Dict, List, Optional

from PyQt6.QtCore import QEvent, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QBrush, QFont, QShowEvent
from PyQt6.QtWidgets import (QHBoxLayout, QHeaderView, QMenu, QPushButton, QSplitter, QTreeWidget, QTreeWidgetItem,
                             QVBoxLayout, QWidget)

from ..cases.results import CaseFiles, CaseList, CaseResult
from . import colors
from .case_dialog import CaseDialog
from .case_difference import CaseDifference
from .case_files import folder_of, remove, write_case
from .case_runner import CaseRunner
from .case_session import CaseSession
from .copy_key import CopyKey
from .editor import EditorAdapter
from .last_run import LastRun
from .notices import MessageNotice, TextAndButtons
from .paths import absolute
from .plain import PlainLabel, tip
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
        #: The file of the program whose cases are shown; empty if there is none.
        self.program: Callable[[], str] = lambda: ""
        #: Saves all files; a sentence if that is not possible.
        self.save: Callable[[], str] = lambda: ""
        self._message = message
        self._editor: Optional[EditorAdapter] = None
        self._font: Optional[QFont] = None
        self._program = ""
        self._place = ""
        self._cases: List[CaseFiles] = []
        self._results: Dict[str, CaseResult] = {}
        #: The cases that are being run; whether the cases are only looked for; whether all are to be run afterwards.
        self._waiting: List[str] = []
        self._is_finding = self._runs_next = False
        #: Whether all are run.
        self._is_all = False
        #: Whether the results are those of another text.
        self._is_old = False
        #: The case that is to be selected when it is found.
        self._wanted = ""
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
        self.summary = PlainLabel(self)
        self.summary.setWordWrap(True)
        self.summary.setContentsMargins(6, 0, 6, 2)
        self.summary.setAccessibleName("State of the cases")
        self.note = QWidget(self)
        self.note_label = PlainLabel(self.note)
        self.note_label.setWordWrap(True)
        self.save_button = QPushButton("Save and run", self.note)
        self.save_button.clicked.connect(self._save_and_run)
        self._note_row = TextAndButtons(self.note, self.note_label, self.save_button)
        self._note("", False)
        self.list = QTreeWidget(self)
        self.list.setAccessibleName("Cases")
        self.list.setHeaderLabels(["Case", "Result"])
        self.list.setRootIsDecorated(False)
        self.list.setAllColumnsShowFocus(True)
        self.list.setUniformRowHeights(True)
        self._copy_key = CopyKey(self.list)
        header = self.list.header()
        if header is not None:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemActivated.connect(lambda item, _: self._debug(item))
        self.list.currentItemChanged.connect(lambda *_: self._show_difference())
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.difference = CaseDifference(self)
        self.difference.place_chosen.connect(self._go)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(4, 2, 4, 0)
        for button in (self.run_button, self.stop_button, self.add_button):
            row.addWidget(button)
        row.addStretch(1)
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
        layout.addWidget(self.summary)
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
        if self.isVisible() and not self.runner.is_running:
            self._find()

    def run_all(self) -> None:
        """Runs all cases, with the files as they are saved."""
        if not self.runner.is_running:
            self._find(runs_next=True)

    def run_case(self, name: str) -> None:
        """Runs one case."""
        case = self._case(name)
        if case is not None and not self.runner.is_running:
            self._run([case])

    def stop(self) -> None:
        """Ends the cases that are run."""
        self.runner.stop()
        self._on_finished("")

    def close_processes(self) -> None:
        """The window is closed."""
        self.runner.stop()

    def add(self) -> None:
        """Opens the dialog for a new case."""
        program = self._program_now()
        if not program:
            self._message.show_problem("A case belongs to a program in a file: save it under a name that ends in .ez.")
            return
        if program != self._program:
            self._forget(program)
        run = self.last_run if absolute(self.last_run.program) == program and self.last_run.program else None
        CaseDialog([case.case for case in self._cases], run, self._write, self, self._font).open()

    def _program_now(self) -> str:
        file = self.program()
        return absolute(file) if file.endswith(".ez") else ""

    def _forget(self, program: str) -> None:
        self._program, self._place = program, ""
        self._cases, self._results, self._is_old = [], {}, False
        self._show()

    def _find(self, runs_next: bool = False) -> None:
        program = self._program_now()
        if program != self._program:
            self._forget(program)
        if program:
            self._is_finding, self._runs_next = True, runs_next
            self.runner.find(program)
        self._show_state()

    def _run(self, cases: List[CaseFiles]) -> None:
        self._waiting = [case.case for case in cases]
        if self._is_old:
            self._results = {}
        self._is_old = False
        for case in cases:
            self._results.pop(case.case, None)
        self._is_all = len(cases) == len(self._cases)
        self._show()
        self._say_what_is_not_saved()
        self.runner.run(self._program, [] if self._is_all else [os.path.abspath(case.file) for case in cases])
        self._show_state()

    def _on_listed(self, found: CaseList) -> None:
        self._place = found.cases
        cases = list(found.list)
        if cases != self._cases:
            self._cases = cases
            names = {case.case for case in cases}
            self._results = {name: result for name, result in self._results.items() if name in names}
            self._show()

    def _on_result(self, result: CaseResult) -> None:
        self._results[result.case] = result
        self._waiting = [name for name in self._waiting if name != result.case]
        for row, case in enumerate(self._cases):
            item = self.list.topLevelItem(row)
            if case.case == result.case and item is not None:
                self._fill(item, case)
                if item is self.list.currentItem():
                    self._show_difference()
        self._show_state()

    def _on_finished(self, sentence: str) -> None:
        was_finding, self._is_finding = self._is_finding, False
        runs_next, self._runs_next = self._runs_next, False
        self._waiting = []
        if sentence and was_finding:
            self._cases, self._results = [], {}
        if runs_next and not sentence and self._cases:
            self._run(self._cases)
            return
        self._show()
        self._show_state(sentence)
        if not was_finding and self._is_all:
            self._look_at_a_failure()

    def _look_at_a_failure(self) -> None:
        """Selects the first case that has failed, unless one is selected."""
        failed = [case.case for case in self._cases if case.case in self._results and not self._results[case.case].is_passed]
        if failed and self._name(self.list.currentItem()) not in failed:
            self._select(failed[0])

    def _show(self) -> None:
        """All rows anew; the one that is selected stays so."""
        current = self._wanted or self._name(self.list.currentItem())
        self.list.clear()
        for case in self._cases:
            item = QTreeWidgetItem()
            self._fill(item, case)
            self.list.addTopLevelItem(item)
        self._select(current)
        self._show_difference()

    def _select(self, name: str) -> None:
        for row, case in enumerate(self._cases):
            if case.case == name:
                self.list.setCurrentItem(self.list.topLevelItem(row))
                self._wanted = ""

    def _fill(self, item: QTreeWidgetItem, case: CaseFiles) -> None:
        result = self._results.get(case.case)
        mark, word = ("…", "is run") if case.case in self._waiting else ("·", "not run")
        color = colors.faint(self.palette())
        if result is not None:
            mark = "✓" if result.is_passed else "✗" if result.was_run else "!"
            word = result.result if result.was_run else "could not be run"
            if not self._is_old:
                color = colors.go(self.palette()) if result.is_passed else colors.error(self.palette())
        message = result.message if result is not None else ""
        item.setText(0, f"{mark} {_one_line(case.case)}")
        item.setText(1, message)
        item.setData(0, Qt.ItemDataRole.UserRole, case.case)
        old = ", with another text" if result is not None and self._is_old else ""
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{_one_line(case.case)}: {word}{old}")
        item.setForeground(0, QBrush(color))
        item.setForeground(1, QBrush(colors.faint(self.palette()) if self._is_old else self.palette().text()))
        item.setToolTip(1, tip(message))

    def _show_state(self, problem: str = "") -> None:
        is_running = self.runner.is_running and not self._is_finding
        off, on = (self.run_button, self.stop_button) if is_running else (self.stop_button, self.run_button)
        on.setEnabled(True)
        if off.hasFocus():
            on.setFocus()
        off.setEnabled(False)
        results = list(self._results.values())
        passed = sum(result.is_passed for result in results)
        if problem:
            text = "\n".join(problem.splitlines()[:2])
        elif not self._program_now():
            text = "Cases belong to a program in a file: save it under a name that ends in .ez."
        elif is_running:
            text = f"{len(self._cases) - len(self._waiting)} of {len(self._cases)} are run"
        elif not results:
            text = f"{len(self._cases)} not run yet ({os.path.basename(self._place)})" if self._cases else ""
        else:
            text = f"{passed} of {len(self._cases)} passed"
            text += " with the text before; it has changed since" if self._is_old else ""
        self.summary.setText(text)
        self.summary.setVisible(bool(text))

    def _show_difference(self) -> None:
        name = self._name(self.list.currentItem())
        case, result = self._case(name), self._results.get(name)
        expected = None
        try:
            if case is not None and case.output is not None and os.path.getsize(case.output) <= _MOST:
                with open(case.output, encoding="utf-8", newline="") as file:
                    expected = file.read()
        except (OSError, ValueError):
            # It has gone, or has become something else: the result has the line.
            pass
        self.difference.show_result(result, expected)

    def _case(self, name: str) -> Optional[CaseFiles]:
        return next((case for case in self._cases if case.case == name), None)

    def _name(self, item: Optional[QTreeWidgetItem]) -> str:
        return str(item.data(0, Qt.ItemDataRole.UserRole)) if item is not None else ""

    def _debug(self, item: QTreeWidgetItem, step: Optional[int] = None) -> None:
        case = self._case(self._name(item))
        if case is None:
            return
        result = self._results.get(case.case)
        if result is not None and result.errors:
            self._message.show_problem("The program has errors: it can be debugged when they are gone.")
            return
        self._say_what_is_not_saved()
        problem = self.debugging.start(self._program, case, None if self._is_old else result, step)
        if problem:
            self._message.show_problem(problem)

    def _go(self, file: str, line: int, step: Optional[int]) -> None:
        item = self.list.currentItem()
        name = self._name(item)
        if self._is_old or step is None or item is None:
            self.place_chosen.emit(os.path.join(os.path.dirname(self._program), file), line)
        elif not self.debugging.go_to(name, step):
            self._debug(item, step)

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
            run.setEnabled(not self.runner.is_running)
            run.triggered.connect(lambda: self.run_case(self._name(item)))
            debug.triggered.connect(lambda: self._debug(item))
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

    def _on_edited(self, _: str) -> None:
        if self._results and not self._is_old:
            self._is_old = True
            self._show()
            self._show_state()

    def _write(self, name: str, texts: Dict[str, str]) -> str:
        folder = self._place if os.path.isdir(self._place) else folder_of(self._program)
        try:
            made = write_case(folder, name, texts)
        except OSError as error:
            return f"The case cannot be written into {folder}: {error.strerror or error}."

        def undo() -> None:
            remove(made)
            self.refresh()

        self._message.show_message(f"The case {name} was added to {os.path.basename(folder)}.", undo)
        self._wanted = name
        self.refresh()
        return ""

    def showEvent(self, event: Optional[QShowEvent]) -> None:
        """Somebody looks: another program may write cases, too."""
        super().showEvent(event)
        self.refresh()

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            self._show()


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
