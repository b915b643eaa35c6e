#!/usr/bin/env python3
"""What going back in time costs: steps back and questions in programs of many statements, and keeping a history.

    benches/history.py

Measures target/release/ez, or the program that the variable EZ names. Times are the least of three runs, in
milliseconds; the cost of a history is the time of a program that is debugged with it against one without.
"""

import json
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
RUNS = 3

INTS = """import @std
using std
do main() {{
    temp n int = 0
    for i in range(0, {rounds}) {{
        n += i % 7
    }}
    println("${{n}}")
}}
"""
STRUCTS = """import @std
using std
const P struct {{
    x int
    y int
}}
do move(p P, by int) -> P {{
    return P{{x: p.x + by, y: p.y - by}}
}}
do main() {{
    temp p P = P{{x: 0, y: 0}}
    for i in range(0, {rounds}) {{
        p = move(p, i % 7)
    }}
    println("${{p.x}}")
}}
"""

LONG_CALL = """import @std
using std
do work(rounds int) -> int {{
    temp n int = 0
    for i in range(0, rounds) {{
        n += i % 7
    }}
    return n
}}
do main() {{
    temp total int = 0
    total = work({rounds})
    total += 1
    println("${{total}}")
}}
"""


class Session:
    def __init__(self, **launch):
        self.server = subprocess.Popen([EZ, "debugserver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("initialize", "initialized", protocolVersion=2, stopOnEntry=False, **launch)

    def ask(self, command, answer, **params):
        """The time until the answer, in milliseconds, and what it says."""
        begin = time.perf_counter()
        self.server.stdin.write(json.dumps({"type": "command", "command": command, "params": params}) + "\n")
        self.server.stdin.flush()
        for line in self.server.stdout:
            event = json.loads(line)
            if event["event"] in (answer, "error"):
                assert event["event"] == answer, line
                return (time.perf_counter() - begin) * 1000, event["data"]
        raise SystemExit("the server has ended")

    def end(self):
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()
        self.server.stdin.close()


def steps_back(text):
    """The first step back from the end, and the mean of the nine after it."""
    session = Session(source={"text": text, "name": "bench.ez"}, history=True)
    _, end = session.ask("start", "stopped")
    times = [session.ask("stepBack", "stopped")[0] for _ in range(10)]
    session.end()
    return end["step"], times[0], sum(times[1:]) / 9


def questions(rounds):
    """Times of questions about what is near, at the end of a long call and of the program: names and times."""
    session = Session(source={"text": LONG_CALL.format(rounds=rounds), "name": "bench.ez"}, history=True)
    session.ask("setBreakpoint", "breakpointSet", file="bench.ez", line=8)
    _, inside = session.ask("start", "stopped")
    found = []

    def ask(where, command, answer="stopped", back=True, **params):
        took, _ = session.ask(command, answer, **params)
        found.append((f"{command} {where}", took))
        if back and answer == "stopped":
            session.ask("goToPresent", "stopped")

    ask("in the call", "lastChange", "lastChange", expression="n")
    ask("in the call", "stepBackOut")
    ask("in the call", "restartFrame", frameIndex=0)
    session.ask("continue", "stopped")
    ask("at the end", "lastChange", "lastChange", expression="total")
    ask("at the end", "stepBackOut")
    ask("at the end", "restartFrame", frameIndex=0)
    session.ask("stepBack", "stopped")
    session.ask("stepBack", "stopped")
    ask("over the call", "stepBackOver", back=False)
    session.end()
    return inside["step"], found


def run(file, history):
    session = Session(file=str(file), history=history)
    took, _ = session.ask("start", "stopped" if history else "exited")
    session.end()
    return took


def main():
    print("step back from the end: statements, first, then (ms)")
    for name, text, rounds in [("ints", INTS, 500_000), ("structs", STRUCTS, 333_000), ("ints", INTS, 500_000_000)]:
        found = [steps_back(text.format(rounds=rounds)) for _ in range(RUNS if rounds < 10**8 else 1)]
        first, then = min(one[1] for one in found), min(one[2] for one in found)
        print(f"  {name:8} {found[0][0]:>13,} {first:8.1f} {then:8.1f}", flush=True)
    print("questions about what is near (ms)")
    for rounds in (500_000, 50_000_000):
        steps, found = questions(rounds)
        for name, took in found:
            print(f"  {steps:>13,} {took:8.1f}  {name}", flush=True)
    print("with a history against without")
    product, count = 1.0, 0
    for file in sorted((HERE / "programs").glob("*.ez")):
        without, kept = (min(run(file, history) for _ in range(RUNS)) for history in (False, True))
        print(f"  {file.stem:8} {without:8.0f} {kept:8.0f} {kept / without:6.2f}", flush=True)
        product, count = product * kept / without, count + 1
    print(f"  mean {product ** (1 / count):.2f}")


if __name__ == "__main__":
    main()
