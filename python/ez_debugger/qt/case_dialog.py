"""The dialog for a new case."""

from __future__ import annotations

from typing import Callable, Dict, Optional, Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from .case_files import free_name, what_is_wrong
from .code_font import use_code_font
from .last_run import LastRun
from .plain import PlainLabel

#: Writes a case: its name, and the texts of its files by their endings. A sentence if that is not possible.
Write = Callable[[str, Dict[str, str]], str]


class CaseDialog(QDialog):
    """A name, what the program reads, and what it has to print: those of the last run, to be looked at."""

    #: What was typed is not wanted any more.
    started_over = pyqtSignal()

    def __init__(self, names: Callable[[], Sequence[str]], run: Optional[LastRun], write: Write, parent: Optional[QWidget] = None,
                 font: Optional[QFont] = None) -> None:
        """`names`: those of the other cases, now. Without a `run`, both texts are empty."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self.setWindowTitle("Add a case")
        self._names, self._write = names, write
        self._more: Dict[str, str] = {}
        self.name = QLineEdit(free_name(names()), self)
        self.input = self._text(run.input if run is not None else "", font)
        self.output = self._text(run.output if run is not None else "", font)
        self.note = PlainLabel(self, self._say(run))
        self.note.setWordWrap(True)
        self.problem = PlainLabel(self)
        self.problem.setWordWrap(True)
        self.problem.hide()
        layout = QVBoxLayout(self)
        for text, field in (("&Name", self.name), ("What the program &reads", self.input),
                            ("What it has to &print", self.output)):
            label = PlainLabel(self, text)
            label.setBuddy(field)
            field.setAccessibleName(text.replace("&", ""))
            layout.addWidget(label)
            layout.addWidget(field, 0 if field is self.name else 1)
        layout.addWidget(self.note)
        layout.addWidget(self.problem)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self._over = buttons.addButton("Start over", QDialogButtonBox.ButtonRole.ResetRole)
        if self._over is not None:
            self._over.clicked.connect(self._start_over)
            self._over.hide()
        layout.addWidget(buttons)
        self.resize(360, 420)
        self.name.selectAll()

    def accept(self) -> None:
        """Writes the case, if it can be one."""
        name = self.name.text()
        problem = what_is_wrong(name, self._names())
        if not problem:
            problem = self._write(name, {"in": _text_of(self.input), "out": _text_of(self.output), **self._more})
        if problem:
            self.problem.setText(problem)
            self.problem.show()
        else:
            super().accept()

    @property
    def is_changed(self) -> bool:
        """Whether somebody has typed something."""
        documents = (self.input.document(), self.output.document())
        return self.name.isModified() or any(one is not None and one.isModified() for one in documents)

    def open_again(self) -> None:
        """Shows what was typed, which can be given up for the last run."""
        if self._over is not None:
            self._over.show()
        self.open()

    def _start_over(self) -> None:
        # Nobody wants to have that back.
        self.blockSignals(True)
        self.reject()
        self.blockSignals(False)
        self.started_over.emit()

    def _say(self, run: Optional[LastRun]) -> str:
        if run is None:
            return "No run of this program has come to its end yet: type both, or run the program first."
        # Not all that was typed need have been read.
        said = ["This is what the last run was given to read, and has printed. Is it right?"]
        if run.is_old:
            said.append("The text of the program was changed since.")
        if run.arguments:
            self._more["args"] = "".join(f"{argument}\n" for argument in run.arguments)
            said.append(f"It had the arguments {' '.join(run.arguments)}.")
        if run.status is None:
            said.append("It has not ended (F5): the case expects the status 0.")
        elif run.status != 0:
            self._more["status"] = f"{run.status}\n"
            said.append(f"It has to end with the status {run.status}.")
        return " ".join(said)

    def _text(self, text: str, font: Optional[QFont]) -> QPlainTextEdit:
        edit = QPlainTextEdit(self)
        edit.setTabChangesFocus(True)
        if font is not None:
            use_code_font(edit, font)
        edit.setPlainText(text)
        edit.setProperty("given", text)
        edit.document().setModified(False)  # type: ignore[union-attr]
        return edit


def _text_of(edit: QPlainTextEdit) -> str:
    """What is in a field; as it was given, as long as nobody has changed it: Qt has other line ends and blanks."""
    document = edit.document()
    if document is None or not document.isModified():
        return str(edit.property("given"))
    return document.toRawText().replace("\u2029", "\n").replace("\u2028", "\n")
