"""The dialog for the options of a breakpoint."""

from __future__ import annotations

from typing import Dict, Optional

from PyQt6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QWidget

from .breakpoint_store import WRITE, BreakpointStore, UserBreakpoint


class BreakpointDialog(QDialog):
    """Condition, hits, message and switch of a breakpoint. Not modal: the program may go on meanwhile."""

    def __init__(self, store: BreakpointStore, breakpoint: UserBreakpoint, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._store = store
        self._breakpoint = breakpoint
        self.setWindowTitle("Breakpoint")
        self.condition = _field(breakpoint.condition, "Stop only if", "i == 3")
        self.hit_condition = _field(breakpoint.hit_condition, "Which hits", "5, >= 5 or % 5")
        self.log_message = _field(breakpoint.log_message, "Write instead of stopping", "i is {i}")
        self.switch = QCheckBox("Enabled")
        self.switch.setChecked(breakpoint.enabled)
        form = QFormLayout(self)
        form.addRow("Stop only &if", self.condition)
        form.addRow("&Hits", self.hit_condition)
        if breakpoint.kind != WRITE:
            form.addRow("&Write instead of stopping", self.log_message)
        form.addRow(self.switch)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        self.resize(380, self.sizeHint().height())

    def accept(self) -> None:
        """Changes the breakpoint."""
        texts: Dict[str, Optional[str]] = {
            "condition": self.condition.text().strip() or None,
            "hit_condition": self.hit_condition.text().strip() or None,
            "log_message": self.log_message.text() or None,
        }
        self._store.change(self._breakpoint, enabled=self.switch.isChecked(), **texts)
        super().accept()


def _field(text: Optional[str], name: str, example: str) -> QLineEdit:
    field = QLineEdit(text or "")
    field.setAccessibleName(name)
    field.setPlaceholderText(example)
    return field
