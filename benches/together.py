#!/usr/bin/env python3
"""What it costs to share a session: steps of its owner, unshared, shared without guests, and with three guests that read
all they are told; in turn, so that the machine's load is the same for all.

usage: benches/together.py [-n STEPS] [--guests N]      Build first: cargo build --release."""
import argparse, json, os, pathlib, socket, statistics, subprocess, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
LOOP = "import @std\nusing std\n\ndo main() {\n    temp n int = 0\n    loop {\n        n += 0\n        n -= 0\n    }\n}\n"


def command(name, **params):
    return (json.dumps({"type": "command", "command": name, "params": params}) + "\n").encode()


class Session:
    """A session that is stopped in the loop, with so many guests; `None`: it is not shared."""

    def __init__(self, path, guests):
        self.process = subprocess.Popen([EZ, "debugserver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask(command("initialize", file=str(path), protocolVersion=2), b'"initialized"')
        self.ask(command("start"), b'"stopped"')
        self.readers = []
        if guests is None:
            return
        shared = json.loads(self.ask(command("share"), b'"shared"'))["data"]
        for _ in range(guests):
            guest = socket.create_connection((shared["host"], shared["port"]))
            guest.sendall(command("attach", protocolVersion=2, token=shared["tokens"]["observer"]))
            while b'"attached"' not in guest.recv(1 << 16):
                pass
            # A process of its own, which does nothing but read.
            self.readers.append(subprocess.Popen(["cat"], stdin=guest, stdout=subprocess.DEVNULL))
            guest.close()

    def ask(self, line, mark):
        self.process.stdin.write(line)
        self.process.stdin.flush()
        while mark not in (answer := self.process.stdout.readline()):
            assert answer
        return answer

    def steps(self, count):
        """The median time of a step, in microseconds."""
        step, times = command("stepInto"), []
        for _ in range(count):
            begin = time.perf_counter()
            self.ask(step, b'"stopped"')
            times.append(time.perf_counter() - begin)
        return statistics.median(times) * 1e6

    def end(self):
        self.process.kill()
        for process in (self.process, *self.readers):
            process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=1000)
    parser.add_argument("--guests", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        path = pathlib.Path(folder) / "loop.ez"
        path.write_text(LOOP)
        kinds = {"not shared": None, "shared, nobody there": 0, f"{options.guests} guests": options.guests}
        times = {name: [] for name in kinds}
        for _ in range(7):
            for name, guests in kinds.items():
                session = Session(path, guests)
                session.steps(100)
                times[name].append(session.steps(options.n))
                session.end()
        base = statistics.median(times["not shared"])
        for name, medians in times.items():
            median = statistics.median(medians)
            print(f"{name:24} a step {median:7.1f} us   {median / base:.2f} x")


if __name__ == "__main__":
    main()
