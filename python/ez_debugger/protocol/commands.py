"""The commands of SPEC.md."""

# Made from the description of the protocol by make_protocol.py.

from typing import Dict, FrozenSet, Tuple

__all__ = ["COMMANDS", "RUNS"]

#: Each command and its parameters, under their names in SPEC.md.
COMMANDS: Dict[str, Tuple[str, ...]] = {
    "initialize": (
        "file", "workingDir", "protocolVersion", "deny", "memoryLimit", "args", "env", "stopOnEntry", "keepAlive",
        "source", "history", "replay", "children", "notation", "token",
    ),
    "restart": ("args", "env"),
    "start": (),
    "disconnect": ("terminate", "resume"),
    "pause": (),
    "kill": (),
    "terminate": (),
    "input": ("text", "eof"),
    "setExpectedOutput": ("text", "file", "mode"),
    "attach": ("token", "protocolVersion", "notation", "name"),
    "getState": (),
    "getThreads": (),
    "getModules": (),
    "getSource": ("file",),
    "continue": (),
    "stepInto": ("targetId",),
    "stepOver": (),
    "stepOut": (),
    "runTo": ("file", "line", "column", "source"),
    "stepBack": (),
    "stepBackOver": (),
    "stepBackOut": (),
    "reverseContinue": (),
    "goToPresent": (),
    "restartFrame": ("frameIndex",),
    "goToStep": ("step",),
    "setBreakpoint": ("file", "line", "condition", "column", "hitCondition", "logMessage", "enabled", "source"),
    "clearBreakpoint": ("file", "line", "source"),
    "setBreakpoints": ("file", "breakpoints", "source"),
    "getBreakpoints": ("file", "source"),
    "enableBreakpoint": ("id",),
    "disableBreakpoint": ("id",),
    "removeBreakpoint": ("id",),
    "setCondition": ("id", "condition", "hitCondition", "logMessage"),
    "breakpointLocations": ("file", "line", "endLine", "source"),
    "setFunctionBreakpoints": ("breakpoints",),
    "setExceptionBreakpoints": ("filters", "filterOptions"),
    "setDataBreakpoints": ("breakpoints",),
    "addWatch": ("expression",),
    "removeWatch": ("id",),
    "getWatches": (),
    "getVariables": ("frameIndex", "scope", "radix"),
    "getChildren": ("reference", "start", "count", "radix"),
    "setVariable": ("frameIndex", "reference", "name", "value", "radix"),
    "getStackTrace": ("start", "count"),
    "getStepTargets": ("frameIndex",),
    "evaluate": ("expression", "frameIndex", "context", "format", "timeoutMs", "radix"),
    "completions": ("text", "column", "frameIndex"),
    "unfold": ("frameIndex", "step", "next", "radix", "conditionSteps"),
    "lastChange": ("expression", "frameIndex"),
    "changes": ("expression", "frameIndex", "before", "count", "radix"),
    "outputStep": ("offset", "stream"),
    "getProcesses": (),
    "releaseChild": ("pid",),
    "share": ("listen", "allowRemote", "roles", "name"),
    "unshare": (),
    "getGuests": (),
}

#: The commands that are answered by the stop or the end of the program.
RUNS: FrozenSet[str] = frozenset({
    "restart", "start", "continue", "stepInto", "stepOver", "stepOut", "runTo", "stepBack", "stepBackOver",
    "stepBackOut", "reverseContinue", "goToPresent", "restartFrame", "goToStep",
})

#: Events that carry the id of such a command before it is answered.
BEGINNINGS: FrozenSet[str] = frozenset({"restarted", "started"})
