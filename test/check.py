#!/usr/bin/env python3
#===- check.py - One case through both hosts -------------------------------===#
#
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Runs the plugin and the driver over a source file and compares what both
print with what the file expects.

  // RUN: %check %s [check globs] [options] [-- compiler arguments]

Expectations are below the line to which they refer:

  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
  // CHECK-NOTES: :[[@LINE-5]]:3: note: capture of 's'

Both are substrings of the printed line and may contain {{regular expressions}}. Every
warning must be expected, so a file without expectations must have no findings; notes
may be unexpected, but the expected ones must be present. The file must contain the text
of `// CHECK-FIXES: text` after clang-tidy has fixed it. With --suffix=X, the prefixes
are CHECK-MESSAGES-X and so on.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple

Line = namedtuple("Line", "file line column kind text")
DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): "
                        r"(?P<kind>warning|note|error|fatal error): (?P<text>.*)$")


def parse_arguments(argv):
    compiler = []
    if "--" in argv:
        split = argv.index("--")
        argv, compiler = argv[:split], argv[split + 1:]
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("source")
    p.add_argument("checks", nargs="?", default="cudagraph-*")
    p.add_argument("--clang-tidy", required=True)
    p.add_argument("--plugin", required=True)
    p.add_argument("--driver", required=True)
    p.add_argument("--root", required=True)
    p.add_argument("--expect-exit", type=int, help="of the driver")
    p.add_argument("--suffix", default="")
    p.add_argument("--roots")
    p.add_argument("--confidence")
    p.add_argument("--catalogue")
    p.add_argument("--strict", action="store_true")
    p.add_argument("--no-advice", action="store_true",
                   help="leave out advice, which is the default")
    p.add_argument("--std", default="c++17")
    p.add_argument("--real-std", action="store_true",
                   help="the system's C++ library instead of the mock headers")
    p.add_argument("--torch", action="store_true", help="mock libtorch headers")
    p.add_argument("--cuda-include",
                   help="headers of a toolkit instead of the mock headers")
    p.add_argument("--allow-errors", action="store_true")
    p.add_argument("--only", choices=["plugin", "driver"])
    return p.parse_intermixed_args(argv), compiler


def compiler_arguments(o, extra):
    inputs = os.path.join(o.root, "test", "Inputs")
    mock = os.path.join(inputs, "mock")
    cuda = o.cuda_include or mock
    args = ["-std=" + o.std]
    if o.source.endswith((".cu", ".cuh")):
        args += ["-x", "cuda", "--cuda-host-only", "-nocudalib"]
        if o.cuda_include:
            args += ["--cuda-path=" + os.path.dirname(cuda),
                     "-isystem", os.path.join(cuda, "cccl"),
                     "-Wno-unknown-cuda-version"]
        else:
            # See mockflags in lit.cfg.py.
            args += ["-nocudainc", "--cuda-path=" + mock,
                     "-Xclang", "-target-sdk-version=12.9",
                     "-include", "cuda_runtime.h"]
    if not o.real_std and not o.cuda_include:
        args += ["-nostdinc++", "-isystem", os.path.join(inputs, "mock-std")]
    if o.torch:
        args += ["-isystem", os.path.join(inputs, "mock-torch")]
    args += ["-isystem", cuda]
    args += ["-I", os.path.join(o.root, "runtime-probe", "include")]
    return args + extra


def run(command):
    process = subprocess.run(command, capture_output=True, text=True,
                             errors="replace", stdin=subprocess.DEVNULL)
    return process.returncode, process.stdout, process.stderr


def check_options(o):
    """The check options of the plugin, as clang-tidy's --config reads them."""
    given = {"Roots": o.roots, "Confidence": o.confidence,
             "Catalogue": o.catalogue, "Strict": "true" if o.strict else None,
             "Advice": None if o.no_advice else "true"}
    with open(os.path.join(o.root, "checks", "Checks.def")) as f:
        ids = re.findall(r'^CHECK\(\w+,\s*"([^"]+)"', f.read(), re.M)
    return {f"{i}.{k}": v for i in ids for k, v in given.items() if v}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def run_plugin(o, source, args, fix=False):
    pairs = ", ".join(f"{quoted(k)}: {quoted(v)}"
                      for k, v in check_options(o).items())
    return run(shlex.split(o.clang_tidy)
               + ["--load=" + o.plugin, "--checks=-*," + o.checks, "--quiet",
                  f"--config={{CheckOptions: {{{pairs}}}}}"]
               + (["--fix", "--fix-notes"] if fix else [])
               + [source, "--"] + args)


def run_driver(o, args):
    command = [o.driver, "--format=text", "--checks=-*," + o.checks, "--quiet"]
    for option in ("roots", "confidence", "catalogue"):
        if getattr(o, option):
            command.append(f"--{option}={getattr(o, option)}")
    if o.strict:
        command.append("--strict")
    if not o.no_advice:
        command.append("--advice")
    return run(command + [o.source, "--"] + args)


