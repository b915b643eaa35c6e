"""Whether a server and this package go together."""

from __future__ import annotations

import re
from typing import Optional, Tuple, Union

from .. import __version__
from .events import Attached, Initialized

_NUMBERS = re.compile(r"(\d+)\.(\d+)")


def misfit(answer: Union[Initialized, Attached]) -> Optional[str]:
    """Why the server of this answer is of no use to this package, such as "too old: ..."; None if it is of use."""
    if answer.protocol_version < 2:
        return "too old: it knows only the first version of the protocol"
    theirs = _series(answer.version or "")
    ours = _series(__version__)
    if theirs == ours:
        return None
    if answer.version and theirs is None:
        return f"not one that this package knows: it says that its version is {answer.version!r}"
    if theirs is None or ours is None:
        return f"too old: it does not tell its version, and ez_debugger is {__version__}"
    found = f"it is ez {answer.version}, and ez_debugger is {__version__}"
    if theirs < ours:
        return f"too old: {found}"
    return f"too new: {found} (a newer ez_debugger is needed)"


def _series(version: str) -> Optional[Tuple[int, int]]:
    """What all versions that go together have in common."""
    found = _NUMBERS.match(version)
    if found is None:
        return None
    first, second = int(found.group(1)), int(found.group(2))
    return (first, second if first == 0 else 0)
