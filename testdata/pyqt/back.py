"""Presses the buttons of examples/pyqt_client.py: forward, back, and to the present.

usage: back.py EXAMPLES EZ PROGRAM      Its output is looked at by a test."""

import os
import sys

sys.path.insert(0, sys.argv[1])
import pyqt_client
from PyQt6.QtCore import QEventLoop, QTimer
from PyQt6.QtGui import QColor, QTextCursor
from PyQt6.QtWidgets import QApplication

app = QApplication(sys.argv)
window = pyqt_client.Window(sys.argv[2], os.path.abspath(sys.argv[3]))


def wait_for(event):
    loop = QEventLoop()
    window.session.told.connect(lambda name, _: loop.quit() if name == event else None)
    QTimer.singleShot(30000, lambda: sys.exit(f"no {event}"))
    loop.exec()


def is_grey(position):
    cursor = QTextCursor(window.output.document())
    cursor.setPosition(position + 1)
    return cursor.charFormat().foreground().color() == QColor("lightgray")


def show(name):
    text = window.output.toPlainText()
    grey = "".join(c for position, c in enumerate(text) if is_grey(position) and c != "\n")
    black = "".join(c for position, c in enumerate(text) if not is_grey(position) and c != "\n")
    line = window.source.textCursor().blockNumber() + 1
    buttons = [command for command, action in window.actions_by_command.items() if action.isEnabled()]
    print(f"{name}: line {line}, printed {black!r}, not yet {grey!r}, buttons {' '.join(buttons[4:])}")


wait_for("variables")
show("entry")
for command in sys.argv[4:]:
    window.actions_by_command[command].trigger()
    wait_for("variables")
    show(command)
window.close()
