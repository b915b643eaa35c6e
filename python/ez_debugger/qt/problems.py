"""The panel with what is wrong, and its marks in the editor."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Dict, List, Optional

from PyQt6.QtCore import QEvent, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QBrush
from PyQt6.QtWidgets import QHeaderView, QMenu, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from ..protocol import Diagnostic, Error, Stopped
from . import colors
from .copy_key import CopyKey
from .editor import EditorAdapter
from .language_server import LanguageServer
from .paths import absolute
from .plain import tip
from .problem import ERROR, RUN_TIME, WARNING, Problem
from .program_text import ProgramTexts
from .session import DebugSession
from .writing import Writing


class ProblemsPanel(QWidget):
    """Errors and warnings of the check, and the run-time error that has ended the program, until the next start.

    In the editor they are underlined, as long as their line has the text that was read. With a language server, errors
    and warnings are those of the text in the editor, as it is.
    """

    #: The place of a problem was chosen: file, line of the program, column, and whether one wants to write there.
    place_chosen = pyqtSignal(str, int, int, bool)
    #: There are so many.
    count_changed = pyqtSignal(int)
    #: A program is read anew.
    cleared = pyqtSignal()

    def __init__(self, session: DebugSession, texts: ProgramTexts, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        self._texts = texts
        self._editor: Optional[EditorAdapter] = None
        #: What knows fixes, if something does.
        self.writing: Optional[Writing] = None
        #: What the program that was read has.
        self._read: List[Problem] = []
        #: What the texts in the editor have, by file, as far as a language server has said so.
        self._live: Dict[str, List[Problem]] = {}
        self.list = QTreeWidget(self)
        self.list.setAccessibleName("Problems")
        self.list.setHeaderLabels(["Problem", "Place"])
        self.list.setRootIsDecorated(False)
        self.list.setAllColumnsShowFocus(True)
        self._copy_key = CopyKey(self.list)
        header = self.list.header()
        if header is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemClicked.connect(lambda item, _: self._go(item, False))
        self.list.itemActivated.connect(lambda item, _: self._go(item, True))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list)
        texts.changed.connect(self._refresh)
        session.state_changed.connect(self._on_state)
        session.warned.connect(lambda found: self._add(*(_reported(one, WARNING) for one in found)))
        session.program_refused.connect(lambda found: self._add(*(_reported(one, ERROR) for one in found)))
        session.error_received.connect(self._on_error)
        session.stopped.connect(self._on_stopped)

    def attach(self, editor: EditorAdapter) -> None:
        """Marks the problems in an editor."""
        self._editor = editor
        editor.file_shown.connect(lambda _: self._mark())

    def follow(self, server: LanguageServer) -> None:
        """Shows what a language server reports."""
        server.reported.connect(self._on_reported)

    @property
    def problems(self) -> List[Problem]:
        """What is shown."""
        live = [problem for found in self._live.values() for problem in found]
        return live + [one for one in self._read if one.kind == RUN_TIME or one.file not in self._live]

    def clear(self) -> None:
        """A program is read anew."""
        if self._read:
            self._read = []
            self._show()
            self.cleared.emit()

    def place(self, problem: Problem) -> str:
        """Where a problem is, in the text that is in the editor."""
        if not problem.file:
            return ""
        line = self._line(problem)
        return f"{os.path.basename(problem.file)}:{line or 'deleted'}"

    def menu(self, item: QTreeWidgetItem) -> QMenu:
        """The menu of a row. The fixes of what is wrong in the text of the editor come first, when they are known."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        problem = self._problem(item)
        go = QAction("Go there", menu)
        go.triggered.connect(lambda: self._show_place(problem, True))
        go.setEnabled(problem is not None and bool(problem.file))
        menu.addAction(go)
        if problem is not None and problem.is_in_text and self.writing is not None:
            place = problem.file, problem.line, problem.column
            self.writing.add_fixes(menu, *place, problem.column, lambda: self._show_place(problem, False))
        return menu

    def _show_menu(self, place: QPoint) -> None:
        item, viewport = self.list.itemAt(place), self.list.viewport()
        if item is not None and viewport is not None:
            self.menu(item).popup(viewport.mapToGlobal(place))

    def _problem(self, item: QTreeWidgetItem) -> Optional[Problem]:
        row, problems = self.list.indexOfTopLevelItem(item), self.problems
        return problems[row] if 0 <= row < len(problems) else None

    def _on_state(self) -> None:
        if self._session.state.status == "starting":
            self.clear()

    def _on_error(self, error: Error) -> None:
        if error.command is None and error.location is not None:
            self._add(_reported(error, ERROR if self._session.is_reading else RUN_TIME))

    def _on_stopped(self, stop: Stopped) -> None:
        if stop.reason == "exception" and not stop.past:
            self._add(Problem(RUN_TIME, stop.description, absolute(stop.location.file), stop.location.line,
                              stop.location.column, stop.code or "", stop.help or ""))

    def _add(self, *found: Problem) -> None:
        """What is said twice, at the stop and at the end, is shown once."""
        known = {(one.file, one.line, one.text) for one in self._read}
        new = [one for one in found if (one.file, one.line, one.text) not in known]
        if new:
            self._read += new
            self._show()

    def _on_reported(self, file: str, found: List[Problem]) -> None:
        if found or self._live.get(file) != found:
            self._live[file] = found
            self._show()

    def _line(self, problem: Problem) -> int:
        """The line of a problem in the editor, 0 if it was deleted."""
        return problem.line if problem.is_in_text else self._texts.to_text(problem.file, problem.line)

    def _show(self) -> None:
        self.list.clear()
        for problem in self.problems:
            item = QTreeWidgetItem()
            item.setText(0, (problem.text.splitlines() or [""])[0])
            text = f"{problem.kind}: {problem.explained}"
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, text)
            item.setToolTip(0, tip(text))
            item.setToolTip(1, tip(problem.file))
            self.list.addTopLevelItem(item)
        self._refresh()
        self.count_changed.emit(len(self.problems))

    def _refresh(self) -> None:
        for row, problem in enumerate(self.problems):
            item = self.list.topLevelItem(row)
            if item is None:
                continue
            item.setText(1, self.place(problem))
            color = colors.warning(self.palette()) if problem.kind == WARNING else colors.error(self.palette())
            if self._is_outdated(problem):
                color = colors.faint(self.palette())
            item.setForeground(0, QBrush(color))
        self._mark()

    def _is_outdated(self, problem: Problem) -> bool:
        return bool(problem.file) and not problem.is_in_text and self._texts.is_changed(problem.file, problem.line)

    def _mark(self) -> None:
        if self._editor is None:
            return
        by_file: Dict[str, List[Problem]] = {absolute(file): [] for file in self._editor.open_files()}
        for problem in self.problems:
            if problem.file in by_file and not self._is_outdated(problem):
                by_file[problem.file].append(replace(problem, line=self._line(problem)))
        for file, problems in by_file.items():
            self._editor.set_problems(file, problems)

    def _go(self, item: QTreeWidgetItem, is_written: bool) -> None:
        self._show_place(self._problem(item), is_written)

    def _show_place(self, problem: Optional[Problem], is_written: bool) -> None:
        if problem is None or not problem.file:
            return
        if problem.is_in_text and self._editor is not None:
            self._editor.show_place(problem.file, problem.line, problem.column, is_written)
        else:
            self.place_chosen.emit(problem.file, problem.line, problem.column, is_written)

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            self._refresh()


def _reported(diagnostic: Diagnostic, kind: str) -> Problem:
    place = diagnostic.location
    has_file = place is not None and bool(place.file)
    return Problem(kind, diagnostic.message, absolute(place.file) if place is not None and has_file else "",
                   place.line if place is not None and has_file else 0,
                   place.column if place is not None and has_file else 0, diagnostic.code or "", diagnostic.help or "")
