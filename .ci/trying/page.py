"""Tries the page: unpacks it, serves it with `ez playground`, and debugs a program in it."""

import json
import os
import re
import shutil
import subprocess
import urllib.request
import zipfile
from pathlib import Path

from programs import ROOT, Failed, version

#: Tests of web/test/page that are run, by words of their names.
TESTS = ("a breakpoint is set by a click", "back, reverse, and forward again")


def tried(file, folder, native):
    """What was tried with the page; `native` is a program of this machine."""
    top = Path(folder) / f"ez-web-{version()}"
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    listed = json.loads(re.search(r"FILES = (\{.*?\});", (top / "sw.js").read_text(encoding="utf-8")).group(1))
    for name in ("LICENSE", "THIRD-PARTY.txt", "README.txt", "sw.js", "index.html", "worker.js", "ez.wasm", *listed):
        if not (top / name).is_file():
            raise Failed(f"there is no {name} in {file.name}")
    if (top / "ez.wasm").read_bytes()[:4] != b"\0asm":
        raise Failed(f"ez.wasm in {file.name} is no WebAssembly")
    server = subprocess.Popen([str(native), "playground", str(top), "--port", "0"], stdout=subprocess.PIPE,
                              encoding="utf-8")
    try:
        address = re.search(r"http://\S+/", server.stdout.readline()).group(0)
        for name, kind in (("", "text/html"), ("ez.wasm", "application/wasm")):
            with urllib.request.urlopen(address + name, timeout=60) as answer:
                found = answer.headers["Content-Type"]
                if not found.startswith(kind) or not answer.read():
                    raise Failed(f"ez playground serves /{name} as {found}")
        return ["unpacked", "served by ez playground", *used(address)]
    finally:
        server.terminate()
        server.wait()


def used(address):
    """Debugs a program in the page at an address, if this machine has what that takes."""
    browsers = (os.environ.get("CHROMIUM"), "chromium", "google-chrome", "chrome")
    browser = next((found for found in map(shutil.which, filter(None, browsers)) if found), None)
    if browser is None or shutil.which("node") is None or shutil.which("npm") is None:
        return ["not opened (no Chromium, or no node, on this machine)"]
    web = ROOT / "web"
    if not (web / "node_modules" / "playwright-core").is_dir():
        subprocess.run([shutil.which("npm"), "ci", "--ignore-scripts", "--silent"], cwd=web, check=True)
    for test in TESTS:
        done = subprocess.run(["node", "test/page.mjs", address, test], cwd=web, env={**os.environ, "CHROMIUM": browser},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=300)
        if done.returncode != 0 or "1 of 1 tests have passed" not in done.stdout:
            raise Failed(f"the page cannot be used: {done.stdout[-3000:]}")
    return ["a program debugged in Chromium"]
