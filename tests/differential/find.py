"""find compared with fd and ripgrep, with git, and with globs translated to regular expressions."""

import os
import subprocess
from pathlib import Path

import data
import globs

NONE = "No files found matching pattern"


# Globs with the same meaning in cutline and in `--exclude` of fd.
PLAIN_EXCLUDES = ["a", "b", "src", "lib", "*.rs", "*.txt", "a*", "[ab]*", "src/", "*.rs/", "*/a", "src/*.rs", "**/b", "lib/**"]


def walked(setting, folder, in_repository, no_ignore, *more_flags):
    """Returns all paths that fd finds below a folder, relative to it, in order."""
    flags = ["--hidden", "--exclude", ".git", "--no-global-ignore-file", "--color", "never", "--print0"]
    if not in_repository:
        # With this flag, fd ignores repositories, so rules above a repository would apply in it.
        flags.append("--no-require-git")
    if no_ignore:
        flags.append("--no-ignore")
    # fd gets the path as an argument, so that it reads the rules of the parent folders like cutline.
    run = subprocess.run([setting.fd, *flags, *more_flags, ".", folder], capture_output=True, env=setting.env, cwd=setting.work)
    if run.returncode:
        raise RuntimeError(f"fd in {folder}: {run.stderr}")
    prefix = os.fsencode(folder).rstrip(b"/") + b"/"
    paths = (os.fsdecode(path.rstrip(b"/").removeprefix(prefix)) for path in run.stdout.split(b"\0") if path)
    return sorted(paths, key=data.by_component)


def is_folder(path):
    return os.path.isdir(path) and not os.path.islink(path)


def compare(random, report, setting, round_):
    if setting.corpora and random.random() < 0.1:
        top = folder = setting.corpus_folder(random)
        in_repository = False
    else:
        folder = f"find-{round_}"
        top = os.path.join(setting.work, folder)
        git = random.choice(["none", "none", "plain", "plain", "nested"])
        tree = data.Tree(random, top, git, git_rules=git == "plain" and random.random() < 0.6)
        in_repository = tree.git != "none"
        if tree.git == "plain":
            beside_git(report, setting, round_, folder, tree)
        if tree.git_rules:
            return
        beside_rg(report, setting, round_, folder, top, in_repository)
        if len(tree.folders) > 1 and random.random() < 0.2:
            # A search can start in any folder. The rules above it apply.
            top = random.choice(tree.folders)
            folder = os.path.relpath(top, setting.work)
        if not data.shown(folder) == folder:
            return
    entries = {no_ignore: walked(setting, folder, in_repository, no_ignore) for no_ignore in (False, True)}
    for _ in range(8):
        report.check_time()
        glob = globs.random_glob(random)
        case = {
            "round": round_, "path": folder, "pattern": glob, "type": random.choice(["file", "dir", "any"]),
            "noIgnore": random.random() < 0.3, "limit": random.choice([1000, random.randint(2, 30)]),
            "sort": random.choice(["path", "path", "modified"]),
        }  # fmt: skip
        narrowed = entries[case["noIgnore"]]
        if random.random() < 0.5:
            narrowed = narrow(random, setting, case, top, narrowed, in_repository)
        beside_fd(report, setting, case, top, narrowed)


def narrow(random, setting, case, top, entries, in_repository):
    """Adds `exclude` and `maxDepth` to a call. Returns the remaining paths, from fd or from the definition of globs."""
    if random.random() < 0.6:
        case["maxDepth"] = random.randint(1, 4)
    by_fd = random.random() < 0.5
    count = random.choice([0, 1, 1, 2, 3])
    excludes = [random.choice(PLAIN_EXCLUDES) if by_fd else globs.random_glob(random).lstrip("! ").rstrip() for _ in range(count)]
    excludes = [glob for glob in excludes if glob.strip("/.")]
    if excludes:
        is_text = len(excludes) == 1 or random.random() < 0.5
        case["exclude"] = ",".join(excludes) if is_text else excludes
    if by_fd:
        flags = [f"--exclude={glob}" for glob in excludes]
        if "maxDepth" in case:
            flags.append(f"--max-depth={case['maxDepth']}")
        return walked(setting, case["path"], in_repository, case["noIgnore"], *flags)
    compiled = [globs.Glob(glob) for glob in excludes]
    most = case.get("maxDepth", len(top) + 10_000)
    return [path for path in entries if path.count("/") < most and not is_excluded(compiled, top, path)]


