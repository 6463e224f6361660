#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the cost of the analysis with other runs that a user would choose.

  bench.py unit [SOURCE -- ARGUMENTS]     one source, cold; clang++ -fsyntax-only
  bench.py plugin [SOURCE -- ARGUMENTS]   clang-tidy with the plugin; stock
  bench.py generated                      projects of 10, 100, and 1000 units
  bench.py project --project DIR -p BUILD any project with a compile database
  bench.py all                            unit, plugin, and generated

Runs are interleaved, and a ratio is the median of the ratios of neighbors.
README.md explains the output. Exit status: 0; 1 if a bar is not met,
with --enforce; 2 if something could not be measured.
"""

import argparse
import os
import signal
import sys

import projects
from measure import Failed, Run, interleave, measure
from results import (COLD_CUDA, COLD_TORCH, PLUGIN, Row, cpu_bar, machine,
                     memory_bar, report)
from tools import ROOT, Tools, Unit, bundled


def parse_arguments(argv):
    compiler = []
    if "--" in argv:
        split = argv.index("--")
        argv, compiler = argv[:split], argv[split + 1:]
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["unit", "plugin", "generated", "skipped",
                                    "extension", "project",
                                    "all"])
    p.add_argument("source", nargs="?")
    p.add_argument("-n", "--repetitions", type=int, default=5)
    p.add_argument("-j", "--jobs", type=int,
                   help="jobs of both sides (all cores; 1 if cudagraph-tidy has no -j)")
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"),
                   help="build directory (build/release)")
    p.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    p.add_argument("--enforce", action="store_true",
                   help="exit with 1 if a bar is not met")
    p.add_argument("--cuda-path", metavar="DIR",
                   help="toolkit, or 'mock'; for bundled and generated sources")
    p.add_argument("--torch", metavar="DIR", help="unpacked headers of PyTorch")
    p.add_argument("--trivial", default="google-build-using-namespace",
                   help="the check of the plugin's baseline "
                        "(google-build-using-namespace)")
    p.add_argument("--clangxx", default="clang++-22")
    p.add_argument("--clang-tidy", default="clang-tidy-22")
    g = p.add_argument_group("generated projects")
    g.add_argument("--sizes", default="10,100,1000",
                   help="numbers of translation units (10,100,1000)")
    g.add_argument("--unit-size", type=int, default=4,
                   help="kernels and functions of each unit (4)")
    g.add_argument("--plain", type=int, default=200,
                   help="plain C++ units of the project of 'skipped' (200)")
    g.add_argument("--extension-units", type=int, default=20,
                   help="units of the PyTorch extension of 'extension' (20)")
    g.add_argument("--system", action="store_true",
                   help="treat its PyTorch headers as system headers")
    g = p.add_argument_group("your project")
    g.add_argument("--project", metavar="DIR")
    g.add_argument("-p", dest="database", metavar="BUILD",
                   help="directory of its compile_commands.json")
    g.add_argument("--edit", metavar="FILE",
                   help="its unit to which a comment is appended; the file is restored")
    g.add_argument("--cold-bar", type=float, default=COLD_CUDA,
                   help=f"the bar of its cold run ({COLD_CUDA}; "
                        f"{COLD_TORCH} with PyTorch's headers)")
    o = p.parse_args(argv)
    try:
        o.sizes = sorted({int(s) for s in o.sizes.split(",")})
    except ValueError:
        p.error(f"--sizes: '{o.sizes}' is not a list of numbers")
    if o.repetitions < 1 or o.unit_size < 1 or o.sizes[0] < 2 or (
            o.jobs is not None and o.jobs < 1):
        p.error("-n, -j and --unit-size must be at least 1, --sizes at least 2")
    if o.source and o.what not in ("unit", "plugin"):
        p.error(f"'{o.what}' does not accept a source")
    if compiler and not o.source:
        p.error("arguments after -- need a source")
    if o.what == "extension" and not o.torch:
        p.error("'extension' needs --torch DIR")
    if o.what == "project" and not (o.project and o.database):
        p.error("'project' needs --project DIR and -p BUILD")
    return o, compiler


def units_for(o, arguments):
    if not o.source:
        return bundled(o)
    if not os.path.isfile(o.source):
        raise Failed(f"no file {o.source}")
    return [Unit(os.path.basename(o.source), o.source, arguments, False)], []


def measure_unit(tools, unit, o):
    arguments = [unit.source, "--"] + unit.arguments
    commands = tools.translated(arguments)
    if len(commands) != 1:
        raise Failed(f"{unit.source}: cudagraph-tidy --verbose shows "
                     f"{len(commands)} commands, not one")
    costs = interleave(lambda: measure(tools.analyse(arguments)),
                       lambda: measure(tools.parse(commands[0])), o.repetitions)
    limit = COLD_TORCH if unit.torch else COLD_CUDA
    return Row(unit.name + ", cold", *costs, [cpu_bar(limit), memory_bar])


def measure_plugin(tools, unit, o):
    # No run reads a configuration file.
    tidy = [tools.clang_tidy, "--config={}", "--quiet"]
    end = [unit.source, "--"] + unit.arguments
    ours = Run(tidy + [f"--load={tools.plugin()}", "--checks=-*,cudagraph-*"] + end)
    stock = Run(tidy + [f"--checks=-*,{tools.trivial}"] + end)
    costs = interleave(lambda: measure(ours), lambda: measure(stock),
                       o.repetitions)
    return Row(unit.name + ", plugin", *costs, [cpu_bar(PLUGIN)])


def main():
    o, arguments = parse_arguments(sys.argv[1:])
    # Ensures that an edited file is restored.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    rows, growths, notes = [], [], []
    try:
        tools = Tools(o)
        where = machine(tools.versions())
        if o.what in ("unit", "plugin", "all"):
            units, said = units_for(o, arguments)
            notes += said
            if o.what != "plugin":
                rows += [measure_unit(tools, u, o) for u in units]
            if o.what != "unit":
                rows += [measure_plugin(tools, u, o) for u in units]
        if o.what in ("generated", "all"):
            more, growths, said = projects.generated(tools, o)
            rows += more
            notes += said
        if o.what in ("skipped", "all"):
            rows += projects.skipped(tools, o)
        if o.what == "extension":
            rows, notes = projects.extension(tools, o)
        if o.what == "project":
            rows, notes = projects.existing(tools, o)
    except (Failed, OSError) as e:
        print(f"bench.py: error: {e}", file=sys.stderr)
        sys.exit(2)
    good = report(where, rows, growths, notes, o.json)
    sys.exit(0 if good or not o.enforce else 1)


if __name__ == "__main__":
    main()
