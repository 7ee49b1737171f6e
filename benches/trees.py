"""Measures searches of trees with many ignore rules, and of a very large tree, next to rg and fd.

    python3 benches/trees.py BINARY FOLDER [--folders 20000] [--files 400000] [--times 5]

Writes three trees below FOLDER, which must not exist: `rules`, where each folder has a `.gitignore` with the same 20
rules; `different`, where the rules of each folder differ; and `large`, without rules. Removes them at the end. For each
row it prints the medians of both programs, measured in turns, their ratio, and the peak memory of cutline.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import time
from pathlib import Path

NO_MATCH = r"NOTHING_\w+_SUCH"
RULES = [
    "target/", "*.log", "/build", "node_modules", "!keep.log", "*.o", "*.py[co]", "__pycache__/", ".cache", "dist/", "*.tmp",
    "coverage", "/out/*.bin", "**/generated/**", "*.swp", ".DS_Store", "vendor/", "docs/_build/", "*.min.js", "!/README.md",
]  # fmt: skip


class Server:
    """A running cutline, so that its start is not measured."""

    def __init__(self, program, root):
        command = [program, "--root", root, "--log", "off"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", about)

    def ask(self, method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, tool, arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert result["content"][0]["text"].startswith("No "), result["content"][0]["text"][:200]

    def end(self):
        """Ends the server and returns its peak memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        peak = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
        self.process.stdin.close()
        self.process.wait(timeout=10)
        return peak


def write_rules(top, folders, differ):
    for number in range(folders):
        folder = top / f"a{number // 1000}" / f"b{number}"
        folder.mkdir(parents=True)
        rules = [f"{rule.rstrip('/')}{number}" for rule in RULES] if differ else RULES
        (folder / ".gitignore").write_text("\n".join(rules) + "\n")
        (folder / "code.rs").write_text("fn main() {}\n")


def write_files(top, files):
    for number in range(files // 100):
        folder = top / f"a{number // 100}" / f"b{number}"
        folder.mkdir(parents=True)
        for one in range(100):
            (folder / f"f{one}.txt").write_text(f"line {one}\nanother line\n")


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(name, binary, top, tool, arguments, command, times):
    run = lambda: subprocess.run(command, cwd=top, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = Server(binary, str(top))
    call = lambda: server.call(tool, arguments)
    # One run without measuring loads the tree into the page cache.
    call(), run()
    ours, others = [], []
    for _ in range(times):
        ours.append(seconds(call))
        others.append(seconds(run))
    ours, other, peak = statistics.median(ours), statistics.median(others), server.end()
    print(f"{name}: cutline {ours:.3f} s, {command[0]} {other:.3f} s, ratio {ours / other:.2f}, peak {peak / 1e6:.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--folders", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=400_000)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    rg = ["rg", "--hidden", "--no-config", "--no-require-git"]
    none = {"pattern": "nothing-such-*"}
    options.folder.mkdir()
    try:
        for name, differ in [("rules", False), ("different", True)]:
            top = options.folder.resolve() / name
            write_rules(top, options.folders, differ)
            compare(f"find none, {name}", options.binary, top, "find", none, [*rg, "--files", "-g", none["pattern"]], options.times)
            compare(f"grep none, {name}", options.binary, top, "grep", {"pattern": NO_MATCH}, [*rg, NO_MATCH], options.times)
            shutil.rmtree(top)
        top = options.folder.resolve() / "large"
        write_files(top, options.files)
        compare("find none, large", options.binary, top, "find", none, ["fd", "--hidden", "--glob", none["pattern"]], options.times)
        compare("grep none, large", options.binary, top, "grep", {"pattern": NO_MATCH}, [*rg, NO_MATCH], options.times)
    finally:
        shutil.rmtree(options.folder)


if __name__ == "__main__":
    main()
