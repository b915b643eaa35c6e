"""Breakpoints of all kinds."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from ..protocol import (
    Breakpoint,
    BreakpointChanged,
    BreakpointLocations,
    Breakpoints,
    BreakpointSet,
    DataBreakpoints,
    ExceptionBreakpoints,
    ExceptionFilter,
    FunctionBreakpoints,
    Location,
    State,
)
from .core import Core, expected
from .plan import Plan
from .values import Value

Path = Union[str, "os.PathLike[str]"]


class BreakpointCommands(Core):
    """The commands about breakpoints.

    Whether a breakpoint can be hit is in its `verified`, and in `message` why not.
    """

    def path(self, file: Path) -> str:
        """The path of a file for the server, whose working directory may be another one."""
        name = os.fspath(file)
        return os.path.abspath(name) if os.path.exists(name) else name

    def break_at(
        self,
        file: Path,
        line: int,
        condition: Optional[str] = None,
        *,
        column: Optional[int] = None,
        hits: Optional[str] = None,
        log: Optional[str] = None,
        enabled: Optional[bool] = None,
    ) -> Plan[Breakpoint]:
        """A breakpoint at a line; `hits` is its hit condition, with `log` it writes to `console` and does not stop."""
        return (yield from self.ask(
            BreakpointSet, "setBreakpoint", file=self.path(file), line=line, condition=condition, column=column,
            hit_condition=hits, log_message=log, enabled=enabled))

    def set_breakpoints(self, file: Path, lines: Sequence[int]) -> Plan[Tuple[Breakpoint, ...]]:
        """Replaces all breakpoints at lines of a file."""
        items = [{"line": line} for line in lines]
        answer = yield from self.ask(Breakpoints, "setBreakpoints", file=self.path(file), breakpoints=items)
        return answer.breakpoints

    def break_in(
        self,
        function: str,
        condition: Optional[str] = None,
        *,
        hits: Optional[str] = None,
        log: Optional[str] = None,
    ) -> Plan[Breakpoint]:
        """A breakpoint at the beginning of a function (`f`, or `module.f`)."""
        state = yield from self.ask(State, "getState")
        others = [_options(one, name=one.name) for one in state.function_breakpoints if one.name != function]
        new = _given(name=function, condition=condition, hitCondition=hits, logMessage=log)
        answer = yield from self.ask(FunctionBreakpoints, "setFunctionBreakpoints", breakpoints=[*others, new])
        return answer.breakpoints[-1]

    def break_on_write(
        self,
        what: Union[str, Value],
        condition: Optional[str] = None,
        *,
        hits: Optional[str] = None,
        frame: int = 0,
        inside: Optional[Value] = None,
    ) -> Plan[Breakpoint]:
        """A breakpoint on writes of a variable, or of a part of the value `inside` that has this name."""
        state = yield from self.ask(State, "getState")
        others = [_options(one, id=one.id) for one in state.data_breakpoints]
        name = what.name if isinstance(what, Value) else what
        place: Dict[str, Any] = {"frameIndex": frame} if inside is None else {"reference": inside.variable.reference}
        new = {**_given(name=name, condition=condition, hitCondition=hits), **place}
        answer = yield from self.ask(DataBreakpoints, "setDataBreakpoints", breakpoints=[*others, new])
        return answer.breakpoints[-1]

    def break_on_errors(
        self, uncaught: bool = True, values: bool = False, condition: Optional[str] = None
    ) -> Plan[Tuple[ExceptionFilter, ...]]:
        """Stops at run-time errors (`uncaught`) and where Error values come into being (`values`), or at neither."""
        chosen = [name for name, wanted in (("uncaught", uncaught), ("errorValue", values)) if wanted]
        options = [_given(filterId=name, condition=condition) for name in chosen]
        answer = yield from self.ask(
            ExceptionBreakpoints, "setExceptionBreakpoints", filters=[], filter_options=options)
        return answer.filters

    def breakpoints(self) -> Plan[Tuple[Breakpoint, ...]]:
        """All breakpoints: at lines, at functions, and on writes."""
        state = yield from self.ask(State, "getState")
        return (*state.breakpoints, *state.function_breakpoints, *state.data_breakpoints)

    def breakpoint_locations(self, file: Path, line: int, end_line: Optional[int] = None) -> Plan[Tuple[Location, ...]]:
        """Where a breakpoint may be on some lines."""
        path = self.path(file)
        answer = yield from self.ask(
            BreakpointLocations, "breakpointLocations", file=path, line=line, end_line=end_line)
        return tuple(replace(one, file=answer.file or path) for one in answer.locations)

    def enable(self, breakpoint: Union[int, Breakpoint]) -> Plan[Breakpoint]:
        """Lets a breakpoint stop again."""
        return (yield from self._change("enableBreakpoint", breakpoint))

    def disable(self, breakpoint: Union[int, Breakpoint]) -> Plan[Breakpoint]:
        """Keeps a breakpoint from stopping."""
        return (yield from self._change("disableBreakpoint", breakpoint))

    def remove(self, breakpoint: Union[int, Breakpoint]) -> Plan[Breakpoint]:
        """Takes a breakpoint away."""
        return (yield from self._change("removeBreakpoint", breakpoint))

    def set_condition(self, breakpoint: Union[int, Breakpoint], condition: Optional[str]) -> Plan[Breakpoint]:
        """Gives a breakpoint a condition, or takes it away."""
        # Here `null` means something.
        sent = self.send_all("setCondition", {"id": _id(breakpoint), "condition": condition})
        return expected(BreakpointChanged, (yield from self.wait_for(sent))).breakpoint

    def _change(self, command: str, breakpoint: Union[int, Breakpoint]) -> Plan[Breakpoint]:
        return (yield from self.ask(BreakpointChanged, command, id=_id(breakpoint))).breakpoint


def _id(breakpoint: Union[int, Breakpoint]) -> int:
    return breakpoint if isinstance(breakpoint, int) else breakpoint.id


def _given(**options: Any) -> Dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _options(one: Breakpoint, **what: Any) -> Dict[str, Any]:
    """A breakpoint as it is, for a command that sets all of a kind."""
    return _given(
        condition=one.condition, hitCondition=one.hit_condition, logMessage=one.log_message, enabled=one.enabled, **what)
