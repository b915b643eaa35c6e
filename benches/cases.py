#!/usr/bin/env python3
"""What it costs to expect an output: cases, a large output, and a difference at the end of a long run.

usage: benches/cases.py [-n ROUNDS]

Times are wall seconds, medians of ROUNDS (default 5) runs in turn. Build first: cargo build --release."""
import argparse, json, os, pathlib, resource, statistics, subprocess, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
HEAD = "import @std\nusing std\n\ndo main() {\n"
SUM = HEAD + '    temp sum, _ = read_int()\n    println("${sum * 2}")\n}\n'
LINES = HEAD + '    for i in range(0, 3000000) {\n        println("line number ${i} of a long text")\n    }\n}\n'
COUNT = HEAD + '    temp sum int = 0\n    for i in range(0, 50000000) {\n        sum += i\n    }\n    println("${sum}")\n}\n'


def wall(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def medians(rounds, *works):
    times = [[] for _ in works]
    for _ in range(rounds):
        for work, found in zip(works, times):
            found.append(wall(work))
    return [statistics.median(found) for found in times]


def show(name, text):
    print(f"{name:52}{text}", flush=True)


def run(*command, status=0):
    def work():
        ended = subprocess.run(command, stdout=subprocess.DEVNULL)
        assert ended.returncode == status, (command, ended)
    return work


def commands(program, expected, history):
    def command(number, name, **params):
        return json.dumps({"type": "command", "command": name, "params": params, "id": number}) + "\n"
    said = command(1, "initialize", file=str(program), protocolVersion=2, history=history, stopOnEntry=False)
    said += command(2, "setExpectedOutput", file=str(expected)) if expected else ""
    return (said + command(3, "start")).encode()


def session(program, expected=None):
    """Runs a program in a session; what it tells is read by nobody who could be slow."""
    said = commands(program, expected, False)
    def work():
        told = subprocess.run([EZ, "debugserver", str(program)], input=said, stdout=subprocess.DEVNULL)
        assert told.returncode == 0, told
    return work


def stop(program, expected):
    """Runs a program with a history until it stops at a difference."""
    said = commands(program, expected, True)
    def work():
        server = subprocess.Popen([EZ, "debugserver", str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        server.stdin.write(said)
        server.stdin.flush()
        line = next(line for line in server.stdout if b'"event":"stopped"' in line)
        server.kill()
        server.wait()
        assert b'"reason":"output"' in line, line
    return work


def many(folder, rounds):
    program = folder / "twice.ez"
    program.write_text(SUM)
    cases = folder / "twice.cases"
    cases.mkdir()
    for number in range(1000):
        (cases / f"{number}.in").write_text(f"{number}\n")
        (cases / f"{number}.out").write_text(f"{number * 2}\n")
    [seconds] = medians(rounds, run(EZ, "test", str(program)))
    show("1,000 cases of a small program", f"{seconds:.2f} s")


def large(folder, rounds):
    program, output = folder / "lines.ez", folder / "lines.out"
    program.write_text(LINES)
    with open(output, "wb") as file:
        subprocess.run([EZ, str(program)], stdout=file, check=True)
    cases, free = folder / "large", folder / "free"
    cases.mkdir()
    free.mkdir()
    output.rename(cases / "1.out")
    (free / "1.status").write_text("0")
    test = [run(EZ, "test", "--time", "60", "--cases", str(place), str(program)) for place in (cases, free)]
    ours, without = medians(rounds, *test)
    show("a case that prints 100 MB", f"{ours:.2f} s   anything is expected {without:.2f} s   {ours / without:.2f} x")
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    show("largest process, with that", f"{memory:.0f} MB")
    ours, without = medians(rounds, session(program, cases / "1.out"), session(program))
    show("the same in a session", f"{ours:.2f} s   nothing is expected {without:.2f} s   {ours / without:.2f} x")


def late(folder, rounds):
    program, expected = folder / "count.ez", folder / "count.out"
    program.write_text(COUNT)
    expected.write_text("1\n")
    ours, plain = medians(rounds, stop(program, expected), run(EZ, str(program)))
    show("100,000,000 statements to a stop at a difference", f"{ours:.2f} s   plain {plain:.2f} s   {ours / plain:.2f} x")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=5, help="rounds")
    rounds = parser.parse_args().n
    with tempfile.TemporaryDirectory() as folder:
        for part in (many, large, late):
            part(pathlib.Path(folder), rounds)


if __name__ == "__main__":
    main()
