"""The arguments of the calls that are in view."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Sequence, Set

from PyQt6.QtCore import QObject

from ..protocol import Event, Variable, Variables
from .session import DebugSession

#: So much is shown of an argument, and of all of a call, in characters.
_ONE = 24
_ALL = 80


class CallArguments(QObject):
    """Asks for the arguments of calls, of each once at a stop, and tells them to `show` as a text: `(n = 9000)`.

    Those of the call that is looked at come with its variables, for which another panel asks.
    """

    def __init__(self, session: DebugSession, show: Callable[[int, str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._show = show
        #: What is known of the calls of this stop, by index.
        self.texts: Dict[int, str] = {}
        self._asked: Set[int] = set()
        session.stopped.connect(lambda _: self._forget())
        session.values_changed.connect(self._forget)
        session.ended.connect(lambda _: self._forget())
        session.event_received.connect(self._on_event)

    def ask(self, indexes: Iterable[int]) -> None:
        """Asks for the arguments of some calls."""
        stop = self._session.state.stop
        if stop is None:
            return
        for index in indexes:
            if index not in self._asked and index != self._session.frame_index:
                self._asked.add(index)
                self._session.send("getVariables", lambda _: None, frame_index=index, scope="parameter")

    def _forget(self) -> None:
        self.texts = {}
        self._asked = set()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Variables) and self._session.state.stop is not None:
            text = arguments_text([one for one in event.variables if one.scope == "parameter"])
            self.texts[event.frame_index] = text
            self._show(event.frame_index, text)


def arguments_text(arguments: Sequence[Variable]) -> str:
    """The arguments of a call as a text, cut where they are long."""
    text = ", ".join(f"{one.name} = {_cut(one.value, _ONE)}" for one in arguments)
    return f"({_cut(text, _ALL)})"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length - 1] + "…"
