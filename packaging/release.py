#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs what the preset `dist` has built; `./dev release` calls it.

usage: release.py BUILD OUT [archive|wheel|deb|rootfs|extension]...

Writes to OUT an archive, wheels, Debian packages, a root file system for `docker
import`, the extension for VS Code, a list of parts (CycloneDX), and SHA256SUMS. The
version comes from project() in CMakeLists.txt. Times come from the commit, or from
SOURCE_DATE_EPOCH, so that identical programs produce identical files.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import elf
import extension
import rootfs
import sbom
import wheel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = ("archive", "wheel", "deb", "rootfs", "extension")
PROGRAMS = ("cudagraph-tidy", "cudagraph-probe", "cudagraph-clangd")
# For the clang-tidy of the same LLVM, which a Python environment does not contain.
NOT_IN_WHEEL = re.compile(r"lib/CudaGraphTidy(?:Plugin|Checks)[-.]|bin/cudagraph-clang-tidy$")


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **more)
    if done.returncode:
        sys.exit(f"release: {' '.join(command)}\n{done.stdout}")
    return done.stdout


def read_cache(build):
    with open(os.path.join(build, "CMakeCache.txt")) as f:
        cache = dict(re.findall(r"^(\w+):\w+=(.*)$", f.read(), re.M))
    if cache.get("CUDAGRAPH_STATIC") != "ON":
        sys.exit(f"release: {build} was not configured with the preset dist")
    cache["llvm"] = os.path.dirname(os.path.dirname(cache["CUDAGRAPH_TBLGEN"]))
    cache.setdefault("CMAKE_CXX_COMPILER", cache.get("CUDAGRAPH_CLANGXX", "c++"))
    return cache


def date():
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(run("git", "-c", "safe.directory=*", "-C", ROOT, "log", "-1", "--format=%ct"))


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def install(build, to, components):
    for component in components:
        run("cmake", "--install", build, "--prefix", to, "--component", component)


def check(folder):
    """Checks that everything except the plugin needs only glibc."""
    for where, _, names in os.walk(folder):
        for path in (os.path.join(where, name) for name in names):
            if not elf.is_elf(path) or NOT_IN_WHEEL.search(path):
                continue
            others = elf.wants(path)[1]
            if others:
                sys.exit(f"release: {path} needs {', '.join(others)}")


def archive(folder, epoch, result):
    """Packs one directory in a fixed order, without data about the machine."""
    base = os.path.basename(result)[:-len(".tar.gz")]

    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = epoch
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
        return info

    names = [os.path.join(where, name) for where, folders, files in os.walk(folder)
             for name in folders + files]
    with open(result, "wb") as f, \
            gzip.GzipFile("", "wb", 6, f, mtime=epoch) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [folder] + sorted(names):
            inside = os.path.normpath(os.path.join(base, os.path.relpath(path, folder)))
            tar.add(path, inside, recursive=False, filter=plain)


def wheels(build, version, address, epoch, work, out):
    licenses = [os.path.join(ROOT, name) for name in ("LICENSE", "NOTICE")]
    for each, components in (("tidy", ("tidy", "probe")), ("clangd", ("clangd",))):
        staged = os.path.join(work, "wheel-" + each)
        install(build, staged, components)
        for where, _, names in os.walk(staged):
            for path in (os.path.join(where, name) for name in names):
                if NOT_IN_WHEEL.search(path):
                    os.remove(path)
        wheel.write(each, version, address, epoch, staged, licenses, out)


def packages(build, epoch, work, out):
    run("cpack", "-G", "DEB", "-B", os.path.join(work, "deb"), cwd=build,
        env=dict(os.environ, SOURCE_DATE_EPOCH=str(epoch)))
    for name in os.listdir(os.path.join(work, "deb")):
        if name.endswith(".deb"):
            shutil.copy(os.path.join(work, "deb", name), out)


def main(build, out, *kinds):
    os.umask(0o022)
    os.environ.update(LC_ALL="C.UTF-8", TZ="UTC")
    build, out = os.path.abspath(build), os.path.abspath(out)
    cache, epoch = read_cache(build), date()
    version, address = cache["CMAKE_PROJECT_VERSION"], cache["CMAKE_PROJECT_HOMEPAGE_URL"]
    machine = os.uname().machine
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        install(build, tree, ("tidy", "probe", "clangd"))
        check(tree)
        if "archive" in kinds:
            archive(tree, epoch,
                    os.path.join(out, f"cudagraph-tidy-{version}-linux-{machine}.tar.gz"))
        if "wheel" in kinds:
            wheels(build, version, address, epoch, work, out)
        if "deb" in kinds and shutil.which("dpkg-shlibdeps"):
            packages(build, epoch, work, out)
        elif "deb" in kinds:
            print("release: skipping the Debian packages: no dpkg-dev", file=sys.stderr)
        if "rootfs" in kinds:
            reason = rootfs.reason()
            debs = [os.path.join(out, name) for name in sorted(os.listdir(out))
                    if name.startswith("cudagraph-tidy_")]
            if reason or not debs:
                print(f"release: skipping the root file system: {reason or 'no .deb'}",
                      file=sys.stderr)
            else:
                rootfs.write(debs, version, epoch, out)
        if "extension" in kinds and shutil.which("npm"):
            extension.write(version, epoch, address, work, out)
        elif "extension" in kinds:
            print("release: skipping the extension for VS Code: no npm", file=sys.stderr)
        if shutil.which("npm"):
            cache["llvm_version"] = run(os.path.join(cache["llvm"], "bin/llvm-config"),
                                        "--version").strip()
            programs = {name: sha256(os.path.join(tree, "bin", name)) for name in PROGRAMS}
            text = sbom.sbom(version, epoch, cache, programs, address, work)
            with open(os.path.join(out, f"cudagraph-tidy-{version}.cdx.json"), "w") as f:
                f.write(text)
        else:
            print("release: skipping the list of parts: no npm", file=sys.stderr)
    names = sorted(os.listdir(out))
    with open(os.path.join(out, "SHA256SUMS"), "w") as f:
        f.writelines(f"{sha256(os.path.join(out, name))}  {name}\n" for name in names)
    for name in names:
        print(f"{os.path.getsize(os.path.join(out, name)) / 1e6:8.1f} MB  {name}")


if __name__ == "__main__":
    if len(sys.argv) < 3 or set(sys.argv[3:]) - set(KINDS):
        sys.exit(__doc__)
    main(*sys.argv[1:3], *(sys.argv[3:] or KINDS))
