"""Runs a program `ez`, however it is started: a tenth of the corpus, and a debug session."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "testdata" / "programs"
SEED = 1
SHARE = 10


class Failed(Exception):
    """What is wrong with an artifact, as a sentence."""


class Ez:
    """A program, and how it is started.

    `command` starts it; `environment` is added to the one here. With `root` it runs in that folder as its root, in
    which nothing else is. `windows`: it is one for Windows.
    """

    def __init__(self, *command, environment=None, root=None, windows=False):
        self.command = [str(part) for part in command]
        self.environment = environment or {}
        self.root = root
        self.windows = windows

    def run(self, *arguments, cwd, input=b"", seconds=60):
        """What it prints, and its status."""
        def enter():
            os.chroot(self.root)
            os.chdir("/" + str(Path(cwd).relative_to(self.root)))

        environment = {**os.environ, "TZ": "UTC", "NO_COLOR": "1", **self.environment}
        done = subprocess.run([*self.command, *arguments], cwd=None if self.root else cwd, input=input, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds,
                              preexec_fn=enter if self.root else None)
        return done.stdout, done.stderr, done.returncode

    def version(self, folder):
        out, errors, status = self.run("version", cwd=folder)
        if status != 0:
            raise Failed(f"'ez version' ends with status {status}: {errors.decode('utf-8', 'replace')}")
        return out.decode("utf-8").strip()


def sample(windows, is_empty):
    """A tenth of the programs, the same ones each time, without those whose results are known to differ."""
    excepted = (ROOT / "testdata" / "DEVIATIONS.md").read_text(encoding="utf-8")
    if windows:
        excepted += (ROOT / "testdata" / "WINDOWS.md").read_text(encoding="utf-8")
    mains = {path.parent for path in CORPUS.glob("*/**/main.ez")}
    cases = [path for path in CORPUS.glob("*/**/*.ez")
             if path.name == "main.ez" or not any(folder in mains for folder in path.parents)]
    names = sorted(path.relative_to(CORPUS).as_posix() for path in cases)
    # Without a shell, without devices and time zones.
    outside = ("stdlib-system/", "own/stdlib/") if is_empty else ()
    names = [name for name in names if f"- {name}:" not in excepted and not name.startswith(outside)]
    return sorted(random.Random(SEED).sample(names, len(names) // SHARE))


def corpus(ez, folder):
    """Runs the sample in a copy below `folder`; says how many there were."""
    copy = Path(folder) / "programs"
    names = sample(ez.windows, ez.root is not None)
    for area in {name.split("/")[0] for name in names}:
        shutil.copytree(CORPUS / area, copy / area)
    wrong = []
    for name in names:
        path = copy / name

        def beside(extension):
            file = path.with_suffix("." + extension)
            return file.read_bytes() if file.exists() else b""

        out, _, status = ez.run(path.name, cwd=path.parent, input=beside("in"))
        if out.replace(b"\r\n", b"\n") != beside("stdout") or status != int(beside("exit") or 0):
            wrong.append(name)
    shutil.rmtree(copy)
    if wrong:
        raise Failed(f"{len(wrong)} of {len(names)} programs do something else: {', '.join(wrong[:10])}")
    return f"{len(names)} programs of the corpus"


def session(ez, folder):
    """A debug session: a breakpoint, a value, a step back, the end."""
    folder = Path(folder) / "session"
    folder.mkdir()
    program = (ROOT / "examples" / "bubble_sort.ez").read_text(encoding="utf-8")
    (folder / "sort.ez").write_text(program, encoding="utf-8")
    commands = [
        ("initialize", {"file": "sort.ez", "protocolVersion": 2, "history": True}),
        ("setBreakpoint", {"file": "sort.ez", "line": 13}),
        ("start", {}),
        ("evaluate", {"expression": "list[i] < kept"}),
        ("stepBack", {}),
        ("clearBreakpoint", {"file": "sort.ez", "line": 13}),
        ("goToPresent", {}),
        ("continue", {}),
    ]
    lines = [json.dumps({"type": "command", "command": name, "params": params, "id": number})
             for number, (name, params) in enumerate(commands)]
    out, errors, status = ez.run("debugserver", cwd=folder, input=("\n".join(lines) + "\n").encode())
    shutil.rmtree(folder)
    events = [json.loads(line) for line in out.decode("utf-8").splitlines()]
    stops = [(event["data"]["reason"], event["data"]["location"]["line"])
             for event in events if event["event"] == "stopped"]
    results = [event["data"]["result"] for event in events if event["event"] == "evaluateResult"]
    printed = "".join(event["data"]["text"] for event in events if event["event"] == "output")
    wanted = (("breakpoint", 13), ["true"], "{1, 2, 5, 7, 9}\n")
    if (stops[:1] and stops[0], results, printed) != wanted or ("step", 12) not in stops or status != 0:
        raise Failed(f"a debug session goes wrong (status {status}): {stops} {results} {printed!r} "
                     f"{errors.decode('utf-8', 'replace')}")
    return "a debug session"


def tried(ez, folder):
    """All that each `ez` has to do: a list of what was tried."""
    expected = version()
    said = ez.version(folder)
    if f"ez-debugger {expected})" not in said:
        raise Failed(f"'ez version' says {said!r}, not {expected}")
    licences, _, status = ez.run("licenses", cwd=folder)
    if status != 0 or b"MIT License" not in licences or b"ring " not in licences:
        raise Failed("'ez licenses' does not print the licences")
    return [corpus(ez, folder), session(ez, folder)]


def version():
    for line in (ROOT / "Cargo.toml").read_text(encoding="utf-8").splitlines():
        if line.startswith("version = "):
            return line.split('"')[1]
    raise Failed("Cargo.toml has no version")


if __name__ == "__main__":
    # To try any program: programs.py FOLDER COMMAND...
    print("; ".join(tried(Ez(*sys.argv[2:]), sys.argv[1])))
