"""Converts globs to regular expressions of Python, as docs/tools.md defines them."""

import os
import re


def random_glob(random):
    atoms = [
        "*", "*", "*", "?", "a", "b", "c", "x", ".", ".rs", "*.rs", "*.txt", "[ab]", "[!a]", "[a-c]", "{a,b}", "{*.rs,*.txt}", "é", "日", "lib",
        "src", "A", "\\*", "\\[", " ", "#", "[0-9]", "[é-日]", "!", "a**b", "s", "[]]", "[a-]",
    ]  # fmt: skip
    parts = []
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        if random.random() < 0.2:
            parts.append("**")
        else:
            part = "".join(random.choices(atoms, k=random.choice([1, 1, 2, 3])))
            # cutline removes the component `.` of a glob.
            parts.append("a" if part == "." else part)
    glob = "/".join(parts)
    if random.random() < 0.1:
        glob = random.choice(["/", "./"]) + glob
    if random.random() < 0.1:
        glob += "/"
    if random.random() < 0.1:
        glob = "!" + glob
    # A glob of only these characters is refused, because it excludes nothing.
    return glob if glob.strip("!/.") or glob.startswith((".", "!.")) and "/" not in glob else "x"


class Glob:
    def __init__(self, glob):
        self.negated = glob.startswith("!")
        glob = glob.removeprefix("!")
        anchored = glob.startswith(("/", "./"))
        glob = glob.removeprefix("./").lstrip("/")
        self.of_folders = glob.endswith("/")
        glob = glob.rstrip("/")
        self.of_path = anchored or "/" in glob
        self.regex = re.compile(_path(glob), re.DOTALL)

    def matches(self, path):
        """Returns True if the glob matches a path relative to the start of the search, without negation."""
        return bool(self.regex.fullmatch(path if self.of_path else os.path.basename(path)))

    def names(self, path, is_folder):
        return (self.matches(path) and (is_folder or not self.of_folders)) != self.negated

    def lets_through(self, path):
        """Returns True if grep searches this file. If the glob matches a folder, grep searches the files below it."""
        parts = path.split("/")
        folders = ["/".join(parts[:n]) for n in range(1, len(parts))]
        if self.negated:
            return self.names(path, False) and all(self.names(folder, True) for folder in folders)
        return any(map(self.matches, folders)) if self.of_folders else self.matches(path)


def _path(glob):
    """Converts a path. `**` as a component matches any number of folders, and at the end at least one name."""
    parts = glob.split("/")
    regex = ""
    for n, part in enumerate(parts):
        last = n == len(parts) - 1
        if part == "**":
            regex += ".*" if last and n == 0 else (".+" if last else "(?:[^/]+/)*")
        else:
            regex += _name(part) + ("" if last else "/")
    return regex


def _name(part):
    regex, at, depth = "", 0, 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            regex += "[^/]*"
        elif char == "?":
            regex += "[^/]"
        elif char == "\\":
            regex += re.escape(part[at])
            at += 1
        elif char == "{":
            depth += 1
            regex += "(?:"
        elif char == "}":
            depth -= 1
            regex += ")"
        elif char == "," and depth:
            regex += "|"
        elif char == "[":
            # A closing bracket in the first position is a character of the class.
            end = part.index("]", at + 1 + (part[at] == "!"))
            inner = part[at:end]
            negated = inner.startswith("!")
            regex += "(?!/)[" + "^" * negated + inner.removeprefix("!").replace("\\", "\\\\").replace("]", "\\]") + "]"
            at = end + 1
        else:
            regex += re.escape(char)
    return regex
