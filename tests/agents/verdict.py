"""Compares the results at the model with the results of cutline, call by call.

The answers are those of the recorder: of this very run. A verdict is one of:

whole       the model got all of the text, as it is or inside something of the agent's (a prefix, JSON, a repr)
cut         a part of it, with the closing notices
own words   a call off the schema, or a wrong one, that the agent turned away by itself
and these, which fail a run:
lost notice, lost image, image as text, wrong answer (cutline's own), refused, given up, no result
"""

import json
import re
from dataclasses import dataclass

FAILED = ("lost notice", "lost image", "image as text", "wrong answer", "refused", "given up", "no result")
# A small image as text needs some thousand tokens. The image of a camera fills the context.
IMAGE_CHARS = 200_000
NOTICE = re.compile(r"^\[[^\n]*(?:Use offset=|Full output: |Its output goes on to )[^\n]*\]$", re.M)


@dataclass
class Served:
    """A call at cutline, and its result. The result is None if the agent cancelled the call."""

    tool: str
    arguments: dict
    at: float
    result: dict | None = None
    answered_at: float = 0
    is_taken: bool = False

    @property
    def text(self):
        return "".join(block["text"] for block in self.result["content"] if block["type"] == "text")

    @property
    def has_image(self):
        return any(block["type"] == "image" for block in self.result["content"])


def served(record):
    """Returns the client name of the agent and the calls from the file of the recorder."""
    client, calls = None, {}
    for line in record.read_text().splitlines() if record.exists() else []:
        note = json.loads(line)
        message = note["message"]
        key, params = (note["server"], message.get("id")), message.get("params") or {}
        if note["by"] == "agent":
            meta = params.get("_meta") or {}
            info = params.get("clientInfo") or meta.get("io.modelcontextprotocol/clientInfo") or {}
            client = info.get("name", client)
            if message.get("method") == "tools/call":
                calls[key] = Served(params["name"], params.get("arguments") or {}, note["at"])
        elif key in calls and "method" not in message:
            error = {"content": [{"type": "text", "text": json.dumps(message.get("error"))}], "isError": True}
            calls[key].result, calls[key].answered_at = message.get("result", error), note["at"]
    return client, sorted(calls.values(), key=lambda call: call.at)


def match(exchanges, calls):
    """Matches the calls of the model with the calls at cutline by tool and time, and preferably by arguments."""
    pairs = []
    for exchange in exchanges:
        end = exchange.answered_at or float("inf")
        fitting = [
            c
            for c in calls
            if not c.is_taken and c.tool == exchange.call.tool and exchange.asked_at - 1 <= c.at <= end
        ]
        fitting.sort(key=lambda c: len(hashable(exchange.call.arguments).items() ^ hashable(c.arguments).items()))
        for call in fitting[:1]:
            call.is_taken = True
        pairs.append((exchange, fitting[0] if fitting else None))
    return pairs


def hashable(arguments):
    return {name: value if isinstance(value, (str, int, float)) else str(value) for name, value in arguments.items()}


def forms(text):
    """Returns the text unchanged, and escaped as JSON, as JSON in JSON, and as a Python repr."""
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    return text, inside, json.dumps(text)[1:-1], json.dumps(inside, ensure_ascii=False)[1:-1], repr(text)[1:-1]


def holds(seen, text):
    return any(form in seen for form in forms(text.strip()))


def excerpt(text):
    return repr(text if len(text) <= 260 else f"{text[:150]} … {text[-110:]}")


def judge(exchange, call):
    """Returns the verdict on a call, and a note."""
    asked = exchange.call
    seen = exchange.text
    if call is None:
        if seen is None:
            return "no result", "the session ended before it"
        return "refused" if asked.kind == "right" else "own words", excerpt(seen)
    if call.result is None:
        return "given up", f"after {exchange.answered_at - call.at:.0f} s: {excerpt(seen or '')}"
    if seen is None:
        return "no result", "cutline answered, and no result came back"
    is_error = bool(call.result.get("isError"))
    missing = [says for says in asked.says if not re.search(says, call.text, re.M)]
    if is_error != (asked.kind == "wrong") or missing:
        return "refused" if is_error else "wrong answer", excerpt(call.text)
    if exchange.image_chars > IMAGE_CHARS:
        return "image as text", f"{exchange.image_chars:,} characters"
    if call.has_image and not exchange.images and not exchange.image_chars:
        return "lost image", excerpt(seen)
    note = f"image as {exchange.image_chars:,} characters of text" if exchange.image_chars else ""
    if call.has_image and exchange.images:
        note = "image passed on"
    if holds(seen, call.text):
        return "whole", note or wrapping(seen, call.text)
    lost = [notice for notice in NOTICE.findall(call.text) if not holds(seen, notice)]
    if lost:
        return "lost notice", f"{lost[-1]} is not in the {len(seen)} characters that end {seen[-80:]!r}"
    return "own words" if is_error else "cut", f"{len(seen)} characters of {len(call.text)}"


def wrapping(seen, text):
    """Returns the text that the agent added around the result."""
    form = next(form for form in forms(text.strip()) if form in seen)
    before, after = (part.strip() for part in seen.split(form, 1))
    return f"inside {before[-40:]!r} … {after[:40]!r}" if before or after else ""


def ran_side_by_side(exchanges):
    """Returns True if two calls of a step ran in parallel, according to the times that their commands printed."""
    spans = [[float(at) for at in re.findall(r"\d{10}\.\d{9}", e.text or "")] for e in exchanges]
    if any(len(span) != 2 for span in spans):
        return None
    return max(begin for begin, _ in spans) < min(end for _, end in spans)
