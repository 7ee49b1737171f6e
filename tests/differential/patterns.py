"""Random patterns in the syntax of Rust and of Python, with the same meaning."""

import contextlib
import re
import signal
from dataclasses import dataclass

import data

LITERALS = ["foo", "bar", "needle", "Needle", "x", "é", "日", "12", "_", "a", "end", " ", "😀"]
# Bytes that are not UTF-8 are lone surrogates in Python. In Rust, no pattern matches them.
NO_CHARACTER = "\udc80-\udcff"
CLASSES = [
    ("[a-f]", "[a-f]"), ("[^a-f]", f"[^a-f{NO_CHARACTER}]"), ("[^ \\n]", f"[^ \\n{NO_CHARACTER}]"), ("\\d", "\\d"), ("\\w", "\\w"),
    ("\\s", "\\s"), (".", f"[^\\n{NO_CHARACTER}]"), ("[é日]", "[é日]"), ("\\S", f"[^\\s{NO_CHARACTER}]"), ("\\x66", "f"), ("\\.", "\\."),
]  # fmt: skip
# Python's `\B` does not match in an empty text.
ANCHORS = [("^", "^"), ("$", "$"), ("\\b", "\\b"), ("\\B", "(?!\\b)")]
REPETITIONS = ["*", "+", "?", "{1,3}", "{2}", "*?", "+?", "??"]
# Python takes minutes for a few patterns of nested repetitions, which take Rust no time.
MOST_SECONDS = 5


class TooSlow(Exception):
    """Python has not found the matches of a pattern in time."""


@contextlib.contextmanager
def time_limit():
    def late(*_):
        raise TooSlow

    signal.signal(signal.SIGALRM, late)
    signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


@dataclass
class Pattern:
    rust: str
    python: str
    literal: bool = False
    ignore_case: bool = False
    multiline: bool = False

    @property
    def names_return(self):
        return "\\r" in self.rust

    def compiled(self):
        flags = (re.IGNORECASE if self.ignore_case else 0) | (re.MULTILINE if self.multiline else 0)
        return re.compile(self.python, flags)

    def arguments(self):
        flags = {"literal": self.literal, "ignoreCase": self.ignore_case, "multiline": self.multiline}
        return {"pattern": self.rust} | {name: True for name, set_ in flags.items() if set_}


def random_pattern(random, multiline=False, returns=False):
    kind = random.random()
    flags = {"ignore_case": random.random() < 0.2, "multiline": multiline}
    if kind < 0.15:
        text = random.choice([data.line(random).strip() or "x", random.choice(data.WORDS), "a.b", "(", "[x]", "*", "\\"])
        return Pattern(text, re.escape(text), literal=True, **flags)
    if kind < 0.3 and multiline:
        text = random.choice(["foo\\n", "\\n", "\\n\\n", "^$", "\\s*$", "^\\s*\\n", "\\s*\\z", "\\A\\s*", "x\\nfoo|bar", "\\n+", "$\\n", "^", "$", "\\z", *(["\\r\\n", "x\\r?\\nfoo"] if returns else [])])
        return Pattern(text, text.replace("\\z", "\\Z"), **flags)
    if kind < 0.35 and returns:
        text = random.choice(["\\r", "\\r$", "foo\\r?$", " \\r", "[\\r]", "^\\r"])
        return Pattern(text, text, **flags)
    rust, python = _alternation(random, 0, multiline)
    return Pattern(rust, python, **flags)


def _alternation(random, depth, multiline):
    branches = [_sequence(random, depth, multiline) for _ in range(random.choice([1, 1, 1, 2, 3]))]
    return "|".join(rust for rust, _ in branches), "|".join(python for _, python in branches)


def _sequence(random, depth, multiline):
    parts = [_atom(random, depth, multiline) for _ in range(random.choice([1, 1, 2, 2, 3, 4]))]
    return "".join(rust for rust, _ in parts), "".join(python for _, python in parts)


def _atom(random, depth, multiline):
    kind = random.random()
    if kind < 0.15:
        return random.choice(ANCHORS)
    if kind < 0.25 and multiline:
        return ("\\n", "\\n")
    if kind < 0.5:
        rust, python = random.choice(CLASSES)
        if rust == "." and multiline:
            # It also matches newlines. An unbounded repetition would be too slow in Python.
            repetition = random.choice(["", "", "?", "{1,3}", "{2}"])
            return rust + repetition, f"[^{NO_CHARACTER}]" + repetition
    elif kind < 0.6 and depth < 2:
        rust, python = (f"(?:{side})" for side in _alternation(random, depth + 1, multiline))
    else:
        rust = python = random.choice(LITERALS)
        if random.random() < 0.7:
            return rust, python
        rust, python = f"(?:{rust})", f"(?:{python})"
    if random.random() < 0.4:
        repetition = random.choice(REPETITIONS)
        return rust + repetition, python + repetition
    return rust, python
