"""`ez_debugger.protocol`: bytes to events and back."""

import json
import random
import unittest

import project  # noqa: F401
from ez_debugger.protocol import (Children, Connection, Ended, Error, EvaluateResult, Exited, Malformed, Modules,
                                  Output, Source, Started, Stopped, Unknown, Variable, VariableUpdate)


def line(event, data, id=None):
    message = {"type": "event", "event": event, "data": data}
    if id is not None:
        message["id"] = id
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def place(number):
    return {"file": "/x/é.ez", "line": number, "column": 5}


#: A stream with everything that can be in one.
STREAM = b"".join([
    line("started", {}, 1),
    line("output", {"category": "stdout", "text": "Zoë 🦊\r\n"}),
    line("stopped", {"reason": "entry", "location": place(3), "step": 1, "new": [1, {"a": None}]}, 1),
    line("variableUpdate", {"name": "x", "value": "\"ü\"", "type": "string", "frameIndex": 0}),
    b"\r\n", b"  \n", b"not JSON\n", b"\xff\xfe\n", b"[1,2]\n", b'{"type":"event","event":7,"data":{}}\n',
    b"[" * 100_000 + b"\n", b'{"type":"event","event":"exited","data":{"exitCode":' + b"9" * 5000 + b"}}\n",
    line("newEvent", {"reason": "it is new"}),
    line("evaluateResult", {"expression": "s", "result": "ab", "type": "string", "part": 1, "parts": 2}),
    line("output", {"category": "stderr", "text": "between\n"}),
    line("evaluateResult", {"expression": "s", "result": "cd", "type": "string", "part": 2, "parts": 2}, 2),
    line("modules", {"modules": [{"name": "a", "kind": "user"}], "part": 1, "parts": 2}),
    line("modules", {"modules": [{"name": "b", "kind": "library"}], "part": 2, "parts": 2}, 3),
    line("exited", {"exitCode": "0"}),
    b'{"type":"event","event":"out',
])


def connection():
    made = Connection()
    for command in ("start", "evaluate", "getModules", "getState"):
        made.send(command)
    return made


def events(pieces):
    made = connection()
    found = [event for piece in pieces for event in made.receive(piece)]
    return found + made.end()


