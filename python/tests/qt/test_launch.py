"""The arguments and the folder of programs."""

import pytest

from ez_debugger.qt import Launch
from ez_debugger.qt.launch_dialog import LaunchDialog
from ez_debugger.qt.launch_options import LaunchOptions, join_arguments, split_arguments

ARGUMENTS = [
    ("", ()), ("  ", ()), ("one", ("one",)), ("one two", ("one", "two")), ('"one two" three', ("one two", "three")),
    ("'a \"b\"'", ('a "b"',)), ('a"b c"d', ("ab cd",)), ('""', ("",)), ("C:\\x\\y", ("C:\\x\\y",)), ("--n=5 é", ("--n=5", "é")),
]


@pytest.mark.parametrize(("text", "arguments"), ARGUMENTS)
def test_a_line_is_divided(text, arguments):
    assert split_arguments(text) == arguments
    assert split_arguments(join_arguments(arguments)) == arguments


@pytest.mark.parametrize("arguments", [("a b",), ("it's",), ('say "hi"',), ("\"'",), ("", "x"), ("a\tb\nc",)])
def test_a_line_gives_the_arguments_back(arguments):
    assert split_arguments(join_arguments(arguments)) == arguments


@pytest.mark.parametrize("text", ['"open', "a 'b", 'x"'])
def test_a_mark_that_is_not_closed(text):
    with pytest.raises(ValueError, match="is not closed"):
        split_arguments(text)


def test_a_recording_has_its_own():
    launch = Launch(replay="r.ezrun")
    assert LaunchOptions(("a",), "/").apply(launch) == launch


PROGRAM = """import @os, @io
do main() {
    println(os.args())
    println(io.exists("here.txt"))
}
"""


def dialog_of(window):
    window.panel.options_action.trigger()
    (dialog,) = [one for one in window.panel.findChildren(LaunchDialog) if one.isVisible()]
    return dialog


def run(window, start="start"):
    window.activateWindow()
    window.until(window.isActiveWindow)
    window.press(start)
    window.until_stop(5)
    window.press("over"), window.until_stop(6)
    window.press("over"), window.until_stop()
    return window.output()


def test_a_program_gets_its_arguments_and_its_folder(window, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "here.txt").write_text("")
    window.program(PROGRAM)
    assert run(window).endswith("false\n")
    dialog = dialog_of(window)
    assert dialog.folder.placeholderText() == str(tmp_path)
    dialog.arguments.setText('one "two three')
    dialog.accept()
    assert dialog.isVisible() and dialog.problem.text() == 'The quotation mark " is not closed.'
    dialog.arguments.setText('one "two three"')
    dialog.folder.setText(str(tmp_path / "nowhere"))
    dialog.accept()
    assert dialog.isVisible() and dialog.problem.text() == f"The folder {tmp_path / 'nowhere'} does not exist."
    dialog.folder.setText(str(folder))
    dialog.accept()
    assert not dialog.isVisible()
    text = run(window, "restart")
    assert '"one", "two three"' in text and text.endswith("true\n")
    window.press("stop")
    window.until_end()
    text = run(window)
    assert '"one", "two three"' in text and text.endswith("true\n")
    dialog = dialog_of(window)
    assert (dialog.arguments.text(), dialog.folder.text()) == ('one "two three"', str(folder))
    dialog.arguments.clear(), dialog.folder.clear()
    dialog.accept()
    text = run(window, "restart")
    assert "one" not in text and text.endswith("false\n")
