"""Time limits hold whatever arrives, and output is kept up to a limit."""

import time
import unittest

import project  # noqa: F401
from ez_debugger.client import CommandError, TimeLimitError
from ez_debugger.client.text import Text
from samples import ENDLESS_FUNCTIONS, PRINTING, SORT, program, session

#: Far more than a limit of a second takes on a busy machine, far less than an endless program.
SOON = 20.0


class TimeLimits(unittest.TestCase):
    def within(self, seconds):
        self.assertLess(time.monotonic() - self.begin, seconds)

    def setUp(self):
        self.begin = time.monotonic()

    def test_a_program_that_prints_without_end(self):
        with session(source=PRINTING) as s:
            s.start()
            for _ in range(3):
                with self.assertRaises(TimeLimitError):
                    s.wait(timeout=0.3) if s.output else s.continue_(timeout=0.3)
            stop = s.pause()
            self.assertEqual(stop.reason, "pause")
            printed = int(s.output.splitlines()[-1].split()[-1])
            self.assertIn(int(stop.variables["n"].value) - printed, (0, 1))
        self.within(SOON)

    def test_the_limit_of_the_session(self):
        with session(source=PRINTING, timeout=0.5) as s:
            s.start()
            with self.assertRaises(TimeLimitError):
                s.continue_()
        self.within(SOON)

    def test_an_evaluation_leaves_the_session_free(self):
        with session(source=ENDLESS_FUNCTIONS, stop_on_entry=True) as s:
            s.start()
            for function in ("quiet", "loud", "quiet"):
                with self.subTest(function):
                    with self.assertRaises(TimeLimitError):
                        s.evaluate(f"{function}()", timeout=0.3)
                    self.assertEqual(s.evaluate("1 + 1", timeout=SOON).value, "2")
            self.assertEqual(s.pause().reason, "entry")
            self.assertTrue(s.continue_().has_ended)
            self.assertTrue(s.output.endswith("\n1\n"))
        self.within(SOON)

    def test_an_evaluation_that_is_interrupted_leaves_the_session_free(self):
        with session(source=ENDLESS_FUNCTIONS, stop_on_entry=True) as s:
            s.start()
            calls = []

            def interrupt(event):
                if not calls:
                    calls.append(event)
                    raise KeyboardInterrupt

            s._on_event = interrupt
            with self.assertRaises(KeyboardInterrupt):
                s.evaluate("loud()")
            self.assertEqual(s.evaluate("1 + 1").value, "2")
        self.within(SOON)

    def test_the_limit_of_an_evaluation_is_that_of_the_call(self):
        sent = []
        with session(SORT, timeout=7) as s:
            write = s._core.write
            s._core.write = lambda data: (sent.append(data.decode()), write(data))
            s.start()
            s.evaluate("1")
            s.evaluate("1", timeout=30)
            s.evaluate("1", timeout=None)
            s.evaluate("1", context="watch")
            s.evaluate("1", context="watch", timeout=2)
        limits = [line.split('"timeoutMs":')[1].split("}")[0].split(",")[0] if "timeoutMs" in line else None
                  for line in sent if '"evaluate"' in line]
        self.assertEqual(limits, ["7000", "30000", "600000", None, "2000"])

    def test_errors_of_evaluations_stay(self):
        with session(SORT) as s:
            s.start()
            with self.assertRaises(CommandError):
                s.evaluate("nothing", timeout=5)

    def test_none_is_no_limit(self):
        source = program("temp n int = 0\nfor i in range(0, 300000) {\n    n += i\n}\nprintln(n)")
        with session(source=source, timeout=None) as s:
            s.start()
            self.assertTrue(s.continue_().has_ended)
        with session(source=source) as s:
            s.start()
            with self.assertRaises(TimeLimitError):
                s.continue_(timeout=0)
            self.assertTrue(s.wait(timeout=None).has_ended)


class Output(unittest.TestCase):
    def test_the_end_is_kept(self):
        lines = "".join(f"{i}\n" for i in range(50_000))
        with session(source=program("for i in range(0, 50000) {\n    println(i)\n}"), max_output=1000) as s:
            s.start()
            self.assertEqual(s.dropped(), 0)
            s.continue_()
            self.assertEqual(s.output, lines[-1000:])
            self.assertEqual(s.dropped(), len(lines) - 1000)
            self.assertEqual((s.error_output, s.dropped("stderr")), ("", 0))

    def test_any_way_of_adding_gives_the_same(self):
        whole = "".join(map(str, range(60_000)))
        for most in (None, 0, 1, 7, 100_000, len(whole), len(whole) + 1):
            for size in (1, 1000, 70_000, len(whole)):
                for looks in (False, True):
                    text = Text(most)
                    for at in range(0, len(whole), size):
                        text.add(whole[at:at + size])
                        if looks and at % 50_000 == 0:
                            text.get()
                    kept = whole if most is None else whole[max(0, len(whole) - most):]
                    self.assertEqual(text.dropped, len(whole) - len(kept), (most, size, looks))
                    self.assertEqual(text.get(), kept, (most, size, looks))
                    self.assertEqual(text.dropped, len(whole) - len(kept), (most, size, looks))

    def test_memory_is_bounded(self):
        text = Text(10)
        for _ in range(200):
            text.add("x" * 10_000)
        self.assertLess(sum(map(len, text._portions)) + text._new_length, 200_000)

    def test_a_wrong_limit(self):
        with self.assertRaises(ValueError):
            session(SORT, max_output=-1)


if __name__ == "__main__":
    unittest.main()
