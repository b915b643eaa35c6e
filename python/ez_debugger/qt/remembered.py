"""Breakpoints and watches that are there again when the window is opened again."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, List, Optional, Set

from PyQt6.QtCore import QCoreApplication, QEvent, QObject, QTimer

from .breakpoint_store import FUNCTION, LINE, BreakpointStore, UserBreakpoint
from .editor import EditorAdapter
from .paths import absolute
from .program_text import lines_of_file
from .remembered_file import Entries, RememberedFile, merged
from .watches import WatchesPanel

#: How long after a change it is written, in milliseconds; at the end at once.
_SAVE_AFTER_MS = 500

#: Names in the file, and the attributes of `UserBreakpoint`.
_TEXTS = {"condition": "condition", "hitCondition": "hit_condition", "logMessage": "log_message"}


class Remembered(QObject):
    """Keeps the breakpoints of each file, and watches, functions and kinds of errors of each folder, in a file.

    Breakpoints are there again when their folder is opened, or a file in or above it. Those of files that are gone,
    and whatever in the file is not understood, stay as they are; a file that cannot be read is put aside.

    Several windows may keep theirs in one file: each writes what it has changed since it read or wrote it.
    """

    def __init__(self, path: str, store: BreakpointStore, watches: WatchesPanel, editor: EditorAdapter,
                 is_live: Callable[[], bool], window: QObject) -> None:
        """`path`: the file. `is_live`: whether a program runs, which keeps its breakpoints."""
        super().__init__(window)
        self._file = RememberedFile(path)
        self._store = store
        self._watches = watches
        self._editor = editor
        self._is_live = is_live
        self._folder = ""
        #: The files whose entries are in the panels.
        self._files: Set[str] = set()
        #: What was read or written last.
        self._saved = _State()
        self._is_bringing = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)
        store.changed.connect(self._on_changed)
        watches.expressions_changed.connect(self._on_changed)
        editor.file_shown.connect(lambda file: self._bring_files(os.path.dirname(absolute(file))))
        window.installEventFilter(self)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.save)

    def open_folder(self, folder: str) -> None:
        """Another folder is worked in."""
        self.save()
        data = self._file.read()
        folder = self._project(absolute(folder), data)
        if not self._is_live():
            self._leave_files(folder)
        self._bring_files(folder)
        if folder != self._folder:
            self._folder = folder
            self._bring_folder(_dict(_dict(data.get("folders")).get(folder)))

    def save(self) -> None:
        """Writes what is not written yet."""
        self._timer.stop()
        now = self._state()
        if not self._folder or now == self._saved:
            return
        self._files.update(now.files)
        if self._file.update(lambda data: self._with_changes(data, now)):
            self._saved = now

    def _with_changes(self, data: Dict[str, Any], now: "_State") -> Dict[str, Any]:
        """What is in the file, with what was changed here."""
        files, folders, before = _dict(data.get("files")), _dict(data.get("folders")), self._saved
        for file in {**before.files, **now.files}:
            _put(files, file, merged(_list(files.get(file)), before.files.get(file, {}), now.files.get(file, {}),
                                     ("line", "text"), lambda one: _breakpoint(LINE, one) is not None))
        found = _dict(folders.get(self._folder))
        stops = merged(_list(found.get("errorStops")) or _USUAL_STOPS, before.stops, now.stops, ("filterId",),
                       lambda one: isinstance(one, dict))
        entry = {"watches": merged(_list(found.get("watches")), before.watches, now.watches),
                 "functions": merged(_list(found.get("functions")), before.functions, now.functions, ("name",),
                                     lambda one: _breakpoint(FUNCTION, one) is not None),
                 "errorStops": [] if stops == _USUAL_STOPS else stops}
        _put(folders, self._folder, {**found, **entry} if found or any(entry.values()) else {})
        return {**data, "version": 1, "files": files, "folders": folders}

    def eventFilter(self, watched: Optional[QObject], event: Optional[QEvent]) -> bool:
        """The window is closed."""
        if event is not None and event.type() == QEvent.Type.Close:
            self.save()
        return False

    def _on_changed(self) -> None:
        if not self._is_bringing:
            self._timer.start()

    def _state(self) -> "_State":
        """What is to be remembered."""
        now = _State()
        for one in self._store.breakpoints:
            if one.kind == LINE and os.path.isabs(one.file):
                in_file = now.files.setdefault(one.file, {})
                # Of a file that is not open, what was known before.
                known = self._saved.files.get(one.file, {}).get(_thing(one), {}).get("text", "")
                in_file[_thing(one)] = _entry(one, self._editor.line_text(one.file, one.line).strip() or known)
            elif one.kind == FUNCTION:
                now.functions[_thing(one)] = {"name": one.name, **_options(one)}
        now.things = list(self._store.breakpoints)
        now.watches = {expression: expression for expression in self._watches.expressions}
        now.stops = {one.filter_id: {"filterId": one.filter_id, "enabled": one.enabled} for one in self._store.error_stops}
        return now

    def _project(self, folder: str, data: Dict[str, Any]) -> str:
        """The folder itself, or the one above that has entries: one looks into a folder and stays in the project."""
        folders, above = _dict(data.get("folders")), folder
        while above not in folders and not _is_wide(above):
            above = os.path.dirname(above)
        return above if above in folders and not _is_wide(above) else folder

    def _bring_files(self, folder: str) -> None:
        """The breakpoints of the files in a folder and below; of a home folder only those in it."""
        for file, entries in _dict(self._file.read().get("files")).items():
            if file not in self._files and _is_in(file, folder) and os.path.isfile(file):
                self._files.add(file)
                self._bring(file, [_breakpoint(LINE, one, file) for one in _list(entries)],
                            [str(_dict(one).get("text", "")) for one in _list(entries)])

    def _bring(self, file: str, found: Iterable[Optional[UserBreakpoint]], texts: Iterable[str]) -> None:
        lines = lines_of_file(file) or []
        self._is_bringing = True
        saved = self._saved.files[file] = {}
        for breakpoint, text in zip(found, texts):
            if breakpoint is not None:
                self._saved.things.append(breakpoint)
                saved[_thing(breakpoint)] = _entry(breakpoint, text)
                breakpoint.line = _place(breakpoint.line, text, lines)
                if self._store.at(file, breakpoint.line) is None:
                    self._store.add(breakpoint)
        self._is_bringing = False

    def _leave_files(self, folder: str) -> None:
        """Breakpoints of another folder would keep programs in this one from stopping at their first statement."""
        folders = [folder, *(os.path.dirname(absolute(file)) for file in self._editor.open_files())]
        for file in {one.file for one in self._store.breakpoints if one.kind == LINE}:
            if not any(_is_in(file, one) for one in folders):
                for breakpoint in self._store.in_file(file):
                    self._store.remove(breakpoint)
                self._files.discard(file)
                self._saved.files.pop(file, None)

    def _bring_folder(self, entry: Dict[str, Any]) -> None:
        self._is_bringing = True
        for one in [one for one in self._store.breakpoints if one.kind == FUNCTION]:
            self._store.remove(one)
        for found in (_breakpoint(FUNCTION, one) for one in _list(entry.get("functions"))):
            if found is not None:
                self._store.add(found)
        for expression in list(self._watches.expressions):
            self._watches.remove(expression)
        for watch in _list(entry.get("watches")):
            if isinstance(watch, str):
                self._watches.add(watch)
        for stop in _list(entry.get("errorStops")) or _USUAL_STOPS:
            name, enabled = _dict(stop).get("filterId"), _dict(stop).get("enabled")
            if isinstance(name, str) and isinstance(enabled, bool):
                self._store.set_error_stop(name, enabled)
        self._is_bringing = False
        now = self._state()
        self._saved.things += now.things
        self._saved.watches, self._saved.functions, self._saved.stops = now.watches, now.functions, now.stops


_USUAL_STOPS = [{"filterId": "uncaught", "enabled": True}, {"filterId": "errorValue", "enabled": False}]


class _State:
    """Entries of the file: of each file, and of the folder."""

    def __init__(self) -> None:
        self.files: Dict[str, Entries] = {}
        self.functions: Entries = {}
        self.watches: Entries = {}
        self.stops: Entries = {str(one["filterId"]): one for one in _USUAL_STOPS}
        #: The breakpoints, whose ids are those of no others meanwhile.
        self.things: List[UserBreakpoint] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _State) and all(
            getattr(self, name) == getattr(other, name) for name in ("files", "functions", "watches", "stops"))


def _options(breakpoint: UserBreakpoint) -> Dict[str, Any]:
    options: Dict[str, Any] = {} if breakpoint.enabled else {"enabled": False}
    for name, attribute in _TEXTS.items():
        if getattr(breakpoint, attribute):
            options[name] = getattr(breakpoint, attribute)
    return options


def _entry(breakpoint: UserBreakpoint, text: str) -> Dict[str, Any]:
    return {"line": breakpoint.line, **({"text": text} if text else {}), **_options(breakpoint)}


def _thing(breakpoint: UserBreakpoint) -> int:
    """What is the same one for a window, whatever has become of it."""
    return id(breakpoint)


def _breakpoint(kind: str, entry: Any, file: str = "") -> Optional[UserBreakpoint]:
    """A breakpoint of the file, None if it is not understood."""
    entry = _dict(entry)
    texts = {attribute: entry.get(name) for name, attribute in _TEXTS.items()}
    line, name, enabled = entry.get("line"), entry.get("name"), entry.get("enabled", True)
    if not isinstance(enabled, bool) or not all(one is None or isinstance(one, str) for one in texts.values()):
        return None
    if kind == LINE and type(line) is int and line > 0:
        return UserBreakpoint(LINE, file=file, line=line, enabled=enabled, **texts)
    if kind == FUNCTION and isinstance(name, str) and name:
        return UserBreakpoint(FUNCTION, name=name, enabled=enabled, **texts)
    return None


def _place(line: int, text: str, lines: List[str]) -> int:
    """The line that has the text which it had, if that is there; the text may have changed, or was not saved."""
    same = [number for number, one in enumerate(lines, 1) if text and one.strip() == text]
    return min(same, key=lambda number: abs(number - line)) if same else line


def _is_in(file: str, folder: str) -> bool:
    if _is_wide(folder):
        return os.path.dirname(file) == folder
    return file.startswith(os.path.join(folder, ""))


def _is_wide(folder: str) -> bool:
    """Whether it has all that there is: a home folder, or the root of the file system."""
    return folder in (os.path.expanduser("~"), os.path.dirname(folder))


def _put(entries: Dict[str, Any], key: str, value: Any) -> None:
    if value:
        entries[key] = value
    else:
        entries.pop(key, None)


def _dict(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> List[Any]:
    return value if isinstance(value, list) else []
