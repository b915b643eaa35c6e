"""Stops, and the values that are seen there. What is not known yet is fetched when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Dict, Iterator, List, Optional, Tuple, TypeVar, Union, overload

from ..protocol import Children, Error, Exited, Frame, StackTrace, Stopped, Variable, Variables
from .errors import DebuggerError, StaleError
from .plan import Plan

if TYPE_CHECKING:
    from .core import Core

T = TypeVar("T")

#: How many parts of a value, or calls, are fetched at a time.
PAGE = 100


class Moment:
    """The time from one stop to the next command that lets the program go on."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._number = core.moment

    def check(self) -> Core:
        """The session, if it is still at this stop."""
        if self._core.moment != self._number:
            raise StaleError("the program has gone on: ask the new stop")
        return self._core

    def get(self, plan: Plan[T]) -> T:
        """What a plan fetches at this stop."""
        found: T = self.check().carry_out(plan)
        return found


class Value:
    """A variable, a part of one, or the result of an evaluation; `str()` is its value."""

    def __init__(self, moment: Moment, variable: Variable) -> None:
        self._moment = moment
        #: All that the server says about it.
        self.variable = variable
        self.name = variable.name
        #: As EZ writes it; long ones are cut, see `is_cut`.
        self.value = variable.value
        self.type = variable.declared_type or variable.type
        self.is_changed = variable.changed
        self.is_cut = variable.truncated
        #: The elements, entries or fields.
        self.children = Parts(moment, variable.reference, variable.children)

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"<{self.name}: {self.type} = {self.value}>"

    def __getitem__(self, part: Union[int, str]) -> Value:
        """An element by its index; a field or an entry by its name (`"x"`, or as EZ writes it: `'["key"]'`)."""
        return self.children[part] if isinstance(part, int) else self.children.named(part)


class Parts(Sequence[Value]):
    """The parts of a value, fetched in pages."""

    def __init__(self, moment: Moment, reference: int, total: int) -> None:
        self._moment = moment
        self._reference = reference
        self._total = total
        self._known: Dict[int, Value] = {}

    def __len__(self) -> int:
        return self._total

    @overload
    def __getitem__(self, index: int) -> Value: ...

    @overload
    def __getitem__(self, index: slice) -> List[Value]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Value, List[Value]]:
        if isinstance(index, slice):
            return [self._at(place) for place in range(*index.indices(self._total))]
        place = index + self._total if index < 0 else index
        if not 0 <= place < self._total:
            raise IndexError(f"there are {self._total} parts, and none at {index}")
        return self._at(place)

    def __iter__(self) -> Iterator[Value]:
        return map(self._at, range(self._total))

    def named(self, name: str) -> Value:
        """The part with a name."""
        for part in self:
            if part.name == name:
                return part
        raise KeyError(name)

    def _at(self, place: int) -> Value:
        if place not in self._known:
            start = place - place % PAGE
            self._moment.get(self.fetch(start, min(start + PAGE, self._total)))
        return self._known[place]

    def fetch(self, start: int, end: int) -> Plan[List[Value]]:
        """The parts from one place up to another, which is not included."""
        core = self._moment.check()
        place = start
        while place < end:
            if place in self._known:
                place += 1
                continue
            page = yield from core.ask(
                Children, "getChildren", reference=self._reference, start=place, count=min(PAGE, end - place))
            if not page.children:
                raise DebuggerError(f"the server has no part {place} of {self._total}")
            # Those that are too large for one event are missing at the end.
            for variable in page.children:
                self._known.setdefault(place, Value(self._moment, variable))
                place += 1
        return [self._known[place] for place in range(start, end)]


class Names(Mapping[str, Value]):
    """Variables by name, in the order of the server."""

    def __init__(self, values: Sequence[Value]) -> None:
        # Of the same name in several scopes the innermost comes first, and is what the name means.
        self._values: Dict[str, Value] = {}
        for value in values:
            self._values.setdefault(value.name, value)

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr({name: value.value for name, value in self._values.items()})


class StopFrame:
    """A call in progress."""

    def __init__(self, moment: Moment, frame: Frame) -> None:
        self._moment = moment
        self._variables: Optional[Names] = None
        #: All that the server says about it.
        self.frame = frame
        self.index = frame.index
        self.function = frame.function
        self.file = frame.file
        self.line = frame.line

    @property
    def variables(self) -> Names:
        """Its parameters, locals, and the globals that it sees."""
        if self._variables is None:
            self._variables = self._moment.get(fetch_variables(self._moment, self.index))
        return self._variables

    def __repr__(self) -> str:
        return f"<{self.function} at {self.file}:{self.line}>"


class Stop:
    """Where a run has led to: a stop, or the end of the program. It is true as long as the program has not ended."""

    def __init__(self, core: Core, event: Union[Stopped, Exited], error: Optional[Error] = None) -> None:
        self._moment = Moment(core)
        self._variables: Optional[Names] = None
        self._frames: Optional[Tuple[StopFrame, ...]] = None
        #: All that the server says about it.
        self.event = event
        #: The run-time error that has ended the program.
        self.error = error
        at = event if isinstance(event, Stopped) else Stopped()
        #: `entry`, `step`, `breakpoint`, ... as in SPEC.md, or `exited`.
        self.reason = at.reason or "exited"
        self.exit_code = event.exit_code if isinstance(event, Exited) else None
        self.description = at.description or f"The program has ended with status {self.exit_code}"
        #: What else there is to say, such as why a condition failed.
        self.text = at.text
        self.file = at.location.file
        self.line = at.location.line
        self.column = at.location.column
        #: The number of the step, with a history what `go_to_step` takes.
        self.step = at.step
        self.is_past = at.past
        self.return_value = at.return_value

    @property
    def has_ended(self) -> bool:
        """Whether the program has ended."""
        return self.exit_code is not None

    def __bool__(self) -> bool:
        return not self.has_ended

    @property
    def variables(self) -> Names:
        """The parameters, the locals, and the globals that are seen here."""
        if self._variables is None:
            self._variables = self._moment.get(fetch_variables(self._moment, 0))
        return self._variables

    @property
    def frames(self) -> Tuple[StopFrame, ...]:
        """The calls in progress, the innermost first."""
        if self._frames is None:
            self._frames = tuple(self._moment.get(fetch_frames(self._moment)))
        return self._frames

    @property
    def function(self) -> str:
        """The function in which the program stands."""
        return self.frames[0].function

    def __repr__(self) -> str:
        return f"<{self.description}>" if self.has_ended else f"<{self.description}, {self.file}:{self.line}>"


def fetch_variables(moment: Moment, frame_index: int, scope: Optional[str] = None) -> Plan[Names]:
    """The variables of a frame."""
    answer = yield from moment.check().ask(Variables, "getVariables", frame_index=frame_index, scope=scope)
    return Names([Value(moment, variable) for variable in answer.variables])


def fetch_frames(moment: Moment) -> Plan[List[StopFrame]]:
    """All calls in progress."""
    found: List[StopFrame] = []
    total = 1
    while len(found) < total:
        answer = yield from moment.check().ask(StackTrace, "getStackTrace", start=len(found), count=PAGE)
        total = answer.total
        if not answer.frames:
            break
        found += [StopFrame(moment, frame) for frame in answer.frames]
    return found
