"""Which line of a changed text is which line of the text before."""

from __future__ import annotations

from collections import OrderedDict
from difflib import SequenceMatcher
from typing import Dict, Iterable, Iterator, List, Sequence, Tuple

from .breakpoint_store import UserBreakpoint

#: Beyond so many lines in the changed part of both texts, equal lines are not looked for there.
_MOST_COMPARED = 2000

#: Changed lines are paired by likeness if there are at most so many pairs of them.
_MOST_PAIRS = 900

#: How many texts are kept to which a deleted breakpoint may come back.
_MOST_TEXTS = 200


class LineMap:
    """The lines of two texts that belong together, counted from 1; 0 is no line."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.is_same = old == new
        self._forward: Dict[int, int] = {}
        self._backward: Dict[int, int] = {}
        if self.is_same:
            return
        for before, after in _pairs(old, new):
            self._forward[before + 1] = after + 1
            self._backward[after + 1] = before + 1

    def forward(self, line: int) -> int:
        """Where a line of the old text is in the new one, 0 if it was deleted."""
        return line if self.is_same else self._forward.get(line, 0)

    def backward(self, line: int) -> int:
        """Where a line of the new text was in the old one, 0 if it was not there."""
        return line if self.is_same else self._backward.get(line, 0)


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[Tuple[int, int]]:
    """The pairs of lines, counted from 0, in order."""
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        yield start, start
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    yield from _inner_pairs(old, new, (start, len(old) - end), (start, len(new) - end))
    for left in range(end, 0, -1):
        yield len(old) - left, len(new) - left


def _inner_pairs(old: Sequence[str], new: Sequence[str], old_part: Tuple[int, int], new_part: Tuple[int, int]
                 ) -> Iterator[Tuple[int, int]]:
    a = [line.strip() for line in old[slice(*old_part)]]
    b = [line.strip() for line in new[slice(*new_part)]]
    if len(a) > _MOST_COMPARED or len(b) > _MOST_COMPARED:
        yield from ((old_part[0] + at, new_part[0] + at) for at in range(min(len(a), len(b))))
        return
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            found = [(at, at - a1 + b1) for at in range(a1, a2)]
        elif tag == "replace":
            found = [(a1 + one, b1 + other) for one, other in _alike(a[a1:a2], b[b1:b2])]
        else:
            continue
        yield from ((old_part[0] + one, new_part[0] + other) for one, other in found)


def _alike(a: Sequence[str], b: Sequence[str]) -> List[Tuple[int, int]]:
    """Lines that were edited: of all ways to pair them in order, the one in which they are most alike."""
    if len(a) == len(b) or len(a) * len(b) > _MOST_PAIRS:
        return [(at, at) for at in range(min(len(a), len(b)))]
    # The best likeness of the first lines of both, and the pairs that give it.
    best: List[List[Tuple[float, Tuple[Tuple[int, int], ...]]]] = [[(0.0, ())] * (len(b) + 1)]
    for i, one in enumerate(a):
        row = [best[i][0]]
        for j, other in enumerate(b):
            likeness, pairs = best[i][j]
            with_both = likeness + _likeness(one, other), (*pairs, (i, j))
            # The first of several equal ones.
            row.append(max((best[i][j + 1], row[j], with_both), key=lambda found: found[0]))
        best.append(row)
    return list(best[len(a)][len(b)][1])


def _likeness(one: str, other: str) -> float:
    """Positive if one may have become the other."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio() - 0.2


class BreakpointAnchors:
    """Keeps breakpoints at their lines while a text is edited.

    A breakpoint whose line is deleted goes; it comes back with the text, as it does when the deletion is undone.
    """

    def __init__(self) -> None:
        #: The text.
        self.lines: List[str] = []
        #: Where the breakpoints are, and those whose lines are deleted.
        self._places: Dict[int, Tuple[UserBreakpoint, int]] = {}
        self._deleted: Dict[int, UserBreakpoint] = {}
        #: Of each text that was there: the places in it.
        self._texts: "OrderedDict[int, Dict[int, Tuple[UserBreakpoint, int]]]" = OrderedDict()

    def set_text(self, lines: List[str]) -> None:
        """Another file is shown: what was deleted does not come back."""
        self.lines = lines
        self._places, self._deleted = {}, {}
        self._texts.clear()

    def set_breakpoints(self, breakpoints: Iterable[UserBreakpoint]) -> None:
        """What the user has set."""
        self._places = {id(one): (one, one.line) for one in breakpoints}
        for found in self._places:
            self._deleted.pop(found, None)
        self._remember()

    def edit(self, lines: List[str]) -> Tuple[List[Tuple[UserBreakpoint, int]], List[UserBreakpoint]]:
        """The text is another one now: the breakpoints that have moved or come back, and those that are gone."""
        if not self._places and not self._deleted:
            self.lines = lines
            return [], []
        change = LineMap(self.lines, lines)
        self.lines = lines
        known = self._texts.get(hash(tuple(lines)), {})
        moved: List[Tuple[UserBreakpoint, int]] = []
        gone: List[UserBreakpoint] = []
        places: Dict[int, Tuple[UserBreakpoint, int]] = {}
        for key, (breakpoint, line) in self._places.items():
            to = known[key][1] if key in known else change.forward(line)
            if to == 0:
                gone.append(breakpoint)
                self._deleted[key] = breakpoint
                continue
            places[key] = breakpoint, to
            if to != line:
                moved.append((breakpoint, to))
        for key in [one for one in self._deleted if one in known]:
            places[key] = known[key]
            moved.append(known[key])
            del self._deleted[key]
        self._places = places
        self._remember()
        return moved, gone

    def _remember(self) -> None:
        if not self._places and not self._deleted:
            self._texts.clear()
            return
        key = hash(tuple(self.lines))
        self._texts[key] = dict(self._places)
        self._texts.move_to_end(key)
        while len(self._texts) > _MOST_TEXTS:
            self._texts.popitem(last=False)
