"""Compares grep with `re` of Python on single files in any encoding, and with ripgrep on trees."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import data
import find
import globs
import patterns

MAX_LINE_CHARS = 500
MARK = "... [truncated]"
TYPES = ["rust", "py", "js", "txt", "sh", "c", "json", "md", "all"]
ROW = re.compile(r"(?P<path>.+?)(?:(?P<match>:(?P<number>\d+): )|-(?P<context>\d+)- )(?P<text>.*)", re.DOTALL)


def compare(random, report, setting, round_):
    if random.random() < 0.5:
        for part in range(4):
            one_file(random, report, setting, round_, part)
    else:
        tree(random, report, setting, round_)


# --- one file, compared with Python


def lines_of(raw, keeps_returns):
    """Returns the lines as they are matched. Bytes that are not UTF-8 become lone surrogates."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decoded(raw)
    else:
        text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    if not keeps_returns:
        text = text.replace("\r\n", "\n")
    return text, text.split("\n")[: -1 if text.endswith("\n") or not text else None]


def matched_lines(pattern, raw):
    """Returns the numbers of the lines that match, from 0, and all lines."""
    text, lines = lines_of(raw, pattern.names_return)
    regex = pattern.compiled()
    if not pattern.multiline:
        return [n for n, line in enumerate(lines) if regex.search(line)], lines
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    numbers, at = set(), 0
    while at <= len(text) and (found := regex.search(text, at)):
        start, end = found.span()
        touched = [n for n in range(len(lines)) if starts[n] < max(end, start + 1) and start < starts[n + 1]]
        if not touched:
            # There is no line after the last newline.
            break
        numbers.update(touched)
        # As in ripgrep, the next match can be empty and start at the end of this one.
        at = max(end, start + 1)
    return sorted(numbers), lines


