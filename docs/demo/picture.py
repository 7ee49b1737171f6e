#!/usr/bin/env python3
"""Draws docs/demo/build.svg, the picture in the README, from a real run.

    python3 docs/demo/picture.py CUTLINE            writes the picture
    python3 docs/demo/picture.py CUTLINE --check    fails if the picture is not current

The build checks 3,000 files. One of them, in the middle, has an error. The picture shows what an agent sees of it with
`| tail` and with cutline. The output is the same in each run: the script replaces the paths that differ.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

PICTURE = Path(__file__).with_name("build.svg")
SHOPS = 3000
BROKEN = 1234
COMMAND = "python3 build.py shops"
BUILD = """
import json, pathlib, sys

failed = 0
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    rate = json.loads(path.read_text())["rate"]
    if isinstance(rate, int):
        print(f"  built {path}")
    else:
        failed += 1
        print(f"{path}:1:9: error: rate must be a number, got {rate!r}")
sys.exit(failed > 0)
"""
# Lines of the result in the second run: the picture has no room for the default of 2000.
MAX_LINES = 12

COLUMNS = 114
CHAR_WIDTH, LINE_HEIGHT, MARGIN, BAR = 8.4, 20, 16, 36
COLOURS = {"plain": "#d4d4d8", "prompt": "#7dd3fc", "error": "#fca5a5", "notice": "#fcd34d", "quiet": "#a1a1aa"}


def make_project(folder):
    """Writes the build script and its files to `folder`."""
    (folder / "build.py").write_text(BUILD)
    shops = folder / "shops"
    shops.mkdir()
    for n in range(1, SHOPS + 1):
        (shops / f"{n:04}.json").write_text(json.dumps({"rate": "19 %" if n == BROKEN else 19}))


def run_piped(folder, env):
    """Returns the lines of the usual command of an agent."""
    command = f"{COMMAND} | tail -n 4; echo \"exit status $?\""
    output = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, check=True)
    return [f"$ {COMMAND} | tail -n 4"] + output.stdout.decode().splitlines()


def run_cutline(cutline, folder, env):
    """Returns the lines of a call of bash."""
    words = [cutline, "call", "bash", f"command={COMMAND}", "--max-lines", str(MAX_LINES), "--root", folder]
    output = subprocess.run(words, cwd=folder, env=env, stdout=subprocess.PIPE)
    if output.returncode != 0:
        sys.exit(f"the call exited with code {output.returncode}")
    saved = re.escape(str(folder)) + r"/saved/cutline-bash-\w+\.log"
    text = re.sub(saved, "/tmp/cutline-1000/cutline-bash-xxx.log", output.stdout.decode())
    return ["> bash " + json.dumps({"command": COMMAND})] + text.rstrip("\n").splitlines()


def escaped(text):
    return escape(text, quote=False)


def colour(line):
    if line.startswith(("$ ", "> ")):
        return "prompt"
    if line.startswith(("[...", "(lines", "  built")):
        return "quiet"
    if line.startswith(("[", "Command exited")):
        return "notice"
    return "error" if not line.startswith("exit status") else "plain"


def window(title, lines, top):
    """Returns the elements of a terminal window, and its height."""
    width = COLUMNS * CHAR_WIDTH + 2 * MARGIN
    wrapped = [(colour(line), line[at : at + COLUMNS]) for line in lines for at in range(0, max(len(line), 1), COLUMNS)]
    height = BAR + len(wrapped) * LINE_HEIGHT + MARGIN
    parts = [
        f'<rect x="0" y="{top}" width="{width:.0f}" height="{height}" rx="8" fill="#18181b"/>',
        f'<text x="{MARGIN}" y="{top + 23}" class="title">{escaped(title)}</text>',
    ]
    for n, (kind, line) in enumerate(wrapped):
        y = top + BAR + (n + 1) * LINE_HEIGHT - 6
        length = f'textLength="{len(line) * CHAR_WIDTH:.1f}" lengthAdjust="spacingAndGlyphs"' if line.strip() else ""
        parts.append(f'<text x="{MARGIN}" y="{y}" fill="{COLOURS[kind]}" {length} xml:space="preserve">{escaped(line)}</text>')
    return parts, height


def draw(windows):
    top, body = 0, []
    for title, lines in windows:
        parts, height = window(title, lines, top)
        body += parts
        top += height + 14
    width, height = COLUMNS * CHAR_WIDTH + 2 * MARGIN, top - 14
    description = escaped(" ".join(title for title, _ in windows))
    style = (
        "text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; } "
        ".title { font: 600 14px system-ui, sans-serif; fill: #e4e4e7; }"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">'
    return "\n".join([head, f"<title>{description}</title>", f"<style>{style}</style>", *body, "</svg>", ""])


def main():
    cutline, check = str(Path(sys.argv[1]).resolve()), "--check" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        make_project(folder)
        env = {"PATH": os.environ["PATH"], "HOME": name, "CUTLINE_SPILL_DIR": str(folder / "saved")}
        picture = draw([
            ("Without cutline: the end of the output, and the exit status of tail", run_piped(folder, env)),
            ("With cutline: the error, the exit code, and the path of the full output", run_cutline(cutline, folder, env)),
        ])
    if not check:
        PICTURE.write_text(picture)
    elif picture != PICTURE.read_text():
        sys.exit(f"{PICTURE} is not current: run {sys.argv[0]} CUTLINE")


if __name__ == "__main__":
    main()
