"""Bars above the panels: long work, and a server that is gone."""

from __future__ import annotations

from typing import Callable, Optional

from PyQt6.QtCore import QRect, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from ..protocol import Progress
from . import colors
from .plain import PlainLabel, tip
from .session import DebugSession


class ProgressNotice(QFrame):
    """How far a journey or a search has come, and a button that ends it."""

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.label = PlainLabel(self)
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName("Progress")
        self.bar.setMaximumHeight(14)
        self.cancel = QPushButton("Cancel", self)
        self.cancel.clicked.connect(session.pause)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.addWidget(self.label)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.cancel)
        self.hide()
        session.progress_received.connect(self._show)
        session.stopped.connect(lambda _: self.hide())
        session.ended.connect(lambda _: self.hide())

    def show_evaluation(self, is_under_way: bool) -> None:
        """An evaluation takes long: nobody knows how long."""
        self.label.setText("Evaluating")
        self.bar.setRange(0, 0 if is_under_way else 100)
        self.setVisible(is_under_way)

    def _show(self, progress: Progress) -> None:
        self.label.setText(progress.title)
        self.bar.setRange(0, 100)
        self.bar.setValue(max(0, min(progress.percentage, 100)))
        self.setVisible(not progress.done)


class TextAndButtons(QBoxLayout):
    """A text and buttons beside it, or below it where they would take more than two fifths of the width."""

    def __init__(self, bar: QWidget, text: QWidget, *buttons: QPushButton) -> None:
        super().__init__(QBoxLayout.Direction.LeftToRight, bar)
        self._buttons = buttons
        self.setContentsMargins(8, 4, 8, 4)
        self.addWidget(text, 1)
        row = QHBoxLayout()
        row.addStretch()
        for button in buttons:
            row.addWidget(button)
        self.addLayout(row)

    def setGeometry(self, rect: QRect) -> None:
        """Finds out how much room there is."""
        self._arrange(rect.width())
        super().setGeometry(rect)

    def heightForWidth(self, width: int) -> int:
        """How high it is in a width, in pixels."""
        self._arrange(width)
        return super().heightForWidth(width)

    def _arrange(self, width: int) -> None:
        wanted = sum(one.sizeHint().width() for one in self._buttons if not one.isHidden())
        kind = QBoxLayout.Direction.TopToBottom if 5 * wanted > 2 * width else QBoxLayout.Direction.LeftToRight
        if kind != self.direction():
            self.setDirection(kind)


class MessageNotice(QFrame):
    """A sentence, with a button to start again where that would help, and one that hides it."""

    #: The user wants to start the program again.
    start_requested = pyqtSignal()

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._stops = 0
        session.stopped.connect(lambda _: self._grow_old())
        self.label = PlainLabel(self)
        self.label.setWordWrap(True)
        self.label.setAccessibleName("Message")
        self.start = QPushButton("Start again", self)
        self.start.clicked.connect(self._start)
        self.undo = QPushButton("Undo", self)
        self.undo.clicked.connect(self._take_back)
        self._on_undo: Optional[Callable[[], object]] = None
        self.close_button = QPushButton("Hide", self)
        self.close_button.clicked.connect(self.hide)
        self._row = TextAndButtons(self, self.label, self.start, self.undo, self.close_button)
        self._is_problem = False
        self.hide()

    def show_problem(self, sentence: str, can_start: bool = False, help: str = "") -> None:
        """Shows what is wrong, and below it what can be done."""
        self._show(sentence, can_start, True, help)

    def show_message(self, sentence: str, undo: Optional[Callable[[], object]] = None) -> None:
        """Shows what is worth knowing; `undo` takes back what has happened."""
        self._show(sentence, False, False)
        self._on_undo = undo
        self.undo.setVisible(undo is not None)

    def paintEvent(self, event: Optional[QPaintEvent]) -> None:
        """The ground says whether something is wrong."""
        QPainter(self).fillRect(self.rect(), self._ground())

    def _ground(self) -> QColor:
        return colors.notice(self.palette()) if self._is_problem else colors.soft(self.palette())

    def _show(self, sentence: str, can_start: bool, is_problem: bool, help: str = "") -> None:
        self._is_problem = is_problem
        self._stops = 0
        text = colors.readable(self.palette().windowText().color(), self._ground())
        self.label.setStyleSheet(f"background: transparent; color: {text.name()};")
        lines = sentence.splitlines() or [""]
        shown = lines[0] if len(lines) == 1 else f"{lines[0]} …"
        self.label.setText("\n".join([shown, *help.splitlines()[:1]]))
        self.label.setToolTip(tip(sentence if len(lines) > 1 else ""))
        self.start.setVisible(can_start)
        self._on_undo = None
        self.undo.hide()
        self.show()
        self.update()

    def _grow_old(self) -> None:
        """What was said at a stop, or on the way to it, does not concern the ones after it."""
        self._stops += 1
        if self._stops > 1 and self.start.isHidden():
            self.hide()

    def _take_back(self) -> None:
        undo = self._on_undo
        self.hide()
        if undo is not None:
            undo()

    def _start(self) -> None:
        self.hide()
        self.start_requested.emit()


class ChangedNotice(QFrame):
    """Says that the text is not the one that runs."""

    #: The user wants to start the program again.
    start_requested = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.label = PlainLabel(self, "The text has changed since the program was started.")
        self.label.setWordWrap(True)
        self.label.setStyleSheet("background: transparent;")
        self.label.setAccessibleName("Changed text")
        self.start = QPushButton("Start again", self)
        self.start.setToolTip("Ends the program, and starts the changed one")
        self.start.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.start.clicked.connect(self.start_requested)
        self._row = TextAndButtons(self, self.label, self.start)
        self.hide()

    def paintEvent(self, event: Optional[QPaintEvent]) -> None:
        """A ground that differs from that of the panels."""
        QPainter(self).fillRect(self.rect(), colors.soft(self.palette()))


class Notices(QWidget):
    """All bars, one above the other; it takes no room while there is nothing to say."""

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.progress = ProgressNotice(session, self)
        self.message = MessageNotice(session, self)
        self.changed = ChangedNotice(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.progress)
        layout.addWidget(self.message)
        layout.addWidget(self.changed)
