"""The real EZ IDE: its files are saved at each start, and what the user has set is there again."""

import json
import os

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QTextCursor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from test_ide import Ide, exceptions, make_ide, needs_the_ide  # noqa: F401

pytestmark = needs_the_ide

WRONG = 'import @std\nusing std\n\ndo main() {\n    temp x int = "a"\n    println(x)\n    println(nope)\n}\n'


def project(tmp_path, **files):
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.ez").write_text(text, encoding="utf-8")
    return folder


def opened(qtbot, make_ide, folder, name="p"):
    ide = Ide(qtbot, make_ide())
    ide.window.file_browser.navigate_to(str(folder))
    ide.file = str(folder / f"{name}.ez")
    ide.window.editor_tabs.open_file(ide.file)
    ide.window.activateWindow()
    QTest.qWait(20)
    return ide


def editor(ide, file=None):
    return ide.window.editor_tabs.get_editor_for_file(file or ide.file)


def replace(ide, old, new, file=None):
    cursor = editor(ide, file).document().find(old)
    assert not cursor.isNull()
    cursor.insertText(new)


def program(*statements):
    return "import @std\nusing std\n\ndo main() {\n" + "".join(f"    {one}\n" for one in statements) + "}\n"


def test_start_again_saves_the_mended_file(qtbot, make_ide, tmp_path):
    ide = opened(qtbot, make_ide, project(tmp_path, p=WRONG))
    editor(ide).setFocus()
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    message = ide.panel.notices.message
    ide.until(message.isVisible)
    assert editor(ide).hasFocus()
    assert (editor(ide).textCursor().blockNumber(), editor(ide).textCursor().columnNumber()) == (4, 9)
    assert ide.panel.status.text() == "Not started"
    assert "was ended" not in ide.panel.console.output.toPlainText()
    QTest.keyClicks(editor(ide), "abc")
    assert "temp abcx int" in editor(ide).toPlainText()
    replace(ide, 'abcx int = "a"', "x int = 5")
    replace(ide, "nope", "x")
    message.start.click()
    ide.until_stop()
    assert not editor(ide).document().isModified()
    # The reports while one types follow the text.
    ide.until(lambda: ide.panel.problems.problems == [])


def test_all_files_are_saved_at_each_start(qtbot, make_ide, tmp_path):
    lib = "module lib\n\ndo area(x int) -> int {\n    return x * 2\n}\n"
    main = 'import @std\nimport "./lib.ez"\nusing std\n\ndo main() {\n    println(lib.area(3))\n}\n'
    ide = opened(qtbot, make_ide, project(tmp_path, lib=lib, p=main), "lib")
    lib_file = ide.file
    ide.file = str(tmp_path / "work" / "p.ez")
    ide.window.editor_tabs.open_file(ide.file)
    starts = (lambda: QTest.keyClick(ide.window, Qt.Key.Key_F5),
              lambda: ide.panel.actions_of_debugger.by_name["restart"].trigger(),
              lambda: ide.panel.notices.changed.start.click(), lambda: ide.panel.restart())
    factor = 2
    for start in starts:
        replace(ide, f"x * {factor}", f"x * {factor + 1}", lib_file)
        factor += 1
        start()
        ide.until(lambda: not ide.panel.texts.differs and ide.session.state.stop is not None)
        ide.until_stop()
        ide.panel.actions_of_debugger.by_name["over"].trigger()
        ide.until(lambda: ide.panel.console.output.toPlainText() == f"{3 * factor}\n")
        ide.until_stop()


def test_a_file_that_cannot_be_saved_is_not_started(qtbot, make_ide, tmp_path, monkeypatch):
    import importlib

    ide = opened(qtbot, make_ide, project(tmp_path, p=program("println(1)")))
    shown = []
    dialogs = importlib.import_module("app.editor").QMessageBox
    monkeypatch.setattr(dialogs, "critical", lambda *what: shown.append(what[2]))
    replace(ide, "println(1)", "println(2)")
    monkeypatch.setattr(editor(ide), "save_file", lambda *_: False)
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    assert "cannot be saved" in ide.panel.notices.message.label.text()
    assert not ide.session.state.is_live and ide.window.debug_start_action.isEnabled()


def test_a_deleted_file_is_written_anew_and_a_deleted_folder_is_named(qtbot, make_ide, tmp_path, monkeypatch):
    import importlib
    import shutil

    folder = project(tmp_path, p=program("println(1)"))
    ide = opened(qtbot, make_ide, folder)
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    ide.until_stop()
    os.remove(ide.file)
    ide.panel.restart()
    ide.until_stop()
    assert os.path.isfile(ide.file) and ide.session.state.stop.reason == "entry"
    ide.window._debug_stop()
    ide.until(lambda: ide.session.process_id == 0)
    shutil.rmtree(folder)
    dialogs = importlib.import_module("app.editor").QMessageBox
    monkeypatch.setattr(dialogs, "critical", lambda *_: None)
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    assert f"The folder {folder} does not exist" in ide.panel.notices.message.label.text()


def remembered(tmp_path):
    return tmp_path / ".config" / "ez-ide" / "ez-debugger.json"


