"""Tries the files that are no wheels: archives, Debian packages, extensions, the bill of materials."""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import tarfile
import zipfile
from pathlib import Path

from programs import ROOT, Ez, Failed, tried, version

IN_ARCHIVE = ("LICENSE", "THIRD-PARTY.txt", "README.txt", "man/ez.1", "completions/ez.bash", "examples/hello.ez",
              "editors/nvim/syntax/ez.vim")
IN_ZIP = ("LICENSE", "THIRD-PARTY.txt", "README.txt", "completions/ez.ps1", "examples/hello.ez",
          "editors/nvim/syntax/ez.vim")


def archive(file, target, folder, ez):
    """Unpacks an archive and runs its program; a static one of this machine as the only file there is."""
    windows = file.suffix == ".zip"
    top = Path(folder) / f"ez-{version()}-{target}"
    if windows:
        with zipfile.ZipFile(file) as packed:
            packed.extractall(folder)
    else:
        with tarfile.open(file) as packed:
            packed.extractall(folder)
    for name in IN_ZIP if windows else IN_ARCHIVE:
        if not (top / name).is_file():
            raise Failed(f"there is no {name} in {file.name}")
    if not windows and not os.access(top / "ez", os.X_OK):
        raise Failed(f"ez cannot be run as it is unpacked from {file.name}")
    notes = ["unpacked", *tried(ez(top / ("ez.exe" if windows else "ez")), folder)]
    if not windows and shutil.which("bash"):
        check = 'source "$1"; complete -p ez'
        subprocess.run(["bash", "-c", check, "bash", str(top / "completions" / "ez.bash")], check=True,
                       stdout=subprocess.DEVNULL)
        notes.append("completion loaded by bash")
    return notes


def alone(file, target, folder):
    """The same with nothing else in the file system but /dev/null."""
    if os.geteuid() != 0:
        return ["not in an empty root file system (needs the user root)"]
    root = Path(folder) / "root"
    (root / "tmp").mkdir(parents=True)
    (root / "dev").mkdir()
    os.mknod(root / "dev" / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    with tarfile.open(file) as packed:
        packed.extractall(folder)
    shutil.copy(Path(folder) / f"ez-{version()}-{target}" / "ez", root / "ez")
    notes = tried(Ez("/ez", root=str(root), environment={"HOME": "/tmp", "TMPDIR": "/tmp", "PATH": "/"}), root / "tmp")
    return ["in a root with no other file but /dev/null: " + ", ".join(notes)]


def debian(file, folder, ez):
    """Installs a package into a root of its own and removes it."""
    if shutil.which("dpkg") is None:
        return ["not installed (no dpkg on this machine)"]
    root = Path(folder) / "debian"
    for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "tmp"):
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    dpkg = ["dpkg", f"--root={root}", "--force-not-root", "--force-bad-path", "--force-architecture",
            "--log=/dev/null"]

    def run(*arguments):
        done = subprocess.run([*dpkg, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        if done.returncode != 0:
            raise Failed(f"dpkg {arguments[0]} fails: {done.stdout}")

    run("--install", str(file))
    for name in ("usr/share/man/man1/ez.1.gz", "usr/share/bash-completion/completions/ez",
                 "usr/share/doc/ez-debugger/copyright", "usr/share/doc/ez-debugger/THIRD-PARTY.txt.gz"):
        if not (root / name).exists() and not (root / name).with_suffix("").exists():
            raise Failed(f"there is no {name} in {file.name}")
    notes = ["installed by dpkg", *tried(ez(root / "usr/bin/ez"), folder)]
    run("--purge", "ez-debugger")
    left = [path for path in (root / "usr").rglob("*") if path.is_file()]
    if left:
        raise Failed(f"dpkg --purge leaves {left}")
    return [*notes, "removed"]


def extension(file, folder, ez, native):
    """Unpacks an extension, loads its entry in node, and runs the program in it.

    `ez` says how that is started; `native` is a program of this machine, for one without a program."""
    place = Path(folder) / "extension"
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    manifest = json.loads((place / "package.json").read_text(encoding="utf-8"))
    if manifest["version"] != version():
        raise Failed(f"{file.name} has version {manifest['version']}")
    names = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    for name in ("THIRD-PARTY.txt", "icon.png", "extension.js", "dist/client.js", "dist/client.licenses.txt"):
        if name not in names:
            raise Failed(f"there is no {name} in {file.name}")
    if not names & {"LICENSE", "LICENSE.txt"} or any(name.startswith("test/") for name in names):
        raise Failed(f"{file.name} has no licence, or the tests: {sorted(names)}")
    program = next((place / name for name in ("bin/ez", "bin/ez.exe") if name in names), None)
    with zipfile.ZipFile(file) as packed:
        modes = {entry.filename: entry.external_attr >> 16 for entry in packed.infolist()}
    closed = [name for name, mode in modes.items() if mode & 0o044 != 0o044]
    if closed or modes.get("extension/bin/ez", 0o755) & 0o111 != 0o111:
        raise Failed(f"{file.name} has files that not everybody may use: {closed or 'bin/ez'}")
    notes = ["unpacked"]
    if program is not None:
        # As the mode in the file says, which Python does not restore.
        program.chmod(0o755)
        notes += tried(ez(program), folder)
        if program.name == "ez.exe" and os.name != "nt" or ez(program).command[0] != str(program):
            # Not a program of this machine: the entry is loaded without it.
            program.unlink()
    if shutil.which("node") is None:
        return [*notes, "entry not loaded (no node on this machine)"]
    test = ROOT / "editors" / "vscode" / "test" / "program.test.js"
    environment = {**os.environ, "EXTENSION": str(place), "EZ": str(native)}
    done = subprocess.run(["node", "--test", str(test)], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", timeout=120)
    if done.returncode != 0:
        raise Failed(f"the entry of {file.name} cannot be used: {done.stdout[-3000:]}")
    return [*notes, "its entry loaded by node"]


def bill(file):
    """Whether a bill of materials has the crates that the notices have."""
    components = json.loads(file.read_text(encoding="utf-8"))["components"]
    names = {component["name"] for component in components}
    if len(names) < 100 or not {"serde_json", "ring", "rust-std", "musl", "mingw-w64"} <= names:
        raise Failed(f"{file.name} has {len(names)} components")
    crates = {f"{component['name']} {component['version']}" for component in components if "purl" in component}
    unknown = crates - set((ROOT / "THIRD-PARTY.txt").read_text(encoding="utf-8").splitlines())
    if unknown:
        raise Failed(f"{file.name} has crates that are not in THIRD-PARTY.txt: {sorted(unknown)}")
    return [f"{len(components)} components"]


def manifest(file, folder):
    """Whether the sums in a package manager's manifest are those of the files beside it."""
    text = file.read_text(encoding="utf-8")
    if "@" in text.replace("@std", ""):
        raise Failed(f"{file.name} is not filled in")
    beside = {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.name.startswith("ez-")}
    words = [word.strip('"') for word in text.split()]
    sums = [word for word in words if len(word) == 64 and set(word) <= set("0123456789abcdef")]
    if not set(sums) <= beside:
        raise Failed(f"{file.name} has the sum of a file that is not there")
    return [f"{len(sums)} sums compared" if sums else "filled in"]
