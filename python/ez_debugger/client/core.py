"""A session without input and output: what was sent, what has been told, and the plans of its commands."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Any, Callable, Dict, List, Optional, Tuple, Type, TypeVar, Union

from ..protocol import (
    RUNS,
    Command,
    Connection,
    Ended,
    Error,
    Event,
    Exited,
    Initialized,
    InputRequested,
    Killed,
    Malformed,
    Output,
    Stopped,
)
from ..protocol.versions import misfit
from .errors import CommandError, DebuggerError, InputRequired, ProgramError, ServerGone
from .plan import DEFAULT, InputWanted, Limit, Plan, Timeout, Wait, checked_seconds
from .text import Text
from .values import Stop

E = TypeVar("E", bound=Event)
T = TypeVar("T")

#: An answer, the errors of the program that came before it, and where the program stood then.
Answer = Tuple[Event, Tuple[Error, ...], Optional[Stop]]

#: How many answers are kept that nobody has waited for yet.
_KEPT = 64

#: What helps where another program runs than the one of this package.
_WHAT_TO_DO = "ez=... names the program ez of ez-debugger"


class Core:
    """What a session knows.

    Its methods may be called on any thread. `write` passes bytes on to the server, and `carry_out` carries out a plan
    of a value that fetches its parts.
    """

    def __init__(self, timeout: Optional[float], max_output: Optional[int], has_answerer: bool) -> None:
        if max_output is not None and not isinstance(max_output, int):
            raise TypeError(f"max_output is {max_output!r}: expected a whole number, or None")
        if max_output is not None and max_output < 0:
            raise ValueError(f"max_output is {max_output}")
        self._timeout = checked_seconds(timeout)
        self._max_output = max_output
        self._has_answerer = has_answerer
        self._connection = Connection()
        self._texts: Dict[str, Text] = {}
        self._answers: "OrderedDict[int, Answer]" = OrderedDict()
        self._run: Optional[Command] = None
        self._program_errors: List[Error] = []
        self.write: Callable[[bytes], None] = _not_opened
        self.carry_out: Callable[[Plan[Any]], Any] = _not_opened
        #: Whether the server has said anything; before that, what it wrote that is no event.
        self._has_answered = False
        self._foreign: Optional[Malformed] = None
        #: Protects everything here.
        self.lock = threading.RLock()
        #: Whether the server's output has ended.
        self.has_ended = False
        self.waits_for_input = False
        #: The last stop or end; None if there is no program, or before its first.
        self.stop: Optional[Stop] = None
        #: Counts the commands that let the program go on.
        self.moment = 0

    # What was told

    def text_of(self, category: str) -> str:
        """The output of a category."""
        with self.lock:
            text = self._texts.get(category)
            return "" if text is None else text.get()

    def dropped(self, category: str) -> int:
        """How many characters of the output of a category were dropped."""
        with self.lock:
            text = self._texts.get(category)
            return 0 if text is None else text.dropped

    def receive(self, data: bytes) -> List[Event]:
        """Takes what the server has written, nothing (`b""`) at its end. Returns the events."""
        with self.lock:
            if self.has_ended:
                return []
            events = self._connection.receive(data) if data else self._connection.end()
            for event in events:
                self._note(event)
                if data and isinstance(event, Malformed):
                    self._foreign = self._foreign or event
            return [event for event in events if not isinstance(event, Ended)]

    def _note(self, event: Event) -> None:
        self._has_answered = self._has_answered or not isinstance(event, (Malformed, Ended))
        if isinstance(event, Output):
            self._texts.setdefault(event.category, Text(self._max_output)).add(event.text)
        elif isinstance(event, InputRequested):
            self.waits_for_input = True
        elif isinstance(event, Error) and event.command is None:
            self._program_errors.append(event)
        elif isinstance(event, (Stopped, Exited)):
            self._note_stop(event)
        elif isinstance(event, Ended):
            self.has_ended = True
        if event.answers is not None and event.completes:
            self._note_answer(event.answers, event)

    def _note_answer(self, command: Command, event: Event) -> None:
        errors: Tuple[Error, ...] = ()
        if isinstance(event, Error) and event.command is None:
            errors, self._program_errors = tuple(self._program_errors), []
        if self._run is not None and command.id == self._run.id:
            self._run = None
        if _is_of_the_program(event):
            # There is no program any more, at no stop.
            self.stop, self.waits_for_input = None, False
        self._answers[command.id] = (event, errors, self.stop)
        while len(self._answers) > _KEPT:
            self._answers.popitem(last=False)

    def _note_stop(self, event: Union[Stopped, Exited]) -> None:
        errors, self._program_errors = self._program_errors, []
        self.waits_for_input = False
        is_end = isinstance(event, Exited)
        if is_end:
            self.moment += 1
        self.stop = Stop(self, event, errors[-1] if errors and is_end else None)

    # Commands

    def send(self, command: str, **params: Any) -> Command:
        """Sends a command of SPEC.md, and does not wait for its answer.

        Names of parameters may be in snake_case; those that are None are left out.
        """
        return self.send_all(command, {name: value for name, value in params.items() if value is not None})

    def send_all(self, command: str, params: Dict[str, Any]) -> Command:
        """As `send`; those that are None are sent."""
        with self.lock:
            if self.write is _not_opened:
                _not_opened()
            data = self._connection.send(command, **params)
            sent = self._connection.last_command
            assert sent is not None
            if command in RUNS:
                self._run = sent
                self.moment += 1
            self.write(data)
            return sent

    def seconds(self, timeout: Timeout) -> Optional[float]:
        """How long a call may take, in seconds."""
        return self._timeout if isinstance(timeout, Limit) else checked_seconds(timeout)

    def deadline(self, timeout: Timeout) -> Optional[float]:
        """When a call has to end that begins now."""
        seconds = self.seconds(timeout)
        return None if seconds is None else time.monotonic() + seconds

    def wait_for(self, command: Command, timeout: Timeout = DEFAULT) -> Plan[Event]:
        """Waits for the answer of a command."""
        return (yield from self._answer_of(command, self.deadline(timeout)))

    def _answer_of(self, command: Command, deadline: Optional[float]) -> Plan[Event]:
        return (yield from self._full_answer_of(command, deadline))[0]

    def _full_answer_of(self, command: Command, deadline: Optional[float]) -> Plan[Answer]:
        is_run = command.name in RUNS

        def ready() -> Union[None, Answer, InputRequested]:
            if self._foreign is not None and not self._has_answered:
                raise DebuggerError(f"the program is no debug server: it wrote {self._foreign.line[:60]!r}; {_WHAT_TO_DO}")
            # Several may wait for the end of a run.
            found = self._answers.get(command.id) if is_run else self._answers.pop(command.id, None)
            if found is None and is_run and self.waits_for_input and self._run is command:
                return InputRequested()
            return found

        while True:
            found = yield Wait(ready, f"answered '{command.name}'", deadline)
            if not isinstance(found, InputRequested):
                answer: Answer = found
                _check(answer[0], answer[1])
                return answer
            yield from self._answer_input(deadline)

    def _answer_input(self, deadline: Optional[float]) -> Plan[None]:
        if not self._has_answerer:
            raise InputRequired
        with self.lock:
            if not self.waits_for_input:
                return
            run, self.waits_for_input = self._run, False
        try:
            line = yield InputWanted(deadline)
            if not (line is None or isinstance(line, str)):
                raise TypeError(f"the function 'input' gave {line!r}: expected a line of text, or None at the end")
        except BaseException:
            with self.lock:
                # The program still waits: whoever waits for it next asks again.
                self.waits_for_input = self.waits_for_input or self._run is run
            raise
        if line is None:
            self.send("input", eof=True)
        else:
            self.send("input", text=line)

    def request(self, /, command: str, *, timeout: Timeout = DEFAULT, **params: Any) -> Plan[Event]:
        """Sends a command of SPEC.md, and waits for its answer."""
        deadline = self.deadline(timeout)
        return (yield from self._answer_of(self.send(command, **params), deadline))

    def ask(self, kind: Type[E], command: str, *, timeout: Timeout = DEFAULT, **params: Any) -> Plan[E]:
        """As `request`, for an answer of a class."""
        return expected(kind, (yield from self.request(command, timeout=timeout, **params)))

    # Runs

    def run(self, /, command: str, timeout: Timeout = DEFAULT, **params: Any) -> Plan[Stop]:
        """Sends a command that lets the program go on, and waits until it has stopped or ended."""
        deadline = self.deadline(timeout)
        return (yield from self._end_of(self.send(command, **params), deadline))

    def _end_of(self, run: Command, deadline: Optional[float]) -> Plan[Stop]:
        # Another thread may have let the program go on since.
        _, _, stop = yield from self._full_answer_of(run, deadline)
        assert stop is not None
        return stop

    def wait(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """Waits for the next stop, or the end, of a program that goes on: after `InputRequired` or `TimeLimitError`."""
        run = self._run
        if run is not None:
            return (yield from self._end_of(run, self.deadline(timeout)))
        if self.stop is None:
            raise DebuggerError("the program has not been started")
        return self.stop

    def pause(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """Stops a program that runs, or ends an evaluation; also from another thread than the one that waits for it.

        Returns where the program stands, if it is stopped already too.
        """
        deadline = self.deadline(timeout)
        with self.lock:
            run = self._run
            sent = self.send("pause")
            self.waits_for_input = False
        if run is not None:
            # The stop answers the command that has made it run.
            return (yield from self._end_of(run, deadline))
        try:
            yield from self._answer_of(sent, deadline)
        except CommandError:
            if self.stop is None or self.stop.has_ended:
                raise
        assert self.stop is not None
        return self.stop

    def kill(self, timeout: Timeout = DEFAULT) -> Plan[Stop]:
        """Ends the program; the session stays."""
        deadline = self.deadline(timeout)
        expected(Killed, (yield from self._answer_of(self.send("kill"), deadline)))

        def ended() -> Optional[Stop]:
            return None if self.stop is None or not self.stop.has_ended else self.stop

        end: Stop = yield Wait(ended, "told of the end", deadline)
        return end

    def send_input(self, text: str, end: bool = False) -> Plan[None]:
        """Gives the program lines of input; with `end` nothing comes after them."""
        self.waits_for_input = False
        yield from self.request("input", text=text, eof=True if end else None)

    def end_input(self) -> Plan[None]:
        """Says that no input comes any more."""
        self.waits_for_input = False
        yield from self.request("input", eof=True)

    def initialize(self, input: Optional[str], parameters: Dict[str, Any]) -> Plan[Initialized]:
        """Loads the program."""
        try:
            answer = yield from self.ask(Initialized, "initialize", **parameters)
        except ServerGone as gone:
            if self._has_answered or gone.stderr.strip():
                raise
            raise ServerGone(gone.status, f"It has said nothing; {_WHAT_TO_DO}.") from gone
        problem = misfit(answer)
        if problem is not None:
            raise DebuggerError(f"the debug server is {problem}; {_WHAT_TO_DO}")
        if input is not None:
            yield from self.send_input(input, end=True)
        return answer


def expected(kind: Type[E], answer: Event) -> E:
    """An answer, if it is of a class."""
    if not isinstance(answer, kind):
        raise DebuggerError(f"the answer is the event '{answer.event}'")
    return answer


def _check(answer: Event, errors: Tuple[Error, ...]) -> None:
    if not isinstance(answer, Error):
        return
    if _is_of_the_program(answer):
        raise ProgramError(errors or (answer,))
    raise CommandError(answer)


def _is_of_the_program(answer: Event) -> bool:
    """Whether an answer says that the program cannot be read, does not check, or cannot be run."""
    return isinstance(answer, Error) and (answer.command is None or answer.kind is not None)


def _not_opened(*_: Any) -> None:
    raise DebuggerError("the session has not been opened: use it in a 'with' statement")
