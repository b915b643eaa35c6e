"""Copying with the keyboard."""

from __future__ import annotations

from typing import Callable, Optional

from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtGui import QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QAbstractItemView


class CopyKey(QObject):
    """The key that copies, in a view: it belongs to the view that has the focus, as in a field for text, also where
    the window has an action with the same key.
    """

    def __init__(self, view: QAbstractItemView, copy: Optional[Callable[[], None]] = None) -> None:
        """`copy`: copies what is selected; without it the view copies the text of the current cell."""
        super().__init__(view)
        self._copy = copy
        view.installEventFilter(self)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Takes the key before actions get it."""
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and self._copy is not None:
                self._copy()
                return True
        return False
