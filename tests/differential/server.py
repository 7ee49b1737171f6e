"""A client of cutline over stdio, and the parts of results."""

import json
import re
import subprocess

# The notices after a body: lines in brackets, after an empty line.
NOTICES = re.compile(r"(?:\A|\n\n)((?:\[[^\n]*\]\n?)+)\Z")


class Answer:
    """The parts of the text of a result, and its details."""

    def __init__(self, result):
        [block] = result["content"]
        self.text = block["text"]
        self.is_error = result.get("isError", False)
        self.details = result.get("_meta", {}).get("details", {})

    def parts(self):
        """Returns the body and the notices. One of them can be empty."""
        found = None if self.is_error else NOTICES.search(self.text)
        if not found:
            return self.text, []
        return self.text[: found.start()], found.group(1).split("\n")

    @property
    def next_offset(self):
        return self.details.get("nextOffset")


class Server:
    """A running cutline with the given flags. `env` is its complete environment."""

    def __init__(self, program, flags, env):
        self.process = subprocess.Popen(
            [program, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )
        self.last_id = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "differential", "version": "1"}}
        self._request("initialize", about)
        self._send({"method": "notifications/initialized"})

    def call(self, tool, **arguments):
        return Answer(self._request("tools/call", {"name": tool, "arguments": arguments}))

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)

    def _send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def _request(self, method, params):
        self.last_id += 1
        self._send({"id": self.last_id, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.last_id:
                if "error" in message:
                    raise RuntimeError(f"{method} {params}: {message['error']}")
                return message["result"]
        raise RuntimeError(f"the server ended at {method} {params}")