def diagnostics(output):
    """The diagnostics in output, with files as absolute paths."""
    found = []
    for text in output.splitlines():
        m = DIAGNOSTIC.match(text)
        # The driver resolves the macro and does not need this note.
        if m and not m["text"].startswith("expanded from macro"):
            found.append(Line(os.path.realpath(m["file"]), int(m["line"]),
                              int(m["column"]), m["kind"], m["text"]))
    return found


def render(d):
    return (f"{os.path.basename(d.file)}:{d.line}:{d.column}: {d.kind}: "
            f"{d.text}")


def expectations(path, prefix):
    """Returns the line number, the text, and the regular expression of each expectation
    for one prefix."""
    found = []
    with open(path, errors="replace") as f:
        for number, text in enumerate(f, 1):
            m = re.search(r"(?://|/\*)\s*" + re.escape(prefix) + r":\s?(.*)$",
                          text.rstrip())
            if not m:
                continue
            want = re.sub(r"\[\[@LINE([+-]\d+)?\]\]",
                          lambda k: str(number + int(k[1] or 0)), m[1].strip())
            if want.startswith(":"):
                want = os.path.basename(path) + want
            parts = re.split(r"\{\{(.*?)\}\}", want)
            regex = "".join(part if i % 2 else re.escape(part)
                            for i, part in enumerate(parts))
            found.append((number, want, re.compile(regex)))
    return found


def compare(host, lines, wanted, exhaustive):
    """Messages about lines of a host that are unexpected or missing."""
    problems = []
    left = [render(d) for d in lines]
    for number, want, regex in wanted:
        hit = next((text for text in left if regex.search(text)), None)
        if hit is None:
            problems.append(f"{host}: line {number} expects what was not found: {want}")
        else:
            left.remove(hit)
    if exhaustive:
        problems += [f"{host}: unexpected: {text}" for text in left]
    return problems


def check_fixes(o, args, wanted):
    with tempfile.TemporaryDirectory() as directory:
        copy = os.path.join(directory, os.path.basename(o.source))
        with open(o.source) as f, open(copy, "w") as g:
            # An expectation must not match itself.
            g.writelines("//\n" if "CHECK-FIXES" in line else line for line in f)
        run_plugin(o, copy, args + ["-I", os.path.dirname(o.source)], fix=True)
        with open(copy) as f:
            fixed = f.read()
    return [f"fixed file lacks what line {number} expects: {want}\n{fixed}"
            for number, want, regex in wanted if not regex.search(fixed)]


def main():
    o, extra = parse_arguments(sys.argv[1:])
    o.source = os.path.realpath(o.source)
    args = compiler_arguments(o, extra)
    suffix = "-" + o.suffix if o.suffix else ""
    messages = expectations(o.source, "CHECK-MESSAGES" + suffix)
    notes = expectations(o.source, "CHECK-NOTES" + suffix)
    fixes = expectations(o.source, "CHECK-FIXES" + suffix)
    want_exit = o.expect_exit
    if want_exit is None:
        want_exit = 1 if messages else 0

    problems, seen, outputs = [], {}, {}
    for host in ("plugin", "driver"):
        if o.only and o.only != host:
            continue
        needed = o.driver if host == "driver" else o.plugin
        if not os.path.exists(needed):
            problems.append(f"{host}: {needed} is not built")
            continue
        status, out, err = (run_plugin(o, o.source, args) if host == "plugin"
                            else run_driver(o, args))
        outputs[host] = f"--- {host}, exit status {status} ---\n{out}{err}"
        lines = diagnostics(out)
        errors = [d for d in lines + diagnostics(err) if "error" in d.kind]
        if not o.allow_errors:
            problems += [f"{host}: {render(d)}" for d in errors]
        seen[host] = [d for d in lines if d.kind in ("warning", "note")]
        problems += compare(host, [d for d in lines if d.kind == "warning"],
                            messages, exhaustive=True)
        problems += compare(host, [d for d in lines if d.kind == "note"],
                            notes, exhaustive=False)
        if host == "driver" and status != want_exit:
            problems.append(f"driver: exit status {status}, not {want_exit}")
        if host == "plugin" and status and not errors:
            problems.append(f"plugin: clang-tidy failed, exit status {status}")

    if len(seen) == 2:
        plugin, driver = (Counter(map(render, seen[h]))
                          for h in ("plugin", "driver"))
        problems += [f"plugin only: {text}" for text in plugin - driver]
        problems += [f"driver only: {text}" for text in driver - plugin]
    if fixes and o.only != "driver":
        problems += check_fixes(o, args, fixes)

    if problems:
        print(*problems, *outputs.values(), sep="\n", file=sys.stderr)
        print("compiler arguments:", shlex.join(args), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
