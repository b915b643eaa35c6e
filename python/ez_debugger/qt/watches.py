"""The panel with expressions that are evaluated at each stop."""

from __future__ import annotations

from typing import Dict, List, Optional

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QLineEdit, QMenu, QVBoxLayout, QWidget

from ..protocol import Error, Event, Variable, Watch, WatchAdded, Watches
from .session import DebugSession
from .value_node import Node
from .value_view import ValueView


class _WatchView(ValueView):
    """A tree of values whose outermost rows can be removed."""

    def __init__(self, session: DebugSession, panel: "WatchesPanel") -> None:
        super().__init__(session, panel)
        self._panel = panel

    def menu(self) -> Optional[QMenu]:
        """The menu of the selected row."""
        menu = super().menu()
        node = self.current_node()
        if menu is not None and node is not None and node.parent is not None and node.parent.parent is None:
            remove = QAction("Remove", menu)
            remove.triggered.connect(self._panel.remove_current)
            menu.insertAction(menu.actions()[0], remove)
        return menu


class WatchesPanel(QWidget):
    """Expressions and their values. They outlive servers and runs."""

    #: `expressions` has changed.
    expressions_changed = pyqtSignal()

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        #: The expressions, in the order in which they were added.
        self.expressions: List[str] = []
        self._ids: Dict[str, int] = {}
        self.view = _WatchView(session, self)
        self.view.setAccessibleName("Watches")
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Add an expression to watch")
        self.field.setAccessibleName("Expression to watch")
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._add_from_field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.view)
        layout.addWidget(self.field)
        remove = QAction("Remove", self.view)
        remove.setShortcut(QKeySequence(Qt.Key.Key_Delete))
        remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        remove.triggered.connect(self.remove_current)
        self.view.addAction(remove)
        self._ask = QTimer(self)
        self._ask.setSingleShot(True)
        self._ask.timeout.connect(lambda: self._ask_for_values(False))
        session.initialized.connect(self._send_all)
        session.stopped.connect(lambda _: self._ask_for_values(True))
        session.watch_updated.connect(lambda _: self._ask.start(0))
        session.values_changed.connect(lambda: self._ask.start(0))
        session.resumed.connect(lambda: self.view.set_outdated(True))
        session.stopped.connect(lambda _: self.view.set_outdated(False))
        session.ended.connect(lambda _: self._on_ended())

    def add(self, expression: str) -> None:
        """Watches an expression."""
        expression = expression.strip()
        if expression and expression not in self.expressions:
            self.expressions.append(expression)
            self._send(expression)
            self._show([])
            self.expressions_changed.emit()

    def remove(self, expression: str) -> None:
        """Watches an expression no more."""
        if expression in self.expressions:
            self.expressions.remove(expression)
            id = self._ids.pop(expression, None)
            if id is not None:
                self._session.send("removeWatch", id=id)
            self._show([])
            self._ask.start(0)
            self.expressions_changed.emit()

    def remove_current(self) -> None:
        """Removes the selected expression."""
        node = self.view.current_node()
        while node is not None and node.parent is not None and node.parent.parent is not None:
            node = node.parent
        if node is not None:
            self.remove(node.name)

    def _add_from_field(self) -> None:
        self.add(self.field.text())
        self.field.clear()

    def _send_all(self) -> None:
        self._ids = {}
        for expression in self.expressions:
            self._send(expression)

    def _send(self, expression: str) -> None:
        def take(event: Event) -> None:
            if isinstance(event, WatchAdded):
                self._ids[expression] = event.id
                self._ask.start(0)
            elif isinstance(event, Error):
                self._show([Watch(expression=expression, error=event.message)])

        self._session.send("addWatch", take, expression=expression)

    def _ask_for_values(self, is_new_stop: bool) -> None:
        # References end with each stop, also of watches that show the same as before.
        if not self.expressions or self._session.state.stop is None:
            return

        def take(event: Event) -> None:
            if isinstance(event, Watches):
                self._show(list(event.watches), is_new_stop)

        self._session.send("getWatches", take)

    def _on_ended(self) -> None:
        self._ids = {}
        self.view.set_outdated(False)
        self._show([])

    def _show(self, watches: List[Watch], is_new_stop: bool = False) -> None:
        by_expression = {one.expression: one for one in watches}
        values = [_value(expression, by_expression.get(expression)) for expression in self.expressions]
        model = self.view.values
        model.set_values([values], [""], is_new_stop)
        for row, value in enumerate(values):
            node: Optional[Node] = model.node(model.index(row, 0))
            if node is not None:
                watch = by_expression.get(value.name)
                model.set_note(node, watch.error or "" if watch is not None else "")
        self.view.refresh_layout()


def _value(expression: str, watch: Optional[Watch]) -> Variable:
    if watch is None:
        return Variable(name=expression, evaluate_name=expression)
    return Variable(
        name=expression, value=watch.value or "", type=watch.type or "", declared_type=watch.declared_type,
        reference=watch.reference, children=watch.children, object_id=watch.object_id, evaluate_name=expression,
        truncated=watch.truncated, changed=watch.changed)
