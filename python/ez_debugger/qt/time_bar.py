"""The bar for going through the time of a program."""

from __future__ import annotations

from typing import Optional

from PyQt6.QtCore import QEvent, Qt, QTimer
from PyQt6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QWidget

from ..protocol import Event, Stopped
from .actions import DebugActions
from .plain import PlainLabel, tip
from .session import DebugSession

#: The mouse rests where it has been for so long, in milliseconds.
_REST_MS = 80

#: A slider's positions are 32-bit numbers.
_MOST_POSITIONS = 1 << 30


class TimeBar(QWidget):
    """A slider from the first step of a program to its present.

    One goes where the mouse rests, or where it is let go; keys go at once. While a journey is under way, only the
    last position that was asked for meanwhile is gone to afterwards.
    """

    def __init__(self, session: DebugSession, actions: DebugActions, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        self._scale = 1
        #: The step of the present, at the last stop.
        self._last = 1
        self._wanted: Optional[int] = None
        self._is_showing = False
        self._is_travelling = False
        #: How many journeys were begun.
        self.journeys = 0
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName("Step of the program")
        self.slider.setTracking(True)
        self.slider.setMinimum(1)
        self.slider.valueChanged.connect(self._on_value)
        self.slider.sliderReleased.connect(self._go)
        self.label = PlainLabel(self)
        self._make_room()
        self.present = QToolButton(self)
        self.present.setDefaultAction(actions.by_name["present"])
        self.present.setAutoRaise(True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 6, 2)
        layout.addWidget(self.slider, 1)
        layout.addWidget(self.label)
        layout.addWidget(self.present)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._go)
        self.hide()
        session.stopped.connect(self._on_stopped)
        session.state_changed.connect(self._refresh)
        self._refresh()

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the size of letters."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._make_room()

    def _make_room(self) -> None:
        self.label.setMinimumWidth(self.label.fontMetrics().horizontalAdvance("step 000,000 of 000,000"))

    @property
    def step(self) -> int:
        """The step that the slider is at."""
        return min(self.slider.value() * self._scale, self._last)

    def _on_stopped(self, stop: Stopped) -> None:
        if self._wanted is not None and not self._is_travelling:
            self._travel(self._wanted)
            return
        if stop.present is None or self._wanted is not None or self._rest.isActive() or self.slider.isSliderDown():
            return
        self._last = max(1, stop.present)
        self._scale = self._last // _MOST_POSITIONS + 1
        self._is_showing = True
        self.slider.setMaximum(max(1, self._last // self._scale))
        self.slider.setPageStep(max(1, self.slider.maximum() // 20))
        self.slider.setValue(max(1, min(stop.step, self._last) // self._scale))
        self._is_showing = False
        self._show_step(stop.step, is_within=stop.past and stop.step >= stop.present)

    def _refresh(self) -> None:
        state = self._session.state
        if state.status in ("ready", "running", "stopped"):
            self.setVisible(state.has_history)
        # A long journey does not take the handle out of the user's hand.
        self.slider.setEnabled("goToStep" in state.possible or self._is_travelling and state.is_live)
        self.label.setEnabled(self.slider.isEnabled())
        if not state.is_live:
            self._wanted = None
            self._rest.stop()
            self.label.setText("")

    def _show_step(self, step: int, is_within: bool = False) -> None:
        """`is_within`: in the past, but in the step in which the present is."""
        self.label.setText(f"{'within ' if is_within else ''}step {step:,} of {self._last:,}")
        self.slider.setToolTip(tip(self.label.text()))

    def _on_value(self) -> None:
        if self._is_showing:
            return
        self._show_step(self.step)
        if self.slider.isSliderDown():
            self._rest.start()
        else:
            # A key or a click beside the handle: the slider has its new value after this signal.
            self._rest.start(0)

    def _go(self) -> None:
        self._rest.stop()
        stop = self._session.state.stop
        if self._session.is_moving:
            self._wanted = self.step
        elif stop is None or stop.present is None:
            return
        elif self.step != stop.step:
            self._travel(self.step)
        else:
            self._on_stopped(stop)

    def _travel(self, step: int) -> None:
        def take(event: Event) -> None:
            self._is_travelling = False
            wanted, self._wanted = self._wanted, None
            stop = self._session.state.stop
            if wanted is not None and wanted != step and stop is not None:
                self._travel(wanted)
            elif stop is not None:
                self._on_stopped(stop)

        self._wanted = None
        if self._session.go_to_step(step, take):
            self._is_travelling = True
            self.journeys += 1
