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
    return tool in ("find", "grep") and glob.startswith("../") and "it is not below" in str(given)


DIFFERENCES = {
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
