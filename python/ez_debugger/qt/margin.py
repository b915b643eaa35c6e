"""The margin with breakpoints at the left of a QPlainTextEdit."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence

from PyQt6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PyQt6.QtWidgets import QPlainTextEdit, QWidget

from . import colors
from .breakpoint_store import UserBreakpoint
from .code_font import size_beside
from .line_overlay import block_rect
from .plain import show_tip
from .problem import WARNING, Problem
from .text_edit import block_at

#: The width of the part with the breakpoints, in pixels.
WIDTH = 18


class BreakpointMargin(QWidget):
    """Breakpoints, the line where the program is, and line numbers if the editor has none of its own.

    A click toggles a breakpoint, a right click asks for its menu. Where the editor has a widget for its line
    numbers (`beside`), the margin covers that and paints nothing but breakpoints.
    """

    #: A line was clicked.
    clicked = pyqtSignal(int)
    #: A line was clicked with the right button: the line, and the place on the screen.
    menu_requested = pyqtSignal(int, object)

    def __init__(self, editor: QPlainTextEdit, beside: Optional[QWidget] = None) -> None:
        super().__init__(editor)
        self._editor = editor
        self._beside = beside
        self._breakpoints: Dict[int, UserBreakpoint] = {}
        self._line = 0
        self._is_past = False
        self._is_error = False
        self._problems: Dict[int, List[Problem]] = {}
        self._hovered = 0
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Breakpoints of this file")
        self.setToolTip("Click: breakpoint. Right click: condition, hits, message.")
        if beside is not None:
            self.setStyleSheet("background: transparent;")
            beside.installEventFilter(self)
        else:
            editor.blockCountChanged.connect(self._follow)
        editor.installEventFilter(self)
        editor.updateRequest.connect(lambda *_: self.update())
        self._follow()
        self.show()

    def set_breakpoints(self, breakpoints: List[UserBreakpoint]) -> None:
        """Shows breakpoints."""
        self._breakpoints = {breakpoint.line: breakpoint for breakpoint in breakpoints}
        self.update()

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Shows what is wrong."""
        self._problems = {}
        for problem in problems:
            self._problems.setdefault(problem.line, []).append(problem)
        self.update()

    def mark(self, line: int, is_past: bool, is_error: bool = False) -> None:
        """Shows where the program is."""
        self._line, self._is_past, self._is_error = line, is_past, is_error
        self.update()

    def move_mark(self, line: int) -> None:
        """The program is in another line now."""
        self._line = line
        self.update()

    def line_at(self, y: float) -> int:
        """The line at a height, 0 below the last one."""
        block = self._editor.firstVisibleBlock()
        while block.isValid():
            rect = block_rect(self._editor, block)
            if block.isVisible() and y < rect.bottom():
                return block.blockNumber() + 1
            block = block.next()
        return 0

    def place_of(self, line: int) -> QPointF:
        """The middle of a line's part of the margin."""
        document = self._editor.document()
        assert document is not None
        rect = block_rect(self._editor, block_at(document, line))
        return QPointF(WIDTH / 2, rect.top() + self._editor.fontMetrics().height() / 2)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Follows the editor, or its line numbers."""
        followed = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.FontChange, QEvent.Type.StyleChange)
        if event is not None and event.type() in followed:
            self._follow()
        return False

    def _follow(self, *_: object) -> None:
        if self._beside is not None:
            self.setGeometry(self._beside.geometry())
            self.raise_()
            return
        digits = max(3, len(str(self._editor.blockCount())))
        width = WIDTH + self._editor.fontMetrics().horizontalAdvance("9") * digits + 8
        self._editor.setViewportMargins(width, 0, 0, 0)
        inside = self._editor.contentsRect()
        self.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))

    def mousePressEvent(self, event: Optional[QMouseEvent]) -> None:
        """Left: a breakpoint; right: its menu."""
        line = self.line_at(event.position().y()) if event is not None else 0
        if event is None or line == 0:
            return
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(line)
        elif event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(line, event.globalPosition().toPoint())

    def mouseMoveEvent(self, event: Optional[QMouseEvent]) -> None:
        """Shows where a click would set a breakpoint."""
        line = self.line_at(event.position().y()) if event is not None else 0
        if line != self._hovered:
            self._hovered = line
            self.update()

    def leaveEvent(self, event: Optional[QEvent]) -> None:
        """The mouse is elsewhere."""
        self._hovered = 0
        self.update()

    def event(self, event: Optional[QEvent]) -> bool:
        """What a breakpoint is, as a tool tip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.text_at(self.line_at(event.pos().y()))
            if text:
                show_tip(event.globalPos(), text, self, size_beside(self._editor.font()))
                return True
        return super().event(event)

    def text_at(self, line: int) -> str:
        """What there is to say of a line."""
        breakpoint = self._breakpoints.get(line)
        parts = [problem.explained for problem in self._problems.get(line, [])]
        return "\n".join(parts if breakpoint is None else [*parts, description(breakpoint)])

    def paintEvent(self, event: Optional[QPaintEvent]) -> None:
        """Paints what is in view."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self._editor.palette()
        if self._beside is None:
            painter.fillRect(self.rect(), colors.soft(palette))
        painter.setFont(self._editor.font())
        block = self._editor.firstVisibleBlock()
        while block.isValid():
            rect = block_rect(self._editor, block)
            if rect.top() > self.height():
                break
            line = block.blockNumber() + 1
            height = self._editor.fontMetrics().height()
            if self._beside is None:
                painter.setPen(colors.faint(palette))
                painter.drawText(QRect(WIDTH, int(rect.top()), self.width() - WIDTH - 6, height),
                                 Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(line))
            self._paint_problems(painter, line, QRectF(0, rect.top(), 3, height))
            self._paint_line(painter, line, QPointF(WIDTH / 2, rect.top() + height / 2))
            block = block.next()

    def _paint_problems(self, painter: QPainter, line: int, place: QRectF) -> None:
        problems = self._problems.get(line)
        if problems:
            is_warning = all(problem.kind == WARNING for problem in problems)
            palette = self._editor.palette()
            painter.fillRect(place, colors.warning(palette) if is_warning else colors.error(palette))

    def _paint_line(self, painter: QPainter, line: int, middle: QPointF) -> None:
        palette = self._editor.palette()
        breakpoint = self._breakpoints.get(line)
        if breakpoint is not None:
            _paint_breakpoint(painter, breakpoint, middle, colors.breakpoint(palette), colors.faint(palette))
        elif line == self._hovered:
            color = colors.breakpoint(palette)
            color.setAlpha(70)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawEllipse(middle, 5, 5)
        if line == self._line:
            color = colors.past_line(palette) if self._is_past else colors.present_line(palette)
            if self._is_error:
                color = colors.error_line(palette)
            color.setAlpha(255)
            painter.setPen(colors.faint(palette))
            painter.setBrush(color)
            x, y = middle.x(), middle.y()
            painter.drawPolygon(QPolygonF([QPointF(x - 4, y - 4.5), QPointF(x + 5, y), QPointF(x - 4, y + 4.5)]))


def _paint_breakpoint(painter: QPainter, breakpoint: UserBreakpoint, middle: QPointF, color: QColor, faint: QColor
                      ) -> None:
    """A disc; hollow if it is disabled or cannot be hit; a diamond if it writes a message; a bar in it: a condition."""
    is_faint = not breakpoint.enabled or breakpoint.is_wrong
    painter.setPen(faint if is_faint else color)
    painter.setBrush(Qt.BrushStyle.NoBrush if is_faint else color)
    x, y = middle.x(), middle.y()
    if breakpoint.log_message:
        painter.drawPolygon(QPolygonF([QPointF(x, y - 6), QPointF(x + 6, y), QPointF(x, y + 6), QPointF(x - 6, y)]))
    else:
        painter.drawEllipse(middle, 5, 5)
    if breakpoint.condition or breakpoint.hit_condition:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faint if is_faint else QColor("white"))
        painter.drawRect(QRect(int(x) - 3, int(y) - 1, 6, 2))


def description(breakpoint: UserBreakpoint) -> str:
    """What a breakpoint is, in words."""
    parts = ["Breakpoint" if breakpoint.enabled else "Disabled breakpoint"]
    if breakpoint.condition:
        parts.append(f"stops if {breakpoint.condition}")
    if breakpoint.hit_condition:
        parts.append(f"hits: {breakpoint.hit_condition}")
    if breakpoint.log_message:
        parts.append(f"writes “{breakpoint.log_message}”")
    if breakpoint.message:
        parts.append(breakpoint.message)
    return "\n".join(parts)
