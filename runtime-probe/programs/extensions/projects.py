# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public PyTorch extensions whose operators run_extensions.py runs: where their sources come
from, and how the sources are compiled. Their sources are not in this repository. The checkout of
pytorch_sparse needs its submodule parallel-hashmap."""

import glob
import os


class Project:
    """`folder` is inside the checkout; the patterns and the directories are inside it."""

    def __init__(self, name, repository, commit, folder, sources, include=(), define=(),
                 python=False):
        self.name, self.repository, self.commit, self.folder = name, repository, commit, folder
        self.patterns, self.include, self.define = sources, list(include), list(define)
        self.python = python  # a Python module instead of a library of operators

    def sources(self, checkouts):
        """Paths relative to the folder of the project."""
        top = self.top(checkouts)
        return sorted(os.path.relpath(path, top) for pattern in self.patterns
                      for path in glob.glob(os.path.join(top, pattern)))

    def top(self, checkouts):
        checkout = os.path.join(os.path.abspath(checkouts), self.repository.split("/")[1])
        return os.path.normpath(os.path.join(checkout, self.folder))

    def arguments(self):
        """The compilers run in the folder of the project."""
        return ["-std=c++17", "-I.", *(f"-I{i}" for i in self.include),
                *(f"-D{d}" for d in self.define)]


def _named(names, *folders):
    return [f"csrc/{folder}{name}{suffix}" for name in names
            for folder, suffix in (("", ".cpp"), ("cpu/", "_cpu.cpp"), ("cuda/", "_cuda.cu"))]


PROJECTS = [
    Project("torch_scatter", "rusty1s/pytorch_scatter",
            "648dda3cf964731ffb4de11eafc445a83133eda4", ".",
            _named(["scatter", "segment_coo", "segment_csr"]), define=["WITH_CUDA"]),
    Project("torch_cluster", "rusty1s/pytorch_cluster",
            "3d1d9e3967c77c757a68d8aad37d0171e93018e2", ".",
            _named(["fps", "graclus", "grid", "knn", "nearest", "radius", "rw"]),
            define=["WITH_CUDA"]),
    Project("torch_sparse", "rusty1s/pytorch_sparse",
            "91feaa5e28a2eb4ba983a9007d046112dbc92d97", ".",
            _named(["convert", "diag", "rw", "spmm"]),
            include=["third_party/parallel-hashmap"], define=["WITH_CUDA"]),
    Project("torch_spline_conv", "rusty1s/pytorch_spline_conv",
            "050f58a430e41f6beda90fe9ea5a348c0b8831a7", ".",
            _named(["basis", "weighting"]), define=["WITH_CUDA"]),
    Project("pointnet2", "erikwijmans/Pointnet2_PyTorch",
            "b5ceb6d9ca0467ea34beb81023f96ee82228f626",
            "pointnet2_ops_lib/pointnet2_ops/_ext-src", ["src/*.cpp", "src/*.cu"],
            include=["include"], define=["TORCH_EXTENSION_NAME=pointnet2"], python=True),
    Project("NNPOps", "openmm/NNPOps", "cc46c13ea1e45f62a19a0664e0010496877b77f0", "src",
            ["pytorch/*.cpp", "pytorch/neighbors/*.c*", "pytorch/pme/*.c*", "ani/C*Functions.c*",
             "schnet/C*CFConv.c*"],
            include=["ani", "schnet", "pytorch", "pytorch/common"], define=["ENABLE_CUDA=1"]),
]
