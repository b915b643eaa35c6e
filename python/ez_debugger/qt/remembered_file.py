"""The file of what is remembered: several windows write it, each what it has changed."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, Hashable, List, Optional, Sequence

from PyQt6.QtCore import QLockFile

#: How long to wait for another window that writes, in milliseconds. What has not finished by then has crashed.
_WAIT_MS = 2000


class RememberedFile:
    """A JSON object in a file, which is replaced as a whole. One that is damaged is kept under another name."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self) -> Dict[str, Any]:
        """What is in the file; nothing, if there is none."""
        try:
            with open(self._path, encoding="utf-8") as stream:
                data = json.load(stream)
        except (OSError, ValueError, RecursionError):
            data = None
        if isinstance(data, dict):
            return data
        self._put_aside()
        return {}

    def update(self, change: Callable[[Dict[str, Any]], Dict[str, Any]]) -> bool:
        """Writes what `change` makes of what is in the file now. False if it cannot be written."""
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
        except OSError:
            return False
        lock = QLockFile(f"{self._path}.lock")
        lock.tryLock(_WAIT_MS)
        try:
            return self._write(change(self.read()))
        finally:
            lock.unlock()

    def _write(self, data: Dict[str, Any]) -> bool:
        temporary = f"{self._path}.{os.getpid()}"
        try:
            with open(temporary, "w", encoding="utf-8") as stream:
                json.dump(data, stream, indent=1)
            os.replace(temporary, self._path)
        except (OSError, ValueError):
            return False
        return True

    def _put_aside(self) -> None:
        number = 1
        while os.path.exists(f"{self._path}.damaged-{number}"):
            number += 1
        try:
            os.rename(self._path, f"{self._path}.damaged-{number}")
        except OSError:
            pass


#: What a window has, or had: each entry of the file by the thing that it is about.
Entries = Dict[Hashable, Any]


class _Place:
    """An entry of the file, whether it was found to be one of the window's, and whether it is removed."""

    def __init__(self, entry: Any) -> None:
        self.entry = entry
        self.is_found = self.is_removed = False


def merged(entries: Sequence[Any], before: Entries, now: Entries, fields: Sequence[str] = (),
           is_known: Callable[[Any], bool] = lambda _: True) -> List[Any]:
    """The entries of a list in the file, with what a window has changed since it had `before`: it has `now`.

    An entry is found in the file again if it is the same, or has the same value in one of the `fields`, the first of
    which is its place; `is_known` tells which entries may be. What was removed by another window comes back only if
    more than these fields was changed here.
    """
    places = [_Place(entry) for entry in entries if is_known(entry)]
    found: Dict[Hashable, _Place] = {}
    for field in (None, *fields):
        _match(places, found, before, field)
    for thing, had in before.items():
        has = now.get(thing)
        if thing in found:
            found[thing].is_removed = has is None
            found[thing].entry = _changed(found[thing].entry, had, has)
        elif has is not None and _without(has, fields) != _without(had, fields):
            places.append(_Place(has))
    new = {thing: has for thing, has in now.items() if thing not in before}
    for field in (None, *fields[:1]):
        _match(places, found, new, field)
    for thing, has in new.items():
        if thing in found:
            found[thing].entry = _changed(found[thing].entry, {}, has)
        else:
            places.append(_Place(has))
    unknown = [entry for entry in entries if not is_known(entry)]
    return [place.entry for place in places if not place.is_removed] + unknown


def _match(places: List[_Place], found: Dict[Hashable, _Place], wanted: Entries, field: Optional[str]) -> None:
    """Finds entries of the file that are the same, or have the same value in a field."""
    for thing, entry in wanted.items():
        for place in places:
            if thing not in found and not place.is_found and (
                    place.entry == entry if field is None else entry.get(field) and place.entry.get(field) == entry[field]):
                found[thing] = place
                place.is_found = True


def _changed(entry: Any, had: Any, has: Any) -> Any:
    """An entry of the file, with the fields that a window has changed."""
    if not isinstance(entry, dict) or not isinstance(had, dict) or not isinstance(has, dict):
        return entry
    kept = {name: value for name, value in entry.items() if name not in had or name in has}
    return {**kept, **{name: value for name, value in has.items() if name not in had or had[name] != value}}


def _without(entry: Any, fields: Sequence[str]) -> Any:
    return {name: value for name, value in entry.items() if name not in fields} if isinstance(entry, dict) else entry
