"""Results that are no longer those of the files: the program's, what it imports, and the cases'."""

from pathlib import Path

import pytest
from PyQt6.QtTest import QTest
from test_cases_panel import Cases

SLOW = "import @time\ndo main() {\n    time.sleep(1)\n    println(7)\n}\n"


def running(window):
    window.program(SLOW)
    cases = Cases(window)
    cases.write(one=("", "7\n"), two=("", "7\n"))
    cases.open()
    cases.panel.run_button.click()
    window.until(lambda: cases.rows()[0][0].startswith("…"))
    return cases


@pytest.mark.parametrize("is_saved", [False, True])
def test_an_edit_before_the_first_result(window, is_saved):
    cases = running(window)
    text = window.editor.toPlainText().replace("println(7)", "println(8)")
    window.editor.setPlainText(text)
    if is_saved:
        Path(window.file).write_text(text)
    cases.until_idle()
    # Which of both texts was read, only the system knows.
    assert cases.panel.summary.text().endswith(" of 2 passed, with the text before")


@pytest.mark.parametrize("imports", ['import @std\nimport "./part"\n', 'import @std, // the library\n    "./part"\n'])
def test_an_import_that_is_edited_in_its_own_tab(window, imports):
    part = window.folder / "part.ez"
    part.write_text("module part\ndo f() -> int {\n    return 1\n}\n")
    program = window.program("")
    Path(program).write_text(f"{imports}using std\ndo main() {{\n    println(part.f())\n}}\n")
    window.open(program)
    cases = Cases(window)
    cases.write(one=("", "1\n"))
    cases.run()
    assert cases.panel.summary.text() == "1 of 1 passed"
    window.use(str(part))
    cases.panel.refresh()
    cases.until_idle()
    window.editor.setPlainText(part.read_text().replace("return 1", "return 2"))
    # A whole text may be another file, too: the editor waits for its name.
    QTest.qWait(50)
    window.use(program)
    cases.panel.refresh()
    cases.until_idle()
    assert cases.panel.summary.text() == "1 of 1 passed, with the text before"


def ran(window, **texts):
    window.program("do main() {\n    println(1)\n    println(2)\n    println(3)\n}\n")
    cases = Cases(window)
    cases.write(**texts)
    cases.run()
    return cases


def look_again(cases):
    cases.panel.refresh()
    cases.until_idle()


def test_a_program_that_was_changed_outside(window):
    cases = ran(window, one=("", "1\n2\n3\n"))
    assert cases.panel.summary.text() == "1 of 1 passed"
    look_again(cases)
    assert cases.panel.summary.text() == "1 of 1 passed"
    file = Path(window.file)
    file.write_text(file.read_text().replace("println(1)", "println(11)"))
    look_again(cases)
    assert cases.panel.summary.text() == "1 of 1 passed, with the text before"


def test_what_is_expected_was_changed_outside(window):
    cases = ran(window, one=("", "1\n2\n4\n"), two=("", "1\n2\n3\n"))
    assert cases.panel.summary.text() == "1 of 2 passed"
    (cases.folder / "two.out").write_text("other\n")
    look_again(cases)
    assert [name for name, _ in cases.rows()] == ["✗ one", "· two"]
    assert cases.panel.summary.text() == "0 of 1 passed, 1 not run"


def test_lines_that_were_never_printed_are_not_shown(window):
    cases = ran(window, one=("", "1\n2\n4\n"), two=("", "1\n2\n3\n"))
    assert cases.panel.difference.printed.toPlainText() == "1\n2\n3"
    (cases.folder / "one.out").write_text("X\nY\n4\nZ\n")
    cases.panel.list.select("two")
    cases.panel.list.select("one")
    assert cases.panel.difference.printed.toPlainText() == "3"
    assert cases.panel.difference.expected.toPlainText() == "4"


def test_one_of_many_is_run(window):
    window.program("do main() {\n    println(1)\n}\n")
    cases = Cases(window)
    cases.write(**{f"c{number}": ("", "1\n") for number in range(9)})
    cases.open()
    said = []
    cases.panel.runner.result_received.connect(lambda _: said.append(cases.panel.summary.text()))
    cases.panel.run_case("c3")
    assert cases.panel.summary.text() == "0 of 1 are run"
    cases.until_idle()
    QTest.qWait(0)
    assert said == ["1 of 1 are run"]
    assert cases.panel.summary.text() == "1 of 1 passed, 8 not run"
