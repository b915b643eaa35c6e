"""Steps that are asked for while another one is under way."""

from __future__ import annotations

from collections import deque
from typing import Deque, Optional

from PyQt6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PyQt6.QtGui import QKeyEvent

from ..protocol import Stopped
from .session import DebugSession

#: So many steps wait at most.
_MOST = 50


class StepQueue(QObject):
    """Each press of a key, or click, is a step, also while the one before is under way. A key that is held down does
    not pile up steps.

    Whatever happens other than a step (a breakpoint, an error, a question of the program) ends the steps that wait.
    """

    def __init__(self, session: DebugSession, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._session = session
        self._waiting: Deque[str] = deque()
        self._is_held = False
        self._is_watching = False
        session.stopped.connect(self._on_stopped)
        session.input_requested.connect(self._clear)
        session.started.connect(self._clear)
        session.ended.connect(lambda _: self._clear())
        session.state_changed.connect(self._on_state)

    def press(self, command: str) -> None:
        """Sends a step (`stepOver`, …), or lets it wait for the one that is under way."""
        if not self._session.is_moving:
            if self._session.run(command):
                self._watch(True)
        elif not self._is_held:
            self._add(command)

    def press_late(self, command: str) -> None:
        """Lets a step wait for the one that is under way, if there is one; `press` once that is shown as running."""
        if self._is_watching and self._session.is_moving and not self._session.state.wants_input:
            self._add(command)

    def _add(self, command: str) -> None:
        if len(self._waiting) < _MOST:
            self._waiting.append(command)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """Whether the key that is pressed is held down: shortcuts do not say it."""
        if event is None:
            return False
        if event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress) and isinstance(event, QKeyEvent):
            self._is_held = event.isAutoRepeat()
        elif event.type() == QEvent.Type.MouseButtonPress:
            self._is_held = False
        return False

    def _watch(self, is_watching: bool) -> None:
        """Looks at all keys of the program, only while a step is under way."""
        application = QCoreApplication.instance()
        if application is None or is_watching == self._is_watching:
            return
        self._is_watching = is_watching
        self._is_held = False
        if is_watching:
            application.installEventFilter(self)
        else:
            application.removeEventFilter(self)

    def _on_stopped(self, stop: Stopped) -> None:
        if stop.reason != "step":
            self._clear()
        elif self._waiting:
            # After what the panels ask at this stop.
            QTimer.singleShot(0, self._next)
        else:
            self._watch(False)

    def _next(self) -> None:
        if self._waiting and not self._session.is_moving and self._session.state.stop is not None:
            self._session.run(self._waiting.popleft())

    def _on_state(self) -> None:
        if self._session.state.status in ("ending", "exited"):
            self._clear()

    def _clear(self) -> None:
        self._waiting.clear()
        self._watch(False)
