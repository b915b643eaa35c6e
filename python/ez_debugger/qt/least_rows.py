"""Room for some rows, whatever the size of the letters."""

from __future__ import annotations

from typing import Optional

from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QAbstractItemView


class LeastRows(QObject):
    """Keeps a view so high that some rows can be read in it."""

    def __init__(self, view: QAbstractItemView, rows: int, margins: int = 0) -> None:
        """`margins`: what it needs besides, in pixels."""
        super().__init__(view)
        self._view, self._rows, self._margins = view, rows, margins
        view.installEventFilter(self)
        self._make_room()

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Follows the font."""
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._make_room()
        return False

    def _make_room(self) -> None:
        self._view.setMinimumHeight(self._rows * self._view.fontMetrics().lineSpacing() + self._margins)
