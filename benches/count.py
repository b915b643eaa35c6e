#!/usr/bin/env python3
"""Counts instructions, which depend neither on the speed of the machine nor on who else uses it.

usage: benches/count.py [--save] [PART ...]

PART is one of these (default: all):
  programs   the programs of `benches/programs`, smaller, in thousands of instructions
  debugged   the same in a debug session from start to end
  waits      in instructions: a session up to its first stop; a step over pipes; a step of a session with a history; a
             stop with its variables; a step with all that an editor asks then; a look at an expression

Needs valgrind, and takes some minutes. Says what takes over 3 % more than benches/ratios.json; --save writes that file.
Programs with threads differ by 1 % from run to run. Build first: cargo build --release."""
import argparse, json, pathlib, re, shutil, subprocess, sys, tempfile

import compare, dap_client

# Of the first constant of each program.
SIZES = {
    "fib": 20, "letters": 3000, "loops": 500, "mandelbrot": 80, "maps": 30000, "matmul": 50, "nbody": 3000,
    "queens": 7, "sieve": 100000, "sort": 6000, "strings": 5000, "structs": 8000,
}
LOOP = """import @std
using std

do main() {
    temp a [int] = {1, 2, 3}
    temp n int = 0
    loop {
        n += 1
        n -= 1
    }
}
"""
# Of the first statement in the loop.
LINE = 8


class Counted:
    """The command line of a program under valgrind, and how many instructions it has executed in the end."""

    def __init__(self, folder, *argv):
        self.log = pathlib.Path(folder) / "callgrind"
        for old in self.log.parent.glob("callgrind.*"):
            old.unlink()
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={self.log}.%p"]
        self.argv = [*valgrind, compare.EZ, *argv]

    def count(self, process):
        """Copies of the process, which hold the past, are not counted."""
        found = re.search(r"Collected : (\d+)", pathlib.Path(f"{self.log}.{process.pid}").read_text())
        return int(found[1])

    def run(self, text=None):
        process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.communicate(text, timeout=600)
        return self.count(process)


class Lines:
    """A session of the line protocol that waits for each answer."""

    def __init__(self, folder, program, **params):
        self.counted = Counted(folder, "debugserver")
        self.process = subprocess.Popen(self.counted.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("initialize", "initialized", file=str(program), protocolVersion=2, stopOnEntry=False, **params)
        self.ask("setBreakpoint", "breakpointSet", file=str(program), line=LINE)
        self.ask("start", "stopped")
        self.ask("clearBreakpoint", "breakpointCleared", file=str(program), line=LINE)

    def ask(self, command, event, **params):
        self.process.stdin.write(json.dumps({"type": "command", "command": command, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        wanted = b'"event":"%s"' % event.encode()
        while wanted not in (line := self.process.stdout.readline()):
            if not line or b'"event":"error"' in line:
                sys.exit(f"{command} is answered by {line or 'the end'}")

    def end(self):
        self.ask("terminate", "terminated")
        self.process.communicate(timeout=60)
        return self.counted.count(self.process)


def editor(folder, program, steps):
    """A session of an editor with this many steps."""
    counted = Counted(folder, "dap")
    adapter = dap_client.Adapter(counted.argv)
    adapter.launch(program, [(LINE,)], stops=True)
    adapter.request("setBreakpoints", source={"path": str(program)}, breakpoints=[])
    for _ in range(steps):
        adapter.step()
    adapter.request("disconnect", terminateDebuggee=True)
    adapter.process.communicate(timeout=60)
    return counted.count(adapter.process)


def each(session, times=400):
    """What one more of what a session does this many times costs."""
    return (session(times + 100) - session(100)) / times


def waits(folder):
    program = pathlib.Path(folder) / "loop.ez"
    program.write_text(LOOP)

    def asks(command, event, params={}, **start):
        def session(times):
            lines = Lines(folder, program, **start)
            for _ in range(times):
                lines.ask(command, event, **params)
            return lines.end()

        return session

    yield "first stop", asks("stepInto", "stopped")(0)
    yield "step", each(asks("stepInto", "stopped"))
    yield "step with history", each(asks("stepInto", "stopped", history=True))
    yield "variables", each(asks("getVariables", "variables"))
    yield "look", each(asks("evaluate", "evaluateResult", {"expression": "a[1] + n"}))
    yield "editor", each(lambda steps: editor(folder, program, steps))


def programs(folder, is_debugged):
    for name, size in SIZES.items():
        text = (compare.HERE / "programs" / f"{name}.ez").read_text()
        path = pathlib.Path(folder) / f"{name}.ez"
        path.write_text(re.sub(r"(const \w+ int = )\d+", rf"\g<1>{size}", text, count=1))
        argv = ["debugserver"] if is_debugged else [str(path)]
        count = Counted(folder, *argv).run(compare.session(path) if is_debugged else None)
        yield name, count / 1000


PARTS = {
    "programs": lambda folder: programs(folder, False),
    "debugged": lambda folder: programs(folder, True),
    "waits": waits,
}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].replace("%", "%%"))
    parser.add_argument("--save", action="store_true")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing")
    before = compare.saved().get("instructions", {})
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts or PARTS:
            for name, count in PARTS[part](folder):
                old = before.get(part, {}).get(name)
                change = f"{(count / old - 1) * 100:+8.1f} %" if old else ""
                print(f"{part:10} {name:20} {count:12,.0f} {change}", flush=True)
                counts.setdefault(part, {})[name] = round(count)
    for line in compare.worse(counts, "instructions", 3):
        print(f"worse by more than 3 %: {line}")
    if options.save:
        compare.save("instructions", {**before, **counts})


if __name__ == "__main__":
    main()
