# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole projects: cold, warm (again without changes), and with one file edited."""

import contextlib
import itertools
import os
import sys
import tempfile
import time

import generate_torch
from generate import generate
from measure import Failed, interleave, measure, measure_all
from plain import add_plain
from results import (COLD_CUDA, COLD_EXTENSION, WARM_UNITS, Growth, Row, cpu_bar, edit_bar,
                     memory_bar, warm_bar)
from tools import command_of, toolkit

NO_CACHE = ("this cudagraph-tidy has no --cache-dir: a warm run and one after "
            "an edit are cold runs, and their rows repeat the cold figures")
NO_JOBS = "this cudagraph-tidy has no -j: both sides run one job at a time"

numbers = itertools.count(1)


@contextlib.contextmanager
def edited(file):
    """Yields a function that appends another new comment to `file` at each call.
    Restores the text and time of the file afterwards."""
    before = os.stat(file)
    with open(file, "rb") as f:
        text = f.read()

    def edit():
        with open(file, "wb") as f:
            # The text must be new, because a cache may contain an earlier one.
            comment = f"\n// bench {os.getpid()} {time.time_ns()} {next(numbers)}\n"
            f.write(text + comment.encode())

    try:
        yield edit
    finally:
        with open(file, "wb") as f:
            f.write(text)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


class Project:
    """One project, with the commands that the driver passes to Clang for it."""

    def __init__(self, tools, name, cwd, arguments, accept=(0,)):
        self.tools, self.name, self.cwd = tools, name, cwd
        self.arguments, self.accept = arguments, accept
        self.parse_accept = (0, 1) if 3 in accept else (0,)
        self.commands = tools.translated(arguments, cwd)
        if not self.commands:
            raise Failed(f"{name}: cudagraph-tidy shows no compiler command; check "
                         "whether the compile database is empty")

    def run(self, cache):
        return measure(self.tools.analyse(self.arguments, cache, self.cwd,
                                          self.accept))

    def cold(self):
        with tempfile.TemporaryDirectory() as cache:
            return self.run(cache)

    def parse_all(self):
        return measure_all([self.tools.parse(c, self.parse_accept)
                            for c in self.commands], self.tools.jobs)

    def measure(self, repetitions, cold_bar, edit=None, warm_up=True):
        """Returns the rows, and for each kind of run all costs of the driver."""
        label = f"{self.name}, {len(self.commands)} units"
        ours, baseline = interleave(self.cold, self.parse_all, repetitions,
                                    warm_up)
        rows = [Row(label + ", cold", ours, baseline,
                    [cpu_bar(cold_bar), memory_bar])]
        warm = ours
        bars = [warm_bar] if len(self.commands) <= WARM_UNITS else []
        command = command_of(self.commands, edit) if edit else None
        if edit and not command:
            raise Failed(f"--edit: the compile database has no unit {edit}; name "
                         "a source that it compiles, not a header")
        with tempfile.TemporaryDirectory() as cache:
            if self.tools.has_cache:
                self.run(cache)
                warm = [self.run(cache) for _ in range(repetitions)]
            rows.append(Row(label + ", warm", warm, baseline, bars))
            if edit:
                rows.append(Row(label + ", one edited",
                                *self.edit(edit, command, cache, repetitions,
                                           ours), [edit_bar]))
        return rows, {"cold": ours, "warm": warm}

    def edit(self, file, command, cache, repetitions, cold):
        with edited(file) as change:
            def ours():
                change()
                return self.run(cache)

            def parse():
                return measure(self.tools.parse(command, self.parse_accept))

            if self.tools.has_cache:
                return interleave(ours, parse, repetitions)
            return cold, [parse() for _ in cold]


def notes_on(tools):
    return ([] if tools.has_cache else [NO_CACHE]) + (
        [] if tools.has_jobs else [NO_JOBS])


def generated(tools, o):
    """Projects of each size: rows, growths, and notes."""
    cuda = toolkit(o.cuda_path)
    rows, totals = [], {"cold": {}, "warm": {}}
    for units in o.sizes:
        # A large project needs no repetition.
        repetitions = max(1, round(o.repetitions * o.sizes[0] / units))
        print(f"bench.py: generated project of {units} units, "
              f"{repetitions} repetitions", file=sys.stderr)
        with tempfile.TemporaryDirectory() as directory:
            sources = generate(directory, units, o.unit_size)
            p = Project(tools, "generated", directory,
                        ["-p", directory, f"--cuda-path={cuda or 'mock'}"])
            more, costs = p.measure(repetitions, COLD_CUDA,
                                    edit=sources[len(sources) // 2],
                                    warm_up=units <= WARM_UNITS)
        rows += more
        for kind, all_of in costs.items():
            cpu = sorted(c.cpu for c in all_of)
            totals[kind][units] = cpu[len(cpu) // 2]
    growths = [Growth(f"generated, {kind}", t) for kind, t in totals.items()
               if kind == "cold" or tools.has_cache]
    return rows, growths, notes_on(tools)


def skipped(tools, o):
    """Rows of a project of ten CUDA units and many plain ones: with the plain ones
    skipped, and with --all-units."""
    cuda = toolkit(o.cuda_path)
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        generate(directory, 10, o.unit_size)
        add_plain(directory, o.plain)
        arguments = ["-p", directory, f"--cuda-path={cuda or 'mock'}"]

        def run(cache, more):
            return measure(tools.analyse(arguments + more, cache, directory))

        def cold(more):
            with tempfile.TemporaryDirectory() as cache:
                return run(cache, more)

        name = f"10 CUDA and {o.plain} plain units"
        rows.append(Row(f"{name}, cold, compared with --all-units", *interleave(
            lambda: cold([]), lambda: cold(["--all-units"]), o.repetitions)))
        with tempfile.TemporaryDirectory() as some, \
                tempfile.TemporaryDirectory() as every:
            run(some, [])
            run(every, ["--all-units"])
            rows.append(Row(f"{name}, warm, compared with --all-units", *interleave(
                lambda: run(some, []), lambda: run(every, ["--all-units"]),
                o.repetitions)))
    return rows


def extension(tools, o):
    """Rows of a PyTorch extension, whose units begin with the same headers."""
    if not generate_torch.include_of(o.torch):
        raise Failed(f"no torch/extension.h in {o.torch} or its include/")
    cuda = toolkit(o.cuda_path)
    with tempfile.TemporaryDirectory() as directory:
        sources = generate_torch.generate(directory, o.extension_units, o.torch,
                                          o.system)
        p = Project(tools, "PyTorch extension", directory,
                    ["-p", directory, f"--cuda-path={cuda or 'mock'}"])
        rows, _ = p.measure(o.repetitions, COLD_EXTENSION, edit=sources[-1],
                            warm_up=False)
    return rows, notes_on(tools)


def existing(tools, o):
    """The user's project: rows and notes."""
    directory = os.path.abspath(o.project)
    database = os.path.abspath(o.database)
    for place in (directory, database):
        if not os.path.exists(place):
            raise Failed(f"{place} does not exist; --project and -p name existing "
                         "directories")
    arguments = ["-p", database]
    if o.cuda_path:
        arguments.append(f"--cuda-path={o.cuda_path}")
    # In real projects, units often do not parse: they are reported, not fatal.
    p = Project(tools, os.path.basename(directory), directory, arguments,
                accept=(0, 3))
    rows, _ = p.measure(o.repetitions, o.cold_bar,
                        edit=os.path.abspath(o.edit) if o.edit else None)
    notes = notes_on(tools)
    if not o.edit:
        notes.append("no run after an edit: that needs --edit FILE")
    return rows, notes
