#!/usr/bin/env python3
"""What an editor waits for with `ez lsp` in a file of 10,000 lines: the start, requests at once after an edit and again,
reports after the pause; and what 10,000 edits leave in memory.

usage: benches/lsp.py [-n ROUNDS]      Build first: cargo build --release."""
import argparse, json, os, pathlib, queue, subprocess, threading, time

HERE = pathlib.Path(__file__).resolve().parent
EZ = os.environ.get("EZ", str(HERE.parent / "target/release/ez"))
PAUSE = 0.15
URI = "file:///no-such-folder/main.ez"
FUNCTION = """do function_{0}(a int, b string) -> int {{
    temp sum = 0
    temp p Point = Point{{x: a, y: 2}}
    for i in range(0, a) {{
        if i % 2 == 0 {{
            sum += i * p.x
        }} otherwise {{
            sum -= 1
        }}
    }}
    println("sum ${{sum}} of ${{b}}")
    return sum + p.y
}}

"""


def program(lines):
    text = "import & use @std\n\nconst Point struct { x int y int }\n\n"
    number = 0
    while text.count("\n") + number < lines - 3:
        text += FUNCTION.format(number)
        number += 1
    return text + "do main() {\n" + "".join(f'    println(function_{n}(3, "x"))\n' for n in range(number)) + "}\n"


class Server:
    def __init__(self):
        self.process = subprocess.Popen([EZ, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages, self.number = queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.process.stdout
        while line := out.readline():
            length = int(line.split(b":")[1])
            out.readline()
            # The time counts at which a message is there, not when Python has read it.
            body = out.read(length)
            self.messages.put((time.perf_counter(), body))

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def request(self, method, params):
        """The milliseconds to the answer, and the answer."""
        self.number += 1
        begin = time.perf_counter()
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            at, body = self.messages.get(timeout=60)
            answer = json.loads(body)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return (at - begin) * 1e3, answer["result"]

    def edit(self, version, line, start, end, text):
        places = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        document = {"uri": URI, "version": version}
        changes = [{"range": places, "text": text}]
        self.send({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": changes}})

    def reports(self, version):
        """The time at which the reports of a version have come."""
        while True:
            at, body = self.messages.get(timeout=60)
            if b"publishDiagnostics" in body and json.loads(body)["params"].get("version") == version:
                return at

    def memory(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024


def show(name, times):
    times = sorted(times)
    print(f"{name:34} median {times[len(times) // 2]:7.2f} ms   largest {times[-1]:7.2f} ms")


def start():
    begin = time.perf_counter()
    server = Server()
    server.request("initialize", {"capabilities": {}})
    spent = (time.perf_counter() - begin) * 1e3
    server.process.kill()
    server.process.wait()
    return spent


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("-n", type=int, default=20, help="rounds")
    rounds = arguments.parse_args().n
    show("start", [start() for _ in range(rounds)])
    server = Server()
    server.request("initialize", {"capabilities": {}})
    document = {"uri": URI, "languageId": "ez", "version": 1, "text": program(10_000)}
    server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    server.reports(1)
    # `sum` in a function in the middle, whose name becomes another one and the same again.
    line = next(n for n, text in enumerate(document["text"].split("\n")) if "do function_300(" in text) + 5
    place = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 26}}
    requests = [
        ("hover", "textDocument/hover", place),
        ("completion behind a '.'", "textDocument/completion", place),
        ("completion of names", "textDocument/completion", {**place, "position": {"line": line, "character": 19}}),
        ("references", "textDocument/references", {**place, "context": {"includeDeclaration": True}}),
        ("semantic tokens", "textDocument/semanticTokens/full", place),
        ("outline", "textDocument/documentSymbol", place),
    ]
    version = 1
    for name, method, params in requests:
        first, again = [], []
        for _ in range(rounds):
            version += 1
            server.edit(version, line + 6, 0, 0, " ")
            first.append(server.request(method, params)[0])
            again.append(server.request(method, params)[0])
        show(f"{name}, after an edit", first)
        show(f"{name}, again", again)
    times = []
    for _ in range(rounds):
        version += 1
        begin = time.perf_counter()
        server.edit(version, line + 6, 0, 0, " ")
        times.append((server.reports(version) - begin - PAUSE) * 1e3)
    show("reports, after the pause", times)
    sizes = []
    for _ in range(5):
        for _ in range(1000):
            version += 2
            server.edit(version - 1, line, 19, 20, "x")
            server.edit(version, line, 19, 20, "i")
        server.request("textDocument/hover", place)
        server.reports(version)
        sizes.append(server.memory())
    print("memory after each 2,000 of 10,000 edits: " + ", ".join(f"{size:.0f} MiB" for size in sizes))
    server.process.kill()


if __name__ == "__main__":
    main()
