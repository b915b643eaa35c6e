"""The protocol of `ez debugserver` (SPEC.md) without input and output.

    connection = Connection()
    process.write(connection.send("initialize", file="sort.ez", protocol_version=2))
    for event in connection.receive(process.read()):
        if isinstance(event, Stopped):
            print(event.location.line, event.description)

A `Connection` makes the bytes of commands and takes the bytes of answers apart, however they are divided.
Each event of SPEC.md is a class: its name is the event's with a capital letter (`stopped`: `Stopped`), and its
fields are those of the event's data in snake_case (`exitCode`: `exit_code`). What has several fields is a class
too (`Location`, `Variable`, `Frame`, ...). Fields and events that are not known here are kept: see
`Record.extra` and `Unknown`.
"""

from . import base, commands, events, values
from .base import *
from .commands import *
from .connection import Connection
from .events import *
from .names import camel_case, snake_case
from .values import *

__all__ = ["Connection", "camel_case", "snake_case"]
__all__ += base.__all__
__all__ += commands.__all__
__all__ += events.__all__
__all__ += values.__all__
