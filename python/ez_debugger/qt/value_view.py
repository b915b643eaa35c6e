"""A tree of values with a menu."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Set, Tuple

from PyQt6.QtCore import QEvent, QModelIndex, QPoint, QPointF, QRect, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QPainter, QPolygonF
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTreeView, QWidget

from . import colors
from .copy_key import CopyKey
from .session import DebugSession
from .value_edit import ValueDelegate
from .value_model import ValueModel
from .value_node import Node


_EDIT_KEYS = (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NO_MODIFIERS = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class ValueView(QTreeView):
    """Shows a `ValueModel`. What is open stays open from stop to stop, for each function on its own."""

    #: The node whose writes the user wants to stop at.
    stop_on_write_requested = pyqtSignal(object)
    #: The expression whose last change the user wants to see.
    last_change_requested = pyqtSignal(str)
    #: The expression whose computation the user wants to see.
    computed_requested = pyqtSignal(str)
    #: The expression whose changes the user wants to see.
    changes_requested = pyqtSignal(str)
    #: The expression that the user wants to watch.
    watch_requested = pyqtSignal(str)
    #: The expression whose value the user wants to see as a tree.
    tree_requested = pyqtSignal(str)

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        self.values = ValueModel(session, self)
        self.values.palette = self.palette()
        self.setModel(self.values)
        self.delegate = ValueDelegate(self)
        self.setItemDelegateForColumn(1, self.delegate)
        self.setUniformRowHeights(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        if header is not None:
            header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
            header.setStretchLastSection(True)
            header.resizeSection(0, 140)
            header.resizeSection(1, 150)
        #: The paths of the rows that are open or shut against the default, by function.
        self._open: Dict[str, Set[Tuple[str, ...]]] = {}
        self._shut: Dict[str, Set[Tuple[str, ...]]] = {}
        self._function = ""
        self._is_restoring = False
        self.expanded.connect(lambda index: self._remember(index, True))
        self.collapsed.connect(lambda index: self._remember(index, False))
        self.values.rowsInserted.connect(self._restore)
        # A window that has an action with this key carries out neither of two.
        self._copy_key = CopyKey(self, self._copy_current)

    def set_function(self, name: str) -> None:
        """The values are those of a function."""
        if name != self._function:
            self.delegate.close()
            self.values.clear()
            self._function = name

    def set_outdated(self, is_outdated: bool) -> None:
        """The program goes on: the values are those of the stop before, and grey."""
        if is_outdated:
            self.delegate.close()
        self.values.is_outdated = is_outdated
        self.setEnabled(not is_outdated)

    def refresh_layout(self) -> None:
        """Rows may have got something below, or lost it."""
        self.scheduleDelayedItemsLayout()

    def current_node(self) -> Optional[Node]:
        """The selected row."""
        index = self.currentIndex()
        return self.values.node(index) if index.isValid() else None

    def drawBranches(self, painter: Optional[QPainter], rect: QRect, index: QModelIndex) -> None:
        """A triangle where there is something below: style sheets may leave it out."""
        node = self.values.node(index)
        if painter is None or node is None or not node.has_parts:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.faint(self.palette()))
        middle = QPointF(rect.right() - self.indentation() / 2, rect.center().y() + 0.5)
        painter.translate(middle)
        if self.isExpanded(index):
            painter.rotate(90)
        painter.drawPolygon(QPolygonF([QPointF(-2.5, -4.5), QPointF(3.5, 0), QPointF(-2.5, 4.5)]))
        painter.restore()

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.values.palette = self.palette()

    def keyPressEvent(self, event: Optional[QKeyEvent]) -> None:
        """F2 and Return open the field of the row's value, whatever cell is selected."""
        index = self.currentIndex().siblingAtColumn(1)
        is_edit = event is not None and event.key() in _EDIT_KEYS and event.modifiers() in _NO_MODIFIERS
        if event is not None and event.key() == Qt.Key.Key_Asterisk:
            # Qt would open everything below, without an end.
            self.expand(self.currentIndex())
        elif is_edit and self.values.flags(index) & Qt.ItemFlag.ItemIsEditable:
            self.edit(index)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: Optional[QContextMenuEvent]) -> None:
        """The menu of a row, with the mouse or the menu key."""
        if event is None:
            return
        menu = self.menu()
        if menu is not None:
            place = event.globalPos()
            if event.reason() == QContextMenuEvent.Reason.Keyboard:
                viewport = self.viewport()
                below = self.visualRect(self.currentIndex()).bottomLeft()
                place = viewport.mapToGlobal(below) if viewport is not None else QPoint()
            menu.popup(place)

    def menu(self) -> Optional[QMenu]:
        """The menu of the selected row."""
        node = self.current_node()
        if node is None or node.variable is None:
            return None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        possible = self._session.state.possible
        expression = node.variable.evaluate_name or ""
        change = self._add(menu, "Change the value", lambda: self.edit(self.values.index_of(node, 1)))
        change.setEnabled(self.values.can_edit(node))
        stop = self._add(menu, "Stop when it changes", lambda: self.stop_on_write_requested.emit(node))
        stop.setEnabled("setVariable" in possible and (bool(node.variable.scope) or node.container_reference > 0))
        where = self._add(menu, "Where did it get this value?", lambda: self.last_change_requested.emit(expression))
        computed = self._add(menu, "How was this computed?", lambda: self.computed_requested.emit(expression))
        changes = self._add(menu, "Where was this changed?", lambda: self.changes_requested.emit(expression))
        for action in (where, computed, changes):
            action.setEnabled(bool(expression) and "goToStep" in possible)
        menu.addSeparator()
        watch = self._add(menu, "Watch", lambda: self.watch_requested.emit(expression))
        watch.setEnabled(bool(expression))
        tree = self._add(menu, "Show as a tree", lambda: self.tree_requested.emit(expression))
        tree.setEnabled(bool(expression) and node.has_parts and "evaluate" in possible)
        menu.addSeparator()
        self._add(menu, "Copy value", self._copy_current)
        copy = self._add(menu, "Copy expression", lambda: _copy(expression))
        copy.setEnabled(bool(expression))
        return menu

    def _add(self, menu: QMenu, text: str, slot: Callable[[], object]) -> QAction:
        action = QAction(text, menu)
        action.triggered.connect(slot)
        menu.addAction(action)
        return action

    def _copy_current(self) -> None:
        node = self.current_node()
        if node is not None and node.variable is not None:
            _copy(node.note or node.variable.value)

    def _remember(self, index: QModelIndex, is_open: bool) -> None:
        self.values.set_open(index, is_open)
        if is_open and self.values.canFetchMore(index):
            # A view that is not shown does not ask by itself.
            self.values.fetchMore(index)
        node = self.values.node(index)
        if node is None or self._is_restoring:
            return
        is_group = node.variable is None and not node.is_range
        exceptions = self._shut if is_group else self._open
        paths = exceptions.setdefault(self._function, set())
        if is_open != is_group:
            paths.add(node.path)
        else:
            paths.discard(node.path)

    def _restore(self, parent: QModelIndex, first: int, last: int) -> None:
        opened: Set[Tuple[str, ...]] = self._open.get(self._function, set())
        shut: Set[Tuple[str, ...]] = self._shut.get(self._function, set())
        above = self.values.node(parent)
        if above is None or above.children is None:
            return
        to_open: List[Node] = []
        for node in above.children[first:last + 1]:
            is_group = node.variable is None and not node.is_range
            if node.variable is None:
                self.setFirstColumnSpanned(node.row, parent, True)
            if node.path not in shut if is_group else node.path in opened:
                to_open.append(node)
        self._is_restoring = True
        for node in to_open:
            self.expand(self.values.index_of(node))
        self._is_restoring = False


def _copy(text: str) -> None:
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)
