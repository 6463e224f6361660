#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Promises about the tree that no compiler holds. One function a promise;
usage: hygiene.py ROOT PROMISE"""

import glob
import json
import os
import re
import subprocess
import sys

ROOT = ""
SOURCE = (".cpp", ".h", ".def", ".cu", ".cuh", ".td", ".inc")


def files():
    """Tracked and new files, never build outputs."""
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(n for n in names if n and os.path.isfile(os.path.join(ROOT, n)))


def text(name):
    with open(os.path.join(ROOT, name), errors="replace") as f:
        return f.read()


def component(name):
    for prefix, what in (("checks/support/", "support"),
                         ("checks/catalogue/", "catalogue"),
                         ("checks/analysis/", "analysis"),
                         ("checks/rules/", "rules"),
                         ("checks/Module", "module"),
                         ("driver/reports/", "reports"),
                         ("driver/", "driver"),
                         ("runtime-probe/report/", "tool"),
                         ("runtime-probe/tool/", "tool"),
                         ("runtime-probe/confirm/", "tool"),
                         ("runtime-probe/", "probe")):
        if name.startswith(prefix):
            return what
    return None


# May include, besides itself. What stands right is what the left needs; a
# report reads findings, which are plain values of the analysis and the rules.
ARROWS = {
    "support": set(),
    "catalogue": {"support"},
    "analysis": {"support", "catalogue"},
    "rules": {"support", "catalogue", "analysis"},
    "module": {"support", "catalogue", "analysis", "rules"},
    "reports": {"support", "catalogue", "analysis", "rules"},
    "driver": {"support", "catalogue", "analysis", "rules", "reports", "tool"},
    "probe": {"catalogue"},
    "tool": {"support", "catalogue"},
}
WITHOUT_CLANG = {"support", "catalogue", "probe", "tool"}
WITH_LLVM = {"support", "tool"}


def resolve(name, include):
    """The file of ours that `name` means by include, or None."""
    for base in (os.path.dirname(name), "checks", "", "runtime-probe/include"):
        path = os.path.normpath(os.path.join(base, include))
        if os.path.isfile(os.path.join(ROOT, path)):
            return path
    return None


def arrows():
    for name in files():
        mine = component(name)
        if not mine or not name.endswith(SOURCE):
            continue
        for include in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]',
                                  text(name), re.M):
            first = include.split("/")[0]
            if (mine in WITHOUT_CLANG and first in ("clang", "llvm", "clang-tidy")
                    and not (mine in WITH_LLVM and first == "llvm")):
                yield f"{name} includes {include}; {mine} does without Clang"
            target = resolve(name, include)
            other = component(target) if target else None
            if other and other != mine and other not in ARROWS[mine]:
                yield f"{name} includes {target}: {mine} must not know {other}"


def checks():
    return re.findall(r'^CHECK\((\w+),\s*"([^"]+)"', text("checks/Checks.def"),
                      re.M)


def agreement():
    table = checks()
    ids = [i for _, i in table]
    if not ids:
        yield "checks/Checks.def has no check"
    if ids != sorted(ids):
        yield "checks/Checks.def is not sorted by id"
    for cls, i in table:
        for needed in (f"checks/rules/{cls}.cpp", f"docs/checks/{i}.md"):
            if not os.path.isfile(os.path.join(ROOT, needed)):
                yield f"{i}: no {needed}"
        folder = os.path.join(ROOT, "test/checks", i)
        if not os.path.isdir(folder) or not os.listdir(folder):
            yield f"{i}: no tests in test/checks/{i}/"
        if cls.lower() != i.removeprefix("cudagraph-").replace("-", ""):
            yield f"{i}: class {cls} does not match the id"
    known = set(ids)
    for name in files():
        m = re.match(r"docs/checks/(cudagraph-[\w-]+)\.md$", name)
        if m and m[1] not in known:
            yield f"{name}: no such check in Checks.def"
        m = re.match(r"test/checks/([^/]+)/", name)
        if m and m[1] not in known:
            yield f"{name}: no such check in Checks.def"
    readme = text("README.md")
    for i in ids:
        if i not in readme:
            yield f"README.md does not list {i}"


def banners():
    licence = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
    code = SOURCE + (".py", ".cmake", ".sh")
    for name in files():
        base = os.path.basename(name)
        # Cases start with their RUN line.
        if name.startswith("test/") and not name.startswith(
                ("test/unit/", "test/Inputs/mock", "test/hygiene/")):
            continue
        if not (base.endswith(code) or base == "CMakeLists.txt"
                or name in ("dev", ".ci/run")
                or name.startswith("test/Inputs/mock")
                and not base.startswith(".")):
            continue
        head = "\n".join(text(name).splitlines()[:10])
        if licence not in head:
            yield f"{name}: no licence line in its first ten"
        if (base.endswith((".h", ".cpp", ".def"))
                and not head.startswith(f"//===- {base} - ")):
            yield f"{name}: the first line does not name the file"


def format():
    tool = os.environ["CLANG_FORMAT"]
    if not os.path.exists(tool):
        yield "clang-format is not installed"
        return
    # test/ holds cases whose columns matter; .clang-format there says so.
    names = [n for n in files() if n.endswith((".cpp", ".h", ".cu", ".cuh"))
             and (not n.startswith("test/")
                  or n.startswith(("test/unit/", "test/Inputs/mock")))]
    done = subprocess.run([tool, "--dry-run", "-Werror"] + names, cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode:
        wrong = sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: error", done.stderr,
                                      re.M)))
        yield from (f"{name}: run ./dev format" for name in wrong)
        if not wrong:
            yield done.stderr.strip()


# Who may write to the standard streams. All others hand text to one of these,
# and what is foreign in it passes through catalogue/Printable.h.
STREAMS = {
    "checks/Module.cpp",                    # versions, before there is a host
    "checks/catalogue/EmbedCatalogue.cpp",  # a tool of the build
    "driver/Output.cpp",                    # reports, and printToStdout()
    "driver/WorkerPool.cpp",                # flushes before it forks
    "driver/clangd/main.cpp",               # --version and --help
    "driver/main.cpp",
    "runtime-probe/tool/ConfirmCommand.cpp",
    "runtime-probe/tool/ReportCommand.cpp",
    "runtime-probe/tool/RunCommand.cpp",
    "runtime-probe/tool/main.cpp",
}
# Of these, every line that prints an error or a name does so through it.
PRINTS = re.compile(r"\b(errs|outs|dbgs)\(\)|(?<!\")std::(cerr|cout|clog)\b"
                    r"|\b(fprintf|fputs|fwrite|printf|puts|perror)\(")


def prints():
    for name in files():
        if (not name.startswith(("checks/", "driver/", "runtime-probe/"))
                or name.startswith(("runtime-probe/programs/", "runtime-probe/conformance/",
                                    "runtime-probe/include/"))
                or not name.endswith((".cpp", ".h"))):
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            code = line.split("//")[0]
            if PRINTS.search(code) and name not in STREAMS:
                yield f"{name}:{number}: prints by itself: {line.strip()}"
            # The message of an error quotes what others wrote.
            if re.search(r"<<\s*(llvm::)?toString\(", code):
                yield f"{name}:{number}: prints an error as it is; use printable()"


# What literals of the analysis and the rules may not name; see docs/catalogue.md.
LIBRARY = re.compile(
    r"\b(?:cuda|cu|__cuda)[A-Z]\w*|\bCU\w+_st\b"
    r"|\b(?:cublas|cudnn|cufft|curand|cusolver|cusparse|nccl|nvrtc|pthread)(?:[A-Z_]\w*|\b)"
    r"|\b(?:CUBLAS|CUDNN|CUFFT|CURAND|CUSOLVER|CUSPARSE|NCCL|NVRTC|CUDA)_[A-Z]\w*"
    r"|\b(?:__gnu_cxx|aten|at|c10|cub|cutlass|fmt|nanobind|pybind11|rmm|spdlog|std|thrust"
    r"|torch|tvm|xla)::[\w<=]*|\b(?:TorchLibrary|TVMFFI|XLA_FFI)\w*")
# The exceptions, and why they are none of the catalogue's business.
PROSE = "messages and advice name functions of CUDA's runtime"
LIBRARY_NAMES = {
    "cudaErrorNotPermitted": PROSE,
    "cudaErrorStreamCaptureUnsupported": PROSE,
    "cudaEventWaitExternal": PROSE,
    "cudaGraphExecKernelNodeSetParams": PROSE,
    "cudaGraphRetainUserObject": PROSE,
    "cudaLaunchHostFunc": PROSE,
    "cudaMemcpyAsync": PROSE,
    "cudaUserObjectCreate": PROSE,
    "CUBLAS_POINTER_MODE_DEVICE": "advice for the scalars of any BLAS call",
    "<<<>>>": "CUDA's syntax for a launch",
    "operator[]": "an operator of the language",
    "std::operator<<": "an operator of the language, of whatever class",
    "at": "the interface of the standard library's containers",
    "data": "the interface of the standard library's containers",
    "fork": "a word of reports: an event forks a stream into the capture",
    "wait": "a word of reports: a stream waits for an event",
    "tensor": "a word of the analysis for its values",
    "pybind11": "a word of reports: how an operator is registered",
    "torch": "a word of reports: how an operator is registered",
}


def catalogued():
    """Names that the catalogue has, and that stand for nothing else."""
    for path in sorted(glob.glob(os.path.join(ROOT, "checks/catalogue/data/*.json"))):
        with open(path) as file:
            data = json.load(file)
        for entry in data.get("entries", []):
            yield entry["name"]
        for group in data.get("names", []):
            for name in group.get("names", group.get("values", [])):
                if "*" not in name:
                    yield name


def libraries():
    """No literal of the analysis and the rules names what a library declares."""
    known = set(catalogued())
    if len(known) < 1000:
        yield "the catalogue has hardly any names; is the pattern right?"
    literal = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])\'|^\s*#\s*include[^\n]*'
                         r'|"((?:\\.|[^"\\\n])*)"', re.S | re.M)
    for name in files():
        if (not name.startswith(("checks/analysis/", "checks/rules/"))
                or not name.endswith(SOURCE)):
            continue
        code = text(name)
        for found in literal.finditer(code):
            if found[1] is None:
                continue
            named = LIBRARY.findall(found[1])
            if found[1] in known:
                named.append(found[1])
            for each in sorted(set(named) - LIBRARY_NAMES.keys()):
                line = code.count("\n", 0, found.start()) + 1
                yield (f"{name}:{line}: names {each!r}; what is known of a "
                       "library belongs in checks/catalogue/data")


def paths():
    # Spelled so that this file has none of them.
    private = re.compile("|".join(["/" + "work/", "/" + "root/", "/" + r"home/\w",
                                   "/" + r"Users/\w", "/" + r"tmp/\w+/\w"]))
    for name in files():
        if name.endswith((".png", ".gz", ".xz")):
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            if private.search(line):
                yield f"{name}:{number}: path of one machine: {line.strip()[:80]}"
            if line.endswith((" ", "\t")) and not name.endswith(".md"):
                yield f"{name}:{number}: trailing space"


def main():
    global ROOT
    ROOT, promise = sys.argv[1], sys.argv[2]
    problems = list({f.__name__: f for f in (
        arrows, agreement, banners, format, libraries, paths, prints)}[promise]())
    print(*problems, sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
