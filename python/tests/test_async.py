"""`AsyncSession` with the real server."""

import asyncio
import gc
import sys
import time
import unittest
import warnings

import project
from ez_debugger.client import (AsyncSession, CommandError, DebuggerError, InputRequired, ProgramError, ServerGone,
                                TimeLimitError)
from samples import ASKING, COMPUTING, ENDLESS_FUNCTIONS, PRINTING, SORT, async_session, program

FAKE = [sys.executable, str(project.ROOT / "python/tests/fake_server.py")]


class Sessions(unittest.IsolatedAsyncioTestCase):
    async def test_a_session(self):
        async with async_session(SORT, history=True) as s:
            await s.break_at(SORT, 13, condition="i == 2")
            stop = await s.start()
            self.assertEqual((stop.reason, stop.line), ("breakpoint", 13))
            with self.assertRaises(DebuggerError) as caught:
                stop.variables
            self.assertIn("await", str(caught.exception))
            values = (await s.variables())["list"]
            self.assertEqual([one.value for one in await s.fetch(values)], ["2", "5", "1", "1", "7"])
            self.assertEqual(values.children[2].value, "1")
            self.assertEqual([frame.function for frame in await s.frames()], ["sort", "main"])
            self.assertEqual(str(await s.evaluate("len(list)")), "5")
            self.assertEqual((await s.step_over()).line, 14)
            self.assertEqual((await s.back()).line, 13)
            written = [change.new_value async for change in s.changes("list[0]")]
            self.assertEqual(written[-1], "5")
            for breakpoint in await s.breakpoints():
                await s.remove(breakpoint)
            self.assertEqual([(await s.continue_()).reason for _ in range(2)], ["present", "end"])
            end = await s.continue_()
            self.assertEqual((end.exit_code, s.output), (0, "{1, 2, 5, 7, 9}\n"))
            self.assertFalse(s.closed)
        self.assertTrue(s.closed)
        self.assertIsNotNone(s.process.returncode)

    async def test_steps(self):
        async with async_session(SORT) as s:
            self.assertEqual([stop.line async for stop in s.steps()][:3], [21, 22, 6])

    async def test_a_handler_that_fails(self):
        failures = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context["exception"]))

        def fail(event):
            raise ZeroDivisionError

        async with async_session(SORT, on_event=fail) as s:
            self.assertEqual((await s.start()).line, 21)
        self.assertEqual({type(one) for one in failures}, {ZeroDivisionError})

    async def test_an_input_that_takes_too_long_or_is_cancelled_is_asked_for_again(self):
        given = [asyncio.get_running_loop().create_future() for _ in range(3)]
        given[2].set_result("Ann")
        rest = list(given)

        async def answer():
            return await rest.pop(0)

        async with async_session(source=ASKING, input=answer, stop_on_entry=False) as s:
            with self.assertRaises(TimeLimitError) as caught:
                await s.start(timeout=0.3)
            self.assertIn("input", str(caught.exception))
            self.assertTrue(given[0].cancelled())
            waits = asyncio.ensure_future(s.wait())
            while len(rest) > 1:
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            waits.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waits
            self.assertTrue(given[1].cancelled())
            self.assertTrue((await s.wait()).has_ended)
            self.assertEqual(s.output, "Ann\n")

    async def test_waiting_in_vain_leaves_nothing(self):
        async with async_session(source=COMPUTING) as s:
            await s.start()
            s.send("continue")
            for _ in range(50):
                with self.assertRaises(TimeLimitError):
                    await s.wait(timeout=0.001)
            self.assertEqual(s._server._waiting, [])

    async def test_many_at_once(self):
        async def run(text):
            async with async_session(source=program("println(input())"), input=text) as s:
                await s.start()
                await s.continue_()
                return s.output

        texts = [f"{i}\n" for i in range(8)]
        self.assertEqual(await asyncio.gather(*map(run, texts)), texts)

    async def test_input(self):
        source = program('temp a string = input()\ntemp b string = input()\nprintln("${a}+${b}")')
        lines = iter("xy")

        async def later():
            await asyncio.sleep(0)
            return next(lines, None)

        async with async_session(source=source, input=later) as s:
            await s.start()
            await s.continue_()
            self.assertEqual(s.output, "x+y\n")
        async with async_session(source=source) as s:
            await s.start()
            with self.assertRaises(InputRequired):
                await s.continue_()
            await s.send_input("1\n2")
            await s.wait()
            self.assertEqual(s.output, "1+2\n")


