#!/usr/bin/env python3
"""One table of what users wait for, beside what they would use instead: Lua, CPython, its debugger debugpy, and for
what has no equal a program that only echoes, or the same without the thing that is measured.

usage: benches/table.py [-n ROUNDS] [--markdown] [--save] [PART ...]

PART is start, programs, steps, debugpy or past (default: all). Times are the least of ROUNDS (default 5) in turn, those
of exchanges medians. Needs gcc, `lua5.4` and `python3`; debugpy in that Python, or in the one that the variable
DEBUGPY names: without it, the part is left out. The last column is what was promised. Says which ratios are more than
5 % worse than those in benches/ratios.json; --save writes them there. Build first: cargo build --release."""
import argparse, datetime, json, math, os, pathlib, platform, shutil, subprocess, sys, tempfile, time

import compare, dap_client, debug, history

HERE = pathlib.Path(__file__).resolve().parent
EZ = compare.EZ
DEBUGPY = os.environ.get("DEBUGPY", "python3")
HEAD = "import @std, @arrays\nusing std\n\n"
HELLO = "import @std\nusing std\n\n" + 'do main() {\n    println("hello")\n}\n'


class Row:
    """A measure: its time in seconds beside that of something else, or alone, and its limit, as a ratio or in seconds."""

    def __init__(self, name, own, peer=None, of="", limit=None):
        self.name, self.own, self.peer, self.of, self.limit = name, own, peer, of, limit

    @property
    def ratio(self):
        return self.own / self.peer if self.peer else None

    def cells(self):
        limit = "" if self.limit is None else f"≤ {self.limit} ×" if self.peer else f"≤ {self.limit} s"
        if self.peer is None:
            return [self.name, shown(self.own), "", "", limit]
        # Means of ratios have no times of their own.
        times = ["", self.of] if self.peer == 1 else [shown(self.own), f"{self.of}: {shown(self.peer)}"]
        ratio = f"{self.ratio:.2f}" if self.ratio >= 0.1 else f"{self.ratio:.1g}"
        return [self.name, *times, ratio, limit]


