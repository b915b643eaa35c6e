"""Texts that are shown as they are.

Labels, tool tips and message boxes of Qt take a text that looks like HTML for HTML: pictures in it are opened, from
any file or computer, and links and headings look as if the debugger had said them. Most texts here have something of
the program's in them, so labels and tool tips are made in this module only.
"""

from __future__ import annotations

import html
from typing import Optional

from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtWidgets import QLabel, QToolTip, QWidget


class PlainLabel(QLabel):
    """A label that never has markup in it."""

    def __init__(self, parent: Optional[QWidget] = None, text: str = "") -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


def tip(text: str) -> str:
    """What has to be given to Qt as a tool tip, so that a text is shown as it is; an empty one is none."""
    return f'<span style="white-space: pre-wrap">{html.escape(text)}</span>' if text else ""


def show_tip(place: QPoint, text: str, widget: Optional[QWidget]) -> None:
    """Shows a tool tip at a place on the screen."""
    QToolTip.showText(place, tip(text), widget, QRect())
