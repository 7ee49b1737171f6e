"""Measures the cost of `cutline wrap`: a server direct, again direct as a control, and wrapped.

Usage: wrap_speed.py PATH_TO_CUTLINE

The three take turns, so that a busy machine is busy for all. Medians are printed; nothing is asserted.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SERVER = r"""
import sys
small = '{"content":[{"type":"text","text":"hello"}]}'
rows = ",".join('{\\"id\\":%d,\\"body\\":\\"%s\\"}' % (n, "b" * 80) for n in range(88000))
large = {
    "text": '{"content":[{"type":"text","text":"%s"}]}' % ("a line of a log that is some sixty bytes long, as many are\\n" * 170000),
    "json": '{"content":[{"type":"text","text":"{\\"rows\\":[%s]}"}]}' % rows,
}
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    start = line.index(b'"id":') + 5
    id = line[start : line.index(b",", start)].decode()
    result = small
    for name in large:
        if b'"%s"' % name.encode() in line:
            result = large[name]
    out.write(('{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (id, result)).encode())
    out.flush()
"""


class Client:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0
        self.lock = threading.Lock()

    def send(self, tool):
        with self.lock:
            self.next_id += 1
            call = {"jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": {"name": tool}}
            self.process.stdin.write(json.dumps(call).encode() + b"\n")
            self.process.stdin.flush()

    def call(self, tool):
        start = time.perf_counter()
        self.send(tool)
        json.loads(self.process.stdout.readline())
        return time.perf_counter() - start

    def many(self, count):
        """Returns the calls in a second with 16 concurrent calls."""
        start = time.perf_counter()
        for _ in range(16):
            self.send("small")
        for n in range(count):
            json.loads(self.process.stdout.readline())
            if n + 16 < count:
                self.send("small")
        return count / (time.perf_counter() - start)

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def main():
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as saved:
        server = [sys.executable, "-c", SERVER]
        wrap = [binary, "wrap", "--spill-dir", saved, "--log", "error", "--"]
        commands = {"direct": server, "control": server, "wrapped": [*wrap, *server]}
        started = {name: [] for name in commands}
        for _ in range(30):
            for name, command in commands.items():
                start = time.perf_counter()
                client = Client(command)
                client.call("small")
                started[name].append(time.perf_counter() - start)
                client.end()
        medians = {name: statistics.median(all) * 1000 for name, all in started.items()}
        print("start to first answer: " + ", ".join(f"{name} {ms:.1f} ms" for name, ms in medians.items()))
        clients = {name: Client(command) for name, command in commands.items()}
        for client in clients.values():
            client.call("small")
        for what, times in [("small", 2000), ("text", 15), ("json", 15)]:
            took = {name: [] for name in clients}
            for _ in range(times):
                for name, client in clients.items():
                    took[name].append(client.call(what))
            medians = {name: statistics.median(all) * 1000 for name, all in took.items()}
            print(f"{what}: " + ", ".join(f"{name} {ms:.3f} ms" for name, ms in medians.items()))
        rates = {name: [] for name in clients}
        for _ in range(7):
            for name, client in clients.items():
                rates[name].append(client.many(2000))
        print("16 at once: " + ", ".join(f"{name} {statistics.median(all):.0f}/s" for name, all in rates.items()))
        for client in clients.values():
            client.end()


if __name__ == "__main__":
    main()
