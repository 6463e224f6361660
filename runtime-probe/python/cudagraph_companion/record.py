# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file of the records: PID.python.jsonl next to the trace of the process."""

import json
import os
import threading
import time


class Recorder:
    """Writes each record immediately, as one line. A child of fork has a separate file."""

    def __init__(self, directory, first):
        self.directory, self.first = directory, first
        self.pid, self.file, self.left = None, -1, 0
        self.lock = threading.Lock()

    def write(self, event, /, **fields):
        # All parts of a record are on one line, so a long list is truncated.
        line = {"e": event, "t": time.monotonic_ns(), "tid": threading.get_native_id()}
        line.update(fields)
        with self.lock:
            if not self._open():
                return
            self._line(line)

    def _open(self):
        if self.pid == os.getpid():
            return self.file >= 0 and self.left > 0
        self.pid = os.getpid()
        self.left = _limit()
        path = os.path.join(self.directory, f"{self.pid}.python.jsonl")
        try:
            self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND
                                | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError:
            self.file = -1
            return False
        self._line({"e": "python", "version": 1, "pid": self.pid, **self.first()})
        return True

    def _line(self, fields):
        self.left -= 1
        text = json.dumps(fields, default=str, separators=(",", ":")) + "\n"
        try:
            os.write(self.file, text.encode("utf-8", "replace"))
        except OSError:
            self.file = -1  # a full disk: the existing lines remain


def _limit():
    try:
        return int(os.environ.get("CUDAGRAPH_PROBE_LIMIT", "")) or 10000
    except ValueError:
        return 10000
