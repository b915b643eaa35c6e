"""A name that an editor can offer while the user types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple


@dataclass(frozen=True)
class TextEdit:
    """A replacement in a text: lines and columns count from 0, columns in UTF-16, as Qt does; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Offer:
    """A name that can be written at the cursor."""

    label: str
    text: str
    detail: str = ""
    #: What else is changed, such as an import that is added.
    edits: Tuple[TextEdit, ...] = ()
