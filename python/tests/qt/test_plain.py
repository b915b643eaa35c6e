"""Nothing that a program says is markup."""

import ast
import html
import re

import project
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QTextDocument
from PyQt6.QtWidgets import QLabel, QToolTip

from ez_debugger.qt import ansi, plain

PACKAGE = project.ROOT / "python" / "ez_debugger"

#: What shows a text as HTML if it looks like that, and what shows HTML.
WIDGETS = {"QLabel", "QMessageBox", "QErrorMessage", "QInputDialog", "QProgressDialog", "QSplashScreen", "QTextBrowser",
           "QTextEdit", "QWhatsThis", "QGraphicsTextItem"}
METHODS = {"setHtml", "insertHtml", "appendHtml", "setWhatsThis", "setTextFormat", "setDefaultStyleSheet", "setMarkdown"}
#: Whose last text has to be a constant, or what `tip` has made.
TIPS = {"setToolTip", "showText"}


def name_of(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_safe(node):
    if isinstance(node, ast.Call):
        return name_of(node.func) == "tip"
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and not Qt.mightBeRichText(node.value)


def problems(text):
    """The places in a module where a text may become markup."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = name_of(node.func)
            owner = name_of(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            if name in WIDGETS or name in METHODS or owner in WIDGETS - {"QTextEdit"}:
                yield node.lineno, name
            elif name in TIPS and not any(is_safe(argument) for argument in node.args):
                yield node.lineno, name
            elif name == "addRow" and len(node.args) > 1 and isinstance(node.args[0], (ast.JoinedStr, ast.Call)):
                yield node.lineno, name
            elif name == "setData" and any(name_of(one) == "ToolTipRole" for one in ast.walk(node)):
                yield node.lineno, "ToolTipRole"
        elif isinstance(node, ast.ClassDef) and any(name_of(base) in WIDGETS for base in node.bases):
            yield node.lineno, node.name
        elif isinstance(node, ast.If) and any(name_of(one) == "ToolTipRole" for one in ast.walk(node.test)):
            returned = node.body[0]
            if not isinstance(returned, ast.Return) or returned.value is None or not is_safe(returned.value):
                yield node.lineno, "ToolTipRole"


@pytest.mark.parametrize("module", sorted(str(one.relative_to(PACKAGE)) for folder in ("qt", "ez_ide")
                                          for one in (PACKAGE / folder).glob("*.py")))
def test_labels_and_tool_tips_are_made_in_one_place(module):
    if module != "qt/plain.py":
        assert list(problems((PACKAGE / module).read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("text", [
    "QLabel(self)", "QMessageBox.warning(self, title, text)", "class A(QLabel):\n    pass", "item.setToolTip(0, text)",
    "widget.setToolTip(f'{name}')", "QToolTip.showText(place, text, self)", "form.addRow(f'{name}', field)",
    "def data(self, role):\n    if role == Qt.ItemDataRole.ToolTipRole:\n        return self.text",
    "item.setData(0, Qt.ItemDataRole.ToolTipRole, text)", "QTextEdit()", "document.setHtml(text)",
    "widget.setToolTip('<b>bold</b>')",
])
def test_the_check_finds(text):
    assert list(problems(text))


@pytest.mark.parametrize("text", ["", "a", "<b>bold</b>", "a\n  b\n", "<img src='file:///x.png'>", "&amp; &lt;", "5 < 6 > 3"])
def test_a_tool_tip_shows_its_text(text):
    document = QTextDocument()
    document.setHtml(plain.tip(text))
    assert document.toPlainText() == text
    assert bool(plain.tip(text)) == bool(text)


MARKUP = """do main() {
    temp s string = "<img src=file:///x.png><b>BOLD</b>"
    temp m map[string:int] = {"<h1>KEY</h1>": 1}
    println(s)
    panic("<h1>Ended with status 0</h1>")
}
"""


def shown(tool_tip):
    """The text that a tool tip shows."""
    assert tool_tip == "" or tool_tip.startswith("<span"), tool_tip
    return html.unescape(re.sub("<[^>]*>", "", tool_tip))


def test_strings_of_a_program_are_shown_as_they_are(window):
    window.program(MARKUP)
    window.click_margin(7)
    window.press("start")
    window.until_stop(7)
    view = window.panel.variables.view
    index = window.row("Locals", "s").siblingAtColumn(1)
    assert shown(index.data(Qt.ItemDataRole.ToolTipRole)) == '"<img src=file:///x.png><b>BOLD</b>"'
    assert shown(window.row("Locals", "m").siblingAtColumn(1).data(Qt.ItemDataRole.ToolTipRole)) == '{"<h1>KEY</h1>": 1}'
    view.last_change_requested.emit("s")
    window.until(window.panel.notices.message.isVisible)
    assert "<b>BOLD</b>" in window.panel.notices.message.label.text()
    window.until_stop()
    window.press("present"), window.until_stop(7)
    window.panel._link._show_value(window.file, "s", QPoint(5, 5))
    window.until(QToolTip.text)
    assert shown(QToolTip.text()).startswith('s = "<img src=')
    QToolTip.hideText()
    window.press("over")
    assert window.until_stop(7).reason == "exception"
    assert "<h1>Ended with status 0</h1>" in window.panel.status.text()
    assert "<h1>Ended with status 0</h1>" in shown(window.panel.status.toolTip())
    labels = window.panel.findChildren(QLabel)
    own = [label for label in labels if isinstance(label, plain.PlainLabel)]
    assert len(own) >= 5
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in own)


STYLES = [
    ("\x1b[38;2;1;2;3m", {"color": (1, 2, 3)}),
    ("\x1b[1;38;2;255;128;0;4m", {"bold": True, "color": (255, 128, 0), "underline": True}),
    ("\x1b[38;5;1m", {"color": 1}), ("\x1b[38;5;9m", {"color": 1}),
    ("\x1b[38;5;196m", {"color": (255, 0, 0)}), ("\x1b[38;5;244m", {"color": (128, 128, 128)}),
    ("\x1b[38:2::1:2:3m", {"color": (1, 2, 3)}), ("\x1b[38:2:1:2:3m", {"color": (1, 2, 3)}),
    ("\x1b[38:5:196m", {"color": (255, 0, 0)}), ("\x1b[4:3m", {"underline": True}),
    ("\x1b[48;2;1;3;4m", {}), ("\x1b[48;5;3m", {}), ("\x1b[48;5;3;1m", {"bold": True}), ("\x1b[48:5:3;3m", {"italic": True}),
    ("\x1b[38m", {}), ("\x1b[38;5m", {}), ("\x1b[38;2;1m", {}), ("\x1b[38;7;1m", {"bold": True}),
    ("\x1b[38;5;999m", {}), ("\x1b[38;2;300;0;0m", {"color": (255, 0, 0)}),
    ("\x1b[;m", {}), ("\x1b[1;m", {}), ("\x1b[31;39m", {}), ("\x1b[2J", {}), ("\x1b[97m", {"color": 7}),
]


@pytest.mark.parametrize(("sequence", "wanted"), STYLES)
def test_escape_sequences(sequence, wanted):
    assert list(ansi.divide(sequence)) == [(sequence, True)]
    assert ansi.Style().after(sequence) == ansi.Style(**wanted)


def test_titles_and_links_for_terminals_are_left_out():
    titles = ("\x1b]0;é title\x07", "\x1b]8;;file:///etc/passwd\x1b\\", "\x1b]8;;\x1b\\")
    for title in titles:
        assert list(ansi.divide(f"a{title}b")) == [("a", False), (title, True), ("b", False)]
        for end in range(1, len(title)):
            assert ansi.whole_part("a" + title[:end]) == ("a", title[:end])
        assert ansi.whole_part("a" + title) == ("a" + title, "")
        assert ansi.Style(bold=True).after(title) == ansi.Style(bold=True)
    # What does not end on its line is a text.
    assert list(ansi.divide("\x1b]0;a\nb\x07")) == [("\x1b]0;a\nb\x07", False)]


def test_the_byte_of_a_text_after_a_title(window):
    window.program('do main() {\n    println("\\x1b]0;t\\x07shown")\n    println("last")\n}\n')
    window.press("start")
    window.until_stop(4)
    for line in (5, 6):
        window.press("over"), window.until_stop(line)
    output = window.panel.console.output
    assert window.output() == "shown\nlast\n"
    assert output.offset_at(0) == len("\x1b]0;t\x07")
    assert output.offset_at(6) == len("\x1b]0;t\x07shown\n")
