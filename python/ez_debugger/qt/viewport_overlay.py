"""A layer over the text of a QPlainTextEdit."""

from __future__ import annotations

from typing import Optional

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtWidgets import QPlainTextEdit, QWidget


class ViewportOverlay(QWidget):
    """Covers what is seen of the text, takes neither the mouse nor the keys, and is painted anew when the text is."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setStyleSheet("background: transparent;")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        editor.updateRequest.connect(lambda *_: self.update())
        viewport = editor.viewport()
        if viewport is not None:
            viewport.installEventFilter(self)
        self._follow()
        self.show()

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Follows the viewport."""
        if event is not None and event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self._follow()
        return False

    def _follow(self) -> None:
        viewport = self._editor.viewport()
        if viewport is not None:
            self.setGeometry(viewport.geometry())
            self.raise_()
