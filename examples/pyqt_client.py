#!/usr/bin/env python3
"""A small debugger client on a real QProcess: steps through a program and prints what it shows.

    pip install PyQt6
    python3 examples/pyqt_client.py target/debug/ez examples/hello.ez [stepInto|stepOver|continue]

It reads as simple clients do: whatever one read returns is split at line ends, and no rest is kept.
"""

import json
import os
import sys

from PyQt6.QtCore import QCoreApplication, QProcess


class Session:
    def __init__(self, app, ez, file, step):
        self.app, self.step = app, step
        self.file = os.path.abspath(file)
        self.directory = os.path.dirname(self.file)
        self.status = 1
        self.process = QProcess()
        self.process.setWorkingDirectory(self.directory)
        self.process.readyReadStandardOutput.connect(self.read)
        self.process.readyReadStandardError.connect(self.read_errors)
        self.process.finished.connect(lambda *_: app.exit(self.status))
        self.process.start(os.path.abspath(ez), ["debugserver", self.file])
        if not self.process.waitForStarted(3000):
            sys.exit("cannot start " + ez)
        self.send("initialize", file=self.file, workingDir=self.directory)

    def send(self, command, **params):
        message = {"type": "command", "command": command, "params": params}
        self.process.write((json.dumps(message) + "\n").encode())

    def read(self):
        chunk = bytes(self.process.readAllStandardOutput()).decode("utf-8", "replace").strip()
        for line in chunk.split("\n"):
            event = json.loads(line)
            self.react(event["event"], event["data"])

    def read_errors(self):
        text = bytes(self.process.readAllStandardError()).decode("utf-8", "replace")
        print("standard error:", text, end="")

    def react(self, event, data):
        if event == "initialized":
            self.send("start")
        elif event == "stopped":
            location = data["location"]
            print(f"-> {os.path.basename(location['file'])}:{location['line']} ({data['reason']})")
            self.send("getVariables", frameIndex=0)
        elif event == "variables":
            for variable in data["variables"]:
                print(f"   {variable['name']} = {variable['value']}  ({variable['type']})")
            self.send(self.step)
        elif event == "output":
            print(f"[{data['category']}] {data['text']}", end="" if data["text"].endswith("\n") else "\n")
        elif event == "inputRequested":
            self.send("input", text=sys.stdin.readline())
        elif event == "error":
            print("error:", data["message"])
        elif event == "exited":
            self.status = data["exitCode"]
            print("exited with", self.status)
            self.send("terminate")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    app = QCoreApplication(sys.argv)
    step = sys.argv[3] if len(sys.argv) > 3 else "stepInto"
    session = Session(app, sys.argv[1], sys.argv[2], step)
    status = app.exec()
    del session
    sys.exit(status)


if __name__ == "__main__":
    main()
