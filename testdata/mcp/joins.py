"""The official client of the Model Context Protocol, as an agent in a person's session.

    python joins.py EZ ROOT ADDRESS TOKEN FILE LINE CONDITION

Joins, sets a breakpoint with a condition and says so, waits for a line, and tells what the others have done meanwhile.
"""

import sys

import anyio
from mcp import StdioServerParameters
from mcp.client.client import Client


async def main(ez, root, address, token, file, line, condition):
    async with Client(StdioServerParameters(command=ez, args=["mcp", "--root", root])) as client:

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return result.structured_content

        joined = await call("debug_join", address=address, token=token, name="agent")
        place = {"file": file, "line": int(line), "condition": condition}
        await call("debug_do", session=joined["session"], command="setBreakpoint", params=place)
        print("set", flush=True)
        await anyio.to_thread.run_sync(sys.stdin.readline)
        told = await call("investigate", session=joined["session"], ask={"variables": True})
        print(*told["others"], sep="\n", flush=True)
        await call("debug_stop", session=joined["session"])


anyio.run(main, *sys.argv[1:])
