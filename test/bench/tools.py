# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compared programs, the abilities of the driver, and the bundled sources."""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from collections import namedtuple

from measure import Failed, Run

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")

# The Clang command for one source: `arguments` excludes the program and the source.
Unit = namedtuple("Unit", "name source arguments torch")
# A translated command of the compile database.
Command = namedtuple("Command", "directory file arguments")


class Tools:
    def __init__(self, o):
        self.ours = os.path.join(o.build, "bin", "cudagraph-tidy")
        self.clangxx, self.clang_tidy = o.clangxx, o.clang_tidy
        self.trivial = o.trivial
        for tool in (self.ours, self.clangxx):
            self.need(tool)
        self.ours = os.path.abspath(self.ours)
        text = subprocess.run([self.ours, "--help"], capture_output=True,
                              text=True).stdout
        self.has_cache = has_option(text, "--cache-dir")
        self.has_jobs = has_option(text, "-j")
        self.exports = "export-compile-db" in text
        self.jobs = (o.jobs or os.cpu_count()) if self.has_jobs else 1
        self.build = o.build

    def need(self, tool):
        if not shutil.which(tool):
            raise Failed(f"{tool} does not exist; build it, or select another with "
                         "--build, --clangxx, or --clang-tidy")

    def plugin(self):
        self.need(self.clang_tidy)
        found = glob.glob(os.path.join(self.build, "lib",
                                       "CudaGraphTidyPlugin-*.so"))
        if len(found) != 1:
            raise Failed(f"{len(found)} plugins in {self.build}/lib, not one")
        return found[0]

    def versions(self):
        return {"cudagraph-tidy": self.ours, "clang++": self.clangxx,
                "clang-tidy": self.clang_tidy}

    def analyse(self, arguments, cache=None, cwd=None, accept=(0,)):
        """A run of the driver; `cache`: its directory, or None for no cache."""
        command = [self.ours, "--quiet", "--fail-on=none"]
        if self.has_cache:
            command += ["--cache-dir", cache] if cache else ["--no-cache"]
        if self.has_jobs:
            command += ["-j", str(self.jobs)]
        return Run(command + arguments, cwd, accept)

    def parse(self, command, accept=(0,)):
        """The baseline: the same arguments for Clang, which only parses. Analyzers
        define __clang_analyzer__, and headers test for it."""
        extra = [a for a in ("-fsyntax-only", "-D__clang_analyzer__=1")
                 if a not in command.arguments]
        return Run([self.clangxx] + extra + command.arguments,
                   command.directory, accept)

    def translated(self, arguments, cwd=None):
        """The commands that the driver passes to Clang."""
        if self.exports and "--" not in arguments:
            with tempfile.TemporaryDirectory() as out:
                self._ask(["export-compile-db", out] + arguments, cwd)
                return read_database(os.path.join(out, "compile_commands.json"))
        log = self._ask(["--verbose", "--fail-on=none"]
                        + (["--no-cache"] if self.has_cache else [])
                        + arguments, cwd)
        return parse_verbose(log)

    def _ask(self, arguments, cwd):
        done = subprocess.run([self.ours] + arguments, cwd=cwd, text=True,
                              capture_output=True, errors="replace")
        if done.returncode not in (0, 1, 3):
            raise Failed(done.stderr.strip())
        return done.stderr


def has_option(help_text, name):
    return bool(re.search(r"^\s+(-\S+[ ,]+)*" + re.escape(name) + r"(?![\w-])",
                          help_text, re.M))


def parse_verbose(log):
    """The commands in the output of --verbose."""
    commands = []
    for line in re.findall(r"^cudagraph-tidy: (cd .* && \S*clang\S* .*)$", log, re.M):
        words = shlex.split(line)
        commands.append(Command(words[1], None, words[4:]))
    return commands


def read_database(path):
    with open(path) as f:
        entries = json.load(f)
    return [Command(e["directory"],
                    os.path.join(e["directory"], e["file"]),
                    e["arguments"][1:] if "arguments" in e
                    else shlex.split(e["command"])[1:]) for e in entries]


def command_of(commands, file):
    """The command that compiles `file`, or None."""
    file = os.path.realpath(file)
    for c in commands:
        for word in [c.file] if c.file else c.arguments:
            if os.path.realpath(os.path.join(c.directory, word)) == file:
                return c
    return None


def toolkit(given):
    """The directory of a CUDA toolkit, or None for the mock headers."""
    if given == "mock":
        return None
    places = [given] if given else [os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    for place in filter(None, places):
        if os.path.isfile(os.path.join(place, "include", "cuda_runtime.h")):
            return place
    if given:
        raise Failed(f"no CUDA toolkit in {given}; 'mock' stands for the mock "
                     "headers")
    return None


def cuda_arguments(cuda):
    common = ["-std=c++17", "-x", "cuda", "--cuda-host-only", "-nocudalib",
              "--offload-arch=sm_80"]
    if cuda:
        return common + [f"--cuda-path={cuda}", "-isystem",
                         os.path.join(cuda, "include", "cccl"),
                         "-Wno-unknown-cuda-version"]
    mock = os.path.join(ROOT, "test", "Inputs", "mock")
    return common + ["-nocudainc", f"--cuda-path={mock}", "-Xclang",
                     "-target-sdk-version=12.9", "-isystem", mock,
                     "-include", "cuda_runtime.h"]


def torch_arguments(directory, cuda):
    include = directory
    if not os.path.isfile(os.path.join(include, "torch", "extension.h")):
        include = os.path.join(directory, "include")
    if not os.path.isfile(os.path.join(include, "torch", "extension.h")):
        raise Failed(f"no torch/extension.h in {directory} or its include/; "
                     "--torch names the unpacked headers of PyTorch")
    python = sysconfig.get_paths()["include"]
    words = ["-std=c++20", "-DTORCH_EXTENSION_NAME=bench"]
    for place in (include,
                  os.path.join(include, "torch", "csrc", "api", "include"),
                  os.path.join(cuda, "include"), python):
        words += ["-isystem", os.path.abspath(place)]
    return words


def bundled(o):
    """The units to measure without a source, and notes on those left out."""
    cuda = toolkit(o.cuda_path)
    notes = [f"CUDA toolkit in {cuda}" if cuda else "mock CUDA headers"]
    units = [Unit("CUDA only: engine.cu",
                  os.path.join(ROOT, "examples", "engine.cu"),
                  cuda_arguments(cuda), False)]
    if cuda:
        units.append(Unit("Thrust and CUB: thrust.cu",
                          os.path.join(INPUTS, "thrust.cu"),
                          cuda_arguments(cuda), False))
    else:
        notes.append("no Thrust unit: that needs a CUDA toolkit")
    if o.torch and cuda:
        units.append(Unit("PyTorch: torch.cpp", os.path.join(INPUTS, "torch.cpp"),
                          torch_arguments(o.torch, cuda), True))
    else:
        notes.append("no PyTorch unit: that needs a CUDA toolkit and --torch DIR")
    return units, notes
