"""Editing of values in place."""

from __future__ import annotations

from typing import Optional

from PyQt6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ..protocol import Error, Event, VariableSet
from . import colors
from .plain import PlainLabel
from .value_model import ValueModel


class ValueEdit(QLineEdit):
    """A field for a new value, with the server's message below it when the value is refused."""

    def __init__(self, parent: Optional[QWidget]) -> None:
        super().__init__(parent)
        self.setAccessibleName("New value")
        self.setPlaceholderText("an expression")
        self.setAutoFillBackground(True)
        self.problem = PlainLabel(parent)
        self.problem.setWordWrap(True)
        self.problem.setMargin(4)
        self.problem.setAutoFillBackground(True)
        self.problem.setAccessibleName("Why the value was refused")
        self.problem.hide()
        self.textEdited.connect(self.problem.hide)
        self.destroyed.connect(self.problem.deleteLater)

    def show_problem(self, message: str) -> None:
        """Shows why the value was refused."""
        palette = self.palette()
        ground = colors.notice(palette)
        text = colors.readable(colors.error(palette), ground).name()
        self.problem.setStyleSheet(f"background-color: {ground.name()}; color: {text}; border: 1px solid {text};")
        self.problem.setText(message)
        self.problem.setFixedWidth(max(self.width(), 180))
        self.problem.adjustSize()
        parent = self.parentWidget()
        place = self.geometry().bottomLeft() + QPoint(0, 1)
        if parent is not None and place.y() + self.problem.height() > parent.height():
            place.setY(max(0, self.y() - self.problem.height()))
        if parent is not None:
            place.setX(max(0, min(place.x(), parent.width() - self.problem.width())))
        self.problem.move(place)
        self.problem.raise_()
        self.problem.show()
        self.setAccessibleDescription(message)


class ValueDelegate(QStyledItemDelegate):
    """Return sends the value, and the field stays open while the server refuses it; Escape leaves it as it was."""

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        #: The field that is open.
        self.field: Optional[ValueEdit] = None
        self._index = QPersistentModelIndex()

    def createEditor(self, parent: Optional[QWidget], option: QStyleOptionViewItem, index: QModelIndex
                     ) -> Optional[QWidget]:
        """A field over the value."""
        self.field = ValueEdit(parent)
        self._index = QPersistentModelIndex(index)
        return self.field

    def setEditorData(self, editor: Optional[QWidget], index: QModelIndex) -> None:
        """Puts the value there once; updates of the row do not disturb the user."""
        if isinstance(editor, ValueEdit) and not editor.isModified() and not editor.problem.isVisible():
            editor.setText(str(index.data(Qt.ItemDataRole.EditRole) or ""))
            editor.selectAll()

    def setModelData(self, editor: Optional[QWidget], model: Optional[QAbstractItemModel], index: QModelIndex) -> None:
        """Nothing: `submit` sends the value."""

    def eventFilter(self, editor: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Keys of the field."""
        if isinstance(editor, ValueEdit) and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.submit()
                return True
            if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                self.close()
                return True
        if isinstance(editor, ValueEdit) and event is not None and event.type() == QEvent.Type.FocusOut:
            if editor.problem.isVisible():
                return False
        return super().eventFilter(editor, event)

    def submit(self) -> None:
        """Sends what is in the field."""
        field, index = self.field, self._index
        model = index.model()
        if field is None or not isinstance(model, ValueModel):
            return
        node = model.node(model.index(index.row(), index.column(), QModelIndex(index.parent())))
        if node is None or not model.can_edit(node):
            self.close()
            return

        def take(event: Event) -> None:
            if self.field is not field:
                return
            if isinstance(event, VariableSet):
                self.close()
            elif isinstance(event, Error):
                field.show_problem(event.message)

        model.assign(node, field.text(), take)

    def close(self) -> None:
        """Closes the field."""
        field, self.field = self.field, None
        if field is not None:
            field.problem.hide()
            self.closeEditor.emit(field, QStyledItemDelegate.EndEditHint.NoHint)

    def destroyEditor(self, editor: Optional[QWidget], index: QModelIndex) -> None:
        """The view closes the field."""
        if editor is self.field:
            self.field = None
        super().destroyEditor(editor, index)
