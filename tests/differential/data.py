"""Random texts, names and trees. The same `Random` gives the same data."""

import os
import subprocess

WORDS = ["foo", "bar", "foobar", "needle", "Needle", "x", "é", "日本", "a.b", "12", "_", "(", "the", "end", "aaa", "😀"]
BLANKS = [" ", " ", "  ", "\t"]
ENCODINGS = ["utf-8", "utf-8", "utf-8", "utf-8 with mark", "utf-16le", "utf-16be", "invalid"]
NAMES = [
    "a", "b", "ab", "abc", "A", "a.rs", "b.rs", "B.RS", "lib.rs", "x.txt", "x.min.js", "src", "lib", "target", "doc",
    "é.txt", "日本", "a b", "[x]", "{y}", "x!y", "#c", "!n", "0", "00", ".hidden", ".env", "a.b.c", "q?", "s*", "back\\slash",
]  # fmt: skip
ODD_NAMES = [b"n\xff.rs", "tab\tname".encode(), "new\nline".encode(), b"\xe9.txt"]
RULES = [
    "a", "b", "*.rs", "/a", "a/", "!b.rs", "!*.rs", "/src", "src/", "src/a", "**/b", "a/**", "src/**/b", "a*", "[ab].rs", "[!a].rs",
    "# comment", "\\#c", "\\!n", "", "*", "!*/", "!a", "*.txt", "x?y", "é.txt", "doc/*", "!doc/a", "/*", "!/lib", "/**/x.txt", "trailing  ",
    "lib/*.rs", "*.globally", "a b", "target", "!target/", "/lib/", "**", "src/*/a.rs", "*b*",
]  # fmt: skip
# Rules that ripgrep and fd interpret differently from git.
GIT_RULES = [
    "{y}", "{a,b}", "\\{y\\}", "!{y}", "**a", "a**", "x**y", "[!a-b]*", "[^a]*", "a/**/b/", " #c", "!", "//a", "a//b", "./a", "*/", "[", "[a", "q\\?",
    "s\\*", "back\\\\slash", "\\a", "a\\", "[x]", "\\[x\\]", "[]a]*", "[a-]", "**/", "/**", "**/**", "a/**/", "?", "*.*", ".*", "!.*", "*/b", "/*/a",
    "[[:alpha:]]*", "[[:digit:]_]*", "[![:upper:]]*", "[[:x]*", "[[:none:]]*", "[a-[:digit:]]*", "[[:punct:]][[:lower:]]", "x[^[:space:]]*",
]  # fmt: skip


def line(random):
    words = random.choices(WORDS, k=random.choice([0, 1, 1, 2, 3, 4, 8]))
    return "".join(word + (random.choice(BLANKS) if random.random() < 0.6 else "") for word in words)


def text(random, lines, ending="\n", lone_returns=False):
    """Returns a text with about `lines` lines. `ending` can be "mixed"."""
    parts = []
    while len(parts) < lines:
        if random.random() < 0.1:
            parts.extend([""] * random.randint(1, 4))
        elif random.random() < 0.05:
            parts.extend([line(random)] * random.randint(1, 6))
        else:
            parts.append(line(random))
    if lone_returns:
        parts = [part.replace(" ", "\r", 1) if random.random() < 0.2 else part for part in parts]
        parts = [part + "\r" if random.random() < 0.05 else part for part in parts]
    ends = (random.choice(["\n", "\r\n"]) for _ in parts) if ending == "mixed" else (ending for _ in parts)
    whole = "".join(part + end for part, end in zip(parts, ends))
    if random.random() < 0.4:
        whole = whole.removesuffix("\n").removesuffix("\r")
    return whole


def encoded(random, content, encoding):
    match encoding:
        case "utf-8 with mark":
            return b"\xef\xbb\xbf" + content.encode()
        case "utf-16le":
            return b"\xff\xfe" + content.encode("utf-16-le")
        case "utf-16be":
            return b"\xfe\xff" + content.encode("utf-16-be")
        case "invalid":
            # Mostly valid: otherwise it is taken for another encoding.
            raw = bytearray(("é" * 60 + content).encode())
            for _ in range(random.randint(1, 8)):
                at = random.randint(0, len(raw))
                raw[at:at] = random.choice([b"\xff", b"\xc3", b"\xe6\x97", b"\x80", b"\xf0\x9f\x98", b"\xed\xa0\x80"])
            return bytes(raw)
        case _:
            return content.encode()


def decoded(raw):
    """Returns the text of a file as all tools show it, with unchanged line endings."""
    if raw.startswith(b"\xff\xfe"):
        return raw[2:].decode("utf-16-le", "replace")
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def shown(name):
    """Returns a name or path as tools show it, with U+FFFD for control characters and invalid bytes."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join("\ufffd" if ord(char) < 32 or 127 <= ord(char) < 160 else char for char in text)


def by_component(path):
    """Returns the sort key of a path: the bytes of each component."""
    return os.fsencode(path).split(b"/")


def rules(random, of_git=False):
    chosen = random.choices(RULES + GIT_RULES * of_git, k=random.randint(1, 5))
    return "\n".join(chosen) + random.choice(["\n", "", "\r\n"])


class Tree:
    """A random folder `top`. The constructor writes its files."""

    def __init__(self, random, top, git, odd_names=True, git_rules=False):
        """`git`: "none", "plain" (one repository, rules of git alone) or "nested" (others in it, all rules)."""
        self.random, self.top, self.git = random, top, git
        self.odd_names, self.git_rules = odd_names, git_rules
        self.folders, self.files, self.left = [], [], random.randint(3, 60)
        os.makedirs(top)
        if git != "none":
            self._repository(top)
        self._fill(top, 0)

    def _repository(self, folder):
        subprocess.run(["git", "init", "-q", folder], check=True)
        if self.random.random() < 0.3:
            with open(os.path.join(folder, ".git/info/exclude"), "w") as file:
                file.write(rules(self.random, self.git_rules))

    def _fill(self, folder, depth):
        random = self.random
        self.folders.append(folder)
        if random.random() < (0.5 if depth == 0 else 0.2):
            self._write(folder, ".gitignore", rules(random, self.git_rules).encode())
        if self.git != "plain" and random.random() < 0.15:
            self._write(folder, ".ignore", rules(random, self.git_rules).encode())
        if self.git == "nested" and random.random() < 0.2:
            os.makedirs(os.path.join(folder, ".git/info"), exist_ok=True)
            if random.random() < 0.3:
                self._write(folder, ".git/info/exclude", rules(random, self.git_rules).encode())
        for name in random.sample(NAMES, k=random.randint(1, 9)):
            if self.left <= 0:
                return
            self.left -= 1
            path = os.path.join(folder, name)
            kind = random.random()
            if kind < 0.35 and depth < 4:
                os.mkdir(path)
                self._fill(path, depth + 1)
            elif kind < 0.4:
                os.symlink(random.choice(["a", "nowhere", "..", "lib"]), path)
            else:
                self._file(folder, name)
        if self.odd_names and random.random() < 0.1:
            self._file(folder, os.fsdecode(random.choice(ODD_NAMES)))

    def _file(self, folder, name):
        random = self.random
        raw = text(random, random.choice([0, 1, 3, 10, 40]), random.choice(["\n"] * 8 + ["\r\n", "mixed"])).encode()
        if random.random() < 0.05:
            raw = b"\0" + raw
        self._write(folder, name, raw)

    def _write(self, folder, name, raw):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(raw)
        if not name.startswith(".git/"):
            self.files.append(path)
