"""Commands as plans: what a session sends and what it waits for, without saying how it waits.

A plan is a generator. It gives what it waits for, and gets that; `Session` carries plans out by blocking,
`AsyncSession` by awaiting.
"""

from __future__ import annotations

import enum
import functools
import inspect
import time
from dataclasses import dataclass
from typing import Any, Callable, Generator, Optional, TypeVar, Union

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Limit(enum.Enum):
    """A time limit that is not given."""

    DEFAULT = "DEFAULT"

    def __repr__(self) -> str:
        return self.value


#: The time limit of the session.
DEFAULT = Limit.DEFAULT

#: How many seconds something may take; None: without limit.
Timeout = Union[None, float, Limit]


def checked_seconds(seconds: Optional[float]) -> Optional[float]:
    """A time limit, if it is one."""
    if seconds is not None and (not isinstance(seconds, (int, float)) or seconds != seconds):
        raise TypeError(f"timeout is {seconds!r}: expected a number of seconds, or None")
    return seconds


@dataclass(frozen=True)
class Wait:
    """Wait until `ready` gives something other than None. It is called after each piece that has arrived."""

    ready: Callable[[], Any]
    #: What is waited for, as the object of a sentence.
    what: str
    #: Of `time.monotonic`.
    deadline: Optional[float]

    def seconds_left(self) -> Optional[float]:
        """The time until the deadline: not above 0 if it has passed, None if there is none."""
        return None if self.deadline is None else self.deadline - time.monotonic()


@dataclass(frozen=True)
class InputWanted:
    """Get a line of input from the function that the session was given."""

    #: Of `time.monotonic`.
    deadline: Optional[float]


#: Its value is the result of the command.
Plan = Generator[Union[Wait, InputWanted], Any, T]


def like(plan: Callable[..., Any], result: str) -> Callable[[F], F]:
    """Gives a method the documentation and signature of a method that makes a plan.

    `result` is the return type in words of Python, with `{}` for that of the plan.
    """
    signature = inspect.signature(plan)
    returned = result.format(str(signature.return_annotation)[len("Plan["):-1])

    def dress(method: F) -> F:
        functools.update_wrapper(method, plan)
        del method.__wrapped__  # type: ignore[attr-defined]
        method.__annotations__ = {**plan.__annotations__, "return": returned}
        method.__signature__ = signature.replace(return_annotation=returned)  # type: ignore[attr-defined]
        return method

    return dress
