#!/usr/bin/env python3
"""Checks that no parser of untrusted text takes more than 2.5 times the instructions for twice the input.

    cargo build --locked --manifest-path fuzz/Cargo.toml --no-default-features --bin growth --target-dir target
    fuzz/growth/run.py target/debug/growth target/debug/cutline

callgrind counts instructions, so the load of the machine does not matter. `growth` calls the parsers of the library on the
inputs of `main.rs`. The JSON of `cutline wrap`, the messages of the server and the files of `cutline config` are read by
`cutline` itself; the instructions of a run with a small input are subtracted.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

MOST = 2.5
# Fewer instructions are mostly those of the allocator.
SMALLEST = 200_000
CALLGRIND = ["valgrind", "--tool=callgrind", "--quiet"]
BYTES = 10_000
# The generators of the library are split into processes.
PARTS = 8
# How often the growth of a program is measured until it is within the limit.
TRIES = 3


def instructions(file):
    """Returns the instructions of a profile."""
    return int(re.search(r"^(?:totals|summary): (\d+)", pathlib.Path(file).read_text(errors="replace"), re.MULTILINE)[1])


def library(program, part):
    """Returns the name and the instructions for the smaller and the larger input of each generator of a part."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "library")
        marks = ["--zero-before=growth::counted", "--dump-after=growth::measured"]
        command = [*CALLGRIND, *marks, f"--callgrind-out-file={out}", program, str(part), str(PARTS)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        counts = [instructions(f"{out}.{n + 1}") for n in range(len(lines))]
    return [(" / ".join(lines[n].split("\t")[:2]), counts[n], counts[n + 1]) for n in range(0, len(lines), 2)]


def repeated(token, size):
    return (token * (size // len(token) + 1))[:size]


def message(result):
    return '{"jsonrpc":"2.0","id":1,"result":' + result + "}\n"


def wrap(program, folder, text):
    """Sends a result through `cutline wrap`."""
    file = os.path.join(folder, "result")
    pathlib.Path(file).write_text(text)
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}\n'
    return [program, "wrap", "--max-bytes", "4KB", "--", "sh", "-c", f"read a; cat {file}"], call


def serve(program, folder, text):
    """Sends a line to the server."""
    return [program, "--root", folder], text


def config(program, folder, text):
    """Reads and writes the file of a client."""
    file = os.path.join(folder, "client.json")
    pathlib.Path(file).write_text(text)
    return [program, "config", "cursor", "--file", file, "--write"], ""


def servers(size):
    entries = ",".join(f'"s{n}":{{"command":"a","args":["{n}"]}}' for n in range(size // 34))
    return '{"mcpServers":{' + entries + "}}"


PROGRAM = {
    wrap: {
        "rows": lambda size: message('{"content":[{"type":"text","text":' + json.dumps(json.dumps([{"a": n} for n in range(size // 12)])) + "}]}"),
        "lines": lambda size: message(json.dumps({"content": [{"type": "text", "text": repeated("error: a\n", size)}]})),
        "escapes": lambda size: message('{"content":[{"type":"text","text":"' + repeated("\\u0041", size // 6 * 6) + '"}]}'),
        "blocks": lambda size: message('{"content":[' + ",".join(['{"type":"text","text":"a"}'] * (size // 27)) + "]}"),
        "nesting": lambda size: message('{"structuredContent":{"a":' + ",".join(["[" * 60 + "]" * 60] * (size // 120)).join("[]") + '},"content":[]}'),
        "keys": lambda size: message('{"content":[],"structuredContent":{' + ",".join(f'"k{n}":1' for n in range(size // 9)) + "}}"),
        "broken": lambda size: message('{"content":[' + repeated("[{\"", size)),
    },
    serve: {
        "nesting": lambda size: repeated("[", size) + "\n",
        "objects": lambda size: repeated('{"a":', size) + "\n",
        "string": lambda size: '{"jsonrpc":"2.0","id":1,"method":"' + repeated("\\\"", size) + '"}\n',
        "lines": lambda size: repeated("{}\n", size),
        "arguments": lambda size: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{'
                                  + ",".join(f'"k{n}":1' for n in range(size // 9)) + "}}}\n",
        "names": lambda size: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"' + repeated("a", size) + '"}}\n',
    },
    config: {
        "servers": servers,
        "comments": lambda size: repeated("// a\n", size // 5 * 5) + '{"mcpServers":{}}',
        "nesting": lambda size: '{"a":[' + ",".join(["[" * 60 + "]" * 60] * (size // 120)) + '],"mcpServers":{}}',
        "keys": lambda size: "{" + ",".join(f'"k{n}":1' for n in range(size // 9)) + "}",
        "blanks": lambda size: '{"mcpServers":' + repeated(" \n", size) + "{}}",
    },
}


def count(command, text, folder):
    out = os.path.join(folder, "program")
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder}
    subprocess.run([*CALLGRIND, f"--callgrind-out-file={out}", *command], input=text, text=True, capture_output=True,
                   env=environment, cwd=folder, check=False, timeout=120)
    return instructions(out)


def program_growth(program, how, name, generate):
    # On a busy machine, the wrap may reach the time at which it kills its server, which takes instructions too.
    for _ in range(TRIES):
        counts = []
        for size in (200, BYTES, 2 * BYTES):
            with tempfile.TemporaryDirectory() as folder:
                command, text = how(program, folder, generate(size))
                counts.append(count(command, text, folder))
        smallest, one, two = counts
        if two - smallest <= MOST * max(one - smallest, SMALLEST):
            break
    return [(f"{how.__name__} / {name}", one - smallest, two - smallest)]


def main():
    growth, cutline = map(os.path.abspath, sys.argv[1:])
    failures, rows, worst = [], 0, {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(library, growth, part) for part in range(PARTS)]
        jobs += [
            pool.submit(program_growth, cutline, how, name, generate)
            for how, generators in PROGRAM.items() for name, generate in generators.items()
        ]
    for name, one, two in [row for job in jobs for row in job.result()]:
        rows += 1
        factor = two / max(one, SMALLEST)
        parser = name.split(" / ")[0]
        worst[parser] = max(worst.get(parser, (0, "")), (factor, name))
        if factor > MOST:
            failures.append(f"{name}: {one} and {two} instructions, {factor:.2f} times")
    for factor, name in worst.values():
        print(f"{factor:5.2f} {name}")
    print(f"{rows} generators, {len(failures)} above {MOST}", *failures, sep="\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
