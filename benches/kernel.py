#!/usr/bin/env python3
"""Measures `ez kernel` beside ipykernel, in one run.

    benches/kernel.py

Needs the environment that `.ci/notebooks browser` makes (or any with jupyter_client and ipykernel: run it with that
Python). Measures target/release/ez, or the program named by EZ. Times are in milliseconds, the median of several.
"""

import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

from jupyter_client.manager import KernelManager

ROOT = pathlib.Path(__file__).resolve().parent.parent
EZ = os.environ.get("EZ", str(ROOT / "target/release/ez"))
LINES = 100_000

PYTHON = {
    "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "print": f"for i in range({LINES}):\n    print(i)",
    "function": "def f(n):\n    m = n + 1\n    return m\nprint(f(1))",
    "line": 2,
}
EZ_KERNEL = {
    "argv": [EZ, "kernel", "{connection_file}"],
    "print": f"for i in range(0, {LINES}) {{\n    println(i)\n}}",
    "function": "do f(n int) -> int {\n    temp m int = n + 1\n    return m\n}\nprintln(f(1))",
    "line": 2,
}


class Kernel:
    """A kernel in a process, and a client of it."""

    def __init__(self, argv):
        self.folder = tempfile.TemporaryDirectory()
        spec = pathlib.Path(self.folder.name) / "measured"
        spec.mkdir()
        text = json.dumps({"argv": argv, "display_name": "measured", "language": "x"})
        (spec / "kernel.json").write_text(text)
        self.manager = KernelManager(kernel_name="measured")
        self.manager.kernel_spec_manager.kernel_dirs = [self.folder.name]
        begin = time.perf_counter()
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.kernel_info()
        self.client.get_shell_msg(timeout=60)
        self.start = time.perf_counter() - begin
        self.client.wait_for_ready(timeout=60)

    def execute(self, code):
        """Seconds until the reply and all output of a cell are there."""
        begin = time.perf_counter()
        self.client.execute_interactive(code, output_hook=lambda message: None, timeout=120)
        return time.perf_counter() - begin

    def debug(self, command, arguments=None, seq=iter(range(1, 1 << 30))):
        """Makes a request of the debugger; returns the body of the response."""
        content = {"type": "request", "seq": next(seq), "command": command, "arguments": arguments or {}}
        message = self.client.session.msg("debug_request", content)
        self.client.control_channel.send(message)
        while True:
            reply = self.client.get_control_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                assert reply["content"].get("success"), reply["content"]
                return reply["content"].get("body", {})

    def stopped(self):
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["msg_type"] == "debug_event" and message["content"]["event"] == "stopped":
                return

    def idle(self, request):
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            mine = message["parent_header"].get("msg_id") == request
            if mine and message["content"].get("execution_state") == "idle":
                return

    def prepare_debugger(self, code, line):
        self.debug("initialize", {"clientID": "bench", "adapterID": ""})
        self.debug("attach")
        path = self.debug("dumpCell", {"code": code})["sourcePath"]
        breakpoints = {"source": {"path": path}, "breakpoints": [{"line": line}]}
        self.debug("setBreakpoints", breakpoints)
        self.debug("configurationDone")

    def stop(self, code):
        """Seconds from the request of a cell to the variables at its breakpoint."""
        begin = time.perf_counter()
        request = self.client.execute(code)
        self.stopped()
        frames = self.debug("stackTrace", {"threadId": 1})["stackFrames"]
        scopes = self.debug("scopes", {"frameId": frames[0]["id"]})["scopes"]
        self.debug("variables", {"variablesReference": scopes[0]["variablesReference"]})
        seconds = time.perf_counter() - begin
        self.debug("continue", {"threadId": 1})
        self.idle(request)
        self.client.get_shell_msg(timeout=60)
        return seconds

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def measured(what):
    """Seconds of each measurement."""
    starts = []
    for _ in range(5):
        kernel = Kernel(what["argv"])
        starts.append(kernel.start)
        kernel.end()
    kernel = Kernel(what["argv"])
    kernel.execute("1 + 1")
    sums = [kernel.execute("1 + 1") for _ in range(100)]
    lines = [kernel.execute(what["print"]) for _ in range(3)]
    kernel.prepare_debugger(what["function"], what["line"])
    kernel.stop(what["function"])
    stops = [kernel.stop(what["function"]) for _ in range(20)]
    kernel.end()
    return {
        "start to kernel_info_reply": (statistics.median(starts), 10),
        "1 + 1": (statistics.median(sums), 3),
        f"{LINES} printed lines": (statistics.median(lines), 5),
        "stop and variables": (statistics.median(stops), 3),
    }


def main():
    ez, python = measured(EZ_KERNEL), measured(PYTHON)
    print(f"{'':28} {'ez kernel':>10} {'ipykernel':>10} {'times faster':>13} {'wanted':>7}")
    for name, (seconds, wanted) in ez.items():
        other = python[name][0]
        print(f"{name:28} {seconds * 1e3:10.2f} {other * 1e3:10.2f} {other / seconds:13.1f} {wanted:7}")


if __name__ == "__main__":
    main()
