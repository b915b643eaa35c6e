"""Cases that Dask distributes: a real scheduler, and two workers on this machine, each a process.

Needs the package `distributed`, which .ci/python installs.
"""

import os
import signal
import sys
import unittest

import project
from ez_debugger.cases import by_program, run_cases
from samples import program
from test_cases import InFolder, adding

try:
    from distributed import Client, LocalCluster
except ImportError:
    Client = None

#: Takes a while for each case, so that a worker is at work when it is killed.
SLOW = program("temp a int = cast(input(), int)\ntemp b int = cast(input(), int)\n"
               "for i in range(0, 600000) {\n    temp x int = i\n}\nprintln(a + b)")


@unittest.skipIf(Client is None, "no distributed")
class WithDask(InFolder):
    def setUp(self):
        super().setUp()
        paths = [str(project.ROOT / "python"), os.path.dirname(os.path.abspath(__file__))]
        environment = {"PYTHONPATH": os.pathsep.join(paths)}
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            self.cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        self.addCleanup(self.cluster.close)
        self.client = Client(self.cluster)
        self.addCleanup(self.client.close)
        self.executor = self.client.get_executor()

    def workers(self):
        """The processes of the workers."""
        return sorted(self.client.run(os.getpid).values())

    def test_a_class(self):
        self.write("class/anna.ez", adding("a + b"))
        self.write("class/ben.ez", adding("a * b"))
        self.write("class/carla.ez", adding("a + x"))
        for copies in (False, True):
            found = dict(by_program(self.run_cases(self.folder / "class", executor=self.executor, copies=copies)))
            self.assertEqual([[one.kind for one in results] for _, results in sorted(found.items())],
                             [["", "", ""], ["output", "output", "output"], ["notRun", "notRun", "notRun"]])

    @unittest.skipIf(sys.platform == "win32", "no signals")
    def test_a_worker_that_is_killed_loses_no_result(self):
        files = [self.write(f"class/{number}.ez", SLOW) for number in range(12)]
        results = self.run_cases(files, executor=self.executor, copies=True)
        found = [next(results)]
        before = self.workers()
        os.kill(before[0], signal.SIGKILL)
        found += results
        self.assertEqual(len(found), 36)
        self.assertEqual({(one.result, one.message) for one in found}, {("passed", "")})
        self.assertEqual(len({(one.program, one.case) for one in found}), 36)

    @unittest.skipIf(sys.platform == "win32", "no signals")
    def test_a_case_that_kills_its_workers_is_the_only_one_that_is_lost(self):
        ez = self.write("ez", f'#!/bin/sh\ncase "$*" in *--list*) ;; *ten.*) kill -9 $PPID ;; esac\nexec "{project.EZ}" "$@"\n')
        ez.chmod(0o755)
        file = self.write("p.ez", adding("a + b"))
        found = {one.case: one for one in run_cases(file, self.cases, ez=ez, executor=self.executor)}
        self.assertEqual({case for case, one in found.items() if one.is_passed}, {"one", "two"})
        self.assertEqual(found["ten"].kind, "notRun")
        self.assertRegex(found["ten"].message, r"^it was tried twice, the second time: .*\(KilledWorker\)$")

    def test_the_client_goes(self):
        files = [self.write(f"class/{number}.ez", SLOW) for number in range(12)]
        results = self.run_cases(files, executor=self.executor)
        found = [next(results)]
        self.client.close()
        found += results
        self.assertEqual(len(found), 36)
        lost = {one.message.split(":")[0] for one in found if not one.is_passed}
        self.assertLessEqual(lost, {"its task was cancelled", "the executor takes no tasks"})
        self.assertTrue(lost)


if __name__ == "__main__":
    unittest.main()
