"""The panels of a program and of the EZ programs that it starts."""

from __future__ import annotations

import os
from typing import Dict, List, Optional

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QStackedWidget, QWidget

from ..protocol import ChildEnded, Process
from .breakpoint_store import LINE, UserBreakpoint
from .panel import DebuggerPanel
from .session import DebugSession


class ProcessPanels(QSplitter):
    """A list of processes, and the panels of the one that is selected.

    `panel` has those of the program. Each child process gets a session and panels of its own, with the
    breakpoints that are set at that time; a process that has ended stays in the list until the program starts
    again. Set `Launch.children` of the program.
    """

    #: The panels of a new child process: a `DebuggerPanel`, for programs that attach their editor to it.
    panel_added = pyqtSignal(object)

    def __init__(self, panel: DebuggerPanel, parent: Optional[QWidget] = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.panel = panel
        #: The panels of the child processes, by process id.
        self.children_panels: Dict[int, DebuggerPanel] = {}
        self._items: Dict[int, QListWidgetItem] = {}
        self.list = QListWidget(self)
        self.list.setAccessibleName("Processes")
        self.pages = QStackedWidget(self)
        self.addWidget(self.list)
        self.addWidget(self.pages)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)
        self._own = QListWidgetItem("")
        self.list.addItem(self._own)
        self.pages.addWidget(panel)
        self.list.currentRowChanged.connect(self.pages.setCurrentIndex)
        self.list.setCurrentRow(0)
        panel.session.child_started.connect(self._add)
        panel.session.child_ended.connect(self._on_ended)
        panel.session.initialized.connect(self._clear)
        panel.session.state_changed.connect(self._show_own)
        self._show_own()

    def select(self, pid: int) -> None:
        """Shows the panels of a child process."""
        if pid in self._items:
            self.list.setCurrentItem(self._items[pid])

    def texts(self) -> List[str]:
        """The lines of the list."""
        items = [self.list.item(row) for row in range(self.list.count())]
        return [item.text() for item in items if item is not None]

    def close_all(self) -> None:
        """Closes the sessions; child processes that still run go on without them."""
        for panel in self.children_panels.values():
            panel.session.close()
        self.panel.session.close()

    def _show_own(self) -> None:
        launch = self.panel.session.launch
        name = os.path.basename(launch.file) if launch is not None and launch.file else "Program"
        self._own.setText(f"{name}: {self.panel.session.state.status}")

    def _add(self, process: Process) -> None:
        if process.pid in self.children_panels or process.port is None:
            return
        session = DebugSession(parent=self)
        panel = DebuggerPanel(session)
        item = QListWidgetItem("")
        self.children_panels[process.pid], self._items[process.pid] = panel, item
        for one in self.panel.store.breakpoints:
            if one.kind == LINE:
                panel.store.add(UserBreakpoint(
                    LINE, file=one.file, line=one.line, condition=one.condition, hit_condition=one.hit_condition,
                    log_message=one.log_message, enabled=one.enabled))
        self.pages.addWidget(panel)
        self.list.addItem(item)
        name = f"{os.path.basename(process.file)} ({process.pid})"

        def show() -> None:
            item.setText(f"{name}: {session.state.status}")

        session.state_changed.connect(show)
        session.stopped.connect(lambda _: self.select(process.pid))
        self.panel_added.emit(panel)
        session.attach(process)
        show()

    def _on_ended(self, ended: ChildEnded) -> None:
        item = self._items.get(ended.pid)
        if item is not None and self.list.currentItem() is item:
            self.list.setCurrentRow(0)

    def _clear(self) -> None:
        self.list.setCurrentRow(0)
        for pid, panel in self.children_panels.items():
            panel.session.close()
            self.list.takeItem(self.list.row(self._items[pid]))
            self.pages.removeWidget(panel)
            panel.deleteLater()
        self.children_panels.clear()
        self._items.clear()
