"""What a program writes, taken out of the bytes of a server without making an event of each line."""

from __future__ import annotations

import json
from typing import List, Optional

from ..protocol import Connection, Event, Output
from ..protocol.lines import LineSplitter

#: How an `output` begins and ends that has only the fields of SPEC.md, in its order.
_BEGINNING = b'{"type":"event","event":"output","data":{"category":"%s","text":"'
_END = b'"}}'
_STREAMS = ("stdout", "stderr")


class FastOutput:
    """Makes events of the bytes that a server sends, as `Connection.receive` does, except that what a program wrote
    to one stream in a row is one `Output`.

    A program that prints a line at a time sends an event for each, far more than can be taken apart one by one.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lines = LineSplitter()
        self._beginnings = {_BEGINNING % stream.encode(): stream for stream in _STREAMS}

    def receive(self, data: bytes) -> List[Event]:
        """The events that have become whole with these bytes."""
        return self._events(self._lines.split(data))

    def end(self) -> List[Event]:
        """What there is to say when the server's output has ended, as `Connection.end` does."""
        return [*self._connection.receive(self._lines.rest()), *self._connection.end()]

    def _events(self, lines: List[bytes]) -> List[Event]:
        events: List[Event] = []
        at = 0
        while at < len(lines):
            beginning = next((one for one in self._beginnings if lines[at].startswith(one)), None)
            after = at + 1
            if beginning is not None:
                while after < len(lines) and lines[after].startswith(beginning):
                    after += 1
                joined = _join(lines[at:after], len(beginning))
                if joined is not None:
                    events.append(Output(event="output", category=self._beginnings[beginning], text=joined))
                    at = after
                    continue
            for line in lines[at:after]:
                events += self._connection.receive(line + b"\n")
            at = after
        return events


def _join(lines: List[bytes], start: int) -> Optional[str]:
    """The texts of some `output`s of one stream; None if one of them has something else in it."""
    if not all(line.endswith(_END) for line in lines):
        return None
    texts = [line[start:-len(_END)] for line in lines]
    try:
        parts = json.loads(b'["%s"]' % b'","'.join(texts))
    except ValueError:
        return None
    # A text that ends within a line, or not at its end, makes another number of them.
    return "".join(parts) if len(parts) == len(texts) and all(type(part) is str for part in parts) else None