class Ends(unittest.IsolatedAsyncioTestCase):
    async def test_a_cancelled_block_leaves_nothing_behind(self):
        sessions = []

        async def endless(source):
            async with async_session(source=source, timeout=None) as s:
                sessions.append(s)
                await s.start()
                await s.continue_()

        for source in (COMPUTING, PRINTING):
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(endless(source), 1)
            self.assertIsNotNone(sessions[-1].process.returncode)
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        self.assertEqual(tasks, [])

    async def test_a_block_that_is_cancelled_while_it_is_entered(self):
        s = AsyncSession(SORT, ez=[*FAKE, "hang"], timeout=None)
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(s.__aenter__(), 0.3)
        self.assertIsNotNone(s.process.returncode)

    async def test_a_cancelled_run_can_be_paused(self):
        for source in (COMPUTING, PRINTING):
            async with async_session(source=source) as s:
                await s.start()
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(s.continue_(), 0.3)
                self.assertEqual((await s.pause()).reason, "pause")
                self.assertGreater(int((await s.evaluate("1 + 1")).value), 0)

    async def test_a_cancelled_evaluation_leaves_the_session_free(self):
        async with async_session(source=ENDLESS_FUNCTIONS, stop_on_entry=True) as s:
            await s.start()
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(s.evaluate("loud()"), 0.3)
            with self.assertRaises(TimeLimitError):
                await s.evaluate("quiet()", timeout=0.3)
            self.assertEqual((await s.evaluate("1 + 1")).value, "2")

    async def test_a_pause_from_another_task(self):
        async with async_session(source=PRINTING) as s:
            await s.start()
            runs = asyncio.ensure_future(s.continue_())
            while (await s.state()).status != "running":
                pass
            self.assertIs(await s.pause(), await runs)

    async def test_a_time_limit(self):
        async with async_session(source=PRINTING, max_output=1000) as s:
            await s.start()
            begin = time.monotonic()
            with self.assertRaises(TimeLimitError):
                await s.continue_(timeout=0.3)
            self.assertLess(time.monotonic() - begin, 20)
            self.assertEqual(len(s.output), 1000)

    async def test_errors(self):
        with self.assertRaises(ProgramError):
            await async_session("nothing.ez").__aenter__()
        with self.assertRaises(DebuggerError) as caught:
            await AsyncSession(SORT, ez="/there/is/no/ez").__aenter__()
        self.assertIn("cannot start /there/is/no/ez", str(caught.exception))
        with self.assertRaises(ServerGone) as gone:
            await AsyncSession(SORT, ez=[*FAKE, "fail"]).__aenter__()
        self.assertEqual(gone.exception.status, 3)
        self.assertTrue(gone.exception.stderr.endswith("no memory left\n"))
        async with async_session(SORT) as s:
            with self.assertRaises(CommandError):
                await s.evaluate("1")
            s.process.kill()
            with self.assertRaises(ServerGone):
                await s.start()
            self.assertTrue(s.closed)
        with self.assertRaises(ServerGone):
            await s.start()

    async def test_a_session_that_is_dropped_says_so_and_ends_its_server(self):
        s = async_session(SORT)
        await s.open()
        process, tasks = s.process, s._server._tasks
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            del s
            gc.collect()
        self.assertIn("unclosed session <AsyncSession", "".join(str(one.message) for one in told))
        await asyncio.wait([*tasks, asyncio.ensure_future(process.wait())])


if __name__ == "__main__":
    unittest.main()
