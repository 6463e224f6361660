"""Configures a CUDA project with the toolchain file of cudagraph-tidy, and
analyzes it. The caller hides the CUDA toolkit of the machine, if there is one.
usage: no_nvcc.py DRIVER PROJECT WORKDIR [CMAKE]..."""

import json
import os
import shutil
import subprocess
import sys

DRIVER, PROJECT, WORK = sys.argv[1:4]
CMAKES = sys.argv[4:] or ["cmake"]
# A toolkit named in the environment is not used.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": WORK, "CUDA_PATH": "/usr/local/cuda",
               "CUDA_HOME": "/usr/local/cuda", "XDG_CACHE_HOME": os.path.join(WORK, "cache")}


def run(status, *args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=ENVIRONMENT)
    assert done.returncode == status, (args, done.returncode, done.stdout)
    return done.stdout


def case(cmake, name, generator, *options):
    source, build = os.path.join(WORK, "a project"), os.path.join(WORK, name)
    shutil.rmtree(build, ignore_errors=True)
    if not os.path.isdir(source):
        shutil.copytree(PROJECT, source)
    toolchain = run(0, DRIVER, "--cmake-toolchain").strip()
    said = run(0, cmake, "-G", generator, "-S", source, "-B", build,
               "-DCMAKE_TOOLCHAIN_FILE=" + toolchain, *options)
    assert "compiles nothing" in said, said
    for file in ("CMakeCache.txt", "compile_commands.json"):
        with open(os.path.join(build, file)) as f:
            text = f.read()
        assert "/usr/local/cuda" not in text, (file, text)
    entries = json.loads(text)
    files = {os.path.basename(e["file"]) for e in entries}
    assert files == {"kernels.cu", "main.cpp"}, files
    for entry in entries:
        nvcc = entry["command"].split()[0].endswith("/cuda/bin/nvcc")
        assert nvcc == entry["file"].endswith(".cu"), entry
    found = run(1, DRIVER, "--no-cache", "--format=json", "--quiet", "-p", build)
    found = json.loads(found)
    assert not found["coverage"]["incomplete"], found["coverage"]
    lines = {(f["callee"], f["location"]["line"]) for f in found["findings"]}
    assert ("cudaStreamSynchronize", 11) in lines, lines
    notes = run(1, DRIVER, "--no-cache", "--verbose", "-p", build)
    assert "mock headers" in notes and "/usr/local/cuda" not in notes, notes
    return said, build


for cmake in CMAKES:
    _, build = case(cmake, "ninja build", "Ninja", "-DLEGACY=ON")
    # A build in this directory fails and does not report success.
    said = run(1, cmake, "--build", build, "--target", "kernels")
    assert "which compiles nothing; to build" in said and "kernels.cu" in said, said

    own = os.path.join(WORK, "own.cmake")
    with open(own, "w") as f:
        f.write("set(OWN_TOOLCHAIN read)\n")
    said, build = case(cmake, "make", "Unix Makefiles", "-DLATE=ON",
                       "-DCUDAGRAPH_TIDY_CUDA_VERSION=12.4",
                       "-DCUDAGRAPH_TIDY_CHAINLOAD_TOOLCHAIN_FILE=" + own)
    assert "version 12.4.0" in said and "project's toolchain: read" in said, said
    # A second configuration gives the same result.
    run(0, cmake, build)
    print("done with", run(0, cmake, "--version").splitlines()[0])

said = run(1, "cmake", "-S", os.path.join(WORK, "a project"), "-B", os.path.join(WORK, "wrong"),
           "-DCMAKE_TOOLCHAIN_FILE=" + run(0, DRIVER, "--cmake-toolchain").strip(),
           "-DCUDAGRAPH_TIDY_CUDA_VERSION=twelve")
assert "is not a version such as 12.4" in " ".join(said.split()), said
