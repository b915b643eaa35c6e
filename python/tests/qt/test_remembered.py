"""Several windows remember breakpoints and watches in one file: each writes what it has changed.

    EZ_WINDOWS_SEEDS   how many random days (default 60)
"""

import json
import os
import random
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QLockFile
from PyQt6.QtWidgets import QApplication, QWidget

from ez_debugger.qt import BreakpointStore, DebugSession, EditorAdapter, Remembered, WatchesPanel
from ez_debugger.qt.breakpoint_store import FUNCTION, LINE, UserBreakpoint
from ez_debugger.qt.remembered_file import merged

SEEDS = int(os.environ.get("EZ_WINDOWS_SEEDS", "60"))
LINES = range(1, 9)


class Editor(EditorAdapter):
    """Has one file open, if any."""

    open_file = ""

    def line_text(self, file, line):
        return f"text {line}" if file == self.open_file else ""

    def open_files(self):
        return [self.open_file] if self.open_file else []


class Window:
    """A window of an IDE, without what is not remembered."""

    #: They are closed at the end of a test.
    made = []

    def __init__(self, path, folder):
        self.made.append(self)
        self.window = QWidget()
        self.session = DebugSession("none", self.window)
        self.store = BreakpointStore(self.session, self.window)
        self.watches = WatchesPanel(self.session, self.window)
        self.editor = Editor(self.window)
        self.remembered = Remembered(str(path), self.store, self.watches, self.editor, lambda: False, self.window)
        self.remembered.open_folder(str(folder))

    def show(self, file):
        self.editor.open_file = file
        self.editor.file_shown.emit(file)

    def items(self):
        """All that is set, with what it says."""
        found = {(one.kind, one.file, one.line or one.name): one.condition for one in self.store.breakpoints}
        return {**found, **{("watch", "", one): None for one in self.watches.expressions}}

    def set(self, kind, file, place, condition=None):
        if kind == "watch":
            self.watches.add(place)
        elif kind == FUNCTION:
            self.store.add(UserBreakpoint(FUNCTION, name=place, condition=condition))
        else:
            self.store.add(UserBreakpoint(LINE, file=file, line=place, condition=condition))

    def find(self, kind, file, place):
        return next(one for one in self.store.breakpoints if (one.kind, one.file, one.line or one.name) == (kind, file, place))

    def remove(self, kind, file, place):
        if kind == "watch":
            self.watches.remove(place)
        else:
            self.store.remove(self.find(kind, file, place))

    def change(self, kind, file, place, condition):
        if kind != "watch":
            self.store.change(self.find(kind, file, place), condition=condition)


@pytest.fixture
def folder(tmp_path, qtbot):
    folder = tmp_path / "work"
    folder.mkdir()
    for name in ("a.ez", "b.ez"):
        (folder / name).write_text("".join(f"text {line}\n" for line in LINES), encoding="utf-8")
    yield folder
    for one in Window.made:
        one.window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    Window.made.clear()


