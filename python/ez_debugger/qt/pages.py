"""The pages of the panels, in groups of tabs."""

from __future__ import annotations

from typing import Optional, Tuple

from PyQt6.QtCore import QEvent, QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QSplitter, QTabWidget, QWidget

#: Below this height, in lines, there is room for two groups above each other, not for three.
_LOW = 31

#: The room that two groups need.
_LEAST = QSize(200, 200)

Page = Tuple[QWidget, str]


class Pages(QSplitter):
    """Three groups of tabs. Where there is little room above each other, the pages of the second are in the first."""

    def __init__(self, orientation: Qt.Orientation, groups: Tuple[Tuple[str, Tuple[Page, ...]], ...],
                 parent: Optional[QWidget] = None) -> None:
        super().__init__(orientation, parent)
        self.groups = [_tabs(name, *pages) for name, pages in groups]
        for tabs, share in zip(self.groups, (5, 3, 5)):
            self.addWidget(tabs)
            self.setStretchFactor(self.count() - 1, share)
        self.setChildrenCollapsible(False)
        self._movable = groups[1][1]

    def show_page(self, page: QWidget) -> None:
        """Brings a page to the front."""
        for tabs in self.groups:
            if tabs.indexOf(page) >= 0:
                tabs.setCurrentWidget(page)

    def set_title(self, page: QWidget, title: str) -> None:
        """Gives a page another title."""
        for tabs in self.groups:
            if tabs.indexOf(page) >= 0:
                tabs.setTabText(tabs.indexOf(page), title)

    def minimumSizeHint(self) -> QSize:
        """The room that two groups need."""
        return _LEAST

    def resizeEvent(self, event: Optional[QResizeEvent]) -> None:
        """Arranges the pages for the new height."""
        self._arrange()
        super().resizeEvent(event)

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Arranges the pages for larger letters."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and self.count():
            self._arrange()

    def _arrange(self) -> None:
        is_low = self.orientation() == Qt.Orientation.Vertical and self.height() < _LOW * self.fontMetrics().lineSpacing()
        first, second = self.groups[0], self.groups[1]
        if is_low != (second.count() == 0):
            front = first.currentWidget()
            for page, title in self._movable:
                (first if is_low else second).addTab(page, title)
            second.setVisible(not is_low)
            if front is not None:
                self.show_page(front)


def _tabs(name: str, *pages: Page) -> QTabWidget:
    tabs = QTabWidget()
    tabs.setDocumentMode(True)
    tabs.setAccessibleName(name)
    bar = tabs.tabBar()
    if bar is not None:
        # Style sheets do not reach the line that it draws.
        bar.setDrawBase(False)
    for widget, title in pages:
        tabs.addTab(widget, title)
    return tabs
