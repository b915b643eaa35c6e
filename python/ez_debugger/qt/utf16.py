"""Places in a text: Qt counts UTF-16 code units, the protocols of `ez` count code points."""

from __future__ import annotations


def units(text: str) -> int:
    """How many code units a text has."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def text_before(text: str, position: int) -> str:
    """The part of a text before a position that is counted in code units."""
    return text.encode("utf-16-le", "surrogatepass")[:2 * position].decode("utf-16-le", "replace")
