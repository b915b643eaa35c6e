"""A session that its owner shares: guests, and the breakpoints that they set."""

import json
import socket
import threading

import pytest
from PyQt6.QtCore import Qt

PROGRAM = """do main() {
    temp sum int = 0
    for i in range(0, 5) {
        sum += i
    }
    println(sum)
}
"""


class Guest:
    """Another client of the session, which sends commands and waits for what it is told."""

    def __init__(self, window, command):
        self._window = window
        _, _, _, address, _, token = command.split()
        host, port = address.rsplit(":", 1)
        self._file = socket.create_connection((host, int(port))).makefile("rw")
        self._sent = 0
        self._seen = 0
        self.told = []
        # What is told comes on a thread of its own: the panels go on while one waits for it.
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("attach", token=token, name="claude <b>", protocolVersion=2)

    def _read(self):
        for line in self._file:
            self.told.append(json.loads(line))

    def send(self, command, **params):
        self._sent += 1
        line = {"type": "command", "command": command, "params": params, "id": self._sent}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def wait(self, fits):
        """The next event that fits."""
        self._window.until(lambda: any(fits(event) for event in self.told[self._seen:]))
        while True:
            self._seen += 1
            if fits(self.told[self._seen - 1]):
                return self.told[self._seen - 1]

    def ask(self, command, **params):
        self.send(command, **params)
        answer = self.wait(lambda event: event.get("id") == self._sent)
        assert answer["event"] != "error", answer
        return answer["data"]


@pytest.fixture
def shared(window):
    window.program(PROGRAM)
    window.panel.store.toggle(window.file, 6)
    window.panel.start()
    window.until_stop(6)
    window.panel.share_action.trigger()
    window.panel.sharing.share_button.click()
    window.until(lambda: window.panel.sharing.commands["participant"].text())
    return window


def join(window, role="participant"):
    guest = Guest(window, window.panel.sharing.commands[role].text())
    window.until(lambda: window.panel.sharing.guests)
    return guest


def rows(window):
    shown = window.panel.breakpoints.list
    return [(shown.topLevelItem(row).text(0), shown.topLevelItem(row).text(2),
             shown.topLevelItem(row).checkState(0) == Qt.CheckState.Checked) for row in range(shown.topLevelItemCount())]


def test_who_joins_is_shown_and_can_be_sent_away(shared):
    guest = join(shared, "observer")
    assert [shared.panel.sharing.list.item(0).text()] == ["claude <b> (observer)"]
    assert shared.panel.notices.message.label.text() == "claude <b> has joined the session (observer)."
    shared.panel.sharing.unshare_button.click()
    guest.wait(lambda event: event["event"] == "dismissed")
    shared.until(lambda: not shared.panel.sharing.guests)
    assert shared.panel.sharing.commands["observer"].text() == ""
    assert shared.panel.sharing.share_button.isEnabled()


def test_a_breakpoint_of_a_guest_is_shown_disabled_and_removed(shared):
    guest = join(shared)
    guest.ask("setBreakpoint", file=shared.file, line=8, condition="sum == 10")
    shared.until(lambda: len(rows(shared)) == 2)
    assert rows(shared)[1] == ("p.ez:8, set by claude <b>", "sum == 10", True)
    # The person disables it with a click, and then removes it.
    item = shared.panel.breakpoints.list.topLevelItem(1)
    item.setCheckState(0, Qt.CheckState.Unchecked)
    changed = guest.wait(lambda event: event["event"] == "breakpointChanged")["data"]
    assert (changed["reason"], changed["breakpoint"]["enabled"], changed["by"]) == ("changed", False, "owner")
    shared.panel.breakpoints.list.setCurrentItem(shared.panel.breakpoints.list.topLevelItem(1))
    shared.panel.breakpoints.remove_current()
    assert guest.wait(lambda event: event["event"] == "breakpointChanged")["data"]["reason"] == "removed"


def test_what_a_guest_changes_and_removes_is_shown(shared):
    guest = join(shared)
    guest.ask("disableBreakpoint", id=1)
    shared.until(lambda: not rows(shared)[0][2])
    guest.ask("setFunctionBreakpoints", breakpoints=[{"name": "main"}])
    shared.until(lambda: len(rows(shared)) == 2)
    assert rows(shared)[1][0] == "main(), set by claude <b>"
    guest.ask("clearBreakpoint", file=shared.file, line=6)
    shared.until(lambda: len(rows(shared)) == 1)


def test_the_program_goes_where_a_guest_sends_it(shared):
    guest = join(shared)
    changes = []
    shared.session.values_changed.connect(lambda: changes.append(True))
    guest.ask("setVariable", name="sum", value="40")
    shared.until(lambda: changes)
    guest.ask("clearBreakpoint", file=shared.file, line=6)
    guest.send("stepOver")
    shared.until(lambda: shared.session.state.stop is not None and shared.session.state.stop.by == "claude <b>")
    shared.until_stop()
    guest.send("continue")
    shared.until(lambda: shared.session.state.stop is not None and shared.session.state.stop.reason == "end")
    shared.until_stop()
    guest.send("continue")
    shared.until_end()
    guest.wait(lambda event: event["event"] == "terminated")


def test_what_stops_at_errors_for_a_guest_is_not_taken_for_ones_own(shared):
    guest = join(shared)
    boxes = shared.panel.breakpoints.error_boxes
    guest.ask("setExceptionBreakpoints", filters=["errorValue", "uncaught"])
    guest.send("stepOver")
    shared.until(lambda: boxes["errorValue"].text() == "Error values (a guest)")
    assert not boxes["errorValue"].isChecked() and boxes["uncaught"].isChecked()
    assert boxes["uncaught"].text() == "Run-time errors"
    # Now it is the owner's.
    shared.until_stop()
    boxes["errorValue"].click()
    shared.settle()
    assert boxes["errorValue"].isChecked() and boxes["errorValue"].text() == "Error values"
    filters = guest.ask("getState")["exceptionFilters"]
    assert sorted(one["filterId"] for one in filters) == ["errorValue", "uncaught"]
