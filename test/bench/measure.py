# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes and arithmetic: the cost of a run, and the comparison of two series.

A cost is wall time, CPU time (user + system, of all processes together) and
peak memory (the largest process). The peak of a child that Python starts is
never less than Python's own, about 20 MiB; each tool here needs several times
that.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from statistics import median

RSS_UNIT = 1 if sys.platform == "darwin" else 1024

Cost = namedtuple("Cost", "wall cpu memory")
# One process to run. `accept` lists the exit statuses that are not failures.
Run = namedtuple("Run", "command cwd accept", defaults=(None, (0,)))
Ratio = namedtuple("Ratio", "median least most")


class Failed(Exception):
    """A run did not finish its work, so its figures are meaningless."""


def measure(run):
    """Runs one process and returns its cost."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        try:
            child = subprocess.Popen(run.command, cwd=run.cwd,
                                     stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT)
        except OSError as e:
            raise Failed(f"{run.command[0]}: {e.strerror}") from e
        # This is not child.wait() because only wait4 returns the usage of this
        # one child.
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in run.accept:
            output.seek(0)
            text = output.read().decode(errors="replace").splitlines()
            raise Failed("\n".join(text[-20:] + [
                f"exit status {child.returncode}: " + " ".join(run.command)]))
    return Cost(wall, usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss * RSS_UNIT)


def combine(costs, wall):
    """The cost of processes that together took `wall` seconds."""
    return Cost(wall, sum(c.cpu for c in costs), max(c.memory for c in costs))


def measure_all(runs, jobs=1):
    """Runs processes, `jobs` at a time, as a build would."""
    start = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        costs = list(pool.map(measure, runs))
    return combine(costs, time.monotonic() - start)


def interleave(ours, baseline, repetitions, warm_up=True):
    """Calls the two measurements in turn; returns the two lists of costs.

    The order alternates, so that neither side always profits from caches that the
    other has filled. With `warm_up`, one more run of each comes first and is not
    counted."""
    costs = ([], [])
    for number in range(-1 if warm_up else 0, repetitions):
        for side in ((0, 1) if number % 2 else (1, 0)):
            cost = (ours, baseline)[side]()
            if number >= 0:
                costs[side].append(cost)
    return costs


def typical(costs):
    """The median of each figure separately."""
    return Cost(*(median(figures) for figures in zip(*costs)))


def ratio(ours, baseline, field):
    """The median of the ratios of neighbors, and their range.

    This is not the ratio of the medians: a slow phase of the machine affects both
    neighbors and cancels out."""
    each = [getattr(a, field) / max(getattr(b, field), 1e-9)
            for a, b in zip(ours, baseline, strict=True)]
    return Ratio(median(each), min(each), max(each))


def growth(totals):
    """For {number of units: total}, a list of (units, cost of one unit, that
    cost over the cost at the smallest number)."""
    sizes = sorted(totals)
    first = totals[sizes[0]] / sizes[0]
    return [(n, totals[n] / n, totals[n] / n / max(first, 1e-9)) for n in sizes]
