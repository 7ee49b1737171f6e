"""Intended differences from the reference programs, each with the sentence that documents it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

TOP = Path(__file__).resolve().parents[2]


@dataclass
class Known:
    reason: str
    page: str
    # The text of the page that documents the difference.
    words: str
    # Gets the tool, the case and both results.
    explains: Callable


def _leads_out(tool, case, given, expected):
    glob = case.get("pattern" if tool == "find" else "glob") or ""
    return tool in ("find", "grep") and glob.startswith(("../", "/")) and "it is not below" in str(given)


def _rules_of_git(tool, case, given, expected):
    return tool == "find" and case.get("what") == "git"


def _globs(case):
    given = [case.get("pattern"), case.get("glob"), case.get("path"), case.get("exclude")]
    return " ".join(text if isinstance(text, str) else " ".join(text) for text in given if text)


def _classes(tool, case, given, expected):
    return tool in ("find", "grep") and any(part in _globs(case) for part in ("[", "?", "\\"))


def _lone_return(tool, case, given, expected):
    if tool != "grep" or not isinstance(given, list):
        return False
    return all("\r" in text for *_, text in set(given) ^ set(expected))


def _text_anchors(tool, case, given, expected):
    return tool == "grep" and any(part in str(case.get("pattern")) for part in ("\\A", "\\z", "\\B"))


DIFFERENCES = {
    "ignore rules are those of ripgrep": Known(
        "The crate of ripgrep matches them.",
        "docs/tools.md",
        "mean the same as in ripgrep, so git differs in rare cases",
        _rules_of_git,
    ),
    "classes and ? are those of globset": Known(
        "The crate of ripgrep matches globs by bytes, and its classes match a slash.",
        "docs/tools.md",
        "`?` is one byte.",
        _classes,
    ),
    "a lone \\r is no character of a line": Known(
        "The pattern is searched as by `rg --crlf`.",
        "docs/tools.md",
        "`\\r\\n` is searched as `\\n`, and `.` or `\\s` do not match `\\r`, unless the pattern contains `\\r`.",
        _lone_return,
    ),
    "text anchors are those of ripgrep": Known(
        "In ripgrep, they refer to the searched part of the file.",
        "docs/tools.md",
        "a regular expression in Rust's syntax",
        _text_anchors,
    ),
    "a glob that leads out is refused": Known(
        "Nothing below can match it: an answer without results would read as if there were no such file.",
        "docs/tools.md",
        "An absolute glob, or one that starts with `~/` or `../`, matches that path, which must be below `path`.",
        _leads_out,
    ),
}


def explains(tool, case, given, expected):
    """Returns the name of the known difference, or None."""
    for name, known in DIFFERENCES.items():
        if known.explains(tool, case, given, expected):
            return name
    return None


def check_pages():
    """Fails if a page does not document a known difference."""
    for name, known in DIFFERENCES.items():
        page = " ".join((TOP / known.page).read_text().split())
        if known.words not in page:
            raise SystemExit(f"known difference {name}: {known.page} does not say {known.words!r}")


if __name__ == "__main__":
    check_pages()
