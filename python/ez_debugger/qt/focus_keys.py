"""Keys with which the keyboard gets from the editor to the panels, and back."""

from __future__ import annotations

from typing import Callable, Optional

from PyQt6 import sip
from PyQt6.QtCore import QObject
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QApplication, QWidget

from .cases import CasesPanel
from .console import ConsolePanel
from .pages import Pages
from .variables import VariablesPanel


class FocusKeys(QObject):
    """Actions that give the focus to the variables, to the line in which one types for the program or evaluates, and to
    the cases.

    Where the focus is there already, it goes back to where it was.
    """

    def __init__(self, panel: QWidget, pages: Pages, variables: VariablesPanel, console: ConsolePanel, cases: CasesPanel,
                 window: QWidget) -> None:
        """`panel` is shown if it is hidden; the keys work in `window`."""
        super().__init__(panel)
        self._panel, self._pages, self._variables, self._console = panel, pages, variables, console
        self._cases = cases
        self._before: Optional[QWidget] = None
        self.variables_action = self._action("Go to the variables", "Ctrl+Shift+V", self._to_variables, window)
        self.console_action = self._action("Go to the console", "Ctrl+Shift+Y", self._to_console, window)
        self.cases_action = self._action("Go to the cases", "Ctrl+Shift+E", self._to_cases, window)
        #: All of them.
        self.actions = [self.variables_action, self.console_action, self.cases_action]

    def _to_variables(self) -> None:
        view = self._variables.view
        if not view.currentIndex().isValid():
            # The first variable, below the name of its group.
            view.setCurrentIndex(view.indexBelow(view.values.index(0, 0)))
        self._go(self._variables, view)

    def _to_console(self) -> None:
        console = self._console
        wanted = console.input if console.input_row.isVisibleTo(console) else console.prompt
        # While the program runs there is nothing to type, but much to read.
        self._go(console, wanted if wanted.isEnabled() else console.output)

    def _to_cases(self) -> None:
        cases = self._cases.list
        if cases.currentItem() is None:
            cases.setCurrentItem(cases.topLevelItem(0))
        # Without cases there is a button that makes the first.
        self._go(self._cases, cases if cases.topLevelItemCount() else self._cases.add_button)

    def _go(self, page: QWidget, wanted: QWidget) -> None:
        now, before = QApplication.focusWidget(), self._before
        if now is wanted and before is not None and not sip.isdeleted(before) and before.isVisible():
            before.setFocus()
            return
        if now is not None and not self._panel.isAncestorOf(now):
            self._before = now
        self._panel.show()
        self._pages.show_page(page)
        wanted.setFocus()

    def _action(self, text: str, key: str, slot: Callable[[], None], window: QWidget) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(slot)
        window.addAction(action)
        return action
