"""Programs and their cases, run here and by executors."""

import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import project
from ez_debugger import DebuggerError
from ez_debugger.cases import by_program, run_cases
from samples import program

CASES = {"one": ("3\n4\n", "7\n"), "two": ("-1\n1\n", "0\n"), "ten": ("5\n5\n", "10\n")}


def adding(expression, before=""):
    return program(f"temp a int = cast(input(), int)\ntemp b int = cast(input(), int)\nprintln({expression})", before)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cases ü ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cases = self.write_cases(self.folder / "it's", CASES)

    def write_cases(self, folder, cases):
        folder.mkdir()
        for name, (given, wanted) in cases.items():
            (folder / f"{name}.in").write_bytes(given.encode())
            (folder / f"{name}.out").write_bytes(wanted.encode())
        return folder

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run_cases(self, programs, cases=None, **options):
        return run_cases(programs, cases or self.cases, ez=project.EZ, **options)


class RunHere(InFolder):
    def test_what_is_wrong_is_told(self):
        file = self.write("p.ez", adding("a * b"))
        results = list(self.run_cases(file))
        self.assertEqual([(one.case, one.result, one.number, one.of) for one in results],
                         [("one", "failed", 1, 3), ("ten", "failed", 2, 3), ("two", "failed", 3, 3)])
        first = results[0]
        self.assertEqual((first.kind, first.line, first.column), ("output", 1, 1))
        self.assertEqual((first.expected, first.printed), ("7", "12"))
        self.assertEqual((first.at.file, first.at.line, first.at.text), ("p.ez", 6, "println(a * b)"))
        self.assertTrue(all(one.line and one.step for one in first.cause) and first.cause)
        self.assertEqual(dict(first.extra), {})
        self.assertTrue(first.was_run and not first.is_passed)
        self.assertEqual(pickle.loads(pickle.dumps(results)), results)

    def test_results_come_while_others_are_still_run(self):
        text = program('temp a string = input()\nloop {\n    if a != "-1" { break }\n}\nprintln(7)')
        results = self.run_cases(self.write("p.ez", text), time=20, jobs=1)
        begin = time.monotonic()
        self.assertTrue(next(results).is_passed)
        results.close()
        self.assertLess(time.monotonic() - begin, 15)

    def test_a_class(self):
        folder = self.folder / "class"
        self.write("class/anna.ez", adding("a + b"))
        self.write("class/ben.ez", adding("a / (b - b)"))
        self.write("class/carla.ez", adding("a + x"))
        self.write("class/david.ez", program("loop {\n    temp x int = 0\n}"))
        found = dict(by_program(self.run_cases(folder, time=0.5, memory="100M", deny=["fs"])))
        names = {os.path.basename(name): results for name, results in found.items()}
        self.assertEqual([one.case for one in names["anna.ez"]], ["one", "ten", "two"])
        self.assertTrue(all(one.is_passed for one in names["anna.ez"]))
        self.assertEqual({one.message for one in names["ben.ez"]}, {"division by zero [E5001]"})
        self.assertIn("undefined variable", names["carla.ez"][0].errors)
        self.assertFalse(names["carla.ez"][0].was_run)
        self.assertEqual({(one.kind, one.message) for one in names["david.ez"]}, {("limit", "it did not end within 0.5 s")})

    def test_flags(self):
        file = self.write("p.ez", program("println(0.1 + 0.2)"))
        cases = self.write_cases(self.folder / "floats", {"a": ("", "0.3\n"), "b": ("", "0.4\n")})
        options = {"mode": "tokens", "float_error": 1e-9}
        self.assertEqual([one.result for one in self.run_cases(file, cases, **options)], ["passed", "failed"])
        self.assertEqual([one.case for one in self.run_cases([file], [cases / "b.in"], **options)], ["b"])
        self.assertEqual([one.case for one in self.run_cases(str(file), str(cases), only="b*", **options)], ["b"])

    def test_what_is_no_case_is_an_error_after_the_results(self):
        good, lost = self.write("p.ez", adding("a + b")), self.write("q.ez", adding("a + b"))
        self.write_cases(self.folder / "p.cases", {"one": ("1\n2\n", "3\n")})
        for options in ({}, {"executor": ThreadPoolExecutor(1)}):
            results = run_cases([good, lost], ez=project.EZ, **options)
            self.assertTrue(next(results).is_passed)
            with self.assertRaisesRegex(DebuggerError, "^there are no cases for .*q.ez"):
                next(results)
            with self.assertRaisesRegex(DebuggerError, "^.*nope.ez: no such file"):
                next(self.run_cases([self.folder / "nope.ez"], **options))
        with self.assertRaisesRegex(DebuggerError, "'much' for '--memory <SIZE>'"):
            next(self.run_cases(good, memory="much"))
        with self.assertRaisesRegex(DebuggerError, "cannot start"):
            next(run_cases(good, ez=self.folder / "nope"))
        with self.assertRaises(TypeError):
            self.run_cases(good, deny="fs")
        with self.assertRaises(ValueError):
            self.run_cases(good, jobs=2, executor=ThreadPoolExecutor(1))


