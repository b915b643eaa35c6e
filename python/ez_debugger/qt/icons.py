"""The icons of the tool bar, drawn in the colours of the palette."""

from __future__ import annotations

from typing import Callable, Dict

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPalette, QPen, QPixmap, QPolygonF

from . import colors

#: Icons are drawn on a square of this size.
_SIDE = 16
_SCALES = (1, 2, 3)

_Draw = Callable[[QPainter, QColor], None]


def _polygon(painter: QPainter, *points: tuple[float, float]) -> None:
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in points]))


def _solid(painter: QPainter, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)


def _line(painter: QPainter, color: QColor) -> None:
    pen = QPen(color, 1.7)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _dot(painter: QPainter, color: QColor, x: float = 8, y: float = 13) -> None:
    _solid(painter, color)
    painter.drawEllipse(QPointF(x, y), 1.9, 1.9)


def _start(painter: QPainter, color: QColor) -> None:
    _solid(painter, color)
    _polygon(painter, (4, 2), (13.5, 8), (4, 14))


def _continue(painter: QPainter, color: QColor) -> None:
    _solid(painter, color)
    painter.drawRect(QRectF(2.5, 2.5, 2.2, 11))
    _polygon(painter, (6.5, 2.5), (14, 8), (6.5, 13.5))


def _pause(painter: QPainter, color: QColor) -> None:
    _solid(painter, color)
    painter.drawRect(QRectF(3.5, 2.5, 3, 11))
    painter.drawRect(QRectF(9.5, 2.5, 3, 11))


def _over(painter: QPainter, color: QColor) -> None:
    _line(painter, color)
    path = QPainterPath(QPointF(2.5, 9))
    path.cubicTo(3, 2, 12, 1.5, 13, 7.5)
    painter.drawPath(path)
    painter.drawPolyline(QPolygonF([QPointF(13.6, 3.6), QPointF(13.1, 7.7), QPointF(9.2, 7)]))
    _dot(painter, color)


def _arrow(painter: QPainter, color: QColor, tip: float, tail: float) -> None:
    _line(painter, color)
    painter.drawLine(QPointF(8, tail), QPointF(8, tip))
    side = tip - 3.4 if tip > tail else tip + 3.4
    painter.drawPolyline(QPolygonF([QPointF(4.6, side), QPointF(8, tip), QPointF(11.4, side)]))


def _into(painter: QPainter, color: QColor) -> None:
    _arrow(painter, color, 9, 1.5)
    _dot(painter, color, y=13.3)


def _out(painter: QPainter, color: QColor) -> None:
    _arrow(painter, color, 1.5, 9)
    _dot(painter, color, y=13.3)


def _mirrored(draw: _Draw) -> _Draw:
    def mirror(painter: QPainter, color: QColor) -> None:
        painter.translate(_SIDE, 0)
        painter.scale(-1, 1)
        draw(painter, color)

    return mirror


def _restart(painter: QPainter, color: QColor) -> None:
    _line(painter, color)
    painter.drawArc(QRectF(2.8, 2.8, 10.4, 10.4), 60 * 16, 290 * 16)
    painter.drawPolyline(QPolygonF([QPointF(11.6, 0.8), QPointF(11, 4.6), QPointF(7.4, 3.6)]))


def _stop(painter: QPainter, color: QColor) -> None:
    _solid(painter, color)
    painter.drawRect(QRectF(3, 3, 10, 10))


def _here(painter: QPainter, color: QColor) -> None:
    _line(painter, color)
    painter.drawLine(QPointF(1.8, 8), QPointF(9.5, 8))
    painter.drawPolyline(QPolygonF([QPointF(6.4, 4.8), QPointF(9.8, 8), QPointF(6.4, 11.2)]))
    painter.drawLine(QPointF(13, 2.5), QPointF(13, 13.5))


def _present(painter: QPainter, color: QColor) -> None:
    _solid(painter, color)
    _polygon(painter, (2, 3), (7, 8), (2, 13))
    _polygon(painter, (7, 3), (12, 8), (7, 13))
    painter.drawRect(QRectF(12.4, 3, 1.8, 10))


def _share(painter: QPainter, color: QColor) -> None:
    _line(painter, color)
    painter.drawPolyline(QPolygonF([QPointF(12, 3.5), QPointF(4, 8), QPointF(12, 12.5)]))
    for x, y in ((12.0, 3.5), (4.0, 8.0), (12.0, 12.5)):
        _dot(painter, color, x, y)


def _more(painter: QPainter, color: QColor) -> None:
    _line(painter, color)
    for x in (3.5, 8.5):
        painter.drawPolyline(QPolygonF([QPointF(x, 4), QPointF(x + 4, 8), QPointF(x, 12)]))


_DRAWINGS: Dict[str, _Draw] = {
    "start": _start, "continue": _continue, "pause": _pause, "over": _over, "into": _into, "out": _out,
    "back": _mirrored(_over), "reverse": _mirrored(_continue), "restart": _restart, "stop": _stop, "here": _here,
    "present": _present, "share": _share, "more": _more,
}
_GO = {"start", "continue", "restart"}
_STOP = {"stop"}


def icon(name: str, palette: QPalette) -> QIcon:
    """An icon by its name, and a faint one for what cannot be pressed."""
    color = colors.go(palette) if name in _GO else colors.error(palette) if name in _STOP else colors.accent(palette)
    faint = palette.color(QPalette.ColorRole.WindowText)
    faint.setAlpha(70)
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(_pixmap(name, color, scale), QIcon.Mode.Normal)
        made.addPixmap(_pixmap(name, faint, scale), QIcon.Mode.Disabled)
    return made


def _pixmap(name: str, color: QColor, scale: int) -> QPixmap:
    pixmap = QPixmap(QSize(_SIDE, _SIDE) * scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    _DRAWINGS[name](painter, color)
    painter.end()
    return pixmap
