#!/usr/bin/env python3
"""What debugging costs: the round trip of a step against a program that only echoes lines, steps with
much in scope, a condition that is always false, and output as events.

usage: benches/debug.py [-n STEPS]      Needs gcc. Build first: cargo build --release."""
import argparse, json, os, pathlib, statistics, subprocess, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
STEP = b'{"type":"command","command":"stepInto"}\n'
LOOP = "import @std, @arrays\nusing std\n\ndo main() {\n%s    temp n int = 0\n    loop {\n        n += 0\n        n -= 0\n    }\n}\n"


def command(name, **params):
    return (json.dumps({"type": "command", "command": name, "params": params}) + "\n").encode()


class Session:
    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.rest = b""

    def send(self, data):
        self.process.stdin.write(data)

    def until(self, mark):
        while True:
            line, sep, rest = self.rest.partition(b"\n")
            if sep:
                self.rest = rest
                if mark in line:
                    return line
                continue
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                raise SystemExit("the session ended: " + repr(self.rest))
            self.rest += chunk

    def end(self):
        self.process.kill()
        self.process.wait()


def trips(session, line, mark, count):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        session.send(line)
        session.until(mark)
        times.append(time.perf_counter() - begin)
    return times


def debugged(folder, program, count):
    path = pathlib.Path(folder) / "loop.ez"
    path.write_text(program)
    session = Session([EZ, "debugserver"])
    begin = time.perf_counter()
    session.send(command("initialize", file=str(path)) + command("start"))
    session.until(b'"stopped"')
    first = time.perf_counter() - begin
    # Past the declarations into the loop.
    for _ in range(program.count("temp ") + 2):
        session.send(STEP)
        session.until(b'"stopped"')
    times = trips(session, STEP, b'"stopped"', count)
    session.end()
    return times, first


def show(name, times, base=None):
    times = sorted(times)
    median, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    ratio = f"   median {median / base[0]:.2f} x, p99 {p99 / base[1]:.2f} x" if base else ""
    print(f"{name:44} median {median * 1e6:7.1f} us   p99 {p99 * 1e6:7.1f} us{ratio}", flush=True)
    return median, p99


def wall(argv, text, count=3):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        subprocess.run(argv, input=text, stdout=subprocess.DEVNULL, check=True, timeout=300)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def conditions(folder):
    path = pathlib.Path(folder) / "hot.ez"
    path.write_text("import @std\nusing std\n\ndo main() {\n    temp n int = 0\n    for i in range(0, 10000000) {\n        n += i\n    }\n    println(n)\n}\n")
    plain = wall([EZ, str(path)], b"")
    text = command("initialize", file=str(path)) + command("setBreakpoint", file=str(path), line=7, condition="i < 0") + command("start")
    print(f"{'false condition, 10,000,000 times':44} {wall([EZ, 'debugserver'], text):7.3f} s   plain {plain:.3f} s   {wall([EZ, 'debugserver'], text) / plain:.2f} x")


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
    count = parser.parse_args().n
    with tempfile.TemporaryDirectory() as folder:
        echo = f"{folder}/echo"
        subprocess.run(["gcc", "-O2", "-o", echo, str(HERE / "echo.c")], check=True)
        session = Session([echo])
        base = show("echo", trips(session, STEP, b"x", count))
        session.end()
        times, first = debugged(folder, LOOP % "", count)
        step = show("stepInto", times, base)
        print(f"{'start to first stop':44} {first * 1e3:.2f} ms")
        few = max(count // 10, 1000)
        many = "".join(f"    temp v{i} int = {i}\n" for i in range(200))
        show("stepInto, 200 variables in scope", debugged(folder, LOOP % many, few)[0], step)
        large = "    temp big [int] = {}\n    for i in range(0, 1000000) { arrays.append(big, i) }\n"
        path = pathlib.Path(folder) / "big.ez"
        path.write_text(LOOP % large)
        session = Session([EZ, "debugserver"])
        session.send(command("initialize", file=str(path)) + command("setBreakpoint", file=str(path), line=9) + command("start"))
        session.until(b'"stopped"')
        show("stepInto, array of 1,000,000 in scope", trips(session, STEP, b'"stopped"', few), step)
        session.end()
        conditions(folder)
        output(folder)


main()