class Receiving(unittest.TestCase):
    def test_a_line_without_end_is_not_kept(self):
        made = Connection()
        found = [event for _ in range(200) for event in made.receive(b"x" * 65_536)]
        self.assertEqual([type(event) for event in found], [Malformed])
        self.assertLess(len(found[0].line), 2000)
        self.assertEqual([type(event) for event in made.receive(b"x\n" + line("started", {}))], [Started])
        self.assertEqual([type(event) for event in made.receive(line("started", {})[:5])], [])
        self.assertEqual([type(event) for event in made.receive(line("started", {})[5:])], [Started])

    def test_what_is_in_the_stream(self):
        found = events([STREAM])
        kinds = [Started, Output, Stopped, VariableUpdate, Malformed, Malformed, Malformed, Malformed, Malformed,
                 Malformed, Unknown, Output, EvaluateResult, Modules, Exited, Malformed, Ended]
        self.assertEqual([type(event) for event in found], kinds)
        started, output, stopped, update = found[:4]
        self.assertEqual((started.answers.name, started.completes), ("start", False))
        self.assertEqual((stopped.answers.name, stopped.completes), ("start", True))
        self.assertEqual(output.text, "Zoë 🦊\r\n")
        self.assertEqual((stopped.location.line, stopped.location.file), (3, "/x/é.ez"))
        self.assertEqual(stopped.extra, {"new": [1, {"a": None}]})
        self.assertIsInstance(update, Variable)
        self.assertEqual((update.value, update.frame_index, update.answers), ('"ü"', 0, None))
        self.assertEqual((found[10].event, found[10].extra), ("newEvent", {"reason": "it is new"}))
        self.assertEqual((found[12].result, found[12].expression, found[12].answers.id), ("abcd", "s", 2))
        self.assertEqual([module.name for module in found[13].modules], ["a", "b"])
        # Of a wrong type: kept as it is.
        self.assertEqual((found[14].exit_code, found[14].extra), (0, {"exitCode": "0"}))
        self.assertEqual(found[15].line, b'{"type":"event","event":"out')
        self.assertEqual([command.name for command in found[16].unanswered], ["getState"])

    def test_any_division_gives_the_same_events(self):
        whole = events([STREAM])
        self.assertEqual(events(bytes([byte]) for byte in STREAM), whole)
        for seed in range(200):
            chance = random.Random(seed)
            cuts = sorted(chance.randrange(len(STREAM) + 1) for _ in range(chance.randrange(1, 60)))
            pieces = [STREAM[start:end] for start, end in zip([0, *cuts], [*cuts, len(STREAM)])]
            self.assertEqual(events(pieces), whole, f"seed {seed}")

    def test_any_single_cut_gives_the_same_events(self):
        beginning = STREAM[:STREAM.index(b"[[[")]
        whole = events([beginning])
        for cut in range(len(beginning)):
            self.assertEqual(events([beginning[:cut], beginning[cut:]]), whole, cut)

    def test_ids_that_are_not_ours_answer_nothing(self):
        for id in (99, "1", True, 1.0, [1], {"a": 1}, None):
            made = connection()
            (event,) = made.receive(line("state", {}, id) if id is not None else line("state", {}))
            self.assertIsNone(event.answers, id)
            self.assertEqual(len(made.pending), 4)

    def test_an_error_completes_its_command(self):
        made = connection()
        error, = made.receive(line("error", {"message": "Cannot start: not initialized", "command": "start"}, 1))
        self.assertIsInstance(error, Error)
        self.assertEqual((error.command, error.answers.name, error.completes), ("start", "start", True))
        self.assertNotIn("start", [command.name for command in made.pending])

    def test_an_answer_that_is_not_finished_is_reported_at_the_end(self):
        made = connection()
        self.assertEqual(made.receive(line("source", {"file": "a", "text": "b", "part": 1, "parts": 2})), [])
        malformed, ended = made.end()
        self.assertIn("source", malformed.problem)
        self.assertEqual(len(ended.unanswered), 4)

    def test_parts_that_begin_anew_replace_the_old_ones(self):
        made = connection()
        made.receive(line("source", {"file": "a", "text": "old", "part": 1, "parts": 2}))
        made.receive(line("source", {"file": "a", "text": "ne", "part": 1, "parts": 2}))
        source, = made.receive(line("source", {"file": "a", "text": "w", "part": 2, "parts": 2}))
        self.assertEqual((type(source), source.text), (Source, "new"))

    def test_nested_objects_keep_what_is_unknown(self):
        made = connection()
        children, = made.receive(line("children", {"reference": 1, "children": [{"name": "[0]", "colour": "red"}]}))
        self.assertIsInstance(children, Children)
        self.assertEqual(children.children[0].extra, {"colour": "red"})
        event, = made.receive(line("children", {"children": [1]}))
        self.assertEqual((event.children, event.extra), ((), {"children": [1]}))


class Sending(unittest.TestCase):
    def test_names_may_be_in_snake_case(self):
        made = Connection()
        sent = made.send("setBreakpoints", file="a.ez", breakpoints=[{"line": 3, "hit_condition": "2"}])
        self.assertEqual(sent.count(b"\n"), 1)
        self.assertEqual(json.loads(sent), {"type": "command", "command": "setBreakpoints", "id": 1, "params": {
            "file": "a.ez", "breakpoints": [{"line": 3, "hitCondition": "2"}]}})
        sent = made.send("getVariables", frame_index=2)
        self.assertEqual(json.loads(sent)["params"], {"frameIndex": 2})
        self.assertEqual(json.loads(made.send("getVariables", frameIndex=2))["params"], {"frameIndex": 2})
        self.assertEqual((made.last_command.id, made.last_command.name), (3, "getVariables"))

    def test_names_of_the_environment_stay(self):
        sent = Connection().send("initialize", env={"MY_NAME": "x", "HOME": None}, deny=["net", "fs"])
        self.assertEqual(json.loads(sent)["params"], {"env": {"MY_NAME": "x", "HOME": None}, "deny": ["net", "fs"]})

    def test_a_line_is_one_line(self):
        sent = Connection().send("input", text="a\u2028b\nc\x85\ud800", eof=True)
        self.assertEqual(sent.decode("ascii").splitlines(True), [sent.decode()])

    def test_what_is_no_json_is_refused(self):
        for wrong in (float("nan"), b"bytes", {1, 2}):
            made = Connection()
            with self.assertRaises((TypeError, ValueError)):
                made.send("evaluate", expression=wrong)
            self.assertEqual((made.pending, made.last_command), ((), None))


if __name__ == "__main__":
    unittest.main()