def test_breakpoints_and_watches_outlive_the_window(qtbot, make_ide, tmp_path):
    folder = project(tmp_path, p=program("println(1)", "println(2)", "println(3)"), gone=program("println(1)"))
    other = tmp_path / "other"
    other.mkdir()
    ide = opened(qtbot, make_ide, folder)
    for line in (5, 6, 7):
        ide.click_margin(line)
    store = ide.panel.store
    store.change(store.breakpoints[0], condition="1 < 2", hit_condition=">= 1", enabled=False)
    store.change(store.breakpoints[1], log_message="here")
    gone = str(folder / "gone.ez")
    store.toggle(gone, 5)
    store.set_error_stop("errorValue", True)
    ide.panel.watches.add("1 + 2")
    ide.window.close()
    assert sorted(one.name for one in folder.iterdir()) == ["gone.ez", "p.ez"]
    os.remove(gone)
    again = opened(qtbot, make_ide, folder)
    assert [(one.line, one.condition, one.hit_condition, one.log_message, one.enabled)
            for one in again.panel.store.breakpoints] == [
                (5, "1 < 2", ">= 1", None, False), (6, None, None, "here", True), (7, None, None, None, True)]
    assert again.panel.watches.expressions == ["1 + 2"]
    assert again.panel.breakpoints.error_boxes["errorValue"].isChecked()
    assert len(again.margin()._breakpoints) == 3
    QTest.keyClick(again.window, Qt.Key.Key_F5)
    assert again.until_stop().location.line == 7
    again.window.file_browser.navigate_to(str(other))
    again.window._debug_stop()
    again.until(lambda: again.session.process_id == 0)
    again.window.close()
    assert gone in json.loads(remembered(tmp_path).read_text())["files"]


def test_two_windows_in_one_folder_lose_nothing_of_each_other(qtbot, make_ide, tmp_path):
    folder = project(tmp_path, loop=program("println(1)", "println(2)"), sums=program("println(1)", "println(2)"))
    first = opened(qtbot, make_ide, folder, "sums")
    first.click_margin(5)
    first.window.close()
    first, second = opened(qtbot, make_ide, folder, "loop"), opened(qtbot, make_ide, folder, "sums")

    def written():
        data = json.loads(remembered(tmp_path).read_text(encoding="utf-8"))
        files = {os.path.basename(file): sorted(one["line"] for one in found) for file, found in data["files"].items()}
        return files, [one for entry in data["folders"].values() for one in entry["watches"]]

    second.click_margin(6)
    second.panel.watches.add("B1")
    second.until(lambda: written() == ({"sums.ez": [5, 6]}, ["B1"]))
    first.click_margin(6)
    first.panel.watches.add("A1")
    first.until(lambda: written() == ({"sums.ez": [5, 6], "loop.ez": [6]}, ["B1", "A1"]))
    second.click_margin(5)
    second.until(lambda: written() == ({"sums.ez": [6], "loop.ez": [6]}, ["B1", "A1"]))
    first.panel.watches.add("A2")
    first.window.close()
    second.window.close()
    assert written() == ({"sums.ez": [6], "loop.ez": [6]}, ["B1", "A1", "A2"])


def test_each_folder_has_its_own(qtbot, make_ide, tmp_path):
    first = project(tmp_path, p=program("println(1)"))
    second = tmp_path / "second"
    second.mkdir()
    (second / "q.ez").write_text(program("println(1)"))
    ide = opened(qtbot, make_ide, first)
    ide.click_margin(5)
    ide.panel.watches.add("a")
    ide.window.editor_tabs.close_tab(0)
    ide.window.file_browser.navigate_to(str(second))
    assert ide.panel.store.breakpoints == [] and ide.panel.watches.expressions == []
    ide.panel.watches.add("b")
    ide.window.file_browser.navigate_to(str(first))
    assert [one.line for one in ide.panel.store.breakpoints] == [5] and ide.panel.watches.expressions == ["a"]
    (first / "inner").mkdir()
    ide.window.file_browser.navigate_to(str(first / "inner"))
    assert ide.panel.watches.expressions == ["a"]


