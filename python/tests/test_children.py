"""Programs that a program starts, for a client that follows them and lets them go."""

import os
import queue
import tempfile
import threading
import time
import unittest
from pathlib import Path

import project
from ez_debugger.client import CommandError, DebuggerError
from ez_debugger.protocol import ChildEnded, ChildStarted
from samples import program, session


def parent(folder):
    """A program that runs another one twice; its file, and that of the other."""
    child, file = Path(folder, "child.ez"), Path(folder, "parent.ez")
    child.write_text(program('temp n int = 1\n    n += 1\n    println("child", n)'), encoding="utf-8")
    runs = (f"temp text{n}, problem{n} = os.exec_output(`'{project.EZ}' '{child}'`)\n    println(text{n}, problem{n})"
            for n in (1, 2))
    file.write_text("import @os\n" + program("\n    ".join(runs)), encoding="utf-8")
    return file, child


class News:
    """What is told of children, in order."""

    def __init__(self):
        self._told = queue.Queue()

    def __call__(self, event):
        if isinstance(event, (ChildStarted, ChildEnded)):
            self._told.put(event)

    def next(self, kind):
        event = self._told.get(timeout=60)
        assert isinstance(event, kind), event
        return event


@unittest.skipIf(os.name == "nt", "the command is one of a shell of Unix")
class ChildProcesses(unittest.TestCase):
    def test_one_that_is_released_runs_as_if_nobody_were_there(self):
        news = News()
        with tempfile.TemporaryDirectory() as folder:
            file, child = parent(folder)
            with session(file, children=True, stop_on_entry=False, on_event=news) as s:
                before = child.read_text(encoding="utf-8").split("n += 1")[0]
                s.request("setBreakpoint", file=str(child), line=before.count("\n") + 1)
                for count, begin in enumerate((s.start, s.restart), 1):
                    ends = []
                    running = threading.Thread(target=lambda: ends.append(begin(timeout=60)))
                    running.start()
                    for _ in range(2):
                        pid = news.next(ChildStarted).pid
                        self.assertEqual([(one.pid, one.held) for one in s.processes()], [(pid, True)])
                        s.release_child(pid)
                        self.assertEqual(news.next(ChildEnded).pid, pid)
                        with self.assertRaises(CommandError):
                            s.release_child(pid)
                    running.join(60)
                    self.assertEqual([(end.has_ended, end.exit_code) for end in ends], [(True, 0)])
                    self.assertEqual(s.processes(), ())
                    self.assertEqual(s.output.count("child 2"), 2 * count)

    def test_one_that_is_held_ends_with_the_session(self):
        news = News()

        def run():
            try:
                s.start(timeout=60)
            except DebuggerError:
                pass

        with tempfile.TemporaryDirectory() as folder:
            with session(parent(folder)[0], children=True, stop_on_entry=False, on_event=news) as s:
                running = threading.Thread(target=run)
                running.start()
                pid = news.next(ChildStarted).pid
                os.kill(pid, 0)
            running.join(60)
            with self.assertRaises(ProcessLookupError):
                limit = time.monotonic() + 60
                while time.monotonic() < limit:
                    os.kill(pid, 0)
                    time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
