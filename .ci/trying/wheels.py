"""Tries wheels: as `pip`, `pipx` and `uv` install them, without Rust; the package, the kernel and the panels."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from programs import ROOT, Ez, Failed, tried, version

PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13")

SESSION = """
import importlib.metadata, pathlib, sys, sysconfig
import ez_debugger
from ez_debugger import Session, find_ez

assert importlib.metadata.version("ez-debugger") == ez_debugger.__version__ == sys.argv[1]
assert sys.prefix in ez_debugger.__file__ and pathlib.Path(find_ez()).parent == pathlib.Path(sysconfig.get_path("scripts"))
licences = [str(file) for file in importlib.metadata.files("ez-debugger") if "licenses" in str(file)]
assert sorted(pathlib.Path(file).name for file in licences) == ["LICENSE", "THIRD-PARTY.txt"], licences
with Session(sys.argv[2]) as session:
    session.start()
    session.continue_()
    assert session.output == "{1, 2, 5, 7, 9}\\n", session.output
"""

KERNEL = """
import sys
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="ez", startup_timeout=60)
shown = []
client.execute_interactive("6 * 7", timeout=60, output_hook=lambda message: shown.append(message["content"]))
manager.shutdown_kernel(now=True)
assert any("42" in content.get("data", {}).get("text/plain", "") for content in shown), shown
"""

PANELS = """
import sys, time
from PyQt6.QtWidgets import QApplication
from ez_debugger.qt import DebuggerPanel, DebugSession, Launch

application = QApplication([])
session = DebugSession()
panel = DebuggerPanel(session)
panel.show()
session.start(Launch(file=sys.argv[1], stop_on_entry=True))
deadline = time.monotonic() + 60
while session.state.status != "stopped" and time.monotonic() < deadline:
    application.processEvents()
