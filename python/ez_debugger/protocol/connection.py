"""The bytes of a connection."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .base import Command, Ended, Event, Malformed, Unknown
from .commands import BEGINNINGS, RUNS
from .decode import decode
from .events import DIVIDED, EVENTS
from .lines import LONGEST_LINE, LineSplitter
from .names import camel_case

#: How much is kept of a line that is too long, in bytes.
_SHOWN = 1000


class Connection:
    """Makes the bytes of commands, and events of the bytes that a server sends.

    It reads and writes nothing itself.
    """

    def __init__(self) -> None:
        self._next_id = 1
        self._last: Optional[Command] = None
        self._pending: Dict[int, Command] = {}
        self._lines = LineSplitter()
        self._parts: Dict[str, Dict[str, Any]] = {}

    @property
    def last_command(self) -> Optional[Command]:
        """The command that `send` has made last."""
        return self._last

    @property
    def pending(self) -> Tuple[Command, ...]:
        """The commands that are not answered yet, in the order in which they were sent.

        In version 1 of the protocol, `input` stays here: it has no answer.
        """
        return tuple(self._pending.values())

    def send(self, command: str, /, **params: Any) -> bytes:
        """The bytes of a command, with an id of its own.

        Parameters have their names in SPEC.md, or those in snake_case (`frameIndex`, `frame_index`); so have the keys
        of objects in lists (`breakpoints=[{"line": 3, "hit_condition": "2"}]`). A parameter that is None is sent as
        `null`. Commands and parameters that are not in SPEC.md are sent too.
        """
        sent = Command(self._next_id, command, {camel_case(name): _plain(value) for name, value in params.items()})
        message = {"type": "command", "command": command, "params": sent.params, "id": sent.id}
        line = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
        self._next_id += 1
        self._last = self._pending[sent.id] = sent
        return line

    def receive(self, data: bytes) -> List[Event]:
        """The events that have become whole with these bytes."""
        return [event for line in self._lines.split(bytes(data)) for event in self._read_line(line)]

    def end(self) -> List[Event]:
        """What there is to say when the server's output has ended: an `Ended` is the last of it."""
        events: List[Event] = []
        rest = self._lines.rest()
        if rest.strip():
            events.append(_malformed(rest, "the output ended within this line"))
        for name in self._parts:
            events.append(_malformed(b"", f"the output ended within an answer in several parts: {name}"))
        self._parts.clear()
        events.append(Ended(event="ended", unanswered=self.pending))
        self._pending.clear()
        return events

    def _read_line(self, line: bytes) -> List[Event]:
        if len(line) > LONGEST_LINE:
            return [_malformed(line[:_SHOWN], f"the line is longer than {LONGEST_LINE} bytes")]
        if not line.strip():
            return []
        try:
            message = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            return [_malformed(line, "the line is not valid UTF-8")]
        # A number of too many digits is a ValueError too.
        except (ValueError, RecursionError) as error:
            return [_malformed(line, f"the line is not valid JSON: {error}")]
        if not isinstance(message, dict) or message.get("type") != "event":
            return [_malformed(line, "the line is not an event")]
        name, data = message.get("event"), message.get("data", {})
        if not isinstance(name, str) or not isinstance(data, dict):
            return [_malformed(line, "the event has no name, or no data")]
        whole = self._join(name, data)
        return [] if whole is None else [self._event(name, whole, message.get("id"))]

    def _join(self, name: str, data: Dict[str, Any]) -> Optional[Dict[str, Any]]:
        """The whole answer, when its last part is there."""
        part, parts = data.get("part"), data.get("parts")
        if type(part) is not int or type(parts) is not int:
            return data
        del data["part"], data["parts"]
        before = self._parts.pop(name, {}) if part > 1 else {}
        for key, value in data.items():
            # Of an event of a newer server it is the list.
            is_divided = key == DIVIDED[name] if name in DIVIDED else isinstance(value, list)
            before[key] = _joined(before.get(key), value) if is_divided else value
        if part < parts:
            self._parts[name] = before
            return None
        return before

    def _event(self, name: str, data: Dict[str, Any], id: Any) -> Event:
        # True is equal to 1.
        command = self._pending.get(id) if type(id) is int else None
        completes = command is not None and not (name in BEGINNINGS and command.name in RUNS)
        if command is not None and completes:
            del self._pending[command.id]
        return decode(EVENTS.get(name, Unknown), data, event=name, answers=command, completes=completes)


def _joined(old: Any, new: Any) -> Any:
    """Two parts of a list or a text."""
    if isinstance(new, list) and isinstance(old, list):
        return old + new
    if isinstance(new, str) and isinstance(old, str):
        return old + new
    return new


def _malformed(line: bytes, problem: str) -> Malformed:
    return Malformed(event="malformed", line=line, problem=problem)


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_object(item) if isinstance(item, Mapping) else item for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _object(item: Mapping[str, Any]) -> Dict[str, Any]:
    return {camel_case(name): value for name, value in item.items()}
