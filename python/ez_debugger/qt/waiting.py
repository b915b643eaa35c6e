"""Where a program waits for input."""

from __future__ import annotations

from typing import Callable, Optional

from ..protocol import Event, Location, Stopped

#: Runs that can be gone on with from a pause, as if there had been none.
_GOES_ON = frozenset({"start", "continue", "restart"})

#: Runs that end with the statement they begin at, so that it is the one in progress.
_STEPS = frozenset({"stepInto", "stepOver"})


class WaitPlace:
    """Finds the statement that waits for input, which only a stop can tell.

    A program that was let run is paused in its wait for that, and goes on. After a step it is the statement where the
    step began; of other runs it is not known.
    """

    def __init__(self, send: Callable[..., object]) -> None:
        """`send` queues a command."""
        self._send = send
        self._command = ""
        self._begin: Optional[Location] = None
        self._is_asking = False
        self._found: Optional[Location] = None

    def begin(self, command: str, stop: Optional[Stopped]) -> None:
        """The program is let run by a command, from a stop."""
        self._command = command
        self._begin = stop.location if stop is not None else None

    def ask(self) -> bool:
        """The program waits. Whether it has to be paused first; it waits once more then."""
        if self._command not in _GOES_ON or self._found is not None:
            return False
        self._is_asking = True
        self._send("pause", self._on_paused)
        return True

    def take(self, stop: Stopped) -> bool:
        """The program has stopped. Whether that was only to learn where it waits."""
        was_asking, self._is_asking = self._is_asking, False
        if not was_asking or stop.reason != "pause":
            return False
        self._found = stop.location
        self._send("continue")
        return True

    @property
    def place(self) -> Optional[Location]:
        """The statement that waits, None if it is not known."""
        return self._begin if self._command in _STEPS else self._found

    def forget(self) -> None:
        """The program does not wait any more."""
        self._found = None

    def reset(self) -> None:
        """There is another program."""
        self._is_asking = False
        self._found = None

    def _on_paused(self, event: Event) -> None:
        """No stop has answered the pause: the wait was over."""
        self._is_asking = False
