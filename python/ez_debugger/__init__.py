"""A client of the debugger of the EZ language.

* `ez_debugger.protocol`: the protocol of `ez debugserver`, without input and output
* `ez_debugger.client`: sessions for scripts, graders and tests; what it has is in `ez_debugger` too
* `ez_debugger.cases`: programs and their cases, here or by an executor, for graders
* `ez_debugger.qt`: a session and panels for PyQt6 programs (needs PyQt6)
* `ez_debugger.kernel`: the kernel for Jupyter (`python -m ez_debugger.kernel`)
* `ez_debugger.ez_ide`: the EZ IDE with these panels (`python -m ez_debugger.ez_ide`)

`python -m ez_debugger ARGUMENTS` is `ez ARGUMENTS`, with the `ez` that was installed with this package.
"""

from __future__ import annotations

#: The version of the package.
__version__ = "0.1.0"

# Importing the package is to be cheap: not even `typing` is loaded, and its parts only when they are used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

    from .client import (
        DEFAULT,
        AsyncSession,
        CommandError,
        DebuggerError,
        InputRequired,
        Parts,
        ProgramError,
        ServerGone,
        Session,
        StaleError,
        Stop,
        StopFrame,
        TimeLimitError,
        Value,
        find_ez,
    )

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
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import client

    value = getattr(client, name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
