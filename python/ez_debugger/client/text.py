"""The end of a text that grows."""

from __future__ import annotations

from collections import deque
from typing import Deque, List, Optional

#: Texts are joined when there are so many characters of them.
_PORTION = 65_536


class Text:
    """Keeps at least the last `most` characters of what is added, and at most about twice as many."""

    def __init__(self, most: Optional[int]) -> None:
        self._most = most
        self._portions: Deque[str] = deque()
        self._length = 0
        self._dropped = 0
        self._new: List[str] = []
        self._new_length = 0

    def add(self, text: str) -> None:
        """Adds a text at the end."""
        self._new.append(text)
        self._new_length += len(text)
        if self._new_length >= _PORTION:
            self._join()

    def get(self) -> str:
        """The last `most` characters."""
        self._join()
        whole = "".join(self._portions)
        if self._most is not None and len(whole) > self._most:
            excess = len(whole) - self._most
            self._dropped += excess
            whole = whole[excess:]
        self._portions = deque([whole])
        self._length = len(whole)
        return whole

    @property
    def dropped(self) -> int:
        """How many characters come before those that `get` gives."""
        excess = 0 if self._most is None else self._length + self._new_length - self._most
        return self._dropped + max(0, excess)

    def _join(self) -> None:
        portion = "".join(self._new)
        self._portions.append(portion)
        self._length += len(portion)
        self._new, self._new_length = [], 0
        while self._most is not None and self._portions and self._length - len(self._portions[0]) >= self._most:
            first = self._portions.popleft()
            self._length -= len(first)
            self._dropped += len(first)
