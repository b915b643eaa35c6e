"""The files of a new case."""

from __future__ import annotations

import os
from typing import Dict, List, Sequence

#: What no name of a file may have in it on some system.
_REFUSED = '<>:"/\\|?*'


def text_of(file: str, most: int) -> str:
    """The text of a file as it is, of at most so many bytes. Raises OSError, and ValueError if it is no such text."""
    # Who opens a pipe or a device may wait for ever.
    if not os.path.isfile(file) or os.path.getsize(file) > most:
        raise OSError(0, f"it is no file, or larger than {most >> 20} MiB")
    with open(file, encoding="utf-8", newline="") as opened:
        return opened.read()


def folder_of(program: str) -> str:
    """Where the first case of a program goes: `ez test` looks there."""
    if os.path.basename(program) == "main.ez":
        return os.path.join(os.path.dirname(program), "cases")
    return os.path.splitext(program)[0] + ".cases"


def free_name(names: Sequence[str]) -> str:
    """The first number that no case has."""
    return next(str(number) for number in range(1, len(names) + 2) if str(number) not in names)


def what_is_wrong(name: str, names: Sequence[str]) -> str:
    """A sentence, if a case cannot have that name."""
    if not name:
        return "A case needs a name."
    if name.startswith((".", "-")) or name != name.strip() or any(c in _REFUSED or not c.isprintable() for c in name):
        return f"A file cannot have that name on every system: without {' '.join(_REFUSED)}, and no dot or - in front."
    if name.casefold() in (one.casefold() for one in names):
        return f"There is a case {name} already."
    return ""


def write_case(folder: str, name: str, texts: Dict[str, str]) -> List[str]:
    """Writes a text for each ending into a file of its own; returns what was made, the folder first if it is new.

    Nothing is written over, and nothing stays if something fails. Raises OSError.
    """
    made: List[str] = []
    try:
        if not os.path.isdir(folder):
            os.mkdir(folder)
            made.append(folder)
        for ending, text in texts.items():
            path = os.path.join(folder, f"{name}.{ending}")
            with open(path, "xb") as file:
                made.append(path)
                file.write(text.encode("utf-8", "surrogatepass"))
    except OSError:
        remove(made)
        raise
    return made


def remove(made: Sequence[str]) -> None:
    """Takes back what `write_case` has made; a folder with something else in it stays."""
    for path in reversed(made):
        try:
            os.rmdir(path) if os.path.isdir(path) else os.remove(path)
        except OSError:
            pass
