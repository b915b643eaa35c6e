"""The dialog that lets others join a session, and shows who is there."""

from __future__ import annotations

from typing import Dict, List, Optional

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (QApplication, QDialog, QFormLayout, QHBoxLayout, QLineEdit, QListWidget, QPushButton,
                             QVBoxLayout, QWidget)

from ..protocol import Error, Event, Guest, GuestJoined, GuestLeft, Guests, Shared, Unshared
from .plain import PlainLabel, tip
from .session import DebugSession

_ROLES = (("observer", "To look on", "Sees everything and changes nothing"),
          ("participant", "To take part", "Also steps, sets breakpoints and changes values"))


class SharingDialog(QDialog):
    """Shares the session of a program; what the others type can be copied. It stays open beside the window."""

    #: Somebody has joined or left: a sentence.
    news = pyqtSignal(str)

    def __init__(self, session: DebugSession, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self._session = session
        self.setWindowTitle("Share this session")
        self.guests: List[Guest] = []
        self.share_button = QPushButton("Share", self)
        self.share_button.setToolTip(tip("Lets others on this computer join who have what is shown below"))
        self.share_button.clicked.connect(lambda: self.share())
        self.unshare_button = QPushButton("Stop sharing", self)
        self.unshare_button.clicked.connect(lambda: self.unshare())
        self.state = PlainLabel(self)
        self.state.setWordWrap(True)
        self.commands: Dict[str, QLineEdit] = {}
        form = QFormLayout()
        for role, label, purpose in _ROLES:
            form.addRow(label, self._command_row(role, label, purpose))
        self.list = QListWidget(self)
        self.list.setAccessibleName("Guests")
        buttons = QHBoxLayout()
        buttons.addWidget(self.share_button)
        buttons.addWidget(self.unshare_button)
        buttons.addStretch()
        layout = QVBoxLayout(self)
        layout.addWidget(self.state)
        layout.addLayout(form)
        layout.addWidget(self.list)
        layout.addLayout(buttons)
        session.state_changed.connect(self._refresh)
        session.event_received.connect(self._on_event)
        self._shared: Optional[Shared] = None
        self._refresh()
        self.resize(520, 320)

    def _command_row(self, role: str, label: str, purpose: str) -> QHBoxLayout:
        command = self.commands[role] = QLineEdit(self)
        command.setReadOnly(True)
        command.setAccessibleName(label)
        command.setToolTip(tip(purpose))
        copy = QPushButton("Copy", self)
        copy.setAccessibleName(f"Copy what is typed {label.lower()}")
        copy.clicked.connect(lambda: self._copy(command.text()))
        row = QHBoxLayout()
        row.addWidget(command, 1)
        row.addWidget(copy)
        return row

    def share(self) -> None:
        """Lets others join."""
        def take(event: Event) -> None:
            if isinstance(event, Shared):
                self._shared = event
            elif isinstance(event, Error):
                self.state.setText(event.message)
                return
            self._refresh()

        self._session.send("share", take)

    def unshare(self) -> None:
        """Sends the others away."""
        def take(event: Event) -> None:
            if isinstance(event, Unshared):
                self._forget()

        self._session.send("unshare", take)

    def _copy(self, text: str) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(text)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, GuestJoined):
            self.news.emit(f"{event.name} has joined the session ({event.role}).")
        elif isinstance(event, GuestLeft):
            self.news.emit(f"{event.name} has left the session.")
        else:
            return
        self._session.send("getGuests", self._take_guests)

    def _take_guests(self, event: Event) -> None:
        if isinstance(event, Guests):
            self.guests = list(event.guests)
            self._refresh()

    def _forget(self) -> None:
        self._shared, self.guests = None, []
        self._refresh()

    def _refresh(self) -> None:
        status = self._session.state.status
        can_share = self._session.state.is_live and status not in ("starting", "ending")
        if not self._session.state.is_live and self._shared is not None:
            self._shared, self.guests = None, []
        shared = self._shared
        self.share_button.setEnabled(can_share and shared is None)
        self.unshare_button.setEnabled(shared is not None)
        if shared is not None:
            self.state.setText("Who types one of these on this computer joins:")
        else:
            self.state.setText("Nobody else can see this session." if can_share else "No program is being debugged.")
        for role, command in self.commands.items():
            token = getattr(shared.tokens, role) if shared is not None else None
            command.setText(f"ez debug --join {shared.host}:{shared.port} --token {token}"
                            if shared is not None and token else "")
        self.list.clear()
        self.list.addItems([f"{guest.name} ({guest.role})" for guest in self.guests])
