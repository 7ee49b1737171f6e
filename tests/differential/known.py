"""Differences from the references that are meant, each with the sentence that says so."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

TOP = Path(__file__).resolve().parents[2]


@dataclass
class Known:
    reason: str
    page: str
    # Words of the page that tell a user of it.
    words: str
    # Takes the tool, the case, and both answers.
    explains: Callable


def _moves_over_tab(tool, case, given, expected):
    line = case.get("line", "")
    return tool == "bash" and "\t" in line and re.search(r"\x1b\[\d*[@P]", line)


DIFFERENCES = {
    "a tab is moved as one": Known(
        "A terminal has blanks in the place of a tab. Here it stays a tab, so that tables and code can be copied.",
        "docs/tools.md",
        "A tab stays a tab, also where characters before it are inserted or deleted.",
        _moves_over_tab,
    ),
}


def explains(tool, case, given, expected):
    """Returns the name of the known difference that this one is, if any."""
    for name, known in DIFFERENCES.items():
        if known.explains(tool, case, given, expected):
            return name
    return None


def check_pages():
    """Fails if a page no longer has the words that a known difference relies on."""
    for name, known in DIFFERENCES.items():
        page = " ".join((TOP / known.page).read_text().split())
        if known.words not in page:
            raise SystemExit(f"known difference {name}: {known.page} does not say {known.words!r}")
