#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a CUDA project of any number of translation units.

  generate.py DIRECTORY --units N [--size K]

It contains code that makes projects hard to analyze: a capture in one file whose calls
pass through many others, virtual calls, a workspace that grows, and error-check macros.
One unit
is src/engine.cu; the others are operators in groups of ten, and each calls the next of
its group. Every fourth operator is plain C++. Names and contents depend only on N and
K, and each file except engine.cu is the same for every N, so that the cost of a unit
can be compared between sizes.
"""

import argparse
import json
import os
import sys

GROUP = 10

HEADER = """\
// The parts that all operators share.
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <memory>
#include <string>
#include <vector>

#define PROJECT_CHECK(CALL)                                                    \\
  do {                                                                         \\
    cudaError_t status_ = (CALL);                                              \\
    if (status_ != cudaSuccess) {                                              \\
      std::fprintf(stderr, "%s:%d: %s\\n", __FILE__, __LINE__,                  \\
                   cudaGetErrorString(status_));                               \\
      std::abort();                                                            \\
    }                                                                          \\
  } while (0)

namespace project {

struct Context {
  cudaStream_t stream = nullptr;
  float *workspace = nullptr;
  std::size_t bytes = 0;
  int step = 0;
};

struct Operator {
  virtual ~Operator() = default;
  virtual std::string name() const = 0;
  virtual void run(Context &context, const float *in, float *out, int n) = 0;
};

inline float *reserve(Context &context, std::size_t bytes) {
  if (bytes > context.bytes) {
    PROJECT_CHECK(cudaFree(context.workspace));
    PROJECT_CHECK(cudaMalloc((void **)&context.workspace, bytes));
    context.bytes = bytes;
  }
  return context.workspace;
}

} // namespace project
"""

GROUP_HEADER = """\
// The operators of one group.
#pragma once
#include "project.h"

namespace project {{
{declarations}
}} // namespace project
"""

KERNEL = """\
__global__ void kernel_{i}_{k}(const float *in, float *out, int n) {{
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n)
    out[at] = in[at] * {factor}.0f + out[at];
}}
"""

LAUNCH = """\
static void part_{i}_{k}(Context &context, const float *in, float *out, int n) {{
  std::vector<int> sizes;
  for (int left = n; left > 0; left /= 2)
    sizes.push_back(left);
  for (int size : sizes)
{work}
  PROJECT_CHECK(cudaGetLastError());
}}
"""

OPERATOR = """\
struct Operator{i} : Operator {{
  std::string name() const override {{ return "operator {i}"; }}
  void run(Context &context, const float *in, float *out, int n) override {{
{calls}
  }}
}};
}} // namespace

std::unique_ptr<Operator> make_{i}() {{ return std::make_unique<Operator{i}>(); }}

void run_{i}(Context &context, const float *in, float *out, int n) {{
  Operator{i} op;
  op.run(context, in, out, n);
{then}}}

}} // namespace project
"""

ENGINE = """\
// Captures one step of the whole project.
{includes}

namespace project {{
namespace {{

class Engine {{
public:
  Engine() {{
    PROJECT_CHECK(
        cudaStreamCreateWithFlags(&context.stream, cudaStreamNonBlocking));
{makes}
  }}
  ~Engine() {{ cudaStreamDestroy(context.stream); }}

