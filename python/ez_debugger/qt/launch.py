"""What a session starts with."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Sequence


@dataclass(frozen=True)
class Launch:
    """A program, and how it is started: the parameters of `initialize` in SPEC.md."""

    #: The program's file.
    file: str = ""
    #: The directory that it runs in; that of the file, if it is left out.
    working_dir: str = ""
    args: Sequence[str] = ()
    #: Environment variables; None takes one away.
    env: Mapping[str, Optional[str]] = field(default_factory=dict, hash=False)
    #: Whether one can go back.
    history: bool = True
    #: Whether the EZ programs that the program starts are child processes: `DebugSession.child_started`.
    children: bool = False
    #: True: the first stop is the first statement, whatever breakpoints there are; False: never there.
    #: None: there, unless a breakpoint is set.
    stop_on_entry: Optional[bool] = None
    #: What the program is kept from: `net`, `fs`, `exec`, `env`.
    deny: Sequence[str] = ()
    #: Such as `512M`.
    memory: Optional[str] = None
    #: The folder outside of which it reaches no file.
    root: Optional[str] = None
    #: The text of a program that is in no file.
    source: Optional[str] = None
    #: A recording of `ez run --record`, instead of a file.
    replay: Optional[str] = None
    #: All that the program reads, as a case has it; None: what the user types.
    input: Optional[str] = None
    #: The file with what it is expected to print: it stops at the first difference.
    expected_output: Optional[str] = None

    @property
    def directory(self) -> str:
        """The working directory of the program."""
        if self.working_dir:
            return os.path.abspath(self.working_dir)
        return os.path.dirname(os.path.abspath(self.replay or self.file)) if self.replay or self.file else os.getcwd()

    @property
    def has_own_arguments(self) -> bool:
        """Whether arguments and directory are its own, whatever the user has changed of those of programs."""
        return self.replay is not None or self.input is not None

    def parameters(self) -> Dict[str, Any]:
        """The parameters of `initialize`, under their names in SPEC.md."""
        parameters: Dict[str, Any] = {
            "protocolVersion": 2, "workingDir": self.directory, "history": self.history,
            "stopOnEntry": self.stop_on_entry,
        }
        if self.replay is not None:
            return {**parameters, "replay": os.path.abspath(self.replay)}
        if self.source is not None:
            parameters["source"] = {"text": self.source, "name": self.file or None}
        else:
            parameters["file"] = os.path.abspath(self.file)
        if self.children:
            parameters["children"] = True
        optional: Dict[str, Any] = {"args": list(self.args), "env": dict(self.env), "deny": list(self.deny), "memoryLimit": self.memory}
        return {**parameters, **{name: value for name, value in optional.items() if value}}
