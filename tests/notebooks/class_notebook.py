"""Runs `class.ipynb` with nbclient, and compares what its cells show with `class.txt`.

With UPDATE_NOTEBOOKS=1, writes `class.txt`.
"""

import asyncio
import difflib
import os
import pathlib
import re
import sys

import nbformat
from nbclient import NotebookClient

HERE = pathlib.Path(__file__).parent
EXPECTED = HERE / "class.txt"

# Seconds after which nbclient interrupts a cell: one that has to be interrupted, or any other.
INTERRUPTED = 2
LIMIT = 60


def limit(cell):
    return INTERRUPTED if "interrupted" in cell.metadata.get("tags", []) else LIMIT


async def answer(client):
    """Types a line whenever a cell asks for one."""
    while True:
        message = await client.kc.stdin_channel.get_msg(timeout=None)
        if message["msg_type"] == "input_request":
            client.kc.input("Ann")


async def run(notebook):
    client = NotebookClient(
        notebook, kernel_name="ez", allow_errors=True, interrupt_on_timeout=True, timeout_func=limit
    )
    async with client.async_setup_kernel():
        client.kc.allow_stdin = True
        answering = asyncio.create_task(answer(client))
        for index, cell in enumerate(notebook.cells):
            await client.async_execute_cell(cell, index)
        answering.cancel()


def shown(output):
    """An output as text; reports without their colours."""
    if output.output_type == "stream":
        return f"{output.name}: {output.text}"
    if output.output_type == "error":
        report = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))
        return f"error {output.ename}: {output.evalue}\n{report}"
    return "\n".join(f"{output.output_type} {kind}: {text}" for kind, text in sorted(output.data.items()))


def transcript(notebook):
    lines = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        lines += [f"=== [{cell.execution_count}]", cell.source, "---"]
        lines += [shown(output).rstrip("\n") for output in cell.outputs]
    return "\n".join(lines) + "\n"


def main():
    notebook = nbformat.read(HERE / "class.ipynb", as_version=4)
    asyncio.run(run(notebook))
    got = transcript(notebook)
    if os.environ.get("UPDATE_NOTEBOOKS"):
        EXPECTED.write_text(got, encoding="utf-8")
        return 0
    expected = EXPECTED.read_text(encoding="utf-8")
    difference = difflib.unified_diff(expected.splitlines(), got.splitlines(), "class.txt", "this run", lineterm="")
    text = "\n".join(difference)
    print(text, end="")
    return 1 if text else 0


if __name__ == "__main__":
    sys.exit(main())
