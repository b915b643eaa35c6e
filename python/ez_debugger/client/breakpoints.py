"""Breakpoints of all kinds."""

from __future__ import annotations

import os
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
from .core import Core
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
    ) -> Breakpoint:
        """A breakpoint at a line; `hits` is its hit condition, with `log` it writes to `console` and does not stop."""
        return self.ask(
            BreakpointSet, "setBreakpoint", file=self.path(file), line=line, condition=condition, column=column,
            hit_condition=hits, log_message=log, enabled=enabled)

    def set_breakpoints(self, file: Path, lines: Sequence[int]) -> Tuple[Breakpoint, ...]:
        """Replaces all breakpoints at lines of a file."""
        items = [{"line": line} for line in lines]
        return self.ask(Breakpoints, "setBreakpoints", file=self.path(file), breakpoints=items).breakpoints

    def break_in(
        self,
        function: str,
        condition: Optional[str] = None,
        *,
        hits: Optional[str] = None,
        log: Optional[str] = None,
    ) -> Breakpoint:
        """A breakpoint at the beginning of a function (`f`, or `module.f`)."""
        others = [
            _options(one, name=one.name) for one in self.ask(State, "getState").function_breakpoints
            if one.name != function
        ]
        new = _given(name=function, condition=condition, hitCondition=hits, logMessage=log)
        answer = self.ask(FunctionBreakpoints, "setFunctionBreakpoints", breakpoints=[*others, new])
        return answer.breakpoints[-1]

    def break_on_write(
        self,
        what: Union[str, Value],
        condition: Optional[str] = None,
        *,
        hits: Optional[str] = None,
        frame: int = 0,
        inside: Optional[Value] = None,
    ) -> Breakpoint:
        """A breakpoint on writes of a variable, or of a part of the value `inside` that has this name."""
        others = [_options(one, id=one.id) for one in self.ask(State, "getState").data_breakpoints]
        name = what.name if isinstance(what, Value) else what
        place: Dict[str, Any] = {"frameIndex": frame} if inside is None else {"reference": inside.variable.reference}
        new = {**_given(name=name, condition=condition, hitCondition=hits), **place}
        answer = self.ask(DataBreakpoints, "setDataBreakpoints", breakpoints=[*others, new])
        return answer.breakpoints[-1]

    def break_on_errors(
        self, uncaught: bool = True, values: bool = False, condition: Optional[str] = None
    ) -> Tuple[ExceptionFilter, ...]:
        """Stops at run-time errors (`uncaught`) and where Error values come into being (`values`), or at neither."""
        chosen = [name for name, wanted in (("uncaught", uncaught), ("errorValue", values)) if wanted]
        options = [_given(filterId=name, condition=condition) for name in chosen]
        return self.ask(ExceptionBreakpoints, "setExceptionBreakpoints", filters=[], filter_options=options).filters

    def breakpoints(self) -> Tuple[Breakpoint, ...]:
        """All breakpoints: at lines, at functions, and on writes."""
        state = self.ask(State, "getState")
        return (*state.breakpoints, *state.function_breakpoints, *state.data_breakpoints)

    def breakpoint_locations(self, file: Path, line: int, end_line: Optional[int] = None) -> Tuple[Location, ...]:
        """Where a breakpoint may be on some lines."""
        return self.ask(
            BreakpointLocations, "breakpointLocations", file=self.path(file), line=line, end_line=end_line).locations

    def enable(self, breakpoint: Union[int, Breakpoint]) -> Breakpoint:
        """Lets a breakpoint stop again."""
        return self._change("enableBreakpoint", breakpoint)

    def disable(self, breakpoint: Union[int, Breakpoint]) -> Breakpoint:
        """Keeps a breakpoint from stopping."""
        return self._change("disableBreakpoint", breakpoint)

    def remove(self, breakpoint: Union[int, Breakpoint]) -> Breakpoint:
        """Takes a breakpoint away."""
        return self._change("removeBreakpoint", breakpoint)

    def set_condition(self, breakpoint: Union[int, Breakpoint], condition: Optional[str]) -> Breakpoint:
        """Gives a breakpoint a condition, or takes it away."""
        # Here `null` means something.
        sent = self._send("setCondition", {"id": _id(breakpoint), "condition": condition})
        return self.expect(BreakpointChanged, self.wait_for(sent)).breakpoint

    def _change(self, command: str, breakpoint: Union[int, Breakpoint]) -> Breakpoint:
        return self.ask(BreakpointChanged, command, id=_id(breakpoint)).breakpoint


def _id(breakpoint: Union[int, Breakpoint]) -> int:
    return breakpoint if isinstance(breakpoint, int) else breakpoint.id


def _given(**options: Any) -> Dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _options(one: Breakpoint, **what: Any) -> Dict[str, Any]:
    """A breakpoint as it is, for a command that sets all of a kind."""
    return _given(
        condition=one.condition, hitCondition=one.hit_condition, logMessage=one.log_message, enabled=one.enabled, **what)
