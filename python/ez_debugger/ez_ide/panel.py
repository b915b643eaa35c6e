"""The panels in the place of the IDE's own."""

from __future__ import annotations

from typing import Any, Optional

from PyQt6.QtCore import QEvent, QObject, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QFontInfo, QPalette, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QSplitter, QWidget

from ..qt import colors
from ..qt.code_font import BESIDE
from ..qt.panel import DebuggerPanel
from ..qt.session import DebugSession


#: The IDE's style sheet is for large buttons and tabs; there are many of them here. It has no picture for what is
#: checked.
_COMPACT = """
QWidget { font-size: %(size)spx; }
QToolBar QToolButton { padding: 4px 3px; margin: 0px; border-radius: 4px; }
QToolBar QToolButton[popupMode="1"] { padding-right: 14px; }
QToolBar QToolButton#qt_toolbar_ext_button { padding: 0px; }
QToolBar QToolButton::menu-button { width: 12px; border: none; }
QTabBar::tab { padding: 6px 9px; }
QTreeView::item { padding: 1px 2px; margin: 0px; border-radius: 0px; }
QTreeView QLineEdit { padding: 0px 2px; border-radius: 0px; border-width: 0px; }
QHeaderView::section { padding: 3px 6px; }
QLineEdit { padding: 4px 6px; placeholder-text-color: %(faint)s; }
QPushButton { padding: 4px 10px; }
QCheckBox { spacing: 5px; margin-right: 12px; }
QCheckBox::indicator { width: 13px; height: 13px; border: 1px solid %(text)s; border-radius: 2px; }
QCheckBox::indicator, QCheckBox::indicator:checked { background-color: %(ground)s; border-color: %(text)s; }
QCheckBox::indicator:checked {
    image: url(:/qt-project.org/styles/commonstyle/images/standardbutton-apply-16.png);
}
QTreeView::item:selected { color: %(chosen_text)s; background-color: %(chosen)s; }
QTreeView::item:disabled, QTreeView::item:selected:disabled { color: %(outdated)s; background-color: transparent; }
QLabel:disabled { color: %(outdated)s; }
"""

#: The size of letters of the IDE, in pixels.
_SIZE = 13

#: How wide the panel is at first, in pixels, and which part of the window it takes at most.
_WIDTH = 430
_SHARE = 0.4


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
        self.theme = theme
        self._has_width = False
        self._size = _SIZE
        self._dress()
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
            splitter.installEventFilter(self)
            self._take_room(splitter, _WIDTH)

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """A smaller window leaves the editor its part."""
        if isinstance(event, QResizeEvent) and isinstance(watched, QSplitter) and self.isVisible():
            if event.size().width() < event.oldSize().width():
                self._take_room(watched, self.width())
        return False

    def _take_room(self, splitter: QSplitter, width: int) -> None:
        sizes = splitter.sizes()
        own = splitter.indexOf(self)
        widest = max((one for one in range(len(sizes)) if one != own), key=lambda one: sizes[one])
        width = min(width, int(splitter.width() * _SHARE))
        sizes[widest] -= width - sizes[own]
        sizes[own] = width
        splitter.setSizes(sizes)

    def set_code_font(self, font: QFont) -> None:
        """The IDE's style sheet has a size for all widgets; that of the panel is stronger."""
        super().set_code_font(font)
        self._size = max(_SIZE, round(BESIDE * QFontInfo(font).pixelSize()))
        self._dress()

    def changeEvent(self, event: Optional[QEvent]) -> None:
        """Follows the theme."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self._dress)

    def _dress(self) -> None:
        palette = self.variables.view.palette()
        # Not as it is while the program runs.
        palette.setCurrentColorGroup(QPalette.ColorGroup.Active)
        text, chosen = palette.text().color(), colors.selected(palette)
        style = _COMPACT % {
            "size": self._size, "text": text.name(), "ground": palette.base().color().name(), "chosen": chosen.name(),
            "chosen_text": colors.readable(text, chosen).name(),
            "outdated": colors.outdated(palette).name(),
            "faint": colors.faint(self.console.prompt.palette()).name(),
        }
        if style != self.styleSheet():
            self.setStyleSheet(style)

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
