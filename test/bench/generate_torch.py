#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a PyTorch extension of any number of translation units.

  generate_torch.py DIRECTORY --units N --torch DIR [--system] [ARGUMENT...]

Each unit begins with torch/extension.h and the headers of CUDA streams, as the
units of an extension do, and differs in the rest: a kernel, an operator that calls the
next unit's, and a capture in every fifth. The arguments are added to the
compile commands. PyTorch's own build passes its headers with -I; with --system,
they are system headers, as CMake passes those of an imported library.
"""

import argparse
import json
import os
import sysconfig

UNIT = """\
// Operator {n} of the extension.
#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
{more}
namespace extension {{

__global__ void kernel{n}(const float *x, float *y, int64_t size) {{
  int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < size)
    y[i] = x[i] * {n}.5f;
}}

at::Tensor operator{next}(const at::Tensor &x, int depth);

at::Tensor operator{n}(const at::Tensor &x, int depth) {{
  TORCH_CHECK(x.is_cuda(), "x must be on a GPU");
  const at::cuda::CUDAGuard guard(x.device());
  at::Tensor y = at::empty_like(x);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  kernel{n}<<<static_cast<unsigned>((x.numel() + 255) / 256), 256, 0, stream>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  std::vector<at::Tensor> all = {{x, y}};
  if (depth > {n})
    all.push_back(operator{next}(y, depth - 1));
  return at::stack(all).sum(0);
}}
{capture}
}} // namespace extension

TORCH_LIBRARY_FRAGMENT(extension, m) {{
  m.def("operator{n}(Tensor x, int depth) -> Tensor");
}}
"""

CAPTURE = """
void capture{n}(const at::Tensor &x) {{
  cudaStream_t stream = at::cuda::getStreamFromPool();
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  at::Tensor y = operator{n}(x, 3);
  cudaStreamSynchronize(stream);
  cudaStreamEndCapture(stream, &graph);
}}
"""


def include_of(directory):
    """The folder of the headers in `directory`, or None."""
    for place in (directory, os.path.join(directory, "include")):
        if os.path.isfile(os.path.join(place, "torch", "extension.h")):
            return os.path.abspath(place)
    return None


def folders(torch):
    return [torch, os.path.join(torch, "torch", "csrc", "api", "include"),
            sysconfig.get_paths()["include"]]


def generate(directory, units, torch, system=False, arguments=()):
    """Writes the project; returns its sources."""
    option = "-isystem" if system else "-I"
    flags = [word for place in folders(include_of(torch))
             for word in (option, place)]
    source = os.path.join(directory, "src")
    os.makedirs(source, exist_ok=True)
    files, commands = [], []
    for n in range(units):
        file = os.path.join(source, f"operator{n}.cu")
        with open(file, "w") as f:
            f.write(UNIT.format(
                n=n, next=(n + 1) % units,
                more="#include <numeric>\n" if n % 3 == 2 else "",
                capture=CAPTURE.format(n=n) if n % 5 == 0 else ""))
        files.append(file)
        commands.append({
            "directory": directory, "file": file,
            "arguments": ["clang++", "-x", "cuda", "--cuda-host-only",
                          "-std=c++20", "-DTORCH_EXTENSION_NAME=bench", *flags,
                          *arguments, "-c", file]})
    with open(os.path.join(directory, "compile_commands.json"), "w") as f:
        json.dump(commands, f, indent=1)
    return files


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("directory")
    p.add_argument("--units", type=int, default=20)
    p.add_argument("--torch", required=True)
    p.add_argument("--system", action="store_true")
    p.add_argument("arguments", nargs="*")
    o = p.parse_args()
    if not include_of(o.torch):
        p.error(f"no torch/extension.h in {o.torch} or its include/")
    generate(os.path.abspath(o.directory), o.units, o.torch, o.system,
             o.arguments)


if __name__ == "__main__":
    main()
