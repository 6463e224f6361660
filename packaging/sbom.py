# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the parts of the released programs, as CycloneDX 1.6 in JSON.

NOTICE has the same list for people. A part is identified by a file that was linked or
read; if Debian's dpkg knows that file, the part has the version of its package.
CycloneDX's library writes and validates the list (sbom/sbom.mjs).
"""

import json
import os
import shutil
import subprocess
import sys
import uuid

import extension

LLVM_LICENSE = "Apache-2.0 WITH LLVM-exception"

# Name, license, a way to find one of its files, and the programs that contain it.
TIDY, PROBE, CLANGD = "cudagraph-tidy", "cudagraph-probe", "cudagraph-clangd"
PARTS = [
    ("llvm", LLVM_LICENSE, "{llvm}/lib/libLLVMSupport.a", (TIDY, PROBE, CLANGD)),
    ("clang", LLVM_LICENSE, "{llvm}/lib/libclangAST.a", (TIDY, CLANGD)),
    ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "{cxx:libstdc++.a}",
     (TIDY, PROBE, CLANGD)),
    ("libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "{cxx:libgcc.a}",
     (TIDY, PROBE, CLANGD)),
    ("zlib", "Zlib", "{cxx:libz.a}", (TIDY, PROBE, CLANGD)),
    ("zstd", "BSD-3-Clause", "{cxx:libzstd.a}", (TIDY, PROBE, CLANGD)),
    ("nlohmann-json", "MIT", "/usr/include/nlohmann/json.hpp", (TIDY, PROBE, CLANGD)),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def file_of(pattern, cache):
    if pattern.startswith("{cxx:"):
        return os.path.realpath(run(cache["CMAKE_CXX_COMPILER"],
                                    "-print-file-name=" + pattern[5:-1]))
    return os.path.realpath(pattern.format(llvm=cache["llvm"]))


def package_of(path):
    """Source, version, and purl from dpkg, or None."""
    owner = run("dpkg-query", "-S", path).split(":")[0]
    if not owner:
        return None
    source, version = run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}",
                          owner).split()
    system = run("sh", "-c", ". /etc/os-release && echo $ID")
    return version, f"pkg:deb/{system}/{source}@{version}?arch=source"


def part(name, license, pattern, cache):
    path = file_of(pattern, cache)
    found = {"type": "Library", "name": name, "license": license}
    package = package_of(path)
    if package:
        found["version"], found["purl"] = package
    elif name in ("llvm", "clang"):
        found["version"] = cache["llvm_version"]
    return found


def sbom(version, epoch, cache, programs, url, work):
    """`programs` maps the name of each released program to its SHA-256. Writes into the
    directory `work`."""
    ours = [{"type": "Application", "name": name, "version": version,
             "license": LLVM_LICENSE, "sha256": digest,
             "contains": [each[0] for each in PARTS if name in each[3]]}
            for name, digest in sorted(programs.items())]
    found = {"time": epoch,
             "product": {"type": "Application", "ref": "product", "name": "cudagraph-tidy",
                         "version": version, "license": LLVM_LICENSE,
                         "purl": f"pkg:generic/cudagraph-tidy@{version}", "url": url,
                         "contains": sorted(programs)},
             "components": ours + [part(*each[:3], cache) for each in PARTS]}
    # The same contents have the same serial number.
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(found, sort_keys=True))
    found["serial"] = f"urn:uuid:{number}"
    folder = os.path.join(work, "sbom")
    shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sbom"), folder)
    extension.install(folder)
    done = subprocess.run(["node", "sbom.mjs"], input=json.dumps(found), cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"release: {done.stdout}")
    return done.stdout
