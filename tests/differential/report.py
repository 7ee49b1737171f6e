"""Counts comparisons and prints differences."""

import json
import time
from collections import Counter

import known

SHOWN_CHARS = 150
SHOWN_DIFFERENCES = 20


class OutOfTime(Exception):
    """The time for one tool is over."""


class Report:
    """The comparisons so far. `seconds` and `count` limit the comparisons of a tool."""

    def __init__(self, seed, seconds, count):
        self.seed, self.seconds, self.count = seed, seconds, count
        self.compared, self.different, self.known = Counter(), Counter(), Counter()
        self.began = time.monotonic()

    def start(self, tool):
        self.tool, self.began = tool, time.monotonic()

    def check_time(self):
        if self.compared[self.tool] >= self.count or time.monotonic() - self.began > self.seconds:
            raise OutOfTime

    def compare(self, case, given, expected, files=()):
        """Counts a comparison. If the results differ, prints them with the command to reproduce it.

        `case` is the call and where it was made; `files` are the bytes of the files it depends on.
        """
        self.compared[self.tool] += 1
        if given == expected:
            return
        if name := known.explains(self.tool, case, given, expected):
            self.known[name] += 1
            return
        self.different[self.tool] += 1
        if self.different[self.tool] > SHOWN_DIFFERENCES:
            return
        print(f"\nDIFFERENT {self.tool}, --seed {self.seed} --round {case['round']} --tools {self.tool}")
        print("  call:    ", json.dumps(case, ensure_ascii=False, default=repr))
        for path, content in files:
            print("  file:    ", path, _short(repr(content)))
        given, expected = _differing(given, expected)
        print("  cutline: ", _short(repr(given)))
        print("  expected:", _short(repr(expected)), flush=True)

    def print_sum(self):
        print(f"{self.tool}: {self.compared[self.tool]} compared, {self.different[self.tool]} different", flush=True)

    def finish(self):
        """Prints the known differences. Returns the exit code."""
        for name, times in self.known.items():
            print(f"known difference, {times} times: {name} ({known.DIFFERENCES[name].page})")
        return 1 if self.different.total() else 0


def _short(text):
    if len(text) <= SHOWN_CHARS * 2:
        return text
    return f"{text[:SHOWN_CHARS]} …{len(text) - 2 * SHOWN_CHARS} more… {text[-SHOWN_CHARS:]}"


def _differing(given, expected):
    """Returns both without their common start and end, if they are sequences of the same type."""
    if type(given) is not type(expected) or not isinstance(given, (str, list, tuple)):
        return given, expected
    start, shortest = 0, min(len(given), len(expected))
    while start < shortest and given[start] == expected[start]:
        start += 1
    end = 0
    while end < shortest - start and given[-1 - end] == expected[-1 - end]:
        end += 1
    start = max(0, start - 2)
    end = max(0, end - 2)
    return given[start : len(given) - end], expected[start : len(expected) - end]
