"""The panels in the place of the IDE's own."""

from __future__ import annotations

from typing import Any, Optional

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QShowEvent
from PyQt6.QtWidgets import QSplitter, QWidget

from ..qt.panel import DebuggerPanel
from ..qt.session import DebugSession


#: The IDE's style sheet is for large buttons and tabs; there are many of them here.
_COMPACT = """
QToolBar QToolButton { padding: 4px; margin: 0px; border-radius: 4px; }
QToolBar QToolButton[popupMode="1"] { padding-right: 14px; }
QTabBar::tab { padding: 6px 12px; }
QTreeView::item { padding: 1px 2px; margin: 0px; border-radius: 0px; }
QHeaderView::section { padding: 3px 6px; }
QLineEdit { padding: 4px 6px; }
QPushButton { padding: 4px 10px; }
"""

#: How wide the panel is at first, in pixels.
_WIDTH = 430


class IdeToolBar(QObject):
    """What the IDE's window asks of the tool bar of its debug panel: nothing that the engine does not say itself."""

    def set_debugging(self, active: bool) -> None:
        """The panel's buttons follow the engine."""


class IdePanel(DebuggerPanel):
    """`DebuggerPanel` with the methods and signals of the IDE's `DebugPanel`.

    Most of what the IDE tells its panel, these panels know from the session.
    """

    step_requested = pyqtSignal()
    stop_requested = pyqtSignal()

    #: The program `ez`; None: the one in the wheel, or else on the path.
    ez: Optional[str] = None

    def __init__(self, theme: Any = None, parent: Optional[QWidget] = None) -> None:
        super().__init__(DebugSession(self.ez), parent)
        self.session.setParent(self)
        self.setStyleSheet(_COMPACT)
        self.theme = theme
        self._has_width = False
        self.toolbar = IdeToolBar(self)

    def start(self) -> None:
        """The IDE starts its current file: it saves it, and says where the program runs."""
        self.start_requested.emit()

    def showEvent(self, event: Optional[QShowEvent]) -> None:
        """Takes its room from the editor, the first time."""
        super().showEvent(event)
        splitter = self.parentWidget()
        if not self._has_width and isinstance(splitter, QSplitter):
            self._has_width = True
            sizes = splitter.sizes()
            own = splitter.indexOf(self)
            widest = max((one for one in range(len(sizes)) if one != own), key=lambda one: sizes[one])
            sizes[widest] -= _WIDTH - sizes[own]
            sizes[own] = _WIDTH
            splitter.setSizes(sizes)

    def setMaximumWidth(self, width: int) -> None:
        """The IDE's limit is for a smaller panel."""

    def set_theme(self, theme: Any) -> None:
        """The colours come from the application's style sheet."""
        self.theme = theme

    def set_debugging(self, active: bool) -> None:
        """Known from the session."""

    def set_status(self, text: str, color: str = "gray") -> None:
        """Known from the session."""

    def set_step_enabled(self, enabled: bool) -> None:
        """Known from the session."""

    def set_debugger_type(self, icon: str, name: str) -> None:
        """There is only one."""

    def update_variable(self, name: str, value: str) -> None:
        """Known from the session."""

    def append_output(self, text: str) -> None:
        """What the IDE wants to say; the program's output comes from the session."""
        self.console.say(text)

    def append_error(self, text: str) -> None:
        """What the IDE wants to say."""
        self.notices.message.show_problem(text)

    def clear_output_and_variables(self) -> None:
        """Makes the console empty."""
        self.console.output.start_anew()

    def reset(self) -> None:
        """A program is about to start."""
        self.notices.message.hide()
        self.console.output.start_anew()
