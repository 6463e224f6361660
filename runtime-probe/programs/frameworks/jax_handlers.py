#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: jax_handlers.py CASE wrong|right. A custom call in an XLA command buffer.
FRAMEWORKS_BUILD names a folder for the library; the first run compiles it."""

import ctypes
import os
import subprocess
import sys

FLAGS = ("--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUSTOM_CALL "
         "--xla_gpu_graph_min_graph_size=1")
os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") + " " + FLAGS).strip()
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {"default": "OnDefault", "waits": "Waits"}


def library():
    folder = os.environ.get("FRAMEWORKS_BUILD", HERE)
    made = os.path.join(folder, "libjax_handlers.so")
    if not os.path.exists(made):
        new = f"{made}.{os.getpid()}"  # other processes may compile it
        subprocess.run(["nvcc", "-std=c++17", "-g", "-O1", "-arch=native", "-shared",
                        "-Xcompiler=-fPIC", "-cudart", "shared", "-I" + jax.ffi.include_dir(),
                        "-o", new, os.path.join(HERE, "jax_handlers.cu")], check=True)
        os.replace(new, made)
    return ctypes.cdll.LoadLibrary(made)


def main(case, right):
    symbol = "OnStream" if right else CASES[case]
    jax.ffi.register_ffi_target("twice", jax.ffi.pycapsule(getattr(library(), symbol)),
                                platform="CUDA")

    @jax.jit
    def step(x):
        y = jnp.tanh(x @ x)
        y = jax.ffi.ffi_call("twice", jax.ShapeDtypeStruct(x.shape, x.dtype))(y)
        return jnp.sin(y) @ x

    x = jnp.full((64, 64), 0.01, jnp.float32)
    try:
        for _ in range(4):
            result = step(x)
            result.block_until_ready()
        print(f"{float(result.sum()):.4f}" if right else "done")
    except Exception as e:
        print(type(e).__name__)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] == "right")
