#!/usr/bin/env python3
"""Measures the rank of the line that defines a name in results of grep, and the cost of ranking.

For each tree: names that Universal Ctags finds defined on one line alone and that 30 lines or more hold are searched
as whole words, and the place of the defining line among the matches is taken, by path and by relevance. The ranking is
read in pages, which have to hold each match once. Then each search is timed beside the same one with mode=count.

    tests/relevance/run.py target/release/cutline TREE...

Any source tree will do. Those of docs/performance.md are source packages that everybody can get:

    pip download --no-deps --no-binary :all: django
    npm pack zod typescript
    apt-get download golang-google-grpc-dev
    cargo vendor        # tokio, clap_builder, regex-automata, curl-sys, libgit2-sys
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import time

DEFINES = {"alias", "class", "enum", "function", "func", "interface", "macro", "method", "struct", "trait", "type",
           "typedef", "union"}
LEAST_MATCHES = 30
NAMES = 120
PAGE = 500
# Maximum number of ranked matches. For names with more matches, only these ranks are known.
RANKED = 10_000


class Cutline:
    """A running cutline and its client."""

    def __init__(self, binary, tree):
        command = [binary, "--root", tree, "--max-bytes", "50MB", "--max-lines", "1000000"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.id = 0
        client = {"name": "relevance", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)

    def ask(self, method, **params):
        self.id += 1
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.id:
                return answer["result"]
        sys.exit("the server ended")

    def grep(self, **arguments):
        result = self.ask("tools/call", name="grep", arguments=arguments)
        text = result["content"][0]["text"]
        if result.get("isError"):
            sys.exit(f"{arguments}: {text}")
        rows = (re.match(r"(.+?):(\d+): ", line) for line in text.splitlines())
        return [(os.path.normpath(row[1]), int(row[2])) for row in rows if row]

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) / 1000


def definitions(tree):
    """Returns the names with exactly one definition, and its line."""
    command = ["ctags", "-R", "--output-format=json", "--fields=+nK", "-f", "-", "."]
    listed = subprocess.run(command, cwd=tree, capture_output=True, text=True, errors="replace", check=False).stdout
    lines = collections.defaultdict(set)
    for tag in map(json.loads, filter(lambda line: line.startswith("{"), listed.splitlines())):
        if tag.get("kind") in DEFINES and re.fullmatch(r"\w{5,}", tag["name"], re.ASCII) and "line" in tag:
            lines[tag["name"]].add((os.path.normpath(tag["path"]), tag["line"]))
    return sorted((name, *found) for name, found in lines.items() if len(found) == 1)


def ranks(cutline, tree):
    """Returns the rank of the definition of each name, by path and by relevance."""
    names = definitions(tree)
    random.Random(1).shuffle(names)
    found = []
    for name, place in names:
        if len(found) == NAMES:
            break
        pattern = rf"\b{name}\b"
        by_path = cutline.grep(pattern=pattern, limit=1_000_000)
        if len(by_path) < LEAST_MATCHES or place not in by_path:
            continue
        pages = range(0, min(len(by_path), RANKED), PAGE)
        ranked = [row for at in pages for row in cutline.grep(pattern=pattern, sort="relevance", limit=PAGE, offset=at)]
        missing = set(by_path).difference(ranked) if len(by_path) <= RANKED else set()
        if missing or len(set(ranked)) != min(len(by_path), RANKED) or not set(ranked).issubset(by_path):
            sys.exit(f"{name}: the pages of the ranking do not hold each match once")
        if cutline.grep(pattern=pattern, sort="relevance", limit=PAGE) != ranked[:PAGE]:
            sys.exit(f"{name}: the same call gave another ranking")
        found.append((name, by_path.index(place), ranked.index(place) if place in ranked else RANKED))
    return found


def best_time(cutline, **arguments):
    times = []
    for _ in range(7):
        start = time.perf_counter()
        cutline.grep(**arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print("| tree | names | by path: first, in ten | by relevance: first, in ten | time beside mode=count | peak |")
    print("| --- | --- | --- | --- | --- | --- |")
    for tree in sys.argv[2:]:
        cutline = Cutline(sys.argv[1], os.path.realpath(tree))
        found = ranks(cutline, tree)
        if not found:
            print(f"| {os.path.basename(os.path.normpath(tree))} | 0 | | | | |")
            continue

        def share(column, below):
            return f"{sum(row[column] < below for row in found) / len(found):.2f}"

        counted = ranked = 0
        for name, *_ in found[:20]:
            counted += best_time(cutline, pattern=rf"\b{name}\b", mode="count", limit=1_000_000)
            ranked += best_time(cutline, pattern=rf"\b{name}\b", sort="relevance")
        print(
            f"| {os.path.basename(os.path.normpath(tree))} | {len(found)} | {share(1, 1)}, {share(1, 10)} "
            f"| {share(2, 1)}, {share(2, 10)} | {ranked / counted:.2f} | {cutline.peak():.0f} MB |",
            flush=True,
        )
        cutline.process.stdin.close()
        cutline.process.wait()


if __name__ == "__main__":
    main()
