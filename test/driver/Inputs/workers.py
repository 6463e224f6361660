#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""workers.py WHAT COMMAND...: runs COMMAND, one of whose sources takes practically forever, and
does WHAT to it meanwhile: "kill-worker", "abort-worker", "kill-driver", or the names of signals to
send to the driver, joined by '+'. Prints the output of COMMAND, its exit status, and
whether one of its processes is left."""

import os
import signal
import subprocess
import sys
import time

PATIENCE = 120


def children(pid):
    result = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as f:
                state, parent = f.read().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if int(parent) == pid and state != "Z":
            result.append(int(entry))
    return result


def wait_for(what, is_so):
    end = time.monotonic() + PATIENCE
    while not (result := is_so()):
        if time.monotonic() > end:
            sys.exit(f"timed out waiting for {what}")
        time.sleep(0.02)
    return result


def processor_time(pid):
    """Returns the time in seconds; 0 after the process has ended."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            used = f.read().rsplit(")", 1)[1].split()[11:13]
    except OSError:
        return 0
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


def slow(pid):
    """The only remaining child, once it has used more processor time than the others,
    regardless of the load of the machine."""
    left = children(pid)
    return left if len(left) == 1 and processor_time(left[0]) > 2 else None


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


what, command = sys.argv[1], sys.argv[2:]
# A test that runs in the background ignores interrupts.
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
run = subprocess.Popen(command)
worker, = wait_for("the slow worker", lambda: slow(run.pid))
begun = time.monotonic()
if what == "kill-worker":
    os.kill(worker, signal.SIGKILL)
elif what == "abort-worker":
    os.kill(worker, signal.SIGABRT)
elif what == "kill-driver":
    os.kill(run.pid, signal.SIGKILL)
else:
    for name in what.split("+"):
        os.kill(run.pid, getattr(signal, name))
        time.sleep(0.01)
try:
    status = run.wait(PATIENCE)
except subprocess.TimeoutExpired:
    run.kill()
    sys.exit("the driver continues")
took = time.monotonic() - begun
sys.stderr.flush()
print(f"exit status: {status}", flush=True)
print("soon" if took < 10 else f"after {took:.0f} s")
wait_for("the end of the worker", lambda: not alive(worker))
print("no worker remains")
