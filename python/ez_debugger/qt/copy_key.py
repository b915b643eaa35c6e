"""Copying, and selecting all, with the keyboard."""

from __future__ import annotations

from typing import Callable, Optional

from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtGui import QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QWidget


class CopyKey(QObject):
    """The keys that copy and select all, in a view or a text that is only read: they belong to what has the focus, as in
    a field for text, also where the window has an action with the same key.
    """

    def __init__(self, view: QWidget, copy: Optional[Callable[[], None]] = None) -> None:
        """`copy`: copies what is selected; without it the view does, the text of the current cell or what is selected."""
        super().__init__(view)
        self._copy = copy
        view.installEventFilter(self)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Takes the key before actions get it."""
        if not isinstance(event, QKeyEvent):
            return False
        is_copy = event.matches(QKeySequence.StandardKey.Copy)
        if event.type() == QEvent.Type.ShortcutOverride and (is_copy or event.matches(QKeySequence.StandardKey.SelectAll)):
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and is_copy and self._copy is not None:
            self._copy()
            return True
        return False
