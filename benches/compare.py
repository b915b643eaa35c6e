#!/usr/bin/env python3
"""Runs the benchmark programs and their Lua and Python twins in turn and prints a table with ratios.

usage: benches/compare.py [-n ROUNDS] [--python] [--attached] [--recorded] [--save] [NAME ...]

Times are CPU seconds of the whole process, the least of ROUNDS (default 5) runs in turn, so that a
machine that changes its speed does so for all. Needs `lua5.4`; with --python also python3.
--attached adds the program under the debugger: idle, with a breakpoint on a line never reached, with a
data breakpoint on a variable never written, with a history, and while a debugger could come that does not,
--recorded the program while it is recorded.
Says which ratios are more than 5 % worse than those in benches/ratios.json; --save writes that file.
Build first: cargo build --release."""
import argparse, datetime, json, math, os, pathlib, platform, resource, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
SAVED = HERE / "ratios.json"
PEERS = ("lua", "python")


def cpu(command, text=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    nowhere = subprocess.DEVNULL
    subprocess.run(command, input=text, stdout=nowhere, stderr=nowhere, check=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def session(path, line=0, watched=None, history=False):
    """A debug session that runs the program to its end, with a breakpoint on a line, a data breakpoint on a
    variable, or (0, None) neither: a breakpoint on a line that is never reached keeps it from stopping at
    the start."""
    file = str(path)
    start = {"file": file, "protocolVersion": 2, **({"history": True} if history else {})}
    commands = [{"command": "initialize", "params": start}]
    if line:
        commands.append({"command": "setBreakpoint", "params": {"file": file, "line": line}})
    commands.append({"command": "start"})
    if watched:
        commands.append({"command": "setDataBreakpoints", "params": {"breakpoints": [{"name": watched}]}})
    if not line:
        commands.append({"command": "continue"})
    return "".join(json.dumps({"type": "command", **c}) + "\n" for c in commands).encode()


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def measured(name, columns, rounds, folder):
    """The least time of each column, in seconds."""
    base = HERE / "programs" / name
    # With a line that is never reached, and a variable that is never written.
    more = pathlib.Path(folder) / f"{name}.ez"
    text = base.with_suffix(".ez").read_text()
    more.write_text(text + "\ntemp unwritten int = 0\ndo never() {\n    temp n int = unwritten\n    temp _ = n\n}\n")
    last = text.count("\n") + 4
    server = [EZ, "debugserver"]
    runs = {
        "ez": lambda: cpu([EZ, f"{base}.ez"]),
        "lua": lambda: cpu(["lua5.4", f"{base}.lua"]),
        "python": lambda: cpu(["python3", f"{base}.py"]),
        "attached": lambda: cpu(server, session(f"{base}.ez")),
        "breakpoint": lambda: cpu(server, session(more, line=last)),
        "watch": lambda: cpu(server, session(more, watched="unwritten")),
        "history": lambda: cpu(server, session(f"{base}.ez", history=True)),
        "listening": lambda: cpu([EZ, "run", "--debug-listen", "127.0.0.1:0", f"{base}.ez"]),
        "recorded": lambda: cpu([EZ, "run", "--record", f"{folder}/recording", f"{base}.ez"]),
    }
    least = dict.fromkeys(columns, math.inf)
    for _ in range(rounds):
        for c in columns:
            least[c] = min(least[c], runs[c]())
    return least


def saved():
    """What is in the file of ratios."""
    return json.loads(SAVED.read_text()) if SAVED.exists() else {}


def save(table, ratios):
    """Writes a table of ratios into the file; others in it stay."""
    machine = {"date": str(datetime.date.today()), "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    rounded = {name: {c: float(f"{ratio:.2g}") if ratio < 0.1 else round(ratio, 2) for c, ratio in row.items()} for name, row in ratios.items()}
    SAVED.write_text(json.dumps({**saved(), **machine, table: rounded}, indent=1) + "\n")


def worse(ratios, table="ratios", percent=5):
    """The ratios that are worse by more than this many per cent than those of a saved table."""
    saved_ones = saved().get(table, {})
    for name, row in ratios.items():
        for column, ratio in row.items():
            before = saved_ones.get(name, {}).get(column)
            if before and ratio > before * (1 + percent / 100):
                yield f"{name} {column}: {ratio:,.5g}, was {before:,.5g}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=5)
    for flag in ("python", "attached", "recorded", "save"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    for tool in ["lua5.4"] + (["python3"] if options.python else []):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    names = options.names or sorted(p.stem for p in (HERE / "programs").glob("*.ez"))
    columns = ["ez", "lua"] + ["python"] * options.python
    columns += ["attached", "breakpoint", "watch", "history", "listening"] * options.attached
    columns += ["recorded"] * options.recorded
    heads = [f"ez/{c}" if c in PEERS else f"{c}/ez" for c in columns[1:]]
    print("program   " + "".join(f"{c:>12}" for c in columns) + "".join(f"{h:>14}" for h in heads))
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            times = measured(name, columns, options.n, folder)
            own = times["ez"]
            ratios[name] = {c: own / times[c] if c in PEERS else times[c] / own for c in columns[1:]}
            print(f"{name:10}" + "".join(f"{times[c]:12.3f}" for c in columns) + "".join(f"{ratios[name][c]:14.2f}" for c in columns[1:]), flush=True)
    mean = {c: geomean([row[c] for row in ratios.values()]) for c in columns[1:]}
    print(f"{'geomean':10}" + " " * 12 * len(columns) + "".join(f"{mean[c]:14.2f}" for c in columns[1:]))
    if set(names) == {p.stem for p in (HERE / "programs").glob("*.ez")}:
        ratios["geomean"] = mean
    for line in worse(ratios):
        print(f"worse by more than 5 %: {line}")
    if options.save:
        save("ratios", ratios)


if __name__ == "__main__":
    main()
