#!/usr/bin/env python3
"""A debugger with a window, made of the panels of ez_debugger.qt: an editor, and all panels beside it.

    pip install '.[qt]'
    python3 examples/pyqt_client.py examples/bubble_sort.ez

A second argument names the program `ez` to use, instead of the one that was installed with the package.
"""

import os
import sys

from PyQt6.QtGui import QFontDatabase
from PyQt6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit, QSplitter

from ez_debugger.qt import DebuggerPanel, DebugSession, Launch, PlainTextAdapter


class Window(QMainWindow):
    """Shows a program, and starts it."""

    def __init__(self, file, ez=None):
        super().__init__()
        self.setWindowTitle(os.path.basename(file))
        self.resize(1150, 760)
        self.editor = QPlainTextEdit(readOnly=True)
        self.editor.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.session = DebugSession(ez)
        self.panel = DebuggerPanel(self.session, window=self)
        adapter = PlainTextAdapter(self.editor)
        self.panel.attach_editor(adapter)
        adapter.show_place(file, 1)
        splitter = QSplitter()
        splitter.addWidget(self.editor)
        splitter.addWidget(self.panel)
        splitter.setSizes([650, 500])
        self.setCentralWidget(splitter)
        self.panel.launch = Launch(file=file, stop_on_entry=True)
        self.panel.start()

    def closeEvent(self, event):
        self.panel.close()
        super().closeEvent(event)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    app = QApplication(sys.argv)
    window = Window(os.path.abspath(sys.argv[1]), *sys.argv[2:3])
    window.show()
    sys.exit(app.exec())


if __name__ == "__main__":
    main()
