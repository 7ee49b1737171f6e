"""Compares the output of servers with the input of their client through `cutline wrap`, byte for byte.

Usage: wrap_bytes.py PATH_TO_CUTLINE PATH_TO_NODE_MODULES

A session is played against each server behind a wrap. A program between the two keeps all bytes of
both directions as the server has them; they must be those that the client sent and got. Of a result
over a limit the whole must be in the saved file instead. Any difference ends it with a traceback.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = "4KB"

# Passes on both directions and saves them. Its arguments are two files and the command of the server.
RECORDER = r"""
import os, subprocess, sys, threading
kept_in, kept_out, *words = sys.argv[1:]
server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def copy(source, target, kept):
    with open(kept, "wb", buffering=0) as file:
        while part := os.read(source.fileno(), 65536):
            file.write(part)
            target.write(part)
            target.flush()
    target.close()
threading.Thread(target=copy, args=(sys.stdin.buffer, server.stdin, kept_in)).start()
copy(server.stdout, sys.stdout.buffer, kept_out)
sys.exit(server.wait())
"""

HELLO = {"capabilities": {"roots": {}, "sampling": {}}, "clientInfo": {"name": "cutline-tests", "version": "1"}}


def equal(found, expected):
    assert found == expected, f"expected {expected!r:.2000}, found {found!r:.2000}"


class Session:
    def __init__(self, binary, command, base):
        self.kept = [Path(base) / "in", Path(base) / "out"]
        recorder = [sys.executable, "-c", RECORDER, *map(str, self.kept), *command]
        wrap = [binary, "wrap", "--max-bytes", LIMIT, "--spill-dir", str(Path(base) / "saved"), "--log", "error", "--"]
        env = {**os.environ, "MEMORY_FILE_PATH": str(Path(base) / "memory.jsonl")}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(wrap + recorder, stdin=pipe, stdout=pipe, cwd=base, env=env)
        self.sent, self.got = [], []

    def send(self, message, spacing=(", ", ": ")):
        line = json.dumps({"jsonrpc": "2.0", **message}, separators=spacing, ensure_ascii=False).encode() + b"\n"
        self.sent.append(line)
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def ask(self, id, method, params, **how):
        """Sends a request and returns the response. Refuses requests of the server."""
        self.send({"id": id, "method": method, "params": params}, **how)
        while True:
            line = self.process.stdout.readline()
            assert line, "the server ended"
            self.got.append(line)
            message = json.loads(line)
            if "method" not in message and message.get("id") == id:
                return message
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "error": {"code": -32601, "message": "not here"}})

    def call(self, id, tool, arguments):
        return self.ask(id, "tools/call", {"name": tool, "arguments": arguments, "_meta": {"progressToken": id}})

    def end(self):
        self.process.stdin.close()
        self.got += self.process.stdout.readlines()
        self.process.wait(30)
        equal(self.kept[0].read_bytes(), b"".join(self.sent))
        written = self.kept[1].read_bytes().splitlines(keepends=True)
        equal(len(self.got), len(written))
        cut = 0
        for got, line in zip(self.got, written):
            if got == line:
                continue
            cut += 1
            result, whole = json.loads(got)["result"], json.loads(line)["result"]
            assert len(line) > 4000, "it was within the limit"
            details = result["_meta"].pop("details")
            path = details["fullOutputPath"]
            saved = Path(path).read_bytes().decode()
            texts = [block["text"] for block in whole["content"] if block["type"] == "text"]
            if path.endswith(".json"):
                equal(json.loads(saved), json.loads(texts[0]) if texts else whole["structuredContent"])
            else:
                equal(saved, "\n\n".join(texts))
        return cut


def play(session, calls):
    session.ask(0, "initialize", {"protocolVersion": "2025-06-18", **HELLO})
    session.send({"method": "notifications/initialized"})
    # With the spacing of some clients, and with both kinds of ids.
    tools = session.ask("tools é", "tools/list", {}, spacing=(" , ", " :  "))["result"]["tools"]
    session.ask(2, "ping", {})
    session.ask(3, "no/such", {"x": 1.50})
    session.ask(4, "resources/list", {})
    session.ask(5, "prompts/list", {})
    for n, (tool, arguments) in enumerate(calls):
        assert any(known["name"] == tool for known in tools), tool
        session.call(n + 10, tool, arguments)
    session.call(99, "no-such-tool", {})


def main():
    binary, modules = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    node = lambda name: ["node", f"{modules}/@modelcontextprotocol/{name}/dist/index.js"]
    with tempfile.TemporaryDirectory() as base:
        base = str(Path(base).resolve())
        (Path(base) / "saved").mkdir()
        folder = Path(base) / "work"
        folder.mkdir()
        (folder / "small.txt").write_text("small é \u2028\n")
        (folder / "big.txt").write_text("".join(f"line {n}\r\n" for n in range(2000)))
        (folder / "one.bin").write_bytes(bytes(range(256)))
        path = lambda name: {"path": str(folder / name)}
        entities = [{"name": f"entity {n}", "entityType": "é", "observations": ["\u0001 / \\ \""]} for n in range(100)]
        servers = {
            "server-everything": (
                node("server-everything"),
                [
                    ("echo", {"message": "hello \U0001f600"}),
                    ("get-sum", {"a": 1e3, "b": 2}),
                    ("get-tiny-image", {}),
                    ("get-structured-content", {"location": "New York"}),
                    ("get-annotated-message", {"messageType": "error", "includeImage": True}),
                    ("get-resource-links", {"count": 3}),
                    ("trigger-long-running-operation", {"duration": 1, "steps": 3}),
                    ("echo", {"message": "x\n" * 9000}),
                ],
                1,
            ),
            "server-filesystem": (
                [*node("server-filesystem"), str(folder)],
                [
                    ("list_directory", {"path": str(folder)}),
                    ("read_text_file", path("small.txt")),
                    ("read_text_file", path("missing.txt")),
                    ("read_media_file", path("one.bin")),
                    ("get_file_info", path("small.txt")),
                    ("read_text_file", path("big.txt")),
                ],
                1,
            ),
            "server-memory": (
                node("server-memory"),
                [
                    ("create_entities", {"entities": entities[:5]}),
                    ("search_nodes", {"query": "entity 1"}),
                    ("open_nodes", {"names": ["entity 2"]}),
                    ("create_entities", {"entities": entities}),
                    ("read_graph", {}),
                ],
                2,
            ),
            "mcp-server-time": (
                [sys.executable, "-m", "mcp_server_time"],
                [("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"})],
                0,
            ),
        }
        for name, (command, calls, cut) in servers.items():
            session = Session(binary, command, base)
            play(session, calls)
            equal((name, session.end()), (name, cut))
            print(f"{name}, byte for byte: ok, {len(session.got)} messages, {cut} cut")


if __name__ == "__main__":
    main()