def as_shown(line, pattern, is_ended):
    """Returns a line as a result has it. A `\\r` before the end of a file without a final newline ends no line."""
    line = re.sub("\0+", "\ufffd", line.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    return line.removesuffix("\r") if pattern.names_return and is_ended else line


def one_file(random, report, setting, round_, part):
    lone = random.random() < 0.2
    ending = random.choice(["\n", "\n", "\r\n", "mixed"])
    encoding = random.choice(data.ENCODINGS)
    content = data.text(random, random.choice([0, 1, 2, 5, 20, 60]), ending, lone)
    raw = data.encoded(random, content, encoding)
    name = f"grep-{round_}-{part}.txt"
    Path(setting.work, name).write_bytes(raw)
    for _ in range(6):
        report.check_time()
        pattern = patterns.random_pattern(random, random.random() < 0.4, returns=True)
        if encoding == "invalid" and "\\B" in pattern.rust:
            # Between invalid bytes, this is the only assertion with different meanings in both engines.
            continue
        try:
            with patterns.time_limit():
                numbers, lines = matched_lines(pattern, raw)
        except patterns.TooSlow:
            continue
        ended = len(lines) - (not data.decoded(raw).endswith("\n"))
        expected = [(name, n + 1, True, as_shown(lines[n], pattern, n < ended)) for n in numbers]
        limit = random.choice([100, 1000, random.randint(1, len(expected) + 1)])
        case = {"round": round_, **pattern.arguments(), "path": name, "limit": max(limit, len(expected) // 10 + 1)}
        report.compare(case, *agreeing(all_pages(setting, case), expected), [(name, raw)])


# --- a tree, compared with ripgrep


def by_ripgrep(setting, pattern, paths, in_repository, no_ignore, options):
    """Returns the rows of ripgrep: path, line, true for a match, text. Returns `None` if it refuses the pattern."""
    flags = ["--no-config", "--hidden", "--glob", "!.git", "--sort", "path", "--null", "--line-number", "--with-filename", "--no-heading",
             "--color", "never", "--crlf", "--context-separator", "\x01", *options]  # fmt: skip
    chosen = {"--no-require-git": not in_repository, "--no-ignore": no_ignore, "--fixed-strings": pattern.literal,
              "--ignore-case": pattern.ignore_case, "--multiline": pattern.multiline, "--multiline-dotall": pattern.multiline}  # fmt: skip
    flags += [flag for flag, set_ in chosen.items() if set_]
    command = [setting.rg, *flags, "--regexp", pattern.rust, "--", *paths]
    run = subprocess.run(command, capture_output=True, env=setting.env, cwd=setting.work)
    if run.returncode == 2:
        return None
    rows = []
    for line in run.stdout.split(b"\n"):
        if b"\0" not in line:
            continue
        path, rest = line.split(b"\0", 1)
        number, mark, text = re.match(rb"(\d+)([:-])(.*)", rest, re.DOTALL).groups()
        rows.append((os.fsdecode(path), int(number), mark == b":", text.removesuffix(b"\r").decode("utf-8", "replace")))
    # A file below two of the paths appears twice.
    return list(dict.fromkeys(rows))


def context_of(random, pattern):
    """Returns arguments for context lines, and the equivalent options of ripgrep."""
    # With multiline, ripgrep shows the context of an empty match after the last line, where no line exists.
    if pattern.multiline or random.random() < 0.4:
        return {}, []
    lines = {name: random.choice([1, 2, 5]) for name in ("context", "before", "after") if random.random() < 0.5}
    short = {"context": "-C", "before": "-B", "after": "-A"}
    options = [part for name, number in lines.items() for part in (short[name], str(number))]
    if random.random() < 0.5:
        lines = {short[name]: number for name, number in lines.items()}
    return lines, options


def excluded_of(random, folder):
    """Returns globs to exclude, and the equivalent options of ripgrep, or `None` if ripgrep interprets a glob differently."""
    excluded = [globs.random_glob(random).removeprefix("!") for _ in range(random.choice([1, 1, 2]))]
    options = []
    for glob in excluded:
        below = glob.removeprefix("./").lstrip("/")
        is_path = "/" in below.rstrip("/") or glob != below
        # In ripgrep, such globs are relative to the current folder, and blanks at the end are removed.
        if glob.endswith(" ") or (is_path and os.path.isabs(folder)):
            return excluded, None
        options += ["--glob", f"!/{folder}/{below}" if is_path else f"!{below}"]
    return excluded, options


def is_excluded(excluded, path):
    """Returns True if one of the globs matches a file or one of its parent folders."""
    parts = path.split("/")
    compiled = [globs.Glob(glob) for glob in excluded]
    return any(glob.names("/".join(parts[:n]), n < len(parts)) for glob in compiled for n in range(1, len(parts) + 1))


def paths_of(random, top, folder):
    """Returns several files and folders in the tree, as paths that both programs accept."""
    found = [os.path.relpath(os.path.join(base, name), top) for base, folders, names in os.walk(top) for name in folders + names
             if not os.path.islink(os.path.join(base, name))]  # fmt: skip
    found = [path for path in found if ".git" not in path.split("/") and data.shown(path) == path]
    if len(found) < 2:
        return []
    return [os.path.join(folder, path) for path in random.sample(found, k=min(len(found), random.randint(2, 4)))]


def path_glob_of(random, top, folder):
    """Returns a glob as a path, and a function that matches it with a path relative to `top`."""
    glob = globs.random_glob(random).lstrip("!./")
    first = glob.split("/")[0]
    # Ignore rules do not hide a folder that is the path itself. An existing name is not a glob.
    if not re.search(r"[*?[{]", first) or re.search(r"[ ,\\]", glob) or os.path.lexists(os.path.join(top, glob)):
        return None, None
    compiled = globs.Glob(f"./{glob}")

    def matches(path):
        parts = path.split("/")
        return any(compiled.names("/".join(parts[:n]), n < len(parts)) for n in range(1, len(parts) + 1))

    return f"{folder}/{glob}", matches


def is_odd(path):
    """Returns True for files that ripgrep treats differently: NUL bytes, other encodings, lone `\\r`.

    And of all files with `\\r`: with `--crlf` ripgrep sees `\\B` before the `\\n`, and `\\n` does not match across lines.
    """
    raw = Path(path).read_bytes()
    return b"\0" in raw or raw.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")) or b"\r" in raw


def tree(random, report, setting, round_):
    if setting.corpora and random.random() < 0.3:
        top = folder = setting.corpus_folder(random)
        in_repository = False
    else:
        folder = f"grep-tree-{round_}"
        top = os.path.join(setting.work, folder)
        in_repository = data.Tree(random, top, random.choice(["none", "none", "plain", "nested"]), odd_names=False).git != "none"
    files = [os.path.join(base, name) for base, _, names in os.walk(top) for name in names]
    odd = {path for path in files if os.path.isfile(path) and is_odd(path)}
    for _ in range(5):
        report.check_time()
        in_tree(random, report, setting, round_, top, folder, in_repository, odd)


def in_tree(random, report, setting, round_, top, folder, in_repository, odd):
    pattern = patterns.random_pattern(random, random.random() < 0.2)
    if pattern.multiline and re.search(r"\^|\\[AzbB]", pattern.rust):
        # With multiline, ripgrep searches the next match as if the text started there. Python does not.
        return
    context, options = context_of(random, pattern)
    types = random.choices(TYPES, k=random.choice([1, 1, 2])) if random.random() < 0.3 else []
    options += [part for name in types for part in ("--type", name)]
    excluded, of_excluded = excluded_of(random, folder) if random.random() < 0.3 else ([], [])
    options += of_excluded or []
    paths = paths_of(random, top, folder) if random.random() < 0.25 else []
    if paths:
        # Globs would be relative to each path, and a file as path is searched with any types.
        types, excluded, of_excluded, options = [], [], [], [part for part in options if not part.startswith(("!", "--"))]
        options = [part for part in options if part not in TYPES]
    glob = globs.random_glob(random) if random.random() < 0.3 and not paths else None
    no_ignore = random.random() < 0.2
    rows = by_ripgrep(setting, pattern, paths or [folder], in_repository, no_ignore, options)
    if rows is None or len(rows) > 3000:
        return
    by_page = [] if of_excluded is not None else excluded
    expected = [(path, *rest) for path, *rest in rows if keeps(setting, top, path, glob, odd, by_page)]
    if paths:
        expected.sort(key=by_place)
    matches = sum(row[2] for row in expected)
    path = random.choice([paths, " ".join(map(shlex.quote, paths))]) if paths else folder
    if not paths and not glob and not excluded and random.random() < 0.2:
        path_glob, matches_path = path_glob_of(random, top, folder)
        if path_glob:
            path = path_glob
            expected = [row for row in expected if matches_path(os.path.relpath(os.path.join(setting.work, row[0]), top))]
    case = {"round": round_, **pattern.arguments(), "path": path, "limit": random.choice([1000, matches // 5 + 1]), **context}
    case |= {"type": random.choice([types, ",".join(types)])} if types else {}
    case |= {"exclude": excluded} if excluded else {}
    case |= {"glob": glob} if glob else {}
    case |= {"noIgnore": True} if no_ignore else {}
    odd_shown = {os.path.relpath(path, setting.work) if path.startswith(setting.work) else path for path in odd}
    given = all_pages(setting, case)
    if not expected and isinstance(given, str) and given.startswith("No file or folder matches path: "):
        given = []
    if isinstance(given, list):
        given = [row for row in given if row[0] not in odd_shown]
        if paths:
            given.sort(key=by_place)
    expected = [(data.shown(path), *rest) for path, *rest in expected]
    given, expected = agreeing(given, expected)
    files = find.rule_files(top) if given != expected and not os.path.isabs(folder) else []
    report.compare(case, given, expected, files)
    if not odd and not context and path == folder:
        sums(random, report, setting, case, expected)
        ranking(random, report, setting, case, given)


def keeps(setting, top, path, glob, odd, excluded):
    whole = os.path.join(setting.work, path)
    if is_excluded(excluded, os.path.relpath(whole, top)):
        return False
    return whole not in odd and (not glob or globs.Glob(glob).lets_through(os.path.relpath(whole, top)))


def sums(random, report, setting, case, expected):
    """Checks that the other modes return the same files and numbers."""
    counts = {}
    for path, *_ in expected:
        counts[path] = counts.get(path, 0) + 1
    mode = random.choice(["files", "count"])
    wanted = [path if mode == "files" else f"{path}: {count}" for path, count in counts.items()]
    case = {**case, "mode": mode, "limit": max(1, len(wanted) // 3)}
    report.compare(case, find.all_lines(setting, "grep", case, "No matches found"), wanted)


def ranking(random, report, setting, case, by_path):
    """Checks that pages by relevance, of any size, have the same matches in one order, with the exact total."""
    if not isinstance(by_path, list):
        return
    case = {**case, "sort": "relevance", "limit": 5000}
    whole = all_pages(setting, case)
    if isinstance(whole, list):
        report.compare({**case, "what": "each match once"}, *agreeing(sorted(whole, key=by_place), by_path))
    else:
        report.compare(case, whole, by_path)
    pages = {**case, "limit": random.randint(len(by_path) // 5 + 1, len(by_path) // 2 + 2)}
    report.compare({**pages, "what": "pages"}, all_pages(setting, pages), whole)
    arguments = {name: value for name, value in pages.items() if name != "round"}
    first, again = (setting.server.call("grep", **arguments) for _ in range(2))
    report.compare({**pages, "what": "the same call"}, again.text, first.text)
    report.compare({**pages, "what": "total"}, first.details.get("totalMatches"), len(by_path))


# --- results


def all_pages(setting, case):
    """Returns the rows of all pages, or the error."""
    rows, offset = [], 0
    arguments = {name: value for name, value in case.items() if name != "round"}
    while offset is not None:
        answer = setting.server.call("grep", **arguments, offset=offset)
        if answer.is_error:
            return answer.text
        body, _ = answer.parts()
        if body != "No matches found":
            rows.extend(parsed(line) for line in body.split("\n") if line != "--")
        offset = answer.next_offset
    if not any(case.get(name) for name in ("context", "before", "after", "-C", "-B", "-A")):
        return rows
    # A page has the context of its matches, so two pages can have the same line.
    return sorted(dict(((row[0], row[1]), row) for row in sorted(rows, key=lambda row: row[2])).values(), key=by_place)


def by_place(row):
    return [part.encode() for part in row[0].split("/")], row[1]


def parsed(line):
    found = ROW.fullmatch(line)
    if not found:
        return line, 0, False, ""
    return found["path"], int(found["number"] or found["context"]), bool(found["match"]), found["text"]


def agreeing(given, expected):
    """Returns both. Replaces a correctly truncated line with the full line."""
    if not isinstance(given, list) or len(given) != len(expected):
        return given, expected
    return [whole if is_excerpt(row, whole) else row for row, whole in zip(given, expected)], expected


def is_excerpt(row, whole):
    if row[:3] != whole[:3] or len(whole[3]) <= MAX_LINE_CHARS or MARK not in row[3]:
        return False
    kept = row[3].removeprefix(MARK).removesuffix(MARK)
    return len(kept) == MAX_LINE_CHARS and kept in whole[3]
