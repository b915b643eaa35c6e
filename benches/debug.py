#!/usr/bin/env python3
"""What debugging costs: the round trip of a step against a program that only echoes lines, steps with
much in scope, steps and breakpoints in a large program, a condition that is always false, and output as
events.

usage: benches/debug.py [-n STEPS] [--large]      Needs gcc. Build first: cargo build --release."""
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


def conditions(folder):
    path = pathlib.Path(folder) / "hot.ez"
    path.write_text("import @std\nusing std\n\ndo main() {\n    temp n int = 0\n    for i in range(0, 10000000) {\n        n += i\n    }\n    println(n)\n}\n")
    text = command("initialize", file=str(path)) + command("setBreakpoint", file=str(path), line=7, condition="i < 0") + command("start")
    plain, asked = [], []
    for _ in range(7):
        plain.append(cpu([EZ, str(path)], b""))
        asked.append(cpu([EZ, "debugserver"], text))
    plain, asked = statistics.median(plain), statistics.median(asked)
    print(f"{'false condition, 10,000,000 times':44} {asked:7.3f} s   plain {plain:.3f} s   {asked / plain:.2f} x")


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
    options = parser.parse_args()
    count = options.n
    with tempfile.TemporaryDirectory() as folder:
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
        conditions(folder)
        output(folder)


main()
