#!/usr/bin/env python3
"""What the rest costs: start, output, memory, and how time grows with the program and its depth.

usage: benches/limits.py [-n ROUNDS]

Times are wall seconds, medians of ROUNDS (default 15) runs in turn. Needs gcc and `lua5.4`. Build first:
cargo build --release."""
import argparse, os, pathlib, resource, shutil, statistics, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
HEAD = "import @std\nusing std\n\n"
PRINTING_C = '#include <stdio.h>\nint main(void) { for (int i = 0; i < 1000000; i++) printf("line %d\\n", i); }\n'
DEPTH = 9000
CALLS = 900_000


def wall(command, stdout=subprocess.DEVNULL):
    begin = time.perf_counter()
    # No timeout: with one, Python looks for the end in steps of milliseconds.
    subprocess.run(command, stdout=stdout, check=True)
    return time.perf_counter() - begin


def medians(rounds, *commands, stdout=subprocess.DEVNULL):
    """Times of the commands, run in turn."""
    times = [[] for _ in commands]
    for _ in range(rounds):
        for command, found in zip(commands, times):
            found.append(wall(command, stdout))
    return [statistics.median(found) for found in times]


def show(name, text):
    print(f"{name:52}{text}", flush=True)


def write(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    return str(path)


def program(lines):
    """A program of about so many lines: functions with a loop, a condition, strings and arrays."""
    parts = [HEAD + 'do main() {\n    println("hello")\n}\n']
    for i in range(lines // 10):
        parts.append(
            f"\ndo work{i}(n int) -> int {{\n    temp parts [int] = {{1, 2, 3}}\n    temp total int = 0\n"
            f'    for i in range(0, n) {{\n        if i % 3 == 0 {{ total += parts[i % 3] * {i} }}\n    }}\n'
            f'    println("${{total}}")\n    return total\n}}\n'
        )
    return "".join(parts)


def start(folder, rounds):
    hello = write(folder, "hello.ez", HEAD + 'do main() {\n    println("hello")\n}\n')
    twin = write(folder, "hello.lua", 'print("hello")\n')
    ez, lua = medians(rounds * 5, [EZ, hello], ["lua5.4", twin])
    show("hello world", f"{ez * 1e3:6.2f} ms   lua5.4 {lua * 1e3:.2f} ms   {ez / lua:.2f} x")


def checking(folder, rounds):
    files = [write(folder, f"lines{n}.ez", program(n)) for n in (10_000, 20_000)]
    short, long = medians(rounds, *([EZ, "check", f] for f in files))
    show("10,000 lines checked", f"{short * 1e3:6.1f} ms")
    show("20,000 lines checked", f"{long * 1e3:6.1f} ms   {long / short:.2f} x the time of half of it")


def printing(folder, rounds):
    ez = write(folder, "print.ez", HEAD + 'do main() {\n    for i in range(0, 1000000) { println("line ${i}") }\n}\n')
    source = write(folder, "print.c", PRINTING_C)
    subprocess.run(["gcc", "-O2", "-o", f"{folder}/print", source], check=True)
    with open(f"{folder}/out", "wb") as out:
        ours, c = medians(rounds, [EZ, ez], [f"{folder}/print"], stdout=out)
    show("println of 1,000,000 lines to a file", f"{ours * 1e3:6.1f} ms   C with stdio {c * 1e3:.1f} ms   {ours / c:.2f} x")


def memory(folder):
    """Bytes an element: the largest resident size of a program with 20,000,000 less that of one with half as
    many (with none it would be that of this script, which is counted until the program is there)."""
    for name, fill in (
        ("append, at its peak", "for i in range(0, n) { arrays.append(a, i) }"),
        ("arrays.repeat", "a = arrays.repeat(7, n)"),
    ):
        sizes = []
        for count in (10_000_000, 20_000_000):
            text = HEAD.replace("@std", "@std, @arrays") + f"do main() {{\n    temp n int = {count}\n    temp a [int] = {{}}\n    {fill}\n    println(len(a))\n}}\n"
            path = write(folder, "memory.ez", text)
            run = subprocess.Popen([EZ, path], stdout=subprocess.DEVNULL)
            _, _, usage = os.wait4(run.pid, 0)
            sizes.append(usage.ru_maxrss * 1024)
        show(f"[int] of 10,000,000, {name}", f"{(sizes[1] - sizes[0]) / 1e7:6.1f} bytes an element")


def growth(folder, rounds):
    text = HEAD + "do main() {{\n    temp n int = 0\n    for i in range(0, {0}) {{\n        if i % 3 == 0 {{ n += i }}\n    }}\n    println(n)\n}}\n"
    runs = [[EZ, write(folder, f"loop{c}.ez", text.format(c))] for c in (5_000_000, 10_000_000, 40_000_000)]
    one, two, eight = medians(rounds, *runs)
    show("statements: 10,000,000 rounds, 40,000,000", f"{two / one:6.2f} x, {eight / one:.2f} x the time of 5,000,000")
    text = HEAD + "do down(n int) -> int {{\n    if n == 0 {{ return 0 }}\n    return down(n - 1) + 1\n}}\n\ndo main() {{\n    temp sum int = 0\n    for i in range(0, {1}) {{ sum += down({0}) }}\n    println(sum)\n}}\n"
    depths = (10, 100, 1000, DEPTH)
    runs = [[EZ, write(folder, f"depth{d}.ez", text.format(d, 10 * CALLS // d))] for d in depths]
    times = medians(rounds, *runs)
    # Each level is a call; the first one of each descent is too.
    costs = [t / (10 * CALLS // d * (d + 1)) * 1e9 for d, t in zip(depths, times)]
    show(f"a call at depth {', '.join(map(str, depths))}", ", ".join(f"{c:.1f}" for c in costs) + " ns")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=15)
    rounds = parser.parse_args().n
    if not shutil.which("lua5.4"):
        sys.exit("lua5.4 is missing")
    with tempfile.TemporaryDirectory() as folder:
        start(folder, rounds)
        checking(folder, rounds)
        printing(folder, rounds)
        memory(folder)
        growth(folder, max(rounds // 3, 3))


main()
