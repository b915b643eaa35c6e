"""The panel with all breakpoints, and the errors at which the program stops."""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, List, Optional

from PyQt6.QtCore import QEvent, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QBrush, QKeySequence
from PyQt6.QtWidgets import (QCheckBox, QHBoxLayout, QHeaderView, QLineEdit, QMenu, QTreeWidget, QTreeWidgetItem,
                             QVBoxLayout, QWidget)

from . import colors
from .breakpoint_dialog import BreakpointDialog
from .breakpoint_store import FUNCTION, LINE, BreakpointStore, ErrorStop, UserBreakpoint
from .copy_key import CopyKey
from .plain import tip

_ERROR_TEXTS = {"uncaught": ("Run-time errors", "Stop where a run-time error has happened"),
                "errorValue": ("Error values", "Stop where an Error value comes into being")}


class BreakpointsPanel(QWidget):
    """Breakpoints at lines, functions and writes, with switches and hits; which errors stop the program."""

    #: The place of a breakpoint was chosen: file and line.
    place_chosen = pyqtSignal(str, int)

    def __init__(self, store: BreakpointStore, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._store = store
        self._shown: List[UserBreakpoint] = []
        self._is_filling = False
        self.list = QTreeWidget(self)
        self.list.setAccessibleName("Breakpoints")
        self.list.setHeaderLabels(["Breakpoint", "Hits", "Stops if"])
        self.list.setRootIsDecorated(False)
        self.list.setAllColumnsShowFocus(True)
        self._copy_key = CopyKey(self.list)
        header = self.list.header()
        if header is not None:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(0, 170)
            header.resizeSection(1, 50)
        self.list.itemChanged.connect(self._switch)
        self.list.itemActivated.connect(self._go)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        remove = QAction("Remove", self.list)
        remove.setShortcut(QKeySequence(Qt.Key.Key_Delete))
        remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        remove.triggered.connect(self.remove_current)
        self.list.addAction(remove)
        self.function = QLineEdit(self)
        self.function.setPlaceholderText("Stop in a function: its name")
        self.function.setAccessibleName("Function to stop in")
        self.function.returnPressed.connect(self._add_function)
        self.error_boxes: Dict[str, QCheckBox] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(self._error_row())
        layout.addWidget(self.list)
        layout.addWidget(self.function)
        store.changed.connect(self.refresh)
        self.refresh()

    def _error_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(6, 4, 6, 2)
        for stop in self._store.error_stops:
            text, purpose = _ERROR_TEXTS[stop.filter_id]
            box = QCheckBox(text)
            box.setToolTip(tip(purpose))
            box.setAccessibleName(purpose)
            box.setChecked(stop.enabled)
            box.toggled.connect(lambda on, name=stop.filter_id: self._store.set_error_stop(name, on))
            self.error_boxes[stop.filter_id] = box
            row.addWidget(box)
        row.addStretch()
        return row

    def current(self) -> Optional[UserBreakpoint]:
        """The selected breakpoint."""
        row = self.list.indexOfTopLevelItem(self.list.currentItem() or QTreeWidgetItem())
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def remove_current(self) -> None:
        """Takes the selected breakpoint away."""
        breakpoint = self.current()
        if breakpoint is not None:
            self._store.remove(breakpoint)

    def refresh(self) -> None:
        """Shows what the store has."""
        self._is_filling = True
        shown = self._store.breakpoints
        if len(shown) != self.list.topLevelItemCount():
            self.list.clear()
            self.list.addTopLevelItems([QTreeWidgetItem() for _ in shown])
        self._shown = list(shown)
        for row, breakpoint in enumerate(shown):
            item = self.list.topLevelItem(row)
            if item is not None:
                self._fill(item, breakpoint)
        for stop in self._store.error_stops:
            self._show_error_stop(self.error_boxes[stop.filter_id], stop)
        self._is_filling = False

    def _show_error_stop(self, box: QCheckBox, stop: ErrorStop) -> None:
        """The tick is this client's; what a guest has set is said beside it."""
        text, purpose = _ERROR_TEXTS[stop.filter_id]
        box.setChecked(stop.enabled)
        box.setText(f"{text} (a guest)" if stop.by_guest else text)
        box.setToolTip(tip(f"{purpose}. A guest of the session has set this." if stop.by_guest else purpose))

    def _fill(self, item: QTreeWidgetItem, breakpoint: UserBreakpoint) -> None:
        reported = breakpoint.reported
        item.setText(0, title(breakpoint))
        item.setText(1, str(reported.hits) if reported is not None and reported.hits is not None else "")
        item.setText(2, _options(breakpoint))
        item.setCheckState(0, Qt.CheckState.Checked if breakpoint.enabled else Qt.CheckState.Unchecked)
        message = breakpoint.message
        for column in range(3):
            item.setToolTip(column, tip(message or breakpoint.file))
            color = colors.faint(self.palette()) if breakpoint.is_wrong or not breakpoint.enabled else None
            item.setForeground(column, QBrush(color) if color is not None else QBrush())
        if breakpoint.is_wrong and message:
            item.setText(2, message)
            item.setForeground(2, QBrush(colors.error(self.palette())))

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            self.refresh()

    def _switch(self, item: QTreeWidgetItem, column: int) -> None:
        row = self.list.indexOfTopLevelItem(item)
        if not self._is_filling and column == 0 and 0 <= row < len(self._shown):
            self._store.change(self._shown[row], enabled=item.checkState(0) == Qt.CheckState.Checked)

    def _go(self, item: QTreeWidgetItem) -> None:
        row = self.list.indexOfTopLevelItem(item)
        if 0 <= row < len(self._shown):
            breakpoint = self._shown[row]
            reported = breakpoint.reported
            if breakpoint.kind == LINE:
                self.place_chosen.emit(breakpoint.file, breakpoint.line)
            elif reported is not None and reported.file and reported.actual_line:
                line = self._store.lines.to_text(reported.file, reported.actual_line)
                self.place_chosen.emit(reported.file, line)

    def _add_function(self) -> None:
        # Several lines may have been pasted.
        for name in self.function.text().split():
            self._store.add(UserBreakpoint(FUNCTION, name=name))
        self.function.clear()

    def menu(self) -> QMenu:
        """The menu of the selected breakpoint."""
        return breakpoint_menu(self._store, self.current(), self)

    def _show_menu(self, place: QPoint) -> None:
        viewport = self.list.viewport()
        if viewport is not None:
            self.menu().popup(viewport.mapToGlobal(place))


def breakpoint_menu(store: BreakpointStore, breakpoint: Optional[UserBreakpoint], parent: QWidget) -> QMenu:
    """What can be done with a breakpoint, or without one."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if breakpoint is not None:
        _add(menu, "Condition, hits, message …", lambda: BreakpointDialog(store, breakpoint, parent).open())
        word = "Disable" if breakpoint.enabled else "Enable"
        _add(menu, word, lambda: store.change(breakpoint, enabled=not breakpoint.enabled))
        _add(menu, "Remove", lambda: store.remove(breakpoint))
        menu.addSeparator()
    for word, enabled in (("Enable", True), ("Disable", False)):
        switch = _add(menu, f"{word} all breakpoints", partial(_switch_all, store, enabled))
        switch.setEnabled(any(one.enabled != enabled for one in store.breakpoints))
    everything = _add(menu, "Remove all breakpoints", store.remove_all)
    everything.setEnabled(bool(store.breakpoints))
    return menu


def _switch_all(store: BreakpointStore, enabled: bool, _: bool = False) -> None:
    for one in list(store.breakpoints):
        if one.enabled != enabled:
            store.change(one, enabled=enabled)


def _add(menu: QMenu, text: str, slot: Callable[[], object]) -> QAction:
    action = QAction(text, menu)
    action.triggered.connect(slot)
    menu.addAction(action)
    return action


def title(breakpoint: UserBreakpoint) -> str:
    """What a breakpoint is at, and who has set it, if another client has."""
    return f"{_place(breakpoint)}, set by {breakpoint.set_by}" if breakpoint.set_by else _place(breakpoint)


def _place(breakpoint: UserBreakpoint) -> str:
    reported = breakpoint.reported
    if breakpoint.kind == LINE:
        return f"{os.path.basename(breakpoint.file)}:{breakpoint.line}"
    if breakpoint.kind == FUNCTION:
        return f"{breakpoint.name}()"
    return f"writes: {reported.description if reported is not None and reported.description else breakpoint.name}"


def _options(breakpoint: UserBreakpoint) -> str:
    parts = []
    if breakpoint.condition:
        parts.append(breakpoint.condition)
    if breakpoint.hit_condition:
        parts.append(f"hit {breakpoint.hit_condition}")
    if breakpoint.log_message:
        parts.append(f"writes “{breakpoint.log_message}”")
    return ", ".join(parts)
