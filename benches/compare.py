#!/usr/bin/env python3
"""Runs the benchmark programs and their Lua and Python twins in turn and prints a table with ratios.

usage: benches/compare.py [-n ROUNDS] [--python] [--attached] [--recorded] [NAME ...]

Times are CPU seconds of the whole process, the median of ROUNDS (default 5) runs in turn, so that a
machine that changes its speed does so for all. Needs `lua5.4`; with --python also python3.
--attached adds the program under the debugger (no breakpoint, and one on a line never reached), and
while a debugger could come that does not,
--recorded the program while it is recorded.
Build first: cargo build --release."""
import argparse, json, math, os, pathlib, resource, shutil, statistics, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))


def cpu(command, text=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    nowhere = subprocess.DEVNULL
    subprocess.run(command, input=text, stdout=nowhere, stderr=nowhere, check=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def session(path, line):
    """A debug session that runs the program to its end, with a breakpoint on a line or (0) none: one on
    a line that is never reached keeps it from stopping at the start."""
    file = str(path)
    commands = [{"command": "initialize", "params": {"file": file}}]
    if line:
        commands.append({"command": "setBreakpoint", "params": {"file": file, "line": line}})
    commands += [{"command": "start"}] + ([] if line else [{"command": "continue"}])
    return "".join(json.dumps({"type": "command", **c}) + "\n" for c in commands).encode()


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--attached", action="store_true")
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    for tool in ["lua5.4"] + (["python3"] if options.python else []):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    programs = sorted((HERE / "programs").glob("*.ez"))
    names = options.names or [p.stem for p in programs]
    columns = ["ez", "lua"] + ["python"] * options.python + ["attached", "breakpoint", "listening"] * options.attached
    columns += ["recorded"] * options.recorded
    print("program   " + "".join(f"{c:>12}" for c in columns) + "".join(f"{'ez/' + c if c in ('lua', 'python') else c + '/ez':>14}" for c in columns[1:]))
    ratios = {c: [] for c in columns[1:]}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            base = HERE / "programs" / name
            unreached = pathlib.Path(folder) / f"{name}.ez"
            text = base.with_suffix(".ez").read_text()
            unreached.write_text(text + "\ndo never() {\n    temp n int = 1\n    temp _ = n\n}\n")
            last = text.count("\n") + 3
            runs = {
                "ez": lambda: cpu([EZ, f"{base}.ez"]),
                "lua": lambda: cpu(["lua5.4", f"{base}.lua"]),
                "python": lambda: cpu(["python3", f"{base}.py"]),
                "attached": lambda: cpu([EZ, "debugserver"], session(f"{base}.ez", 0)),
                "breakpoint": lambda: cpu([EZ, "debugserver"], session(unreached, last)),
                "listening": lambda: cpu([EZ, "run", "--debug-listen", "127.0.0.1:0", f"{base}.ez"]),
                "recorded": lambda: cpu([EZ, "run", "--record", f"{folder}/recording", f"{base}.ez"]),
            }
            times = {c: [] for c in columns}
            for _ in range(options.n):
                for c in columns:
                    times[c].append(runs[c]())
            median = {c: statistics.median(t) for c, t in times.items()}
            for c in columns[1:]:
                own = median["ez"] / median[c] if c in ("lua", "python") else median[c] / median["ez"]
                ratios[c].append(own)
            print(f"{name:10}" + "".join(f"{median[c]:12.3f}" for c in columns) + "".join(f"{ratios[c][-1]:14.2f}" for c in columns[1:]), flush=True)
    print(f"{'geomean':10}" + " " * 12 * len(columns) + "".join(f"{geomean(ratios[c]):14.2f}" for c in columns[1:]))


main()
