"""The workspace of an agent, and the calls of the scripted model.

A scenario is a generator: it yields a step, the calls that are asked for at once, and is sent the texts that reached
the model for them. It goes on by those texts alone (the next offset, a file's name), as a model does.
"""

import random
import re
import signal
import struct
import zlib
from dataclasses import dataclass

BACKGROUND = "sleep 3917"
LINES = 5000


@dataclass
class Call:
    """A call of the model, and its expected result."""

    tool: str
    arguments: dict
    # Regular expressions that must match a part of the result.
    says: tuple = ()
    # "right"; "off": outside the schema, but with a clear meaning; "wrong": must be refused by cutline or the agent.
    kind: str = "right"
    # True for a tool of the agent itself.
    is_built_in: bool = False


def call(tool, *says, kind="right", **arguments):
    return Call(tool, arguments, says, kind)


def next_offset(text):
    """Returns the offset in a notice, or an existing one if the notice was lost."""
    found = re.findall(r"Use offset=(\d+)", text)
    return int(found[-1]) if found else 77


def saved_file(text):
    """Returns the path in a notice, or a missing one if the notice was lost."""
    found = re.findall(r"(?:Full output:|Its output goes on to) (/[^\s\"'\\\]]+)", text)
    return found[-1].rstrip(".") if found else "the-notice-was-lost"


CONTINUES = r"\[.*Use offset=\d+ to continue\]"
SAVED = r"\[.*Full output: /.*\]"


def main():
    """All tools, pages, a saved output, two parallel calls, an image, a background process, wrong calls."""
    [page] = yield [call("read", "^row 00001 ", CONTINUES, path="rows.txt")]
    offset = next_offset(page)
    yield [call("read", f"^row {offset:05} ", CONTINUES, path="rows.txt", offset=offset)]
    yield [call("read", "^row 00003 ", CONTINUES, path="rows.txt", limit=3)]
    yield [call("read", "^row 04999 .*\nrow 05000 ", path="rows.txt", offset=-2)]
    yield [call("read", "^1\n2\n3\n", CONTINUES, path="short.txt")]
    [output] = yield [call("bash", "^49999\n50000\n", SAVED, command="seq 50000")]
    yield [call("read", "^100\n101\n102\n", CONTINUES, path=saved_file(output), offset=100, limit=3)]
    yield [call("grep", ":49990: 49990\n", pattern="^4999[0-9]$", path=saved_file(output))]
    yield [call("bash", "out\n", "err\n", "Command exited with code 3$", command="echo out; echo err >&2; exit 3")]
    [found] = yield [call("grep", "^many/0000.txt:1: needle 0\n", CONTINUES, pattern="needle")]
    offset = next_offset(found)
    yield [call("grep", "^many/0100.txt:1: ", CONTINUES, pattern="needle", offset=offset, limit=2)]
    yield [call("grep", r"^src/pool.py=1= class Pool:\nsrc/pool.py=2= +def size\(self\):\nsrc/pool.py:3: ", pattern="return 17", path="src", showFunction=True)]
    yield [call("grep", r"^short.txt:1: 1\nshort.txt:10: 10\n", pattern="[2-9]", path="short.txt", invert=True)]
    yield [call("grep", "^many/0007.txt:1: needle 7$", pattern="needle 7", word=True)]
    yield [call("grep", "^many/0007.txt:1: needle 7$", pattern="needle 7", **{"-w": True})]
    yield [call("read", "^==> short.txt:7-8 <==\n7\n8\n\n==> rows.txt:3-3 <==\nrow 00003 ", path="short.txt:7-8 rows.txt:3-3")]
    yield [call("bash", "^1\n2\n\n", SAVED, command="seq 3000", head=2, tail=0)]
    yield [call("ls", "^0000.txt\n", CONTINUES, path="many")]
    yield [call("find", "^src/inner/part10.py$", pattern="*.py")]
    yield [call("find", "^many/0000.txt\n", CONTINUES, pattern="*.txt")]
    yield [call("bash", r"^\(no output\)$", command="true")]
    yield [call("bash", "^first ", command=span("first")), call("bash", "^second ", command=span("second"))]
    yield [call("read", r"image/png, 200x120", path="chart.png")]
    yield [call("bash", "begun", r"\[Background process still running: \d+ sleep", command=f"{BACKGROUND} & echo begun")]
    yield [call("read", r"path: is missing", kind="wrong")]
    yield [call("read", "offset: must be an integer", kind="wrong", path="rows.txt", offset="ten")]
    yield [call("read", "limt", kind="wrong", path="rows.txt", limt=3)]
    yield [call("read", "File not found", "Did you mean: .*rows.txt", kind="wrong", path="rowss.txt")]


def span(name):
    """Returns a command that prints its start and end times. They show if two commands ran in parallel."""
    return f"echo {name} $(date +%s.%N); sleep 1.5; date +%s.%N"


