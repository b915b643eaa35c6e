"""The files of a new case."""

from __future__ import annotations

import os
from typing import Dict, List, Mapping, Optional, Sequence

#: What no name of a file may have in it on some system.
_REFUSED = '<>:"/\\|?*'

#: The endings of the files of a case.
_ENDINGS = (".in", ".out", ".ans", ".args", ".status")

#: What was made for a case: the content of each file, None of a folder.
Made = Mapping[str, Optional[bytes]]


def text_of(file: str, most: int) -> str:
    """The text of a file as it is, of at most so many bytes. Raises OSError, and ValueError if it is no such text."""
    # Who opens a pipe or a device may wait for ever.
    if not os.path.isfile(file) or os.path.getsize(file) > most:
        raise OSError(0, f"it is no file, or larger than {most >> 20} MiB")
    with open(file, encoding="utf-8", newline="") as opened:
        return opened.read()


def folder_of(program: str) -> str:
    """Where the cases of a program are, as `ez test` finds them now; if there are none, where the first one goes."""
    beside = os.path.dirname(program)
    own = os.path.splitext(program)[0] + ".cases"
    of_main = [os.path.join(beside, "cases")] if os.path.basename(program) == "main.ez" else []
    usual = [own, *of_main, os.path.join(beside, "tests")]
    return next((folder for folder in usual if os.path.isdir(folder)), (of_main or [own])[0])


def names_in(folder: str) -> List[str]:
    """The names of the cases in a folder, also of those that `ez test` would not run; none, if it cannot be read."""
    try:
        parts = [os.path.splitext(file) for file in os.listdir(folder)]
    except OSError:
        return []
    return sorted({name for name, ending in parts if ending.lower() in _ENDINGS})


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


def write_case(folder: str, name: str, texts: Dict[str, str]) -> Made:
    """Writes a text for each ending into a file of its own; returns what was made, in this order.

    Nothing is written over, and nothing stays if something fails. Raises OSError.
    """
    made: Dict[str, Optional[bytes]] = {}
    try:
        if not os.path.isdir(folder):
            os.mkdir(folder)
            made[folder] = None
        for ending, text in texts.items():
            path = os.path.join(folder, f"{name}.{ending}")
            with open(path, "xb") as file:
                made[path] = text.encode("utf-8", "surrogatepass")
                file.write(made[path] or b"")
    except OSError:
        _remove_all(made)
        raise
    return made


def remove(made: Made) -> List[str]:
    """Takes back what `write_case` has made; a folder with something else in it stays.

    Returns the files that somebody has changed since. The case is theirs then, and nothing of it is removed.
    """
    changed = [path for path, content in made.items() if content is not None and not _has(path, content)]
    if not changed:
        _remove_all(made)
    return changed


def _has(path: str, content: bytes) -> bool:
    """Whether a file has that content, or is gone."""
    if not os.path.lexists(path):
        return True
    try:
        if not os.path.isfile(path) or os.path.getsize(path) != len(content):
            return False
        with open(path, "rb") as file:
            return file.read() == content
    except OSError:
        return False


def _remove_all(made: Made) -> None:
    for path, content in reversed(list(made.items())):
        try:
            os.rmdir(path) if content is None else os.remove(path)
        except OSError:
            pass
