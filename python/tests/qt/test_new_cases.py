"""New cases: for which program, in which folder, and what becomes of what was typed."""

import json
import os
import subprocess

import project
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QDialogButtonBox
from test_cases_panel import Cases, cases, dialog, press  # noqa: F401  (a fixture)

from ez_debugger.qt.case_files import folder_of


def undo(cases):
    QTest.mouseClick(cases.window.panel.notices.message.undo, Qt.MouseButton.LeftButton)


def test_a_case_goes_to_the_program_that_it_was_typed_for(cases):
    window, first = cases.window, cases.window.file
    other = window.program("do main() {\n    println(2)\n}\n", name="q.ez")
    window.use(first)
    cases.open()
    cases.panel.add_button.click()
    QTest.keyClicks(dialog().output, "of p")
    QTest.keyClick(dialog(), Qt.Key.Key_Escape)
    window.use(other)
    cases.panel.refresh()
    cases.until_idle()
    undo(cases)
    press(dialog(), QDialogButtonBox.StandardButton.Ok)
    cases.until_idle()
    assert (cases.folder / "1.out").read_text() == "of p" and not (window.folder / "q.cases").exists()


def test_what_was_typed_is_kept_for_each_program(cases):
    window, first = cases.window, cases.window.file
    other = window.program("do main() {\n    println(2)\n}\n", name="q.ez")
    for file, text in ((first, "of p"), (other, "of q")):
        window.use(file)
        cases.open()
        cases.panel.add_button.click()
        QTest.keyClicks(dialog().output, text)
        QTest.keyClick(dialog(), Qt.Key.Key_Escape)
    # As it does after some stops.
    window.panel.notices.message.hide()
    for file, text in ((first, "of p"), (other, "of q")):
        window.use(file)
        cases.open()
        cases.panel.add_button.click()
        assert dialog().output.toPlainText() == text
        QTest.keyClick(dialog(), Qt.Key.Key_Escape)
    # A draft is not for ever: nor is it in the way of the last run.
    cases.panel.add_button.click()
    start_over = next(one for one in dialog().findChild(QDialogButtonBox).buttons() if one.text() == "Start over")
    assert start_over.isVisible()
    QTest.mouseClick(start_over, Qt.MouseButton.LeftButton)
    assert dialog().output.toPlainText() == ""
    QTest.keyClick(dialog(), Qt.Key.Key_Escape)
    cases.panel.add_button.click()
    assert dialog().output.toPlainText() == ""
    QTest.keyClick(dialog(), Qt.Key.Key_Escape)


def test_what_was_changed_since_is_not_taken_back(cases):
    cases.open()
    cases.panel.add_button.click()
    press(dialog(), QDialogButtonBox.StandardButton.Ok)
    cases.until_idle()
    (cases.folder / "1.out").write_text("by hand, for an hour")
    undo(cases)
    cases.until_idle()
    assert sorted(os.listdir(cases.folder)) == ["1.in", "1.out", "one.in", "one.out", "two.in", "two.out"]
    assert cases.window.panel.notices.message.label.text() == "The case 1 stays: 1.out was changed since."


@pytest.fixture
def with_tests(window):
    """Cases in a folder with the name that any program's may have."""
    window.program("do main() {\n    println(1)\n}\n")
    made = Cases(window)
    made.folder = window.folder / "tests"
    made.write(a=("", "1\n"), b=("", "1\n"))
    return made


def add(cases, name):
    cases.panel.add_button.click()
    shown = dialog()
    assert shown.name.text() == "1"
    shown.name.setText(name)
    press(shown, QDialogButtonBox.StandardButton.Ok)


def test_a_new_case_is_beside_those_that_cannot_be_listed(with_tests):
    (with_tests.folder / "b.status").write_text("oops\n")
    with_tests.open()
    assert with_tests.rows() == []
    with_tests.panel.add_button.click()
    shown = dialog()
    shown.name.setText("b")
    press(shown, QDialogButtonBox.StandardButton.Ok)
    assert shown.problem.text() == "There is a case b already."
    shown.name.setText("c")
    press(shown, QDialogButtonBox.StandardButton.Ok)
    assert (with_tests.folder / "c.out").exists() and not (with_tests.window.folder / "p.cases").exists()


def test_a_new_case_is_beside_those_that_are_not_listed_yet(with_tests):
    with_tests.window.panel.pages.show_page(with_tests.panel)
    assert with_tests.panel.runner.is_running
    add(with_tests, "c")
    assert (with_tests.folder / "c.out").exists() and not (with_tests.window.folder / "p.cases").exists()
    with_tests.until_idle()
    assert [name for name, _ in with_tests.rows()] == ["· a", "· b", "· c"]


def test_a_new_case_of_another_program_while_cases_are_run(with_tests):
    window, other = with_tests.window, with_tests.window.file
    window.program("do main() {\n    temp x int = 0\n    loop { x = 1 }\n}\n", name="q.ez")
    running = Cases(window)
    running.folder = window.folder / "q.cases"
    running.write(one=("", "1\n"))
    running.open()
    running.panel.run_button.click()
    window.until(lambda: running.rows()[0][0].startswith("…"))
    window.use(other)
    add(with_tests, "c")
    assert (with_tests.folder / "c.out").exists() and not (window.folder / "p.cases").exists()
    assert running.rows() == [("… one", "")]
    running.panel.stop_button.click()
    with_tests.until_idle()
    assert [name for name, _ in with_tests.rows()] == ["· a", "· b", "· c"]


@pytest.mark.parametrize("name, there, expected", [
    ("p.ez", [], "p.cases"), ("p.ez", ["tests"], "tests"), ("p.ez", ["cases", "tests", "p.cases"], "p.cases"),
    ("main.ez", [], "cases"), ("main.ez", ["tests"], "tests"), ("main.ez", ["tests", "cases"], "cases"),
    ("main.ez", ["cases", "main.cases"], "main.cases")])
def test_the_folder_is_the_one_of_ez_test(tmp_path, name, there, expected):
    program = tmp_path / name
    program.write_text("import @std\nusing std\ndo main() {\n    println(1)\n}\n")
    for folder in [*there, *([] if there else [expected])]:
        assert there or folder_of(str(program)) == str(tmp_path / expected)
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.out").write_text("1\n")
    assert folder_of(str(program)) == str(tmp_path / expected)
    listed = subprocess.run([project.EZ, "test", "--json", "--list", str(program)], capture_output=True, check=True)
    assert json.loads(listed.stdout)["list"][0]["case"] == expected
