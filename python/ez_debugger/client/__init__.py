"""Debug sessions for scripts, graders and tests.

    with Session("sort.ez", history=True) as session:
        session.break_at("sort.ez", 13, condition="i == 3")
        stop = session.start()
        print(stop.line, stop.variables["list"].children[2].value, session.evaluate("len(list)"))
        session.step_over()
        session.back()
        print(session.output)

Every call blocks until the answer is there, at most for the session's `timeout`. What fails is an exception. After
the `with` block the server and the program are gone, whatever has happened in it. `AsyncSession` is the same for
asyncio.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import CommandError, DebuggerError, InputRequired, ProgramError, ServerGone, StaleError, TimeLimitError
from .find import find_ez
from .plan import DEFAULT
from .session import Session
from .values import Parts, Stop, StopFrame, Value

if TYPE_CHECKING:
    from .asynchronous import AsyncSession

__all__ = [
    "DEFAULT",
    "AsyncSession",
    "CommandError",
    "DebuggerError",
    "InputRequired",
    "Parts",
    "ProgramError",
    "ServerGone",
    "Session",
    "StaleError",
    "Stop",
    "StopFrame",
    "TimeLimitError",
    "Value",
    "find_ez",
]


def __getattr__(name: str) -> Any:
    # Most scripts do not need asyncio.
    if name == "AsyncSession":
        from .asynchronous import AsyncSession

        return AsyncSession
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