@pytest.mark.parametrize("damage", ["", "{", "[1, 2]", "\x00\xff", '"text"', "[" * 100_000])
def test_a_damaged_file_is_put_aside(qtbot, make_ide, tmp_path, damage):
    path = remembered(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(damage, encoding="utf-8")
    ide = opened(qtbot, make_ide, project(tmp_path, p=program("println(1)")))
    ide.click_margin(5)
    ide.window.close()
    assert path.with_name(path.name + ".damaged-1").read_text(encoding="utf-8") == damage
    again = opened(qtbot, make_ide, tmp_path / "work")
    assert [one.line for one in again.panel.store.breakpoints] == [5]


def test_what_is_not_understood_stays(qtbot, make_ide, tmp_path):
    folder = project(tmp_path, p=program("println(1)", "println(2)"))
    file = str(folder / "p.ez")
    foreign = [{"line": "5"}, 7, {"line": -1}, {"line": True}, {"line": 5, "condition": 3}, {"line": 5, "enabled": "no"}]
    data = {"version": 9, "more": [1], "files": {file: [*foreign, {"line": 6}], "/x/y.ez": "?", "rel.ez": [{"line": 1}]},
            "folders": {str(folder): {"watches": ["x", 3], "functions": "?", "errorStops": [1], "later": 1}}}
    path = remembered(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    ide = opened(qtbot, make_ide, folder)
    assert [one.line for one in ide.panel.store.breakpoints] == [6] and ide.panel.watches.expressions == ["x"]
    ide.click_margin(5)
    ide.window.close()
    now = json.loads(path.read_text(encoding="utf-8"))
    assert now["more"] == [1] and now["files"]["/x/y.ez"] == "?" and now["files"]["rel.ez"] == [{"line": 1}]
    assert now["folders"][str(folder)]["later"] == 1
    assert all(one in now["files"][file] for one in foreign)
    assert {one["line"] for one in now["files"][file] if one not in foreign} == {5, 6}


def test_breakpoints_find_their_lines_when_changes_were_discarded(qtbot, make_ide, tmp_path):
    ide = opened(qtbot, make_ide, project(tmp_path, p=program("println(1)", "println(2)")))
    ide.click_margin(6)
    QTextCursor(editor(ide).document()).insertText("// one\n// two\n")
    assert [one.line for one in ide.panel.store.breakpoints] == [8]
    editor(ide).document().setModified(False)
    ide.window.close()
    again = opened(qtbot, make_ide, tmp_path / "work")
    assert [one.line for one in again.panel.store.breakpoints] == [6]


def test_breakpoints_of_other_programs_do_not_keep_a_program_from_stopping(qtbot, make_ide, tmp_path):
    folder = project(tmp_path, p=program("println(1)"), q=program("println(1)"))
    ide = opened(qtbot, make_ide, folder)
    ide.panel.store.toggle(str(folder / "q.ez"), 5)
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    assert ide.until_stop().reason == "entry"
    assert ide.panel.store.breakpoints[0].message == "the program does not use this file"


def test_the_focus_stays_in_the_editor(qtbot, make_ide, tmp_path):
    ide = opened(qtbot, make_ide, project(tmp_path, p=program("println(1)", "println(2)")))
    editor(ide).setFocus()
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    ide.until_stop()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert ide.panel.notices.changed.isVisible() and editor(ide).hasFocus()
    QTest.mouseClick(ide.panel.notices.changed.start, Qt.MouseButton.LeftButton)
    ide.until_stop()
    assert editor(ide).hasFocus()


def test_a_changed_file_that_was_closed_is_opened_at_its_statement(qtbot, make_ide, tmp_path):
    lib = "module lib\n\ndo area(x int) -> int {\n    return x * 2\n}\n"
    main = 'import @std\nimport "./lib.ez"\nusing std\n\ndo main() {\n    println(lib.area(3))\n}\n'
    ide = opened(qtbot, make_ide, project(tmp_path, lib=lib, p=main), "lib")
    main_file = str(tmp_path / "work" / "p.ez")
    ide.window.editor_tabs.open_file(main_file)
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    ide.until_stop()
    QTextCursor(editor(ide).document()).insertText("// one\n// two\n")
    ide.window.editor_tabs.setCurrentWidget(editor(ide))
    ide.window.editor_tabs.save_current()
    ide.window.editor_tabs.close_tab(ide.window.editor_tabs.currentIndex())
    assert ide.panel.texts.differs
    ide.panel.store.toggle(ide.file, 7)
    assert ide.panel.store.breakpoints[0].asked_line == 5
    ide.panel.actions_of_debugger.by_name["into"].trigger()
    ide.until_stop()
    adapter = ide.panel._link.editor.adapter(ide.file)
    ide.until(lambda: adapter.overlay.line == 6)
    assert ide.session.state.stop.location.line == 4
    assert ide.panel.notices.changed.isVisible()


def test_a_file_that_is_opened_again_shows_where_the_program_is(qtbot, make_ide, tmp_path):
    ide = opened(qtbot, make_ide, project(tmp_path, p=program("println(1)", "println(2)")))
    QTest.keyClick(ide.window, Qt.Key.Key_F5)
    ide.until_stop()
    ide.window.editor_tabs.close_tab(0)
    ide.window.editor_tabs.open_file(ide.file)
    adapter = ide.panel._link.editor.adapter(ide.file)
    assert adapter.overlay.line == adapter.margin._line == 5


def test_discarded_changes_take_their_breakpoints_back(qtbot, make_ide, tmp_path):
    ide = opened(qtbot, make_ide, project(tmp_path, p=program("println(1)", "println(2)")))
    ide.click_margin(5)
    ide.click_margin(6)
    QTextCursor(editor(ide).document()).insertText("// one\n// two\n")
    cursor = QTextCursor(editor(ide).document().findBlockByNumber(6))
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    assert [one.line for one in ide.panel.store.breakpoints] == [7]
    editor(ide).document().setModified(False)
    ide.window.editor_tabs.close_tab(0)
    assert sorted(one.line for one in ide.panel.store.breakpoints) == [5, 6]
