#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the functions and enumerators that the mock headers declare with those of a
CUDA toolkit: each one in the mock headers is in the toolkit and is the same, and, if
both have the same version, each one in the toolkit is in the mock headers.

usage: signatures.py CLANG++ MOCK-INCLUDE REAL-INCLUDE HEADER,... [clang arguments]

Differences are reported only if the toolkit is the version of the mock headers, which
-DCUDAGRAPH_MOCK_CUDA_VERSION=12060 selects, or if both are 13."""

import json
import re
import subprocess
import sys
import tempfile


PUBLIC = r"(cu(da|blas|rand|fft|solver|sparse)?|p?nccl|nvrtc|nvJitLink)[A-Z]"


def ast(clang, include, header, arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as f:
        f.writelines(f"#include <{h}>\n" for h in header.split(","))
        f.flush()
        done = subprocess.run(
            [clang, "-std=c++17", "-fsyntax-only", "-isystem", include]
            + arguments + ["-Xclang", "-ast-dump=json", f.name],
            capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{include}/{header} does not parse:\n{done.stderr}")
    return json.loads(done.stdout)


def version(clang, include, arguments):
    """The major and minor version of the headers: 12060."""
    done = subprocess.run(
        [clang, "-isystem", include, "-include", "cuda_runtime_api.h", *arguments, "-E", "-P", "-x",
         "c++", "-"], input="version CUDART_VERSION\n", capture_output=True, text=True, check=True)
    return int(re.search(r"^version (\d+)$", done.stdout, re.M)[1])


def value(node):
    if node.get("kind") == "ConstantExpr" and "value" in node:
        return int(node["value"])
    return next((v for v in map(value, node.get("inner", [])) if v is not None),
                None)


def default(parameter):
    """A default argument as text, or None: its value, not its
    spelling."""
    def leaf(node):
        if node["kind"] == "DeclRefExpr":
            return node["referencedDecl"]["name"]
        if node["kind"] == "IntegerLiteral":
            return node["value"]
        return next((v for v in map(leaf, node.get("inner", []))
                     if v is not None), None)
    if not parameter.get("init"):
        return None
    found = next((v for v in map(leaf, parameter.get("inner", []))
                  if v is not None), "0")
    return found


def canonical(type_):
    text = type_.get("desugaredQualType", type_["qualType"])
    text = re.sub(r"\b(struct|enum|union) ", "", text)
    return re.sub(r"__attribute__\(\(.*\)\)|noexcept", "", text).strip()


def collect(node, functions, enumerators):
    for child in node.get("inner", []):
        kind = child.get("kind")
        if kind == "LinkageSpecDecl":
            collect(child, functions, enumerators)
        elif kind == "EnumDecl":
            following = 0
            for e in child.get("inner", []):
                if e["kind"] == "EnumConstantDecl":
                    v = value(e)
                    v = following if v is None else v
                    enumerators[e["name"]] = v
                    following = v + 1
        elif kind == "FunctionDecl":
            name = child["name"]
            if not re.match(PUBLIC, name):
                continue
            parameters = [p for p in child.get("inner", [])
                          if p["kind"] == "ParmVarDecl"]
            functions.setdefault(name, set()).add(
                (canonical(child["type"]),
                 tuple((canonical(p["type"]), p.get("name"), default(p))
                       for p in parameters)))


def declarations(*arguments):
    functions, enumerators = {}, {}
    collect(ast(*arguments), functions, enumerators)
    return functions, enumerators


def main():
    clang, mock, real, header, *arguments = sys.argv[1:]
    mock_functions, mock_enumerators = declarations(clang, mock, header, arguments)
    functions, enumerators = declarations(clang, real, header, arguments)
    # The mock headers are the same for all versions 13.x.
    mine, theirs = version(clang, mock, arguments), version(clang, real, arguments)
    same_major = mine == theirs or min(mine, theirs) >= 13000
    problems = []
    for name, overloads in sorted(mock_functions.items()):
        if name not in functions:
            # Names of old toolkits: see cuda_runtime.h.
            if same_major and name != "cudaConfigureCall":
                problems.append(f"{name}: not in the toolkit")
        elif same_major:
            problems += [f"{name}: mock {o}\n  toolkit {functions[name]}"
                         for o in overloads - functions[name]]
    for name, v in sorted(mock_enumerators.items()):
        if name not in enumerators:
            if same_major:
                problems.append(f"{name}: not in the toolkit")
        elif same_major and enumerators[name] != v:
            problems.append(f"{name}: mock {v}, toolkit {enumerators[name]}")
    if mine == theirs and mine == 13000:
        problems += [f"{name}: missing in the mock headers"
                     for name in sorted({*functions, *enumerators} - {*mock_functions, *mock_enumerators})
                     # With per-thread streams, the toolkit declares launches
                     # under both names.
                     if name + "_ptsz" not in mock_functions and re.match(PUBLIC + "|CU[A-Z]*_|NCCL_|NVRTC_|NVJITLINK_", name)]
    else:
        print(f"the toolkit is {theirs}, the mock headers are {mine}: not looking for missing names")
    for problem in problems:
        print(problem)
    print(f"{len(mock_functions)} functions, {len(mock_enumerators)} enumerators "
          f"compared, {len(problems)} differ")
    sys.exit(1 if problems or not mock_functions else 0)


if __name__ == "__main__":
    main()
