"""The conversation of JupyterLab's debugger with the kernel, by jupyter_client; then again with a second client."""

import sys

from jupyter_client.manager import start_new_kernel

FUNCTION = """\
do area(width int, height int) -> int {
    temp size int = width * height
    size += 1
    return size
}
"""
CALL = """\
temp sides [int] = {3, 4}
temp result int = area(sides[0], sides[1])
println(result)
"""
LIMIT = 30


class Client:
    """A front end with a debugger."""

    def __init__(self, client):
        self.client = client
        self.seq = 0
        self.events = []

    def request(self, command, arguments=None):
        """The response to a request of the debugger."""
        self.seq += 1
        content = {"type": "request", "seq": self.seq, "command": command, "arguments": arguments or {}}
        message = self.client.session.msg("debug_request", content)
        self.client.control_channel.send(message)
        while True:
            reply = self.client.get_control_msg(timeout=LIMIT)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                assert reply["msg_type"] == "debug_reply", reply
                content = reply["content"]
                assert content["request_seq"] == self.seq and content["command"] == command, content
                return content

    def ask(self, command, arguments=None):
        """The body of the response to a request that succeeds."""
        response = self.request(command, arguments)
        assert response["success"], response
        return response.get("body") or {}

    def event(self, name):
        """Waits for an event of the debugger."""
        while True:
            message = self.client.get_iopub_msg(timeout=LIMIT)
            if message["msg_type"] == "debug_event" and message["content"]["event"] == name:
                return message["content"].get("body", {})

    def idle(self, request):
        """Waits until a cell has ended; returns what it has printed."""
        text = ""
        while True:
            message = self.client.get_iopub_msg(timeout=LIMIT)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "stream":
                text += message["content"]["text"]
            if message["content"].get("execution_state") == "idle":
                return text

    def run(self, code):
        return self.idle(self.client.execute(code))

    def top(self):
        """The innermost frame, and its variables by scope."""
        frames = self.ask("stackTrace", {"threadId": 1})["stackFrames"]
        scopes = self.ask("scopes", {"frameId": frames[0]["id"]})["scopes"]
        variables = {}
        for scope in scopes:
            found = self.ask("variables", {"variablesReference": scope["variablesReference"]})["variables"]
            variables[scope["name"]] = {variable["name"]: variable["value"] for variable in found}
        return frames, variables


def debugs(client):
    """What JupyterLab does when the debugger is switched on; the path of the function's cell."""
    info = client.ask("debugInfo")
    assert info["hashMethod"] == "Murmur2" and info["tmpFileSuffix"] == ".ez", info
    client.ask("initialize", {"clientID": "test", "adapterID": "ez", "linesStartAt1": True, "columnsStartAt1": True})
    client.ask("attach")
    path = client.ask("dumpCell", {"code": FUNCTION})["sourcePath"]
    assert path.startswith(info["tmpFilePrefix"]) and path.endswith(".ez"), path
    found = client.ask("setBreakpoints", {"source": {"path": path}, "breakpoints": [{"line": 2}]})
    assert found["breakpoints"][0]["verified"], found
    client.ask("configurationDone")
    assert client.ask("debugInfo")["isStarted"]
    return path


def stops(client, path):
    """Runs a cell to the breakpoint, looks around, and goes on."""
    request = client.client.execute(CALL)
    stopped = client.event("stopped")
    assert stopped["reason"] == "breakpoint", stopped
    frames, variables = client.top()
    assert [frame["name"] for frame in frames][0] == "area", frames
    assert frames[0]["source"]["path"] == path and frames[0]["line"] == 2, frames
    local = next(iter(variables.values()))
    assert local["width"] == "3" and local["height"] == "4", variables
    source = client.ask("source", {"source": {"path": path}})
    assert source["content"] == FUNCTION, source
    client.ask("next", {"threadId": 1})
    assert client.event("stopped")["reason"] == "step"
    assert client.top()[0][0]["line"] == 3
    rich = client.ask("richInspectVariables", {"variableName": "size", "frameId": client.top()[0][0]["id"]})
    assert rich["data"]["text/plain"] == "12", rich
    return request


def main():
    manager, blocking = start_new_kernel(kernel_name="ez")
    try:
        first = Client(blocking)
        assert not first.ask("debugInfo")["isStarted"]
        path = debugs(first)
        assert first.run(FUNCTION) == ""
        request = stops(first, path)
        first.ask("continue", {"threadId": 1})
        assert first.idle(request) == "13\n"
        names = {variable["name"]: variable["value"] for variable in first.ask("inspectVariables")["variables"]}
        assert names["result"] == "13", names

        # A page that is loaded again while a cell is stopped.
        request = stops(first, path)
        second = Client(manager.client())
        second.client.start_channels()
        second.client.wait_for_ready(timeout=LIMIT)
        info = second.ask("debugInfo")
        assert info["stoppedThreads"] == [1] and info["isStarted"], info
        assert info["breakpoints"] == [{"source": path, "breakpoints": [{"line": 2}]}], info
        assert second.top()[0][0]["line"] == 3
        second.ask("continue", {"threadId": 1})
        assert first.idle(request) == "13\n"

        # Without a debugger, nothing stops.
        second.ask("disconnect", {"restart": False, "terminateDebuggee": False})
        assert second.run(CALL) == "13\n"
        assert not second.ask("debugInfo")["isStarted"]
        debugs(second)
        request = stops(second, path)
        second.ask("disconnect")
        assert second.idle(request) == "13\n"
        second.client.stop_channels()
    finally:
        blocking.stop_channels()
        manager.shutdown_kernel()
    return 0


if __name__ == "__main__":
    sys.exit(main())
