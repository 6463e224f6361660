# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs wheels whose scripts are the programs themselves, without any Python code.

pip puts NAME.data/scripts into the bin directory of the environment, and
NAME.data/data into its root, where the programs look for ../share.
"""

import base64
import hashlib
import os
import time
import zipfile

import elf

TIDY = """\
Finds the lines that break CUDA graph stream capture, and the work that silently
escapes the graph, before the program runs. It needs no GPU, no CUDA toolkit, and
no LLVM.

    cudagraph-tidy -p build         # all of compile_commands.json
    cudagraph-tidy engine.cu        # one file
    cudagraph-tidy --staged         # in a hook

`cudagraph-tidy --help` lists the options; `share/doc/cudagraph-tidy` in the
environment contains the documentation. `cudagraph-probe` observes a running
program.
"""
CLANGD = """\
clangd with the checks of cudagraph-tidy: shows code that breaks CUDA graph
stream capture while you edit it.
"""
# Name, summary, requirements, description.
WHEELS = {
    "tidy": ("cudagraph_tidy", "Finds the lines that break CUDA graph stream capture",
             None, TIDY),
    "clangd": ("cudagraph_clangd", "clangd with the checks of cudagraph-tidy",
               "cudagraph-tidy", CLANGD),
}


def machine_tag(files):
    """The platform tag of PEP 600: the oldest glibc with which all programs run."""
    newest = max(elf.wants(path)[0] for path in files if elf.is_elf(path))
    return f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}"


def digest(data):
    value = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + value.rstrip(b"=").decode()


def metadata(name, version, address, summary, needs, text):
    lines = ["Metadata-Version: 2.1", f"Name: {name.replace('_', '-')}",
             f"Version: {version}", f"Summary: {summary}", f"Home-page: {address}",
             "License: Apache-2.0 WITH LLVM-exception",
             "Keywords: cuda,cuda-graphs,static-analysis,clang,linter",
             "Classifier: Environment :: GPU :: NVIDIA CUDA",
             "Classifier: Operating System :: POSIX :: Linux",
             "Classifier: Programming Language :: C++",
             "Classifier: Topic :: Software Development :: Quality Assurance",
             "Requires-Python: >=3.7", "License-File: LICENSE", "License-File: NOTICE",
             "Description-Content-Type: text/markdown"]
    if needs:
        lines.append(f"Requires-Dist: {needs} =={version}")
    return "\n".join(lines) + "\n\n" + text


def write(component, version, address, epoch, staged, licenses, out):
    """Packs the directory `staged` and returns the wheel's path."""
    name, summary, needs, text = WHEELS[component]
    files = {}
    for folder, _, names in os.walk(staged):
        for each in names:
            path = os.path.join(folder, each)
            files[os.path.relpath(path, staged)] = path
    tag = "py3-none-" + machine_tag(files.values())
    info, data = f"{name}-{version}.dist-info", f"{name}-{version}.data"

    entries = []
    for inside, path in files.items():
        with open(path, "rb") as f:
            content = f.read()
        if inside.startswith("bin/"):
            entries.append((f"{data}/scripts/{inside[4:]}", content, 0o755))
        else:
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            entries.append((f"{data}/data/{inside}", content, mode))
    for path in licenses:
        with open(path, "rb") as f:
            entries.append((f"{info}/licenses/{os.path.basename(path)}", f.read(), 0o644))
    about = metadata(name, version, address, summary, needs, text)
    entries.append((f"{info}/METADATA", about.encode(), 0o644))
    entries.append((f"{info}/WHEEL", (
        "Wheel-Version: 1.0\nGenerator: cudagraph-tidy\nRoot-Is-Purelib: false\n"
        f"Tag: {tag}\n").encode(), 0o644))
    entries.sort()
    record = "".join(f"{where},{digest(content)},{len(content)}\n"
                     for where, content, _ in entries)
    entries.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))

    result = os.path.join(out, f"{name}-{version}-{tag}.whl")
    when = time.gmtime(max(epoch, 315532800))[:6]  # a zip's time begins in 1980
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as wheel:
        for where, content, mode in entries:
            entry = zipfile.ZipInfo(where, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content)
    return result
