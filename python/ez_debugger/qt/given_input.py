"""Input that is known before the program runs."""

from __future__ import annotations

from typing import Any, Dict, Iterator

#: How much is in a command, in characters: its line may have 8 MiB, and escapes take up to six for one.
_PIECE = 1_000_000


def pieces(text: str) -> Iterator[Dict[str, Any]]:
    """The parameters of the commands `input` that give a program a text and nothing else. All but the last have whole
    lines, since a line end is added where there is none."""
    at = 0
    while len(text) - at > _PIECE:
        end = text.rfind("\n", at, at + _PIECE) + 1 or text.find("\n", at) + 1
        if not end:
            break
        yield {"text": text[at:end]}
        at = end
    yield {"text": text[at:], "eof": True}
