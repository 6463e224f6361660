# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the parts of the released programs, as CycloneDX 1.6 in JSON.

NOTICE has the same list for people. A part is identified by a file that was linked or
read; if Debian's dpkg knows that file, the part has the version of its package.
"""

import datetime
import json
import os
import subprocess
import uuid

LLVM_LICENSE = "Apache-2.0 WITH LLVM-exception"

# Name, license, how to find a file of it, and the programs that contain it.
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
    found = {"type": "library", "bom-ref": name, "name": name,
             "licenses": [{"expression": license}]}
    package = package_of(path)
    if package:
        found["version"], found["purl"] = package
    elif name in ("llvm", "clang"):
        found["version"] = cache["llvm_version"]
    return found


def sbom(version, epoch, cache, programs, url):
    """`programs` maps the name of each released program to its SHA-256."""
    ours = [{"type": "application", "bom-ref": name, "name": name, "version": version,
             "licenses": [{"expression": LLVM_LICENSE}],
             "hashes": [{"alg": "SHA-256", "content": digest}]}
            for name, digest in sorted(programs.items())]
    parts = [part(*each[:3], cache) for each in PARTS]
    product = {"type": "application", "bom-ref": "product", "name": "cudagraph-tidy",
               "version": version, "licenses": [{"expression": LLVM_LICENSE}],
               "purl": f"pkg:generic/cudagraph-tidy@{version}",
               "externalReferences": [{"type": "website", "url": url}]}
    edges = [{"ref": "product", "dependsOn": sorted(programs)}]
    edges += [{"ref": name, "dependsOn": [p[0] for p in PARTS if name in p[3]]}
              for name in sorted(programs)]
    when = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    body = {"metadata": {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "component": product},
            "components": ours + parts,
            "dependencies": edges}
    # The same contents have the same serial number.
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(body, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6",
            "serialNumber": f"urn:uuid:{number}", "version": 1}
    return json.dumps({**head, **body}, indent=2, ensure_ascii=False) + "\n"
