"""Tests the arithmetic of the harness with costs whose results are known."""

import os
import subprocess
import sys
import tempfile

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, "test", "bench"))

import projects
from measure import (Cost, Failed, Ratio, Run, growth, interleave, measure,
                     measure_all, ratio, typical)
from results import COLD_CUDA, Growth, Row, cpu_bar, edit_bar, memory_bar, met
from tools import command_of, has_option, parse_verbose


def same(name, got, expected):
    if got != expected:
        sys.exit(f"{name}: {got}, not {expected}")


def costs(*cpu):
    return [Cost(2 * c, c, 100) for c in cpu]


# The median of the ratios 0.5, 0.25, and 4; the ratio of the medians would be 1.
ours, baseline = costs(1, 2, 4), costs(2, 8, 1)
same("ratio", ratio(ours, baseline, "cpu"), Ratio(0.5, 0.25, 4))
same("typical", typical(costs(5, 1, 3)), Cost(6, 3, 100))
try:
    ratio(ours, baseline[:2], "cpu")
    sys.exit("series of different length are compared")
except ValueError:
    pass

# Linear work costs the same per unit; quadratic work does not.
same("linear", growth({10: 20.0, 100: 200.0, 1000: 2000.0}),
     [(10, 2.0, 1.0), (100, 2.0, 1.0), (1000, 2.0, 1.0)])
same("quadratic", growth({100: 100.0, 10: 1.0}),
     [(10, 0.1, 1.0), (100, 1.0, 10.0)])
same("linear, bars", [met(b) for b in Growth("", {10: 20, 100: 210}).bars], [True])
same("quadratic, bars", [met(b) for b in Growth("", {10: 1, 100: 100}).bars],
     [False])

# Bars are inclusive.
same("bar at its limit", met(cpu_bar(COLD_CUDA)(Row("", costs(4), costs(5)))), True)
same("bar above it", met(cpu_bar(COLD_CUDA)(Row("", costs(4.1), costs(5)))), False)
same("memory bar", met(memory_bar(Row("", costs(9), costs(1)))), True)
# 1.2 times 2 seconds of wall time and one more.
same("edit bar", edit_bar(Row("", costs(1), costs(1)))[1:], (2, 3.4))

# Each side goes first in turn, and the first pair is not counted.
order = []


def side(name):
    def run():
        order.append(name)
        return len(order)
    return run


same("interleaved", interleave(side("a"), side("b"), 2), ([4, 5], [3, 6]))
same("order", "".join(order), "abbaab")

# Processes: time, memory of the largest one, and failure.
hold = "b = bytearray({} << 20); import time; time.sleep(0.2)"
small, large = (Run([sys.executable, "-c", hold.format(n)]) for n in (1, 200))
both = measure_all([small, large], jobs=2)
one = measure(large)
if not 200 << 20 < both.memory < 390 << 20 or abs(both.memory - one.memory) > 20 << 20:
    sys.exit(f"memory {both.memory} of both is not the memory of the largest")
if not both.cpu > 0 or one.wall < 0.2:
    sys.exit(f"times {both} {one}")
for bad in (Run([sys.executable, "-c", "raise SystemExit(4)"]), Run(["no-such-tool"])):
    try:
        measure(bad)
        sys.exit(f"{bad} counts as done")
    except Failed:
        pass
measure(Run([sys.executable, "-c", "raise SystemExit(3)"], accept=(0, 3)))

# An edited file is always restored.
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "a.cu")
    with open(path, "wb") as f:
        f.write(b"int a;\r\n")
    os.utime(path, ns=(10**18, 10**18 + 7))
    seen = set()
    try:
        with projects.edited(path) as edit:
            for _ in range(3):
                edit()
                with open(path, "rb") as f:
                    seen.add(f.read())
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    same("edits", len(seen), 3)
    same("they begin with the file", {s.startswith(b"int a;\r\n//") or
                                      s.startswith(b"int a;\r\n\n//") for s in seen},
         {True})
    with open(path, "rb") as f:
        same("restored", f.read(), b"int a;\r\n")
    same("time restored", os.stat(path).st_mtime_ns, 10**18 + 7)

# The output of --help and --verbose.
same("options", [has_option("  -j <n>   Jobs\n  --no-cache  No\n", n)
                 for n in ("-j", "--no-cache", "--cache-dir", "--no")],
     [True, True, False, False])
log = ('cudagraph-tidy: using CUDA 13\n'
       "cudagraph-tidy: cd '/d e' && clang++ '-DX=\"a $c\"' b.cu -w\n"
       'cudagraph-tidy: cd /d && /usr/bin/clang++-22 c.cpp\n')
commands = parse_verbose(log)
same("verbose", [(c.directory, c.arguments) for c in commands],
     [("/d e", ['-DX="a $c"', "b.cu", "-w"]), ("/d", ["c.cpp"])])
same("command of", command_of(commands, "/d/c.cpp"), commands[1])
same("command of a header", command_of(commands, "/d/c.h"), None)
