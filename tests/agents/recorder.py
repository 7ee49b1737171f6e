"""Relays messages between an agent and cutline, and records each message with its time.

Usage: recorder.py RECORD CUTLINE ARGUMENT...

What passes is not changed. A line of RECORD is a JSON object: `server` (the process that served), `at` (seconds of the
clock), `by` ("agent" or "cutline") and `message`.
"""

import json
import os
import subprocess
import sys
import threading
import time

RECORD, *COMMAND = sys.argv[1:]


def main():
    server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    record = open(RECORD, "ab", buffering=0)

    def passed(by, line):
        note = {"server": server.pid, "at": time.time(), "by": by, "message": json.loads(line)}
        # A single write, because other recorders can append to the same file.
        record.write(json.dumps(note).encode() + b"\n")

    def answers():
        for line in server.stdout:
            passed("cutline", line)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        # The agent can keep its end of the pipe open, so this process ends with its server.
        os._exit(server.wait())

    thread = threading.Thread(target=answers, daemon=True)
    thread.start()
    try:
        for line in sys.stdin.buffer:
            if line.strip():
                passed("agent", line)
            server.stdin.write(line)
            server.stdin.flush()
        server.stdin.close()
    except BrokenPipeError:
        pass  # the server has ended, and its thread handles this
    thread.join()


if __name__ == "__main__":
    main()