def is_excluded(excludes, top, path):
    """Returns True if a glob matches the path or a folder that it is in."""
    return any(glob.names(prefix, is_folder(os.path.join(top, prefix))) for glob in excludes for prefix in prefixes(path))


def prefixes(path):
    """Returns the folders that a path is in, and the path."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]


def rule_files(top):
    """Returns the ignore files below a folder, for a report."""
    names = (".gitignore", ".ignore", "exclude")
    found = [os.path.join(folder, name) for folder, _, files in os.walk(top) for name in files if name in names]
    return [(os.path.relpath(path, top), Path(path).read_bytes()) for path in sorted(found) if os.path.isfile(path)]


def wanted(case, glob, top, path):
    folder = is_folder(os.path.join(top, path))
    kind = case["type"]
    # A negated glob excludes folders with their content.
    named = prefixes(path) if glob.negated else [path]
    is_named = all(glob.names(prefix, is_folder(os.path.join(top, prefix))) for prefix in named)
    return (kind == "any" or folder == (kind == "dir")) and is_named


def line(case, top, path):
    whole = os.path.join(case["path"], path)
    return data.shown(whole) + ("/" if is_folder(os.path.join(top, path)) else "")


def beside_fd(report, setting, case, top, entries):
    glob = globs.Glob(case["pattern"])
    paths = [path for path in entries if wanted(case, glob, top, path)]
    if case["sort"] == "modified":
        paths.sort(key=lambda path: -os.lstat(os.path.join(top, path)).st_mtime_ns)
    expected = [line(case, top, path) for path in paths]
    joined = all_lines(setting, "find", case, NONE)
    if joined != expected and isinstance(joined, list):
        # The ignore rules are printed only for a difference.
        report.compare(case, joined, expected, rule_files(top))
    else:
        report.compare(case, joined, expected)


def all_lines(setting, tool, case, none):
    """Returns the lines of all pages, or the error. `none` is the body without results."""
    joined, offset = [], 0
    arguments = {name: value for name, value in case.items() if name != "round"}
    while offset is not None:
        answer = setting.server.call(tool, **arguments, offset=offset)
        if answer.is_error:
            return answer.text
        body, _ = answer.parts()
        if body != none:
            joined.extend(body.split("\n"))
        offset = answer.next_offset
    return joined


def beside_rg(report, setting, round_, folder, top, in_repository):
    """Compares with the files that ripgrep would search. It neither follows nor lists links."""
    flags = ["--files", "--hidden", "--null", "--no-messages", "--glob", "!.git"]
    if not in_repository:
        flags.append("--no-require-git")
    run = subprocess.run([setting.rg, *flags, top], capture_output=True, env=setting.env, cwd=setting.work)
    prefix = os.fsencode(top).rstrip(b"/") + b"/"
    files = (os.fsdecode(path.removeprefix(prefix)) for path in run.stdout.split(b"\0") if path)
    case = {"round": round_, "path": folder, "pattern": "*", "type": "file", "what": "rg"}
    expected = [line(case, top, path) for path in sorted(files, key=data.by_component)]
    arguments = {name: case[name] for name in ("path", "pattern", "type")}
    found = all_lines(setting, "find", arguments, NONE)
    if isinstance(found, list):
        links = {line(case, top, os.path.relpath(path, top)) for path in links_below(top)}
        found = [path for path in found if path not in links]
    report.compare(case, found, expected, rule_files(top))


def links_below(top):
    for folder, folders, files in os.walk(top):
        yield from (path for name in folders + files if os.path.islink(path := os.path.join(folder, name)))


def beside_git(report, setting, round_, folder, tree):
    """Compares with the files that git does not ignore, in a repository with only rules of git."""
    listing = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    run = subprocess.run(listing, cwd=tree.top, env=setting.env, capture_output=True, check=True)
    files = sorted((os.fsdecode(path) for path in run.stdout.split(b"\0") if path), key=data.by_component)
    case = {"round": round_, "path": folder, "pattern": "*", "type": "file", "what": "git"}
    expected = [line(case, tree.top, path) for path in files]
    arguments = {name: case[name] for name in ("path", "pattern", "type")}
    report.compare(case, all_lines(setting, "find", arguments, NONE), expected, rule_files(tree.top))
