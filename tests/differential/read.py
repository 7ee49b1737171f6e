"""Compares all pages of random files with pages that Python creates."""

import os
import re

import data

MAX_LINES, MAX_BYTES = 2000, 30_000
# Notices about the encoding and the line endings, which are not compared.
OF_FILE = re.compile(r"\n\[(File is \S+, not UTF-8\. .*|File has bytes that are not UTF-8.*|(Lines|Some lines) end with (CRLF|CR))\](?=\n|$)")


def without_notices_of_file(text):
    """Returns the text without these notices, and without the newlines before them."""
    shorter = OF_FILE.sub("", text)
    return shorter if shorter == text else shorter.rstrip("\n")


def lines_of(text):
    """Returns the lines of a text, and True if the last one has a newline."""
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1], True
    return lines, False


def blank_notice(lines, first, total):
    """Returns the notice about a page of white space, or an empty list."""
    if any(line.strip() for line in lines):
        return []
    count, last = len(lines), first + len(lines) - 1
    if count == total:
        return [f"[File is {count} line{'s' * (count > 1)} of white space]"]
    return [f"[Lines {first}-{last} are white space]" if count > 1 else f"[Line {first} is white space]"]


def page(text, offset, limit):
    """Returns the text of a page and its next offset. A notice about an oversized line has only its start."""
    if text == "":
        return ("[File is empty]", None) if offset < 2 else (f"Offset {offset} is beyond end of file (0 lines total)", None)
    lines, ended = lines_of(text)
    total = len(lines)
    first = max(1, offset if offset >= 0 else total + offset + 1)
    if first > total:
        return f"Offset {first} is beyond end of file ({total} lines total)", None
    kept, size, by_bytes = [], -1, False
    most = min(limit or MAX_LINES, MAX_LINES)
    for line in lines[first - 1 :]:
        if len(kept) == most:
            break
        size += 1 + len(line.encode())
        if size > MAX_BYTES:
            by_bytes = True
            break
        kept.append(line)
    if not kept:
        return f"[Line {first} is ", (first + 1 if first < total else None)
    last = first + len(kept) - 1
    body, blank = "\n".join(kept), blank_notice(kept, first, total)
    if last == total and not blank:
        return body + ("\n" if ended else ""), None
    if last == total:
        return f"{body}\n\n{blank[0]}", None
    # With an empty body, there are only notices.
    body += "\n\n" if body else ""
    by = " (30KB limit)" if by_bytes else ""
    notices = [*blank, f"[Showing lines {first}-{last} of {total}{by}. Use offset={last + 1} to continue]"]
    return body + "\n".join(notices), last + 1


def random_file(random):
    lines = random.choice([0, 1, 2, 5, 20, 100, 100, 2500])
    ending, lone = random.choice(["\n", "\n", "\r\n", "mixed"]), random.random() < 0.2
    content = data.text(random, lines, ending, lone)
    if random.random() < 0.1:
        # Longer lines are cut, except for the first one of a page.
        longest = [900, 7_000] if lines > 1 else [900, 29_995, 31_000, 300_000]
        content = content.replace("needle", "n" * random.choice(longest), 1)
    raw = data.encoded(random, content, random.choice(data.ENCODINGS))
    if random.random() < 0.1 and len(raw) > 2:
        # Within a character, but not within a mark.
        raw = raw[:-1]
    return raw


def compare(random, report, setting, round_):
    raw = random_file(random)
    name = f"read-{round_}.txt"
    with open(os.path.join(setting.work, name), "wb") as file:
        file.write(raw)
    text = data.decoded(raw).replace("\r\n", "\n")
    text = re.sub("\0+", "\ufffd", text)
    total = len(lines_of(text)[0])
    for _ in range(4):
        report.check_time()
        offset = random.choice([1, 0, 2, total, total + 1, total // 2, -1, -3, -total - 5, random.randint(1, total + 1)])
        limit = random.choice([None, 1, 2, 7, total, random.randint(1, total + 1)]) or None
        one_page(report, setting, round_, name, raw, text, offset, limit)
    all_pages(random, report, setting, round_, name, raw, text, total)


def one_page(report, setting, round_, name, raw, text, offset, limit):
    arguments = {"path": name, "offset": offset} | ({"limit": limit} if limit else {})
    answer = setting.server.call("read", **arguments)
    expected, next_offset = page(text, offset, limit)
    case = {"round": round_, **arguments}
    given = without_notices_of_file(answer.text)
    if given != answer.text:
        # Newlines at the end belonged to the text or to the removed notices.
        expected = expected.rstrip("\n")
    given = given[: len(expected)] if expected.endswith(" is ") else given
    report.compare(case, given, expected, [(name, raw)])
    if not answer.is_error:
        report.compare({**case, "what": "nextOffset"}, answer.next_offset, next_offset, [(name, raw)])


def all_pages(random, report, setting, round_, name, raw, text, total):
    """Follows `nextOffset` from the first line. Checks that all pages together are the file."""
    limit, offset, joined, of_file = random.randint(max(1, total // 6), total + 1), 1, [], []
    while offset:
        answer = setting.server.call("read", path=name, offset=offset, limit=limit)
        body, notices = answer.parts()
        of_file = [notice for notice in notices if OF_FILE.fullmatch("\n" + notice)]
        notices = [notice for notice in notices if notice not in of_file]
        if any(" exceeds " in notice for notice in notices):
            joined.append(None)
        elif answer.next_offset:
            joined.extend(body.split("\n"))
        elif notices:
            joined.extend([] if notices == ["[File is empty]"] else body.split("\n"))
        else:
            joined.extend(lines_of(body if of_file else answer.text)[0])
        offset = answer.next_offset
    lines = lines_of(text)[0] if text else []
    expected = [None if len(line.encode()) > MAX_BYTES else line for line in lines]
    while of_file and joined and joined[-1] == "":
        joined.pop()
    while of_file and expected and expected[-1] == "":
        expected.pop()
    report.compare({"round": round_, "path": name, "limit": limit, "what": "pages joined"}, joined, expected, [(name, raw)])
