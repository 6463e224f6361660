# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring processes. A process continues after a capture that succeeded, and exits
after one that failed; another is forked from this one, which has loaded PyTorch but
never uses the device.
"""

import collections
import multiprocessing.connection
import os
import signal
import sys
import time
import traceback
import warnings


class Worker:
    """One child, its task, and its progress."""

    def __init__(self, perform):
        self.pipe, child = multiprocessing.connection.Pipe()
        self.task = self.stage = None
        self.deadline = 0
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.pipe.close()
                serve(child, perform)
            finally:
                os._exit(0)
        child.close()

    def give(self, task, seconds):
        self.task, self.stage = task, "start"
        self.deadline = time.monotonic() + seconds
        self.pipe.send(task)

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        self.pipe.close()


def serve(pipe, perform):
    """The life of a child: it receives tasks and sends messages; the last message of a
    task is ("done", whether the process can continue)."""
    warnings.simplefilter("ignore")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 2)
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        if task is None:
            return
        try:
            usable = perform(task, pipe.send)
        except BaseException:
            pipe.send(("error", traceback.format_exc()[-2000:]))
            usable = False
        pipe.send(("done", usable))
        if not usable:
            return


def run(tasks, perform, heard, died, jobs, seconds, until):
    """Performs the tasks in `jobs` processes. heard(task, message) receives their
    messages; died(task, stage) may return a replacement task. Tasks that have not begun
    at the time `until` are omitted and counted in the result."""
    waiting = collections.deque(tasks)
    workers = []
    total, finished, shown = len(waiting), 0, time.monotonic()
    while waiting or any(w.task for w in workers):
        if time.monotonic() > until:
            break
        while waiting and len(workers) < jobs:
            workers.append(Worker(perform))
        for w in workers:
            if w.task is None and waiting:
                w.give(waiting.popleft(), seconds)
        ready = multiprocessing.connection.wait([w.pipe for w in workers], 0.5)
        for w in list(workers):
            gone = False
            try:
                while w.pipe in ready and w.pipe.poll():
                    message = w.pipe.recv()
                    if message[0] == "stage":
                        w.stage = message[1]
                    elif message[0] == "done":
                        w.task, finished = None, finished + 1
                        gone = not message[1]
                    else:
                        heard(w.task, message)
            except (EOFError, OSError):
                gone = True
            if w.task is not None and time.monotonic() > w.deadline:
                gone, w.stage = True, w.stage + ": no answer"
            if gone:
                workers.remove(w)
                w.end()
                if w.task is not None:
                    finished += 1
                    again = died(w.task, w.stage)
                    if again is not None:
                        waiting.append(again)
                        total += 1
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"  {finished} of {total}", file=sys.stderr, flush=True)
    left = len(waiting) + sum(w.task is not None for w in workers)
    for w in workers:
        w.end()
    return left
