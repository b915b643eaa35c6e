"""Places of files in a text that cannot be edited, as links."""

from __future__ import annotations

import os
import re
from typing import Optional, Tuple

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QPlainTextEdit

#: A path, a line and perhaps a column, as reports begin with them. Paths may have blanks in them.
_PLACE = re.compile(r"((?:[A-Za-z]:)?[\\/][^:\n]*?\.ez):(\d+)(?::(\d+))?")


class ConsoleLinks(QObject):
    """A click on a place, such as `/home/ann/sort.ez:7:14`, chooses it; above it the mouse is a hand."""

    #: File, line and column (0 if there is none).
    place_chosen = pyqtSignal(str, int, int)

    def __init__(self, output: QPlainTextEdit) -> None:
        super().__init__(output)
        self._output = output
        self._pressed: Optional[QPoint] = None
        viewport = output.viewport()
        if viewport is not None:
            viewport.setMouseTracking(True)
            viewport.installEventFilter(self)

    def place_at(self, point: QPoint) -> Optional[Tuple[str, int, int]]:
        """The place that is written at a point of the viewport."""
        cursor = self._output.cursorForPosition(point)
        rect = self._output.cursorRect(cursor)
        # Beside the text, the nearest character is found.
        if abs(point.x() - rect.left()) > 2 * self._output.fontMetrics().averageCharWidth():
            return None
        column = cursor.positionInBlock()
        for found in _PLACE.finditer(cursor.block().text()):
            if found.start() <= column <= found.end() and os.path.isfile(found.group(1)):
                return found.group(1), int(found.group(2)), int(found.group(3) or 0)
        return None

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Follows the mouse."""
        if not isinstance(event, QMouseEvent):
            return False
        point = event.position().toPoint()
        if event.type() == QEvent.Type.MouseMove:
            viewport = self._output.viewport()
            if viewport is not None:
                is_link = not event.buttons() and self.place_at(point) is not None
                viewport.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.IBeamCursor)
        elif event.type() == QEvent.Type.MouseButtonPress:
            self._pressed = point if event.button() == Qt.MouseButton.LeftButton else None
        elif event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            # A movement in between selects text.
            is_click = (point - self._pressed).manhattanLength() < 4
            self._pressed = None
            place = self.place_at(point) if is_click else None
            if place is not None:
                self.place_chosen.emit(*place)
                return True
        return False