class ByExecutor(InFolder):
    """Each task pickled, as if it went to another machine."""

    def setUp(self):
        super().setUp()
        self.file = self.write("p.ez", adding("a + b"))

    def outcome(self, executor, programs=None, **options):
        results = list(self.run_cases(programs or self.file, executor=executor, **options))
        self.assertEqual(sorted(one.number for one in results), list(range(1, len(results) + 1)))
        return {one.case: (one.result, one.message) for one in results}

    def test_threads_and_processes_find_the_same(self):
        (self.folder / "many").mkdir()
        for number in range(25):
            name = f"many/-{number}*'"
            (self.folder / f"{name}.in").write_text(f"{number}\n{number}\n")
            (self.folder / f"{name}.out").write_text(f"{min(2 * number, 40)}\n")
        os.rename(self.folder / "many/-3*'.out", self.folder / "many/-3*'.args")
        expected = None
        for make in (None, ThreadPoolExecutor, ProcessPoolExecutor):
            for copies in (False, True):
                executor = make(2) if make else None
                found = [(one.case, one.number, one.of, one.result, one.message, one.program, one.cause) for one in
                         self.run_cases(self.file, self.folder / "many", executor=executor, copies=copies)]
                expected = expected or found
                self.assertEqual(sorted(found), sorted(expected))
                if executor:
                    executor.shutdown()
        self.assertEqual(sum(one[3] == "failed" for one in expected), 4)

    def test_copies_need_no_files(self):
        folder, away = self.folder / "class", self.folder / "away"
        file = self.write("class/p.ez", adding("sum(a, b)").replace("using std", 'using std\nimport "./mine.ez"\nusing mine'))
        self.write("class/mine.ez", "module mine\ndo sum(a int, b int) -> int {\n    return a + b\n}\n")
        self.assertTrue(all(one.is_passed for one in self.run_cases(file)))

        class Elsewhere(Executor):
            def submit(self, function, *arguments):
                os.rename(folder, away)
                try:
                    return done(function, *pickle.loads(pickle.dumps(arguments)))
                finally:
                    os.rename(away, folder)

        self.assertEqual({result for result, _ in self.outcome(Elsewhere(), file, copies=True).values()}, {"passed"})
        # Its errors are told as they are here.
        self.write("class/mine.ez", "module mine\n")
        self.assertEqual(set(self.outcome(Elsewhere(), file, copies=True).values()),
                         {("failed", "the program has errors")})

    def test_what_fails_is_tried_again_once(self):
        calls = []

        class Failing(Executor):
            def submit(self, function, task):
                calls.append(len(task.files))
                if any(Path(one).name.startswith("ten") for one in task.files):
                    future = Future()
                    future.set_exception(OSError("the worker is gone\nand its log"))
                    return future
                return done(function, task)

        self.assertEqual(self.outcome(Failing()), {
            "one": ("passed", ""), "two": ("passed", ""),
            "ten": ("failed", "it was tried twice, the second time: the worker is gone (OSError)")})
        self.assertEqual(calls, [3, 1, 1, 1])

    def test_executors_that_take_nothing(self):
        executor = ThreadPoolExecutor(1)
        executor.shutdown()
        said = "the executor takes no tasks: cannot schedule new futures after shutdown (RuntimeError)"
        self.assertEqual(set(self.outcome(executor).values()), {("failed", said)})

        class Broken(Executor):
            def submit(self, *_):
                raise BrokenExecutor

        self.assertEqual(set(self.outcome(Broken()).values()), {("failed", "the executor is broken: BrokenExecutor")})

        class Cancelling(Executor):
            def submit(self, *_):
                future = Future()
                future.cancel()
                future.set_running_or_notify_cancel()
                return future

        self.assertEqual(set(self.outcome(Cancelling()).values()), {("failed", "its task was cancelled")})

        class Losing(Executor):
            def submit(self, *_):
                future = Future()
                future.set_result([])
                return future

        self.assertEqual({message for _, message in self.outcome(Losing()).values()},
                         {"its task has given no result for it"})

    @unittest.skipIf(sys.platform == "win32", "no signals")
    def test_a_worker_of_a_pool_that_is_killed(self):
        files = [self.write(f"class/{number}.ez", adding("a + b")) for number in range(10)]
        executor = ProcessPoolExecutor(2)
        results = self.run_cases(files, executor=executor)
        first = next(results)
        os.kill(next(iter(executor._processes)), signal.SIGKILL)
        found = [first, *results]
        self.assertEqual(len(found), 30)
        self.assertTrue(first.is_passed)
        for one in found:
            self.assertTrue(one.is_passed or "the executor is broken: " in one.message, one)
        executor.shutdown()

    def test_what_has_not_begun_is_cancelled(self):
        files = [self.write(f"class/{number}.ez", adding("a + b")) for number in range(20)]
        with ThreadPoolExecutor(1) as executor:
            results = self.run_cases(files, executor=executor)
            next(results)
            results.close()
            self.assertLess(executor._work_queue.qsize(), 21)
            self.assertTrue(executor.submit(lambda: True).result())

    def test_shut_down_from_another_thread(self):
        files = [self.write(f"class/{number}.ez", adding("a + b")) for number in range(20)]
        executor = ThreadPoolExecutor(1)
        results = self.run_cases(files, executor=executor)
        found = [next(results)]
        threading.Thread(target=lambda: executor.shutdown(wait=False)).start()
        found += results
        self.assertEqual(len(found), 60)
        self.assertTrue(all(one.is_passed or "takes no tasks" in one.message for one in found))


def done(function, *arguments):
    future = Future()
    try:
        future.set_result(function(*arguments))
    except Exception as error:
        future.set_exception(error)
    return future


if __name__ == "__main__":
    unittest.main()
