"""The panel with the variables of a frame."""

from __future__ import annotations

from typing import Optional, Tuple

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from ..protocol import Event, StackTrace, Stopped, Variable, Variables
from .session import DebugSession
from .value_view import ValueView

_TITLES = ("Returned", "Arguments", "Locals", "Globals")
_SCOPES = ("parameter", "local", "global")


class VariablesPanel(QWidget):
    """Arguments, locals and globals of the frame that is looked at, and what a function has just returned."""

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        self.view = ValueView(session, self)
        self.view.setAccessibleName("Variables")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.timeout.connect(lambda: self._ask(False))
        session.stopped.connect(self._on_stopped)
        session.frame_selected.connect(lambda _: self._ask(False))
        session.values_changed.connect(lambda: self._refresh.start(0))
        session.resumed.connect(lambda: self.view.set_outdated(True))
        session.stopped.connect(lambda _: self.view.set_outdated(False))
        session.input_requested.connect(self._clear)
        session.ended.connect(lambda _: self._clear())
        self._function = ""

    def _on_stopped(self, stop: Stopped) -> None:
        self._ask(True)

    def _clear(self) -> None:
        self.view.delegate.close()
        self.view.set_outdated(False)
        self.view.values.clear()

    def _ask(self, is_new_stop: bool) -> None:
        stop, frame_index = self._session.state.stop, self._session.frame_index
        if stop is None:
            return

        def take(event: Event) -> None:
            if not isinstance(event, Variables) or self._session.state.stop is not stop:
                return
            if frame_index == self._session.frame_index:
                self._show(event.variables, frame_index, stop, is_new_stop)

        def take_function(event: Event) -> None:
            if isinstance(event, StackTrace) and event.frames:
                self._function = event.frames[0].function

        self._session.stack_trace(take_function, frame_index, 1)
        self._session.get_variables(take, frame_index)

    def _show(self, variables: Tuple[Variable, ...], frame_index: int, stop: Stopped, is_new_stop: bool) -> None:
        returned = []
        if stop.return_value is not None and frame_index == 0:
            value = stop.return_value
            returned.append(Variable(name=f"{value.function}()", value=value.value, type=value.type,
                                     declared_type=value.declared_type, reference=value.reference,
                                     children=value.extra.get("children", 0)))
        groups = [returned] + [[one for one in variables if one.scope == scope]
                               for scope in _SCOPES]
        self.view.set_function(f"{self._function} {stop.frame_count - frame_index}")
        self.view.values.frame_index = frame_index
        self.view.values.set_values(groups, _TITLES, is_new_stop)
        self.view.refresh_layout()
