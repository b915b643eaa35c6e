"""`ez_debugger.client` with the real server, and with servers that fail."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

import project
from ez_debugger.client import (CommandError, DebuggerError, InputRequired, ProgramError, ServerGone, Session,
                                StaleError, TimeLimitError)
from ez_debugger.protocol import Event, Malformed
from samples import ASKING, COMPUTING, SORT, program, session


def fake(what, **options):
    return Session("x.ez", ez=[sys.executable, str(project.ROOT / "python/tests/fake_server.py"), what], **options)


def is_gone(process):
    return process.status is not None


class Stops(unittest.TestCase):
    def test_a_session(self):
        with session(SORT, history=True) as s:
            s.break_at(SORT, 13, condition="i == 2")
            stop = s.start()
            self.assertEqual((stop.reason, stop.line, stop.function), ("breakpoint", 13, "sort"))
            self.assertEqual(stop.variables["list"].children[2].value, "1")
            self.assertEqual([frame.function for frame in stop.frames], ["sort", "main"])
            self.assertEqual(str(stop.frames[1].variables["list"][0]), "2")
            self.assertEqual(str(s.evaluate("len(list)")), "5")
            self.assertEqual(s.step_over().line, 14)
            self.assertEqual(s.back().line, 13)
            self.assertEqual(s.step_out().reason, "present")
            self.assertEqual(s.last_change("list[0]").old_value, "5")
            written = [(change.old_value, change.new_value) for change in s.changes("list[0]")]
            self.assertEqual(written[0][0], "5")
            self.assertEqual(written[-1], (None, "5"))
            for breakpoint in s.breakpoints():
                s.remove(breakpoint)
            self.assertEqual(s.continue_().reason, "end")
            printed = s.output_step(0)
            self.assertEqual((printed.location.line, printed.client), (23, False))
            end = s.continue_()
            self.assertFalse(end)
            self.assertEqual((end.reason, end.exit_code, s.output), ("exited", 0, "{1, 2, 5, 7, 9}\n"))

    def test_values_that_were_not_fetched_end_with_the_stop(self):
        with session(SORT) as s:
            s.start()
            stop = s.step_over()
            values = stop.variables["list"]
            self.assertEqual(values[0].value, "5")
            s.step_over()
            self.assertEqual(values[4].value, "7")
            with self.assertRaises(StaleError):
                stop.frames

    def test_breakpoints_of_every_kind(self):
        source = program("""
            temp sum int = 0
            for i in range(0, 5) {
                sum += twice(i)
            }
            println(sum)
            temp zero int = sum - sum
            println(1 / zero)
            """, "do twice(x int) -> int {\n    return x * 2\n}\n")
        with session(source=source, stop_on_entry=True) as s:
            s.start()
            logged = s.break_at("<source>", 9, log="i={i}")
            self.assertTrue(logged.verified)
            s.break_in("twice", condition="x == 1")
            self.assertEqual((s.continue_().reason, s.stop.variables["x"].value), ("function breakpoint", "1"))
            self.assertEqual(s.break_in("twice", condition="x == 3").condition, "x == 3")
            self.assertEqual(s.continue_().variables["x"].value, "3")
            self.assertEqual(s.step_out().return_value.value, "6")
            self.assertTrue(s.break_on_write("sum").verified)
            s.break_on_errors()
            stop = s.continue_()
            self.assertEqual((stop.reason, stop.event.old_value, stop.event.new_value), ("data breakpoint", "6", "12"))
            self.assertEqual([b.enabled for b in s.breakpoints()], [True] * 3)
            self.assertFalse(s.disable(s.breakpoints()[-1]).enabled)
            self.assertEqual(s.continue_().reason, "exception")
            end = s.continue_()
            self.assertEqual((end.exit_code, end.error.code), (1, "E5001"))
            self.assertEqual(s.console, "i=0\ni=1\ni=2\ni=3\ni=4\n")

    def test_changing_and_watching(self):
        with session(source=program("temp x int = 1\nprintln(x)")) as s:
            s.start()
            s.step_over()
            watch = s.watch("x + 1")
            self.assertEqual(s.set_variable("x", "40 + 1").value, "41")
            self.assertEqual([one.value for one in s.watches()], ["42"])
            s.unwatch(watch)
            with self.assertRaises(CommandError) as caught:
                s.set_variable("x", '"a"')
            self.assertEqual(caught.exception.command, "setVariable")
            self.assertTrue(caught.exception.code)
            self.assertIn(caught.exception.message, str(caught.exception))
            s.continue_()
            self.assertEqual(s.output, "41\n")

    def test_locations_have_their_file(self):
        with session(SORT) as s:
            stop = s.start()
            locations = s.breakpoint_locations(SORT, stop.line)
            self.assertEqual({(one.file, one.line) for one in locations}, {(stop.file, stop.line)})

    def test_a_pause_of_a_program_that_is_stopped(self):
        with session(SORT) as s:
            with self.assertRaises(CommandError):
                s.pause()
            stop = s.start()
            self.assertIs(s.pause(), stop)
            self.assertEqual(s.step_over().reason, "step")

    def test_parts_that_are_fetched_stay(self):
        with session(SORT) as s:
            s.start()
            values = s.step_over().variables["list"]
            self.assertEqual([part.value for part in s.fetch(values, 1, 2)], ["2", "9"])
            s.step_over()
            self.assertEqual(values[2].value, "9")
            with self.assertRaises(StaleError):
                values[0]

    def test_all_steps(self):
        with session(SORT) as s:
            lines = [stop.line for stop in s.steps()]
        self.assertEqual(lines[:3], [21, 22, 6])
        self.assertTrue(s.stop.has_ended)

    def test_restart_and_kill(self):
        with session(SORT, args=["a"]) as s:
            s.start()
            s.step_over()
            self.assertEqual(s.restart().line, 21)
            self.assertEqual(s.kill().exit_code, 143)
            self.assertEqual(s.restart().reason, "entry")

    def test_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "p.ez").write_text(program("println(1)"), encoding="utf-8")
            with session(Path(folder, "p.ez"), working_dir=folder) as s:
                self.assertTrue(s.break_at("p.ez", 4).verified)
                self.assertEqual(s.start().line, 4)


class Life(unittest.TestCase):
    def test_closed(self):
        s = session(SORT)
        self.assertFalse(s.closed)
        with s:
            self.assertFalse(s.closed)
        self.assertTrue(s.closed)
        s.close()
        with session(SORT) as s:
            os.kill(s.server.pid, signal.SIGTERM)
            with self.assertRaises(ServerGone):
                s.start()
            self.assertTrue(s.closed)

    def test_a_session_that_is_dropped_says_so_and_ends_its_server(self):
        s = session(SORT)
        s.open()
        s.start()
        server = s.server
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            del s
            gc.collect()
        self.assertIn("unclosed session <Session", "".join(str(one.message) for one in told))
        self.assertEqual({one.category for one in told}, {ResourceWarning})
        self.assertTrue(is_gone(server))

    def test_a_session_that_was_closed_says_nothing(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with session(SORT) as s:
                s.start()
            del s
            Session(SORT)
            gc.collect()
        self.assertEqual([str(one.message) for one in told], [])


class Amounts(unittest.TestCase):
    def test_a_list_of_a_million(self):
        source = program("""
            temp many [int] = {}
            for i in range(0, 1000000) {
                arrays.append(many, i * 2)
            }
            println(len(many))
            """).replace("using std", "using std\nimport @arrays")
        count = []
        with session(source=source, on_event=lambda event: count.append(event.event)) as s:
            s.break_at("<source>", 9)
            values = s.start().variables["many"].children
            self.assertEqual(len(values), 1_000_000)
            self.assertEqual([values[at].value for at in (0, 99, 500_000, -1)], ["0", "198", "1000000", "1999998"])
            self.assertEqual([value.name for value in values[999:1002]], ["[999]", "[1000]", "[1001]"])
            with self.assertRaises(IndexError):
                values[1_000_000]
        self.assertLess(count.count("children"), 10)

    def test_much_output(self):
        with session(source=program("for i in range(0, 100000) {\n    println(i)\n}")) as s:
            s.start()
            s.continue_()
            self.assertEqual(s.output, "".join(f"{i}\n" for i in range(100_000)))

    def test_a_whole_long_text(self):
        with session(source=program('temp s string = ""\nfor i in range(0, 20000) {\n    s += "äbcd"\n}\nprintln(1)')) as s:
            s.break_at("<source>", 8)
            s.start()
            value = s.evaluate("s", full=True)
            self.assertEqual((value.value, value.is_cut), ('"' + "äbcd" * 20_000 + '"', False))


class Input(unittest.TestCase):
    SOURCE = program('temp a string = input()\ntemp b string = input()\nprintln("${a}+${b}")')

    def test_all_at_once(self):
        with session(source=self.SOURCE, input="1\nzwölf\n") as s:
            s.start()
            s.continue_()
            self.assertEqual(s.output, "1+zwölf\n")

    def test_a_function_that_fails_is_asked_again(self):
        for wrong in (ZeroDivisionError(), 5, b"x"):
            given = [wrong, "Ann"]

            def answer():
                line = given.pop(0)
                if isinstance(line, Exception):
                    raise line
                return line

            with self.subTest(wrong), session(source=ASKING, input=answer, stop_on_entry=False) as s:
                with self.assertRaises((ZeroDivisionError, TypeError)):
                    s.start()
                self.assertTrue(s.waits_for_input)
                self.assertTrue(s.wait().has_ended)
                self.assertEqual(s.output, "Ann\n")

    def test_when_the_program_asks(self):
        lines = iter(["x", "y"])
        with session(source=self.SOURCE, input=lambda: next(lines, None)) as s:
            s.start()
            s.continue_()
            self.assertEqual(s.output, "x+y\n")

    def test_without_any(self):
        with session(source=self.SOURCE) as s:
            s.start()
            for text in "pq":
                with self.assertRaises(InputRequired):
                    s.continue_() if text == "p" else s.wait()
                self.assertTrue(s.waits_for_input)
                s.send_input(text)
            self.assertTrue(s.wait().has_ended)
            self.assertEqual(s.output, "p+q\n")


class Failures(unittest.TestCase):
    def test_a_program_with_errors(self):
        with self.assertRaises(ProgramError) as caught:
            with session(source=program("temp x int = y\ntemp z int = w")):
                self.fail("it is opened")
        self.assertEqual([error.code for error in caught.exception.diagnostics], ["E4001", "E4001"])
        self.assertIn("'y'", str(caught.exception))

    def test_a_program_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "no_text.ez").write_bytes(b"\xff\xfe")
            Path(folder, "no_recording").write_text("x", encoding="utf-8")
            for what in ({"file": "nothing.ez"}, {"file": folder}, {"file": Path(folder, "no_text.ez")},
                         {"replay": "nothing"}, {"replay": Path(folder, "no_recording")}):
                with self.subTest(what), self.assertRaises(ProgramError) as caught:
                    session(**what).__enter__()
                name = os.path.basename(next(iter(what.values())))
                self.assertIn(name, str(caught.exception))
                self.assertEqual(len(caught.exception.diagnostics), 1)

    def test_the_name_of_a_program_decides_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("Cannot start", "missing parameter"):
                Path(folder, name).write_text("x", encoding="utf-8")
                with self.subTest(name), self.assertRaises(ProgramError):
                    session(replay=name, working_dir=folder).__enter__()
            with self.assertRaises(CommandError):
                session("nothing.ez", working_dir=os.path.join(folder, "nothing")).__enter__()

    def test_a_program_that_is_gone_at_its_restart(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "p.ez")
            file.write_text(program("println(1)"), encoding="utf-8")
            with session(file) as s:
                s.start()
                with self.assertRaises(CommandError):
                    s.restart(args=[1])
                self.assertTrue(s.stop)
                text = file.read_text(encoding="utf-8")
                for wrong in (lambda: file.write_text("?", encoding="utf-8"), file.unlink):
                    wrong()
                    with self.assertRaises(ProgramError):
                        s.restart()
                    self.assertIsNone(s.stop)
                    for call in (s.wait, s.pause, s.step_over):
                        with self.assertRaises(DebuggerError):
                            call()
                file.write_text(text, encoding="utf-8")
                self.assertEqual(s.restart().line, 4)
                self.assertTrue(s.continue_().has_ended)

    def test_wrong_parameters_are_no_errors_of_the_program(self):
        with self.assertRaises(CommandError) as caught:
            session(SORT, deny=["nothing"]).__enter__()
        self.assertIn("nothing", str(caught.exception))

    def test_one_program(self):
        for wrong in ({}, {"file": "a.ez", "source": "x"}, {"source": "x", "replay": "r"}):
            with self.subTest(wrong), self.assertRaises(ValueError) as caught:
                Session(**wrong)
            self.assertIn("file, source and replay", str(caught.exception))

    def test_no_server(self):
        with self.assertRaises(DebuggerError) as caught:
            Session(SORT, ez="/there/is/no/ez").__enter__()
        self.assertIn("cannot start /there/is/no/ez", str(caught.exception))

    def test_a_server_that_hangs(self):
        hanging = fake("hang", timeout=0.2)
        with self.assertRaises(TimeLimitError) as caught:
            hanging.__enter__()
        self.assertIn("initialize", str(caught.exception))
        self.assertTrue(is_gone(hanging.server))

    def test_a_server_that_hangs_and_reads_nothing(self):
        before = time.monotonic()
        with fake("hang_later") as s:
            # More than a pipe takes.
            s.send("evaluate", expression="x" * 1_000_000)
            with self.assertRaises(TimeLimitError):
                s.request("getState", timeout=0.2)
        self.assertTrue(is_gone(s.server))
        self.assertLess(time.monotonic() - before, 30)

    def test_a_server_that_fails(self):
        failing = fake("fail")
        with self.assertRaises(ServerGone) as caught:
            failing.__enter__()
        self.assertEqual(caught.exception.status, 3)
        self.assertTrue(caught.exception.stderr.endswith("no memory left\n"))
        self.assertLess(len(caught.exception.stderr), 100_000)

    def test_another_program(self):
        for what, said in (("echo", "wrote b'{\"type\":\"command\""), ("print_without_line_ends", "wrote b'xxxx"),
                           ("say_nothing", "It has said nothing"), ("be_old", "too old"),
                           ("be_new", "too new: it is ez 77.1.2, and ez_debugger is ")):
            with self.subTest(what), self.assertRaises(DebuggerError) as caught:
                fake(what, timeout=60).__enter__()
            self.assertIn(said, str(caught.exception))
            self.assertIn("ez=... names the program ez of ez-debugger", str(caught.exception))

    def test_no_threads(self):
        start = threading.Thread.start
        for possible in range(3):
            started = []

            def fail(thread):
                if len(started) == possible:
                    raise RuntimeError("can't start new thread")
                started.append(thread)
                start(thread)

            made = []
            popen = subprocess.Popen

            def note(*args, **options):
                made.append(popen(*args, **options))
                return made[-1]

            with mock.patch("threading.Thread.start", fail), mock.patch("subprocess.Popen", note):
                with self.assertRaises(DebuggerError) as caught:
                    session(SORT).open()
            self.assertIn("can't start new thread", str(caught.exception))
            self.assertIsNotNone(made[0].returncode)
            for thread in started:
                thread.join()
            self.assertTrue(all(stream.closed for stream in (made[0].stdin, made[0].stdout, made[0].stderr)))

    def test_arguments_of_a_wrong_type(self):
        for options in ({"input": b"x"}, {"input": 5}, {"args": "abc"}, {"source": b"x"}, {"on_event": 5},
                        {"timeout": "5"}, {"timeout": float("nan")}, {"max_output": "5"}):
            with self.subTest(options), self.assertRaises(TypeError) as caught:
                Session(**{**({} if "source" in options else {"source": "x"}), **options})
            self.assertIn(f"{next(iter(options))} is ", str(caught.exception))
        with session(source=COMPUTING) as s:
            s.start()
            with self.assertRaises(TypeError):
                s.continue_(timeout=float("nan"))
        for options in ({"args": [1]}, {"env": {"A": 1}}, {"history": "x"}):
            with self.subTest(options), self.assertRaises(CommandError) as caught:
                session(SORT, **options).__enter__()
            self.assertIn("wrong type of parameter", str(caught.exception))

    @unittest.skipIf(sys.platform == "win32", "the folder cannot be removed there")
    def test_a_folder_that_is_gone(self):
        here = os.getcwd()
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        os.rmdir(folder)
        try:
            with self.assertRaises(DebuggerError) as caught:
                Session("x.ez")
        finally:
            os.chdir(here)
        self.assertIn("is not there any more", str(caught.exception))

    def test_a_server_that_tears_a_line(self):
        told = []
        with self.assertRaises(ServerGone):
            fake("tear", on_event=told.append).__enter__()
        self.assertEqual([type(event) for event in told], [Malformed])

    def test_a_server_that_is_killed(self):
        with session(SORT) as s:
            s.start()
            os.kill(s.server.pid, signal.SIGTERM)
            for _ in range(2):
                with self.assertRaises(ServerGone):
                    s.step_over()

    def test_a_session_that_is_closed(self):
        with session(SORT) as s:
            s.start()
        with self.assertRaises(ServerGone):
            s.step_over()

    def test_a_program_without_end(self):
        with session(source=COMPUTING) as s:
            s.start()
            with self.assertRaises(TimeLimitError):
                s.continue_(timeout=0.3)
            stop = s.pause()
            self.assertEqual(stop.reason, "pause")
            self.assertGreater(int(stop.variables["i"].value), 0)

    def test_limits_of_the_program(self):
        source = program('temp x, e = io.read_file("a.txt")\nprintln(e)').replace("using std", "using std\nimport @io")
        with session(source=source, deny=["fs"], memory="200M") as s:
            s.start()
            s.continue_()
            self.assertNotEqual(s.output, "nil\n")

    def test_a_folder_that_is_not_left(self):
        source = program('temp x, e = io.write_file("../a.txt", "a")\nprintln(e)').replace(
            "using std", "using std\nimport @io")
        with tempfile.TemporaryDirectory() as folder:
            inner = Path(folder, "inner")
            inner.mkdir()
            with session(source=source, root=inner, working_dir=inner, stop_on_entry=False) as s:
                s.start()
                self.assertNotEqual(s.output, "nil\n")
            self.assertFalse(Path(folder, "a.txt").exists())

    def test_the_process_is_gone_whatever_happens(self):
        for error in (KeyboardInterrupt, ZeroDivisionError, None):
            s = session(source=program("loop {\n    temp i int = 0\n}"))
            try:
                with s:
                    s.start()
                    s.send("continue")
                    if error is not None:
                        raise error
            except (KeyboardInterrupt, ZeroDivisionError):
                pass
            self.assertTrue(is_gone(s.server), error)

    def test_events_are_told(self):
        told = []
        with session(SORT, on_event=told.append) as s:
            s.start()
        self.assertTrue(all(isinstance(event, Event) for event in told))
        self.assertEqual([event.event for event in told][:3], ["initialized", "started", "stopped"])


@unittest.skipUnless(os.path.isfile(project.EZ), f"no program to test: {project.EZ}")
class Guide(unittest.TestCase):
    """The examples of the documents print what it says there."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def block(self, document, language, number=1):
        text = (project.ROOT / "docs" / document).read_text(encoding="utf-8")
        return text.split(f"```{language}\n")[number].split("```")[0]

    def run_script(self, script, *arguments, ending=("", 0)):
        self.folder.joinpath("script.py").write_text(script, encoding="utf-8")
        path = os.pathsep.join([os.path.dirname(os.path.abspath(project.EZ)), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "PYTHONPATH": str(project.ROOT / "python"),
                       "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run([sys.executable, "script.py", *arguments], cwd=self.folder, env=environment,
                              timeout=200, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual((done.stderr, done.returncode), ending)
        return done.stdout

    def test_the_steps_of_a_learner(self):
        self.folder.joinpath("learner.ez").write_text(self.block("python.md", "ez"), encoding="utf-8")
        said = self.run_script(self.block("python.md", "python"))
        self.assertEqual(said, self.block("python.md", "text"))

    def test_steps_with_asyncio(self):
        self.folder.joinpath("sort.ez").write_text(Path(SORT).read_text(encoding="utf-8"), encoding="utf-8")
        said = self.run_script(self.block("python.md", "python", 3))
        self.assertEqual(said.splitlines()[:2], ["21 {}", "22 {'list': '[5, 2, 9, 1, 7]'}"])

    def test_the_grader_of_a_class(self):
        numbers = "temp a int = cast(input(), int)\ntemp b int = cast(input(), int)\n"
        programs = {"anna": numbers + "println(a + b)", "ben": numbers + "println(a - b)",
                    "carla": 'as_long_as true {\n    println("?")\n}', "david": "println(x)",
                    "eva": numbers + "println(1 / (a - a))"}
        self.folder.joinpath("class").mkdir()
        for name, body in programs.items():
            text = program(body).replace("using std\n", "using std\n\n")
            self.folder.joinpath("class", f"{name}.ez").write_text(text, encoding="utf-8")
        self.folder.joinpath("exercise").mkdir()
        for number, (given, wanted) in enumerate([("3\n4\n", "7\n"), ("-1\n1\n", "0\n")], 1):
            self.folder.joinpath("exercise", f"{number}.in").write_text(given, encoding="utf-8")
            self.folder.joinpath("exercise", f"{number}.out").write_text(wanted, encoding="utf-8")
        for number, arguments in enumerate([["class/ben.ez", "--only", "1"], ["class", "--time", "2"]], 1):
            command = [project.EZ, "test", *arguments, "--cases", "exercise"]
            said = subprocess.run(command, cwd=self.folder, timeout=200, stdout=subprocess.PIPE, encoding="utf-8")
            wanted = self.block("teachers.md", "text", number).replace("within 10 s", "within 2 s")
            self.assertEqual(said.stdout, wanted)
        grader = self.block("teachers.md", "python").replace("time=5", "time=2")
        self.assertEqual(self.run_script(grader, "class"), self.block("teachers.md", "text", 3))

    def test_the_grader_of_a_class_that_is_not_there(self):
        with self.assertRaisesRegex(AssertionError, r"DebuggerError: directory not found: clas\\n"):
            self.run_script(self.block("teachers.md", "python"), "clas")

    def test_the_cases_of_a_program(self):
        self.folder.joinpath("average.ez").write_text(program("temp x int = 1\nprintln(x)"), encoding="utf-8")
        self.folder.joinpath("tests").mkdir()
        for name, wanted in (("a", "1\n"), ("b", "2\n")):
            self.folder.joinpath("tests", f"{name}.out").write_text(wanted, encoding="utf-8")
        self.assertEqual(self.run_script(self.block("python.md", "python", 2)).splitlines(), [
            "a passed ", 'b failed line 1: expected "2", printed "1"', "   x = 1  ⟵ 4: temp x int = 1"])


if __name__ == "__main__":
    unittest.main()
