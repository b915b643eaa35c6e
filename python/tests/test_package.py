"""The package as it is installed: which `ez` it finds, what importing it costs, `python -m ez_debugger`."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import zipfile
from pathlib import Path

import project
import ez_debugger

PACKAGE = project.ROOT / "python" / "ez_debugger"
NAME = "ez.exe" if sys.platform == "win32" else "ez"
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"

LOOK = """
import sys
sys.path.insert(0, sys.argv[1])
from ez_debugger.client.find import find_ez
print(find_ez())
"""


def run(*command, **options):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **options.pop("env", {})}
    done = subprocess.run([str(part) for part in command], env=environment, timeout=120, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", **options)
    return done.stdout.strip(), done.stderr.strip(), done.returncode


def make_wheel(folder):
    """A wheel with the package and a program that says only who it is."""
    wheel = Path(folder, "ez_debugger-7.8.9-py3-none-any.whl")
    parts = {
        f"ez_debugger-7.8.9.data/scripts/{NAME}": b"#!/bin/sh\necho its own $*\n",
        "ez_debugger-7.8.9.dist-info/METADATA": b"Metadata-Version: 2.1\nName: ez-debugger\nVersion: 7.8.9\n",
        "ez_debugger-7.8.9.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    for file in PACKAGE.rglob("*.py"):
        if "qt" not in file.parts and "ez_ide" not in file.parts:
            parts[file.relative_to(PACKAGE.parent).as_posix()] = file.read_bytes()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in parts.items())
    parts["ez_debugger-7.8.9.dist-info/RECORD"] = (record + "ez_debugger-7.8.9.dist-info/RECORD,,\n").encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o100755 << 16
            archive.writestr(info, data)
    return wheel


def other_program(folder):
    """A program of this name that is not ours."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    program = Path(folder, NAME)
    program.write_text("#!/bin/sh\necho another\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def has_pip():
    return run(sys.executable, "-m", "pip", "--version")[2] == 0


def prefers_local():
    preferred = getattr(sysconfig, "get_preferred_scheme", None)
    return preferred is not None and preferred("prefix") == "posix_local"


@unittest.skipUnless(has_pip(), "no pip")
class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # Names in what Python says have no links.
        self.folder = Path(folder.name).resolve()
        self.wheel = make_wheel(self.folder)
        self.path = os.pathsep.join([str(other_program(self.folder / "path").parent), os.environ["PATH"]])

    def install(self, *options, python=sys.executable):
        said = run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--ignore-installed", "--quiet",
                   "--disable-pip-version-check", *options, self.wheel)
        self.assertEqual(said[2], 0, said)

    def check(self, site, program, python=sys.executable):
        self.assertTrue(program.is_file(), program)
        found = run(python, "-c", LOOK, site, cwd=self.folder, env={"PATH": self.path})
        self.assertEqual(found, (str(program), "", 0))

    def site(self, prefix):
        return next(folder for folder in prefix.rglob("*-packages") if (folder / "ez_debugger").is_dir())

    def test_prefix(self):
        # As `--user`, as conda does it, and as Debian does with /usr/local.
        prefix = self.folder / "a b"
        self.install("--prefix", prefix)
        program = next(prefix.rglob(NAME))
        self.check(self.site(prefix), program)
        # Without what the installer has written down, too.
        shutil.rmtree(next(self.site(prefix).glob("*.dist-info")))
        self.check(self.site(prefix), program)

    def test_target(self):
        target = self.folder / "x" / "y" / "target"
        self.install("--target", target)
        # Where the record says that it is.
        other_program(self.folder / "x" / "bin")
        other_program(self.folder / "x" / "y" / "bin")
        self.check(target, target / "bin" / NAME)

    @unittest.skipIf(prefers_local(), "Debian's Python has a folder 'local' in a prefix")
    def test_environment(self):
        # As pipx does it.
        run(sys.executable, "-m", "venv", "--without-pip", self.folder / "venv")
        python = self.folder / "venv" / SCRIPTS / os.path.basename(sys.executable)
        prefix = self.folder / "venv"
        self.install("--prefix", prefix)
        site = self.site(prefix)
        self.check(site, prefix / SCRIPTS / NAME, python)
        if sys.platform != "win32":
            said = run(python, "-m", "ez_debugger", "a", "b c", env={"PATH": self.path}, cwd=self.folder)
            self.assertEqual(said, ("its own a b c", "", 0))
            said = run(python, "-m", "ez_debugger.kernel", "file", env={"PATH": self.path}, cwd=self.folder)
            self.assertEqual(said, ("its own kernel file", "", 0))
        said = run(python, "-c", "import ez_debugger; print(ez_debugger.__version__)", cwd=self.folder)
        self.assertEqual(said, (ez_debugger.__version__, "", 0))

    @unittest.skipIf(sys.platform == "win32", "every file may be executed there")
    def test_one_that_cannot_be_executed_is_named(self):
        prefix = self.folder / "prefix"
        self.install("--prefix", prefix)
        program = next(prefix.rglob(NAME))
        program.chmod(0o644)
        site = self.site(prefix)
        for command in (["-c", LOOK, site], ["-m", "ez_debugger", "version"]):
            found = run(sys.executable, *command, cwd=self.folder, env={"PATH": self.path, "PYTHONPATH": str(site)})
            self.assertEqual((found[0], found[2]), ("", 1))
            self.assertIn(f"{program} is there, but cannot be executed", found[1])

    def test_another_one_on_the_path_is_the_last_choice(self):
        found = run(sys.executable, "-S", "-c", LOOK, PACKAGE.parent, cwd=self.folder, env={"PATH": self.path})
        if sys.prefix == sys.base_prefix:
            self.assertEqual(found, (str(self.folder / "path" / NAME), "", 0))
        else:
            self.assertEqual(found[1:], ("", 0))