assert session.state.status == "stopped", session.state
session.close()
"""


def clean(folder):
    """An environment without Rust, and without the settings of the one who tries."""
    keep = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_CERT",
                                                "SSL_CERT_FILE", "UV_INDEX_URL", "UV_DEFAULT_INDEX") if name in os.environ}
    home = Path(folder) / "home"
    home.mkdir(exist_ok=True)
    path = os.environ["PATH"] if sys.platform == "win32" else "/usr/local/bin:/usr/bin:/bin"
    return {**keep, "PATH": path, "HOME": str(home), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "QT_QPA_PLATFORM": "offscreen"}


def run(*command, folder, what, **environment):
    done = subprocess.run([str(part) for part in command], cwd=folder, env={**clean(folder), **environment}, timeout=600,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    if done.returncode != 0:
        raise Failed(f"{what} fails:\n{done.stdout[-3000:]}")
    return done.stdout


def interpreters():
    """The Pythons of this machine, each version once."""
    found = {}
    for number in PYTHONS:
        places = [shutil.which(f"python{number}"), *sorted(Path.home().glob(f".pyenv/versions/{number}.*/bin/python3"))]
        for place in filter(None, places):
            # What pyenv puts in the path may name a version that is not chosen.
            told = subprocess.run([str(place), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
            if told.stdout.strip() == number:
                found[number] = str(place)
                break
    return found or {"%d.%d" % sys.version_info[:2]: sys.executable}


def scripts(environment):
    folder = Path(environment) / ("Scripts" if sys.platform == "win32" else "bin")
    return folder, ".exe" if sys.platform == "win32" else ""


def venv(python, folder, name, *requirements, index=True):
    environment = Path(folder) / name
    run(python, "-m", "venv", environment, folder=folder, what="making a virtual environment")
    where, suffix = scripts(environment)
    options = [] if index else ["--no-index"]
    run(where / f"python{suffix}", "-m", "pip", "install", "--quiet", *options, *requirements, folder=folder,
        what=f"'pip install' of {name}")
    return where, suffix


def installed(wheel, folder):
    """Installs a wheel of this machine in many ways, and tries what came of it."""
    notes, sort = [], ROOT / "examples" / "bubble_sort.ez"
    pythons = interpreters()
    for number, python in pythons.items():
        where, suffix = venv(python, folder, f"pip{number}", wheel, index=False)
        run(where / f"python{suffix}", "-c", SESSION, version(), sort, folder=folder, what=f"a session with Python {number}")
    notes.append(f"pip with Python {', '.join(pythons)} and a session of the package")
    notes += tried(Ez(where / f"ez{suffix}"), folder)
    notes.append(uv(wheel, folder))
    notes.append(pipx(wheel, folder))
    notes.append(kernel(wheel, folder))
    notes.append(panels(wheel, folder))
    return notes


def uv(wheel, folder):
    program = shutil.which("uvx")
    if program is None:
        return "not uvx (not on this machine)"
    cache = {"UV_CACHE_DIR": str(Path(folder) / "uv"), "UV_PYTHON": sys.executable}
    out = run(program, "--offline", "--from", wheel, "ez", "version", folder=folder, what="'uvx'", **cache)
    if version() not in out:
        raise Failed(f"'uvx' starts {out!r}")
    return "uvx"


def pipx(wheel, folder):
    program = shutil.which("pipx")
    if program is None:
        return "not pipx (not on this machine)"
    home = {"PIPX_HOME": str(Path(folder) / "pipx"), "PIPX_BIN_DIR": str(Path(folder) / "pipx-bin"),
            "PIPX_MAN_DIR": str(Path(folder) / "pipx-man")}
    run(program, "install", "--quiet", wheel, folder=folder, what="'pipx install'", **home)
    run(Path(folder) / "pipx-bin" / f"ez{scripts('.')[1]}", "version", folder=folder, what="the 'ez' of pipx")
    return "pipx"


def kernel(wheel, folder):
    where, suffix = venv(sys.executable, folder, "jupyter", wheel, "jupyter_client")
    found = run(where / f"jupyter{suffix}", "kernelspec", "list", folder=folder, what="'jupyter kernelspec list'")
    if "ez " not in found:
        raise Failed(f"Jupyter does not find the kernel: {found}")
    run(where / f"python{suffix}", "-c", KERNEL, folder=folder, what="a cell")
    return "the kernel found by Jupyter, and a cell"


def panels(wheel, folder):
    where, suffix = venv(sys.executable, folder, "qt", f"{wheel}[qt]")
    run(where / f"python{suffix}", "-c", PANELS, ROOT / "examples" / "bubble_sort.ez", folder=folder,
        what="a session in the panels")
    return "a session in the panels (PyQt6)"


def unpacked(wheel, folder, platform, ez):
    """What pip installs of a wheel for another machine; `ez` says how its program is started."""
    target = Path(folder) / platform
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--only-binary=:all:",
        "--platform", platform, "--target", target, wheel, folder=folder, what=f"'pip install --platform {platform}'")
    name = "ez.exe" if "win" in platform else "ez"
    program = target / "bin" / name
    if not program.exists():
        raise Failed(f"pip installs no bin/{name} on {platform}")
    return [f"pip --platform {platform}", *tried(ez(program), folder)]


def tags(wheel):
    """What auditwheel says of a wheel for Linux: the oldest system on which its program runs."""
    if shutil.which("auditwheel") is None:
        return ["not auditwheel (not on this machine)"]
    done = subprocess.run(["auditwheel", "show", str(wheel)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8")
    found = re.search(r'platform tag:\s+"manylinux_2_(\d+)_', done.stdout)
    if found is None or int(found.group(1)) > 17 or "requires no external shared libraries" not in done.stdout:
        raise Failed(f"the program of {wheel.name} is not one for every Linux: {done.stdout}{done.stderr}")
    return [f"auditwheel: manylinux_2_{found.group(1)}, without shared libraries"]
