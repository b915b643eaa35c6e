"""A method for each command that panels and programs send."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Callable, Optional

from PyQt6.QtCore import QObject

from ..protocol import Event

Answer = Optional[Callable[[Event], None]]


class Commands(QObject):
    """The commands of SPEC.md as methods.

    Those that let the program run give whether they were sent: not while another one is under way. The others
    call `on_answer` with the event that answers them.
    """

    @abstractmethod
    def send(self, command: str, on_answer: Answer = None, **params: Any) -> bool:
        """Queues a command."""

    @abstractmethod
    def run(self, command: str, on_answer: Answer = None, **params: Any) -> bool:
        """Queues a command that lets the program run."""

    def continue_(self) -> bool:
        """To the next breakpoint, or the end."""
        return self.run("continue")

    def step_into(self, target_id: Optional[int] = None) -> bool:
        """To the next statement; `target_id`: into that call (`step_targets`)."""
        return self.run("stepInto", **_given(target_id=target_id))

    def step_over(self) -> bool:
        """To the next statement that is not in a function called from here."""
        return self.run("stepOver")

    def step_out(self) -> bool:
        """Until this function has returned."""
        return self.run("stepOut")

    def run_to(self, file: str, line: int, column: Optional[int] = None) -> bool:
        """To a line, or whatever comes first."""
        return self.run("runTo", file=file, line=line, **_given(column=column))

    def step_back(self) -> bool:
        """To the position before, in a called function too."""
        return self.run("stepBack")

    def step_back_over(self) -> bool:
        """To the position before in this call."""
        return self.run("stepBackOver")

    def step_back_out(self) -> bool:
        """To the call of this function."""
        return self.run("stepBackOut")

    def reverse_continue(self) -> bool:
        """To the breakpoint before, or the first statement."""
        return self.run("reverseContinue")

    def restart_frame(self, frame_index: int = 0) -> bool:
        """To the first statement of a call."""
        return self.run("restartFrame", frame_index=frame_index)

    def go_to_step(self, step: int, on_answer: Answer = None) -> bool:
        """To the first position from a step on."""
        return self.run("goToStep", on_answer, step=step)

    def go_to_present(self) -> bool:
        """To where the program really is."""
        return self.run("goToPresent")

    def pause(self) -> bool:
        """Stops the program where it is, and ends evaluations, searches and journeys."""
        return self.send("pause")

    def interrupt(self) -> bool:
        """As `pause`; where there is nothing to stop, nothing is said."""
        return self.send("pause", lambda _: None)

    def kill(self) -> bool:
        """Ends the program, as if it had ended by itself, with status 143."""
        return self.send("kill")

    def send_input(self, line: str) -> bool:
        """A line for the program, without its end."""
        return self.send("input", text=line + "\n")

    def end_input(self) -> bool:
        """Nothing comes any more for the program to read."""
        return self.send("input", eof=True)

    def get_variables(self, on_answer: Answer, frame_index: int = 0) -> bool:
        """The variables of a frame: `Variables`."""
        return self.send("getVariables", on_answer, frame_index=frame_index)

    def get_children(self, on_answer: Answer, reference: int, start: int = 0, count: int = 100) -> bool:
        """Parts of a value: `Children`."""
        return self.send("getChildren", on_answer, reference=reference, start=start, count=count)

    def set_variable(self, on_answer: Answer, name: str, value: str, reference: int = 0, frame_index: int = 0) -> bool:
        """Assigns to a variable of a frame, or to a part of a value: `VariableSet`."""
        where = {"reference": reference} if reference else {"frame_index": frame_index}
        return self.send("setVariable", on_answer, name=name, value=value, **where)

    def evaluate(self, on_answer: Answer, expression: str, frame_index: int = 0, context: str = "repl",
                 format: str = "preview") -> bool:
        """Computes an expression, or makes an assignment: `EvaluateResult`."""
        return self.send("evaluate", on_answer, expression=expression, frame_index=frame_index, context=context,
                         format=format)

    def completions(self, on_answer: Answer, text: str, column: int, frame_index: int = 0) -> bool:
        """The completions before a column, counted from 1: `Completions`."""
        return self.send("completions", on_answer, text=text, column=column, frame_index=frame_index)

    def stack_trace(self, on_answer: Answer, start: int = 0, count: int = 100) -> bool:
        """The calls in progress: `StackTrace`."""
        return self.send("getStackTrace", on_answer, start=start, count=count)

    def step_targets(self, on_answer: Answer, frame_index: int = 0) -> bool:
        """The calls in the statement: `StepTargets`."""
        return self.send("getStepTargets", on_answer, frame_index=frame_index)

    def last_change(self, on_answer: Answer, expression: str, frame_index: int = 0) -> bool:
        """Where a variable or a part got its value: `LastChange`."""
        return self.send("lastChange", on_answer, expression=expression, frame_index=frame_index)

    def unfold(self, on_answer: Answer, frame_index: int = 0) -> bool:
        """What the expressions of the statement before computed: `Unfolded`."""
        return self.send("unfold", on_answer, frame_index=frame_index)

    def state_of_server(self, on_answer: Answer) -> bool:
        """All breakpoints and watches, and where the program is: `State`."""
        return self.send("getState", on_answer)

    def source(self, on_answer: Answer, file: str) -> bool:
        """The text of a file as the program was loaded from it: `Source`."""
        return self.send("getSource", on_answer, file=file)



def _given(**params: Any) -> Any:
    return {name: value for name, value in params.items() if value is not None}