def of_file(path, folder):
    window = Window(path, folder)
    for name in ("a.ez", "b.ez"):
        window.show(str(folder / name))
    return window.items()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_is_lost_and_nothing_comes_back(tmp_path, folder, seed):
    chance = random.Random(seed)
    path = tmp_path / "remembered.json"
    files = [str(folder / "a.ez"), str(folder / "b.ez")]
    places = [(LINE, file, line) for file in files for line in LINES]
    places += [(FUNCTION, "", name) for name in "fgh"] + [("watch", "", name) for name in "uvwxyz"]
    # What each window changes is its own, so that it is clear what has to be there in the end.
    chance.shuffle(places)
    own = [places[:len(places) // 2], places[len(places) // 2:]]
    windows = [Window(path, folder), Window(path, folder)]
    expected = {}
    for _ in range(80):
        number = chance.randrange(2)
        window, place = windows[number], chance.choice(own[number])
        action = chance.randrange(8)
        if action < 4:
            if place in window.items():
                if action < 2:
                    window.remove(*place)
                    del expected[place]
                else:
                    condition = f"c{chance.randrange(9)}" if place[0] != "watch" else None
                    window.change(*place, condition)
                    expected[place] = condition
            else:
                window.set(*place)
                expected[place] = None
        elif action == 4:
            window.remembered.save()
        elif action == 5:
            window.show(chance.choice(files))
        elif action == 6:
            window.remembered.open_folder(str(tmp_path if chance.random() < 0.5 else folder / ".."))
            window.remembered.open_folder(str(folder))
            for file in files:
                window.show(file)
        else:
            # It is closed, and opened again.
            window.remembered.save()
            windows[number] = window = Window(path, folder)
            for file in files:
                window.show(file)
        # A window shows all of its own, whatever the other one has written.
        for mine in own[number]:
            assert (mine in window.items()) == (mine in expected), (mine, action)
    for window in windows:
        window.remembered.save()
    assert of_file(path, folder) == expected
    for window in windows:
        window.remembered.save()
    assert of_file(path, folder) == expected


def test_what_a_window_has_not_changed_stays_as_another_one_has_written_it(tmp_path, folder):
    path, file = tmp_path / "remembered.json", str(folder / "a.ez")
    first, second = Window(path, folder), Window(path, folder)
    first.show(file)
    first.set(LINE, file, 3)
    first.remembered.save()
    written = json.loads(path.read_text(encoding="utf-8"))["files"][file]
    assert written == [{"line": 3, "text": "text 3"}]
    second.set(LINE, str(folder / "b.ez"), 1)
    second.store.set_error_stop("errorValue", True)
    second.remembered.save()
    first.set("watch", "", "x")
    first.remembered.save()
    now = json.loads(path.read_text(encoding="utf-8"))
    assert now["files"] == {file: written, str(folder / "b.ez"): [{"line": 1}]}
    (entry,) = now["folders"].values()
    assert entry["watches"] == ["x"] and {"filterId": "errorValue", "enabled": True} in entry["errorStops"]


def test_a_breakpoint_that_both_have_is_removed_for_good(tmp_path, folder):
    path, file = tmp_path / "remembered.json", str(folder / "a.ez")
    maker = Window(path, folder)
    maker.set(LINE, file, 3)
    maker.set("watch", "", "x")
    maker.remembered.save()
    first, second = Window(path, folder), Window(path, folder)
    assert first.items() == second.items() and len(first.items()) == 2
    first.remove(LINE, file, 3)
    first.remove("watch", "", "x")
    first.remembered.save()
    second.set(LINE, file, 5)
    second.remembered.save()
    first.remembered.save()
    assert of_file(path, folder) == {(LINE, file, 5): None}


def test_a_breakpoint_whose_line_has_moved_is_removed_where_it_was(tmp_path, folder):
    path, file = tmp_path / "remembered.json", str(folder / "a.ez")
    first = Window(path, folder)
    first.show(file)
    first.set(LINE, file, 3)
    first.remembered.save()
    Path(file).write_text("new\n" + Path(file).read_text(encoding="utf-8"), encoding="utf-8")
    again = Window(path, folder)
    assert list(again.items()) == [(LINE, file, 4)]
    again.remove(LINE, file, 4)
    again.remembered.save()
    assert of_file(path, folder) == {}


def test_a_condition_that_the_other_window_has_set_stays(tmp_path, folder):
    path, file = tmp_path / "remembered.json", str(folder / "a.ez")
    first = Window(path, folder)
    first.set(LINE, file, 3)
    first.remembered.save()
    second = Window(path, folder)
    first.change(LINE, file, 3, "x > 1")
    first.remembered.save()
    # Only now, the second one knows the text of the line.
    second.show(file)
    second.set(LINE, file, 5)
    second.remembered.save()
    assert of_file(path, folder) == {(LINE, file, 3): "x > 1", (LINE, file, 5): None}


def test_a_window_that_writes_waits_for_another_one(tmp_path, folder):
    """Each reads and writes without the other one in between."""
    path = tmp_path / "remembered.json"
    first, second = Window(path, folder), Window(path, folder)
    order = []
    write = first.remembered._file._write

    def write_slowly(data):
        assert not second_lock(path)
        order.append("written")
        return write(data)

    first.remembered._file._write = write_slowly
    first.set("watch", "", "x")
    first.remembered.save()
    assert order == ["written"] and second_lock(path)
    second.set("watch", "", "y")
    second.remembered.save()
    assert set(Window(path, folder).watches.expressions) == {"x", "y"}


def second_lock(path):
    """Whether another window could write now."""
    lock = QLockFile(f"{path}.lock")
    is_free = lock.tryLock(0)
    if is_free:
        lock.unlock()
    return is_free


def test_a_file_that_cannot_be_written_is_written_later(tmp_path, folder):
    blocked = tmp_path / "settings"
    blocked.write_text("", encoding="utf-8")
    window = Window(blocked / "remembered.json", folder)
    window.set("watch", "", "x")
    window.remembered.save()
    blocked.unlink()
    window.remembered.save()
    assert Window(blocked / "remembered.json", folder).watches.expressions == ["x"]


def test_lists_are_merged_entry_by_entry():
    def entry(text):
        return {name: value for name, value in zip(("line", "text", "more"), text) if value not in "-."}

    for file, before, now, after in (
            # What one window changes, and the other one does not.
            ("1a- 2b-", "1a- 2b-", "1a- 2b-", "1a- 2b-"), ("1a- 3c-", "1a-", "1a- 2b-", "1a- 3c- 2b-"),
            ("1a- 3c-", "1a-", "", "3c-"), ("3c-", "1a-", "1a-", "3c-"), ("1ax", "1a-", "1a-", "1ax"),
            # Both.
            ("1ax", "1a-", "1b-", "1bx"), ("1ax", "1a-", "1ay", "1ay"), ("1ax", "1a-", "", ""),
            ("2ax", "1a-", "3a-", "3ax"), ("2a-", "1a-", "", ""), ("1ax", "", "1ay", "1ay"),
            # Removed by the other one: it comes back if the user changes it, not if its line moves.
            ("", "1a-", "2a-", ""), ("", "1a-", "1b-", ""), ("", "1a-", "1ax", "1ax"),
            # Texts tell only where nothing else does.
            ("3a-", "1a- 3a-", ". 3a-", "3a-"), ("3a- 1b-", "1a- 3a-", ". 3a-", "3a-"),
            # Twice the same.
            ("1a- 1a-", "1a- 1a-", "1a-", "1a-"), ("2b-", "", "1ax 1ay", "2b- 1ax 1ay")):
        lists = [[entry(one) for one in text.split()] for text in (file, before, now, after)]
        had, has = ({number: one for number, one in enumerate(some) if one} for some in lists[1:3])
        assert merged(lists[0], had, has, ("line", "text")) == lists[3], (file, before, now)
