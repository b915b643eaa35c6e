"""Servers that do not do what they should: the first argument says what they do instead."""

import json
import sys
import time


def hang():
    time.sleep(600)


def hang_later():
    """Answers `initialize`, and nothing else."""
    message = json.loads(sys.stdin.readline())
    data = {"file": "x.ez", "protocolVersion": 2}
    print(json.dumps({"type": "event", "event": "initialized", "data": data, "id": message["id"]}), flush=True)
    hang()


def fail():
    sys.stderr.write("no memory left\n" * 20_000)
    sys.exit(3)


def tear():
    sys.stdin.readline()
    sys.stdout.write('{"type":"event","event":"initi')
    sys.exit(0)


{"hang": hang, "hang_later": hang_later, "fail": fail, "tear": tear}[sys.argv[1]]()