def off():
    """Arguments of models and agents outside the schema."""
    yield [call("read", "^row 05000 ", kind="off", path="rows.txt", offset=-1, wait_for_previous=True)]
    yield [call("read", "^row 00001 ", kind="off", path="rows.txt", limit=0)]
    yield [call("read", "^row 00003 ", kind="off", path="rows.txt", limit="3")]
    yield [call("grep", "^many/0000.txt:1: ", kind="off", pattern="needle", path="", mode="")]
    yield [call("find", "^src/inner/part0.py$", kind="off", pattern="*.py", sort="")]
    yield [call("bash", "^zero$", kind="off", command="echo zero", timeout=0, head=0, tail=0)]
    yield [call("bash", "^long$", kind="off", command="echo long", timeout=120000)]
    yield [call("read", "^row 00001 ", kind="off", file_path="rows.txt")]
    yield [call("read", "^==> short.txt:7-8 <==\n7\n8\n\n==> rows.txt:3-3 <==\nrow 00003 ", kind="off", path=["short.txt:7-8", "rows.txt:3-3"])]


def limits():
    """Results at the limits of cutline. An agent with lower limits truncates them again."""
    yield [call("read", "^1\n2\n", CONTINUES, path="short.txt")]
    yield [call("bash", "^2999\n3000\n", SAVED, command="seq 3000")]
    yield [call("read", "^wide 00001 ", CONTINUES, path="wide.txt")]
    yield [call("bash", "^wide 03000 ", SAVED, command="cat wide.txt")]
    yield [call("grep", "^1: wide|^wide.txt:1: ", CONTINUES, pattern="wide", path="wide.txt", limit=2000)]
    yield [call("ls", "^0000.txt\n", path="many", limit=3000)]
    yield [call("read", '^"1","', CONTINUES, path="quoted.csv")]
    yield [call("grep", ':1: "1"', CONTINUES, pattern=",", path="quoted.csv", limit=2000)]
    yield [call("read", r"INFO", CONTINUES, path="coloured.log")]
    yield [call("bash", SAVED, command="for i in $(seq 3000); do printf '\"%s\\t\\\\ü\"\\n' $i; done")]


def image():
    """An image of 3.3 MB."""
    yield [call("read", r"image/png, 1100x1000", path="photo.png")]


def environment():
    """The names of secrets that reach a command."""
    yield [call("bash", "names:", command="echo names: $(env | cut -d= -f1 | grep -E 'KEY|TOKEN|SECRET')")]


def silent(seconds=75):
    """A command without output for longer than some client timeouts."""
    yield from long_command(f"sleep {seconds}; echo fini''shed")


def noisy(seconds=75):
    """The same, with a line each second."""
    yield from long_command(f"for i in $(seq {seconds}); do echo tick $i; sleep 1; done; echo fini''shed")


ENDED = r"\[Command exited with code 0\]"


def long_command(command):
    """The command returns at its end, or earlier with the path of its saved output, or is ended in time with a notice."""
    in_time = r"finished|\[Still running after|\[Timeout lowered"
    [text] = yield [call("bash", in_time, command=command, timeout=200)]
    if "[Still running after" not in text:
        return
    path = saved_file(text)
    # Each wait is shorter than the client timeout. All waits differ, because some agents stop repeated calls.
    for wait in range(60):
        [text] = yield [call("bash", f"wait {wait}$", command=f"sleep 2; tail -n 2 {path}; echo wait {wait}")]
        if "[Command exited with code 0]" in text:
            break
    yield [call("read", "finished\n", ENDED, path=path, offset=-2)]


def waiting():
    """A long command. The agent is ended while it runs."""
    yield [call("bash", command=f"touch begun; {BACKGROUND}", timeout=500)]


# Duration of the commands of long scenarios, in seconds.
SECONDS = {"silent": 75, "noisy": 75}
# Scenarios that end the agent after the start of its command, with the signal.
KILLED = {"interrupted": signal.SIGINT, "killed": signal.SIGKILL}
SCENARIOS = {
    **{script.__name__: script for script in (main, off, limits, image, environment, silent, noisy)},
    **dict.fromkeys(KILLED, waiting),
}


def png(width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def make_workspace(folder):
    """Creates the files in `folder` (a Path), with the same bytes each time."""
    noise = random.Random(1)

    def file(name, data):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    file("rows.txt", "".join(f"row {i:05} of a file — naïve «text»\n" for i in range(1, LINES + 1)))
    file("short.txt", "".join(f"{i}\n" for i in range(1, LINES + 1)))
    file("quoted.csv", "".join(f'"{i}","a","b","","","c"\n' for i in range(1, 3001)))
    file("coloured.log", "".join(f"\x1b[32mINFO\x1b[0m \x1b[1m{i}\x1b[0m\n" for i in range(1, 3001)))
    file("wide.txt", "".join(f"wide {i:05} {'columns ' * 11}\n" for i in range(1, 3001)))
    for i in range(1200):
        file(f"many/{i:04}.txt", f"needle {i}\n")
    for i in range(20):
        file(f"src/inner/part{i}.py", f"part = {i}\n")
    file("src/pool.py", "class Pool:\n    def size(self):\n        return 17\n")
    file("chart.png", png(200, 120, (bytes([y, 255 - y, 90]) * 200 for y in range(120))))
    file("photo.png", png(1100, 1000, (noise.randbytes(3300) for _ in range(1000))))
