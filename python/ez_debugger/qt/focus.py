"""The keyboard focus, where the widget that has it is hidden or disabled."""

from __future__ import annotations

from typing import List, Optional

from PyQt6 import sip
from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtWidgets import QApplication, QWidget

from .session import DebugSession

#: So many widgets that had the focus are known.
_MOST = 16


class FocusKeeper(QObject):
    """Keeps the focus of hidden and disabled widgets of a panel from going to whatever comes next in the window, which
    would get the keys that were meant for the panel.

    While the program runs, the panel itself has the focus then, and does nothing with keys. When the program is stopped
    or over, the widget gets it back, or, where it is not there any more, the one that had the focus before.
    """

    def __init__(self, session: DebugSession, panel: QWidget) -> None:
        super().__init__(panel)
        self._session = session
        self._panel = panel
        #: What had the focus, the last one last.
        self._known: List[QWidget] = []
        #: Whether the panel has the focus in the place of the last one.
        self._is_kept = False
        self._look = QTimer(self)
        self._look.setSingleShot(True)
        self._look.timeout.connect(self._give_back)
        # What is enabled or shown for a state is so when all have been told.
        session.state_changed.connect(lambda: self._look.start(0))
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)

    def keep(self) -> bool:
        """Qt passes the focus on. Whether it was taken from a widget that has just been hidden or disabled, and is kept."""
        window = self._panel.window()
        lost = window.focusWidget() if window is not None else None
        if lost is None or not self._panel.isAncestorOf(lost) or _can_have(lost):
            return False
        self._note(lost)
        self._is_kept = True
        if self._is_running() and self._panel.isVisible():
            self._panel.setFocus()
        else:
            self._give_back()
        return self._panel.isVisible() or not self._is_kept

    def _is_running(self) -> bool:
        state = self._session.state
        return state.is_live and state.stop is None

    def _on_focus_changed(self, old: Optional[QWidget], new: Optional[QWidget]) -> None:
        if new is None or new is self._panel or new.window() is not self._panel.window():
            return
        last = self._known[-1] if self._known else None
        if old is None and not self._is_kept and last is not None and not sip.isdeleted(last) \
                and self._panel.isAncestorOf(last) and not _can_have(last):
            # It was hidden while another window was active.
            self._is_kept = True
            self._panel.setFocus()
            self._look.start(0)
            return
        self._is_kept = False
        self._note(new)

    def _note(self, widget: QWidget) -> None:
        self._known = [one for one in self._known if one is not widget and not sip.isdeleted(one)][1 - _MOST:] + [widget]

    def _give_back(self) -> None:
        if not self._is_kept or self._is_running() and self._panel.isVisible():
            return
        self._known = [one for one in self._known if not sip.isdeleted(one)]
        found = next((one for one in reversed(self._known) if _can_have(one)), None)
        if found is not None:
            found.setFocus()
            # In a window that is not active, no change of the focus is told.
            self._is_kept = False
        elif self._panel.isVisible():
            self._panel.setFocus()


def _can_have(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()
