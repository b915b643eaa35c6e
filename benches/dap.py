#!/usr/bin/env python3
"""What an editor waits for at each step: `next`, its response and `stopped`, then `threads`, `stackTrace`, `scopes`
and `variables`, beside a program that answers the same requests with messages that are always the same.

usage: benches/dap.py [-n STEPS]      Needs gcc. Build first: cargo build --release."""
import argparse, os, pathlib, subprocess, tempfile

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
LOOP = "import @std\nusing std\n\ndo main() {\n    temp n int = 0\n    loop {\n        n += 1\n        n -= 1\n    }\n}\n"


def build(folder, name):
    program = str(pathlib.Path(folder) / name)
    subprocess.run(["gcc", "-O2", "-o", program, str(HERE / f"{name}.c")], check=True)
    return program


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("-n", type=int, default=5000, help="steps in a round")
    count = arguments.parse_args().n
    with tempfile.TemporaryDirectory() as folder:
        client, echo = build(folder, "dap_trips"), build(folder, "dap_echo")
        file = pathlib.Path(folder) / "loop.ez"
        file.write_text(LOOP)

        def times(argv):
            done = subprocess.run([client, str(count), str(file), *argv], stdout=subprocess.PIPE, check=True, timeout=600)
            return sorted(int(line) / 1e3 for line in done.stdout.split())

        # In turn, so that a machine that changes its speed changes both.
        echoed, stepped = [], []
        for _ in range(5):
            echoed += times([echo])
            stepped += times([EZ, "dap"])
        for name, all in (("echo", echoed), ("ez dap", stepped)):
            all.sort()
            print(f"{name:8} median {all[len(all) // 2]:7.1f} us   p99 {all[len(all) * 99 // 100]:7.1f} us")
        ratio = stepped[len(stepped) // 2] / echoed[len(echoed) // 2]
        print(f"next with all that an editor asks then: {ratio:.2f} x the echo")


if __name__ == "__main__":
    main()
