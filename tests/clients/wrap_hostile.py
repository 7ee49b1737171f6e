"""Wraps a hostile server, and calls each of its tools with the official Python SDK.

Usage: wrap_hostile.py PATH_TO_CUTLINE

Each call must end with a result within the limits, or with an error. The connection
must stay usable. Any other outcome ends it with a traceback.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters, stdio_client

TIMEOUT_SECS = 60
LIMIT = 30_000
SLACK = 8_000
SERVER = str(Path(__file__).with_name("hostile_server.py"))


def size(result):
    """Returns the bytes of a result as JSON."""
    return len(result.model_dump_json(by_alias=True, exclude_none=True).encode())


async def check(client, tool):
    try:
        result = await client.call_tool(tool, {}, read_timeout_seconds=TIMEOUT_SECS)
    except MCPError as error:
        said = str(error) + json.dumps(error.error.data)
        bytes = len(said)
        assert "Invalid response of the server" in said or "[truncated]" in said, (tool, said[-500:])
    else:
        bytes, said = size(result), "".join(block.text for block in result.content if block.type == "text")
        assert not result.is_error or "Invalid response of the server" in said, (tool, said[-500:])
    assert bytes <= LIMIT + SLACK, (tool, bytes)
    # The connection is still usable.
    small = await client.call_tool("small", {}, read_timeout_seconds=TIMEOUT_SECS)
    assert small.content[0].text == "small", (tool, small)


async def main():
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as base:
        wrap = ["wrap", "--spill-dir", base, "--log", "error", "--", sys.executable, SERVER]
        server = StdioServerParameters(command=binary, args=wrap)
        async with Client(stdio_client(server), mode="legacy") as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            assert len(tools) > 30, tools
            for tool in tools:
                await check(client, tool)
    print(f"hostile server, wrapped: ok, {len(tools)} cases")


asyncio.run(asyncio.wait_for(main(), 300))
