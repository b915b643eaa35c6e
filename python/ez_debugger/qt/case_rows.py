"""The list of cases, with what has become of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Set, Tuple

from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtGui import QBrush
from PyQt6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from ..cases.results import CaseFiles, CaseResult
from . import colors
from .case_stamps import Stamps, are_same, files_of_case, stamps_of
from .copy_key import CopyKey
from .plain import tip

_NAME = Qt.ItemDataRole.UserRole


@dataclass
class KnownCases:
    """The cases of a program, and what is known of them."""

    cases: List[CaseFiles] = field(default_factory=list)
    #: The files and folders that decide which program it is.
    files: Tuple[str, ...] = ()
    #: Where the cases are.
    place: str = ""
    results: Dict[str, CaseResult] = field(default_factory=dict)
    #: The names of those that are being run.
    waiting: Set[str] = field(default_factory=set)
    #: Whether the results are those of another text.
    is_old: bool = False
    #: How many are being run, or were at last.
    started: int = 0
    #: The files of the program when it was run, and those of each case.
    read: Stamps = field(default_factory=dict)
    read_of: Dict[str, Stamps] = field(default_factory=dict)

    def case(self, name: str) -> Optional[CaseFiles]:
        """The case with a name."""
        return next((case for case in self.cases if case.case == name), None)

    @property
    def failed(self) -> List[str]:
        """The names of those that have failed."""
        return [one.case for one in self.cases if one.case in self.results and not self.results[one.case].is_passed]

    @property
    def passed(self) -> int:
        """How many have passed."""
        return sum(result.is_passed for result in self.results.values())

    def clear(self) -> None:
        """There are none any more."""
        self.cases, self.place, self.results, self.waiting, self.is_old = [], "", {}, set(), False

    def begin(self, names: List[str]) -> None:
        """Cases are run, with the files that there are now."""
        self.look()
        self.waiting, self.started = set(names), len(names)
        self.read = stamps_of(self.files)
        self.read_of.update((one.case, stamps_of(files_of_case(one))) for one in self.cases if one.case in self.waiting)
        kept = {} if self.is_old else self.results
        self.results = {name: result for name, result in kept.items() if name not in self.waiting}
        self.is_old = False

    def look(self) -> bool:
        """Looks whether the files are still those that were run: results of other cases are none of these, those of
        another program are old. Returns whether something has changed.
        """
        before = len(self.results), self.is_old
        self.results = {name: result for name, result in self.results.items() if are_same(self.read_of.get(name, {}))}
        self.is_old = self.is_old or bool(self.results) and not are_same(self.read)
        return before != (len(self.results), self.is_old)

    def has_same(self, name: str) -> bool:
        """Whether the files of a case are those that it was run with."""
        return name in self.read_of and are_same(self.read_of[name])

    def summary(self) -> str:
        """How many have passed."""
        left = len(self.cases) - len(self.results)
        rest = f", {left} not run" if left else ""
        return f"{self.passed} of {len(self.results)} passed{rest}{', with the text before' if self.is_old else ''}"

    def replace(self, cases: List[CaseFiles]) -> None:
        """There are others; what is known of those that have stayed is kept."""
        self.cases = cases
        names = {case.case for case in cases}
        self.results = {name: result for name, result in self.results.items() if name in names}


class CaseRows(QTreeWidget):
    """A row for each case: whether it has passed, and what is wrong."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.known = KnownCases()
        #: The rows, by the names of their cases.
        self._items: Dict[str, QTreeWidgetItem] = {}
        self.setAccessibleName("Cases")
        self.setHeaderLabels(["Case", "Result"])
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setAllColumnsShowFocus(True)
        self.setUniformRowHeights(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._copy_key = CopyKey(self)
        self._take_colors()

    def _take_colors(self) -> None:
        # For all rows, of which there may be thousands.
        palette = self.palette()
        self._faint, self._text = QBrush(colors.faint(palette)), palette.text()
        self._go, self._error = QBrush(colors.go(palette)), QBrush(colors.error(palette))

    @property
    def current(self) -> str:
        """The name of the case that is selected; empty if there is none."""
        return self.name(self.currentItem())

    def name(self, item: Optional[QTreeWidgetItem]) -> str:
        """The name of the case of a row."""
        return str(item.data(0, _NAME)) if item is not None else ""

    def select(self, name: str) -> bool:
        """Selects a case. False if it is not there."""
        item = self._items.get(name)
        if item is not None:
            self.setCurrentItem(item)
        return item is not None

    def show_all(self) -> None:
        """All rows anew; the one that is selected stays so."""
        current = self.current
        self.clear()
        self._take_colors()
        self._items = {case.case: QTreeWidgetItem() for case in self.known.cases}
        for name, item in self._items.items():
            self._fill(item, name)
        self.addTopLevelItems(list(self._items.values()))
        # Once: a header that does so by itself looks at all rows for each result.
        self.resizeColumnToContents(0)
        self.select(current)

    def show_result(self, name: str) -> None:
        """A case has a result."""
        item = self._items.get(name)
        if item is not None:
            self._fill(item, name)

    def _fill(self, item: QTreeWidgetItem, name: str) -> None:
        known = self.known
        result = known.results.get(name)
        mark, word = ("…", "is run") if name in known.waiting else ("·", "not run")
        color = self._faint
        if result is not None:
            mark = "✓" if result.is_passed else "✗" if result.was_run else "!"
            word = result.result if result.was_run else "could not be run"
            if not known.is_old:
                color = self._go if result.is_passed else self._error
        message = result.message if result is not None else ""
        shown = "".join(c if c.isprintable() else "\ufffd" for c in name)
        item.setText(0, f"{mark} {shown}")
        item.setText(1, message)
        item.setData(0, _NAME, name)
        old = ", with another text" if result is not None and known.is_old else ""
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{shown}: {word}{old}")
        item.setForeground(0, color)
        item.setForeground(1, self._faint if known.is_old else self._text)
        item.setToolTip(1, tip(message))

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the palette."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            self._take_colors()
            for name in self._items:
                self.show_result(name)
