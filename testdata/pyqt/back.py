"""Presses the buttons of examples/pyqt_client.py: forward, back, and to the present.

usage: back.py EXAMPLES EZ PROGRAM ACTION...      Its output is looked at by a test."""

import os
import sys

sys.path.insert(0, sys.argv[1])
import pyqt_client
from PyQt6.QtCore import QEventLoop, QTimer
from PyQt6.QtWidgets import QApplication

app = QApplication(sys.argv)
window = pyqt_client.Window(os.path.abspath(sys.argv[3]), sys.argv[2])
window.show()
output = window.panel.console.output
actions = window.panel.actions_of_debugger.by_name
SHOWN = ("back", "reverse", "present")


def wait(session_signal):
    """For a stop, and for the answers to what the panels ask there."""
    loop = QEventLoop()
    session_signal.connect(loop.quit)
    QTimer.singleShot(30000, lambda: sys.exit("nothing happens"))
    loop.exec()
    window.session.send("getThreads", lambda _: loop.quit())
    loop.exec()
    while not output.is_settled:
        app.processEvents()


def show(name):
    text = output.toPlainText()
    later = output.extraSelections()
    start = later[0].cursor.selectionStart() if later else len(text)
    black, grey = (part.replace("\n", "") for part in (text[:start], text[start:]))
    line = window.panel._link.editor.overlay.line
    buttons = [command for command in SHOWN if actions[command].isEnabled()]
    print(f"{name}: line {line}, printed {black!r}, not yet {grey!r}, buttons {' '.join(buttons)}")


wait(window.session.stopped)
show("entry")
for action in sys.argv[4:]:
    actions[action].trigger()
    wait(window.session.stopped)
    show(action)
window.close()
