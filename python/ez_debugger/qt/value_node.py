"""The rows of a tree of values."""

from __future__ import annotations

from itertools import count
from typing import List, Optional, Tuple

from ..protocol import Variable

#: How many rows are fetched at once, and are below a row at most.
PAGE = 100

_numbers = count(1)


class Node:
    """A row: a value, a group of values (`title`), or a range of the many parts of a value (`first`, `size`)."""

    def __init__(self, parent: Optional["Node"], variable: Optional[Variable] = None, title: str = "", first: int = 0,
                 size: int = 0) -> None:
        #: Never used for another node.
        self.number = next(_numbers)
        self.parent = parent
        self.row = 0
        self.variable = variable
        self.title = title
        self.first = first
        self.size = size
        #: None: not asked for yet.
        self.children: Optional[List[Node]] = None
        self.is_loading = False
        #: Whether the view shows what is below.
        self.is_open = False
        #: Whether the value differs from the one at the last stop.
        self.has_changed = False
        #: Says why there is no value, or that it is not known yet.
        self.note = ""

    @property
    def is_range(self) -> bool:
        """Whether this row stands for several parts of a value."""
        return self.size > 0

    @property
    def name(self) -> str:
        """The first column."""
        if self.variable is not None:
            return self.variable.name
        if not self.is_range:
            return self.title
        last = self.first + self.size - 1
        owner = self.owner
        if owner is not None and owner.variable is not None and owner.variable.type == "map":
            return f"entries {self.first + 1:,} … {last + 1:,}"
        return f"[{self.first} … {last}]"

    @property
    def owner(self) -> Optional["Node"]:
        """The value whose parts these are."""
        node: Optional[Node] = self
        while node is not None and node.is_range:
            node = node.parent
        return node

    @property
    def reference(self) -> int:
        """What `getChildren` takes for the rows below; 0 if there are none."""
        owner = self.owner
        return owner.variable.reference if owner is not None and owner.variable is not None else 0

    @property
    def container_reference(self) -> int:
        """The reference of the value that this is a part of; 0 for a variable."""
        owner = self.parent.owner if self.parent is not None else None
        return owner.variable.reference if owner is not None and owner.variable is not None else 0

    @property
    def part_count(self) -> int:
        """How many parts are below, on all levels of ranges."""
        if self.is_range:
            return self.size
        return self.variable.children if self.variable is not None else 0

    @property
    def has_parts(self) -> bool:
        """Whether there is something below."""
        if self.variable is not None:
            return self.variable.reference > 0 and self.variable.children > 0
        return self.is_range or bool(self.children)

    @property
    def path(self) -> Tuple[str, ...]:
        """The names from the outermost row to this one."""
        names: List[str] = []
        node: Optional[Node] = self
        while node is not None and node.parent is not None:
            names.append(node.name)
            node = node.parent
        return tuple(reversed(names))

    def ranges(self) -> List[Tuple[int, int]]:
        """Where the ranges below begin, and their sizes; none if the parts themselves are below."""
        if self.part_count <= PAGE:
            return []
        size = PAGE
        while size * PAGE < self.part_count:
            size *= PAGE
        end = self.first + self.part_count
        return [(start, min(size, end - start)) for start in range(self.first, end, size)]
