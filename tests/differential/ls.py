"""ls beside Python: the order, the totals, the pages."""

import os
import stat

import data


def listing(folder):
    def key(name):
        raw = os.fsencode(name)
        return (raw.decode("utf-8", "replace").lower().encode(), raw)

    def entry(name):
        path = os.path.join(folder, name)
        return data.shown(name) + ("/" if os.path.isdir(path) else "")

    return [entry(name) for name in sorted(os.listdir(folder), key=key)]


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
            open(os.path.join(path, name), "w").close()


def compare(random, report, setting, round_):
    folder = f"ls-{round_}"
    path = os.path.join(setting.work, folder)
    random_folder(random, path)
    folders = [folder] if random.random() < 0.7 or not setting.corpora else [setting.corpus_folder(random)]
    for folder in folders:
        report.check_time()
        expected = listing(os.path.join(setting.work, folder))
        limit = random.choice([1000, random.randint(max(1, len(expected) // 8), len(expected) + 1)])
        pages(report, setting, {"round": round_, "path": folder, "limit": limit}, expected)


def pages(report, setting, case, expected):
    joined, offset = [], 0
    while offset is not None:
        answer = setting.server.call("ls", path=case["path"], limit=case["limit"], offset=offset)
        body, _ = answer.parts()
        report.compare({**case, "offset": offset, "what": "error"}, answer.is_error, False)
        joined.extend(body.split("\n") if body != "(empty directory)" else [])
        if answer.next_offset:
            report.compare({**case, "offset": offset, "what": "total"}, answer.details["totalEntries"], len(expected))
        offset = answer.next_offset
    report.compare(case, joined, expected)