class Module(unittest.TestCase):
    def python(self, script, *arguments, **options):
        said = run(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n{script}",
                   *arguments, **options)
        self.assertEqual(said[1:], ("", 0))
        return said[0]

    def test_importing_it_loads_nothing(self):
        loaded = self.python(
            "import __future__\nbefore = set(sys.modules)\nimport ez_debugger\nprint(sorted(set(sys.modules) - before))")
        self.assertEqual(loaded, "['ez_debugger']")

    def test_a_session_that_blocks_does_without_asyncio(self):
        self.assertEqual(self.python("from ez_debugger import Session\nprint('asyncio' in sys.modules)"), "False")

    def test_what_scripts_use_is_there(self):
        said = self.python(
            "import ez_debugger, ez_debugger.client as client\n"
            "print([name for name in client.__all__ if getattr(ez_debugger, name) is not getattr(client, name)])\n"
            "print(set(client.__all__) ^ set(ez_debugger.__all__), any('PyQt' in name for name in sys.modules))\n"
            "print(set(ez_debugger.__all__) - set(dir(ez_debugger)), '__version__' in dir(ez_debugger))\n"
            "from ez_debugger import Session, __version__\nprint(hasattr(ez_debugger, 'nothing'))")
        self.assertEqual(said.split("\n"), ["[]", "set() False", "set() True", "False"])

    def test_the_program_is_told_if_it_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            said = run(sys.executable, "-S", "-m", "ez_debugger", "version", cwd=PACKAGE.parent,
                       env={"PATH": folder})
            if sys.prefix == sys.base_prefix:
                self.assertEqual((said[0], said[2]), ("", 1))
                self.assertIn("install ez-debugger", said[1])
                self.assertNotIn("ez=", said[1])

    @unittest.skipUnless(os.path.isfile(project.EZ), f"no program to test: {project.EZ}")
    def test_it_runs_the_program(self):
        path = os.pathsep.join([os.path.dirname(os.path.abspath(project.EZ)), os.environ["PATH"]])
        said = run(sys.executable, "-m", "ez_debugger", "version", cwd=PACKAGE.parent, env={"PATH": path})
        self.assertEqual(said, run(project.EZ, "version"))

    def test_signatures_are_those_of_the_results(self):
        import inspect

        from ez_debugger.client import AsyncSession, Session
        for kind in (Session, AsyncSession):
            for name, method in vars(kind).items():
                if callable(method) and not name.startswith("_"):
                    self.assertNotIn("Plan", str(inspect.signature(method)), name)
                    self.assertTrue(method.__doc__, name)
        public = [{name for name in vars(kind) if not name.startswith("_")} for kind in (Session, AsyncSession)]
        self.assertEqual(public[0] ^ public[1], {"server", "process"})


if __name__ == "__main__":
    unittest.main()
