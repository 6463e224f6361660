#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""plain_units.py DIRECTORY DRIVER: creates small projects in DIRECTORY, runs DRIVER
on each with and without --all-units, and prints what was skipped and whether the
findings are the same."""

import json
import os
import subprocess
import sys

BEGIN = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"
END = "cudaStreamEndCapture(s, g);"
REGION = "void region(cudaStream_t s, cudaGraph_t *g) { " + BEGIN + " %s " + END + " }\n"
# This unit is unrelated to the captures in all projects.
OTHER = {"other.cpp": "#include <cstdio>\nint size() { return 1; }\n"
                      "int count() { std::printf(\"x\"); return size(); }\n"}
PRINTS = "#include <cstdio>\n"

ENGINE_H = """#pragma once
struct Engine {
  void capture(void (*body)());
  void set_step(int step);
  int step_ = 0;
};
Engine &the_engine();
"""
SCOPE_H = """#pragma once
struct Scope { Scope(); ~Scope(); };
struct Holder { Scope scope; int *memory = nullptr; };
Scope make_scope();
"""
SCOPE_CU = '#include "scope.h"\nstatic cudaStream_t s; static cudaGraph_t *g;\n' \
           "Scope::Scope() { " + BEGIN + " }\nScope::~Scope() { " + END + " }\n" \
           "Scope make_scope() { return Scope(); }\n"
STEP_CU = """#include "engine.h"
__global__ void kernel(int step);
void region(Engine &e, cudaStream_t s, cudaGraph_t *g) {
  """ + BEGIN + """
  kernel<<<1, 1, 0, s>>>(e.step_);
  """ + END + """
}
Engine engine;
Engine &the_engine() { return engine; }
"""

PROJECTS = {
    "unrelated": ({
        "log.h": "void log_line(const char *text);\n",
        "a.cu": '#include "log.h"\n' + REGION % "cudaDeviceSynchronize();"
                + 'void outside() { log_line("done"); }\n',
        "unrelated.cpp": '#include "log.h"\n#include <vector>\n'
                         "int sum(const std::vector<int> &v) { log_line(\"s\"); int n = 0; "
                         "for (int x : v) n += x; return n; }\n",
        "user.cpp": '#include "log.h"\nvoid user() { log_line("u"); }\n',
    }, []),
    "callee": ({
        "a.cu": "void helper();\n" + REGION % "helper();",
        "helper.cpp": PRINTS + "void helper() { std::printf(\"x\"); }\n"}, []),
    "chain": ({
        "a.cu": "void first();\n" + REGION % "first();",
        "first.cpp": "namespace deep { void second(); }\nvoid first() { deep::second(); }\n",
        "second.cpp": PRINTS + "namespace deep { void second() { std::printf(\"x\"); } }\n"}, []),
    "override": ({
        "base.h": "struct Base { virtual ~Base(); virtual void work() = 0; };\n",
        "derived.h": '#include "base.h"\nstruct Derived : Base { void work() override; };\n',
        "a.cu": '#include "base.h"\nvoid region(Base &b, cudaStream_t s, cudaGraph_t *g) { '
                + BEGIN + " b.work(); " + END + " }\n",
        "derived.cpp": PRINTS + '#include "derived.h"\nvoid Derived::work() { std::printf("x"); }\n'}, []),
    "table": ({
        "table.h": "struct Table { void (*run)(); };\nextern Table table;\n",
        "a.cu": '#include "table.h"\n' + REGION % "table.run();",
        "table.cpp": PRINTS + '#include "table.h"\nstatic void mine() { std::printf("x"); }\n'
                     "Table table = {mine};\n"}, []),
    "pasted": ({
        "a.cu": "void do_work();\n" + REGION % "do_work();",
        "work.cpp": PRINTS + "#define OP(NAME) void do_##NAME() { std::printf(\"x\"); }\nOP(work)\n"}, []),
    "in-header": ({
        "impl.h": PRINTS + "inline void print_it() { std::printf(\"x\"); }\n"
                  "#define MAKE void helper() { print_it(); }\n",
        "a.cu": "void helper();\n" + REGION % "helper();",
        "helper.cpp": '#include "impl.h"\nMAKE\n'}, []),
    "conditional": ({
        "lib.h": PRINTS + "void helper();\n#ifdef LIB_IMPLEMENTATION\n"
                 "void helper() { std::printf(\"x\"); }\n#endif\n",
        "a.cu": '#include "lib.h"\n' + REGION % "helper();",
        "lib.cpp": '#define LIB_IMPLEMENTATION\n#include "lib.h"\n'}, []),
    "forwarder": ({
        "a.cu": "void helper(void *stream);\n" + REGION % "helper(s);",
        "helper.cpp": "extern \"C\" int wait_for(void *);\nvoid helper(void *stream) { wait_for(stream); }\n",
        "wait.cu": "extern \"C\" int wait_for(void *s) { return cudaStreamSynchronize((cudaStream_t)s); }\n"},
        []),
    "lambda": ({
        "engine.h": ENGINE_H,
        "a.cu": '#include "engine.h"\nstatic cudaStream_t s; static cudaGraph_t *g;\n'
                "void Engine::capture(void (*body)()) { " + BEGIN + " body(); " + END + " }\n",
        "main.cpp": PRINTS + '#include "engine.h"\nvoid run() { the_engine().capture([] { std::printf("x"); }); }\n'},
        []),
    "raii": ({
        "scope.h": SCOPE_H, "a.cu": SCOPE_CU,
        "main.cpp": PRINTS + '#include "scope.h"\nvoid run() { Scope scope; std::printf("x"); }\n'}, []),
    "factory": ({
        "scope.h": SCOPE_H, "a.cu": SCOPE_CU,
        "main.cpp": PRINTS + '#include "scope.h"\nvoid run() { auto &&x = make_scope(); std::printf("x"); }\n'},
        []),
    "member": ({
        "scope.h": SCOPE_H, "a.cu": SCOPE_CU,
        "main.cpp": PRINTS + '#include "scope.h"\nvoid run() { Holder x; std::printf("x"); }\n'}, []),
    "halves": ({
        "halves.h": "void begin_it();\nvoid end_it();\n",
        "a.cu": '#include "halves.h"\nstatic cudaStream_t s; static cudaGraph_t *g;\n'
                "void begin_it() { " + BEGIN + " }\nvoid end_it() { " + END + " }\n",
        "main.cpp": PRINTS + '#include "halves.h"\nvoid run() { begin_it(); std::printf("x"); end_it(); }\n'},
        []),
    "setter": ({
        "engine.h": ENGINE_H, "a.cu": STEP_CU,
        "set.cpp": '#include "engine.h"\nvoid Engine::set_step(int step) { step_ = step; }\n',
        "main.cpp": '#include "engine.h"\nvoid next(int i) { the_engine().set_step(i); }\n'}, []),
    "field": ({
        "engine.h": ENGINE_H, "a.cu": STEP_CU,
        "main.cpp": '#include "engine.h"\nvoid next(int i) { the_engine().step_ = i; }\n'}, []),
    "global": ({
        "a.cu": "extern int step;\n__global__ void kernel(int step);\n" + REGION % "kernel<<<1, 1, 0, s>>>(step);",
        "main.cpp": "int step;\nvoid next(int i) { step = i; }\n"}, []),
    "marker": ({
        "a.cu": "void unrelated() {}\n",
        "main.cpp": PRINTS + "void run(void *s) {\n  // cudagraph: begin-capture(s)\n  std::printf(\"x\");\n"
                    "  // cudagraph: end-capture\n}\n"}, []),
    "own-type": ({
        "a.cu": "void unrelated() {}\n",
        "main.cpp": "struct CUstream_st;\nextern \"C\" int cudaStreamSynchronize(CUstream_st *);\n"
                    "void run(CUstream_st *s) { cudaStreamSynchronize(s); }\n"}, ["--roots=stream-param"]),
    "missing": ({
        "a.cu": "void unrelated() {}\n",
        "main.cpp": '#include "not/there.h"\nvoid run() {}\n'}, []),
    "by-name": ({
        "a.cu": "void unrelated() {}\n",
        "main.cpp": PRINTS + "void run() { std::printf(\"x\"); }\n"}, ["--roots=function:^run$"]),
}


def make(directory, files):
    os.makedirs(directory, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(directory, name), "w") as f:
            f.write(text)
    units = [{"directory": directory, "file": name,
              "command": f"{'nvcc' if name.endswith('.cu') else 'c++'} -c {name}"}
             for name in files if not name.endswith(".h")]
    with open(os.path.join(directory, "compile_commands.json"), "w") as f:
        json.dump(units, f)


def run(directory, driver, *options):
    done = subprocess.run([*driver, "--cuda-path=mock", *options], cwd=directory,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{directory}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def report(directory, driver, *options):
    # These are test files, according to their paths.
    return json.loads(run(directory, driver, "--format=json", "--no-cache", "--advice", *options))


root, driver = sys.argv[1], sys.argv[2:]
for name, (files, options) in PROJECTS.items():
    if name != "unrelated":
        files = {**files, **OTHER}
    directory = os.path.join(root, name)
    make(directory, files)
    some = report(directory, driver, *options)
    every = report(directory, driver, "--all-units", *options)
    # Finds the skipped units by removing each unit from the database: the number of analyzed units
    # does not change.
    skipped = []
    if some["coverage"]["skipped_units"]:
        for unit in files:
            if unit.endswith(".cpp"):
                make(directory, {f: t for f, t in files.items() if f != unit})
                fewer = report(directory, driver, *options)
                if fewer["coverage"]["translation_units"] == some["coverage"]["translation_units"] \
                        and fewer["coverage"]["skipped_units"] < some["coverage"]["skipped_units"]:
                    skipped.append(unit)
        make(directory, files)
    same = some["findings"] == every["findings"] and some["regions"] == every["regions"]
    print(f"{name}: skipped {', '.join(skipped) or 'none'}; "
          + (f"the same findings: {len(some['findings'])}" if same else
             f"{len(every['findings'])} findings, but {len(some['findings'])} with fewer units"))

directory = os.path.join(root, "unrelated")
text = run(directory, driver, "--cache-dir=cache")
print("text:", text[text.rindex("1 translation unit"):].strip())
print("json:", report(directory, driver)["coverage"]["skipped_units"])
print("warm:", "the same" if run(directory, driver, "--cache-dir=cache") == text else "differs")
# A skipped unit now defines a function that captured code calls.
with open(os.path.join(directory, "a.cu"), "a") as f:
    f.write(REGION.replace("region", "more") % "user(); sum();".replace("sum", "total")
            .replace("user", "::user"))
with open(os.path.join(directory, "a.cu")) as f:
    text = f.read().replace('#include "log.h"', '#include "log.h"\nvoid user(); int total();', 1)
with open(os.path.join(directory, "a.cu"), "w") as f:
    f.write(text)
with open(os.path.join(directory, "unrelated.cpp"), "a") as f:
    f.write("int total() { return 1; }\n")
text = run(directory, driver, "--cache-dir=cache")
print("changed:", text[text.rindex("translation unit") - 2:].strip())
