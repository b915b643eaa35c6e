"""The font of programs and of what they write."""

from __future__ import annotations

from typing import Optional

from PyQt6.QtCore import QEvent, QObject, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QFontDatabase, QFontInfo
from PyQt6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget


#: How large letters beside a program are, in proportion to its own.
BESIDE = 13 / 16


def size_beside(font: QFont) -> float:
    """The size of the letters in views and tool tips beside a program in a font, in points: as large as the user wants
    to read, and not smaller than in other windows."""
    return max(QFontInfo(QApplication.font()).pointSizeF(), BESIDE * QFontInfo(font).pointSizeF())


class FontWatch(QObject):
    """Reports the font of an editor when it is another one, or another size."""

    #: The `QFont`.
    changed = pyqtSignal(object)

    def __init__(self, editor: QWidget) -> None:
        super().__init__(editor)
        # Afterwards: fonts change while Qt goes through all widgets for a new style sheet, when none may get another.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(lambda: self.changed.emit(editor.font()))
        editor.installEventFilter(self)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """The editor has another font."""
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._later.start(0)
        return False


def use_size(widget: QWidget, size: float) -> None:
    """Gives a widget, and what is in it, letters of a size in points."""
    font = widget.font()
    if font.pointSizeF() != size:
        font.setPointSizeF(size)
        widget.setFont(font)


def use_code_font(widget: QWidget, font: QFont) -> None:
    """Gives a field or a text the size of a font, and its family if its letters are all of the same width."""
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    fixed.setPointSizeF(QFontInfo(font).pointSizeF())
    if QFontInfo(font).fixedPitch():
        fixed.setFamily(QFontInfo(font).family())
    widget.setFont(fixed)
    # An application's style sheet is stronger than that; only one of the widget's own is stronger again.
    kind = "QPlainTextEdit" if isinstance(widget, QPlainTextEdit) else "QLineEdit" if isinstance(widget, QLineEdit) else "*"
    family = fixed.family().replace('"', "")
    widget.setStyleSheet(f'{kind} {{ font-family: "{family}"; font-size: {fixed.pointSizeF():g}pt; }}')
