"""Tests a small project with one of CMake's generators: which sources are summarized,
and when.
usage: cmake.py GENERATOR DRIVER MODULE WORKDIR
MODULE may instead be an option with which find_package finds the package, and
DRIVER."""

import json
import os
import re
import shutil
import subprocess
import sys

GENERATOR, DRIVER, MODULE, WORK = sys.argv[1:5]
PROJECT, BUILD = os.path.join(WORK, "a source"), os.path.join(WORK, "build")
ALL = ["app/main.cpp", "gen/table.cpp", "ops/finish.cu", "ops/step.cpp"]


def path(name):
    return os.path.join(PROJECT, name)


def edit(name, old, new):
    with open(path(name)) as f:
        text = f.read()
    assert old in text, (name, old)
    with open(path(name), "w") as f:
        f.write(text.replace(old, new))


def run(args, **kw):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **kw)


def configure(*options, fails=None):
    source = [f"-DMODULE={MODULE}", f"-DCUDAGRAPH_TIDY_EXECUTABLE={DRIVER}"]
    if MODULE.startswith("-D"):
        source = [MODULE]
    done = run(["cmake", "-G", GENERATOR, "-S", PROJECT, "-B", BUILD] + source
               + list(options))
    text = " ".join(done.stdout.split())
    if fails:
        assert done.returncode and fails in text, (fails, done.stdout)
    else:
        assert not done.returncode, done.stdout


def build(what, summarised, findings, incomplete=0, fails=None):
    done = run(["cmake", "--build", BUILD, "--target", "tidy", "-j", "2"])
    seen = sorted(re.sub(r"^(\.\./)?build/", "", s) for s in
                  re.findall(r"Summarizing (\S+) of", done.stdout))
    assert seen == sorted(summarised), (what, seen, done.stdout)
    with open(os.path.join(BUILD, "report.json")) as f:
        report = json.load(f)
    assert len(report["findings"]) == findings, (what, done.stdout)
    assert done.stdout.count(" warning: ") == findings, (what, done.stdout)
    assert len(report["coverage"]["incomplete"]) == incomplete, (
        what, done.stdout)
    failed = bool(findings or incomplete) if fails is None else fails
    assert bool(done.returncode) == failed, (what, done.stdout)
    return report


shutil.rmtree(WORK, ignore_errors=True)
shutil.copytree(os.path.join(os.path.dirname(__file__), "project"), PROJECT)
configure()
first = build("from nothing", ALL, 3)
build("again: nothing runs, and the findings are shown", [], 3)

if DRIVER == "-":
    with open(os.path.join(BUILD, "CMakeCache.txt")) as f:
        DRIVER = re.search(r"CUDAGRAPH_TIDY_EXECUTABLE:FILEPATH=(.*)", f.read())[1]
    assert DRIVER.startswith(MODULE.split("=")[1]), DRIVER

# The findings are those that the driver alone reports.
alone = run([DRIVER, "--no-cache", "--cuda-path=mock", "--quiet", "-p", BUILD,
             "--format=json"] + [os.path.join(BUILD if f.startswith("gen") else
                                              PROJECT, f) for f in ALL],
            cwd=PROJECT)
with open(os.path.join(BUILD, "report.json")) as f:
    ours = f.read()
expected = json.loads(ours)
assert json.loads(alone.stdout)["findings"] == expected["findings"], alone.stdout

edit("include/step.h", "#pragma once", "#pragma once\n")
build("a header", ["app/main.cpp", "ops/finish.cu", "ops/step.cpp"], 3)
edit("ops/finish.cu", '"step.h"', '"step.h" // used')
build("a source", ["ops/finish.cu"], 3)
edit("gen/table-h.in", "16", "17")
build("what a generated header is made from", ["gen/table.cpp"], 3)
edit("gen/table.in", "int table", "long table")
build("what a source is made from", ["gen/table.cpp"], 3)
configure("-DMALLOC=ON")
build("one command", ["app/main.cpp"], 4)
os.utime(path("CMakeLists.txt"))
build("no command, though CMake ran", [], 4)

configure("-DMALLOC=OFF", "-DMORE=CONFIDENCE;possible;ROOTS;stream-param;"
          "CHECKS;cudagraph-*;-cudagraph-sync-call")
seen = build("options of the link cost no summary", ["app/main.cpp"], 2)
assert {f["check"] for f in seen["findings"]} == {"cudagraph-ignored-result"}
assert {r["root"] for r in seen["regions"]} == {"api-pair", "stream-param"}
configure("-DMORE=EXCLUDE;/ops/step[.]cpp$")
build("a source is left out", [], 2)
configure("-DMORE=")
edit("ops/step.cpp", '#include "step.h"', '#include "step.h"\n#include "late.h"')
build("a header is missing", ["ops/step.cpp"], 3, incomplete=1)
build("and is looked for again", ["ops/step.cpp"], 3, incomplete=1)
with open(path("include/late.h"), "w") as f:
    f.write("#pragma once\n")
build("it has come", ["ops/step.cpp"], 3)
build("and is known", [], 3)

configure("-DMORE_TARGETS=twin;bystander;user")
build("one source in two ways, and one of an interface",
      ["ops/step.cpp", "ops/twice.cpp", "ops/twice.cpp", "app/other.c++"], 4)
configure("-DMORE_TARGETS=")
for name in ("ops/step.cpp", "ops/finish.cu", "include/step.h"):
    edit(name, "{ cuda", "{ return; cuda")
build("clean", ["app/main.cpp", "ops/finish.cu", "ops/step.cpp"], 0)
build("and quiet", [], 0)

configure("-DMORE_TARGETS=nobody", fails="there is no target 'nobody'")
configure("-DMORE_TARGETS=setting;FOO", fails="there is no target 'FOO'")
configure("-DMORE_TARGETS=", "-DMORE=EXCLUDE;.*",
          fails="no C, C++, or CUDA source to analyze in app, kernels, generated")
configure("-DMORE=OPTIONS;json", fails="unknown option 'json'")
print("done")
