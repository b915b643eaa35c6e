"""What all values, commands and events have, and the events that a `Connection` makes itself.

A field that an object does not have is None, or what says that there is none: an empty text or tuple, False,
and 0 for the numbers that are positive where they exist (`reference`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

__all__ = ["Command", "Ended", "Event", "Malformed", "Record", "Unknown"]


@dataclass(frozen=True)
class Record:
    """An object of the protocol."""

    #: What the object has besides the known fields, under the names of SPEC.md, and known fields of a wrong type.
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Command:
    """A command that was sent, under the names of SPEC.md."""

    id: int
    name: str
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Event(Record):
    """What a server tells.

    Answers in several parts are one event. `started` and `restarted` do not complete their command: the stop or
    the end that follows them does.
    """

    #: The name in SPEC.md.
    event: str = ""
    #: The command of this connection that the event answers.
    answers: Optional[Command] = None
    #: Whether the command has no other answer after this one.
    completes: bool = False


@dataclass(frozen=True)
class Unknown(Event):
    """An event of a newer server: its data is in `extra`."""


@dataclass(frozen=True)
class Malformed(Event):
    """Bytes that are no event, or only the beginning of one. What follows them is not affected."""

    line: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class Ended(Event):
    """The server's output has ended. `unanswered` are the commands that got no answer."""

    unanswered: Tuple[Command, ...] = ()
