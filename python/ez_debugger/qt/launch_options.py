"""The arguments and the folder that the user gives to programs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Tuple

from .launch import Launch

_ARGUMENT = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""")
_QUOTED = re.compile(r""""([^"]*)"|'([^']*)'""")


@dataclass(frozen=True)
class LaunchOptions:
    """What is changed of each `Launch`; nothing, where a field is empty."""

    args: Tuple[str, ...] = ()
    working_dir: str = ""

    def apply(self, launch: Launch) -> Launch:
        """The launch with these options; a recording and a case have their own."""
        if launch.has_own_arguments:
            return launch
        return replace(launch, args=self.args or tuple(launch.args), working_dir=self.working_dir or launch.working_dir)


def split_arguments(text: str) -> Tuple[str, ...]:
    """The arguments in a line: divided by blanks, except between quotation marks. A ValueError says what is wrong."""
    rest = _ARGUMENT.sub("", text)
    if rest.strip():
        raise ValueError(f"The quotation mark {rest.strip()[0]} is not closed.")
    return tuple(_QUOTED.sub(lambda found: found.group(1) or found.group(2) or "", one) for one in _ARGUMENT.findall(text))


def join_arguments(arguments: Tuple[str, ...]) -> str:
    """A line that `split_arguments` divides into these arguments."""
    return " ".join(_quoted(one) for one in arguments)


def _quoted(argument: str) -> str:
    if argument and not re.search(r"""[\s"']""", argument):
        return argument
    # A text with both kinds of marks is divided at the double ones.
    parts = re.split('("+)', argument)
    return "".join(f"'{part}'" if part.startswith('"') else f'"{part}"' for part in parts if part) or '""'
