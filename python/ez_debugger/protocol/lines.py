"""Lines of bytes that come in pieces."""

from __future__ import annotations

from typing import List

#: Events are shorter than 32 KiB; what is longer than so many bytes comes from another program.
LONGEST_LINE = 8 * 1024 * 1024


class LineSplitter:
    """Divides bytes into lines, without their ends.

    A line that becomes longer than `LONGEST_LINE` is given at once, and the rest of it is dropped.
    """

    def __init__(self) -> None:
        self._pieces: List[bytes] = []
        self._length = 0
        self._is_too_long = False

    def split(self, data: bytes) -> List[bytes]:
        """The lines that have become whole with these bytes."""
        first, *others = data.split(b"\n")
        lines = self._keep(first)
        for piece in others:
            if not self._is_too_long:
                lines.append(self.rest())
            self._is_too_long = False
            lines += self._keep(piece)
        return lines

    def rest(self) -> bytes:
        """The line that has begun; it begins anew."""
        pieces, self._pieces, self._length = self._pieces, [], 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _keep(self, piece: bytes) -> List[bytes]:
        if self._is_too_long:
            return []
        self._pieces.append(piece)
        self._length += len(piece)
        if self._length <= LONGEST_LINE:
            return []
        self._is_too_long = True
        return [self.rest()]
