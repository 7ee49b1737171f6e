#!/usr/bin/env python3
"""Runs real agents with cutline and a scripted model. Reports which parts of the results reached the model.

    cargo build
    python3 tests/agents/run.py                     the agents, the scenarios
    python3 tests/agents/run.py opencode            the scenario main
    python3 tests/agents/run.py codex gemini --scenario off --scenario limits

Exits with 1 where an answer did not reach the model as it should, or something was left running. README.md has more.
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import network
import verdict
from agents import AGENTS
from model import TOOLS, Session, serve
from scenarios import BACKGROUND, KILLED, SCENARIOS, SECONDS, make_workspace

HERE = Path(__file__).resolve().parent
# Maximum seconds of a session, in addition to those of its commands.
SESSION_SECONDS = 120
# Seconds after which an agent that still runs is interrupted again.
INTERRUPTED_SECONDS = 15
# Seconds in which remaining processes must end by themselves.
END_SECONDS = 5


def install(agent, folder):
    """Installs the packages of an agent, once for each list of packages. Returns the folder of its programs."""
    digest = hashlib.sha256(" ".join(agent.packages).encode()).hexdigest()[:8]
    place = folder / "install" / digest
    programs = place / ("bin" if agent.client == "pip" else "node_modules/.bin")
    if (place / "complete").exists():
        return programs
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if agent.client == "pip":
        quiet = ["--quiet", "--disable-pip-version-check"]
        commands = [
            [sys.executable, "-m", "venv", str(place)],
            [str(programs / "python"), "-m", "pip", "install", *quiet, *agent.packages],
        ]
    else:
        commands = [["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", *agent.packages]]
    for command in commands:
        done = subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    (place / "complete").touch()
    return programs


@dataclass
class Run:
    """A session of an agent: the settings for its start, and its outcome."""

    name: str
    scenario: str
    folder: Path
    programs: Path
    cutline: Path
    proxies: dict
    url: str = ""
    problems: list = field(default_factory=list)

    def __post_init__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("home", "project", "saved", "tmp"):
            (self.folder / part).mkdir(parents=True)
        self.make_files()

    def make_files(self):
        make_workspace(self.project)

    def script(self):
        """Returns the script of the model."""
        return SCENARIOS[self.scenario]()

    @property
    def project(self):
        return self.folder / "project"

    @property
    def record(self):
        return self.folder / "record.jsonl"

    @property
    def server(self):
        """Returns the command that the agent starts as its MCP server."""
        served = [self.cutline, "--root", self.project, "--spill-dir", self.folder / "saved", *AGENTS[self.name].flags]
        return [str(word) for word in (sys.executable, HERE / "recorder.py", self.record, *served)]

    def write(self, name, content):
        """Writes a file in the home folder of the agent: a text, or an object as JSON. Returns its path."""
        path = self.folder / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
        return str(path)

    @property
    def environment(self):
        """Returns a new environment. Only the search paths of programs are inherited."""
        node = shutil.which("node")
        places = [self.programs, *([Path(node).parent] if node else []), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "PATH": ":".join(map(str, places)),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "DO_NOT_TRACK": "1",
            "OTEL_SDK_DISABLED": "true",
            **self.proxies,
        }


def processes(run):
    """Returns the processes of a run as {process id: command}. Zombies are skipped.

    A process belongs to the run if it works in its folder, or has the folder in its environment or command.
    """
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
            variables = (entry / "environ").read_bytes().split(b"\0")
            folder = os.readlink(entry / "cwd")
        except OSError:  # the process has ended or belongs to another user
            continue
        is_ours = f"HOME={run.folder}/home".encode() in variables or str(run.project) in (folder, *words)
        if words and is_ours and int(entry.name) != os.getpid():
            found[int(entry.name)] = words
    return found


def is_of_cutline(run, words):
    """Returns True for cutline and for commands that it ran."""
    return words[0] == str(run.cutline) or BACKGROUND in " ".join(words)


def left_of_cutline(run):
    return {pid: " ".join(words) for pid, words in processes(run).items() if is_of_cutline(run, words)}


def end(run, started, how):
    """Ends the agent like Ctrl-C, or kills only the agent, which leaves its server."""
    if how == signal.SIGINT:
        os.killpg(started.pid, how)
        if not wait_until(lambda: started.poll() is not None, INTERRUPTED_SECONDS):
            os.killpg(started.pid, how)  # as a user would
        return
    for pid, words in processes(run).items():
        if not is_of_cutline(run, words) and str(HERE / "recorder.py") not in words[:2]:
            os.kill(pid, how)


def wait_until(is_so, seconds):
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.1)
    return is_so()


def hold_session(run, agent):
    """Starts the agent, waits for its end or ends it, and checks for remaining processes."""
    session = Session(run.script(), agent.results_are_text)
    server, run.url = serve(session, run.folder)
    seconds = SESSION_SECONDS + SECONDS.get(run.scenario, 0)
    command, variables = agent.start(run)
    command = [shutil.which(command[0], path=run.environment["PATH"]), *command[1:]]
    with open(run.folder / "output.txt", "wb") as output:
        started = subprocess.Popen(
            command,
            cwd=run.project,
            env={**run.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        if run.scenario in KILLED:
            if not wait_until((run.project / "begun").exists, SESSION_SECONDS):
                run.problems.append("its command never began")
            end(run, started, KILLED[run.scenario])
        started.wait(seconds)
    except subprocess.TimeoutExpired:
        run.problems.append(f"it has not ended after {seconds} s")
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    finally:
        wait_until(lambda: not left_of_cutline(run), END_SECONDS)
        run.problems += [f"left running: {line}" for line in left_of_cutline(run).values()]
        for pid in processes(run):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        server.shutdown()
        server.server_close()
    return session


def examine(run, session):
    """Prints a line for each call, and collects the problems of the run."""
    client, calls = verdict.served(run.record)
    print(f"\n== {run.name}, {run.scenario}: calls itself {client}", flush=True)
    if run.scenario in KILLED:
        return
    counts = {}
    for exchange, call in verdict.match(session.exchanges, calls):
        kind, note = verdict.judge(exchange, call)
        counts[kind] = counts.get(kind, 0) + 1
        words = " ".join(f"{name}={value!r}" for name, value in exchange.call.arguments.items())
        print(f"{exchange.call.tool:4} {words[:60]:60} {kind:13} {note}")
        if run.scenario == "environment" and call is not None:
            print(call.text.strip())
        if kind in verdict.FAILED:
            run.problems.append(f"{kind}: {exchange.call.tool} {words[:60]}")
    for step in session.steps:
        if len(step) == 2:
            how = {True: "side by side", False: "one after the other", None: "at times not told"}
            print(f"two calls at once ran {how[verdict.ran_side_by_side(step)]}")
    if not session.is_over:
        run.problems.append(f"it ended after step {len(session.steps)}, before the script did")
    if session.listed != set(TOOLS):
        run.problems.append(f"the model was offered {sorted(session.listed)}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


def one_run(name, scenario, folder, programs, cutline, proxies):
    """Returns True if the run passed."""
    began = time.monotonic()
    run = Run(name, scenario, folder / "runs" / f"{name}-{scenario}", programs, cutline, proxies)
    session = hold_session(run, AGENTS[name])
    examine(run, session)
    seconds = time.monotonic() - began
    print("\n".join(run.problems or ["no problems"]))
    print(f"{'failed' if run.problems else 'passed'} in {seconds:.0f} s; the logs are in {run.folder}", flush=True)
    return not run.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", choices=[[], *AGENTS], metavar="AGENT")
    parser.add_argument("--scenario", action="append", choices=SCENARIOS, help="main where there is none; repeatable")
    parser.add_argument("--cutline", type=Path, default=HERE.parents[1] / "target/debug/cutline", metavar="FILE")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "cutline-agents", metavar="DIR")
    parser.add_argument("--tries", type=int, default=1, help="for a run that fails", metavar="N")
    options = parser.parse_args()
    if not options.agents:
        print("agents:", *AGENTS)
        print("scenarios:", *SCENARIOS)
        return 0
    cutline, folder = options.cutline.resolve(), options.folder.resolve()
    if not cutline.exists():
        sys.exit(f"{cutline} does not exist: build it, or use --cutline")
    programs = {name: install(AGENTS[name], folder) for name in options.agents}
    proxies = {} if network.enter_loopback() else network.proxy_variables()
    if proxies:
        print("no network namespace is available: only proxy variables restrict agents to loopback")
    failed = []
    for name in options.agents:
        for scenario in options.scenario or ["main"]:
            tries = (one_run(name, scenario, folder, programs[name], cutline, proxies) for _ in range(options.tries))
            if not any(tries):
                failed.append(f"{name} {scenario}")
    print(f"\nfailed: {', '.join(failed)}" if failed else "\nall passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