  cudaGraph_t capture(const float *in, float *out, int n) {{
    cudaGraph_t graph = nullptr;
    PROJECT_CHECK(
        cudaStreamBeginCapture(context.stream, cudaStreamCaptureModeGlobal));
    for (auto &op : operators)
      op->run(context, in, out, n);
{runs}
    PROJECT_CHECK(cudaStreamEndCapture(context.stream, &graph));
    return graph;
  }}

private:
  Context context;
  std::vector<std::unique_ptr<Operator>> operators;
}};

}} // namespace

cudaGraph_t step(const float *in, float *out, int n) {{
  Engine engine;
  return engine.capture(in, out, n);
}}

}} // namespace project
"""


def is_cuda(i):
    return i % 4 != 3


def operator_file(i, size, last):
    """The text of operator `i`; `last`: no operator follows it in its group."""
    text = ["// Operator %d." % i, '#include "group_%d.h"' % (i // GROUP), ""]
    if is_cuda(i):
        text += [KERNEL.format(i=i, k=k, factor=k + 2) for k in range(size)]
    text += ["namespace project {", "namespace {", ""]
    for k in range(size):
        work = (f"    kernel_{i}_{k}<<<(size + 255) / 256, 256, 0, "
                "context.stream>>>(in, out, size);" if is_cuda(i) else
                "    PROJECT_CHECK(cudaMemcpyAsync(out, in, size * sizeof(float),\n"
                "                                  cudaMemcpyDeviceToDevice, "
                "context.stream));")
        text.append(LAUNCH.format(i=i, k=k, work=work))
    calls = [f"    part_{i}_{k}(context, in, out, n);" for k in range(size)]
    if i % GROUP == 4:
        calls.append("    out = reserve(context, n * sizeof(float));")
    if i % GROUP == 7:
        calls.append("    PROJECT_CHECK(cudaStreamSynchronize(context.stream));")
    then = "" if last else f"  run_{i + 1}(context, out, out, n);\n"
    text.append(OPERATOR.format(i=i, calls="\n".join(calls), then=then))
    return "\n".join(text)


def group_header(group):
    # The header is the same for each N: it also declares operators that a
    # small project lacks.
    return GROUP_HEADER.format(declarations="\n".join(
        f"std::unique_ptr<Operator> make_{i}();\n"
        f"void run_{i}(Context &context, const float *in, float *out, int n);"
        for i in range(group * GROUP, (group + 1) * GROUP)))


def engine_file(operators):
    firsts = range(0, operators, GROUP)
    return ENGINE.format(
        includes="\n".join(f'#include "group_{i // GROUP}.h"' for i in firsts),
        makes="\n".join(f"    operators.push_back(make_{i}());" for i in firsts),
        runs="\n".join(f"    run_{i}(context, out, out, n);" for i in firsts))


def project_files(units, size):
    """Maps the path of each file, except the compile database, to its text."""
    operators = units - 1
    files = {"include/project.h": HEADER, "src/engine.cu": engine_file(operators)}
    for i in range(operators):
        last = i % GROUP == GROUP - 1 or i == operators - 1
        name = f"src/operator_{i:04}." + ("cu" if is_cuda(i) else "cpp")
        files[name] = operator_file(i, size, last)
        files[f"include/group_{i // GROUP}.h"] = group_header(i // GROUP)
    return files


def command(path):
    """Writes the commands as CMake does for nvcc and g++."""
    output = os.path.join("build", os.path.basename(path) + ".o")
    if path.endswith(".cu"):
        return ("nvcc -forward-unknown-to-host-compiler -Iinclude -std=c++17 "
                "-O2 --expt-relaxed-constexpr "
                "-gencode=arch=compute_80,code=sm_80 -Xcompiler=-fPIC,-Wall "
                f"-x cu -rdc=true -c {path} -o {output}")
    return f"g++ -Iinclude -std=c++17 -O2 -fPIC -Wall -c {path} -o {output}"


def generate(directory, units, size):
    """Writes the project; returns the paths of its units, engine.cu first."""
    files = project_files(units, size)
    sources = sorted(n for n in files if n.startswith("src/"))
    directory = os.path.abspath(directory)
    files["compile_commands.json"] = json.dumps(
        [{"directory": directory, "file": s, "command": command(s)}
         for s in sources], indent=1) + "\n"
    for name, text in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    return [os.path.join(directory, s) for s in sources]


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("directory")
    p.add_argument("--units", type=int, default=10, help="translation units (10)")
    p.add_argument("--size", type=int, default=4,
                   help="kernels and host functions of each operator (4)")
    o = p.parse_args()
    if o.units < 2 or o.size < 1:
        p.error("--units must be at least 2 and --size at least 1")
    if os.path.isdir(o.directory) and os.listdir(o.directory):
        sys.exit(f"generate.py: error: {o.directory} is not empty; "
                 "name a new directory")
    generate(o.directory, o.units, o.size)


if __name__ == "__main__":
    main()
