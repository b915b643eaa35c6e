#!/usr/bin/env python3
"""What debugging costs: the round trip of a step against a program that only echoes lines, steps with
much in scope, steps and breakpoints in a large program, a condition that is always false, and output as
events.

usage: benches/debug.py [-n STEPS] [--large | --conditions]      Needs gcc. Build first: cargo build --release."""
import argparse, json, os, pathlib, resource, statistics, subprocess, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
STEP = '{"type":"command","command":"stepInto"}'
LOOP = "import @std, @arrays\nusing std\n\ndo main() {\n%s    temp n int = 0\n    loop {\n        n += 0\n        n -= 0\n    }\n}\n"


def command(name, **params):
    return (json.dumps({"type": "command", "command": name, "params": params}) + "\n").encode()


def trips(client, argv, setup, mark, skip, count):
    """Times of `count` round trips, in seconds."""
    argv = [client, str(count), mark, str(skip), STEP, *argv]
    done = subprocess.run(argv, input=setup, stdout=subprocess.PIPE, check=True, timeout=600)
    return [int(line) / 1e9 for line in done.stdout.split()]


def debugged(client, folder, program, count, line=None):
    """Steps through the loop at the end of a program; `line`: a breakpoint to begin at."""
    path = pathlib.Path(folder) / "loop.ez"
    path.write_text(program)
    setup = command("initialize", file=str(path))
    if line:
        setup += command("setBreakpoint", file=str(path), line=line)
    # Past the declarations into the loop.
    skip = 1 if line else program.count("temp ") + 3
    return trips(client, [EZ, "debugserver"], setup + command("start"), '"stopped"', skip, count)


def steps_with(client, folder, name, program, line, count, *commands):
    """Steps of version 2 from a breakpoint in this line, after these commands."""
    path = pathlib.Path(folder) / f"{name}.ez"
    path.write_text(program)
    setup = command("initialize", file=str(path), protocolVersion=2, stopOnEntry=False)
    setup += command("setBreakpoint", file=str(path), line=line) + b"".join(commands) + command("start")
    return trips(client, [EZ, "debugserver"], setup, '"stopped"', 1, count)


