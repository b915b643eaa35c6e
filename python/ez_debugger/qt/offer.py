"""What an editor can offer while the user types: names, and what to write instead of what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from .text_edit import TextEdit


@dataclass(frozen=True)
class Offer:
    """A name that can be written at the cursor."""

    label: str
    text: str
    detail: str = ""
    #: What else is changed, such as an import that is added.
    edits: Tuple[TextEdit, ...] = ()


@dataclass(frozen=True)
class Fix:
    """What can be written instead of what is wrong."""

    #: What it does, in a line.
    title: str
    #: The text for which it was made.
    lines: Tuple[str, ...]
    edits: Tuple[TextEdit, ...]
