"""Texts that are shown as they are.

Labels, tool tips and message boxes of Qt take a text that looks like HTML for HTML: pictures in it are opened, from
any file or computer, and links and headings look as if the debugger had said them. Most texts here have something of
the program's in them, so labels and tool tips are made in this module only.
"""

from __future__ import annotations

import html
from typing import Optional

from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import QLabel, QToolTip, QWidget


class PlainLabel(QLabel):
    """A label that never has markup in it."""

    def __init__(self, parent: Optional[QWidget] = None, text: str = "") -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


class ElidedLabel(PlainLabel):
    """A label of one line, which ends with an ellipsis where there is no room for all of it."""

    def __init__(self, parent: Optional[QWidget] = None, text: str = "") -> None:
        super().__init__(parent, text)
        self.setMinimumWidth(1)

    def paintEvent(self, event: Optional[QPaintEvent]) -> None:
        """Paints as much as there is room for."""
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())
        painter, style = QPainter(self), self.style()
        self.drawFrame(painter)
        if style is not None:
            style.drawItemText(painter, self.contentsRect(), self.alignment().value, self.palette(), self.isEnabled(), shown,
                               self.foregroundRole())


def tip(text: str, size: float = 0.0) -> str:
    """What has to be given to Qt as a tool tip, so that a text is shown as it is; an empty one is none.

    `size`: that of its letters, in points; 0: that of all tool tips.
    """
    letters = f"; font-size: {size:.1f}pt" if size else ""
    return f'<span style="white-space: pre-wrap{letters}">{html.escape(text)}</span>' if text else ""


def show_tip(place: QPoint, text: str, widget: Optional[QWidget], size: float = 0.0) -> None:
    """Shows a tool tip at a place on the screen; `size` as in `tip`."""
    QToolTip.showText(place, tip(text, size), widget, QRect())
