"""Wraps existing servers, and tests each with the official Python SDK, direct and wrapped.

Usage: wrap.py PATH_TO_CUTLINE PATH_TO_NODE_MODULES

Each server is listed and called twice, once direct and once through `cutline wrap`. What is within
the limits must be the same; what is over them must be cut, saved whole, and still be what the
tool's output schema promises, which the SDK checks. Any difference ends it with a traceback.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client

TIMEOUT_SECS = 60
LIMIT = 2000


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def plain(result):
    return json.loads(result.model_dump_json(by_alias=True, exclude_none=True))


def texts(result):
    return [block.text for block in result.content if block.type == "text"]


class Pair:
    """One server, direct and wrapped."""

    def __init__(self, direct, wrapped):
        self.direct, self.wrapped = direct, wrapped

    async def same(self, tool, **arguments):
        """Makes a call with a result within the limits. Both results must be equal."""
        direct = await self.direct.call_tool(tool, arguments, read_timeout_seconds=TIMEOUT_SECS)
        wrapped = await self.wrapped.call_tool(tool, arguments, read_timeout_seconds=TIMEOUT_SECS)
        equal(plain(wrapped), plain(direct))
        return wrapped

    async def cut(self, tool, **arguments):
        """Makes a call with a result over the limit. Returns the complete result, the truncated one and the saved output."""
        whole = await self.direct.call_tool(tool, arguments, read_timeout_seconds=TIMEOUT_SECS)
        # The SDK raises an error if the structured content does not match the schema of the tool.
        result = await self.wrapped.call_tool(tool, arguments, read_timeout_seconds=TIMEOUT_SECS)
        details = (result.meta or {})["details"]
        assert details["truncation"]["truncated"], details
        saved = Path(details["fullOutputPath"])
        assert any(str(saved) in text for text in texts(result)), texts(result)
        shown = sum(len(text.encode()) for text in texts(result))
        assert shown <= LIMIT + 1000, (tool, shown)
        return whole, result, saved.read_text(), details


async def check_filesystem(pair, folder):
    await pair.same("list_directory", path=str(folder))
    await pair.same("read_text_file", path=str(folder / "small.txt"))
    await pair.same("read_text_file", path=str(folder / "missing.txt"))
    whole, result, saved, details = await pair.cut("read_text_file", path=str(folder / "big.txt"))
    equal(saved, texts(whole)[0])
    assert texts(result)[0].startswith("line 1\nline 2\n"), result
    # The schema requires a string. The truncated value is still a string.
    assert result.structured_content["content"].endswith("… [truncated]"), result
    whole, result, saved, details = await pair.cut("directory_tree", path=str(folder / "many"))
    equal(json.loads(saved), json.loads(texts(whole)[0]))
    kept = json.loads(texts(result)[0])
    equal(kept, json.loads(texts(whole)[0])[: len(kept)])
    info = details["truncationInfo"]
    equal((info["returnedCount"], info["originalCount"]), (len(kept), len(json.loads(saved))))


async def check_everything(pair, _):
    await pair.same("echo", message="hello")
    await pair.same("get-sum", a=1, b=2)
    await pair.same("get-structured-content", location="New York")
    await pair.same("get-tiny-image")
    resources = (await pair.wrapped.list_resources()).resources
    equal(plain_list(resources), plain_list((await pair.direct.list_resources()).resources))
    prompts = (await pair.wrapped.list_prompts()).prompts
    equal(plain_list(prompts), plain_list((await pair.direct.list_prompts()).prompts))
    long = "a line of a message\n" * 500
    whole, result, saved, _ = await pair.cut("echo", message=long)
    equal(saved, texts(whole)[0])
    assert texts(result)[0].startswith("Echo: a line"), result
    steps = []

    async def note(progress, total, message):
        steps.append(progress)

    await pair.wrapped.call_tool(
        "trigger-long-running-operation", {"duration": 1, "steps": 4}, progress_callback=note
    )
    assert len(steps) >= 3, steps


async def check_memory(pair, _):
    entities = [
        {"name": f"entity {n}", "entityType": "thing", "observations": [f"é {n}"]} for n in range(100)
    ]
    # Two servers with separate files.
    for client in (pair.direct, pair.wrapped):
        await client.call_tool("create_entities", {"entities": entities})
    whole, result, saved, details = await pair.cut("read_graph")
    kept = json.loads(texts(result)[0])
    equal(result.structured_content, kept)
    equal(kept["entities"], entities[: len(kept["entities"])])
    equal(json.loads(saved), json.loads(texts(whole)[0]))
    equal(details["truncationInfo"]["originalCount"], 100)
    assert f'of 100 items of "entities" ({LIMIT // 1000}KB limit)' in texts(result)[1], texts(result)


async def check_git(pair, folder):
    await pair.same("git_status", repo_path=str(folder))
    whole, result, saved, _ = await pair.cut("git_diff_unstaged", repo_path=str(folder))
    equal(saved, texts(whole)[0])
    equal(texts(whole)[0].startswith(texts(result)[0].split("\n\n[Showing")[0]), True)


async def check_time(pair, _):
    await pair.same("convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo")


def plain_list(values):
    return [json.loads(value.model_dump_json(by_alias=True)) for value in values]


async def session(binary, name, command, check, mode):
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base).resolve() / "work"
        folder.mkdir()
        (folder / "small.txt").write_text("small\n")
        (folder / "big.txt").write_text("line 0\n" * 10)
        git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
        (folder / "big.txt").write_text("".join(f"line {n}\n" for n in range(1, 2001)))
        for n in range(60):
            (folder / "many" / f"folder {n}").mkdir(parents=True)
        command = [part.replace("FOLDER", str(folder)) for part in command]

        def start(words, memory):
            env = {**os.environ, "MEMORY_FILE_PATH": str(Path(base) / memory)}
            return stdio_client(StdioServerParameters(command=words[0], args=words[1:], cwd=str(folder), env=env))

        wrap = [binary, "wrap", "--max-bytes", str(LIMIT), "--spill-dir", base, "--log", "error", "--"]
        async with Client(start(command, "direct.jsonl"), mode=mode) as direct:
            async with Client(start([*wrap, *command], "wrapped.jsonl"), mode=mode) as wrapped:
                listed = [(await client.list_tools()).tools for client in (direct, wrapped)]
                equal(plain_list(listed[1]), plain_list(listed[0]))
                await check(Pair(direct, wrapped), folder)


def main():
    binary, modules = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    node = lambda name: ["node", f"{modules}/@modelcontextprotocol/{name}/dist/index.js"]
    servers = {
        "server-filesystem": ([*node("server-filesystem"), "FOLDER"], check_filesystem),
        "server-everything": (node("server-everything"), check_everything),
        "server-memory": (node("server-memory"), check_memory),
        "mcp-server-git": ([sys.executable, "-m", "mcp_server_git", "--repository", "FOLDER"], check_git),
        "mcp-server-time": ([sys.executable, "-m", "mcp_server_time"], check_time),
        "cutline": ([binary, "--root", "FOLDER", "--max-bytes", "1MB", "--log", "error"], check_cutline),
    }
    for name, (command, check) in servers.items():
        # Also the stateless revision, if the server supports it.
        for mode in ["legacy", "auto"]:
            asyncio.run(asyncio.wait_for(session(binary, name, command, check, mode), 300))
        print(f"wrapped {name}: ok")


async def check_cutline(pair, _):
    await pair.same("read", path="small.txt")
    whole, result, saved, _ = await pair.cut("read", path="big.txt")
    equal(saved, texts(whole)[0])


if __name__ == "__main__":
    main()
