#!/usr/bin/env python3
"""Compares the shell tool of an agent with cutline's `bash`: what reaches the model of the build in docs/demo/picture.py.

    python3 tests/agents/compare.py                       prints the table of the README
    python3 tests/agents/compare.py --check               fails if the README does not have it
    python3 tests/agents/compare.py claude-code opencode  prints the tables of other agents

The table is the same in each run: the script replaces paths and process ids, which differ.
"""

import argparse
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import network
from agents import AGENTS
from run import Run, hold_session, install
from scenarios import Call

TOP = Path(__file__).resolve().parents[2]
sys.path.append(str(TOP / "docs/demo"))
from picture import BROKEN, COMMAND, make_project  # noqa: E402

README = TOP / "README.md"
# The agent in the README.
SHOWN = "gemini"
# The name of each agent and of its shell tool.
SHELLS = {
    "claude-code": ("Claude Code", "Bash"),
    "gemini": ("Gemini CLI", "run_shell_command"),
    "opencode": ("opencode", "bash"),
}
BUILT = re.compile(r"^  built shops/\d+\.json$", re.M)
ERROR = re.compile(rf"^shops/{BROKEN}\.json:1:9: error: ", re.M)
EXIT_CODE = re.compile(r"\bexit(ed)?( with)? code:? 1\b", re.I)


@dataclass
class Comparison(Run):
    """A session with a single call of a shell tool."""

    call: Call | None = None
    flags: tuple = ()

    def make_files(self):
        make_project(self.project)

    def script(self):
        yield [self.call]

    @property
    def server(self):
        return [*super().server, *self.flags]


def seen(run):
    """Returns the text that reached the model. Values that differ from run to run are replaced."""
    session = hold_session(run, AGENTS[run.name])
    texts = [exchange.text for exchange in session.exchanges]
    if run.problems or not session.is_over or len(texts) != 1:
        sys.exit(f"{run.name}, {run.scenario}: {run.problems or 'no result'}; the logs are in {run.folder}")
    text = texts[0].replace(str(run.folder), "/tmp/run")
    text = re.sub(r"/tmp/run/saved/cutline-bash-\w+", "/tmp/cutline-1000/cutline-bash-xxx", text)
    text = re.sub(r"PGID: \d+", "PGID: 1000", text)
    if not BUILT.search(text):
        sys.exit(f"{run.name}, {run.scenario}: the build did not run: {text[:300]}")
    return text


def table(name, folder, programs, cutline, proxies):
    """Returns the table of an agent: its own tool, cutline with default limits, and cutline with `--lean`."""
    agent, shell = SHELLS[name]
    version = AGENTS[name].packages[0].rsplit("@", 1)[1]
    arguments = {"command": COMMAND}
    ours = Call("bash", arguments)
    sessions = [
        ("built-in", f"`{shell}`", Call(shell, {**arguments, "description": "Build"}, is_built_in=True), ()),
        ("default", "cutline's `bash`", ours, ()),
        ("lean", "cutline's `bash`, `--lean`", ours, ("--lean",)),
    ]
    lines = [f"| {agent} {version} | size | error shown | exit code shown |", "|---|---|---|---|"]
    for scenario, tool, call, flags in sessions:
        place = folder / "runs" / f"{name}-compare-{scenario}"
        text = seen(Comparison(name, scenario, place, programs, cutline, proxies, call=call, flags=flags))
        error, exit_code = ("yes" if pattern.search(text) else "no" for pattern in (ERROR, EXIT_CODE))
        lines.append(f"| {tool} | {len(text.encode()) / 1000:.0f}KB | {error} | {exit_code} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", choices=[[], *SHELLS], metavar="AGENT", default=[])
    parser.add_argument("--check", action="store_true", help="compare the table with the README")
    parser.add_argument("--cutline", type=Path, default=TOP / "target/debug/cutline", metavar="FILE")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "cutline-agents", metavar="DIR")
    options = parser.parse_args()
    names = options.agents or [SHOWN]
    cutline, folder = options.cutline.resolve(), options.folder.resolve()
    if not cutline.exists():
        sys.exit(f"{cutline} does not exist: build it, or use --cutline")
    programs = {name: install(AGENTS[name], folder) for name in names}
    proxies = {} if network.enter_loopback() else network.proxy_variables()
    for name in names:
        measured = table(name, folder, programs[name], cutline, proxies)
        print(measured, flush=True)
        if options.check and measured not in README.read_text():
            sys.exit(f"{README} does not have this table")


if __name__ == "__main__":
    main()
