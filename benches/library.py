#!/usr/bin/env python3
"""Runs what the library is to do fast and its Python twins in turn and prints a table with ratios.

usage: benches/library.py [-n ROUNDS] [NAME ...]

Each program of benches/programs/library prepares its data and then does its work as often as its
argument says. What is measured is the work alone: CPU seconds of a process that does it three times, less
those of one that only prepares, by three; the median of ROUNDS (default 5) of both run in turn.
Needs `python3`. Build first: cargo build --release."""
import argparse, os, pathlib, resource, shutil, statistics, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
TIMES = 3


def cpu(command, times):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command + [str(times)], stdout=subprocess.DEVNULL, check=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def work(command):
    return (cpu(command, TIMES) - cpu(command, 0)) / TIMES


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not shutil.which("python3"):
        sys.exit("python3 is missing")
    folder = HERE / "programs" / "library"
    names = options.names or sorted(p.stem for p in folder.glob("*.ez"))
    print(f"{'work':14}{'ez':>10}{'python':>10}{'ez/python':>12}")
    for name in names:
        base = folder / name
        times = {"ez": [], "python": []}
        for _ in range(options.n):
            times["ez"].append(work([EZ, f"{base}.ez"]))
            times["python"].append(work(["python3", f"{base}.py"]))
        ez, python = statistics.median(times["ez"]), statistics.median(times["python"])
        print(f"{name:14}{ez:10.3f}{python:10.3f}{ez / python:12.2f}", flush=True)


main()
