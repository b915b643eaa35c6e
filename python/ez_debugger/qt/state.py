"""What is known of a session, as the engine said it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import FrozenSet, Optional

from ..protocol import Location, Stopped

_FORWARD = frozenset({"stepInto", "stepOver", "stepOut", "continue", "runTo"})
_BACK = frozenset({"stepBack", "stepBackOver", "stepBackOut", "reverseContinue"})
_LOOKING = frozenset({"getVariables", "getChildren", "getStackTrace", "evaluate", "completions", "lastChange"})


@dataclass
class SessionState:
    """Where a session is. Changed by `DebugSession` only, which emits `state_changed` then."""

    #: `none` (no server), `starting`, `ready`, `running`, `stopped` or `exited`, as `getState` has it; `ending` while
    #: a program that was told to end has not done so yet.
    status: str = "none"
    #: The last stop, while the program is stopped.
    stop: Optional[Stopped] = None
    #: The exit code of the last run, if it came to its end.
    exit_code: Optional[int] = None
    #: Whether one can go back in this run.
    has_history: bool = False
    #: Whether the program waits for input.
    wants_input: bool = False
    #: The call that waits for it, if that is known.
    waits_at: Optional[Location] = None

    @property
    def is_live(self) -> bool:
        """Whether there is a server, and a program that has not ended."""
        return self.status in ("starting", "ready", "running", "stopped", "ending")

    @property
    def is_past(self) -> bool:
        """Whether the stop is before the present: nothing can be changed there."""
        return self.stop is not None and self.stop.past

    @property
    def possible(self) -> FrozenSet[str]:
        """The commands of SPEC.md that can be carried out now, as far as buttons send them.

        `start` starts a program where none runs, or as soon as the one is gone that is ending.
        """
        if self.status in ("none", "exited", "ending"):
            return frozenset({"start"})
        commands = {"terminate"}
        if self.status != "starting":
            commands.add("restart")
        if self.status == "running":
            commands.add("pause")
        if self.stop is not None:
            commands |= _FORWARD | _LOOKING
            if not self.stop.past:
                commands.add("setVariable")
            if self.stop.present is not None:
                commands |= {"goToStep", "restartFrame"}
                if self.stop.step > 1:
                    commands |= _BACK
                if self.stop.past:
                    commands.add("goToPresent")
        return frozenset(commands)
