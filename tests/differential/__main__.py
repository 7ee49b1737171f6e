"""Compares results of cutline with those of other programs, on random data and on real trees.

    python3 tests/differential [--seed N] [--seconds N] [--count N] [--tools read,ls] [--tree DIR]... CUTLINE

read and ls are compared with Python, legacy encodings with Python's codecs, grep with ripgrep and with Python's `re`, find with fd, with git and
with a translation of globs, bash with the terminal emulator pyte, and scripts (shell) with `bash -c`. One server answers all calls. The same
seed makes the same comparisons; `--seconds` and `--count` bound each tool. Each difference is printed with
the call and both answers; `--round N` makes that one round again, and keeps its files. The exit code is 1
if any difference is not one of those that `known.py` lists.
"""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

import known
from report import OutOfTime, Report
from server import Server

# Larger folders need too much time.
CORPUS_FILES = 300
TOOLS = ["read", "legacy_encodings", "ls", "find", "grep", "bash", "shell"]


class Setting:
    """The server, its folder, real trees, and the reference programs."""

    def __init__(self, options, base):
        self.work = os.path.join(base, "work")
        self.home = os.path.join(base, "home")
        for folder in (self.work, os.path.join(base, "saved")):
            os.mkdir(folder)
        os.makedirs(os.path.join(self.home, ".config/git"))
        # The global ignore rules of git.
        Path(self.home, ".config/git/ignore").write_text("*.globally\n")
        self.env = {"HOME": self.home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        self.rg, self.fd = program(options.rg), program(options.fd)
        self.corpora = sorted(os.path.realpath(tree) for tree in options.tree)
        roots = [flag for root in [self.work, *self.corpora] for flag in ("--root", root)]
        flags = [*roots, "--spill-dir", os.path.join(base, "saved"), "--log", "off"]
        self.server = Server(program(options.cutline), flags, self.env)

    def corpus_folder(self, random):
        """Returns a folder of a real tree with at most `CORPUS_FILES` files."""
        folder = random.choice(self.corpora)
        while True:
            below = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
            if not below or (random.random() < 0.5 and is_small(folder)):
                return folder
            folder = random.choice(below)


def is_small(folder):
    files = 0
    for _, _, names in os.walk(folder):
        files += len(names)
        if files > CORPUS_FILES:
            return False
    return True


def program(name):
    """Returns the absolute path of a program."""
    found = shutil.which(name)
    if not found:
        raise SystemExit(f"{name} is not installed; the comparison needs it")
    return os.path.abspath(found)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cutline", help="the binary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="at most, for each tool [default: 60]")
    parser.add_argument("--count", type=int, default=sys.maxsize, help="comparisons at most, for each tool")
    parser.add_argument("--tools", default=",".join(TOOLS), help="of these tools only")
    parser.add_argument("--round", type=int, help="only this round")
    parser.add_argument("--tree", action="append", default=[], help="a real tree, such as ~/.cargo/registry/src")
    parser.add_argument("--rg", default="rg", help="ripgrep")
    parser.add_argument("--fd", default="fd", help="fd")
    return parser.parse_args()


def compare(tool, report, setting, only):
    comparison = importlib.import_module(tool)
    round_ = only or 0
    while True:
        # Each round has a separate random sequence, so that it can be repeated alone.
        comparison.compare(Random(f"{report.seed} {tool} {round_}"), report, setting, round_)
        if only is not None:
            return
        clear(setting.work)
        round_ += 1


def clear(folder):
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def main():
    chosen = options()
    known.check_pages()
    report = Report(chosen.seed, chosen.seconds, chosen.count)
    base = os.path.realpath(tempfile.mkdtemp(prefix="cutline-differential-"))
    try:
        setting = Setting(chosen, base)
        for tool in chosen.tools.split(","):
            report.start(tool)
            try:
                compare(tool, report, setting, chosen.round)
            except OutOfTime:
                clear(setting.work)
            report.print_sum()
        setting.server.close()
    finally:
        if chosen.round is None:
            shutil.rmtree(base)
        else:
            print(f"the files are in {base}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
