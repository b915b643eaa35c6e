"""The official client of the Model Context Protocol (the package mcp) with a server of ours.

    python official.py EZ ROOT

Connects with a handshake, without one, and as the client itself decides, and uses everything that the server has.
The client checks each message against the types of the protocol, and structured content against the tool's schema.
"""

import sys

import anyio
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

ENDLESS = "do main() {\n    temp n int = 0\n    loop {\n        n += 1\n    }\n}\n"


async def use(client):
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"check", "run", "investigate", "trace", "debug_start", "debug_join", "debug_do", "debug_stop", "language"} == tools
    result = await client.call_tool("investigate", {"file": "bill.ez", "ask": {"origin": "due"}})
    assert not result.is_error and result.structured_content["origin"]["rows"], result
    assert "11 | return item.count + item.price" in result.content[0].text
    result = await client.call_tool("run", {"file": "nothing.ez"})
    assert result.is_error and "nothing.ez: no such file" in result.content[0].text, result
    try:
        await client.call_tool("nothing", {})
        raise AssertionError("there is a tool 'nothing'")
    except MCPError as error:
        assert "unknown tool" in str(error)
    for session_call in [
        ("debug_start", {"file": "bill.ez"}),
        ("debug_do", {"session": "s1", "command": "stepOver"}),
        ("debug_stop", {"session": "s1"}),
    ]:
        assert not (await client.call_tool(*session_call)).is_error
    for resource in (await client.list_resources()).resources:
        assert (await client.read_resource(resource.uri)).contents[0].text
    assert len((await client.list_resource_templates()).resource_templates) == 2
    for prompt in (await client.list_prompts()).prompts:
        arguments = {argument.name: "x.ez" for argument in prompt.arguments}
        assert "x.ez" in (await client.get_prompt(prompt.name, arguments)).messages[0].content.text


async def waits(client):
    """A call that reports its progress, is cancelled then, and leaves the server free."""
    with anyio.CancelScope() as scope:

        async def progress(done, total, message):
            scope.cancel()

        await client.call_tool("run", {"source": ENDLESS, "timeLimit": 600}, progress_callback=progress)
        raise AssertionError("a program that never ends has ended")
    assert not (await client.call_tool("check", {"source": ENDLESS})).is_error


async def main(ez, root):
    server = StdioServerParameters(command=ez, args=["mcp", "--root", root])
    for mode, version in [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28"), ("auto", "2026-07-28")]:
        async with Client(server, mode=mode) as client:
            assert client.protocol_version == version, client.protocol_version
            await use(client)
            await waits(client)
        print(mode, version)


anyio.run(main, sys.argv[1], sys.argv[2])
