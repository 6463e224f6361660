# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that laws.py rewrites: cases of lit, labeled programs, and real
projects."""

import argparse
import os
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "test" / name) for name in ("", "accuracy", "corpus")]
import accuracy
import check
import facts
import trees

FOLDERS = ("checks", "analysis", "annotations", "link")
PROGRAMS = ROOT / "test" / "accuracy" / "programs"


class Case:
    """A file, and how its first RUN line analyzes it."""

    cuda_path, folder = "mock", None

    def __init__(self, path):
        self.path = Path(path).resolve()
        self.name = (str(self.path.relative_to(ROOT)) if self.path.is_relative_to(ROOT)
                     else str(self.path))
        self.text = self.path.read_text(errors="replace")
        self.options = []
        self.configure()

    def configure(self):
        run = re.search(r"^// RUN: (?:%if gxx %\{ )?%check %s(.*?)(?: %\})?$", self.text, re.M)
        words = shlex.split(run[1]) if run else []
        inputs = ROOT / "test" / "Inputs"
        words = [w.replace("%inputs", str(inputs)) for w in words]
        # Measurements on real headers would need a toolkit.
        o, extra = check.parse_arguments(
            [str(self.path), "--clang-tidy=", "--plugin=", "--driver=", f"--root={ROOT}"]
            + [w for w in words if not w.startswith("--cuda-include")])
        self.arguments = check.compiler_arguments(o, extra) + [f"-I{self.path.parent}"]
        self.options = [f"--{n}={getattr(o, n)}" for n in ("roots", "catalogue") if getattr(o, n)]

    def at(self, path):
        """The same case, written to a different place."""
        other = object.__new__(type(self))
        other.__dict__ = dict(self.__dict__, path=path, text=path.read_text())
        return other


class Program(Case):
    """A labeled program, with the headers of the system and of a toolkit."""

    cuda_path = os.environ.get("CUDA_PATH", "/usr/local/cuda")

    def configure(self):
        self.arguments = ["-x", "cuda", "-std=c++17", "--cuda-host-only", "-nocudalib",
                          "-Wno-unknown-cuda-version", f"--cuda-path={self.cuda_path}",
                          "-isystem", f"{self.cuda_path}/include/cccl"]

    @staticmethod
    def every():
        """The programs whose code may be read; none without a toolkit."""
        if not Path(Program.cuda_path, "include", "cuda_runtime.h").exists():
            return []
        return [Program(p) for p in sorted(PROGRAMS.glob("*/*.cu"))
                if accuracy.half_of(accuracy.pair_of(p)) == "open"]


class Real(Case):
    """A unit of a real project, which test/corpus/corpus.py has prepared."""

    cuda_path = Program.cuda_path

    def __init__(self, name, path, root, flags, options):
        self.name, self.path, self.folder = name, path, root
        self.text = path.read_text(errors="replace")
        self.arguments = [*flags, f"-I{path.parent}"]
        self.options = options

    @staticmethod
    def every(workdir, torch):
        """The shared set, except code that is not prepared, or is in a header or in several
        units."""
        config = facts.load(ROOT / "test" / "corpus", "config.json")
        prepared = trees.Trees(config, argparse.Namespace(
            workdir=workdir, mirror=None, clone_url="", torch_include=torch,
            cuda_path=Program.cuda_path))
        found = []
        for name, case in facts.cases(ROOT / "test" / "corpus").items():
            if case["set"] != "shared" or case["half"] != "open":
                continue
            for version in case["versions"]:
                try:
                    prepared.check(case, version)
                    flags = prepared.flags(case, version)
                except trees.Missing:
                    continue
                unit, *more = prepared.sources(case, version)
                root = prepared.root(case, version)
                if not more:
                    found.append(Real(f"{name}/{version}", root / unit, root, flags,
                                      config["cases"][name].get("args", [])))
        return found


def below(folders):
    """The cases in files and folders; those of lit by default."""
    roots = [Path(f) for f in folders] if folders else [ROOT / "test" / f for f in FOLDERS]
    paths = sorted(p for root in roots for p in ([root] if root.is_file() else root.rglob("*"))
                   if p.suffix in (".cu", ".cpp"))
    programs = {p.path: p for p in Program.every()} if any(
        p.resolve().is_relative_to(PROGRAMS) for p in paths) else {}
    return [programs.get(p.resolve()) or Case(p) for p in paths
            if p.resolve() in programs or not p.resolve().is_relative_to(PROGRAMS)]
