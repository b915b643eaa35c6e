"""The panel with the program's output, its input, and a line for expressions."""

from __future__ import annotations

from typing import List, Optional

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QKeySequence, QShortcut
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from ..protocol import Diagnostic, Error, EvaluateResult, Event, Output, Stopped
from .code_font import use_code_font
from .copy_key import CopyKey
from .output_text import CONSOLE, ECHO, PROBLEM, RESULT, STDERR, STDOUT, OutputText
from .plain import PlainLabel
from .prompt import Prompt
from .session import DebugSession

#: An evaluation takes long after so many milliseconds.
_LONG_MS = 300


class ConsolePanel(QWidget):
    """Output (standard error red, what the debugger says grey), a field when the program asks for input, and a line
    for expressions with completion and history."""

    #: An evaluation takes long (True), or is over (False).
    evaluation_took_long = pyqtSignal(bool)

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._session = session
        #: The error that was shown last.
        self._last_problem: Optional[Diagnostic] = None
        self._long = QTimer(self)
        self._long.setSingleShot(True)
        self._long.setInterval(_LONG_MS)
        self._long.timeout.connect(lambda: self.evaluation_took_long.emit(True))
        self.output = OutputText(self)
        self.output.setFrameShape(QFrame.Shape.NoFrame)
        self._copy_key = CopyKey(self.output)
        self.skipped = PlainLabel(self)
        self.skipped.setContentsMargins(6, 1, 6, 1)
        self.skipped.hide()
        self.output.skipped_changed.connect(self._show_skipped)
        self.input_row = QFrame(self)
        self.input_row.setFrameShape(QFrame.Shape.StyledPanel)
        self.input = QLineEdit(self.input_row)
        self.input.setPlaceholderText("Type a line, then Return")
        self.input.setAccessibleName("Input for the program")
        self.input.returnPressed.connect(self._send_input)
        self.end_button = QPushButton("No more input", self.input_row)
        self.end_button.setToolTip("Tells the program that its input has ended (Ctrl+D)")
        self.end_button.clicked.connect(self._end_input)
        end_key = QShortcut(QKeySequence("Ctrl+D"), self.input)
        end_key.setContext(Qt.ShortcutContext.WidgetShortcut)
        end_key.activated.connect(self._end_input)
        self.prompt = Prompt(session, self)
        self.prompt.entered.connect(self.evaluate)
        self.set_code_font(self.output.font())
        self._lay_out()
        self.input_row.hide()
        session.started.connect(self._on_started)
        session.output_received.connect(self._on_output)
        session.input_requested.connect(self._on_input_requested)
        session.input_done.connect(self.input_row.hide)
        session.stopped.connect(self._on_stopped)
        session.ended.connect(self._on_ended)
        session.error_received.connect(self._on_error)
        session.warned.connect(self._on_warnings)
        session.state_changed.connect(self._refresh)
        self._refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self.input_row)
        row.setContentsMargins(6, 3, 6, 3)
        label = PlainLabel(self.input_row, "&Input:")
        label.setBuddy(self.input)
        row.addWidget(label)
        row.addWidget(self.input, 1)
        row.addWidget(self.end_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.skipped)
        layout.addWidget(self.output, 1)
        layout.addWidget(self.input_row)
        layout.addWidget(self.prompt)

    def evaluate(self, expression: str) -> None:
        """Evaluates an expression in the frame that is looked at, and shows its value."""
        self.output.add(ECHO, f"› {expression}\n")

        self._long.start()

        def take(event: Event) -> None:
            self._long.stop()
            self.evaluation_took_long.emit(False)
            if isinstance(event, EvaluateResult):
                # A statement, or a call of a function that returns nothing, has no value.
                if event.type not in ("", "void"):
                    self.output.add(RESULT, f"{event.result}\n")
            elif isinstance(event, Error):
                self.output.add(PROBLEM, f"{event.message}\n")

        self._session.evaluate(take, expression, self._session.frame_index)

    def set_code_font(self, font: QFont) -> None:
        """Shows what the program writes, and what is typed, in the editor's size; all letters have the same width."""
        for widget in (self.output, self.input, self.prompt, self.prompt.offers.popup()):
            if widget is not None:
                use_code_font(widget, font)

    def say(self, text: str) -> None:
        """Shows what the debugger says."""
        self.output.add(CONSOLE, f"{text}\n")

    def _show_skipped(self, lines: int) -> None:
        self.skipped.setText(f"{lines:,} earlier lines are left out.")
        self.skipped.setVisible(lines > 0)

    def _on_started(self) -> None:
        self._last_problem = None
        self.output.start_anew()

    def _on_output(self, outputs: List[Output]) -> None:
        for output in outputs:
            self.output.add(output.category if output.category in (STDOUT, STDERR) else CONSOLE, output.text)

    def _on_input_requested(self) -> None:
        self.input_row.show()
        self.input.setFocus()

    def _send_input(self) -> None:
        # Of whole lines that were pasted, the last one has its end already.
        text = self.input.text().replace("\r\n", "\n")
        text = text[:-1] if text.endswith("\n") else text
        self.input.clear()
        self.output.add(ECHO, f"{text}\n")
        self._session.send_input(text)

    def _end_input(self) -> None:
        self.input.clear()
        self._session.end_input()

    def _on_stopped(self, stop: Stopped) -> None:
        self.output.show_up_to(stop.output_length if stop.past else None)
        if stop.text:
            self.say(stop.text)
        if stop.reason == "exception":
            self._report(Diagnostic(message=stop.description, code=stop.code, location=stop.location, help=stop.help))

    def _on_ended(self, exit_code: Optional[int]) -> None:
        self.output.show_up_to(None)
        self.say("The program was ended." if exit_code is None else f"The program has ended with status {exit_code}.")

    def _on_error(self, error: Error) -> None:
        if error.command is not None:
            self._report(error)
        else:
            self._report(Diagnostic(message=error.message, code=error.code, location=error.location, help=error.help))

    def _report(self, problem: Diagnostic) -> None:
        """Shows an error; the one of a run only once, although its end repeats what its stop has said."""
        if problem == self._last_problem:
            return
        self._last_problem = problem
        self.output.add(PROBLEM, f"{_report(problem)}\n")
        if problem.help:
            self.say(f"help: {problem.help}")

    def _on_warnings(self, warnings: List[Diagnostic]) -> None:
        for warning in warnings:
            self.say(f"warning: {_report(warning)}")

    def _refresh(self) -> None:
        if self._session.state.status == "starting":
            self._last_problem = None
        possible = self._session.state.possible
        self.prompt.setEnabled("evaluate" in possible)
        self.output.can_show_origins = "goToStep" in possible


def _with_code(code: Optional[str], text: str) -> str:
    return f"{code}: {text}" if code else text


def _report(diagnostic: Diagnostic) -> str:
    place = diagnostic.location
    where = f"{place.file}:{place.line}:{place.column}: " if place is not None and place.file else ""
    return f"{where}{_with_code(diagnostic.code, diagnostic.message)}"
