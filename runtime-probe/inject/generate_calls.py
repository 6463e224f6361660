#!/usr/bin/env python3
# ===- generate_calls.py - Offsets of arguments of CUDA calls ---*- python -*-===#
#
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
#
# CUPTI passes the arguments of a call to a callback as a struct that differs
# between calls. This script reads CUPTI's headers and writes one line for each
# callback ID:
#
#   CALL(DOMAIN, ID, "name", WORK, PER_THREAD, STREAM, TO, FROM, BYTES)
#
# with the offsets of the stream, of the two ends of a copy, and of its size. An
# offset is -1 if there is none, and -2 if the stream is in the target of the
# first argument. A set has one end; for a launch, TO is its arguments, and FROM
# is its function. Usage: generate_calls.py INCLUDE_DIRECTORY OUTPUT
#
# ===------------------------------------------------------------------------===#

import os
import re
import sys

DOMAINS = [
    ("RUNTIME", "cupti_runtime_cbid.h", "CUPTI_RUNTIME_TRACE_CBID_",
     ["generated_cuda_runtime_api_meta.h"]),
    ("DRIVER", "cupti_driver_cbid.h", "CUPTI_DRIVER_TRACE_CBID_",
     ["generated_cuda_meta.h"]),
]


def members(text):
    """Members of each parameter struct, by callback name."""
    result = {}
    for name, body in re.findall(
            r"typedef struct (\w+)_params_st \{(.*?)\}", text, re.S):
        result[name] = re.findall(r"(\w+)\s*(?:\[\w+\])?;", body)
    return result


def public_name(name):
    """cudaMemcpyAsync_ptsz_v7000 -> cudaMemcpyAsync; cuMemcpyHtoD_v2 -> cuMemcpyHtoD."""
    name = re.sub(r"_v\d+$", "", name)
    return re.sub(r"_pt[sd]s?z?$|_ptds$", "", re.sub(r"_v\d+(?=_pt)", "", name))


def work(name):
    if re.search(r"Graph|Node|Symbol(Address|Size)|GetAttribute|Peer(Access|Async3D)?Get", name):
        return "GRAPH" if re.fullmatch(r"cu(da)?GraphLaunch", name) else "NOTHING"
    if re.search(r"Launch(Cooperative)?Kernel|^cuLaunchGrid|^cudaLaunch$|^cuLaunch$", name):
        return "LAUNCH" if "MultiDevice" not in name else "NOTHING"
    if "LaunchHostFunc" in name:
        return "HOST"
    if re.match(r"cu(da)?Memcpy", name):
        return "COPY"
    if re.match(r"cu(da)?Memset", name):
        return "SET"
    if re.search(r"(MemAlloc|Malloc)(FromPool)?Async$", name):
        return "ALLOC"
    if re.search(r"Free(Async)$", name):
        return "FREE"
    return "NOTHING"


def first(candidates, names):
    return next((c for c in candidates if c in names), None)


def main():
    include, output = sys.argv[1:]
    lines = []
    for domain, ids, prefix, headers in DOMAINS:
        with open(os.path.join(include, ids)) as f:
            numbers = re.findall(prefix + r"(\w+)\s*=\s*(\d+)", f.read())
        known = {}
        for header in headers:
            with open(os.path.join(include, header)) as f:
                known.update(members(f.read()))
        for name, number in numbers:
            if name in ("INVALID", "SIZE", "FORCE_INT"):
                continue
            names = known.get(name, [])
            public = public_name(name)
            what = work(public) if names else "NOTHING"
            copy = what == "COPY"
            if re.search("Batch|Array", public):  # no plain pointers
                copy = False

            def offset(candidates, wanted=True):
                member = first(candidates, names) if wanted else None
                return f"offsetof({name}_params, {member})" if member else "-1"

            end = copy or what == "SET" and not re.search("2D|3D|Batch", public)
            launch = what == "LAUNCH"
            stream = offset(["stream", "hStream"])
            if "LaunchKernelEx" in public:
                stream = "-2"
            lines.append("CALL({}, {}, \"{}\", {}, {}, {}, {}, {}, {})\n".format(
                domain, number, public, what,
                "true" if re.search("_pt[sd]s?z?", name) else "false", stream,
                offset(["kernelParams", "args"] if launch else
                       ["dst", "dstHost", "dstDevice", "devPtr"], end or launch),
                offset(["f", "func"] if launch else
                       ["src", "srcHost", "srcDevice"], copy or launch),
                offset(["extra"] if launch else ["count", "ByteCount"], end or launch)))
    with open(output, "w") as f:
        f.writelines(lines)


main()
