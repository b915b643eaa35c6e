#!/usr/bin/env python3
"""A small debugger with a window: steps through a program, and back again.

    pip install PyQt6
    python3 examples/pyqt_client.py target/debug/ez examples/bubble_sort.ez

It reads as simple clients do: whatever one read returns is split at line ends, and no rest is kept.
"""

import json
import os
import sys

from PyQt6.QtCore import QObject, QProcess, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontDatabase, QTextCharFormat, QTextCursor, QTextFormat
from PyQt6.QtWidgets import (QApplication, QDockWidget, QHeaderView, QLineEdit, QMainWindow, QPlainTextEdit, QTextEdit,
                             QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget)

# What a button says, the command that it sends, and its key.
FORWARD = [("Step into", "stepInto", "F7"), ("Step over", "stepOver", "F8"), ("Step out", "stepOut", "Shift+F8"),
           ("Continue", "continue", "F5")]
BACK = [("Step back", "stepBack", "Shift+F7"), ("Reverse", "reverseContinue", "Shift+F5")]
PRESENT = ("To the present", "goToPresent", "Ctrl+F5")


class Session(QObject):
    """The debug server: commands go there, and each event is a signal."""

    told = pyqtSignal(str, dict)
    ended = pyqtSignal()

    def __init__(self, ez, file):
        super().__init__()
        directory = os.path.dirname(file)
        self.process = QProcess()
        self.process.setWorkingDirectory(directory)
        self.process.readyReadStandardOutput.connect(self.read)
        self.process.finished.connect(lambda *_: self.ended.emit())
        self.process.start(os.path.abspath(ez), ["debugserver", file])
        if not self.process.waitForStarted(3000):
            sys.exit("cannot start " + ez)
        self.send("initialize", file=file, workingDir=directory, protocolVersion=2, history=True, stopOnEntry=True,
                  keepAlive=True)

    def send(self, command, **params):
        message = {"type": "command", "command": command, "params": params}
        self.process.write((json.dumps(message) + "\n").encode())

    def read(self):
        chunk = bytes(self.process.readAllStandardOutput()).decode("utf-8", "replace").strip()
        for line in chunk.split("\n"):
            event = json.loads(line)
            self.told.emit(event["event"], event["data"])

    def end(self):
        self.process.finished.disconnect()
        self.process.kill()
        self.process.waitForFinished(3000)


class Output(QPlainTextEdit):
    """What the program has written. In its past, what it has not written yet is grey."""

    def __init__(self):
        super().__init__(readOnly=True)
        self.written = bytearray()

    def add(self, text):
        self.written += text.encode()
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.insertPlainText(text)

    def show_up_to(self, length):
        """`length`: in bytes; None for everything."""
        before = self.written if length is None else self.written[:length]
        # Positions in the document are counted in UTF-16.
        position = len(before.decode("utf-8", "ignore").encode("utf-16-le")) // 2
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setCharFormat(QTextCharFormat())
        cursor.setPosition(position)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        grey = QTextCharFormat()
        grey.setForeground(QColor("lightgray"))
        cursor.setCharFormat(grey)


class Source(QPlainTextEdit):
    """A file, with the line that is next."""

    def __init__(self):
        super().__init__(readOnly=True)
        self.file = None

    def show_place(self, place, is_past):
        if place["file"] != self.file:
            self.file = place["file"]
            with open(self.file, encoding="utf-8") as file:
                self.setPlainText(file.read())
        line = QTextEdit.ExtraSelection()
        line.cursor = QTextCursor(self.document().findBlockByNumber(place["line"] - 1))
        line.format.setBackground(QColor("lightsteelblue" if is_past else "khaki"))
        line.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.setExtraSelections([line])
        self.setTextCursor(line.cursor)
        self.centerCursor()


class Window(QMainWindow):
    def __init__(self, ez, file):
        super().__init__()
        self.setWindowTitle(os.path.basename(file))
        self.resize(900, 650)
        self.status = 0
        self.source, self.output = Source(), Output()
        for text in (self.source, self.output):
            text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.variables = QTreeWidget()
        self.variables.setHeaderLabels(["Name", "Value", "Type"])
        self.variables.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.input = QLineEdit(placeholderText="The program waits for input", enabled=False)
        self.input.returnPressed.connect(self.give_input)
        self.setCentralWidget(self.source)
        self.add_dock("Variables", self.variables, Qt.DockWidgetArea.RightDockWidgetArea)
        below = QWidget()
        layout = QVBoxLayout(below)
        layout.addWidget(self.output)
        layout.addWidget(self.input)
        self.add_dock("Output", below, Qt.DockWidgetArea.BottomDockWidgetArea)
        bar = self.addToolBar("Debugger")
        self.actions_by_command = {}
        for name, command, key in [*FORWARD, *BACK, PRESENT]:
            action = bar.addAction(name)
            action.setShortcut(key)
            action.triggered.connect(lambda _, command=command: self.go(command))
            self.actions_by_command[command] = action
        self.enable(())
        self.session = Session(ez, file)
        self.session.told.connect(self.react)
        self.session.ended.connect(self.close)

    def add_dock(self, title, widget, area):
        dock = QDockWidget(title, self)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)

    def enable(self, commands):
        for command, action in self.actions_by_command.items():
            action.setEnabled(command in commands)

    def go(self, command):
        self.enable(())
        self.session.send(command)

    def give_input(self):
        self.input.setEnabled(False)
        self.session.send("input", text=self.input.text())
        self.input.clear()

    def react(self, event, data):
        if event == "initialized":
            self.session.send("start")
        elif event == "stopped":
            self.stopped(data)
        elif event == "variables":
            self.show_variables(data["variables"])
        elif event == "output":
            if data["category"] == "console":
                self.statusBar().showMessage(data["text"].strip())
            else:
                self.output.add(data["text"])
        elif event == "inputRequested":
            self.input.setEnabled(True)
            self.input.setFocus()
        elif event == "progress":
            self.statusBar().showMessage(f"{data['title']}: {data['percentage']} %")
        elif event == "error":
            self.statusBar().showMessage(data["message"])
        elif event == "exited":
            self.status = data["exitCode"]
            self.enable(())
            self.variables.clear()
            self.source.setExtraSelections([])
            self.statusBar().showMessage(f"The program has ended with status {self.status}")

    def stopped(self, data):
        is_past = data.get("past", False)
        commands = [command for _, command, _ in FORWARD]
        # Without a history, or before the first place, there is nothing to go back to.
        if "present" in data and data["step"] > 1:
            commands += [command for _, command, _ in BACK]
        if is_past:
            commands.append(PRESENT[1])
        self.enable(commands)
        self.source.show_place(data["location"], is_past)
        self.output.show_up_to(data["outputLength"] if is_past else None)
        where = f", step {data['step']} of {data['present']}" if "present" in data else ""
        self.statusBar().showMessage(data.get("text", data["description"]) + where)
        self.session.send("getVariables")

    def show_variables(self, variables):
        self.variables.clear()
        for variable in variables:
            item = QTreeWidgetItem([variable["name"], variable["value"], variable.get("declaredType", variable["type"])])
            font = item.font(1)
            font.setBold(variable.get("changed", False))
            item.setFont(1, font)
            self.variables.addTopLevelItem(item)

    def closeEvent(self, event):
        self.session.end()
        super().closeEvent(event)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    app = QApplication(sys.argv)
    window = Window(sys.argv[1], os.path.abspath(sys.argv[2]))
    window.show()
    app.exec()
    sys.exit(window.status)


if __name__ == "__main__":
    main()