def first_stop(folder):
    path = pathlib.Path(folder) / "hello.ez"
    path.write_text('import @std\nusing std\n\ndo main() {\n    println("hello")\n}\n')
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        session = subprocess.Popen([EZ, "debugserver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        session.stdin.write(command("initialize", file=str(path)) + command("start"))
        session.stdin.flush()
        while b'"stopped"' not in session.stdout.readline():
            pass
        times.append(time.perf_counter() - begin)
        session.kill()
        session.communicate()
    return statistics.median(times)


def show(name, times, base=None):
    times = sorted(times)
    median, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    ratio = f"   median {median / base[0]:.2f} x, p99 {p99 / base[1]:.2f} x" if base else ""
    print(f"{name:44} median {median * 1e6:7.1f} us   p99 {p99 * 1e6:7.1f} us{ratio}", flush=True)
    return median, p99


def cpu(argv, text):
    """CPU seconds of a process that is given this to read."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, input=text, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def large_programs(client, folder, count):
    """What must not grow with the program: steps, breakpoints, pauses. Each in 11 lines, then in 50,000:
    in functions that do not run, and in the one that does."""
    small = debugged(client, folder, LOOP % "", count, line=7)
    base = show("stepInto, 11 lines", small)
    lines = "    n += 1\n" * 49_990
    other = LOOP % "" + "\ndo other(start int) -> int {\n    temp n int = start\n" + lines + "    return n\n}\n"
    show("stepInto, 50,000 lines", debugged(client, folder, other, count, line=7), base)
    same = (LOOP % "").replace("    loop {", "    if n > 0 {\n" + lines + "    }\n    loop {")
    show("stepInto, 50,000 lines of one function", debugged(client, folder, same, count, line=7 + 49_992), base)
    show("stepInto, 11 lines, again", debugged(client, folder, LOOP % "", count, line=7), base)
    base = None
    for name, program in (("11 lines", LOOP % ""), ("50,000 lines", other)):
        path = pathlib.Path(folder) / "breakpoints.ez"
        path.write_text(program)
        setup = command("initialize", file=str(path)) + command("setBreakpoint", file=str(path), line=7) + command("start")
        line = command("setBreakpoint", file=str(path), line=8).decode().rstrip("\n")
        argv = [client, str(count), '"breakpointSet"', "2", line, EZ, "debugserver"]
        done = subprocess.run(argv, input=setup, stdout=subprocess.PIPE, check=True, timeout=600)
        shown = show(f"setBreakpoint, {name}", [int(time) / 1e9 for time in done.stdout.split()], base)
        base = base or shown


def crowded_stops(client, folder, count):
    """What a stop does not show must not slow it down: breakpoints elsewhere, watches and variables that
    stay as they are, frames below."""
    program = LOOP % ""
    steps = lambda *rest: steps_with(client, folder, *rest)
    base = show("stepInto, version 2, small program", steps("small", program, 7, count))
    other = "\ndo other(n int) -> int {\n    temp m int = n\n" + "    m += 1\n" * 500 + "    return m\n}\n"
    lines = [{"line": line} for line in range(15, 515)]
    placed = command("setBreakpoints", file=str(pathlib.Path(folder) / "placed.ez"), breakpoints=[{"line": 7}, *lines])
    show("stepInto, 500 breakpoints", steps("placed", program + other, 7, count, placed), base)
    watches = [command("addWatch", expression=f"n / 10 + {number}") for number in range(50)]
    show("stepInto, 50 watches", steps("watched", program, 7, count, *watches), base)
    many = "".join(f"    temp v{i} int = {i}\n" for i in range(1000))
    show("stepInto, 1,000 variables in scope", steps("many", LOOP % many, 1007, count), base)
    deep = (LOOP % "").replace("do main() {", "do deep(left int) {\n    if left > 0 {\n        deep(left - 1)\n        return\n    }")
    deep += "\ndo main() {\n    deep(9000)\n}\n"
    show("stepInto, 9,000 frames", steps("deep", deep, 11, count), base)
    show("stepInto, version 2, small program, again", steps("small", program, 7, count), base)


HOT = """import @std
using std

const Point struct {
    x int
    y int
}

do never(n int) -> int {
    return n
}

do main() {
    temp seldom int = 0
    temp p Point = Point{x: 1, y: 2}
    temp items [int] = {1, 2, 3}
    temp ages map[string:int] = {"Ann": 31}
    temp n int = 0
    for i in range(0, 10000000) {
        n += i + p.x + items[0]
    }
    if n < 0 {
        seldom = never(n)
        p.y = n
        items[2] = n
        ages["Ann"] = n
    }
    println(n)
}
"""


def breakpoints(folder):
    """A loop of 10,000,000 rounds with breakpoints that are not hit or do not stop, beside the plain run, and
    with writes watched that do not come, beside the attached one."""
    path = pathlib.Path(folder) / "hot.ez"
    path.write_text(HOT)
    file = str(path)
    begin = command("initialize", file=file, protocolVersion=2, stopOnEntry=False)
    at_line = lambda line=20, **options: begin + command("setBreakpoint", file=file, line=line, **options) + command("start")

    def watching(*names):
        stop = begin + command("setBreakpoint", file=file, line=18) + command("start")
        # The references of what is looked at first.
        looks = b"".join(command("evaluate", expression=name) for name in ("p", "items", "ages"))
        return stop + looks + command("setDataBreakpoints", breakpoints=list(names)) + command(
            "setBreakpoints", file=file, breakpoints=[]) + command("continue")

    cases = {
        "attached": begin + command("start"),
        "false condition": at_line(condition="i < 0"),
        "false hit condition": at_line(hitCondition="== 0"),
        "log point never reached": at_line(23, logMessage="{n}"),
        "function breakpoint never reached": begin + command("setFunctionBreakpoints", breakpoints=[{"name": "never"}]) + command("start"),
        "errors watched": begin + command("setExceptionBreakpoints", filters=["uncaught", "errorValue"]) + command("start"),
        "write to a local watched": watching({"name": "seldom"}),
        "write to a field watched": watching({"reference": 4, "name": "y"}),
        "write to an element watched": watching({"reference": 5, "name": "[2]"}),
        "write to an entry watched": watching({"reference": 6, "name": '["Ann"]'}),
    }
    times = {name: [] for name in ("plain", *cases)}
    for _ in range(5):
        times["plain"].append(cpu([EZ, file], b""))
        for name, text in cases.items():
            times[name].append(cpu([EZ, "debugserver"], text))
    plain = statistics.median(times["plain"])
    for name, taken in times.items():
        taken = statistics.median(taken)
        print(f"{name + ', 10,000,000 rounds':44} {taken:7.3f} s   {taken / plain:.2f} x plain", flush=True)


CONDITIONS = """import @std
using std

const Point struct {
    x int
}

do next(n int) -> int {
    return n + 1
}

do main() {
    temp p Point = Point{x: 1}
    temp items [int] = {1, 2, 3}
    temp n int = 0
    temp m int = 0
    for i in range(0, 10000000) {
        STATEMENTS
    }
    println(n + m)
}
"""


def conditions(folder):
    """Breakpoints whose conditions are false, at the first statement of short loops of 10,000,000 rounds, beside the
    plain run of each."""
    loops = {
        "one statement": ["n += i"],
        "three statements": ["n += i", "m = n % 7", "n -= m"],
        "statement and if": ["n += i", "if n % 3 == 0 {", "    m += 1", "}"],
        "statement and call": ["n += i", "m = next(m)"],
    }
    options = {
        "i == 999999999": {"condition": "i == 999999999"},
        "n < -5 && m > 3": {"condition": "n < -5 && m > 3"},
        "p.x == 7": {"condition": "p.x == 7"},
        "items[1] == 7": {"condition": "items[1] == 7"},
        "hit 4,000,000,000": {"hitCondition": "== 4000000000"},
    }
    for name, statements in loops.items():
        path = pathlib.Path(folder) / "conditions.ez"
        path.write_text(CONDITIONS.replace("STATEMENTS", "\n        ".join(statements)))
        file = str(path)
        begin = command("initialize", file=file, protocolVersion=2, stopOnEntry=False)
        cases = {option: begin + command("setBreakpoint", file=file, line=18, **given) for option, given in options.items()}
        times = {option: [] for option in ("plain", *cases)}
        for _ in range(5):
            times["plain"].append(cpu([EZ, file], b""))
            for option, text in cases.items():
                times[option].append(cpu([EZ, "debugserver"], text + command("start")))
        plain = min(times["plain"])
        for option, taken in times.items():
            print(f"{name + ', ' + option:44} {min(taken):7.3f} s   {min(taken) / plain:.2f} x plain", flush=True)


def output(folder):
    path = pathlib.Path(folder) / "out.ez"
    path.write_text('import @std\nusing std\n\ndo main() {\n    for i in range(0, 1000000) {\n        println("line ${i}")\n    }\n}\n')
    text = command("initialize", file=str(path)) + command("start") + command("continue")
    process = subprocess.Popen([EZ, "debugserver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    begin = time.perf_counter()
    process.stdin.write(text)
    process.stdin.close()
    size = 0
    while chunk := os.read(process.stdout.fileno(), 1 << 16):
        size += len(chunk)
    took = time.perf_counter() - begin
    process.wait()
    print(f"{'1,000,000 output events':44} {took:7.3f} s   {size / 1e6:.0f} MB   {1 / took:.2f} million a second")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=100_000)
    parser.add_argument("--large", action="store_true", help="only what is said about large programs")
    parser.add_argument("--conditions", action="store_true", help="only what false conditions cost")
    options = parser.parse_args()
    count = options.n
    with tempfile.TemporaryDirectory() as folder:
        if options.conditions:
            return conditions(folder)
        for name in ("echo", "trips"):
            subprocess.run(["gcc", "-O2", "-o", f"{folder}/{name}", str(HERE / f"{name}.c")], check=True)
        client = f"{folder}/trips"
        if options.large:
            return large_programs(client, folder, count)
        base = show("echo", trips(client, [f"{folder}/echo"], b"", "x", 0, count))
        step = show("stepInto", debugged(client, folder, LOOP % "", count), base)
        show("echo, again", trips(client, [f"{folder}/echo"], b"", "x", 0, count), base)
        print(f"{'start to first stop':44} {first_stop(folder) * 1e3:.2f} ms")
        few = max(count // 10, 1000)
        many = "".join(f"    temp v{i} int = {i}\n" for i in range(200))
        show("stepInto, 200 variables in scope", debugged(client, folder, LOOP % many, few), step)
        large = "    temp big [int] = {}\n    for i in range(0, 1000000) { arrays.append(big, i) }\n"
        show("stepInto, array of 1,000,000 in scope", debugged(client, folder, LOOP % large, few, line=9), step)
        large_programs(client, folder, few)
        crowded_stops(client, folder, few)
        breakpoints(folder)
        conditions(folder)
        output(folder)


if __name__ == "__main__":
    main()
