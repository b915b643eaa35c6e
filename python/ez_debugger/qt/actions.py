"""What can be done with a session, as actions with keys and icons."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

from PyQt6.QtCore import QObject, QTimer, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence, QPalette
from PyQt6.QtWidgets import QMenu, QWidget

from ..protocol import Event, StepTargets
from .icons import icon
from .plain import tip
from .session import DebugSession
from .step_queue import StepQueue

#: How long after a stop the calls of its statement are asked for, in milliseconds: not while steps follow each other.
_TARGETS_AFTER_MS = 120

#: Each action: its name, icon, text, key, and the command that has to be possible.
_TABLE: Tuple[Tuple[str, str, str, str, str], ...] = (
    ("start", "start", "Start", "F5", "start"),
    ("continue", "continue", "Continue", "F5", "continue"),
    ("pause", "pause", "Pause", "F6", "pause"),
    ("over", "over", "Step over", "F10", "stepOver"),
    ("into", "into", "Step into", "F11", "stepInto"),
    ("into_call", "into", "Step into one of the calls", "Ctrl+F11", "stepInto"),
    ("out", "out", "Step out", "Shift+F11", "stepOut"),
    ("here", "here", "Run to the cursor", "Ctrl+F10", "runTo"),
    ("back", "back", "Step back", "Alt+F11", "stepBack"),
    ("back_over", "back", "Step back over calls", "Alt+F10", "stepBackOver"),
    ("back_out", "back", "Back to the call", "Alt+Shift+F11", "stepBackOut"),
    ("reverse", "reverse", "Back to the breakpoint before", "Alt+F5", "reverseContinue"),
    ("present", "present", "To the present", "Alt+F6", "goToPresent"),
    ("restart", "restart", "Restart", "Ctrl+Shift+F5", "restart"),
    ("stop", "stop", "Stop", "Shift+F5", "terminate"),
)

#: The actions that are steps, and their commands.
_STEPS = {"over": "stepOver", "into": "stepInto", "out": "stepOut", "back": "stepBack", "back_over": "stepBackOver",
          "back_out": "stepBackOut"}


class DebugActions(QObject):
    """The actions by name. Each is enabled while the engine can carry it out.

    They are added to `window`, so that their keys work there.
    """

    #: The user wants to start a program; the session has none running.
    start_requested = pyqtSignal()
    #: The user wants to start the program anew.
    restart_requested = pyqtSignal()
    #: The user wants to run to where the cursor is.
    run_to_cursor_requested = pyqtSignal()
    #: The user wants to choose one of `targets`.
    choice_requested = pyqtSignal()
    #: `targets` has other calls in it, or none.
    targets_changed = pyqtSignal()

    def __init__(self, session: DebugSession, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._commands: Dict[str, str] = {}
        self.steps = StepQueue(session, self)
        self.by_name: Dict[str, QAction] = {}
        for name, _, text, key, command in _TABLE:
            action = QAction(text, self)
            action.setObjectName(f"debug_{name}")
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.setToolTip(tip(f"{text} ({key})"))
            action.triggered.connect(self._slots()[name])
            window.addAction(action)
            self.by_name[name] = action
            self._commands[name] = command
        #: The keys of actions that are not enabled: what is shown lags behind, and a long step does not lose a press.
        self.late_keys: Dict[str, QAction] = {}
        for name, pressed in self._late_slots().items():
            keys = QAction(self.by_name[name].text(), self)
            keys.setShortcut(self.by_name[name].shortcut())
            keys.setAutoRepeat(False)
            keys.triggered.connect(pressed)
            window.addAction(keys)
            self.late_keys[name] = keys
        #: The calls of the statement, where it has several.
        self.targets = QMenu("Step into", window)
        self._ask = QTimer(self)
        self._ask.setSingleShot(True)
        self._ask.setInterval(_TARGETS_AFTER_MS)
        self._ask.timeout.connect(self._ask_for_targets)
        session.state_changed.connect(self.refresh)
        self.set_palette(window.palette())
        self.refresh()

    def without_keys(self, *names: str) -> None:
        """Takes the keys of some actions away, since the window has them for actions of its own that do the same."""
        for name in names:
            self.by_name[name].setShortcut(QKeySequence())

    def set_palette(self, palette: QPalette) -> None:
        """Draws the icons in other colours."""
        for name, picture, *_ in _TABLE:
            self.by_name[name].setIcon(icon(picture, palette))

    def refresh(self) -> None:
        """Enables what is possible now."""
        state = self._session.state
        for name, action in self.by_name.items():
            action.setEnabled(self._commands[name] in state.possible)
        self._enable_choice()
        self.by_name["start"].setVisible("start" in state.possible)
        self.by_name["continue"].setVisible("start" not in state.possible and state.status != "running")
        self.by_name["pause"].setVisible(state.status == "running")
        for name in ("back", "back_over", "back_out", "reverse", "present"):
            self.by_name[name].setVisible(state.has_history or not state.is_live)
        # An action that is not visible is not enabled either.
        for name, keys in self.late_keys.items():
            keys.setEnabled(state.is_live and not self.by_name[name].isEnabled())
        if not self.targets.isEmpty():
            self.targets.clear()
            self._enable_choice()
            self.targets_changed.emit()
        if "stepInto" in state.possible:
            self._ask.start()

    def _enable_choice(self) -> None:
        self.by_name["into_call"].setEnabled(not self.targets.isEmpty() and "stepInto" in self._session.state.possible)

    def _slots(self) -> Dict[str, Callable[[], object]]:
        session = self._session
        return {
            "start": self.start_requested.emit, "continue": lambda: session.continue_(),
            "pause": lambda: session.pause(), "into_call": self.choice_requested.emit,
            "here": self.run_to_cursor_requested.emit,
            "reverse": lambda: session.reverse_continue(), "present": lambda: session.go_to_present(),
            "restart": self.restart_requested.emit, "stop": lambda: session.stop(),
            **{name: self._slot(self.steps.press, command) for name, command in _STEPS.items()},
        }

    def _slot(self, press: Callable[[str], object], command: str) -> Callable[[], object]:
        return lambda: press(command)

    def _late_slots(self) -> Dict[str, Callable[[], object]]:
        return {"pause": self._session.interrupt,
                **{name: self._slot(self.steps.press_late, command) for name, command in _STEPS.items()}}

    def _ask_for_targets(self) -> None:
        stop = self._session.state.stop
        if stop is None or self._session.is_moving:
            return

        def take(event: Event) -> None:
            if isinstance(event, StepTargets) and self._session.state.stop is stop:
                self._show_targets(event)

        self._session.step_targets(take)

    def _show_targets(self, event: StepTargets) -> None:
        self.targets.clear()
        if len(event.targets) < 2:
            return
        for target in event.targets:
            action = self.targets.addAction(target.label.replace("&", "&&"))
            if action is not None:
                action.triggered.connect(lambda _, id=target.id: self._session.step_into(id))
        self._enable_choice()
        self.targets_changed.emit()


def named(actions: DebugActions, *names: Optional[str]) -> List[Optional[QAction]]:
    """Some actions in order, None for a separator."""
    return [None if name is None else actions.by_name[name] for name in names]
