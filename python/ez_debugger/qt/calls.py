"""The panel with the calls in progress."""

from __future__ import annotations

import os
from typing import Callable, Optional

from PyQt6.QtCore import QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QBrush, QShowEvent
from PyQt6.QtWidgets import QHeaderView, QMenu, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from ..protocol import Event, Frame, StackTrace, Stopped
from . import colors
from .call_arguments import CallArguments
from .copy_key import CopyKey
from .plain import tip
from .session import DebugSession

_FRAME = Qt.ItemDataRole.UserRole

#: How long after a stop the arguments of the calls in view are asked for, in milliseconds: not while steps follow each
#: other.
_LOOK_AFTER_MS = 60

#: How many calls are asked for at once.
_PAGE = 100


class CallsPanel(QWidget):
    """The calls in progress, innermost first, 100 at a time. The selected one is what the other panels look at."""

    #: The place of a call was chosen: file, line, and whether it is the innermost call.
    place_chosen = pyqtSignal(str, int, bool)

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        self._total = 0
        #: The stop whose calls are in the list.
        self._stop: Optional[Stopped] = None
        #: The line in the editor's text of a line of the program, 0 if it was deleted.
        self.line_in_text: Callable[[str, int], int] = lambda _, line: line
        self._is_filling = False
        self.list = QTreeWidget(self)
        self.list.setAccessibleName("Calls")
        self.list.setHeaderLabels(["Function", "Place"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
        # The end of a place is its line.
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._copy_key = CopyKey(self.list)
        header = self.list.header()
        if header is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(1, 135)
        self.list.currentItemChanged.connect(self._choose)
        self.list.itemActivated.connect(lambda item, _: self._choose(item, None))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list)
        self._arguments = CallArguments(session, self._show_arguments, self)
        self._look = QTimer(self)
        self._look.setSingleShot(True)
        self._look.setInterval(_LOOK_AFTER_MS)
        self._look.timeout.connect(self._ask_for_arguments)
        bar = self.list.verticalScrollBar()
        if bar is not None:
            bar.valueChanged.connect(self._look.start)
            bar.rangeChanged.connect(self._look.start)
        session.stopped.connect(self._on_stopped)
        session.values_changed.connect(self._look.start)
        session.frame_selected.connect(self._look.start)
        session.resumed.connect(self._fade)
        session.input_requested.connect(self._clear)
        session.ended.connect(lambda _: self._clear())

    def frame(self, row: int) -> Optional[Frame]:
        """The call in a row."""
        item = self.list.topLevelItem(row)
        found = item.data(0, _FRAME) if item is not None else None
        return found if isinstance(found, Frame) else None

    def show_places(self) -> None:
        """The text was edited: writes where the calls are in it."""
        for row in range(self.list.topLevelItemCount()):
            frame, item = self.frame(row), self.list.topLevelItem(row)
            if frame is not None and item is not None:
                line = self.line_in_text(frame.file, frame.line)
                item.setText(1, f"{os.path.basename(frame.file)}:{line or 'deleted'}")

    def _on_stopped(self, stop: Stopped) -> None:
        self.list.setEnabled(True)
        self._ask(stop, 0)

    def _ask(self, stop: Stopped, start: int) -> None:
        def take(event: Event) -> None:
            if isinstance(event, StackTrace) and self._session.state.stop is stop:
                self._stop = stop
                self._show(event, start)

        self._session.stack_trace(take, start, _PAGE)

    def _show(self, event: StackTrace, start: int) -> None:
        self._is_filling = True
        if start == 0:
            self.list.clear()
        else:
            self.list.takeTopLevelItem(start)
        self.list.addTopLevelItems([_item(frame) for frame in event.frames])
        self.show_places()
        left = event.total - start - len(event.frames)
        if left > 0:
            more = QTreeWidgetItem([f"{left:,} more calls …", ""])
            more.setForeground(0, QBrush(colors.faint(self.palette())))
            self.list.addTopLevelItem(more)
        self.list.setCurrentItem(self.list.topLevelItem(self._session.frame_index if start == 0 else start))
        self._is_filling = False
        for index, text in self._arguments.texts.items():
            self._show_arguments(index, text)
        self._look.start()

    def showEvent(self, event: Optional[QShowEvent]) -> None:
        """The arguments were not asked for while nobody saw them."""
        super().showEvent(event)
        self._look.start()

    def _ask_for_arguments(self) -> None:
        viewport = self.list.viewport()
        if viewport is None or not self.list.isVisible() or self._session.is_moving:
            return
        item = self.list.itemAt(QPoint(1, 1))
        while item is not None and self.list.visualItemRect(item).top() < viewport.height():
            frame = item.data(0, _FRAME)
            if isinstance(frame, Frame):
                self._arguments.ask([frame.index])
            item = self.list.itemBelow(item)

    def _show_arguments(self, index: int, text: str) -> None:
        item = self.list.topLevelItem(index) if index < self.list.topLevelItemCount() else None
        frame = item.data(0, _FRAME) if item is not None else None
        if item is not None and isinstance(frame, Frame) and frame.index == index:
            item.setText(0, f"{frame.function}{text}")
            item.setToolTip(0, tip(item.text(0)))

    def _fade(self) -> None:
        self.list.setEnabled(False)

    def _clear(self) -> None:
        self._is_filling = True
        self.list.clear()
        self._is_filling = False

    def _choose(self, item: Optional[QTreeWidgetItem], _: object) -> None:
        stop = self._session.state.stop
        if self._is_filling or item is None or stop is None or stop is not self._stop:
            return
        frame = item.data(0, _FRAME)
        if not isinstance(frame, Frame):
            self._ask(stop, self.list.indexOfTopLevelItem(item))
            return
        self._session.select_frame(frame.index)
        self.place_chosen.emit(frame.file, frame.line, frame.index == 0)

    def menu(self) -> QMenu:
        """The menu of the selected call."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        item = self.list.currentItem()
        frame = item.data(0, _FRAME) if item is not None else None
        again = menu.addAction("Back to the beginning of this call")
        if again is not None and isinstance(frame, Frame):
            again.setEnabled("restartFrame" in self._session.state.possible)
            again.triggered.connect(lambda: self._session.restart_frame(frame.index))
        return menu

    def _show_menu(self, place: QPoint) -> None:
        if isinstance(self.frame(self.list.indexOfTopLevelItem(self.list.itemAt(place) or QTreeWidgetItem())), Frame):
            viewport = self.list.viewport()
            if viewport is not None:
                self.menu().popup(viewport.mapToGlobal(place))


def _item(frame: Frame) -> QTreeWidgetItem:
    item = QTreeWidgetItem([frame.function, f"{os.path.basename(frame.file)}:{frame.line}"])
    item.setData(0, _FRAME, frame)
    item.setToolTip(1, tip(f"{frame.file}:{frame.line}"))
    return item
