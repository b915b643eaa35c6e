"""Sessions and `find_ez` with several threads."""

import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import project
from ez_debugger.client import InputRequired, ServerGone
from samples import COMPUTING, ENDLESS_FUNCTIONS, PRINTING, SORT, program, session


def in_thread(work):
    """Starts work on a thread; `result()` waits for it."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(work)
    pool.shutdown(wait=False)
    return future


class Threads(unittest.TestCase):
    def test_each_gets_its_answers(self):
        with session(SORT) as s, ThreadPoolExecutor(4) as pool:
            s.start()

            def ask(number):
                return [s.evaluate(f"{number} * 1000 + {i}").value for i in range(100)]

            for number, values in enumerate(pool.map(ask, range(4))):
                self.assertEqual(values, [str(number * 1000 + i) for i in range(100)])

    def test_pause_from_outside(self):
        for source in (COMPUTING, PRINTING):
            with session(source=source) as s:
                s.start()
                for _ in range(3):
                    runs = in_thread(s.continue_)
                    while s.state().status != "running":
                        pass
                    stop = s.pause()
                    self.assertEqual(stop.reason, "pause")
                    self.assertIs(runs.result(), stop)

    def test_each_run_has_its_own_stop(self):
        with session(source=COMPUTING) as s:
            s.start()
            runs = in_thread(s.continue_)
            while s.state().status != "running":
                pass
            sent = len(s._core._connection.pending)
            steps = in_thread(s.step_over)
            while len(s._core._connection.pending) == sent:
                pass
            s.send("pause")
            self.assertEqual((runs.result().reason, steps.result().reason), ("pause", "step"))

    def test_pause_of_an_evaluation(self):
        with session(source=ENDLESS_FUNCTIONS, stop_on_entry=True) as s:
            s.start()
            begun = threading.Event()
            s._on_event = lambda event: begun.set() if event.event == "output" else None
            evaluates = in_thread(lambda: s.evaluate("loud()"))
            begun.wait(60)
            self.assertEqual(s.pause().reason, "entry")
            self.assertIn("interrupted", str(evaluates.exception()))

    def test_close_from_outside(self):
        for source in (COMPUTING, PRINTING):
            for at_once in (False, True):
                with session(source=source, timeout=None) as s:
                    s.start()
                    runs = in_thread(s.continue_)
                    while s.state().status != "running":
                        pass
                    closing = [in_thread(lambda: s.close(at_once)) for _ in range(3)]
                    for one in closing:
                        one.result()
                    self.assertIsInstance(runs.exception(), ServerGone)
                    self.assertTrue(s.closed)

    def test_kill_from_outside(self):
        with session(source=PRINTING) as s:
            s.start()
            runs = in_thread(s.continue_)
            while s.state().status != "running":
                pass
            self.assertEqual(s.kill().exit_code, 143)
            self.assertTrue(runs.result().has_ended)

    def test_input_from_outside(self):
        with session(source=program('println(input() + "!")')) as s:
            s.start()
            with self.assertRaises(InputRequired):
                in_thread(s.continue_).result()
            s.send_input("a")
            self.assertTrue(in_thread(s.wait).result().has_ended)
            self.assertEqual(s.output, "a!\n")

    def test_events_are_told_in_order(self):
        told = []
        with session(source=program("for i in range(0, 3000) {\n    println(i)\n}"), on_event=told.append) as s:
            s.start()
            runs = in_thread(s.continue_)
            while not runs.done():
                s.state()
            runs.result()
        printed = [event.text for event in told if event.event == "output"]
        self.assertEqual(printed, [f"{i}\n" for i in range(3000)])

    def test_a_handler_may_ask(self):
        found = []

        def look(event):
            if event.event == "stopped":
                found.append(s.evaluate("1 + 1").value)

        s = session(SORT, on_event=look)
        with s:
            s.start()
            s.step_over()
        self.assertEqual(found, ["2", "2"])


class Finding(unittest.TestCase):
    def test_many_threads_look_at_once(self):
        script = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from ez_debugger.client.find import find_ez
from ez_debugger.client import DebuggerError
barrier, failures = threading.Barrier(8), []
def look():
    barrier.wait()
    try:
        find_ez()
    except DebuggerError:
        pass
    except BaseException as error:
        failures.append(repr(error))
threads = [threading.Thread(target=look) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failures)
"""
        for _ in range(5):
            done = subprocess.run([sys.executable, "-c", script, str(project.ROOT / "python")], timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            self.assertEqual(done.stdout, "[]\n")

    def test_many_sessions_at_once(self):
        def run(_):
            with session(SORT) as s:
                s.start()
                s.continue_()
                return s.output

        with ThreadPoolExecutor(8) as pool:
            self.assertEqual(set(pool.map(run, range(16))), {"{1, 2, 5, 7, 9}\n"})


if __name__ == "__main__":
    unittest.main()
