"""Where a value was changed."""

from __future__ import annotations

import os
from typing import Optional

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QDialog, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from ..protocol import Change, Changes, Error, Event
from .plain import PlainLabel, tip
from .session import DebugSession

_CHANGE, _NEXT = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1

#: How many changes are asked for at once.
_PAGE = 100

_CAUSES = {"written": "changed", "client": "changed in the debugger", "declared": "declared", "passed": "passed",
           "created": "created"}


class ChangesWindow(QDialog):
    """The writes to a variable or a part of one, the latest first; the program can be brought to each of them."""

    #: The step of the change that was chosen.
    step_chosen = pyqtSignal(int)

    def __init__(self, session: DebugSession, expression: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self._session = session
        self._expression = expression
        self._frame_index = session.frame_index
        self.setWindowTitle(f"Where {expression} was changed")
        self.resize(560, 300)
        self.list = QTreeWidget(self)
        self.list.setAccessibleName(f"Changes of {expression}")
        self.list.setHeaderLabels(["Step", "Place", "Before", "After", ""])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
        header = self.list.header()
        if header is not None:
            header.resizeSection(0, 60)
            header.resizeSection(1, 140)
        self.list.itemActivated.connect(self._choose)
        self.note = PlainLabel(self, "Return or a double click goes to the change.")
        self.note.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.note)
        # What is shown belongs to a run.
        session.started.connect(self.close)
        self._ask(None)

    def _ask(self, before: Optional[int]) -> None:
        given = {} if before is None else {"before": before}
        self._session.send("changes", self._take, expression=self._expression, frame_index=self._frame_index,
                           count=_PAGE, **given)

    def _take(self, event: Event) -> None:
        if isinstance(event, Error):
            self.note.setText(event.message)
        elif isinstance(event, Changes):
            self.list.addTopLevelItems([_item(change) for change in event.changes])
            if event.next is not None:
                more = QTreeWidgetItem(["earlier ones …"])
                more.setData(0, _NEXT, event.next)
                self.list.addTopLevelItem(more)
            if self.list.currentItem() is None:
                self.list.setCurrentItem(self.list.topLevelItem(0))

    def _choose(self, item: QTreeWidgetItem) -> None:
        before, change = item.data(0, _NEXT), item.data(0, _CHANGE)
        if before is not None:
            self.list.takeTopLevelItem(self.list.indexOfTopLevelItem(item))
            self._ask(before)
        elif isinstance(change, Change):
            self.step_chosen.emit(change.step)


def _item(change: Change) -> QTreeWidgetItem:
    place = change.location
    item = QTreeWidgetItem([f"{change.step:,}", f"{os.path.basename(place.file)}:{place.line}", change.old_value or "",
                            change.new_value or "", _CAUSES.get(change.cause, change.cause)])
    item.setData(0, _CHANGE, change)
    for column in (2, 3):
        item.setToolTip(column, tip(item.text(column)))
    return item
