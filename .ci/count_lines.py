#!/usr/bin/env python3
"""Counts lines of Rust code without blank lines, comments and tests.

Prints a line for each file or folder given, and the sum. Without arguments, prints the lines of each part of the
program with its goal, small files, and type names that are defined often.
"""

import pathlib
import re
import sys
from collections import Counter

# The parts of the program: name, maximum lines, files and folders. The last part has all other files.
PARTS = [
    ("core: truncate, keyed, collectors", 650, ["core/src/truncate"]),
    ("core: key_lines", 1400, ["core/src/key_lines"]),
    ("core: outline", 900, ["core/src/outline"]),
    ("core: tokens, terminal, decode, text", 720, ["core/src/text"]),
    ("core: notice, details", 400, ["core/src"]),
    ("wrap and cli/wrap", 1000, ["src/wrap", "src/cli/wrap"]),
    ("server", 950, ["src/server"]),
    ("tools", 3300, ["src/tools"]),
    ("search", 1900, ["src/search"]),
    ("process", 1600, ["src/process"]),
    ("capture, saved_output, fs", 1000, ["src/capture", "src/saved_output", "src/fs"]),
    ("sys", 1000, ["src/sys"]),
    ("cli without wrap", 2100, ["src/cli"]),
    ("stats, call_stats", 300, ["src/stats", "src/call_stats"]),
    ("fit, limits, stop, others", 450, [""]),
]
# The goal of the sum. It is less than the sum of the goals.
MAX_LINES = 17_700
# A file with fewer lines of code is small.
SMALL_LINES = 40
MAX_SMALL_FILES = 25
# The number of definitions that may have the same name.
MAX_SAME_NAME = 3

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*)
  | (?P<block>/\*)
  | (?P<raw>b?r(?P<hashes>\#*)".*?"(?P=hashes))
  | (?P<string>b?"(?:[^"\\]|\\.)*")
  | (?P<char>b?'(?:[^'\\\n]|\\(?:u\{[^}]*\}|.)[^'\n]*)')
    """,
    re.VERBOSE | re.DOTALL,
)
CFG_TEST = re.compile(r"#\[\s*cfg\s*\(\s*(?:test|all\s*\(\s*test\b[^\]]*)\s*\)\s*\]|#\[\s*(?:\w+::)*test\b[^\]]*\]")
ITEM = re.compile(
    r"(?:pub(?:\s*\([^)]*\))?\s+)?(?:default\s+|unsafe\s+|async\s+|extern\s*\S*\s+)*"
    r"(?P<kind>fn|impl|struct|enum|union|trait|mod|use|const|static|type|macro_rules)\b"
)
# A definition of a type. An alias is one only at the start of a line; others are associated types.
TYPE = re.compile(
    r"\b(?:struct|enum|union|trait)\s+(?P<name>[A-Z]\w*)|^(?:pub(?:\([^)]*\))?\s+)?type\s+(?P<alias>\w+)", re.MULTILINE
)
# Items that end with a semicolon even if they have braces.
WITH_SEMICOLON = {"use", "const", "static", "type"}


def end_of_block_comment(text, start):
    """Returns the end of the block comment at `start`. Block comments nest."""
    depth, at = 0, start
    while at < len(text):
        if text.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif text.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1
    return at


def plain(text):
    """Returns `text` with comments as blanks, and with `"` for each character of a literal. Keeps newlines."""
    parts, at = [], 0
    while match := TOKEN.search(text, at):
        end = end_of_block_comment(text, match.start()) if match["block"] else match.end()
        filler = " " if match["comment"] or match["block"] else '"'
        parts += [text[at : match.start()], re.sub(r"[^\n]", filler, text[match.start() : end])]
        at = end
    return "".join(parts) + text[at:]


def end_of_item(code, start):
    """Returns the end of the item, field or statement at `start`, after its attributes."""
    at = start
    while match := re.compile(r"\s*#\[").match(code, at):
        at, depth = match.end(), 1
        while depth and at < len(code):
            depth += {"[": 1, "]": -1}.get(code[at], 0)
            at += 1
    at += len(code[at:]) - len(code[at:].lstrip())
    item = ITEM.match(code, at)
    depth = 0
    while at < len(code):
        c = code[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return at
            depth -= 1
            if c == "}" and depth == 0 and item and item["kind"] not in WITH_SEMICOLON:
                return at + 1
        elif depth == 0 and (c == ";" or c == "," and not item):
            return at + 1
        at += 1
    return at


def code_of(text):
    """Returns the code outside tests, with `plain` literals."""
    code = plain(text)
    at = 0
    while match := CFG_TEST.search(code, at):
        end = end_of_item(code, match.end())
        code = code[: match.start()] + re.sub(r"[^\n]", " ", code[match.start() : end]) + code[end:]
        at = end
    return code


def count(text):
    """Returns the number of lines of code outside tests."""
    return sum(1 for line in code_of(text).split("\n") if line.strip())


def types_in(text):
    """Returns the names of the types that are defined outside tests, without associated types."""
    return [match["name"] or match["alias"] for match in TYPE.finditer(code_of(text))]


def is_test(path):
    """Returns true for `tests.rs` and files in a folder `tests`."""
    return path.name == "tests.rs" or "tests" in path.parts


def is_in(path, module):
    """Returns true if the file `path` is `module`, or one of its submodules."""
    return module == "" or path.startswith(module + "/") or path == module + ".rs"


def part_of(path):
    """Returns the name of the part to which a file belongs. A longer name of a folder wins."""
    found = [(len(module), name) for name, _, modules in PARTS for module in modules if is_in(path, module)]
    return max(found)[1]


def files_in(path):
    """Returns the Rust files of a file or folder that are not tests."""
    path = pathlib.Path(path)
    files = [path] if path.is_file() else sorted(path.rglob("*.rs"))
    return [file for file in files if not is_test(file)]


def print_paths(paths):
    total = 0
    for path in paths:
        lines = sum(count(file.read_text()) for file in files_in(path))
        total += lines
        print(f"{lines:6} {path}")
    print(f"{total:6} in all")


def print_parts():
    parts, small, types = Counter(), [], Counter()
    for path in files_in("src") + files_in("core/src"):
        text = path.read_text()
        lines = count(text)
        parts[part_of(path.as_posix())] += lines
        types.update(types_in(text))
        if lines < SMALL_LINES:
            small.append((lines, path))
    print(f"{'part':40}{'now':>7}{'goal':>7}{'over':>7}")
    for name, goal, _ in [*PARTS, ("all", MAX_LINES, [])]:
        lines = parts[name] if name != "all" else parts.total()
        over = lines - goal if lines > goal else ""
        print(f"{name:40}{lines:7}{goal:7}{over:>7}")
    print(f"\nfiles with fewer than {SMALL_LINES} lines of code: {len(small)}, at most {MAX_SMALL_FILES}")
    for lines, path in sorted(small):
        print(f"{lines:6} {path}")
    print(f"\ntype names that are defined more than {MAX_SAME_NAME} times:")
    for name, times in types.most_common():
        if times > MAX_SAME_NAME:
            print(f"{times:6} {name}")


if __name__ == "__main__":
    print_paths(sys.argv[1:]) if sys.argv[1:] else print_parts()