def shown(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            break
    return f"{seconds / unit:.3g} {name}"


def least(rounds, *works):
    """The least result of each, called in turn."""
    times = [math.inf] * len(works)
    for _ in range(rounds):
        times = [min(time, work()) for time, work in zip(times, works)]
    return times


def wall(argv):
    begin = time.perf_counter()
    # Spawned, since to copy this process takes longer than what is measured.
    process = os.posix_spawnp(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status = os.waitpid(process, 0)
    assert status == 0, argv
    return time.perf_counter() - begin


def first_stop(file):
    """From the start of the process to the first stop."""
    begin = time.perf_counter()
    session = subprocess.Popen([EZ, "debugserver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    session.stdin.write(debug.command("initialize", file=file) + debug.command("start"))
    seen = b""
    while b'"stopped"' not in seen:
        seen += os.read(session.stdout.fileno(), 1 << 16)
    took = time.perf_counter() - begin
    session.kill()
    session.communicate()
    return took


def popen(argv):
    """As `wall`, but started as the session of `first_stop` is."""
    begin = time.perf_counter()
    subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0).communicate()
    return time.perf_counter() - begin


def start(folder, rounds):
    ez, lua = str(folder / "hello.ez"), str(folder / "hello.lua")
    (folder / "hello.ez").write_text(HELLO)
    (folder / "hello.lua").write_text('print("hello")\n')
    own, peer, stop, run = least(
        rounds * 40, lambda: wall([EZ, ez]), lambda: wall(["lua5.4", lua]), lambda: first_stop(ez), lambda: popen([EZ, ez])
    )
    yield Row("hello world", own, peer, "Lua 5.4", 1.2)
    yield Row("from the start to the first stop", stop, run, "`ez hello.ez`", 1.3)


def programs(folder, rounds):
    columns = ["ez", "lua", "python", "attached", "breakpoint", "watch", "history", "listening"]
    names = sorted(path.stem for path in (HERE / "programs").glob("*.ez"))
    times = [compare.measured(name, columns, rounds, folder) for name in names]
    mean = lambda column, of: compare.geomean([row[column] / row[of] for row in times])
    what = f"{len(names)} programs (geometric mean)"
    yield Row(what, mean("ez", "lua"), 1, "Lua 5.4")
    yield Row(what, mean("ez", "python"), 1, "CPython")
    for column, name in (
        ("attached", "debugged"),
        ("breakpoint", "with a breakpoint elsewhere"),
        ("watch", "with a data breakpoint elsewhere"),
        ("history", "with a history"),
        ("listening", "while a debugger could come"),
    ):
        yield Row(f"the same {name}", mean(column, "ez"), 1, "not debugged")


def median(times):
    return sorted(times)[len(times) // 2]


def crowded(folder):
    """A program with 1,000 variables and an array of 1,000,000 in scope, and what a client has asked about them: 20
    watches, all variables, and the elements of the array."""
    text = debug.LOOP % (
        "".join(f"    temp v{i} int = {i}\n" for i in range(1000))
        + "    temp big [int] = {}\n    for i in range(0, 1000000) { arrays.append(big, i) }\n"
    )
    watches = [{"expression": f"n / 10 + v{i}"} for i in range(20)]
    line = 4 + 1000 + 2 + 3
    session = history.Session(source={"text": text, "name": "crowded.ez"})
    session.ask("setBreakpoint", "breakpointSet", file="crowded.ez", line=line)
    session.ask("start", "stopped")
    _, big = session.ask("evaluate", "evaluateResult", expression="big")
    session.end()
    path = folder / "crowded.ez"
    path.write_text(text)
    setup = debug.command("initialize", file=str(path), protocolVersion=2, stopOnEntry=False)
    setup += debug.command("setBreakpoint", file=str(path), line=line)
    setup += b"".join(debug.command("addWatch", **watch) for watch in watches) + debug.command("start")
    setup += debug.command("evaluate", expression="big") + debug.command("getVariables")
    return setup + debug.command("getChildren", reference=big["reference"], start=0, count=100)


def steps(folder, rounds):
    for name in ("echo", "trips", "dap_echo", "dap_trips"):
        subprocess.run(["gcc", "-O2", "-o", folder / name, HERE / f"{name}.c"], check=True)
    loop = folder / "loop.ez"
    loop.write_text(debug.LOOP % "")
    trips = lambda argv, setup, mark, skip: median(debug.trips(folder / "trips", argv, setup, mark, skip, 10_000))
    plain = debug.command("initialize", file=str(loop), protocolVersion=2, stopOnEntry=False)
    plain += debug.command("setBreakpoint", file=str(loop), line=7) + debug.command("start")
    crowd = crowded(folder)
    echo, step, many = least(
        rounds,
        lambda: trips([folder / "echo"], b"", "x", "0"),
        lambda: trips([EZ, "debugserver"], plain, '"stopped"', "1"),
        lambda: trips([EZ, "debugserver"], crowd, '"stopped"', "1"),
    )
    yield Row("a step", step, echo, "a program that echoes")
    yield Row("a step with 20 watches, 1,000 variables, an array of 1,000,000 expanded", many, step, "without", 2)

    def editor(argv):
        done = subprocess.run([folder / "dap_trips", "3000", loop, *argv], stdout=subprocess.PIPE, check=True, timeout=600)
        return median([int(line) / 1e9 for line in done.stdout.split()])

    echo, own = least(rounds, lambda: editor([folder / "dap_echo"]), lambda: editor([EZ, "dap"]))
    yield Row("an editor's step, with all that it asks then", own, echo, "a program that echoes", 1.25)


def debugpy(folder, rounds):
    """What a user of `ez dap` and one of debugpy wait for, both with the same client."""
    if subprocess.run([DEBUGPY, "-c", "import debugpy"], stderr=subprocess.DEVNULL).returncode:
        print("debugpy is missing: no rows beside it (DEBUGPY names a Python that has it)", file=sys.stderr)
        return
    ez, python = [EZ, "dap"], [DEBUGPY, "-m", "debugpy.adapter"]
    loop = folder / "loop.ez"
    loop.write_text(debug.LOOP % "")
    twin = folder / "loop.py"
    twin.write_text("def main():\n    n = 0\n    while True:\n        n += 0\n        n -= 0\n\nmain()\n")
    hot = folder / "hot.ez"
    hot.write_text("import @std\nusing std\n\ndo main() {\n    temp n int = 0\n    for i in range(0, 300000) {\n        n += i\n    }\n    println(n)\n    if n < 0 {\n        println(0)\n    }\n}\n")
    hot_twin = folder / "hot.py"
    hot_twin.write_text("def main():\n    n = 0\n    for i in range(0, 300000):\n        n += i\n    print(n)\n    if n < 0:\n        print(0)\n\nmain()\n")
    fib = HERE / "programs" / "fib.ez"
    few = max(rounds // 2, 1)
    runs = lambda *of: least(few, *(lambda it=it: dap_client.run(*it) for it in of))
    own, peer = runs((ez, fib), (python, fib.with_suffix(".py")))
    yield Row("fib(33), debugged", own, peer, "debugpy")
    own, peer = runs((ez, hot, [(11,)]), (python, hot_twin, [(7,)]))
    yield Row("300,000 rounds, a breakpoint that is not reached in the same function", own, peer, "debugpy")
    own, peer = runs((ez, hot, [(7, "i < 0")]), (python, hot_twin, [(4, "i < 0")]))
    yield Row("300,000 rounds, a breakpoint whose condition is false", own, peer, "debugpy")
    own, peer = least(few, lambda: dap_client.steps(ez, loop, 7, 200), lambda: dap_client.steps(python, twin, 4, 50))
    yield Row("an editor's step, with all that it asks then", own, peer, "debugpy")


# A hundred million statements, or writes to an array of 20,000,000.
PAST = {
    "loop": HEAD + "do main() {\n    temp first int = 7\n    temp s int = 0\n    for i in range(0, 33333333) {\n        s += i\n        s += 1\n    }\n    println(s + first)\n}\n",
    "element": HEAD + "do main() {\n    temp n int = 20000000\n    temp big [int] = arrays.repeat(0, n)\n    big[5] = 77\n    for k in range(0, 2) {\n        for i in range(10, n) {\n            big[i] = i + k\n        }\n    }\n    println(len(big))\n}\n",
    "append": HEAD + "do main() {\n    temp big [int] = {1}\n    for i in range(10, 20000000) {\n        arrays.append(big, i)\n    }\n    println(len(big))\n}\n",
}
QUESTIONS = {
    "loop": [
        ("the changes before statement 50,000,000 of 100,000,000", "changes", {"expression": "s", "before": 50_000_000}, 0.3),
        ("the changes before statement 1,000,000 of 100,000,000", "changes", {"expression": "s", "before": 1_000_000}, 0.3),
        ("the last change, 100,000,000 statements ago", "lastChange", {"expression": "first"}, 0.5),
    ],
    "element": [("the last change of an element of 20,000,000, 40,000,000 writes to others ago", "lastChange", {"expression": "big[5]"}, 2)],
    "append": [("the last change of an element, 20,000,000 `append` ago", "lastChange", {"expression": "big[5]"}, 2)],
}


def past(folder, rounds):
    for name, text in PAST.items():
        session = history.Session(source={"text": text, "name": "bench.ez"}, history=True)
        line = text[: text.index("    println(")].count("\n") + 1
        session.ask("setBreakpoint", "breakpointSet", file="bench.ez", line=line)
        session.ask("start", "stopped")
        for question, command, params, limit in QUESTIONS[name]:
            (took,) = least(max(rounds // 2, 1), lambda: session.ask(command, command, **params)[0] / 1000)
            yield Row(question, took, limit=limit)
        session.end()


PARTS = {"start": start, "programs": programs, "steps": steps, "debugpy": debugpy, "past": past}
HEADS = ["", "ez", "beside", "ez / beside", "limit"]


def printed(rows, markdown):
    lines = [row.cells() for row in rows]
    if markdown:
        return "\n".join(f"| {' | '.join(line)} |" for line in [HEADS, ["---"] * len(HEADS), *lines])
    widths = [max(map(len, column)) for column in zip(HEADS, *lines)]
    return "\n".join("  ".join(f"{cell:{width}}" for cell, width in zip(line, widths)).rstrip() for line in [HEADS, *lines])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=5)
    for flag in ("markdown", "save"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS])
    options = parser.parse_args()
    for tool in ("gcc", "lua5.4", "python3"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts or PARTS:
            print(f"measures {part} …", file=sys.stderr)
            rows += PARTS[part](pathlib.Path(folder), options.n)
    print(f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores\n")
    print(printed(rows, options.markdown))
    # Times alone say something only about the same machine.
    ratios = {f"{row.name}, {row.of}": {"ratio": row.ratio} for row in rows if row.peer}
    for line in compare.worse(ratios, "table"):
        print(f"worse by more than 5 %: {line}")
    for row in rows:
        if row.limit and (row.ratio or row.own) > row.limit:
            print(f"above its limit: {row.name}")
    if options.save:
        compare.save("table", ratios)


if __name__ == "__main__":
    main()
