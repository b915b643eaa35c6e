"""A lazy model of values: parts are fetched when they are opened, 100 at a time."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from PyQt6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QBrush, QFont, QPalette

from ..protocol import Children, Error, Event, Variable
from . import colors
from .plain import tip
from .session import DebugSession
from .value_node import PAGE, Node

_DISPLAY, _EDIT = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole

#: A tool tip shows so much of a value.
_TIP = 2000


class ValueModel(QAbstractItemModel):
    """Columns: name, value, type. Of a value with more than 100 parts, ranges are shown, of which each has at most
    100 rows: a list of a million elements opens at once, and each element is three clicks away.

    `set_values` gives the model the values of another stop; rows that are still there stay, with what is open below.
    """

    #: A value could not be changed: the index and the server's message.
    refused = pyqtSignal(QModelIndex, str)

    def __init__(self, session: DebugSession, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._session = session
        self._root = Node(None)
        self._root.children = []
        self._nodes: Dict[int, Node] = {}
        #: Of which frame the variables are; assignments go there.
        self.frame_index = 0
        self.palette = QPalette()
        #: Whether the values are those of a stop after which the program has gone on: nothing is emphasised then.
        self.is_outdated = False
        self._is_new_stop = False

    # What views ask.

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:
        """Name, value, type."""
        return 3

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        """How many rows are known below a row."""
        node = self.node(parent)
        return len(node.children or ()) if node is not None and parent.column() <= 0 else 0

    def hasChildren(self, parent: QModelIndex = QModelIndex()) -> bool:
        """Whether there is something below a row."""
        node = self.node(parent)
        return node is not None and parent.column() <= 0 and node.has_parts

    def canFetchMore(self, parent: QModelIndex) -> bool:
        """Whether what is below a row has not been asked for yet."""
        node = self.node(parent)
        return node is not None and node.children is None and not node.is_loading and node.has_parts

    def fetchMore(self, parent: QModelIndex) -> None:
        """Asks for what is below a row."""
        node = self.node(parent)
        if node is not None and self.canFetchMore(parent):
            self._load(node)

    def index(self, row: int, column: int, parent: QModelIndex = QModelIndex()) -> QModelIndex:
        """The index of a row below another."""
        node = self.node(parent)
        if node is None or node.children is None or not 0 <= row < len(node.children) or not 0 <= column < 3:
            return QModelIndex()
        return self.createIndex(row, column, node.children[row].number)

    def parent(self, child: Optional[QModelIndex] = None) -> Any:
        """The index of the row above; without an argument the object that owns the model."""
        if child is None:
            return super().parent()
        node = self.node(child)
        return self.index_of(node.parent) if node is not None and node.parent is not None else QModelIndex()

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        """Values can be edited where the engine would take another one."""
        flags = super().flags(index)
        node = self.node(index)
        if index.column() == 1 and node is not None and self.can_edit(node):
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """The titles of the columns."""
        if orientation == Qt.Orientation.Horizontal and role == _DISPLAY and 0 <= section < 3:
            return ("Name", "Value", "Type")[section]
        return None

    def data(self, index: QModelIndex, role: int = _DISPLAY) -> Any:
        """Texts, and the marks of what has changed."""
        node = self.node(index)
        if node is None or node.parent is None:
            return None
        if role == _DISPLAY:
            return self._text(node, index.column())
        if role == _EDIT and index.column() == 1 and node.variable is not None:
            # The values of arrays and maps are not written as EZ expressions.
            has_parts = node.variable.reference or node.variable.type in ("array", "map")
            return "" if has_parts or node.variable.truncated else node.variable.value
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self._tip(node, index.column()))
        if role == Qt.ItemDataRole.FontRole:
            font = QFont()
            is_new = node.has_changed and index.column() == 1 and not self.is_outdated
            font.setBold(node.variable is None and not node.is_range or is_new)
            font.setItalic(node.is_range)
            return font
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._brush(node, index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            changed = ", changed" if node.has_changed and index.column() == 1 else ""
            return f"{self._text(node, index.column())}{changed}"
        return None

    def setData(self, index: QModelIndex, value: Any, role: int = _EDIT) -> bool:
        """Assigns to a variable or a part; `refused` says what the server has against it."""
        node = self.node(index)
        if role != _EDIT or node is None or not self.can_edit(node):
            return False
        persistent = self.index_of(node, 1)

        def take(event: Event) -> None:
            if isinstance(event, Error):
                self.refused.emit(persistent, event.message)

        self.assign(node, str(value), take)
        return True

    # What panels ask.

    def node(self, index: QModelIndex) -> Optional[Node]:
        """The row of an index, None if it is gone; of no index the root."""
        return self._nodes.get(index.internalId()) if index.isValid() else self._root

    def index_of(self, node: Optional[Node], column: int = 0) -> QModelIndex:
        """The index of a row."""
        if node is None or node.parent is None:
            return QModelIndex()
        return self.createIndex(node.row, column, node.number)

    def can_edit(self, node: Node) -> bool:
        """Whether the engine would take another value."""
        return (node.variable is not None and node.variable.mutable and not node.note
                and "setVariable" in self._session.state.possible)

    def assign(self, node: Node, text: str, on_answer: Callable[[Event], None]) -> None:
        """Assigns an expression to a variable or a part."""
        if node.variable is not None:
            self._session.set_variable(on_answer, node.variable.name, text, node.container_reference, self.frame_index)

    def set_open(self, index: QModelIndex, is_open: bool) -> None:
        """The view shows what is below a row, or does not any more."""
        node = self.node(index)
        if node is not None:
            node.is_open = is_open

    def set_values(self, groups: Sequence[Sequence[Variable]], titles: Sequence[str], is_new_stop: bool) -> None:
        """The values of a stop: in groups with titles; a group without a title has its values at the top.

        `is_new_stop` is False for the same stop, after an assignment.
        """
        self._is_new_stop = is_new_stop
        if len(titles) == 1 and not titles[0]:
            self._merge(self._root, list(groups[0]))
            return
        shown = [(title, list(group)) for title, group in zip(titles, groups) if group]
        self._merge_groups([title for title, _ in shown])
        for node, (_, group) in zip(self._root.children or (), shown):
            self._merge(node, group)

    def set_note(self, node: Node, note: str) -> None:
        """Shows a text in the place of a value."""
        node.note = note
        self._tell(node)

    def clear(self) -> None:
        """Takes all rows away."""
        self.beginResetModel()
        self._nodes.clear()
        self._root = Node(None)
        self._root.children = []
        self.endResetModel()

    # Texts.

    def _text(self, node: Node, column: int) -> str:
        if column == 0:
            return node.name
        if node.variable is None:
            return ""
        if column == 1:
            return node.note or node.variable.value
        return node.variable.declared_type or node.variable.type

    def _tip(self, node: Node, column: int) -> str:
        text = self._text(node, column)
        if node.variable is not None and node.variable.truncated and column == 1:
            text += f"\n({node.variable.children:,} parts)" if node.variable.children else "\n(cut)"
        return text[:_TIP]

    def _brush(self, node: Node, column: int) -> Optional[QBrush]:
        if self.is_outdated:
            return QBrush(colors.outdated(self.palette))
        if column == 2 or node.is_range:
            return QBrush(colors.faint(self.palette))
        if column == 1 and node.note:
            return QBrush(colors.error(self.palette))
        if column == 1 and node.has_changed:
            return QBrush(colors.changed(self.palette))
        return None

    # Fetching.

    def _load(self, node: Node) -> None:
        ranges = node.ranges()
        if ranges:
            self._insert(node, 0, [Node(node, first=first, size=size) for first, size in ranges])
            return
        node.is_loading = True
        self._fetch(node, node.first, [])

    def _fetch(self, node: Node, start: int, before: List[Variable]) -> None:
        """Asks for the parts of a row from `start` on; what is there already is in `before`."""
        reference = node.reference
        end = node.first + node.part_count

        def take(event: Event) -> None:
            if node.reference != reference or not self._is_there(node):
                return
            if not isinstance(event, Children):
                node.is_loading = False
                return
            parts = [*before, *event.children]
            next_start = start + len(event.children)
            if event.children and next_start < min(end, event.total):
                self._fetch(node, next_start, parts)
            else:
                node.is_loading = False
                self._merge(node, parts)

        if not self._session.get_children(take, reference, start, min(PAGE, end - start)):
            node.is_loading = False

    def _is_there(self, node: Node) -> bool:
        return node is self._root or self._nodes.get(node.number) is node

    # Changes.

    def _insert(self, parent: Node, row: int, nodes: List[Node]) -> None:
        if not nodes:
            parent.children = parent.children or []
            return
        self.beginInsertRows(self.index_of(parent), row, row + len(nodes) - 1)
        children = parent.children = parent.children or []
        children[row:row] = nodes
        for node in nodes:
            self._nodes[node.number] = node
        self._number(children, row)
        self.endInsertRows()

    def _remove(self, parent: Node, row: int, count: int) -> None:
        if count <= 0 or parent.children is None:
            return
        self.beginRemoveRows(self.index_of(parent), row, row + count - 1)
        for node in parent.children[row:row + count]:
            self._forget(node)
        del parent.children[row:row + count]
        self._number(parent.children, row)
        self.endRemoveRows()

    def _forget(self, node: Node) -> None:
        self._nodes.pop(node.number, None)
        for child in node.children or ():
            self._forget(child)

    def _number(self, nodes: List[Node], start: int) -> None:
        for row in range(start, len(nodes)):
            nodes[row].row = row

    def _tell(self, node: Node) -> None:
        self.dataChanged.emit(self.index_of(node), self.index_of(node, 2))

    def _merge_groups(self, titles: List[str]) -> None:
        children = self._root.children or []
        for row in range(len(children) - 1, -1, -1):
            if children[row].title not in titles:
                self._remove(self._root, row, 1)
        for row, title in enumerate(titles):
            children = self._root.children or []
            if row >= len(children) or children[row].title != title:
                self._insert(self._root, row, [Node(self._root, title=title)])

    def _merge(self, parent: Node, values: List[Variable]) -> None:
        """Makes the rows below a row those of some values; rows of the same name stay."""
        old = parent.children or []
        names = [value.name for value in values]
        known = [node.name for node in old]
        before = 0
        while before < min(len(names), len(known)) and names[before] == known[before]:
            before += 1
        after = 0
        while after < min(len(names), len(known)) - before and names[-1 - after] == known[-1 - after]:
            after += 1
        self._remove(parent, before, len(old) - before - after)
        new = values[before:len(values) - after]
        self._insert(parent, before, [self._make(parent, value) for value in new])
        for node, value in zip(list(parent.children or ()), values):
            if node.variable is not value:
                self._update(node, value)

    def _make(self, parent: Node, value: Variable) -> Node:
        node = Node(parent, value)
        node.has_changed = value.changed
        return node

    def _update(self, node: Node, value: Variable) -> None:
        old = node.variable
        node.variable = value
        if old is not None:
            is_different = old.value != value.value or old.type != value.type
            # Of parts, the engine does not say whether they have changed.
            stays = node.has_changed and not self._is_new_stop
            node.has_changed = value.changed if value.scope else is_different or stays
        self._tell(node)
        self._renew(node)

    def _renew(self, node: Node) -> None:
        """A value is another one: what is below is fetched anew if it is shown, forgotten if not."""
        node.is_loading = False
        if node.children is None:
            return
        ranges = node.ranges()
        shows_ranges = bool(node.children and node.children[0].is_range)
        if not node.is_open or not node.has_parts or bool(ranges) != shows_ranges:
            was_open = node.is_open
            self._remove(node, 0, len(node.children))
            node.children = None
            if was_open and node.has_parts:
                self._load(node)
        elif not ranges:
            self._fetch(node, node.first, [])
        else:
            self._renew_ranges(node, ranges)

    def _renew_ranges(self, node: Node, ranges: List[Any]) -> None:
        children = node.children or []
        common = 0
        for child, (first, size) in zip(children, ranges):
            if child.first != first:
                break
            common += 1
            if child.size != size:
                child.size = size
                self._tell(child)
            self._renew(child)
        self._remove(node, common, len(children) - common)
        self._insert(node, common, [Node(node, first=first, size=size) for first, size in ranges[common:]])

