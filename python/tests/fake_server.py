"""Servers that do not do what they should: the first argument says what they do instead."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ez_debugger import __version__


def initialized(**data):
    message = json.loads(sys.stdin.readline())
    data = {"file": "x.ez", **data}
    print(json.dumps({"type": "event", "event": "initialized", "data": data, "id": message["id"]}), flush=True)
    return message


def hang():
    time.sleep(600)


def hang_later():
    """Answers `initialize`, and nothing else."""
    initialized(protocolVersion=2, version=__version__)
    hang()


def fail():
    sys.stderr.write("no memory left\n" * 20_000)
    sys.exit(3)


def tear():
    sys.stdin.readline()
    sys.stdout.write('{"type":"event","event":"initi')
    sys.exit(0)


def echo():
    """Another program, which knows no protocol and goes on."""
    print(sys.stdin.readline(), flush=True)
    hang()


def print_without_line_ends():
    while True:
        sys.stdout.write("x" * 65_536)


def say_nothing():
    sys.stdin.readline()


def be_old():
    initialized()
    hang()


def be_new():
    initialized(protocolVersion=3, version="77.1.2")
    hang()


def count(number):
    """Answers with a number for everything that is counted."""
    def tell(event, id=None, **data):
        print(json.dumps({"type": "event", "event": event, "data": data, "id": id}), flush=True)

    file = initialized(protocolVersion=2, version=__version__, capabilities={"history": True})["params"]["file"]
    for line in sys.stdin:
        asked = json.loads(line)
        command, params, id = asked["command"], asked.get("params", {}), asked["id"]
        place = {"file": file, "line": number, "column": number}
        if command == "start":
            tell("started", id)
            tell("progress", title="x", percentage=number, done=False)
            tell("stopped", id, reason="entry", location=place, description="Weird", threadId=1, frameCount=number,
                 step=number, present=number, past=False, outputLength=number)
        elif command == "getVariables":
            variable = {"name": "a", "value": "1", "type": "array", "scope": "local", "evaluateName": "a",
                        "reference": number, "children": number}
            tell("variables", id, frameIndex=0, variables=[variable])
        elif command == "getChildren":
            tell("children", id, reference=number, start=number, total=number, children=[])
        elif command == "getStackTrace":
            tell("stackTrace", id, start=0, total=number, frames=[{"index": number, "function": "f", **place}])
        elif command == "setBreakpoints":
            wanted = [{"id": number, "verified": True, "line": number, "actualLine": number} for _ in params["breakpoints"]]
            tell("breakpoints", id, file=place["file"], breakpoints=wanted)
        elif command == "terminate":
            tell("terminated", id)
            return
        else:
            tell("error", id, message="no", command=command)


if sys.argv[1].lstrip("-").isdigit():
    count(int(sys.argv[1]))
    sys.exit(0)
{"echo": echo, "print_without_line_ends": print_without_line_ends, "say_nothing": say_nothing, "be_old": be_old, "be_new": be_new, "hang": hang, "hang_later": hang_later, "fail": fail, "tear": tear}[sys.argv[1]]()
