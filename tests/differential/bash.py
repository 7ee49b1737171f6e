"""Compares bash with the terminal emulator pyte, and its counts and saved files with the raw output."""

import os
from pathlib import Path

import pyte

import data

# No line reaches this column. A terminal would wrap there, but cutline does not.
COLUMNS = 400
MAX_LINES, MAX_BYTES = 2000, 30_000
TEXTS = ["a", "b", "abc", "xyz ", "  ", "10%", "\t", "é", "done", "…"]
MOVES = ["\r", "\r", "\r", "\b", "\b\b", "\x1b[D", "\x1b[2D", "\x1b[C", "\x1b[3C", "\x1b[4G", "\x1b[G", "\x1b[0C", "\x1b[2a"]
ERASURES = ["\x1b[K", "\x1b[0K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[X", "\x1b[2X"]
COLOURS = ["\x1b[31m", "\x1b[0m", "\x1b[m", "\x1b[1;32m", "\x1b[38;5;12m", "\x1b[?25l", "\x1b[?25h", "\x1b]0;title\x07", "\x07", "\x1b(B"]


def drawn(random):
    """Returns a line of a program that overwrites parts of its output."""
    kinds = random.choice([[TEXTS], [TEXTS, COLOURS], [TEXTS, MOVES], [TEXTS, MOVES, ERASURES], [TEXTS, MOVES, ERASURES, COLOURS]])
    return "".join(random.choice(random.choice(kinds)) for _ in range(random.randint(0, 14)))


def on_screen(line):
    """Returns a line as pyte shows it, without blanks at the end."""
    screen = pyte.Screen(COLUMNS, 1)
    pyte.Stream(screen).feed(line)
    return screen.display[0].rstrip(" ")


def compare(random, report, setting, round_):
    report.check_time()
    terminal(random, report, setting, round_)
    if random.random() < 0.7:
        long_output(random, report, setting, round_)


def terminal(random, report, setting, round_):
    lines = [drawn(random) for _ in range(random.randint(1, 150))] + ["end"]
    raw = random.choice(["\n", "\n", "\r\n"]).join(lines).encode()
    name = f"bash-{round_}.txt"
    Path(setting.work, name).write_bytes(raw)
    answer = setting.server.call("bash", command=f"cat {name}")
    shown = [line.expandtabs(8).rstrip(" ") for line in answer.text.split("\n")]
    case = {"round": round_, "command": f"cat {name}"}
    report.compare({**case, "what": "number of lines"}, len(shown), len(lines), [(name, raw)])
    for line, given in zip(lines, shown):
        report.compare({**case, "line": line}, given, on_screen(line))


def output(random):
    """Returns plain text that is over a limit, or just below it."""
    if random.random() < 0.5:
        lines = [data.line(random) for _ in range(random.choice([1990, 2000, 2001, 5000]))]
    else:
        lines = [data.line(random) + "w" * random.choice([0, 100, 700]) for _ in range(random.choice([20, 60, 300]))]
    # Tabs are tested with the screen, and blank ends with the notices.
    return "\n".join(lines).replace("\t", " ") + "\nend" + random.choice(["\n", ""])


def last_that_fit(lines, max_lines):
    kept, size = 0, -1
    for line in reversed(lines):
        size += 1 + len(line.encode())
        if kept == max_lines or size > MAX_BYTES:
            break
        kept += 1
    return kept


def long_output(random, report, setting, round_):
    text = output(random)
    name = f"bash-long-{round_}.txt"
    Path(setting.work, name).write_text(text)
    lines = text.removesuffix("\n").split("\n")
    asked = random.choice([{}, {}, {"tail": random.randint(1, 2000)}, {"head": random.randint(1, 2000), "tail": 0}, {"head": 30, "tail": 50}])
    answer = setting.server.call("bash", command=f"cat {name}", **asked)
    case = {"round": round_, "command": f"cat {name}", **asked}
    files = [(name, text.encode())]
    body, notices = answer.parts()
    cut = answer.details.get("truncation")
    fits = len(lines) <= asked.get("head", 0) + asked.get("tail", MAX_LINES) and len(text.removesuffix("\n").encode()) <= MAX_BYTES
    report.compare({**case, "what": "is cut"}, bool(cut), not fits, files)
    if not cut:
        report.compare(case, answer.text, text, files)
        return
    report.compare({**case, "what": "totalLines"}, cut["totalLines"], len(lines), files)
    report.compare({**case, "what": "totalBytes"}, cut["totalBytes"], len(text.encode()), files)
    saved = answer.details.get("fullOutputPath")
    if not saved:
        report.compare(case, notices, "a saved file", files)
        return
    report.compare({**case, "what": "saved file"}, Path(saved).read_bytes(), text.encode(), files)
    os.unlink(saved)
    head, tail = asked.get("head", 0), asked.get("tail", MAX_LINES)
    if head and tail:
        both_ends(report, case, body.split("\n"), lines, answer.details, files)
        return
    kept = last_that_fit(lines, tail) if tail else last_that_fit(lines[::-1], head)
    expected = lines[len(lines) - kept :] if tail else lines[:kept]
    report.compare(case, body.split("\n"), expected, files)
    first = len(lines) - kept + 1 if tail else 1
    limit = " (30KB limit)" if cut["truncatedBy"] == "bytes" else ""
    expected = [f"[Showing lines {first}-{first + kept - 1} of {len(lines)}{limit}. Full output: {saved}]"]
    report.compare({**case, "what": "notices"}, notices, expected, files)


def both_ends(report, case, shown, lines, details, files):
    """Checks that the shown lines and the reported omitted lines together are the full output."""
    omitted = details["omittedLines"]
    at = shown.index(f"[...Output truncated: {omitted} lines omitted...]")
    head, tail = shown[:at], shown[at + 1 :]
    report.compare({**case, "what": "omittedLines"}, len(head) + omitted + len(tail), len(lines), files)
    report.compare({**case, "what": "head"}, head, lines[:at], files)
    report.compare({**case, "what": "tail"}, tail, lines[len(lines) - len(tail) :], files)
