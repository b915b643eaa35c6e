"""The classes of `ez_debugger.protocol` are those of SPEC.md."""

import json
import re
import unittest
from dataclasses import fields

import project
from ez_debugger.protocol import (COMMANDS, EVENTS, RUNS, Breakpoint, Connection, ExceptionFilter, Frame, Malformed,
                                  Module, Process, Record, StateFields, Stopped, UnfoldedPart, Unknown, Variable)
from ez_debugger.protocol.decode import field_names

SPEC = (project.ROOT / "SPEC.md").read_text(encoding="utf-8")

#: Sentences of SPEC.md that say what an object has.
SENTENCES = {
    "`stopped` also has `description`": Stopped,
    "`stopped` also has `present`": Stopped,
    "`inputRequested` has": EVENTS["inputRequested"],
    "Frames also have": Frame,
    "A breakpoint is `id`": Breakpoint,
    "A variable (in `variables`": Variable,
    "`state` has `status`": StateFields,
    "`attached` has the fields of `state`, and `droppedOutput`": EVENTS["attached"],
    "`watchUpdate` {": EVENTS["watchUpdate"],
    "`progress` {": EVENTS["progress"],
    "A module has": Module,
    "The event `childStarted` has": Process,
    "`parts` are in the order": UnfoldedPart,
    "An expression has its value at that time": UnfoldedPart,
    "A `write` has": UnfoldedPart,
    "An `error`, the last part, has": UnfoldedPart,
}
#: What those sentences name that is no field: events and values.
NO_FIELDS = {"stopped", "inputRequested", "pause", "state", "attached", "watchUpdate", "progress", "write", "error", "parts", "variables",
             "variableUpdate", "variableSet", "childStarted", "initialized", "main", "user", "library"}


def words(text):
    return re.findall(r"`([A-Za-z]+)`", text)


def without_brackets(text):
    return re.sub(r"\([^()]*\)|\{[^{}]*\}", "", text)


def rows(first):
    """The rows of all tables whose first column has a title."""
    for table in re.split(r"\n\n", SPEC):
        lines = [line for line in table.split("\n") if line.startswith("|")]
        if lines and lines[0].startswith(f"| {first} |"):
            for line in lines[2:]:
                yield [cell.strip() for cell in line.strip("|").split("|")]


def leading(cell):
    """The names in a cell, without what is said about them."""
    clauses = re.split(r";", without_brackets(cell))
    return [name for clause in clauses for name in words(re.split(r":| for | if ", clause)[0])]


def command_rows():
    for names, parameters, answer, *_ in rows("command"):
        for name in words(names):
            yield name, parameters, answer


def unknown_fields(record, path):
    """The fields that a class does not know, within an object too."""
    found = [f"{path}.{name}" for name in record.extra]
    for field in fields(record):
        value = getattr(record, field.name)
        for item in value if isinstance(value, tuple) else [value]:
            if isinstance(item, Record):
                found += unknown_fields(item, f"{path}.{field.name}")
    return found


def recorded_events():
    """The lines of all events in SPEC.md and in the recorded sessions."""
    texts = [SPEC]
    texts += [file.read_text(encoding="utf-8", errors="replace")
              for folder in ("tests/server/snapshots", "testdata/transcripts")
              for file in sorted((project.ROOT / folder).iterdir()) if file.is_file()]
    for text in texts:
        for line in text.split("\n"):
            start = line.find('{"type":"event"')
            if start >= 0 and '"data":{' in line:
                yield line[start:]


class Specification(unittest.TestCase):
    def test_commands_and_their_parameters(self):
        documented = {}
        for name, parameters, _ in command_rows():
            documented.setdefault(name, set()).update(leading(parameters))
        # These belong to the items of its list.
        documented["setDataBreakpoints"] -= {"condition", "hitCondition", "enabled"}
        self.assertEqual({name: set(parameters) for name, parameters in COMMANDS.items()}, documented)

    def test_commands_that_let_the_program_run(self):
        documented = {name for name, _, answer in command_rows()
                      if "stop" in answer and name not in ("pause", "initialize")}
        self.assertEqual(RUNS, documented)

    def test_events_and_their_data(self):
        for name, data in rows("event"):
            kind = EVENTS[name.strip("`")]
            self.assertEqual([field for field in leading(data) if field not in field_names(kind)], [], name)

    def test_answers_and_their_data(self):
        for command, _, answer in command_rows():
            for name, data in re.findall(r"`([A-Za-z]+)` \{([^{}]*)\}", answer):
                self.assertEqual([field for field in words(data) if field not in field_names(EVENTS[name])], [], name)
            named = [name for name in words(without_brackets(answer).split(":")[0]) if name not in (*COMMANDS, "id")]
            values = {"pause", "runTo", "restart", "entry", "present", "removed", "true"}
            self.assertEqual([name for name in named if name not in EVENTS and name not in values], [], command)

    def test_what_sentences_say(self):
        for start, kind in SENTENCES.items():
            _, found, rest = SPEC.partition(start)
            self.assertTrue(found, start)
            line = rest.split("\n")[0]
            # Of `event` {fields} that, of sentences the beginning.
            said = line.split("}")[0] if start.endswith("{") else start + line
            sentence = re.split(r"\. |;", without_brackets(said))[0]
            missing = [word for word in words(sentence) if word not in field_names(kind) and word not in NO_FIELDS]
            self.assertEqual(missing, [], start)

    def test_nothing_is_made_up(self):
        documented = set(words(SPEC))
        self.assertEqual([name for name in EVENTS if name not in documented], [])
        kinds = [*EVENTS.values(), Breakpoint, ExceptionFilter, Frame, Module, Process, StateFields, UnfoldedPart,
                 Variable]
        for kind in kinds:
            self.assertEqual([name for name in field_names(kind) if name not in documented], [], kind)

    def test_recorded_events_have_no_unknown_fields(self):
        count = 0
        for line in recorded_events():
            connection = Connection()
            # A part of an answer is told when the last is there.
            line = re.sub(r',"part":\d+,"parts":\d+', "", line)
            for event in connection.receive(line.encode() + b"\n"):
                if isinstance(event, Malformed):
                    # Snapshots cut long lines.
                    with self.assertRaises(ValueError, msg=line):
                        json.loads(line)
                    continue
                count += 1
                self.assertNotIsInstance(event, Unknown, line)
                self.assertEqual(unknown_fields(event, event.event), [], line)
        self.assertGreater(count, 1000)


if __name__ == "__main__":
    unittest.main()
