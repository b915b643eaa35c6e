"""Cases that cannot be run or sent, and what is no `ez`."""

import os
import shutil
import sys
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

import project
from ez_debugger import DebuggerError
from ez_debugger.cases import pool, run_cases
from ez_debugger.cases.task import carry_out
from samples import program
from test_cases import InFolder, adding


class Foreign(InFolder):
    """Programs that are no `ez`, or an `ez` that has gone."""

    def said_of(self, *lines, **options):
        ez = self.write("foreign", "#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
        ez.chmod(0o755)
        with self.assertRaises(DebuggerError) as caught:
            list(run_cases(self.write("p.ez", adding("a + b")), self.cases, ez=ez, **options))
        return str(caught.exception)

    @unittest.skipIf(sys.platform == "win32", "a script")
    def test_other_objects_are_no_results(self):
        for line in ('{"hello": 1}', '{"program": "p.ez", "case": "one", "of": 1}', '{"result": "passed"}',
                     '{"program": 3, "case": "one", "result": "passed"}', "[]", "text"):
            self.assertIn("is no ez of this package", self.said_of(line), line)
        self.assertIn("is no ez of this package", self.said_of('{"hello": 1}', executor=ThreadPoolExecutor(1)))

    @unittest.skipIf(sys.platform == "win32", "a script")
    def test_an_end_before_all_results_is_an_error(self):
        one = '{"program": "p.ez", "case": "one", "result": "passed", "number": 1, "of": 2}'
        for lines in ((), (one,)):
            self.assertIn("without a result for each case", self.said_of(*lines))

    def test_a_problem_is_said_once(self):
        programs = [f"{number}.ez" for number in range(1200)]
        for executor in (None, ThreadPoolExecutor(1)):
            with self.assertRaises(DebuggerError) as caught:
                list(run_cases(programs, self.cases, ez=self.folder / "none", executor=executor))
            self.assertEqual(str(caught.exception).count("cannot start"), 1)


class OneThatCannotBeSent(InFolder):
    def results(self, programs, cases=None, copies=True):
        with ThreadPoolExecutor(1) as executor:
            return list(self.run_cases(programs, cases, executor=executor, copies=copies))

    def test_a_case_that_cannot_be_read(self):
        programs = [self.write(f"class/{name}.ez", adding("a + b")) for name in "ab"]
        add = pool.add_case

        def fails(case, copies):
            if case.case == "ten":
                raise PermissionError(13, "Permission denied", case.input)
            return add(case, copies)

        with unittest.mock.patch.object(pool, "add_case", fails):
            results = self.results(programs)
        self.assertEqual(len(results), 6)
        self.assertEqual({(one.case, one.kind) for one in results}, {("one", ""), ("two", ""), ("ten", "notRun")})
        self.assertTrue(all("Permission denied" in one.message for one in results if not one.was_run))

    def test_a_program_that_cannot_be_run_here(self):
        self.write("other.ez", "module other\n")
        outside = self.write("class/a.ez", program("println(1)", 'import "../other.ez"\n'))
        good = self.write("class/b.ez", adding("a + b"))

        def fails(task):
            raise DebuggerError("it is gone")

        with unittest.mock.patch.object(pool, "carry_out", fails), ThreadPoolExecutor(1) as executor:
            # The executor has its own.
            submit = executor.submit
            executor.submit = lambda _, task: submit(carry_out, task)
            results = list(self.run_cases([outside, good], executor=executor, copies=True))
        self.assertEqual(sorted((os.path.basename(one.program), one.kind, one.message) for one in results),
                         [("a.ez", "notRun", "it is gone")] * 3 + [("b.ez", "", "")] * 3)

    def test_a_program_that_changes_its_cases(self):
        text = program('for i in range(1, 30) {\n    temp ok, e = io.write_file("a.cases/${i}.out", "8\\n")\n}\nprintln(8)',
                       "import @io\n")
        file = self.write("a.ez", text)
        for copies in (False, True):
            cases = self.folder / "a.cases"
            shutil.rmtree(cases, ignore_errors=True)
            self.write_cases(cases, {str(number): ("", "7\n") for number in range(1, 26)})
            with ThreadPoolExecutor(1) as executor:
                results = list(run_cases(file, ez=project.EZ, executor=executor, copies=copies))
            self.assertEqual([one.kind for one in results], ["output"] * 25)
            if not copies:
                self.assertEqual((cases / "1.out").read_text(), "8\n")
