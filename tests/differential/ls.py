"""ls compared with Python: the order, the totals, the pages, and sizes and times."""

import os
import stat
from datetime import datetime, timezone

import data


def sorted_names(folder):
    def key(name):
        raw = os.fsencode(name)
        return (raw.decode("utf-8", "replace").lower().encode(), raw)

    return sorted(os.listdir(folder), key=key)


def listing(folder):

    def entry(name):
        path = os.path.join(folder, name)
        return data.shown(name) + ("/" if os.path.isdir(path) else "")

    return [entry(name) for name in sorted_names(folder)]


def long_line(folder, name):
    """Returns the line of an entry with its size and time; of the target, if it is a link inside the folder."""
    path = os.path.join(folder, name)
    found = os.stat(path) if os.path.exists(path) else os.lstat(path)
    size = found.st_size if stat.S_ISREG(found.st_mode) else "-"
    time = datetime.fromtimestamp(found.st_mtime_ns // 10**9, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{size} {time} "


def random_folder(random, path):
    os.mkdir(path)
    for _ in range(random.choice([0, 1, 5, 30, 300])):
        length = random.choice([1, 2, 3, 3, 8, 100])
        name = "".join(random.choice("abABzZ_-.09 éÉßİıДд日") for _ in range(length)).encode()[:250].decode("utf-8", "ignore")
        if random.random() < 0.03:
            name = os.fsdecode(random.choice(data.ODD_NAMES))
        if name in (".", "..") or os.path.lexists(os.path.join(path, name)):
            continue
        kind = random.random()
        if kind < 0.2:
            os.mkdir(os.path.join(path, name))
        elif kind < 0.3:
            os.symlink(random.choice([".", "nowhere", "a"]), os.path.join(path, name))
        else:
            with open(os.path.join(path, name), "w") as file:
                file.write("x" * random.choice([0, 1, 500]))
            seconds = random.choice([0, 1, 1_000_000_000, random.randint(0, 4_000_000_000)])
            os.utime(os.path.join(path, name), ns=(0, seconds * 10**9 + random.choice([0, 999_999_999])))


def compare(random, report, setting, round_):
    folder = f"ls-{round_}"
    path = os.path.join(setting.work, folder)
    random_folder(random, path)
    folders = [folder] if random.random() < 0.7 or not setting.corpora else [setting.corpus_folder(random)]
    for folder in folders:
        report.check_time()
        expected = listing(os.path.join(setting.work, folder))
        limit = random.choice([1000, random.randint(max(1, len(expected) // 8), len(expected) + 1)])
        case = {"round": round_, "path": folder, "limit": limit}
        if folder == f"ls-{round_}" and random.random() < 0.5:
            case["long"] = True
            names = sorted_names(path)
            expected = [long_line(path, name) + line for name, line in zip(names, expected)]
        pages(report, setting, case, expected)


def pages(report, setting, case, expected):
    joined, offset = [], 0
    while offset is not None:
        arguments = {name: value for name, value in case.items() if name != "round"}
        answer = setting.server.call("ls", **arguments, offset=offset)
        body, _ = answer.parts()
        report.compare({**case, "offset": offset, "what": "error"}, answer.is_error, False)
        joined.extend(body.split("\n") if body != "(empty directory)" else [])
        if answer.next_offset:
            report.compare({**case, "offset": offset, "what": "total"}, answer.details["totalEntries"], len(expected))
        offset = answer.next_offset
    report.compare(case, joined, expected)
