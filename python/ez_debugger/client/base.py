"""What sessions that block and those of asyncio have in common."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ..protocol import Command, Event, Initialized
from .breakpoints import Path
from .commands import SessionCommands
from .errors import DebuggerError
from .find import find_ez
from .values import Stop


class BaseSession:
    """A session without a process.

    `input` is all that the program reads, or a function that gives a line each time when the program waits for one,
    and None at the end. Without it such a wait is the exception `InputRequired`.
    `deny` is what the program is kept from: `net`, `fs`, `exec`, `env`. Outside of the folder `root` there is nothing for
    it: no source, no file.
    `timeout` is how many seconds a call may take if it does not say otherwise; None: without limit.
    `max_output` is how many characters of each stream are kept, the last ones; None: all.
    `ez` is the program to use, or the beginning of a command line; see `find_ez`.
    `on_event` is called with each event of the protocol when it has been read.
    """

    def __init__(
        self,
        file: Optional[Path] = None,
        *,
        source: Optional[str] = None,
        replay: Optional[Path] = None,
        args: Optional[Sequence[str]] = None,
        env: Optional[Mapping[str, Optional[str]]] = None,
        input: Union[None, str, Callable[[], Any]] = None,
        working_dir: Optional[Path] = None,
        history: bool = False,
        children: bool = False,
        stop_on_entry: Optional[bool] = None,
        deny: Union[None, str, Sequence[str]] = None,
        root: Optional[Path] = None,
        memory: Union[None, int, str] = None,
        timeout: Optional[float] = 10.0,
        max_output: Optional[int] = 10_000_000,
        ez: Union[None, Path, Sequence[str]] = None,
        on_event: Optional[Callable[[Event], None]] = None,
    ) -> None:
        given = [name for name, value in (("file", file), ("source", source), ("replay", replay)) if value is not None]
        if len(given) != 1:
            which = " and ".join(given) or "none"
            raise ValueError(f"a session has one of file, source and replay: {which} given")
        _check("source", source, str, "a text")
        _check("input", input, (str, Callable), "a text, or a function that gives lines")
        _check("on_event", on_event, Callable, "a function")
        if isinstance(args, str):
            raise TypeError("args is a text: expected a list of texts")
        self._core = SessionCommands(timeout, max_output, callable(input))
        self._ez = ez
        self._root = None if root is None else _absolute(root)
        self._on_event = on_event
        self._answerer = input if callable(input) else None
        self._input = input if isinstance(input, str) else None
        self._parameters: Dict[str, Any] = {
            "file": None if file is None else _absolute(file),
            "source": None if source is None else {"text": source},
            "replay": None if replay is None else _absolute(replay),
            "args": None if args is None else list(args),
            "env": None if env is None else dict(env),
            "working_dir": _absolute(working_dir or "."),
            "history": history,
            "children": children,
            "stop_on_entry": stop_on_entry,
            "deny": deny if deny is None or isinstance(deny, str) else list(deny),
            "memory_limit": memory,
            "keep_alive": True,
            "protocol_version": 2,
        }
        #: What the server says about itself and the program; None before the session is open.
        self.initialized: Optional[Initialized] = None

    def _command(self) -> List[str]:
        if self._ez is None:
            start = [find_ez()]
        elif isinstance(self._ez, (str, os.PathLike)):
            start = [os.fspath(self._ez)]
        else:
            start = list(self._ez)
        root = [] if self._root is None else ["--root", self._root]
        return [*start, "debugserver", "--protocol", "ez", *root]

    def __repr__(self) -> str:
        program = self._parameters["file"] or self._parameters["replay"] or "<source>"
        return f"<{type(self).__name__} {program}>"

    # What was told

    @property
    def stop(self) -> Optional[Stop]:
        """The last stop or end; None before the first, and after a `restart` that found errors in the program."""
        return self._core.stop

    @property
    def output(self) -> str:
        """What the program has written to standard output (the last `max_output` characters)."""
        return self.text_of("stdout")

    @property
    def error_output(self) -> str:
        """What the program has written to standard error (the last `max_output` characters)."""
        return self.text_of("stderr")

    @property
    def console(self) -> str:
        """What the debugger has said: the texts of log points (the last `max_output` characters)."""
        return self.text_of("console")

    def text_of(self, category: str) -> str:
        """The output of a category (the last `max_output` characters)."""
        return self._core.text_of(category)

    def dropped(self, category: str = "stdout") -> int:
        """How many characters of a category were dropped, because there were more than `max_output`."""
        return self._core.dropped(category)

    @property
    def waits_for_input(self) -> bool:
        """Whether the program waits for input."""
        return self._core.waits_for_input

    def path(self, file: Path) -> str:
        """The path of a file for the server, whose working directory may be another one."""
        return self._core.path(file)

    def send(self, command: str, **params: Any) -> Command:
        """Sends a command of SPEC.md, and does not wait for its answer.

        Names of parameters may be in snake_case; those that are None are left out.
        """
        return self._core.send(command, **params)


def _check(name: str, value: object, kinds: Any, wanted: str) -> None:
    if value is not None and not isinstance(value, kinds):
        raise TypeError(f"{name} is {value!r}: expected {wanted}")


def _absolute(path: Path) -> str:
    try:
        return os.path.abspath(os.fsdecode(path))
    except FileNotFoundError as error:
        raise DebuggerError("the folder that this program runs in is not there any more") from error
