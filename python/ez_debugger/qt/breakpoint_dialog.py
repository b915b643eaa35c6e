"""The dialog for the options of a breakpoint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Optional

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QWidget

from ..protocol import Error, Event
from . import colors
from .breakpoint_store import WRITE, BreakpointStore, UserBreakpoint
from .check import OPTIONS, OptionsCheck
from .plain import PlainLabel


class BreakpointDialog(QDialog):
    """Condition, hits, message and switch of a breakpoint. Not modal: the program may go on meanwhile.

    It stays open as long as something is wrong, and says what.
    """

    def __init__(self, store: BreakpointStore, breakpoint: UserBreakpoint, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self._store = store
        self._breakpoint = breakpoint
        self._check: Optional[OptionsCheck] = None
        self.setWindowTitle("Breakpoint")
        self.condition = _field(breakpoint.condition, "Stop only if", "i == 3")
        self.hit_condition = _field(breakpoint.hit_condition, "Which hits", "5, >= 5 or % 5")
        self.log_message = _field(breakpoint.log_message, "Write instead of stopping", "i is {i}")
        self.switch = QCheckBox("Enabled")
        self.switch.setChecked(breakpoint.enabled)
        self.problem = PlainLabel(self)
        self.problem.setWordWrap(True)
        self.problem.setAccessibleName("What is wrong")
        palette = self.problem.palette()
        palette.setColor(self.problem.foregroundRole(), colors.error(palette))
        self.problem.setPalette(palette)
        self.problem.hide()
        form = QFormLayout(self)
        form.addRow("Stop only &if", self.condition)
        form.addRow("&Hits", self.hit_condition)
        if breakpoint.kind != WRITE:
            form.addRow("&Write instead of stopping", self.log_message)
        form.addRow(self.switch)
        form.addRow(self.problem)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        form.addRow(self.buttons)
        self._fields = dict(zip(OPTIONS, (self.condition, self.hit_condition, self.log_message)))
        self.resize(380, self.sizeHint().height())

    def accept(self) -> None:
        """Changes the breakpoint, if nothing is wrong."""
        if self._check is not None:
            return
        wanted = replace(self._breakpoint, reported=None, **self._texts())
        if not wanted.has_options:
            self._close()
        elif wanted.kind == WRITE:
            self._ask_engine(wanted)
        else:
            self._set_waiting(True)
            self._check = OptionsCheck(self._store, wanted, self._on_checked, self)

    def _texts(self) -> Dict[str, Any]:
        return {
            "condition": self.condition.text().strip() or None,
            "hit_condition": self.hit_condition.text().strip() or None,
            "log_message": self.log_message.text() or None,
        }

    def _ask_engine(self, wanted: UserBreakpoint) -> None:
        """Only the session knows what is watched, and which names there are."""
        reported = self._breakpoint.reported

        def take(event: Event) -> None:
            if self.isVisible():
                self._on_checked("", event.message if isinstance(event, Error) else "")

        if reported is None or not self._store.session.send(
                "setCondition", take, id=reported.id, condition=wanted.condition, hitCondition=wanted.hit_condition):
            self._close()

    def _on_checked(self, option: str, problem: str) -> None:
        self._check = None
        self._set_waiting(False)
        if not problem:
            self._close()
            return
        self.problem.setText(problem)
        self.problem.show()
        field = self._fields.get(option, self.condition)
        field.setFocus()
        field.selectAll()

    def _set_waiting(self, is_waiting: bool) -> None:
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        if ok is not None:
            ok.setEnabled(not is_waiting)

    def _close(self) -> None:
        self._store.change(self._breakpoint, enabled=self.switch.isChecked(), **self._texts())
        super().accept()


def _field(text: Optional[str], name: str, example: str) -> QLineEdit:
    field = QLineEdit(text or "")
    field.setAccessibleName(name)
    field.setPlaceholderText(example)
    return field
