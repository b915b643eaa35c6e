"""What a program writes is taken out of the server's bytes as `Connection` would do it."""

import json
import random

import pytest

from ez_debugger.protocol import Connection, Output
from ez_debugger.qt.fast_output import FastOutput

TEXTS = ["line\n", "", '"', '"}}', '\\', '\\"}}', "é \U0001f600", "\ud83d", "\ude00", "a\r\nb", "\x1b[1m", "x" * 5000,
         '","category":"stderr', "\u2028"]


def output(text, category="stdout", **more):
    data = {"category": category, "text": text, **more}
    return {"type": "event", "event": "output", "data": data}


def other(random):
    return random.choice([
        {"type": "event", "event": "stopped", "data": {"reason": "step", "description": 'a "}} b'}},
        output("console", "console"), output("extra", extra=1), {**output("with an id"), "id": 1},
        {"type": "event", "event": "output", "data": {"text": "in another order", "category": "stdout"}},
        {"type": "event", "event": "output", "data": {"category": "stdout", "text": 5}},
    ])


def lines_of(random, count):
    for _ in range(count):
        kind = random.random()
        if kind < 0.05:
            yield random.choice([b"", b"no event", b"\xff\xfe", b'{"type":"event","event":"output"',
                                 b'{"type":"event","event":"output","data":{"category":"stdout","text":"\xff"}}',
                                 b'{"type":"event","event":"output","data":{"category":"stdout","text":"a\\"}}',
                                 b'{"type":"event","event":"output","data":{"category":"stdout","text":"a"b"}}',
                                 b'{"type":"event","event":"output","data":{"category":"stdout","text":"\\u00"}}',
                                 b'{"type":"event","event":"output","data":{"category":"stdout","text":"a","text":"b"}}'])
            continue
        message = other(random) if kind < 0.2 else output(random.choice(TEXTS), random.choice(("stdout", "stdout", "stderr")))
        yield json.dumps(message, separators=(",", ":"), ensure_ascii=random.random() < 0.5).encode("utf-8", "replace")


def joined(events):
    """Events, with outputs of a stream that follow each other as one."""
    found = []
    for event in events:
        last = found[-1] if found else None
        if (isinstance(event, Output) and isinstance(last, Output) and not event.extra and not last.extra
                and event.answers is None and last.answers is None and event.category == last.category):
            event = Output(event="output", category=event.category, text=last.text + event.text)
            found.pop()
        found.append(event)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_events_are_those_of_the_connection(seed):
    chance = random.Random(seed)
    data = b"".join(line + b"\n" for line in lines_of(chance, 200))
    if chance.random() < 0.5:
        data = data[:-5]
    plain = Connection()
    wanted = [*plain.receive(data), *plain.end()]
    fast, found, at = FastOutput(Connection()), [], 0
    while at < len(data):
        end = at + chance.choice((1, 10, 100, 10_000))
        found += fast.receive(data[at:end])
        at = end
    found += fast.end()
    assert joined(found) == joined(wanted)


def test_lines_in_a_row_are_one_event():
    data = b"".join(json.dumps(output(f"{number}\n"), separators=(",", ":")).encode() + b"\n" for number in range(1000))
    (event,) = FastOutput(Connection()).receive(data)
    assert event == Output(event="output", category="stdout", text="".join(f"{number}\n" for number in range(1000)))
