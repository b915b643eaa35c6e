"""A value drawn as a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Set, Tuple

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QFont, QFontDatabase, QFontMetricsF, QPainter, QPen
from PyQt6.QtWidgets import QDialog, QGraphicsScene, QGraphicsView, QVBoxLayout, QWidget

from ..protocol import Children, Error, EvaluateResult, Event, Variable
from . import colors
from .plain import PlainLabel
from .session import DebugSession

#: So many boxes are drawn, with so many parts each.
_MOST_BOXES = 150
_MOST_PARTS = 20
_MOST_TEXT = 24
_GAP, _LEVEL = 18.0, 46.0


@dataclass
class Box:
    """A value with parts: a title, its plain parts as lines, and the boxes of the others."""

    title: str
    lines: List[str] = field(default_factory=list)
    children: List[Tuple[str, "Box"]] = field(default_factory=list)
    size: Tuple[float, float] = (0.0, 0.0)
    #: The width of the box with all that is below it.
    span: float = 0.0


class ValueTreeWindow(QDialog):
    """Structs, arrays and maps as boxes, with a line to each part that has parts of its own.

    Shows the value at the time when it was opened. Each object is drawn once; where it is met again, a line of text
    says so.
    """

    def __init__(self, session: DebugSession, expression: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self._session = session
        stop = session.state.stop
        self._step = stop.step if stop is not None else 0
        #: Whether it is not the value any more, whatever the step.
        self._is_over = False
        self.setWindowTitle(f"{expression}, in step {self._step:,}")
        self.resize(640, 460)
        self.scene = QGraphicsScene(self)
        self.picture = QGraphicsView(self.scene, self)
        self.picture.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.picture.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.picture.setAccessibleName(f"{expression} as a tree")
        self.note = PlainLabel(self)
        self.note.setWordWrap(True)
        self.note.hide()
        layout = QVBoxLayout(self)
        layout.addWidget(self.picture, 1)
        layout.addWidget(self.note)
        self.age = PlainLabel(self, f"This is the value that it had in step {self._step:,}.")
        self.age.setWordWrap(True)
        self.age.hide()
        layout.addWidget(self.age)
        session.resumed.connect(self._grow_old)
        session.stopped.connect(self._grow_old)
        for end in (session.started, session.values_changed, session.ended):
            end.connect(self._is_passed)
        self.box: Optional[Box] = None
        self._seen: Set[int] = set()
        self._count = 0
        self._open = 0
        session.evaluate(self._take_value, expression, session.frame_index, context="watch")

    def _grow_old(self) -> None:
        """Says that the program is somewhere else now, or runs."""
        stop = self._session.state.stop
        self.age.setVisible(self._is_over or stop is None or stop.step != self._step)

    def _is_passed(self) -> None:
        self._is_over = True
        self._grow_old()

    def _take_value(self, event: Event) -> None:
        if isinstance(event, Error):
            self._say(event.message)
        elif isinstance(event, EvaluateResult):
            self.box = self._make(event.declared_type or event.type, event.reference, event.object_id)
            self._draw_if_whole()

    def _make(self, title: str, reference: int, object_id: Optional[int]) -> Box:
        box = Box(title)
        self._count += 1
        if object_id is not None:
            self._seen.add(object_id)
        if reference:
            self._open += 1
            self._session.get_children(lambda event: self._fill(box, event), reference, 0, _MOST_PARTS)
        return box

    def _fill(self, box: Box, event: Event) -> None:
        self._open -= 1
        if isinstance(event, Children):
            for part in event.children:
                self._add(box, part)
            left = event.total - len(event.children)
            if left > 0:
                box.lines.append(f"… {left:,} more")
        self._draw_if_whole()

    def _add(self, box: Box, part: Variable) -> None:
        if not part.reference or not part.children:
            box.lines.append(f"{part.name} = {_short(part.value)}")
        elif part.object_id is not None and part.object_id in self._seen:
            box.lines.append(f"{part.name} = (drawn elsewhere)")
        elif self._count >= _MOST_BOXES:
            box.lines.append(f"{part.name} = {_short(part.value)}")
            self._say(f"Only the first {_MOST_BOXES} parts are drawn.")
        else:
            title = part.declared_type or part.type
            box.children.append((part.name, self._make(title, part.reference, part.object_id)))

    def _say(self, text: str) -> None:
        self.note.setText(text)
        self.note.show()

    def _draw_if_whole(self) -> None:
        if self._open == 0 and self.box is not None:
            self.scene.clear()
            self._measure(self.box)
            self._draw(self.box, 0.0, 0.0)
            self.picture.centerOn(self.box.span / 2, 0)

    def _measure(self, box: Box) -> None:
        metrics = QFontMetricsF(self._font())
        lines = [box.title, *box.lines]
        width = max(metrics.horizontalAdvance(line) for line in lines) + 16
        box.size = (width, metrics.height() * len(lines) + 12)
        for _, child in box.children:
            self._measure(child)
        below = sum(child.span for _, child in box.children) + _GAP * max(0, len(box.children) - 1)
        box.span = max(width, below)

    def _draw(self, box: Box, left: float, top: float) -> QPointF:
        """Draws a box with all below it; the middle of its upper edge."""
        palette, font = self.palette(), self._font()
        width, height = box.size
        x = left + (box.span - width) / 2
        line_height = QFontMetricsF(font).height()
        self.scene.addRect(QRectF(x, top, width, height), QPen(colors.accent(palette)), QBrush(colors.soft(palette)))
        for number, line in enumerate([box.title, *box.lines]):
            text = self.scene.addSimpleText(line, font)
            if text is not None:
                text.setBrush(colors.faint(palette) if number == 0 else palette.text())
                text.setPos(x + 8, top + 6 + number * line_height)
        below = sum(child.span for _, child in box.children) + _GAP * max(0, len(box.children) - 1)
        child_left = left + (box.span - below) / 2
        for name, child in box.children:
            end = self._draw(child, child_left, top + height + _LEVEL)
            self._connect(QPointF(x + width / 2, top + height), end, name)
            child_left += child.span + _GAP
        return QPointF(x + width / 2, top)

    def _connect(self, start: QPointF, end: QPointF, name: str) -> None:
        palette = self.palette()
        self.scene.addLine(start.x(), start.y(), end.x(), end.y(), QPen(colors.faint(palette)))
        label = self.scene.addSimpleText(name, self._font())
        if label is not None:
            label.setBrush(colors.accent(palette))
            middle = (start + end * 2) / 3
            label.setPos(middle.x() + 4, middle.y() - label.boundingRect().height() / 2)

    def _font(self) -> QFont:
        return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT - 1] + "…"
