"""The classes of `ez_debugger.protocol` are those of the description of the protocol."""

import json
import re
import sys
import unittest
from dataclasses import fields

import project

sys.path.insert(0, str(project.ROOT / "python"))
import make_protocol
from ez_debugger import protocol
from ez_debugger.protocol import EVENTS, Connection, Malformed, Record, Unknown


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
    files = [project.ROOT / "SPEC.md"]
    for folder in ("tests/server/snapshots", "testdata/transcripts"):
        files += [file for file in sorted((project.ROOT / folder).iterdir()) if file.is_file()]
    for file in files:
        for line in file.read_text(encoding="utf-8", errors="replace").split("\n"):
            start = line.find('{"type":"event"')
            if start >= 0 and '"data":{' in line:
                yield line[start:]


class Description(unittest.TestCase):
    def test_the_modules_are_made_from_it(self):
        for path, text in make_protocol.made().items():
            self.assertTrue(path.read_text(encoding="utf-8") == text,
                            f"{path.name} is stale: run .ci/make")

    def test_all_classes_can_be_imported(self):
        for kind in EVENTS.values():
            self.assertIs(getattr(protocol, kind.__name__), kind)
            self.assertIn(kind.__name__, protocol.__all__)

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
