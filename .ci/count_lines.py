#!/usr/bin/env python3
"""Counts lines of Rust code without blank lines, comments and tests.

Prints a line for each folder given, by default `src` and `core/src`, and the sum.
"""

import pathlib
import re
import sys

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


def count(text):
    """Returns the number of lines of code outside tests."""
    code = plain(text)
    at = 0
    while match := CFG_TEST.search(code, at):
        end = end_of_item(code, match.end())
        code = code[: match.start()] + re.sub(r"[^\n]", " ", code[match.start() : end]) + code[end:]
        at = end
    return sum(1 for line in code.split("\n") if line.strip())


def is_test(path):
    """Returns true for `tests.rs` and files in a folder `tests`."""
    return path.name == "tests.rs" or "tests" in path.parts


def main(folders):
    total = 0
    for folder in folders:
        files = [path for path in pathlib.Path(folder).rglob("*.rs") if not is_test(path)]
        lines = sum(count(path.read_text()) for path in files)
        total += lines
        print(f"{lines:6} {folder}")
    print(f"{total:6} in all")


if __name__ == "__main__":
    main(sys.argv[1:] or ["src", "core/src"])
