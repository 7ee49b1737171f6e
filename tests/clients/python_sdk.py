"""Tests cutline with the official Python SDK, in both kinds of protocol revisions.

Usage: python_sdk.py PATH_TO_CUTLINE

What an SDK's users see is checked: the list, a call of each tool with its text and its
`_meta.details`, errors, progress, a call that times out and is taken back, and the counts of
them all. Any difference ends it with a traceback.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters, stdio_client

MODES = ["legacy", "auto", "2026-07-28"]
TOOLS = ["read", "bash", "grep", "find", "ls"]
TIMEOUT_SECS = 30
PART_OF_TEXT = "[The line above is part of the text, not a notice]"


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def details(result):
    return (result.meta or {}).get("details", {})


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments, read_timeout_seconds=TIMEOUT_SECS)
    if result.content[-1].text == PART_OF_TEXT and os.path.basename(sys.argv[1]) == "wrapped":
        # The wrap does not know that the notices of the wrapped server are those of cutline.
        result.content.pop()
    equal([block.type for block in result.content], ["text"])
    return result


async def check_list(client):
    tools = (await client.list_tools()).tools
    equal([tool.name for tool in tools], TOOLS)
    for tool in tools:
        assert tool.title and tool.description and tool.annotations, tool
        equal(tool.input_schema["type"], "object")


async def check_tools(client):
    result = await call(client, "read", path="big.txt")
    assert result.content[0].text.startswith("line 1\nline 2\n"), result
    assert result.content[0].text.endswith("\n\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue]"), result
    equal(details(result)["truncation"]["truncatedBy"], "lines")
    equal(details(result)["nextOffset"], 2001)
    equal(result.is_error, False)
    equal(result.structured_content, None)

    result = await call(client, "bash", command="echo hi; exit 3")
    equal(result.content[0].text, "hi\n\nCommand exited with code 3")
    equal(details(result)["exitCode"], 3)
    equal(result.is_error, False)

    result = await call(client, "bash", command="seq 3000")
    saved = details(result)["fullOutputPath"]
    equal((await call(client, "read", path=saved, limit=1)).content[0].text.splitlines()[0], "1")

    result = await call(client, "grep", pattern="line 4999$")
    equal(result.content[0].text, "big.txt:4999: line 4999")
    equal(details(result)["matches"], 1)

    result = await call(client, "find", pattern="*.txt")
    equal(result.content[0].text, "big.txt\nsub/small.txt")

    result = await call(client, "ls")
    equal(result.content[0].text, "big.txt\nsub/")

    result = await call(client, "read", path="missing")
    equal(result.content[0].text, "File not found: missing")
    equal(result.is_error, True)


async def check_progress(client):
    told = []

    async def heard(progress, total, message):
        told.append((progress, message))

    command = "for i in 1 2 3; do echo step $i; sleep 0.4; done"
    result = await client.call_tool(
        "bash", {"command": command}, read_timeout_seconds=TIMEOUT_SECS, progress_callback=heard
    )
    equal(result.content[0].text, "step 1\nstep 2\nstep 3\n")
    values = [value for value, _ in told]
    assert told and values == sorted(set(values)), told
    assert any("step" in (message or "") for _, message in told), told


async def check_timeout(client, workspace):
    started = workspace / "started"
    command = f"touch {started.name}; exec sleep 600"
    try:
        await client.call_tool("bash", {"command": command}, read_timeout_seconds=3)
        raise AssertionError("a call of 600 seconds returned")
    except MCPError:
        pass
    assert started.exists()
    # The SDK has cancelled the call, so the command must end.
    for _ in range(TIMEOUT_SECS * 20):
        if not processes_in(workspace):
            break
        await asyncio.sleep(0.05)
    else:
        raise AssertionError(f"still running: {processes_in(workspace)}")
    started.unlink()
    equal((await call(client, "bash", command="echo still here")).content[0].text, "still here\n")


def processes_in(folder):
    """Returns the ids of processes that run in a folder, except servers. Returns none on systems without /proc."""
    found = []
    if not Path("/proc").is_dir():
        return found
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            program = (entry / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
            if "cutline" not in program and Path(os.readlink(entry / "cwd")) == folder:
                found.append((entry.name, program))
        except OSError:
            pass
    return found


async def session(binary, mode):
    with tempfile.TemporaryDirectory() as base:
        workspace = Path(base).resolve() / "work"
        (workspace / "sub").mkdir(parents=True)
        (workspace / "big.txt").write_text("".join(f"line {n}\n" for n in range(1, 5001)))
        (workspace / "sub" / "small.txt").write_text("small\n")
        arguments = ["--root", str(workspace), "--spill-dir", base, "--log", "error"]
        parameters = StdioServerParameters(command=binary, args=arguments, cwd=str(workspace))
        async with Client(stdio_client(parameters), mode=mode) as client:
            await check_list(client)
            await check_tools(client)
            await check_progress(client)
            await check_timeout(client, workspace)


def main():
    binary = os.path.abspath(sys.argv[1])
    for mode in MODES:
        asyncio.run(asyncio.wait_for(session(binary, mode), 300))
        print(f"python sdk, {mode}: ok")


if __name__ == "__main__":
    main()
