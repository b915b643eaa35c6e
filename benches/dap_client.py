"""A client of debug adapters that measures what a user waits for: a run under the debugger, and a step with all that
an editor asks then."""
import json, subprocess, time


class Adapter:
    """An adapter (`argv`) at the other end of two pipes."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.seq = 0
        self.request("initialize", adapterID="bench", supportsVariableType=True)

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()
        return self.seq

    def read(self):
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            if not line:
                raise SystemExit("the adapter has ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def answer(self, seq):
        while True:
            message = self.read()
            if message["type"] == "response" and message["request_seq"] == seq:
                assert message["success"], message
                return message.get("body") or {}

    def request(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def wait(self, *events):
        while True:
            message = self.read()
            if message["type"] == "event" and message["event"] in events:
                return message["event"]

    def launch(self, program, breakpoints=(), stops=False):
        """Starts a program, and waits until it stops at a breakpoint (if it `stops`) or has ended; returns the seconds
        from its start. Breakpoints are a line, or a line and a condition."""
        self.send("launch", program=str(program), console="internalConsole")
        self.wait("initialized")
        lines = [dict(zip(("line", "condition"), breakpoint)) for breakpoint in breakpoints]
        set_at = self.request("setBreakpoints", source={"path": str(program)}, breakpoints=lines)["breakpoints"]
        assert all(breakpoint["verified"] for breakpoint in set_at), set_at
        begin = time.perf_counter()
        self.send("configurationDone")
        event = self.wait("stopped", "terminated")
        assert (event == "stopped") == stops, f"{program} has {event}"
        return time.perf_counter() - begin

    def step(self):
        """The seconds of a step with the questions that an editor asks then."""
        begin = time.perf_counter()
        self.send("next", threadId=1)
        self.wait("stopped")
        self.request("threads")
        frame = self.request("stackTrace", threadId=1, startFrame=0, levels=20)["stackFrames"][0]["id"]
        scope = self.request("scopes", frameId=frame)["scopes"][0]["variablesReference"]
        self.request("variables", variablesReference=scope)
        return time.perf_counter() - begin

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stdin.close()


def run(argv, program, breakpoints=()):
    """The seconds of a run from its start to its end."""
    adapter = Adapter(argv)
    took = adapter.launch(program, breakpoints)
    adapter.end()
    return took


def steps(argv, program, line, count):
    """The median seconds of a step, from a breakpoint in a line on."""
    adapter = Adapter(argv)
    adapter.launch(program, [(line,)], stops=True)
    times = sorted(adapter.step() for _ in range(count + 20))
    adapter.end()
    return times[len(times) // 2]
