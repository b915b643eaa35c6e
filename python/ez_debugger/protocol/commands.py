"""The commands of SPEC.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, FrozenSet, Mapping, Tuple

#: Each command and its parameters, under their names in SPEC.md.
COMMANDS: Dict[str, Tuple[str, ...]] = {
    "initialize": (
        "file", "workingDir", "protocolVersion", "deny", "memoryLimit", "args", "env", "stopOnEntry", "keepAlive",
        "source", "history", "replay", "children", "notation",
    ),
    "start": (),
    "stepInto": ("targetId",),
    "stepOver": (),
    "stepOut": (),
    "continue": (),
    "runTo": ("file", "line", "column"),
    "pause": (),
    "input": ("text", "eof"),
    "terminate": (),
    "restart": ("args", "env"),
    "kill": (),
    "getState": (),
    "getThreads": (),
    "getModules": (),
    "getSource": ("file",),
    "getStepTargets": ("frameIndex",),
    "getStackTrace": ("start", "count"),
    "setBreakpoint": ("file", "line", "condition", "column", "hitCondition", "logMessage", "enabled"),
    "clearBreakpoint": ("file", "line"),
    "setBreakpoints": ("file", "breakpoints"),
    "getBreakpoints": ("file",),
    "enableBreakpoint": ("id",),
    "disableBreakpoint": ("id",),
    "removeBreakpoint": ("id",),
    "setCondition": ("id", "condition", "hitCondition", "logMessage"),
    "breakpointLocations": ("file", "line", "endLine"),
    "setFunctionBreakpoints": ("breakpoints",),
    "setExceptionBreakpoints": ("filters", "filterOptions"),
    "setDataBreakpoints": ("breakpoints",),
    "getVariables": ("frameIndex", "scope", "radix"),
    "getChildren": ("reference", "start", "count", "radix"),
    "setVariable": ("frameIndex", "reference", "name", "value", "radix"),
    "evaluate": ("expression", "frameIndex", "context", "format", "timeoutMs", "radix"),
    "completions": ("text", "column", "frameIndex"),
    "addWatch": ("expression",),
    "removeWatch": ("id",),
    "getWatches": (),
    "stepBack": (),
    "stepBackOver": (),
    "stepBackOut": (),
    "restartFrame": ("frameIndex",),
    "reverseContinue": (),
    "goToStep": ("step",),
    "goToPresent": (),
    "lastChange": ("expression", "frameIndex"),
    "changes": ("expression", "frameIndex", "before", "count", "radix"),
    "outputStep": ("offset",),
    "unfold": ("frameIndex", "step", "next", "radix"),
    "attach": ("token", "protocolVersion", "notation"),
    "disconnect": ("terminate", "resume"),
    "getProcesses": (),
    "releaseChild": ("pid",),
}

#: The commands that are answered by the stop or the end of the program.
RUNS: FrozenSet[str] = frozenset({
    "start", "restart", "continue", "stepInto", "stepOver", "stepOut", "runTo", "stepBack", "stepBackOver",
    "stepBackOut", "restartFrame", "reverseContinue", "goToStep", "goToPresent",
})


@dataclass(frozen=True)
class Command:
    """A command that was sent, under the names of SPEC.md."""

    id: int
    name: str
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)
